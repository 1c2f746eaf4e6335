"""Rounds on float32 data: in float32 until rounding may be all of the gap, from there in float64."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.types import AtomSet, Objective, SecondOrder
from greedyhull.types.kinds import second_order

COARSER = float(np.finfo(np.float32).eps / np.finfo(np.float64).eps)  # by which float32 rounds more
IN_DOUBLE = "in double"  # the array of a solve that says since when

Rounds = Callable[[SecondOrder], Iterator[Progress]]


def exhausted(f: Objective, S: AtomSet, w: Iterate, estimate: float) -> bool:
    """Whether f is computed in float32, and what that may have done to the gap at w is as much as its estimate."""
    return f.precise() is not f and not estimate > COARSER * f.rounding(w, S)


def named(part: str, memory: Memory) -> str:
    """The name of a part: one in float64 is not restored from the state of one in float32."""
    return f"{part} {IN_DOUBLE}" if IN_DOUBLE in memory.arrays else part


def in_both(f: SecondOrder, w: Iterate, memory: Memory, rounds: Rounds) -> Iterator[Progress]:
    """``rounds(f)`` until they end, which in float32 they do where it is `exhausted`; then those of f in float64."""
    precise = second_order(f.precise())
    if precise is None or precise is f:
        yield from rounds(f)
        return
    if IN_DOUBLE not in memory.arrays:
        yield from rounds(f)
        memory.next_round()
        memory.arrays[IN_DOUBLE] = np.array(memory.k)
        w.refresh()
    yield from rounds(precise)
