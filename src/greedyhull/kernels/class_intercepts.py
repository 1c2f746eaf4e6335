"""The best intercept of each class: argmin_b Σᵢ pᵢ (log Σₖ exp(zᵢₖ + bₖ) − zᵢₗ − bₗ), l the label of row i,
where the weight mₖ that each class is given is its share πₖ, that of the rows with its label.

Newton's step d is followed as far as log(1 + D)/D of it, D = max d − min d, where it must not be shortened more: third
derivatives of log Σ exp are at most D times the second, and then this share always descends (Sun and Tran-Dinh 2019). Scores
of a thousand make that slow, for probabilities are 0 or 1 almost everywhere. So large scores are first divided by a
temperature that falls to one. The intercepts of each temperature are near those of the next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.kernels.core import REFERENCES, compiled
from greedyhull.kernels.softmax import softmax_pieces
from greedyhull.types import Array, Index

FEW_CLASSES = 64  # that the core is asked for: products of larger matrices are faster by BLAS
EPS = float(np.finfo(np.float64).eps)
FEW = 12  # steps without a temperature: intercepts of most scores take no more
STEPS = 60  # at a temperature, at most
COOLER = 4.0  # by which a temperature falls
NEAR = 0.05  # of its share may a class miss before the temperature is one
ENOUGH = 2.0  # units in the last place of the scores: the share of what is moved between classes that may be left over
SLOW = 0.2  # of what the classes missed: where more is left, the next step is twice as long
FAR = 32.0  # by which a class is moved at most in a step
FARTHEST = 1e100  # longer steps are none: the matrix is zero
NOISE = 4.0  # units in the last place of the scores: what rounding may have done to a value
LEAST = 1e-300  # the logarithm of less is not asked for


class _Look(NamedTuple):
    """What is seen at some intercepts: the value, by which share the classes miss theirs, and by which share of what is moved
    between classes, mₖ − πₖ, what the classes have, and the probabilities."""

    value: float
    off: float
    unsettled: float
    missed: Array
    met: Array
    s: Array


class _Scores(NamedTuple):
    """Rows of scores, with the class and the weight of each, and the weight πₖ of each class."""

    labels: Index
    z: Array
    p: Array
    shares: Array


def class_intercepts(labels: Index, z: Array, p: Array | float, shares: Array) -> Array:
    """Intercepts that sum to zero, as near to the best as rounding lets them come: for a row of scores for each label, its
    weights p, and the sum of these for each class.

    >>> class_intercepts(np.array([0, 1, 1, 1]), np.zeros((4, 2)), 0.25, np.array([0.25, 0.75])).round(6)  # ½ log 3
    array([-0.549306,  0.549306])
    """
    weights, b = np.full(len(z), p) if isinstance(p, float) else p.astype(np.float64, copy=False), np.zeros(len(shares))
    search = find_intercepts if len(shares) <= FEW_CLASSES else REFERENCES["find_intercepts"]
    search(labels, np.ascontiguousarray(z, dtype=np.float64), np.ascontiguousarray(weights), shares, b)
    return b


@compiled
def find_intercepts(labels: Index, z: Array, p: Array, shares: Array, b: Array) -> None:
    """``b`` ← the intercepts."""
    rows = _Scores(labels, z - z.max(axis=1, keepdims=True), p, shares)
    found, done = _newton(rows, np.zeros(len(shares)), 0.0, FEW)
    if not done:
        found, heat = np.zeros(len(shares)), 1.0
        while heat < -float(rows.z.min()):
            heat *= COOLER
        while heat > 1.0:
            found = heat * _newton(rows._replace(z=rows.z / heat), found / heat, NEAR, STEPS)[0]
            heat /= COOLER
        found, _ = _newton(rows, found, 0.0, STEPS)
    b[:] = found - found.mean()


def _newton(rows: _Scores, b: Array, near: float, steps: int) -> tuple[Array, bool]:
    """Steps until the classes miss their shares by ``near`` at most, or by what rounding does; whether they came so far."""
    here, longer = _look(rows, b), 1.0
    for _ in range(steps):
        unit = EPS * (1.0 + float(np.abs(b).max()))
        if here.off <= near or here.unsettled <= ENOUGH * unit:
            return b, True
        changes = _changes(rows, here, longer)
        for change in changes:
            ahead = _look(rows, b + change)
            fell, noise = here.value - ahead.value, NOISE * (EPS * abs(here.value) + unit)
            if fell > noise or (ahead.off < here.off and fell >= -noise):
                break
        else:
            return b, True  # rounding lets it come no nearer
        longer = 2.0 * longer if change is changes[0] and ahead.off > SLOW * here.off else 1.0
        b, here = b + change, ahead
    return b, False


def _look(rows: _Scores, b: Array) -> _Look:
    terms, slopes, s = np.empty(len(rows.z)), np.empty_like(rows.z), np.empty_like(rows.z)
    softmax_pieces(rows.labels, rows.z, b, terms, slopes, s)
    missed, moved = rows.p @ slopes, rows.p @ np.abs(slopes)
    off, unsettled = (np.abs(missed) / rows.shares).max(), (np.abs(missed) / np.maximum(moved, LEAST)).max()
    return _Look(float(rows.p @ terms), float(off), float(unsettled), missed, rows.p @ s, s)


def _changes(rows: _Scores, here: _Look, longer: float) -> list[Array]:
    """Changes of b to try in turn: Newton's step, longer where it was too short before and no class farther than `FAR`, the
    share of it that descends, and that of iterative scaling, log(πₖ/mₖ), which never raises the value either (Darroch and
    Ratcliff 1972)."""
    scaling = np.log(np.maximum(rows.shares, LEAST) / np.maximum(here.met, LEAST))
    B = -here.s.T @ (rows.p[:, None] * here.s)
    np.fill_diagonal(B, 0.0)
    diagonal = -B.sum(axis=0)  # its rows sum to zero: so they are known to the last digits where probabilities are near one
    np.fill_diagonal(B, diagonal)
    B += float(diagonal.sum()) / len(B) ** 2  # 1 is its kernel, and m − π is at right angles to it
    np.fill_diagonal(B, B.diagonal() + EPS * float(diagonal.max()))  # classes that no row hesitates between stay
    try:
        step = np.linalg.solve(B, -here.missed)
    except np.linalg.LinAlgError:
        return [scaling]
    if not (np.isfinite(step).all() and 0.0 < float(np.abs(step).max()) < FARTHEST):
        return [scaling]
    width = float(np.ptp(step))
    return [np.clip(longer * step, -FAR, FAR), step * (np.log1p(width) / width if width > 0.0 else 1.0), scaling]
