"""Directions in which a point can move: symbolic ones, and a few orthonormal ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.points.shapes import BasisBlock, DenseBlock
from greedyhull.types import Array, Atom, Block, Design, Index, View


class Direction:
    """v = Σ cᵢ dᵢ − drift·w, and how far it may be followed.

    Toward an atom: (+d, drift 1). Away from one: (−d, drift −1). Pairwise: (+d − d', drift 0). Many terms: a
    reweighting. Its image under a design is computed once and shared by the line search and the move.
    """

    __slots__ = ("_others", "base", "coefficients", "drift", "first", "max_step", "seen", "single", "terms")

    def __init__(self, terms: Block | tuple[Atom, ...], coefficients: Any, drift: float, max_step: float,
                 base: Array | None = None) -> None:
        self.terms, self.coefficients, self.drift, self.max_step = terms, coefficients, drift, max_step
        self.base: Any = base  # of a reweighting: the weights that its terms have now
        self.single: Any = None  # the atom d, where v is d − w or d alone
        self.first: View | None = None  # the view that asked first, which mostly is the only one
        self.seen: Any = None  # what it saw
        self._others: dict[View, Array] | None = None

    def linear(self, A: Design) -> Array:
        """A Σ cᵢ dᵢ, without the drift."""
        if not isinstance(self.terms, tuple):
            return self.terms.combine(A, self.coefficients)
        total = self.terms[0].image(A)
        if self.coefficients[0] != 1.0:
            total = self.coefficients[0] * total
        if len(self.terms) == 1:
            return total
        for atom, c in zip(self.terms[1:], self.coefficients[1:], strict=True):
            total = total + c * atom.image(A)
        return total

    def add_to(self, x: Array, c: float) -> None:
        """x ← x + c Σ cᵢ dᵢ, without the drift."""
        if not isinstance(self.terms, tuple):
            self.terms.add_to(x, c * self.coefficients)
            return
        for atom, coefficient in zip(self.terms, self.coefficients, strict=True):
            atom.add_to(x, c * coefficient)

    def image(self, view: View, make: Callable[[Direction], Array]) -> Array:
        """The image of v in ``view``, made on the first call."""
        if self.first is None:
            self.first, self.seen = view, make(self)
        if self.first is view:
            seen: Array = self.seen
            return seen
        if self._others is None:
            self._others = {}
        if view not in self._others:
            self._others[view] = make(self)
        return self._others[view]


def outside(step: float, v: Direction) -> str:
    """What is said of a step that leaves the hull."""
    return (f"A step of {step!r} was to be taken where steps from 0 to {v.max_step:g} stay in the hull. Look at the step "
            "rule: greedyhull.extend.check_step shows what is wrong with it.")


class Units:
    """The unit vectors at ``index``."""

    def __init__(self, d: int, index: Index) -> None:
        self.d, self.index = d, index

    def __len__(self) -> int:
        return len(self.index)

    @property
    def block(self) -> BasisBlock:
        return BasisBlock(self.d, self.index, np.ones(len(self.index)))

    def read(self, x: Array) -> Array:
        return np.asarray(x[self.index])

    def write(self, x: Array, y: Array) -> None:
        x[self.index] = y


class Span:
    """The directions that are the rows of a matrix."""

    def __init__(self, rows: Array) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def block(self) -> DenseBlock:
        return DenseBlock(self.rows.copy(), self.rows.shape[1:])

    def read(self, x: Array) -> Array:
        return np.asarray(self.rows.dot(x))

    def write(self, x: Array, y: Array) -> None:
        x += (y - self.rows.dot(x)).dot(self.rows)

    def beside(self, v: Array) -> Span:
        """This span and the direction of v, if v lies outside by more than rounding."""
        largest = float(np.abs(v).max(initial=0.0))
        if not 0.0 < largest < np.inf:
            return self
        rest = v / largest
        norm = float(np.linalg.norm(rest))
        for _ in range(2):  # twice is enough for orthogonality to rounding
            rest = rest / norm
            rest = rest - self.rows.dot(rest).dot(self.rows)
            left = float(np.linalg.norm(rest))
            if left <= 1e-8:  # a vector of which a smaller share lies outside a span adds no direction to it
                return self
            norm = left
        return Span(np.concatenate([self.rows, rest[None, :] / norm]))
