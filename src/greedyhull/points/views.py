"""Views that follow a moving point: its image under a design, its coordinates, its expansion."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.points.blocks import block_from, block_state, count, numbers, under
from greedyhull.points.direction import Direction
from greedyhull.points.iterate import Iterate, View
from greedyhull.points.owners import Owned, OwnedBlock
from greedyhull.points.shapes import BasisBlock
from greedyhull.types import Array, Atom, Block, Design, Loss, State


def no_point(f: object, w: object, error: AttributeError) -> Exception:
    """The error to raise: in words if w is not a point; else the one that there was."""
    if isinstance(w, Iterate):
        return error
    return GreedyhullError(f"{f!r} was asked at {shown(w)}; a point of a hull, such as solution.point, is wanted. For an "
                           "array x in a set S use certify(f, S, x), which has the value and the gap.")


PRECISE_IMAGE = "image in double"  # that of float32 data: a point may keep both
NOTHING = np.zeros(0)  # the image of a point that was not looked at yet


class Foreseen(NamedTuple):
    """Where a step would lead, and what was computed there, if anything: a move to it takes that over."""

    move: Direction
    step: float
    x: Array
    found: Any = None

    def of(self, move: Direction, step: float) -> bool:
        """Whether it is this step that was foreseen."""
        return self.move is move and self.step == step


class Image(View):
    """z = Aw, updated by every move; ``moves`` counts the updates since z was last computed from the atoms."""

    __slots__ = ("A", "_ahead", "curvature", "gradient", "moves", "name", "residual", "value", "z")

    def __init__(self, A: Design, name: str = "image") -> None:
        self.A, self.name, self.moves = A, name, 0
        self.z: Array = NOTHING
        self.clear()

    def clear(self) -> None:
        self.value: float | None = None
        self.residual: Array | None = None
        self.curvature: Array | None = None
        self.gradient: Array | None = None
        self._ahead: Foreseen | None = None

    @property
    def beneath(self) -> Image | None:
        """The view that keeps z, where this one does not."""
        return None

    def know(self, z: Array, value: float, residual: Array, gradient: Array) -> None:
        """Take what somebody has computed from the atoms."""
        self.clear()
        self.z, self.value, self.residual, self.gradient, self.moves = z, value, residual, gradient, 0

    def direction(self, move: Direction) -> Array:
        """Av for a direction v, computed once for each."""
        if move.first is None:
            move.first, move.seen = self, self._direction(move)
        if move.first is self:
            known: Array = move.seen
            return known
        return move.image(self, self._direction)

    def _direction(self, move: Direction) -> Array:
        linear = move.single.image(self.A) if move.single is not None else move.linear(self.A)
        if move.drift == 0.0:
            return linear
        return linear - self.z if move.drift == 1.0 else linear - move.drift * self.z

    def lead(self, move: Direction, z: Array) -> None:
        """Tell that the whole of ``move`` leads to the image ``z``, which was computed from the atoms."""
        self._ahead = Foreseen(move, 1.0, z)
        move.image(self, lambda _: z - self.z)

    def expect(self, move: Direction, step: float, z: Array) -> None:
        """Tell that ``step`` of the move, should it be made, leads to the image ``z``."""
        self._ahead = Foreseen(move, step, z)

    def ahead(self, move: Direction, step: float, loss: Loss) -> float:
        """φ where ``step`` of the move leads; should it be made, value, residual and curvature are known already."""
        seen = self._ahead
        z = seen.x if seen is not None and seen.of(move, step) else self.z + step * self.direction(move)
        found = loss.value_gradient_curvature(z)
        self._ahead = Foreseen(move, step, z, found)
        return float(found[0])

    def moved(self, move: Direction, step: float) -> None:
        seen = self._ahead
        if seen is not None and seen.of(move, step):
            self.clear()
            self.z, self.moves = seen.x, 0 if step == 1.0 else self.moves + 1
            if seen.found is not None:
                self.value, self.residual, self.curvature = seen.found
            return
        self.z = self.z + step * self.direction(move)
        self.moves += 1
        self.clear()

    def refresh(self, w: Iterate) -> None:
        self.z = w.block.combine(self.A, w.weights) if w.keeps_atoms else self.A.matvec(w.array())
        w.work.products += 1.0
        self.moves = 0
        self.clear()

    def state(self) -> State:
        return {"z": self.z, "moves": np.array(self.moves)}

    def restore(self, state: State) -> None:
        self.z, self.moves = state["z"], count(state, "moves")
        self.clear()


class Coordinates(View):
    """The view that is the point's own coordinates, for objectives of arrays.

    Every coordinate stays between the least and the largest of the atoms met so far, whatever rounding does: a function
    that is defined on the simplex only is never evaluated at −1e-17. With several owners, ``own`` holds the least and the
    largest of the parts of each, and a coordinate stays between their sums. ``ahead`` is the last evaluation along a line
    (value, gradient), and ``bend`` the curvature that a search met there, for a direction of length one; NaN before the first.
    """

    __slots__ = ("ahead", "bend", "gradient", "high", "low", "name", "own", "value", "x")

    def __init__(self, name: str = "coordinates") -> None:
        self.name = name
        self.x: Array = np.zeros(0)
        self.low: Array = self.x
        self.high: Array = self.x
        self.own: Array | None = None  # the least, then the largest; an array for each owner
        self.bend = np.nan
        self.clear()

    def clear(self) -> None:
        self.ahead: Foreseen | None = None
        self.value: float | None = None
        self.gradient: Array | None = None

    def _direction(self, move: Direction) -> Array:
        v = -move.drift * self.x
        move.add_to(v, 1.0)
        if isinstance(move.terms, BasisBlock) and len(move.terms) and self.own is None and self.x.ndim == 1:
            index, scale = move.terms.index, move.terms.scale
            shared = index[:1] if (index == index[0]).all() else index[:0]  # the coordinate that does not meet 0
            low, high = np.minimum(self.low, 0.0), np.maximum(self.high, 0.0)
            low[shared], high[shared] = self.low[shared], self.high[shared]
            np.minimum.at(low, index, scale)
            np.maximum.at(high, index, scale)
            self.low, self.high = low, high
            return v
        for i in range(len(move.terms)):
            self._meet(move.terms[i])
        return v

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
        self.direction(move)
        x = (1.0 - move.drift * step) * self.x  # a new array: a user may have kept the old one
        move.add_to(x, step)
        return np.clip(x, self.low, self.high)

    def moved(self, move: Direction, step: float) -> None:
        seen = self.ahead
        if seen is None or not seen.of(move, step):
            self.x = self.after(move, step)
            self.clear()
            return
        self.x = seen.x
        self.clear()
        self.value, self.gradient = seen.found

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

    def state(self) -> State:
        own = {} if self.own is None else {"own": self.own}
        return {"x": self.x, "low": self.low, "high": self.high, "bend": np.array(self.bend), **own}

    def restore(self, state: State) -> None:
        x = numbers(state, "x", (None,) * np.ndim(state["x"]))
        check(self.x.shape in ((0,), x.shape), lambda: f"x has shape {x.shape}; {self.x.shape} is wanted.")
        low, high, own = state["low"], state["high"], state.get("own")
        check(low.shape == high.shape == x.shape and (own is None or own.shape[2:] == x.shape), "low, high and own have other "
              "shapes than x.")
        self.x, self.low, self.high, self.own = x, low, high, own
        self.bend = float(state.get("bend", np.nan))
        self.clear()


class Along(NamedTuple):
    """Further points at which f is wanted: x + step·v for each of ``steps``."""

    v: Array
    steps: Array


class Expansion(NamedTuple):
    """All that an objective computes at x in one call.

    ``hessian`` is that on the atoms of ``block``, from one row in ``sample``. ``line`` has a row h, h', h'' for each further
    point of the call. ``dot`` is ⟨∇f(x), x⟩. ``more`` holds further numbers at x by name; ``near`` is what the objective keeps
    of x for the next point. ``rough`` is what a second evaluation at x would take from its gap: where an intercept is not the
    best one.
    """

    value: float
    gradient: Array
    dot: float
    more: Mapping[str, float] = MappingProxyType({})
    hessian: Array | None = None
    block: Block | None = None
    line: Array | None = None
    near: Array = NOTHING
    rough: float = 0.0
    sample: int = 1


class Expanded(View):
    """The coordinates x of a point, the last expansion there, and that of the point tried last, which a move takes over.

    ``moves`` counts the updates since x was computed from the atoms. ``near`` is what the objective keeps of the last point
    for the next one, such as an intercept; ``here`` says that this point was x itself, and ``stayed`` that a second evaluation
    was requested there. ``ahead.found`` is the expansion at the point tried last, with its ``near``.
    """

    __slots__ = ("ahead", "here", "kept", "known", "moves", "name", "near", "stayed", "x")

    def __init__(self, name: str = "expanded") -> None:
        self.name, self.moves = name, 0
        self.x: Array = NOTHING
        self.near: Array = NOTHING
        self.here = False
        self.clear()

    def clear(self) -> None:
        self.stayed = False
        self.known: Expansion | None = None
        self.ahead: Foreseen | None = None
        self.kept: tuple[Array, Block, int] | None = None  # of a saved run: the Hessian at x, on which atoms, from which rows

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

    def moved(self, move: Direction, step: float) -> None:
        seen = self.ahead
        if seen is not None and seen.of(move, step):
            self.x, (self.known, self.near), self.ahead = seen.x, seen.found, None
            self.moves, self.here, self.stayed = 0 if step == 1.0 else self.moves + 1, True, False
            return
        whole = move.base is not None and step == 1.0
        self.x, self.moves, self.here = self.after(move, step), 0 if whole else self.moves + 1, False
        self.clear()

    def refresh(self, w: Iterate) -> None:
        x = w.array()
        self.moves = 0
        rough = self.known is not None and self.known.rough > 0.0
        if rough or not np.array_equal(x, self.x):  # else all that was said still holds
            self.x, self.here = x, False
            self.clear()

    def state(self) -> State:
        hessian = {}
        if self.known is not None and self.known.hessian is not None and self.known.block is not None:
            block = {f"block.{name}": array for name, array in block_state(self.known.block).items()}
            hessian = {"hessian": self.known.hessian, "sample": np.array(self.known.sample), **block}
        return {"x": self.x, "moves": np.array(self.moves), "near": self.near, "here": np.array(self.here),
                "stayed": np.array(self.stayed), **hessian}

    def restore(self, state: State) -> None:
        self.x, self.moves, self.near = state["x"], int(state["moves"]), state["near"]
        self.here = bool(state["here"])
        self.clear()
        self.stayed = bool(state.get("stayed", False))
        if "hessian" in state:
            self.kept = (state["hessian"], block_from(under("block", state)), int(state.get("sample", 1)))
