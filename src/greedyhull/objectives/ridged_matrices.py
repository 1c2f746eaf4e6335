"""Objectives of matrices with a ridge, f(W) + (l2/2)‖W‖_F²: `multinomial` and `multitask` with ``l2=``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from greedyhull.kernels.matrix_models import LocalModel
from greedyhull.kernels.matrix_quadratics import NormalEquations
from greedyhull.objectives.multinomial import Multinomial
from greedyhull.objectives.ridge import Ridge
from greedyhull.objectives.ridged import Ridged
from greedyhull.objectives.squared_responses import SquaredResponses
from greedyhull.points.iterate import Iterate
from greedyhull.theory import Constant
from greedyhull.types import Array, Atom, AtomSet, MatrixQuadratic, ModelledMatrix
from greedyhull.types.override import KeepsMatrixQuadratic, KeepsModelledMatrix, keeps, override


class RidgedMultinomial(Ridged, KeepsModelledMatrix):
    """A `Multinomial` with a ridge."""

    if TYPE_CHECKING:
        keeps(ModelledMatrix.traits)

    def __init__(self, bare: Multinomial, l2: float, ridge: Ridge | None = None) -> None:
        super().__init__(bare, l2, ridge)
        self._classes = bare
        self.traits = bare.traits

    def __repr__(self) -> str:
        return f"{repr(self._classes)[:-1]}, l2={self.l2!r})"

    @property
    def intercepts_fitted(self) -> bool:
        """Whether each class has an intercept."""
        return self._classes.intercepts_fitted

    @override
    def intercept(self, w: Iterate) -> Array:  # type: ignore[override]  # one for each class
        """The intercepts that belong to w, zeros where the objective has none."""
        return self._classes.intercept(w)

    def probabilities(self, w: Iterate) -> Array:
        """The probability of each class for every row of the data."""
        return self._classes.probabilities(w)

    @override
    def hessian_product(self, w: Iterate, u: Array, atom: Atom | None = None) -> Array:
        """∇²f(w)u for a matrix u."""
        return self._classes.hessian_product(w, u) + self.l2 * u

    @override
    def model(self, w: Iterate) -> LocalModel:
        """The Hessian at w, whole."""
        bare, l2 = self._classes.model(w), self.l2
        return LocalModel(lambda dtype: _raised(bare.hessian(dtype), l2))

    @override
    def curvature(self, S: AtomSet) -> Constant:
        """That of the loss and l2·D², D the diameter."""
        return Constant(float(self._classes.curvature(S)) + self.l2 * S.diameter**2, "upper bound", "M")

    @override
    def _in_double(self) -> RidgedMultinomial:
        return RidgedMultinomial(cast(Multinomial, self._classes.precise()), self.l2, self.ridge)


class RidgedResponses(Ridged, KeepsMatrixQuadratic):
    """`SquaredResponses` with a ridge: the same small Hessian XᵀPX + l2·I for each column."""

    if TYPE_CHECKING:
        keeps(MatrixQuadratic.traits)

    def __init__(self, bare: SquaredResponses, l2: float, ridge: Ridge | None = None) -> None:
        super().__init__(bare, l2, ridge)
        self._responses, self._normal = bare, cast(NormalEquations | None, None)
        self.traits = replace(self.traits, written=bare.traits.written)

    def __repr__(self) -> str:
        return f"{repr(self._responses)[:-1]}, l2={self.l2!r})"

    @override
    def equations(self) -> NormalEquations:
        """K + l2·I and B. Where X has more columns than rows, the ridge takes nothing from what is outside the span of its
        rows either: the optimum is inside."""
        if self._normal is None:
            bare = self._responses.equations()
            self._normal = NormalEquations(lambda dtype: _raised((bare.single if dtype == np.float32 else bare).K, self.l2),
                                           bare.B, bare.basis)
        return self._normal


def _raised(H: Array, l2: float) -> Array:
    raised = H.copy()
    raised[np.diag_indices_from(raised)] += raised.dtype.type(l2)
    return raised
