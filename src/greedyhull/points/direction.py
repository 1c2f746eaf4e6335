"""Directions in which a point of the hull can move, symbolic as the point is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from greedyhull.types import Array, Atom, Block, Design, View


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
