"""Points by their coordinates alone, their positions and running means."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.points.blocks import numbers
from greedyhull.points.direction import Direction, outside
from greedyhull.points.gradients import inner
from greedyhull.points.iterate import Iterate, View, Work
from greedyhull.types import Array, Block, Gradient, State


class CoordinateIterate(Iterate):
    """A point kept by its coordinates alone, for solvers that never use dense atoms again: memory stays bounded.

    With ``decompose``, which writes an array as a mixture of atoms, atoms and weights are computed on access.
    """

    keeps_atoms = False
    decompose: Callable[[Array], Iterate] | None = None

    def __init__(self, x: Array) -> None:
        self.x, self.shape = np.array(x, dtype=np.float64), x.shape
        self.views = {}
        self.pending = {}
        self.work = Work()
        self.step = np.nan
        self._scored = self._index = None

    @property
    def weights(self) -> Array:  # type: ignore[override]
        return self._mixture("weights").weights

    @property
    def atoms(self) -> Block:
        return self._mixture("atoms").block

    def _mixture(self, what: str) -> Iterate:
        if self.decompose is not None:
            return self.decompose(self.x)
        raise GreedyhullError(f"The {what} of this point were not kept: its solver never looks back and the atoms are dense. "
                              "Use point.array(), or solve with BlendedPairwise, Corrective or PairwiseJones, which keep the "
                              "atoms.")

    def __len__(self) -> int:
        return 1

    def __repr__(self) -> str:
        return f"CoordinateIterate(shape {self.shape})"

    def array(self) -> Array:
        return self.x.copy()

    def absolute(self) -> Array:
        return np.abs(self.x)

    def dot(self, g: Gradient) -> float:
        return inner(g, self.x)

    def move(self, v: Direction, step: float) -> None:
        if not 0.0 <= step <= v.max_step:
            raise GreedyhullError(outside(step, v))
        for view in self.views.values():
            view.moved(v, step)
        self.step = step
        if v.drift:
            self.x *= 1.0 - v.drift * step
        v.add_to(self.x, step)

    def refresh(self) -> None:
        for view in self.views.values():
            view.refresh(self)

    def become(self, other: Iterate) -> None:
        self.x = other.array()
        self._follow(other)

    def copy(self) -> CoordinateIterate:
        return CoordinateIterate(self.x)

    def state(self) -> State:
        return {"x": self.x.copy(), **self._history()}

    @staticmethod
    def restored(state: State) -> CoordinateIterate:
        return CoordinateIterate(numbers(state, "x", (None,) * np.ndim(state["x"])))._resumed(state)


def restored(state: State) -> Iterate:
    """Return the iterate of either kind with this state."""
    return CoordinateIterate.restored(state) if "x" in state else Iterate.restored(state)


class Position:
    """A view whose ``array`` is the point, updated in place."""

    name = "position"

    def __init__(self) -> None:
        self.array: Array = np.zeros(0)

    def moved(self, move: Direction, step: float) -> None:
        if move.drift:
            self.array *= 1.0 - move.drift * step
        move.add_to(self.array, step)

    def refresh(self, w: Iterate) -> None:
        self.array = w.array()

    def state(self) -> State:
        return {"array": self.array.copy()}

    def restore(self, state: State) -> None:
        self.array = numbers(state, "array", (None,) * np.ndim(state["array"])).copy()


class Average(View):
    """w̄ = Σ aᵢwᵢ / Σ aᵢ, a view that follows w.

    It is kept as c·w + s·u. A move w' = (1 − drift·η)w + ηΣcᵢdᵢ changes c and adds the atoms to u, and including w'
    with weight a changes c and s: no step touches all coordinates.

    >>> from greedyhull.points.shapes import Basis
    >>> w = Iterate.at(Basis(0, 1.0), (2,))
    >>> mean = w.view("mean", lambda: Average(w, 1.0))
    >>> w.move(w.toward(Basis(1, 1.0)), 0.5)
    >>> mean.include(3.0)
    >>> mean.array()
    array([0.625, 0.375])
    """

    def __init__(self, w: Iterate, first: float = 0.0, name: str = "average") -> None:
        self.name, self.w, self.total = name, w, first
        self.c, self.s = 1.0, 1.0
        self.u: Array = np.zeros(w.shape)

    def include(self, weight: float) -> None:
        """Include the current point in the mean with ``weight``."""
        if weight == 0.0:
            return
        self.total += weight
        share = weight / self.total
        self.c = (1.0 - share) * self.c + share
        self.s *= 1.0 - share
        if self.s < 1e-100:  # before the scale underflows
            self.u *= self.s
            self.s = 1.0

    def moved(self, move: Direction, step: float) -> None:
        shrink = 1.0 - move.drift * step
        if self.c == 0.0 or step == 0.0:
            return
        if abs(self.c) > 4.0 * abs(shrink):  # c·w and s·u would cancel: write c·w down before w goes
            self.u += (self.c / self.s) * self.w.array()
            self.c = 0.0
            return
        self.c /= shrink
        move.add_to(self.u, -self.c * step / self.s)

    def refresh(self, w: Iterate) -> None:
        """The past cannot be recomputed from the present: nothing to do."""

    def array(self) -> Array:
        """The mean as an array."""
        x: Array = self.s * self.u
        if self.c:
            x += self.c * self.w.array()
        return x

    def state(self) -> State:
        return {"u": self.u.copy(), "numbers": np.array([self.total, self.c, self.s])}

    def restore(self, state: State) -> None:
        self.u = numbers(state, "u", self.u.shape).copy()
        self.total, self.c, self.s = (float(x) for x in numbers(state, "numbers", (3,)))
