"""Shards for tests: arrays cut into pieces, and .npy files that are mapped into memory; both can be pickled."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from greedyhull.types import Shard


class Pieces:
    """Rows of arrays, cut at ``cuts``; loads are counted in this process."""

    def __init__(self, X: Any, y: Any, cuts: list[int], s: Any = None) -> None:
        self.X, self.y, self.s, self.cuts, self.loads = X, y, s, [0, *cuts, X.shape[0]], 0
        self.d, self.count, self.names = int(X.shape[1]), len(self.cuts) - 1, None

    def load(self, k: int) -> Shard:
        self.loads += 1
        here = slice(self.cuts[k], self.cuts[k + 1])
        return Shard(self.X[here], self.y[here], None if self.s is None else self.s[here])

    def name(self, k: int) -> str:
        return f"piece {k}"

    def mark(self, k: int) -> str:
        return f"{k}:{self.cuts[k + 1] - self.cuts[k]}"


class Files:
    """Shards in .npy files; every load is written to a log, so that loads in other processes can be counted."""

    def __init__(self, folder: Path, count: int, d: int) -> None:
        self.folder, self.count, self.d, self.names = str(folder), count, d, None

    @classmethod
    def written(cls, folder: Path, X: Any, y: Any, cuts: list[int]) -> Files:
        ends = [0, *cuts, len(X)]
        for k in range(len(ends) - 1):
            np.save(folder / f"X{k}.npy", X[ends[k] : ends[k + 1]])
            np.save(folder / f"y{k}.npy", y[ends[k] : ends[k + 1]])
        return cls(folder, len(ends) - 1, X.shape[1])

    def load(self, k: int) -> Shard:
        with Path(self.folder, "log").open("a") as log:
            log.write(f"{os.getpid()} {k}\n")
        return Shard(np.load(Path(self.folder, f"X{k}.npy"), mmap_mode="r"), np.load(Path(self.folder, f"y{k}.npy")))

    def loads(self) -> list[tuple[int, int]]:
        """Which process loaded which shard, in order."""
        lines = Path(self.folder, "log").read_text().splitlines()
        return [(int(a), int(b)) for a, b in (line.split() for line in lines)]

    def name(self, k: int) -> str:
        return f"X{k}.npy"

    def mark(self, k: int) -> str:
        return str(Path(self.folder, f"X{k}.npy").stat().st_mtime_ns)
