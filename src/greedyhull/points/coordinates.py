"""The view that is a point's own coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from greedyhull.errors import check
from greedyhull.points.direction import Direction
from greedyhull.points.owners import Owned, OwnedBlock
from greedyhull.points.shapes import BasisBlock
from greedyhull.points.states import numbers
from greedyhull.types import Array, Atom, State, View
from greedyhull.types.override import KeepsView, keeps, override

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate


class Ahead(NamedTuple):
    """Where a step would lead, and what was said there: a move to it takes that over."""

    move: Direction
    step: float
    x: Array
    value: float | None
    gradient: Array

    def leads(self, move: Direction, step: float) -> bool:
        """Whether it is about this step of this move."""
        return self.move is move and self.step == step


class Coordinates(KeepsView):
    """The view that is the point's own coordinates, for objectives that are given arrays.

    Every coordinate stays between the least and the largest of the atoms met so far, whatever rounding does: a function
    that is defined on the simplex only is never asked at −1e-17. With several owners, ``own`` holds the least and the largest
    of the parts of each, and a coordinate stays between their sums. ``ahead`` is what was last said along a line, and ``bend``
    the curvature that a search met there, for a direction of length one; NaN before the first.
    """

    __slots__ = ("ahead", "bend", "gradient", "high", "low", "name", "own", "value", "x")

    if TYPE_CHECKING:
        keeps(View.name)

    def __init__(self, name: str = "coordinates") -> None:
        self.name = name
        self.x: Array = np.zeros(0)
        self.low: Array = self.x
        self.high: Array = self.x
        self.own: Array | None = None  # the least, then the largest; an array for each owner
        self.bend = np.nan
        self.clear()

    def clear(self) -> None:
        self.ahead: Ahead | None = None
        self.value: float | None = None
        self.gradient: Array | None = None

    def direction(self, move: Direction) -> Array:
        """v as an array."""
        return move.image(self, self._direction)

    def _direction(self, move: Direction) -> Array:
        v = -move.drift * self.x
        move.add_to(v, 1.0)
        if isinstance(move.terms, BasisBlock) and self.own is None and self.x.ndim == 1:
            self._meet_units(move.terms)
            return v
        for i in range(len(move.terms)):
            self._meet(move.terms[i])
        return v

    def _meet_units(self, block: BasisBlock) -> None:
        """The same for multiples of unit vectors: each coordinate meets 0, but one that is that of all of them."""
        index, scale = block.index, block.scale
        if not len(index):
            return
        low, high = np.minimum(self.low, 0.0), np.maximum(self.high, 0.0)
        if (index == index[0]).all():
            low[index[0]], high[index[0]] = self.low[index[0]], self.high[index[0]]
        np.minimum.at(low, index, scale)
        np.maximum.at(high, index, scale)
        self.low, self.high = low, high

    def _meet(self, atom: Atom) -> None:
        d = np.zeros_like(self.x)
        atom.add_to(d, 1.0)
        if self.own is None or not isinstance(atom, Owned):
            self.low, self.high = np.minimum(self.low, d), np.maximum(self.high, d)
            return
        own, b = self.own.copy(), atom.owner
        own[0, b], own[1, b] = np.minimum(own[0, b], d), np.maximum(own[1, b], d)
        self.own, self.low, self.high = own, own[0].sum(axis=0), own[1].sum(axis=0)

    def after(self, move: Direction, step: float) -> Array:
        """Where a step leads."""
        self.direction(move)
        x = (1.0 - move.drift * step) * self.x  # a new array: a user may have kept the old one
        move.add_to(x, step)
        return np.clip(x, self.low, self.high)

    @override
    def moved(self, move: Direction, step: float) -> None:
        seen = self.ahead
        if seen is None or not seen.leads(move, step):
            self.x = self.after(move, step)
            self.clear()
            return
        self.x = seen.x
        self.clear()
        self.value, self.gradient = seen.value, seen.gradient

    @override
    def refresh(self, w: Iterate) -> None:
        x = w.array()
        if w.keeps_atoms:
            self.x, self.low, self.high, self.own = x, np.full_like(x, np.inf), np.full_like(x, -np.inf), None
            if isinstance(w.block, OwnedBlock):
                self.own = np.stack([np.full((w.block.count, *x.shape), bound) for bound in (np.inf, -np.inf)])
            for i in range(len(w)):
                self._meet(w.block[i])
        elif self.low.shape != x.shape:
            self.low = self.high = x
        self.x = np.clip(x, self.low, self.high)
        self.clear()

    @override
    def state(self) -> State:
        own = {} if self.own is None else {"own": self.own}
        return {"x": self.x, "low": self.low, "high": self.high, "bend": np.array(self.bend), **own}

    @override
    def restore(self, state: State) -> None:
        x = numbers(state, "x", (None,) * np.ndim(state["x"]))
        check(self.x.shape in ((0,), x.shape), lambda: f"x has shape {x.shape}; {self.x.shape} is wanted.")
        low, high, own = state["low"], state["high"], state.get("own")
        check(low.shape == high.shape == x.shape and (own is None or own.shape[2:] == x.shape), "low, high and own have other "
              "shapes than x.")
        self.x, self.low, self.high, self.own = x, low, high, own
        self.bend = float(state.get("bend", np.nan))
        self.clear()
