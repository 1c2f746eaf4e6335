"""Squares of single entries of a matrix: where many of them are observed, they may be written out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.kernels.matrix_quadratics import EntryEquations
from greedyhull.objectives.designs.observed import Observed
from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.losses.squared import Squared
from greedyhull.objectives.matrix_model import MatrixModel
from greedyhull.types import Array, MatrixQuadratic, Traits
from greedyhull.types.override import KeepsMatrixQuadratic, KeepsSingled, keeps, override

SMALLEST, LARGEST = 1e-12, 1e12  # values whose squares are numbers in float32
WRITTEN = 4  # times as many entries as are observed may be written out


class SquaredEntries(MatrixModel, KeepsMatrixQuadratic, KeepsSingled):
    """f(W) = ½ Σ p_ij (W_ij − v_ij)² over the observed entries, for `completion`."""

    design: Observed

    if TYPE_CHECKING:
        keeps(MatrixQuadratic.traits)

    def __init__(self, design: Observed, loss: Separable, name: str, exact: Squared, note: str) -> None:
        super().__init__(design, loss, name, exact, 1.0, 0, note)
        full = WRITTEN * design.n >= design.domain[0] * design.domain[1]
        largest = float(np.abs(exact.y).max())
        single = design.dtype == np.float64 and SMALLEST < largest < LARGEST
        self.traits: Traits = replace(self.traits, written=full, single=single)
        self._squared = exact
        self._single: MatrixModel | None = None

    @override
    def equations(self) -> EntryEquations:
        """Weights and weighted values of all entries, zero where nothing is observed. They are made anew for each call."""
        return EntryEquations(self._written_out)

    @override
    def single(self) -> MatrixModel:
        """f in float32, on the same places."""
        if self._single is None:
            self._single = MatrixModel(self.design.single(), self._squared.cast(np.float32), self.name, self.exact, 1.0, 0)
        return self._single

    def _written_out(self, dtype: Any) -> tuple[Array, Array]:
        places, size = self.design.i * self.domain[1] + self.design.j, self.domain[0] * self.domain[1]
        weights, values = np.zeros(size, dtype), np.zeros(size, dtype)
        weights[places] = self.exact.p
        values[places] = self.exact.p * self.exact.y
        return weights.reshape(self.domain), values.reshape(self.domain)
