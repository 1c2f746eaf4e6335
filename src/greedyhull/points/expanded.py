"""The view of objectives that answer at coordinates: where the point is, and the last that was said there."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from greedyhull.points.blocks import block_from, block_state
from greedyhull.points.direction import Direction
from greedyhull.points.states import under
from greedyhull.types import Array, Block, State, View
from greedyhull.types.override import KeepsView, keeps, override

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate

NOTHING = np.zeros(0)
NO_MORE: Mapping[str, float] = MappingProxyType({})


class Along(NamedTuple):
    """Further points at which f is wanted: x + step·v for each of ``steps``."""

    v: Array
    steps: Array


class Expansion(NamedTuple):
    """What an objective says at x, in one answer.

    ``hessian`` is that on the atoms of ``block``, from one row in ``sample``. ``line`` has a row h, h', h'' for each further
    point that was asked for. ``dot`` is ⟨∇f(x), x⟩. ``more`` holds what else the objective knows there, by name; ``near`` is
    what it wants to know of x when it is asked at the next point. ``rough`` is what a second look at x would take from its
    gap: where an intercept is not the best one.
    """

    value: float
    gradient: Array
    dot: float
    more: Mapping[str, float] = NO_MORE
    hessian: Array | None = None
    block: Block | None = None
    line: Array | None = None
    near: Array = NOTHING
    rough: float = 0.0
    sample: int = 1


class Ahead(NamedTuple):
    """Where a step would lead, and what was said there."""

    move: Direction
    step: float
    x: Array
    fresh: bool
    known: Expansion
    near: Array


class Expanded(KeepsView):
    """The coordinates x of a point, the last expansion there, and that of the point tried last, which a move takes over.

    ``moves`` counts how often x was updated since it was computed from the atoms. ``near`` is what the objective wants to know
    of the last point when it is asked at the next: an intercept, say; ``here`` tells that this last point was x itself, and
    ``stayed`` that somebody has asked for a second look there.
    """

    __slots__ = ("ahead", "here", "kept", "known", "moves", "name", "near", "stayed", "x")

    if TYPE_CHECKING:
        keeps(View.name)

    def __init__(self, name: str = "expanded") -> None:
        self.name, self.moves = name, 0
        self.x: Array = NOTHING
        self.near: Array = NOTHING
        self.here = False
        self.clear()

    def clear(self) -> None:
        self.stayed = False
        self.known: Expansion | None = None
        self.ahead: Ahead | None = None
        self.kept: tuple[Array, Block, int] | None = None  # of a saved run: the Hessian at x, on which atoms, from which rows

    def direction(self, move: Direction) -> Array:
        """v as an array, computed once for each direction."""
        return move.image(self, self._direction)

    def _direction(self, move: Direction) -> Array:
        v = -move.drift * self.x if move.drift else np.zeros_like(self.x)
        move.add_to(v, 1.0)
        return v

    def after(self, move: Direction, step: float) -> Array:
        """x after a step; where the whole of a reweighting is taken, from the atoms themselves."""
        if move.base is not None and step == 1.0:
            x = np.zeros_like(self.x)
            move.terms.add_to(x, np.maximum(move.base + move.coefficients, 0.0))  # type: ignore[union-attr]
            return x
        return self.x + step * self.direction(move)

    @override
    def moved(self, move: Direction, step: float) -> None:
        seen = self.ahead
        if seen is not None and seen.move is move and seen.step == step:
            self.x, self.known, self.near, self.ahead = seen.x, seen.known, seen.near, None
            self.moves, self.here, self.stayed = 0 if seen.fresh else self.moves + 1, True, False
            return
        whole = move.base is not None and step == 1.0
        self.x, self.moves, self.here = self.after(move, step), 0 if whole else self.moves + 1, False
        self.clear()

    @override
    def refresh(self, w: Iterate) -> None:
        x = w.array()
        self.moves = 0
        rough = self.known is not None and self.known.rough > 0.0
        if rough or not np.array_equal(x, self.x):  # else all that was said still holds
            self.x, self.here = x, False
            self.clear()

    @override
    def state(self) -> State:
        hessian = {}
        if self.known is not None and self.known.hessian is not None and self.known.block is not None:
            block = {f"block.{name}": array for name, array in block_state(self.known.block).items()}
            hessian = {"hessian": self.known.hessian, "sample": np.array(self.known.sample), **block}
        return {"x": self.x, "moves": np.array(self.moves), "near": self.near, "here": np.array(self.here),
                "stayed": np.array(self.stayed), **hessian}

    @override
    def restore(self, state: State) -> None:
        self.x, self.moves, self.near = state["x"], int(state["moves"]), state["near"]
        self.here = bool(state["here"])
        self.clear()
        self.stayed = bool(state.get("stayed", False))
        if "hessian" in state:
            self.kept = (state["hessian"], block_from(under("block", state)), int(state.get("sample", 1)))
