"""Loops in the compiled core: corrective rounds over budgets and in coordinates, and Frank-Wolfe steps.

A loop makes as many iterations in one call as the driver's `BurstLimit` allows, with a row for each that the driver does not
see. The iterate then takes over the point of the core, and f's view what the core computed there.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from math import inf, isfinite, prod
from typing import Any

import numpy as np

from greedyhull.atoms.base import Budget
from greedyhull.atoms.grouped_simplex import GroupedRegion
from greedyhull.atoms.regions import BallRegion, BoxRegion, CappedSimplexRegion
from greedyhull.atoms.wrapped import Cached
from greedyhull.kernels.core import core
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.stored import DenseDesign, SparseDesign
from greedyhull.objectives.losses.intercepts import Softened
from greedyhull.objectives.quadratic import FactoredForm, QuadraticForm
from greedyhull.objectives.ridge import Ridged
from greedyhull.objectives.smoothing import Smoothing
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.points.views import Image
from greedyhull.solvers.parts.kept import Remembered
from greedyhull.solvers.parts.progress import Progress, Row
from greedyhull.solvers.parts.schedules import zero
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.solvers.parts.working_set import MOST, spanned, spans
from greedyhull.types import Array, AtomSet, Index, Loss, Objective, Region, Schedule, State, StepRule

# The numbers of losses in native/losses.hpp; SMOOTHED is one of those with kinks after smoothing.
SMOOTHED = 7
LOSSES = {"squared": 0, "logistic": 1, "squared_hinge": 2, "huber": 3, "poisson": 4, "negative_log": 5, "power": 6,
          "hinge": 8, "piecewise": 9}
KINKED = ("hinge", "piecewise")
LOST = 4  # how the core ends where numbers have left their range
COLUMNS = 65535  # sparse columns that can be worked on
SHORT = 100_000  # entries of data, at most, for which rounds begin before the driver has seen the start


def loss_of(f: Composite) -> Any:
    """How the core gets value, residual and curvature, in float64: by itself for what it knows, else by calling the loss."""
    if "_core_loss" in vars(f):
        return vars(f)["_core_loss"]
    exact: Any = f.exact
    loss = exact.loss if exact.profiles else exact
    sharp = loss.sharp if type(loss) is Softened else None
    known = getattr(loss if sharp is None else sharp, "core", None)  # a user's loss may have any class
    if known is None or (known[0] in KINKED) != (sharp is not None):
        return partial(_evaluate, f.exact)
    p, y = np.array(loss.p, dtype=np.float64, ndmin=1), np.ascontiguousarray(loss.y, dtype=np.float64)
    if sharp is None:
        vars(f)["_core_loss"] = LOSSES[known[0]], known[1][0], y, p
        return vars(f)["_core_loss"]
    low, high = (-1.0, 1.0) if known[0] == "hinge" else sharp.ends()
    return SMOOTHED, float(loss.mu), y, p, float(low), float(high), float(sharp.epsilon), known[0] == "hinge"


def _evaluate(loss: Loss, z: Array) -> tuple[float, Array, Array]:
    with np.errstate(all="ignore"):
        value, r, c = loss.value_gradient_curvature(z)
    return float(value), _vector(r), _vector(c)


def _vector(numbers: Array) -> Array:
    return np.ascontiguousarray(numbers, dtype=np.float64)


def on_data(loop: str, f: Composite | QuadraticForm, *about: Any) -> Any:
    """Call the core's ``dense_`` or ``sparse_`` loop with the arrays of f's design; None where it has none for them."""
    design = f.design
    if type(design) is DenseDesign:  # rows or columns in a piece
        X = design.X if design.X.itemsize in design.X.strides else np.ascontiguousarray(design.X)
        return getattr(core, f"dense_{loop}")(X, *about)
    if type(design) is SparseDesign:
        return getattr(core, f"sparse_{loop}")(*design.columns_of, design.n, *about)
    return None


class CompiledLoop:
    """Iterations in the core: ``begin(w)`` moves it to w, ``advance(w, memory)`` makes iterations up to ``memory.limit``, and
    ``sync(w)`` brings w to where the core is. ``advance`` returns False where Python has to take the step."""

    f: Any
    core: Any

    def __init__(self, f: Any, S: AtomSet, made: Any) -> None:
        self.f, self.S, self.core = f, S, made

    def count(self, w: Iterate, memory: SolverState, made: int, skipped: list[Row], steps: list[float],
              products: float = 1.0) -> None:
        """Count iterations, those included that the driver does not see."""
        if skipped:
            memory.skip(skipped, steps, products)
        w.work.gradients += made
        w.work.products += made * products


def compiled_rounds(f: Objective, S: AtomSet, w: Iterate, batch: int, steps: int) -> CompiledRounds | None:
    """The rounds of this problem in the core, or None where it cannot run them."""
    budget = S.budget()
    if budget is None or not w.keeps_atoms:
        return None
    atoms, points = (budget.positive, budget.whole, budget.scales), budget.points
    if points is not None:  # of a hull, as the core takes them: rows in a piece, or the arrays of the CSR form
        dense = isinstance(points, np.ndarray)
        points = np.ascontiguousarray(points) if dense else (points.indptr.astype(np.int64), points.indices, points.data)
    kinked = type(f) is Smoothing and f.kinked_terms.core is not None and f.kinked_terms.core[0] in KINKED
    made = None
    if isinstance(f, Composite) and (kinked or type(f) in (Composite, Ridged)):
        if type(f.design) is not SparseDesign or batch <= COLUMNS // 4:
            made = on_data("rounds", f, loss_of(f), f.quadratic, f.has_intercept, *atoms, f.l2, batch, steps, points)
    elif isinstance(f, QuadraticForm) and type(f) is QuadraticForm:
        made = on_data("form", f, f.b, *atoms, batch, points)
    if made is None:
        return None
    assert isinstance(f, QuadraticForm | Composite)
    loop: Any = SharpenedRounds if kinked else CompiledRounds
    rounds: CompiledRounds = loop(f, S, made, budget)
    return rounds if rounds.begin(w) and isfinite(rounds.gap) else None


def _coordinates(w: Iterate, scales: Array) -> tuple[Index, Array]:
    """The nonzero coordinates of a point by number, in units of ``scales``; one atom, as most starts are, has them at hand."""
    block = w.block
    if type(block) is BasisBlock and len(block.index) == 1:
        index, scale = block.index, block.scale.item(0)
        unit = scales.item(0 if len(scales) == 1 else index.item(0))
        return (index, np.array([scale * w.weights.item(0) / unit])) if scale != 0.0 else (index[:0], np.empty(0))
    x = w.array()
    index = x.nonzero()[0]
    return index, x[index] / (scales if len(scales) == 1 else scales[index])


class CompiledRounds(CompiledLoop):
    def __init__(self, f: Composite | QuadraticForm, S: AtomSet, made: Any, budget: Budget) -> None:
        self.f, self.S, self.core, self.budget = f, S, made, budget
        self.entries = f.design.n * f.domain[0] + (0 if budget.points is None else prod(budget.points.shape))
        self.gap = inf  # not finite where numbers are out of the core's range

    def begin(self, w: Iterate) -> bool:
        """Move the core to w, to work on its coordinates and no others; False where an atom is none of the set's points."""
        if self.budget.points is not None:
            numbers = self.S.numbers(w.block)  # type: ignore[attr-defined]
            if numbers is None:
                return False
            self.core.begin(numbers, w.weights.copy())
        else:
            self.core.begin(*_coordinates(w, self.budget.scales))
        self.gap = self.core.look()
        return True

    def run(self, f: Objective, w: Iterate, memory: SolverState) -> Generator[Progress, None, bool]:
        """Rounds until the driver ends them, or the core can do no more; True where Python may do more."""
        oracle = memory.oracle(self.S)
        if not self._skip_start(w, memory):
            self.fill_view(w)
        while True:
            g = f.gradient(w)
            found = oracle.argmin(g)
            yield Progress.of(w, f.gradient_dot(w) - found.atom.dot(g), found)
            continues = self.advance(w, memory)
            to_gap = memory.limit.absolute > 0.0 or memory.limit.relative > 0.0  # rather than to a number of rounds
            if not continues and to_gap and memory.gap is not None and f.rounding(w, self.S) > 0.5 * memory.gap:
                return False  # half of the gap may be rounding, and in Python there would be more
            memory.next_round()
            if not continues:
                w.refresh()  # Python continues from what it computes in the type of the data, as a resumed run would
                return True

    def _skip_start(self, w: Iterate, memory: SolverState) -> bool:
        """Make rounds from the start at once where the driver need not see it, the data are small and the core can."""
        if not memory.may_skip_start or self.entries > SHORT:
            return False
        value, limit = self.core.value(), memory.limit
        return min(self.gap, value - limit.lower) > limit.gap(value) and self.advance(w, memory, 0)

    def advance(self, w: Iterate, memory: SolverState, seen: int = 1) -> bool:
        """Rounds up to the limit; ``seen`` is 0 if the driver has not seen w."""
        rounds, absolute, relative, floor, _, lower = memory.limit
        ending, rows = self.core.advance(rounds, absolute, relative, floor, lower, memory.must_end)
        rounds = len(rows) - 1
        if rounds < 1 or ending == LOST:
            return False
        self.count(w, memory, rounds, rows[seen:-1], [1.0] * (rounds - seen))
        self.sync(w)
        return True

    def sync(self, w: Iterate) -> None:
        self.pull_point(w)
        w.step = 1.0
        self.fill_view(w)

    def pull_point(self, w: Iterate) -> None:
        index, scale, weights = self.core.atoms()
        if self.budget.points is None:
            w.hold(BasisBlock(self.S.shape[0], index, scale), weights)
        else:
            w.assign(self.S.block(index), weights)
            w.merged()  # equal sparse rows are one atom

    def fill_view(self, w: Iterate) -> None:
        """Let f's view of w hold what the core knows there; other views follow."""
        f = self.f
        mine = f.cached_view(w) if type(f) in (Composite, QuadraticForm) else f.at(w)  # views of these need no product
        if len(w.views) > 1:
            for view in w.views.values():
                if view is not mine and view is not mine.beneath:
                    view.refresh(w)
        mine.know(*self.core.seen())  # in float64, whatever the data are

    def state(self) -> State:
        return dict(self.core.state())

    def restore(self, state: State) -> None:
        self.core.restore(dict(state))
        self.core.look()


