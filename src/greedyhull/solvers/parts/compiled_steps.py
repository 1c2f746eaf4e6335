"""Frank-Wolfe iterations in the compiled core: those of the Python loop, many in one call where nobody watches.

The core keeps nothing that the iterate does not have: it is told where to stand, and answers with a point, its image, its
residual and its gradient. The driver's certificate is made from these as from any others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.base import Budget
from greedyhull.atoms.wrapped import Cached
from greedyhull.kernels.core import core
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.stored import DenseDesign, SparseDesign
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.points.views import Image
from greedyhull.solvers.parts.compiled_rounds import loss_of
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Passed
from greedyhull.solvers.parts.schedules import ConstantSchedule
from greedyhull.solvers.parts.steps import Constant, Exact, LogAdaptive, OpenLoop, Power, Short
from greedyhull.types import Array, AtomSet, Objective, Schedule, State, StepRule

Seen = tuple[Array, float, Array, Array]  # an image, the value there, the residual and the gradient
SEARCH, OPEN_LOOP, CONSTANT, POWER, LOG_ADAPTIVE = range(5)  # as in native/frank_wolfe.hpp


def compiled_steps(f: Objective, S: AtomSet, w: Iterate, rule: StepRule, tolerance: Schedule,
                   memory: Memory) -> CompiledSteps | None:
    """The iterations of this problem in the core, or None where it cannot run them."""
    if core is None or type(f) is not Composite or memory.requested(memory.k):  # a run that ends here takes no step
        return None
    budget = S.budget()
    if budget is None or (isinstance(S, Cached) and budget.points is not None):  # many points cost more than a cache
        return None
    step, exact = _rule(rule, f.quadratic, memory.warm), type(tolerance) is ConstantSchedule and tolerance.value == 0.0
    if step is None or not exact or not _stands(budget, w):
        return None
    made = _steps(f, budget, step)
    if made is None:
        return None
    steps = CompiledSteps(f, S, made)
    if f.has_intercept:  # the search for the best one begins at the last one
        memory.part("steps", lambda: steps)
    return steps


def _rule(rule: StepRule, quadratic: bool, warm: bool) -> tuple[int, float] | None:
    """Number and parameter of a step rule in the core; None where Python has to take the steps.

    After a warm start the count of a schedule moves with the curvature of the lines, which only Python measures.
    """
    kind = type(rule)
    if kind is Exact or (kind is Short and quadratic):
        return SEARCH, 0.0
    if isinstance(rule, Constant) and kind is Constant:
        return CONSTANT, float(rule.eta)
    if warm:
        return None
    if isinstance(rule, OpenLoop) and kind is OpenLoop:
        return OPEN_LOOP, float(rule.ell)
    if isinstance(rule, Power) and kind is Power:
        return POWER, float(rule.p)
    return (LOG_ADAPTIVE, 0.0) if kind is LogAdaptive else None


def _stands(budget: Budget, w: Iterate) -> bool:
    """Whether the core keeps points as w does: by atoms along coordinates, or by coordinates where points are given."""
    if budget.points is None:
        return w.keeps_atoms and type(w.block) is BasisBlock
    return (type(w) is CoordinateIterate and w.decompose is None and isinstance(budget.points, np.ndarray)
            and budget.points.flags.c_contiguous)


def _steps(f: Composite, budget: Budget, step: tuple[int, float]) -> Any:
    assert core is not None
    design, loss = f.design, loss_of(f)
    if not isinstance(loss, tuple):  # one that the core would have to ask Python about
        return None
    about = (loss, f.has_intercept, budget.positive, budget.whole, budget.scales, *step, budget.points)
    if type(design) is DenseDesign and design.X.itemsize in design.X.strides:  # rows or columns are contiguous
        return core.dense_steps(design.X, *about)
    if type(design) is SparseDesign:
        return core.sparse_steps(*design.columns_of, design.n, *about)
    return None


class CompiledSteps:
    """The core's iterations and the iterate that follows them."""

    def __init__(self, f: Composite, S: AtomSet, made: Any) -> None:
        self.f, self.S, self.core = f, S, made
        self._z: Array | None = None  # the image that the core told last: where the iterate has it, the core stands there
        self._b = 0.0

    def advance(self, w: Iterate, memory: Memory) -> bool:
        """As many iterations as nobody has to see; False where the core made none, and Python has to take the step."""
        self.stand(w)  # the driver may have refreshed the view
        view = self.f.at(w)
        if len(w.views) > 1 or view.z is not self._z:  # views of other objectives follow single moves
            self._leave(view)
            return False
        _, columns = self.core.advance(memory.k, *memory.ahead()[:-1], memory.lower, memory.asked)
        rounds = len(columns[0])
        if rounds == 0:
            self._leave(view)
            return False
        products = 1.0 + 1.0 / self.f.domain[0]  # a gradient, and the image of an atom
        if rounds > 1:
            value, gap, seconds, atoms, step = (column[:-1].tolist() for column in columns)
            memory.skip(Passed(list(zip(value, gap, seconds, atoms, strict=True)), step, products))
            self._bound(memory)
        w.work.gradients += rounds
        w.work.products += rounds * products
        self._follow(w, view, float(columns[-1][-1]), view.moves + rounds)
        return True

    def stand(self, w: Iterate) -> None:
        """Stand at w, unless the core does already, and let f know what the core knows there if all of it is finite."""
        view = self.f.at(w)
        if view.z is self._z:
            return
        if not self._begin(w, view):
            return
        if view.gradient is None:
            w.work.gradients += 1
            w.work.products += 1.0
        self._told(view, view.moves)

    def _begin(self, w: Iterate, view: Image) -> bool:
        z = np.ascontiguousarray(view.z, dtype=np.float64)
        if isinstance(w, CoordinateIterate):
            sound: bool = self.core.begin_at(z, w.x, view.moves, self._b)
            return sound
        assert isinstance(w.block, BasisBlock)
        index = np.ascontiguousarray(w.block.index, dtype=np.int64)
        sound = self.core.begin(z, index, w.block.scale, w.weights, view.moves, self._b)
        return sound

    def _leave(self, view: Image) -> None:
        """Leave the next step to Python, whose losses want an image in the precision of the data."""
        if view.z.dtype != self.f.design.dtype:
            view.clear()
            view.z = view.z.astype(self.f.design.dtype)

    def _follow(self, w: Iterate, view: Image, step: float, moves: int) -> None:
        """Bring the iterate to where the core stands, with what is known there."""
        point = self.core.point()
        if isinstance(w, CoordinateIterate):
            w.x, w._scored = point[0], None
        else:
            w.assign(BasisBlock(self.S.shape[0], point[0], point[1]), point[2])
        w.step = step
        self._told(view, moves)

    def _told(self, view: Image, moves: int) -> None:
        _tell(view, self.core.seen(), moves)
        self._z, self._b = view.z, self.core.intercept()

    def _bound(self, memory: Memory) -> None:
        """Keep the best lower bound of the iterations that nobody saw, computed as the driver computes its own."""
        found = self.core.best()
        if found is None:
            return
        point, seen, moves, gap = found
        w = CoordinateIterate(point[0]) if len(point) == 1 else Iterate(BasisBlock(self.S.shape[0], *point[:2]), point[2],
                                                                        self.S.shape)
        view = w.views[self.f] = Image(self.f.design)
        _tell(view, seen, moves)
        memory.proved(self.f.value(w) - (gap + self.f.rounding(w, self.S)))

    def state(self) -> State:
        return {"intercept": np.array(self._b)}

    def restore(self, state: State) -> None:
        self._b = float(state["intercept"])


def _tell(view: Image, seen: Seen, moves: int) -> None:
    """Let a view know what the core knows; in float64, whatever the data are."""
    view.clear()
    view.z, view.value, view.residual, view.gradient = seen
    view.moves = moves
