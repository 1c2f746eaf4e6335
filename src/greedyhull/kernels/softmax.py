"""Logistic and cross-entropy terms in one pass, the Hessian of cross-entropy, and its intercepts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from greedyhull.kernels.core import REFERENCES, compiled
from greedyhull.kernels.data_passes import product
from greedyhull.types import Array, Index


@compiled
def logistic_pieces(y: Array, z: Array, residual: Array, curvature: Array) -> float:
    """Σ log(1 + e^{−yz}), to a few eps; ``residual`` ← −y/(1 + e^{yz}), ``curvature`` ← e^{yz}/(1 + e^{yz})²."""
    m = y * z.astype(np.float64)
    e = np.exp(-np.abs(m))
    inverse = 1.0 / (1.0 + e)
    residual[:] = -y * np.where(m >= 0.0, e * inverse, inverse)
    curvature[:] = e * inverse * inverse
    return float((np.log1p(e) + np.maximum(-m, 0.0)).sum())


@compiled
def softmax_pieces(labels: Index, z: Array, b: Array, terms: Array, slopes: Array, s: Array) -> None:
    """``terms`` ← log Σ exp(z + b) − (z + b)_label for each row of scores z, ``slopes`` ← its gradient, ``s`` ← probabilities.

    What is small keeps its digits: the slope of the label is minus the sum of the others, not a probability less one.
    """
    rows = np.arange(len(labels))
    off = z + b.astype(np.float64)
    off -= off.max(axis=1, keepdims=True)
    e = np.exp(off)
    own = e[rows, labels]
    e[rows, labels] = 0.0
    rest = e.sum(axis=1)
    total = rest + own
    terms[:] = np.log1p(rest + (own - 1.0)) - off[rows, labels]
    slopes[:] = s[:] = e / total[:, None]
    slopes[rows, labels] = -rest / total
    s[rows, labels] = own / total


AT_ONCE = 2048  # samples whose products are made at a time: what is kept of them takes no more room than that


class Room:
    """Memory that is used again and again: new pages take longer than the products that are written to them."""

    def __init__(self) -> None:
        self._memory = np.empty(0)

    def pair(self, m: int, n: int, dtype: np.dtype[Any]) -> Array:
        """Two arrays of shape (m, n), with anything in them."""
        size = 2 * m * n * dtype.itemsize // 8 + 1
        if len(self._memory) < size:
            self._memory = np.empty(max(size, 2 * len(self._memory)))
        return self._memory.view(dtype)[: 2 * m * n].reshape(2, m, n)


def entries_hessian(rows: Array, classes: Index, s: Array, p: Array | float, room: Room | None = None) -> Array:
    """For scaled columns of X as ``rows`` and their classes, which do not fall; s has the probabilities of each sample.

    All is computed in the precision of ``rows``. Who asks often has ``room``.

    >>> entries_hessian(np.array([[2.0], [2.0]]), np.array([0, 1]), np.array([[0.25, 0.75]]), 1.0)
    array([[ 0.75, -0.75],
           [-0.75,  0.75]])
    """
    heavy, root = _roots(rows, s, p)
    m, n = rows.shape
    H = np.zeros((m, m), dtype=rows.dtype)
    buffer = (room or Room()).pair(m, min(n, AT_ONCE), rows.dtype)
    for start in range(0, n, AT_ONCE):
        X = rows[:, start : start + AT_ONCE]
        Y, B = buffer[:, :, : X.shape[1]]
        for k, of_class in _slices(classes, len(root)):
            np.multiply(X[of_class], root[k, start : start + AT_ONCE], out=Y[of_class])
            np.multiply(X[of_class], heavy[k, start : start + AT_ONCE], out=B[of_class])
        H -= product(Y, Y.T)
        for _, of_class in _slices(classes, len(root)):
            H[of_class, of_class] += product(B[of_class], B[of_class].T)
    return H


def entries_and_intercepts(rows: Array, classes: Index, s: Array, p: Array | float) -> Array:
    """How these rows meet an intercept for each class l in the Hessian: Σᵢ pᵢ xᵢⱼ sᵢₖ(δₖₗ − sᵢₗ), one row for each class.

    >>> entries_and_intercepts(np.array([[2.0], [2.0]]), np.array([0, 1]), np.array([[0.25, 0.75]]), 1.0)
    array([[ 0.375, -0.375],
           [-0.375,  0.375]])
    """
    shares, weighted = np.ascontiguousarray(s.T, dtype=rows.dtype), np.ascontiguousarray(p * s.T, dtype=rows.dtype)
    C = np.empty((len(shares), len(rows)), dtype=rows.dtype)
    for k, of_class in _slices(classes, len(shares)):
        own = -weighted * shares[k]
        own[k] += weighted[k]
        C[:, of_class] = product(own, rows[of_class].T)
    return C


def whole_hessian(X: Array, s: Array, p: Array | float, room: Room | None = None) -> Array:
    """For all entries (k, j) of a matrix, column after column; X has a row for each feature. In the precision of X.

    That of the last class is minus the sum of all others, for a constant that is added to all scores of a sample changes
    nothing.

    >>> whole_hessian(np.array([[2.0]]), np.array([[0.25, 0.75]]), 1.0)
    array([[ 0.75, -0.75],
           [-0.75,  0.75]])
    """
    (d, n), c = X.shape, s.shape[1]
    H = np.zeros((c, d, c, d), dtype=X.dtype)
    if (s == s[0]).all():  # as at zero
        q = s[0].astype(np.float64)
        square = product(X * np.asarray(p, dtype=X.dtype), X.T)
        H[:] = (np.diag(q) - np.outer(q, q)).astype(X.dtype)[:, None, :, None] * square[None, :, None, :]
        return H.reshape(c * d, c * d)
    heavy, root = _roots(X, s, p)
    buffer = (room or Room()).pair((c - 1) * d, min(n, AT_ONCE), X.dtype)[0]
    total = np.zeros(((c - 1) * d, (c - 1) * d), dtype=X.dtype)
    for start in range(0, n, AT_ONCE):
        some = X[:, start : start + AT_ONCE]
        Y = buffer[:, : some.shape[1]]
        for k in range(c - 1):
            np.multiply(some, root[k, start : start + AT_ONCE], out=Y[k * d : (k + 1) * d])
        total -= product(Y, Y.T)
        for k in range(c - 1):
            B = np.multiply(some, heavy[k, start : start + AT_ONCE], out=Y[:d])
            total[k * d : (k + 1) * d, k * d : (k + 1) * d] += product(B, B.T)
    H[:-1, :, :-1] = total.reshape(c - 1, d, c - 1, d)
    H[-1, :, :-1] = -H[:-1, :, :-1].sum(axis=0)
    H[:, :, -1] = -H[:, :, :-1].sum(axis=2)
    return H.reshape(c * d, c * d)


def whole_and_intercepts(X: Array, s: Array, p: Array | float) -> Array:
    """How all entries meet the intercepts, as `entries_and_intercepts`."""
    (d, _), c = X.shape, s.shape[1]
    shares, weighted = np.ascontiguousarray(s.T, dtype=X.dtype), np.ascontiguousarray(p * s.T, dtype=X.dtype)
    C = np.empty((c, c, d), dtype=X.dtype)
    for k in range(c):
        own = -weighted * shares[k]
        own[k] += weighted[k]
        C[:, k] = product(own, X.T)
    return C.reshape(c, c * d)


def _roots(rows: Array, s: Array, p: Array | float) -> tuple[Array, Array]:
    """√(p sₖ) and √p sₖ, a row for each class."""
    shares = np.ascontiguousarray(s.T, dtype=rows.dtype)
    weights = np.asarray(p, dtype=rows.dtype)
    return np.sqrt(weights * shares), np.sqrt(weights) * shares


def _slices(classes: Index, c: int) -> list[tuple[int, slice]]:
    """The classes that there are, each with its rows."""
    bounds = np.searchsorted(classes, np.arange(c + 1)).tolist()
    return [(k, slice(a, b)) for k, (a, b) in enumerate(pairwise(bounds)) if a < b]


FEW_CLASSES = 64  # that the core is asked for: products of larger matrices are faster by BLAS
EPS = float(np.finfo(np.float64).eps)
STEPS = 60  # at a temperature, at most
COOLER = 4.0  # by which a temperature falls
FAR = 32.0  # by which a class is moved at most in a step
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
    # steps without a temperature: intercepts of most scores take no more
    found, done = _newton(rows, np.zeros(len(shares)), 0.0, 12)
    if not done:
        found, heat = np.zeros(len(shares)), 1.0
        while heat < -float(rows.z.min()):
            heat *= COOLER
        while heat > 1.0:
            # of its share may a class miss before the temperature is one
            found = heat * _newton(rows._replace(z=rows.z / heat), found / heat, 0.05, STEPS)[0]
            heat /= COOLER
        found, _ = _newton(rows, found, 0.0, STEPS)
    b[:] = found - found.mean()


def _newton(rows: _Scores, b: Array, near: float, steps: int) -> tuple[Array, bool]:
    """Steps until the classes miss their shares by ``near`` at most, or by what rounding does; whether they came so far."""
    here, longer = _look(rows, b), 1.0
    for _ in range(steps):
        unit = EPS * (1.0 + float(np.abs(b).max()))
        # units in the last place of the scores: the share of what is moved between classes that may be left over
        if here.off <= near or here.unsettled <= 2.0 * unit:
            return b, True
        changes = _changes(rows, here, longer)
        for change in changes:
            ahead = _look(rows, b + change)
            # units in the last place of the scores: what rounding may have done to a value
            fell, noise = here.value - ahead.value, 4.0 * (EPS * abs(here.value) + unit)
            if fell > noise or (ahead.off < here.off and fell >= -noise):
                break
        else:
            return b, True  # rounding lets it come no nearer
        # of what the classes missed: where more is left, the next step is twice as long
        longer = 2.0 * longer if change is changes[0] and ahead.off > 0.2 * here.off else 1.0
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
    if not (np.isfinite(step).all() and 0.0 < float(np.abs(step).max()) < 1e100):  # longer steps are none: the matrix is zero
        return [scaling]
    width = float(np.ptp(step))
    return [np.clip(longer * step, -FAR, FAR), step * (np.log1p(width) / width if width > 0.0 else 1.0), scaling]