class SharpenedRounds(CompiledRounds):
    """Rounds on a loss with kinks that is smoothed less and less. Each call continues until the gap is small compared with the
    error of smoothing, and counts as one iteration."""

    def __init__(self, f: Smoothing, S: AtomSet, made: Any, budget: Budget) -> None:
        super().__init__(f, S, made, budget)
        self.mu = f.mu

    def _skip_start(self, w: Iterate, memory: SolverState) -> bool:
        return False  # how sharp the loss must be is decided at the start

    def advance(self, w: Iterate, memory: SolverState, seen: int = 1) -> bool:
        rounds, ending = 0, LOST
        if self.f.mu != self.mu:
            self.mu = self.f.mu
            gap, slack = self.core.sharpen(self.mu)
            rounds, ending = (1, 0) if gap <= slack else (0, LOST)
        if rounds == 0:  # at most 30 at one smoothness; bounds are of f, not of f_μ
            ending, rows = self.core.advance(30, 0.0, 0.0, 0.0, -inf, memory.must_end)
            rounds = len(rows) - 1
        if rounds < 1 or ending == LOST:
            return False
        memory.oracle(self.S).calls += rounds - 1
        self.count(w, memory, rounds, [], [])
        self.sync(w)
        return True


BOX, SUM, BALL, GROUPED = range(4)  # as native/coordinate_bindings.cpp numbers regions


