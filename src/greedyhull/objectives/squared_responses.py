"""Squares of several responses to the same data: all columns of W have the same Hessian K = XᵀPX, which is made once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.kernels.matrix_quadratics import NormalEquations
from greedyhull.kernels.products import product
from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.designs.tasks import Tasks
from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.losses.squared import Squared
from greedyhull.objectives.matrix_model import MatrixModel
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, MatrixQuadratic, Traits
from greedyhull.types.override import KeepsMatrixQuadratic, keeps, override

LARGEST = 1500  # rows of K at most
WRITTEN = 2**24  # entries of sparse data at most that are written out, where X has more columns than rows


class SquaredResponses(MatrixModel, KeepsMatrixQuadratic):
    """f(W) = ½ Σᵢ pᵢ‖xᵢW − yᵢ‖², for `multitask`.

    Certificates look at X itself. K is for those who seek a minimum, and what they find is looked at again.
    """

    design: Tasks

    if TYPE_CHECKING:
        keeps(MatrixQuadratic.traits)

    def __init__(self, design: Tasks, loss: Separable, name: str, exact: Squared, norm: float, depth: int) -> None:
        super().__init__(design, loss, name, exact, norm, depth)
        n, d = design.X.n, design.domain[0]
        small = min(n, d) <= LARGEST and (isinstance(design.X, DenseDesign) or d <= n or n * d <= WRITTEN)
        self.traits: Traits = replace(self.traits, written=small)
        self._at_zero: Array | None = None  # the gradient there
        self._normal: NormalEquations | None = None

    @override
    def gradient(self, w: Iterate) -> Array:
        """Xᵀr. At zero, where most runs begin, it is −B, which `equations` needs as well: whoever computes it keeps it."""
        view = self._known(w)
        if view.gradient is None and not view.z.any():
            w.work.gradients += 1
            w.work.products += 1.0
            view.gradient = self._gradient_at_zero()
        return super().gradient(w)

    def _gradient_at_zero(self) -> Array:
        if self._at_zero is None:
            self._at_zero = self.design.adjoint(self.loss.first_order(np.zeros(self.design.n, dtype=self.design.dtype))[1])
        return self._at_zero

    @override
    def equations(self) -> NormalEquations:
        """K and B; where X has more columns than rows, in a basis of the span of its rows."""
        if self._normal is None:
            self._normal = self._made()
        return self._normal

    def _made(self) -> NormalEquations:
        B = -np.asarray(self._gradient_at_zero(), dtype=np.float64)
        if self.design.domain[0] <= self.design.X.n:
            return NormalEquations(self._square, B)
        Z, times = self._weighted(np.float64)
        Q, R = np.linalg.qr((Z if isinstance(Z, np.ndarray) else Z.toarray()).T)
        return NormalEquations(lambda dtype: (times * (R @ R.T)).astype(dtype), Q.T @ B, Q)

    def _square(self, dtype: Any) -> Array:
        """XᵀPX."""
        Z, times = self._weighted(dtype)
        K = product(Z.T, Z)
        K = np.asarray(K if isinstance(K, np.ndarray) else K.toarray())
        return np.asarray(K * K.dtype.type(times))

    def _weighted(self, dtype: Any) -> tuple[Any, float]:
        """X with its rows times the roots of their weights, as an array or a CSR matrix; and what all of it is to be
        multiplied by, where these are all the same."""
        design, p = self.design.X, self.loss.p
        X: Any = design.X.astype(dtype, copy=False) if isinstance(design, DenseDesign) else design.by_row.astype(dtype)
        if isinstance(p, float):
            return X, p
        root = np.sqrt(p[:: self.design.c]).astype(dtype)[:, None]
        return X * root if isinstance(X, np.ndarray) else X.multiply(root).tocsr(), 1.0
