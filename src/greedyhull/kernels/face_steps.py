"""Conjugate gradients on a face of bounds and rows: what one step does besides the product with the Hessian.

On a face some coordinates are free, and some rows are tight. The equations of the tight rows in the free coordinates, Bx = b,
are kept by projections: r ↦ r − Bᵀy with BBᵀy = Br. The rows are given by columns, as ``starts``, ``places`` and ``entries``.
"""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.core import compiled
from greedyhull.types import Array, Index

RIDGE = 1e-13  # of the diagonal: rows that depend on others make a singular matrix


@compiled
def face_factor(starts: Index, places: Index, entries: Array, free: Array, tight: Array, factor: Array) -> bool:
    """Write the Cholesky factor L of BBᵀ into the lower triangle of ``factor``; a row that is not tight, or has no free
    coordinate, has 1 there and nothing else. ``free`` and ``tight`` are 1 and 0. False where there is none.
    """
    m, columns = len(tight), np.repeat(np.arange(len(free)), np.diff(starts))
    B = np.zeros((m, len(free)))
    np.add.at(B, (places, columns), entries * free[columns] * tight[places])
    S = B.dot(B.T)
    diagonal = S.diagonal().copy()
    S.flat[:: m + 1] = np.where(diagonal > 0.0, diagonal * (1.0 + RIDGE), 1.0)
    try:
        factor[...] = np.linalg.cholesky(S)
    except np.linalg.LinAlgError:
        return False
    return True


@compiled
def face_shift(starts: Index, places: Index, entries: Array, free: Array, tight: Array, factor: Array, off: Array,
               x: Array) -> None:
    """x moves as little as it can, in its free coordinates, so that Ax changes by ``off`` in tight rows."""
    columns = np.repeat(np.arange(len(free)), np.diff(starts))
    q = np.linalg.solve(factor.T, np.linalg.solve(factor, off * tight)) * tight
    x += np.bincount(columns, entries * q[places], len(x)) * free


@compiled
def face_project(starts: Index, places: Index, entries: Array, free: Array, tight: Array, factor: Array, r: Array,
                 y: Array) -> float:
    """r becomes its projection, 0 where coordinates are not free; its prices are added to y. Returns ‖r‖²."""
    columns = np.repeat(np.arange(len(free)), np.diff(starts))
    r *= free
    q = np.linalg.solve(factor.T, np.linalg.solve(factor, np.bincount(places, entries * r[columns], len(y)) * tight)) * tight
    r -= np.bincount(columns, entries * q[places], len(r)) * free
    y += q
    return float(r.dot(r))


@compiled
def face_step(starts: Index, places: Index, entries: Array, free: Array, tight: Array, factor: Array, bend: Array, p: Array,
              x: Array, g: Array, r: Array, y: Array, square: float, least: float) -> float:
    """A step of conjugate gradients along p, for which ``bend`` = Hp: x, the gradient g, its projection r, the prices y and p
    follow. ``square`` is ‖r‖², and the new one is returned; −1, and nothing is moved, where the curvature along p is not more
    than ``least``.
    """
    curved = float(p.dot(bend))
    if not (curved > least * float(p.dot(p)) and square > 0.0):
        return -1.0
    pace = square / curved
    x += pace * p
    g += pace * bend
    r += pace * bend
    new = face_project(starts, places, entries, free, tight, factor, r, y)
    p *= new / square
    p -= r
    return new

