"""Points kept by their coordinates alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from greedyhull.errors import GreedyhullError
from greedyhull.points.direction import Direction, outside
from greedyhull.points.gradients import inner
from greedyhull.points.iterate import Iterate
from greedyhull.points.states import numbers, views_state
from greedyhull.points.work import Work
from greedyhull.types import Array, Block, Gradient, State


class CoordinateIterate(Iterate):
    """A point kept by its coordinates alone, for solvers that never look back at dense atoms: memory stays bounded.

    With ``decompose``, which writes an array as a mixture of atoms, atoms and weights are computed when they are asked for.
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
    def weights(self) -> Array:
        return self._mixture("weights").weights

    @property
    def atoms(self) -> Block:
        return self._mixture("atoms").block

    def _mixture(self, what: str) -> Iterate:
        """This point as atoms and weights."""
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
        state: State = {"x": self.x.copy(), "work": np.array([self.work.gradients, self.work.products]),
                        "step": np.array(self.step)}
        return {**state, **views_state(self.views.values())}

    @staticmethod
    def restored(state: State) -> CoordinateIterate:
        w = CoordinateIterate(numbers(state, "x", (None,) * np.ndim(state["x"])))
        w._take_back(state)
        return w


def restored(state: State) -> Iterate:
    """The iterate of either kind that wrote ``state``."""
    return CoordinateIterate.restored(state) if "x" in state else Iterate.restored(state)
