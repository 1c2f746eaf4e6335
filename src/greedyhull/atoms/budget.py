"""Sets that are a budget on coordinates: what compiled rounds know of a set."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from greedyhull.atoms.cached import Cached
from greedyhull.atoms.capped_simplex import CappedSimplex
from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.positive_l1_ball import PositiveL1Ball
from greedyhull.atoms.simplex import Simplex
from greedyhull.atoms.vertices import Vertices
from greedyhull.points.arrays import locked
from greedyhull.points.shapes import BasisBlock
from greedyhull.types import Array, AtomSet, Block

FEW = 32  # so many numbers are looked at one by one, sooner than as an array


class Budget(NamedTuple):
    """{w : Σ |w_j|/scales_j ≤ 1}; with ``positive`` w ≥ 0 too, with ``whole`` the sum is one.

    ``scales`` has one entry where all coordinates have the same. With ``points`` it is their weights that the budget is about:
    a matrix with one point in each row, dense or CSR.
    """

    scales: Array
    positive: bool
    whole: bool
    points: Any = None


def budget_of(S: AtomSet) -> Budget | None:
    """The set as a budget, or None. Classes derived from these sets may have answers of their own, and are none.

    >>> budget_of(Simplex(3, 2.0))
    Budget(scales=array([2.]), positive=True, whole=True, points=None)
    """
    kind = type(S)
    if kind is Cached and isinstance(S, Cached):  # the core scores all atoms faster than a cache some of them
        return budget_of(S.S)
    if len(S.shape) != 1:  # the core works on vectors
        return None
    if kind is L1Ball and isinstance(S, L1Ball):
        return Budget(_scales(S.scale), positive=False, whole=False)
    if kind is Simplex and isinstance(S, Simplex):
        return Budget(_scales(S.total), positive=True, whole=True)
    if kind is CappedSimplex and isinstance(S, CappedSimplex):
        return Budget(_scales(S.total), positive=True, whole=False)
    if kind is PositiveL1Ball and isinstance(S, PositiveL1Ball):
        return Budget(_scales(S.scale), positive=True, whole=False)
    if kind is Vertices and isinstance(S, Vertices):
        return Budget(np.ones(1), positive=True, whole=True, points=S.matrix)
    return None


def has_atoms(S: AtomSet, block: Block) -> bool:
    """Whether all of a few atoms are the set's own, as two numbers each tell; False says that somebody has to look.

    >>> has_atoms(Simplex(3), BasisBlock(3, [0, 2], [1.0, 1.0])), has_atoms(Simplex(3), BasisBlock(3, [0], [0.5]))
    (True, False)
    """
    if type(block) is not BasisBlock or not 0 < len(block) <= FEW or block.shape != S.shape:
        return False
    index: list[int] = block.index.tolist()
    scales: list[float] = block.scale.tolist()
    if min(index) < 0 or max(index) >= block.size:
        return False
    if type(S) is Simplex:
        return scales.count(S.total) == len(scales)
    return type(S) is L1Ball and S.weights is None and all(abs(scale) <= S.radius for scale in scales)


def _scales(scale: object) -> Array:
    return _one(scale) if type(scale) is float else np.array(scale, dtype=np.float64, ndmin=1)


@lru_cache(maxsize=256)
def _one(scale: float) -> Array:
    """A scale that all coordinates have; the core only reads it."""
    return locked(np.array([scale]))