def compiled_coordinates(f: Objective, S: AtomSet, w: Iterate, steps: int, cold: bool) -> CompiledCoordinates | None:
    """The rounds of this problem in the core, or None; ``cold``, they begin at the better of w and a centre."""
    region = S.traits.region
    if region is None or not f.traits.second_order or not isinstance(w, CoordinateIterate):
        return None
    about = _region(region)
    if about is None or (about[0] in (BOX, SUM) and _wide(f)):
        return None
    made: Any = None
    if isinstance(f, QuadraticForm) and type(f) in (QuadraticForm, FactoredForm):
        made = _form_rounds(f, about)
    elif isinstance(f, Composite) and type(f) in (Composite, Ridged):
        along_span = spans(f, region)
        most = spanned(f.domain[0]) if along_span else MOST
        made = on_data("region_rounds", f, loss_of(f), f.quadratic, f.has_intercept, *about, f.l2, steps, along_span, most)
    if made is None:
        return None
    assert isinstance(f, QuadraticForm | Composite)
    rounds = CompiledCoordinates(f, S, made, w, cold and about[0] != GROUPED)  # a corner has few coordinates
    return rounds if isfinite(rounds.gap) else None


def _wide(f: Objective) -> bool:
    """Whether systems of the few rows of least squares are much smaller than those of coordinates, which the core solves."""
    if not (type(f) is Composite and f.quadratic and type(f.design) is DenseDesign and not f.has_intercept):
        return False
    d = prod(f.domain)
    return 500 <= d <= MOST and 5 * f.design.n <= d  # measured over boxes and sums


