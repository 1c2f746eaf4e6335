"""Cross-entropy minimised over an intercept for each class: φ̄(z) = min_b Σᵢ pᵢ ℓ(zᵢ + b, yᵢ).

φ̄ is convex, its gradient is that of φ at z + b*, and its Hessian is D − DE(EᵀDE)⁺EᵀD with D = ∇²φ(z + b*) and E the map that
adds b to every row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from greedyhull.objectives.losses.softmax import Softmax
from greedyhull.types import Array

EPS = float(np.finfo(np.float64).eps)
STEPS = 100  # at most
SHARES = (1.0, 0.5, 0.25, 0.0625)  # of Newton's step that are tried
NOISE = 4.0 * EPS  # of φ and of the largest |z|: what rounding may have done to φ, a mean of differences of such numbers
LEAST = 1e-300  # the logarithm of less is not asked for


class _Look(NamedTuple):
    """What is seen at some intercepts: φ, by which share the classes miss theirs, what they have, and the probabilities."""

    value: float
    off: float
    met: Array
    s: Array
    weighted: Array


class SoftmaxWithIntercepts(Softmax):
    """`Softmax` with the best intercept of each class; these sum to zero.

    >>> loss = SoftmaxWithIntercepts(np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0]), 0.25, 2)
    >>> loss.intercepts(np.zeros(8)).round(6)  # three of four: ½ log 3
    array([ 0.549306, -0.549306])
    """

    def __init__(self, y: Array, p: Array | float, classes: int) -> None:
        super().__init__(y, p, classes)
        self._seen: tuple[Array, Array] | None = None

    def shares(self) -> Array:
        """πₖ, the weight of the samples of each class."""
        return np.asarray(self.by_row(self._rows(self.y)).sum(axis=0, dtype=np.float64))

    def intercepts(self, z: Array) -> Array:
        """b* = argmin_b φ(z + b), as near as rounding lets it come, from the same start every time."""
        seen = self._seen  # read and written whole: other threads may ask as well
        if seen is None or not np.array_equal(seen[0], z):  # a point is asked about several times in a row
            seen = self._seen = (z.copy(), self._found(z))
        return seen[1]

    def _found(self, z: Array) -> Array:
        """Newton's steps, shortened until φ falls or, where it stands, the classes come nearer to their shares; else a step of
        iterative scaling, bₖ += log(πₖ/mₖ), which never raises φ (Darroch and Ratcliff 1972)."""
        shares, b = self.shares(), np.zeros(self.classes)
        here, size = self._look(z, b, shares), float(np.abs(z).max(initial=0.0))
        for _ in range(STEPS):
            if here.off <= EPS:
                break
            for change in self._changes(here, shares):
                ahead = self._look(z, b + change, shares)
                fell, noise = here.value - ahead.value, NOISE * (here.value + size + float(np.abs(b).max()))
                if fell > noise or (ahead.off < here.off and fell >= -noise):
                    break
            else:
                break
            b, here = b + change, ahead
        return np.asarray(b - b.mean())

    def _look(self, z: Array, b: Array, shares: Array) -> _Look:
        terms, s = super()._split((self._rows(z) + b.astype(z.dtype)).ravel())
        s = s.astype(np.float64)
        weighted = self.by_row(s)
        met = weighted.sum(axis=0)
        return _Look(self.total(terms), float((np.abs(met - shares) / shares).max()), met, s, weighted)

    def _changes(self, here: _Look, shares: Array) -> Iterator[Array]:
        """Changes of b to try in turn: −(EᵀDE)⁺(m − π) and shares of it, if it can be had, then that of iterative scaling."""
        B = np.diag(here.met) - here.s.T @ here.weighted
        B += np.trace(B) / self.classes**2  # 1 is its kernel, and m − π is at right angles to it
        try:
            step = np.linalg.solve(B, shares - here.met)
        except np.linalg.LinAlgError:
            step = np.full(self.classes, np.nan)
        if bool(np.isfinite(step).all()):
            yield from (share * (step - step.mean()) for share in SHARES)
        yield np.log(np.maximum(shares, LEAST) / np.maximum(here.met, LEAST))

    def _at(self, z: Array) -> Array:
        return np.asarray(self._rows(z) + self.intercepts(z).astype(z.dtype)).ravel()

    def _split(self, z: Array) -> tuple[Array, Array]:
        return super()._split(self._at(z))

    def product(self, z: Array, u: Array) -> Array:
        """∇²φ̄(z)u."""
        s = self._split(z)[1].astype(np.float64)
        u = self._rows(u) - intercept_change(s, self.by_row(s), self._rows(u))
        return self.by_row(s * (u - (s * u).sum(axis=1, keepdims=True))).ravel()

    def size(self, value: float, z: Array) -> float:
        return super().size(value, self._at(z))

    def missed(self, residual: Array) -> Array:
        """mₖ − πₖ, by which the weight of each class is missed: the sums of the residual, zero up to rounding."""
        return np.asarray(self._rows(residual).sum(axis=0, dtype=np.float64))


def intercept_change(s: Array, weighted: Array, u: Array) -> Array:
    """How the best intercepts follow rows u of z, with a minus: (EᵀDE)⁺EᵀDu."""
    B = np.diag(weighted.sum(axis=0)) - s.T @ weighted
    B += max(float(np.trace(B)) / len(B) ** 2, LEAST)
    right = (weighted * (u - (s * u).sum(axis=1, keepdims=True))).sum(axis=0)
    return np.asarray(np.linalg.lstsq(B, right, rcond=None)[0])
