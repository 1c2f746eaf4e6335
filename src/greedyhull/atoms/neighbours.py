"""Vertices beside the best one, where a vertex comes from the order in which coordinates are filled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from greedyhull.points.shapes import Sparse, SparseBlock
from greedyhull.types import Array, Index


def best_of(filled: Callable[[Index], Sparse | None], order: Index, g: Array, m: int) -> SparseBlock:
    """The vertex of ``order``, which is the best one, and at most m − 1 beside it, better ones first.

    Each of these leaves out one coordinate that the best one fills, or fills one first that it leaves out. Such are the
    vertices that a solver needs next: near the optimum the coordinates about where filling ends change their places.
    """
    first = filled(order)
    assert first is not None
    found = {first.key: first}
    used = len(first.places)
    inside = np.isin(order, first.places)
    last = int(np.flatnonzero(inside)[-1]) + 1 if used else 0
    short = order[: last + m]  # so many are enough to fill the total where one is left out
    for k in _alternately(np.flatnonzero(inside[: len(short)])[::-1], np.flatnonzero(~inside[: len(short)]), m - 1):
        rest = np.delete(short, k)
        vertex = filled(rest if inside[k] else np.concatenate([short[k : k + 1], rest]))
        if vertex is not None:
            found.setdefault(vertex.key, vertex)
    atoms = list(found.values())
    block = SparseBlock(len(g), atoms[1:])
    by = np.argsort(block.dots(g), kind="stable") if len(block) else np.zeros(0, dtype=np.intp)
    return SparseBlock(len(g), [first, *(atoms[1 + i] for i in by.tolist())])


def _alternately(one: Index, two: Index, most: int) -> list[int]:
    """Numbers of both, in turn, ``most`` of them at most."""
    turns: list[int] = []
    for i in range(max(len(one), len(two))):
        turns.extend(int(which[i]) for which in (one, two) if i < len(which))
        if len(turns) >= most:
            break
    return turns[:most] if most > 0 else []