def _region(region: Region) -> tuple[int, Array, Array, float] | None:
    """Kind, two vectors and a number, as native/coordinate_bindings.cpp takes them."""
    if type(region) is BoxRegion:
        return BOX, _vector(region.low), _vector(region.high), 0.0
    if type(region) is CappedSimplexRegion and region.low is None:
        return SUM, _vector(region.high), _vector(region.high), float(region.total)
    if type(region) is GroupedRegion:
        return GROUPED, _vector(region.high), np.concatenate([region.of, region.room]), float(region.total)
    if type(region) is BallRegion:
        return BALL, _vector(region.middle), _vector(region.middle), float(region.radius)
    return None


def _form_rounds(f: QuadraticForm, about: tuple[int, Array, Array, float]) -> Any:
    """The rounds of a quadratic; factors over a box and over balls are left to Python, whose systems are the smaller ones."""
    design = f.design
    if isinstance(f, FactoredForm):
        if about[0] not in (SUM, GROUPED) or type(f.design.F) is not DenseDesign:
            return None
        F = f.design.F.X if f.design.F.X.itemsize in f.design.F.X.strides else np.ascontiguousarray(f.design.F.X)
        return core.factored_region_rounds(F, _vector(f.design.D), _vector(f.b), *about, MOST)
    if (f.domain[0] > MOST and about[0] != GROUPED) or type(design) not in (DenseDesign, SparseDesign):
        return None
    Q = design.X if isinstance(design, DenseDesign) else design.by_column.toarray()
    Q = _vector(Q.T if Q.flags.f_contiguous else Q)  # it is symmetric
    return core.form_region_rounds(Q, _vector(f.b), *about, MOST)


class CompiledCoordinates(CompiledRounds):
    def __init__(self, f: Composite | QuadraticForm, S: AtomSet, made: Any, w: CoordinateIterate, cold: bool) -> None:
        CompiledLoop.__init__(self, f, S, made)
        self.entries = f.design.n * prod(f.domain)
        made.begin(w.x.ravel().copy(), cold)
        self.gap = made.look()

    def run(self, f: Objective, w: Iterate, memory: SolverState) -> Generator[Progress, None, bool]:
        self.pull_point(w)  # the core may have begun elsewhere
        return (yield from super().run(f, w, memory))

    def pull_point(self, w: Iterate) -> None:
        assert isinstance(w, CoordinateIterate)
        w.x[...] = self.core.point().reshape(w.shape)


def compiled_steps(f: Objective, S: AtomSet, w: Iterate, rule: StepRule, tolerance: Schedule,
                   memory: SolverState) -> CompiledSteps | None:
    """The Frank-Wolfe iterations of this problem in the core, or None where it cannot run them."""
    if type(f) is not Composite or memory.requested(memory.k):  # a run that ends here takes no step
        return None
    budget, describe = S.budget(), vars(type(rule)).get("core")  # a class derived from a rule may take other steps
    if budget is None or (isinstance(S, Cached) and budget.points is not None):  # many points cost more than a cache
        return None
    step, loss = None if describe is None else describe(rule, f.quadratic, memory.warm), loss_of(f)
    copied = type(f.design) is DenseDesign and f.design.X.itemsize not in f.design.X.strides
    if step is None or tolerance != zero or not _same_form(budget, w) or copied or not isinstance(loss, tuple):
        return None
    made = on_data("steps", f, loss, f.has_intercept, budget.positive, budget.whole, budget.scales, *step, budget.points)
    if made is None:
        return None
    steps = CompiledSteps(f, S, made)
    if f.has_intercept:  # the search for the best one begins at the last one
        memory.part("steps", lambda: steps)
    return steps


