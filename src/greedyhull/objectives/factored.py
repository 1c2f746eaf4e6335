"""Quadratics ½wᵀ(FᵀF + diag(D))w − bᵀw by their factors: risk models, sample covariances."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.arguments import numbers
from greedyhull.errors import check
from greedyhull.errors.given import shown
from greedyhull.objectives.designs import design as make_design
from greedyhull.objectives.designs.factored import FactoredColumns, FactoredDesign
from greedyhull.objectives.quadratic import LEAST, QuadraticForm
from greedyhull.points.arrays import dense
from greedyhull.points.columns import energies
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.types import Array, AtomSet, Block, Design
from greedyhull.types.override import override


class FactoredForm(QuadraticForm):
    """f(w) = ½‖Fw‖² + ½Σ Dⱼwⱼ² − bᵀw: convex by its form, whatever its size, and never a d×d matrix.

    A gradient costs two passes over F, the Hessian on m coordinates m²k steps.
    """

    design: FactoredDesign

    def __init__(self, F: Any, D: Any, b: Any, scale: float | None = None) -> None:
        check(np.ndim(F) != 1, lambda: f"factors has shape {np.shape(F)}; a matrix with one row for each factor is wanted. "
                                       "Use F.reshape(1, -1) for a single factor.")
        made: Design = make_design(F, "factors").precise()
        check(len(made.domain) == 1, lambda: f"factors maps points of shape {made.domain}; a matrix with one column for each "
                                             "coordinate is wanted.")
        super().__init__(FactoredDesign(made, _diagonal(D, made.domain[0])), b, scale)

    def __repr__(self) -> str:
        return f"quadratic(d={self.domain[0]}, factors={self.design.F.n})"

    @override
    def _check_symmetric(self) -> None:
        """Q is symmetric and positive semidefinite by its form; its computed products are bounded by ‖F‖² + max D."""
        F, D = self.design.F, self.design.D
        norm = F.frobenius
        self._factor = float(np.sqrt(self.design.diagonal().sum())) if norm is None else float(norm)
        self._norm, self.concavity = self._factor**2 + float(D.max()), 0.0
        self._inner = F.n + 2  # numbers that a product sums besides those of w
        self._ratio: float | None = None

    @override
    def _closer(self) -> float:
        """An entry of |F|ᵀ|F||w| is at most the length of its column of F times ‖F‖ times ‖w‖: the longest column counts."""
        if self._ratio is None:
            D = float(self.design.D.max())
            longest = float(np.sqrt(energies(self.design.F, 1.0).max()))
            self._ratio = min((longest * self._factor * (1.0 + 1e-9) + D) / self._norm, 1.0) if self._norm > 0.0 else 1.0
        return self._ratio

    @override
    def start(self, S: AtomSet, rng: np.random.Generator) -> Iterate:
        """The best atom for the linear part alone, over sets that are solved by their coordinates."""
        if S.traits.region is None or S.traits.owners != 1 or not self.b.any():
            return super().start(S, rng)
        return Iterate.at(S.atom(-self.b), S.shape)

    @override
    def hessian_gram(self, w: Iterate, rows: Block, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        images = Z if Z2 is None else Z2
        if isinstance(rows, BasisBlock) and isinstance(images, FactoredColumns):
            index = rows.index if Z2 is None else images.index
            return np.asarray(self.design.block(rows.index, index) * (rows.scale[:, None] * images.scales))
        return rows.dots(dense(images)).reshape(len(rows), -1)

    @override
    def hessian_diagonal(self, w: Iterate, block: Block) -> Array:
        if not isinstance(block, BasisBlock):
            return super().hessian_diagonal(w, block)
        return np.asarray(self.design.diagonal()[block.index] * block.scale**2)

    @override
    def rounding(self, w: Iterate, S: AtomSet) -> float:
        """Beside what a quadratic has: products that vanish in Fw are multiplied by F again."""
        return super().rounding(w, S) + LEAST * (self.domain[0] + self._inner) * self._factor * self._inner * (
            1.0 + self._reach(S))

    def _reach(self, S: AtomSet) -> float:
        assert self._sizes is not None  # measured where the rest was computed
        return self._sizes[2]


def _diagonal(given: Any, d: int) -> Array:
    """D as a vector of d numbers of at least 0."""
    D = numbers(0.0 if given is None else given, "Q")
    check(D.shape in ((), (d,)), lambda: f"Q has shape {D.shape} beside factors with {d} columns; None, or the {d} numbers of "
                                         "a diagonal, are wanted. Give a whole Q without factors=.")
    check(bool((D >= 0.0).all()), lambda: f"Q = {shown(given)}, the diagonal beside factors, has the entry {D.min():g}; "
                                          "numbers of at least 0 are wanted.")
    return np.broadcast_to(D, (d,)).astype(np.float64)
