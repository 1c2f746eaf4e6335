"""Logistic regression over an l1 ball, its rows in shards: in memory, one shard after the other, two processes, Dask, rivals.

Every cell is a process of its own (`one.py`), so that its peak memory is that of one way to solve. Below the table stand the
exponents of time and memory, and every goal with what was measured (`goals.py`). What a trip costs in bytes and seconds, and
what larger clusters would cost, is in `cost.py`.
"""

from benchmarks.scale.section import scale

__all__ = ["scale"]