def _same_form(budget: Budget, w: Iterate) -> bool:
    """Whether the core keeps points as w does: by atoms along coordinates, or by coordinates where points are given."""
    if budget.points is None:
        return w.keeps_atoms and type(w.block) is BasisBlock
    return (type(w) is CoordinateIterate and w.decompose is None and isinstance(budget.points, np.ndarray)
            and budget.points.flags.c_contiguous)


class CompiledSteps(CompiledLoop, Remembered):
    """Frank-Wolfe iterations. The core keeps nothing that the iterate does not have, but the intercept."""

    kept_numbers = ("_b",)

    def __init__(self, f: Composite, S: AtomSet, made: Any) -> None:
        super().__init__(f, S, made)
        self._z: Array | None = None  # the image that the core computed last: where the iterate has it, the core is there
        self._b = 0.0

    def advance(self, w: Iterate, memory: SolverState) -> bool:
        self.begin(w)  # the driver may have refreshed the view
        view = self.f.at(w)
        made = 0
        if len(w.views) == 1 and view.z is self._z:  # views of other objectives follow single moves
            _, columns = self.core.advance(memory.k, *memory.limit[:-1], memory.lower, memory.must_end)
            made = len(columns[0])
        if made == 0:
            if view.z.dtype != self.f.design.dtype:  # Python takes the step, with an image in the precision of the data
                view.clear()
                view.z = view.z.astype(self.f.design.dtype)
            return False
        value, gap, seconds, atoms, step = (column[:-1].tolist() for column in columns)
        products = 1.0 + 1.0 / self.f.domain[0]  # a gradient, and the image of an atom
        self.count(w, memory, made, list(zip(value, gap, seconds, atoms, strict=True)), step, products)
        if made > 1:
            self._keep_bound(memory)
        self.sync(w, float(columns[-1][-1]), view.moves + made)
        return True

    def begin(self, w: Iterate) -> None:
        """Move the core to w, unless it is there, and let f's view hold what the core knows there if all of it is finite."""
        view = self.f.at(w)
        if view.z is self._z:
            return
        z = _vector(view.z)
        if isinstance(w, CoordinateIterate):
            sound = self.core.begin_at(z, w.x, view.moves, self._b)
        else:
            assert isinstance(w.block, BasisBlock)
            index = np.ascontiguousarray(w.block.index, dtype=np.int64)
            sound = self.core.begin(z, index, w.block.scale, w.weights, view.moves, self._b)
        if not sound:
            return
        if view.gradient is None:
            w.work.gradients += 1
            w.work.products += 1.0
        self._fill(view, view.moves)

    def sync(self, w: Iterate, step: float, moves: int) -> None:
        point = self.core.point()
        if isinstance(w, CoordinateIterate):
            w.x, w._scored = point[0], None
        else:
            w.assign(BasisBlock(self.S.shape[0], point[0], point[1]), point[2])
        w.step = step
        self._fill(w.views[self.f], moves)

    def _fill(self, view: Any, moves: int) -> None:
        _fill(view, self.core.seen(), moves)
        self._z, self._b = view.z, self.core.intercept()

    def _keep_bound(self, memory: SolverState) -> None:
        """Keep the best lower bound of the skipped iterations, computed as the driver computes its own."""
        found = self.core.best()
        if found is None:
            return
        point, seen, moves, gap = found
        w = CoordinateIterate(point[0]) if len(point) == 1 else Iterate(BasisBlock(self.S.shape[0], *point[:2]), point[2],
                                                                        self.S.shape)
        view = w.views[self.f] = Image(self.f.design)
        _fill(view, seen, moves)
        memory.proved(self.f.value(w) - (gap + self.f.rounding(w, self.S)))


def _fill(view: Image, seen: tuple[Array, float, Array, Array], moves: int) -> None:
    """Let a view hold an image, the value there, the residual and the gradient: in float64, whatever the data are."""
    view.clear()
    view.z, view.value, view.residual, view.gradient = seen
    view.moves = moves
