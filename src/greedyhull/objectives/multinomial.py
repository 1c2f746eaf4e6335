"""Cross-entropy of several classes as an objective, with or without an intercept for each class."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from greedyhull.kernels.matrix_models import LocalModel
from greedyhull.kernels.softmax_hessian import whole_and_intercepts, whole_hessian
from greedyhull.objectives.composite import EPS, Composite
from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.designs.tasks import Tasks
from greedyhull.objectives.losses.softmax import Softmax
from greedyhull.objectives.losses.softmax_intercepts import SoftmaxWithIntercepts
from greedyhull.objectives.matrix_model import MatrixModel
from greedyhull.objectives.softmax_small import SoftmaxSmall, without_intercepts
from greedyhull.points.iterate import Iterate
from greedyhull.theory import Constant
from greedyhull.types import Array, Atom, AtomSet, Block, ModelledMatrix
from greedyhull.types.override import KeepsModelledMatrix, keeps, override

ENTRIES, WRITTEN = 1000, 2**22  # of a matrix at most for which whole Hessians are made, and of the data
TINY = 1e-290  # what underflow may have taken from a sum


class Multinomial(MatrixModel, KeepsModelledMatrix):
    """φ(XW) for the loss `Softmax`, whose Hessian has a block a row: solvers see it on a few atoms, or by its products."""

    if TYPE_CHECKING:
        keeps(ModelledMatrix.traits)

    def __init__(self, tasks: Tasks, loss: Softmax, exact: Softmax) -> None:
        super().__init__(tasks, loss, "multinomial", exact, tasks.X.frobenius, tasks.domain[0])
        self.tasks, self.softmax, self._softmax = tasks, loss, exact
        self._profiled = loss if isinstance(loss, SoftmaxWithIntercepts) else None
        self.traits = replace(self.traits, second_order=True, linear_model=False, images=False,
                              intercept=self.intercepts_fitted, modelled=self._small())
        self._columns: dict[Any, Array] = {}

    def _small(self) -> bool:
        """Whether the whole Hessian may be made."""
        d, c = self.domain
        return d * c <= ENTRIES and d * self.tasks.X.n <= WRITTEN

    @property
    def intercepts_fitted(self) -> bool:
        """Whether each class has an intercept."""
        return self._profiled is not None

    def __repr__(self) -> str:
        intercept = ", intercept=True" if self.intercepts_fitted else ""
        return f"multinomial(n={self.tasks.X.n}, shape={self.domain}{intercept})"

    @override
    def intercept(self, w: Iterate) -> Array:  # type: ignore[override]  # one for each class
        """The intercepts that belong to w, zeros where the objective has none."""
        return np.zeros(self.tasks.c) if self._profiled is None else self._profiled.intercepts(self.at(w).z)

    def probabilities(self, w: Iterate) -> Array:
        """The probability of each class for every row of the data."""
        return np.asarray(self.curvatures(w).reshape(-1, self.tasks.c), dtype=np.float64)

    @override
    def restricted(self, block: Block) -> SoftmaxSmall:  # type: ignore[override]  # its `Small` has blocks
        return SoftmaxSmall(self, block)

    @override
    def hessian_product(self, w: Iterate, u: Array, atom: Atom | None = None) -> Array:
        """∇²f(w)u for a matrix u."""
        w.work.products += 2.0
        return self.tasks.adjoint(self.softmax.product(self.at(w).z, self.tasks.matvec(u)))

    @override
    def model(self, w: Iterate) -> LocalModel:
        """The Hessian at w, whole."""
        s, p = self.probabilities(w), self.softmax.p

        def make(dtype: Any) -> Array:
            X = self._by_column(dtype)
            H = whole_hessian(X, s, p)
            if not self.intercepts_fitted:
                return H
            C, weighted = whole_and_intercepts(X, s, p), self.softmax.by_row(s)
            return np.asarray(H - C.T @ without_intercepts(np.diag(weighted.sum(axis=0)) - s.T @ weighted, C))

        return LocalModel(make)

    def _by_column(self, dtype: Any) -> Array:
        """Xᵀ written out."""
        if dtype not in self._columns:
            X = self.tasks.X
            written: Any = X.X if isinstance(X, DenseDesign) else X.by_row.toarray()
            self._columns[dtype] = np.ascontiguousarray(written.T, dtype=dtype)
        return self._columns[dtype]

    @override
    def curvature(self, S: AtomSet) -> Constant:
        """½ max pᵢ ‖X‖_F² D² at most, D the diameter."""
        return Constant(0.5 * self._softmax.heaviest() * self.tasks.X.frobenius**2 * S.diameter**2, "upper bound", "M")

    @override
    def rounding(self, w: Iterate, S: AtomSet, eps: float = EPS) -> float:
        """That of the model; with intercepts, also what is left of the condition that the residual of each class sums to zero.

        Let L(r) = −φ*(r) + min_S ⟨Aᵀr, ·⟩, which is concave, and mₖ − πₖ the sums of the residual r. With t ≥ (mₖ − πₖ)/mₖ for
        all k there are probabilities q for which (1 − t)r + tρ, ρᵢ = pᵢ(q − yᵢ), sums to zero, and so L there is a lower
        bound: at least (1 − t)L(r) + tL(ρ) ≥ L(r) − t(φ(z) + √2‖p‖₂·reach). L(r) was computed without Σ(mₖ − πₖ)bₖ. Every
        entry of r is right to a few units in its last place, so that its sums are to a few units of Σᵢ|rᵢₖ|.
        """
        usual = super().rounding(w, S, eps)
        if self._profiled is None:
            return usual
        view, loss, reach = self._known(w), self._profiled, self.image_bound(S)
        value, residual = view.value, view.residual
        assert value is not None and residual is not None
        b, shares, n = np.abs(loss.intercepts(view.z)), loss.shares(), self.tasks.X.n
        off = np.abs(loss.missed(residual)) + (n + len(b) + 24) * eps * loss.missed(np.abs(residual)) + TINY
        t = min(1.0, float((off / np.maximum(shares, off)).max()))
        p = loss.p * n**0.5 if isinstance(loss.p, float) else float(np.linalg.norm(loss.p))
        left = t * (abs(value) + 1.5 * p * reach) + float(off.dot(b))
        far = 16 * eps * float(b.max()) * self.design.n**0.5  # z + b is rounded
        return float(usual + left + loss.norm(value, residual) * far + loss.swing(abs(value), view.z, far))

    @override
    def _in_double(self) -> Composite:
        return Multinomial(self.tasks.precise(), self._softmax, self._softmax)


def multinomial_model(tasks: Tasks, hot: Array, p: Array | float, intercept: bool) -> Multinomial:
    """The objective for a matrix that is 1 at the class of each row, else 0."""
    kind = SoftmaxWithIntercepts if intercept else Softmax
    exact = kind(hot.ravel(), p, tasks.c)
    return Multinomial(tasks, cast(Softmax, exact.cast(tasks.dtype)), exact)
