"""Cross-entropy of several classes, with and without intercepts."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from greedyhull.kernels._core import softmax_pieces
from greedyhull.kernels.softmax import class_intercepts
from greedyhull.objectives.losses.base import Separable
from greedyhull.types import Array, Index


class Softmax(Separable):
    """φ(z) = Σᵢ pᵢ (log Σₖ exp(zᵢₖ) − zᵢ,ᵧᵢ) of z flat, c numbers for each row; ``y`` is 1 at the class of a row, else 0."""

    floor = 0.0
    curvature_bound = 0.5  # of log Σ exp
    twice_differentiable = False  # no diagonal does for it; `Multinomial` gives products with the Hessian

    def __init__(self, y: Array, p: Array | float, classes: int) -> None:
        super().__init__(y, p)
        self.classes = classes

    def _rows(self, z: Array) -> Array:
        return z.reshape(-1, self.classes)

    @cached_property
    def labels(self) -> Index:
        """The class of each row."""
        return np.ascontiguousarray(self._rows(self.y).argmax(axis=1), dtype=np.int64)

    def intercepts(self, z: Array) -> Array:
        """What is added to the scores of each class."""
        return np.zeros(self.classes)

    def _pieces(self, z: Array) -> tuple[Array, Array, Array]:
        """The terms, their slopes, and the probabilities of the classes."""
        rows = np.ascontiguousarray(self._rows(z))
        terms, slopes, s = np.empty(len(rows)), np.empty_like(rows), np.empty_like(rows)
        softmax_pieces(self.labels, rows, self.intercepts(z), terms, slopes, s)
        return terms, slopes, s

    def by_row(self, x: Array) -> Array:
        """pᵢ times row i of x."""
        return np.asarray(self.p * x if isinstance(self.p, float) else self.p[:, None] * x)

    def terms(self, z: Array) -> Array:
        return self._pieces(z)[0]

    def slopes(self, z: Array) -> Array:
        return self._pieces(z)[1].ravel()

    def first_order(self, z: Array) -> tuple[float, Array]:
        terms, slopes, _ = self._pieces(z)
        return self.total(terms), self.by_row(slopes).ravel().astype(z.dtype, copy=False)

    def gradient(self, z: Array) -> Array:
        return self.first_order(z)[1]

    def value_gradient_curvature(self, z: Array) -> tuple[float, Array, Array]:
        """φ(z), ∇φ(z) and, in place of a curvature, the probabilities that make the Hessian."""
        terms, slopes, s = self._pieces(z)
        return self.total(terms), self.by_row(slopes).ravel().astype(z.dtype, copy=False), s.ravel()

    def product(self, z: Array, u: Array) -> Array:
        """∇²φ(z)u."""
        s, rows = self._pieces(z)[2], self._rows(u)
        return self.by_row(s * (rows - (s * rows).sum(axis=1, keepdims=True))).ravel()

    def energy(self, dz: Array) -> float:
        return float(dz.dot(self.product(np.zeros_like(dz), dz)))

    def size(self, value: float, z: Array) -> float:
        """|value| and what its terms are differences of."""
        sizes = np.abs(self._rows(z))
        largest = sizes[:, 0].astype(np.float64)
        for k in range(1, self.classes):  # a few long columns take less time than many short rows
            np.maximum(largest, sizes[:, k], out=largest)
        return abs(value) + 2.0 * self.total(largest + np.log(self.classes))

    def lipschitz(self, low: Array, high: Array) -> float:
        """Slopes are differences of probabilities."""
        return 1.0

    def derivatives(self, z: Array, dz: Array) -> tuple[float, float]:
        return float(self.gradient(z).dot(dz)), float(self.product(z, dz).dot(dz))

    def bend(self, z: Array, dz: Array, max_step: float) -> float:
        return 0.5 * self.total((self._rows(dz).astype(np.float64) ** 2).sum(axis=1))


class SoftmaxWithIntercepts(Softmax):
    """`Softmax` with the best intercept of each class; these sum to zero."""

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
    B += max(float(np.trace(B)) / len(B) ** 2, 1e-300)  # the logarithm of less is not asked for
    right = (weighted * (u - (s * u).sum(axis=1, keepdims=True))).sum(axis=0)
    return np.asarray(np.linalg.lstsq(B, right, rcond=None)[0])
