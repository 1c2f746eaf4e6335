"""Cross-entropy minimised over an intercept for each class: φ̄(z) = min_b Σᵢ pᵢ ℓ(zᵢ + b, yᵢ).

φ̄ is convex, its gradient is that of φ at z + b*, and its Hessian is D − DE(EᵀDE)⁺EᵀD with D = ∇²φ(z + b*) and E the map that
adds b to every row.
"""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.class_intercepts import class_intercepts
from greedyhull.objectives.losses.softmax import Softmax
from greedyhull.types import Array

LEAST = 1e-300  # the logarithm of less is not asked for


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
        return class_intercepts(self.labels, self._rows(z), self.p, self.shares())

    def product(self, z: Array, u: Array) -> Array:
        """∇²φ̄(z)u."""
        s = self._pieces(z)[2].astype(np.float64)
        u = self._rows(u) - intercept_change(s, self.by_row(s), self._rows(u))
        return self.by_row(s * (u - (s * u).sum(axis=1, keepdims=True))).ravel()

    def size(self, value: float, z: Array) -> float:
        return super().size(value, np.asarray(self._rows(z) + self.intercepts(z)).ravel())

    def missed(self, residual: Array) -> Array:
        """mₖ − πₖ, by which the weight of each class is missed: the sums of the residual, zero up to rounding."""
        return np.asarray(self._rows(residual).sum(axis=0, dtype=np.float64))


def intercept_change(s: Array, weighted: Array, u: Array) -> Array:
    """How the best intercepts follow rows u of z, with a minus: (EᵀDE)⁺EᵀDu."""
    B = np.diag(weighted.sum(axis=0)) - s.T @ weighted
    B += max(float(np.trace(B)) / len(B) ** 2, LEAST)
    right = (weighted * (u - (s * u).sum(axis=1, keepdims=True))).sum(axis=0)
    return np.asarray(np.linalg.lstsq(B, right, rcond=None)[0])
