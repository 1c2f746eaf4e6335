"""A loss of a linear model with a ridge: f(w) = φ(Aw) + (l2/2)‖w‖²."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.objectives.batch import Batch
from greedyhull.objectives.composite import EPS, Composite
from greedyhull.objectives.line import Curve, Parabola
from greedyhull.objectives.losses.kinks import KinkedLine, kinked_search
from greedyhull.objectives.ridge import Ridge
from greedyhull.objectives.ridged_small import RidgedSmall
from greedyhull.points.direction import Direction
from greedyhull.points.gradients import as_array
from greedyhull.points.image import Image
from greedyhull.points.iterate import Iterate
from greedyhull.points.products import inner_products, squares
from greedyhull.points.shapes import dense
from greedyhull.types import Array, Atom, AtomSet, Block, Index, Line, Objective
from greedyhull.types.override import override

F = TypeVar("F", bound=Objective)
SUMMED = 1.125  # the sum of two parts is rounded too: by less than an eighth of what their allowances are


class Ridged(Composite):
    """f(w) = φ(Aw) + (l2/2)‖w‖²: the sum of a `Composite` without a ridge, ``bare``, and a `Ridge`, each with its own view.

    ``design``, ``loss``, ``residual`` and ``curvatures`` are those of φ∘A. An intercept is not part of w.
    """

    def __init__(self, bare: Composite, l2: float, ridge: Ridge | None = None) -> None:
        super().__init__(bare.design, bare.loss, bare.name, bare.exact)
        self.l2 = l2
        self._bare = bare  # with an underscore, for it is made of what has a name already: digests read that once
        self._ridge = Ridge(l2, bare.domain) if ridge is None else ridge

    @property
    def bare(self) -> Composite:
        """φ∘A alone."""
        return self._bare

    @property
    def ridge(self) -> Ridge:
        """(l2/2)‖·‖² alone."""
        return self._ridge

    # --- at a point -----------------------------------------------------------------------------------------------

    @override
    def at(self, w: Iterate) -> Image:
        """The view Aw; that of w itself is there, too."""
        view = self._bare.at(w)
        self._ridge.at(w)
        return view

    @override
    def value(self, w: Iterate) -> float:
        return self._bare.value(w) + self._ridge.value(w)

    @override
    def gradient(self, w: Iterate) -> Array:
        """∇φ∘A + l2·w, computed once for each point."""
        g = self._bare.gradient(w)
        view = self._ridge.at(w)
        if view.total is None or view.total[0] is not g:
            view.total = (g, as_array(g, self.domain) + self._ridge.gradient(w))
        return view.total[1]

    @override
    def gradient_dot(self, w: Iterate) -> float:
        """⟨r, z⟩ + l2‖w‖²."""
        return self._bare.gradient_dot(w) + self._ridge.gradient_dot(w)

    @override
    def along(self, w: Iterate, move: Direction) -> Line:
        line, ridge = self._bare.along(w, move), self._ridge.along(w, move)
        if self.quadratic:
            return Parabola(self.value(w), line.slope + ridge.slope, line.bend + ridge.bend, move.max_step)

        def value(step: float) -> float:
            return line.value(step) + ridge.value(step)

        def derivative(step: float) -> float:
            return line.derivative(step) + ridge.derivative(step)

        if not self.smooth:
            return KinkedLine(value, derivative, lambda: kinked_search(value, derivative, move.max_step), move.max_step)
        both = line.derivatives if isinstance(line, Curve) else lambda step: (line.derivative(step), np.nan)

        def derivatives(step: float) -> tuple[float, float]:
            first, second = both(step)
            return first + ridge.derivative(step), second + ridge.bend

        return Curve(value, derivatives, line.slope + ridge.slope, move.max_step, limit=line.limit,
                     bends=lambda: line.bend + ridge.bend)

    @override
    def smoothed(self, mu: float) -> Ridged:
        """f_μ, where f has kinks; the ridge stays as it is."""
        return Ridged(self._bare.smoothed(mu), self.l2, self._ridge)

    # --- on a few terms, on a few atoms ---------------------------------------------------------------------------

    @override
    def batch(self, index: Index) -> Batch:
        """Some of the terms; each of them has the whole ridge, so that the mean over all batches is f."""
        batch = self._bare.batch(index)
        batch.l2 = self.l2
        return batch

    @override
    def restricted(self, block: Block) -> RidgedSmall:  # type: ignore[override]
        """f on the hull of a few atoms, as a function of their weights."""
        return RidgedSmall(self, self._bare.restricted(block), self._ridge)

    @override
    def hessian(self, w: Iterate, rows: Block, cols: Block | None = None) -> Array:
        """⟨aᵢ, ∇²f(w) bⱼ⟩ for atoms aᵢ in ``rows`` and bⱼ in ``cols``."""
        products = inner_products(rows, rows if cols is None else cols, self.domain)
        return self._bare.hessian(w, rows, cols) + self.l2 * products

    @override
    def hessian_gram(self, w: Iterate, rows: Block, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        """⟨aᵢ, ∇²f(w) aⱼ⟩ for the atoms ``rows`` with images Z; images alone do not tell inner products with other atoms."""
        check(Z2 is None, f"The Hessian of {self!r} between atoms was asked for by their images, which do not tell the inner "
                          "products that its ridge needs. Use hessian(w, rows, cols).")
        return self._bare.hessian_gram(w, rows, Z, None, weights) + self.l2 * inner_products(rows, rows, self.domain)

    @override
    def hessian_product(self, w: Iterate, u: Array, atom: Atom | None = None) -> Array:
        v = self._ridge.at(w).z.reshape(self.domain) if atom is None else dense(atom, self.domain)
        return as_array(self._bare.hessian_product(w, u), self.domain) + self.l2 * v

    @override
    def hessian_diagonal(self, w: Iterate, block: Block) -> Array:
        return self._bare.hessian_diagonal(w, block) + self.l2 * squares(block, self.domain)

    # --- promises -------------------------------------------------------------------------------------------------

    @override
    def rounding(self, w: Iterate, S: AtomSet, eps: float = EPS) -> float:
        """The allowances of both parts, and what is rounded where they are added."""
        return SUMMED * (self._bare.rounding(w, S, eps) + self._ridge.rounding(w, S, eps))

    @override
    def moves(self, w: Iterate) -> int:
        return max(self.at(w).moves, self._ridge.at(w).moves)

    @override
    def fresh(self, w: Iterate) -> bool:
        return self.moves(w) == 0

    @override
    def _in_double(self) -> Ridged:
        """The ridge is in float64 always."""
        return Ridged(self._bare.precise(), self.l2, self._ridge)


def with_ridge(f: Composite, l2: object) -> Composite:
    """f + (l2/2)‖·‖²; f itself where l2 is zero, so that what is not asked for costs nothing.

    >>> import greedyhull as gh
    >>> gh.least_squares(np.eye(2), np.ones(2), l2=0.5)
    least_squares(n=2, d=2, l2=0.5)
    """
    if type(l2) is float and l2 == 0.0:  # as in most calls
        return f
    factor = checked_ridge(l2)
    return f if factor == 0.0 else Ridged(f, factor)


def checked_ridge(l2: object) -> float:
    """The factor of a ridge: a finite number of at least 0."""
    try:
        array = np.asarray(l2)
    except ValueError:  # a ragged list
        array = np.asarray(None)
    good = array.ndim == 0 and array.dtype.kind in "iuf" and not np.ma.is_masked(l2) and 0.0 <= float(array) < np.inf
    if not good:
        raise GreedyhullError(f"l2 = {l2!r} was given; a finite number of at least 0 is wanted, the factor in (l2/2)‖w‖².")
    return float(array)


def without_ridge(f: F) -> F:
    """φ∘A of f = φ∘A + (l2/2)‖·‖², under which points keep their images; any other f itself."""
    return cast(F, f.bare) if isinstance(f, Ridged) else f
