"""Corrective rounds in the compiled core, over budgets and in coordinates."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from math import inf, isfinite, prod
from typing import Any

import numpy as np

from greedyhull.atoms.budget import Budget, budget_of
from greedyhull.atoms.grouped_simplex import GroupedRegion
from greedyhull.atoms.regions import BallRegion, BoxRegion, FillingRegion
from greedyhull.errors import check
from greedyhull.kernels.core import core
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.stored import DenseDesign, SparseDesign
from greedyhull.objectives.losses.intercepts import Softened
from greedyhull.objectives.losses.piecewise import Absolute, EpsilonInsensitive, Hinge, Quantile
from greedyhull.objectives.losses.smooth import Huber, Logistic, NegativeLog, Poisson, Power, Squared, SquaredHinge
from greedyhull.objectives.quadratic import FactoredForm, QuadraticForm
from greedyhull.objectives.ridge import Ridged
from greedyhull.objectives.smoothing import Smoothing
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.solvers.parts.coordinate_rounds import MOST as COMPILED_COORDINATES_MOST
from greedyhull.solvers.parts.coordinate_rounds import spanned, spans
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Ahead, Passed, Progress
from greedyhull.solvers.parts.working_set import BLURRED, SHORT
from greedyhull.types import Array, AtomSet, Index, Loss, Objective, Region, State, profiled, second_order

# as in native/losses.hpp
KNOWN: dict[type, int] = {Squared: 0, Logistic: 1, SquaredHinge: 2, Huber: 3, Poisson: 4, NegativeLog: 5, Power: 6}
KINKED = (Absolute, Quantile, EpsilonInsensitive, Hinge)
TOLD = (Composite, QuadraticForm)  # whose views need no product where the core knows what is in them
LOST = 4  # how the core ends where numbers have left their range
MOST = 65535  # sparse columns that can be worked on


def compiled_rounds(f: Objective, S: AtomSet, w: Iterate, batch: int, steps: int) -> CompiledRounds | None:
    """The rounds of this problem in the core, or None where it cannot run them."""
    budget = budget_of(S)
    if budget is None or not w.keeps_atoms:
        return None
    if isinstance(f, Composite) and type(f) in (Composite, Ridged):
        rounds = CompiledRounds(f, S, budget, _rounds(f, budget, batch, steps))
    elif isinstance(f, Smoothing) and type(f) is Smoothing and type(f.kinked_terms) in KINKED:
        rounds = SharpenedRounds(f, S, budget, _rounds(f, budget, batch, steps))
    elif isinstance(f, QuadraticForm) and type(f) is QuadraticForm:
        rounds = CompiledRounds(f, S, budget, _form_rounds(f, budget, batch))
    else:
        return None
    return rounds if rounds.core is not None and rounds.begin(w) and isfinite(rounds.gap) else None


def _rounds(f: Composite, budget: Budget, batch: int, steps: int) -> Any:
    assert core is not None
    design, about = f.design, (loss_of(f), f.quadratic, f.has_intercept, budget.positive, budget.whole, budget.scales, f.l2,
                               batch, steps, _points(budget))
    if type(design) is DenseDesign:
        return core.dense_rounds(contiguous(design.X), *about)
    if type(design) is SparseDesign and batch <= MOST // 4:
        return core.sparse_rounds(*design.columns_of, design.n, *about)
    return None


def _form_rounds(f: QuadraticForm, budget: Budget, batch: int) -> Any:
    assert core is not None
    design, about = f.design, (f.b, budget.positive, budget.whole, budget.scales, batch, _points(budget))
    if type(design) is DenseDesign:
        return core.dense_form(contiguous(design.X), *about)
    return core.sparse_form(*design.columns_of, design.n, *about) if type(design) is SparseDesign else None


def contiguous(X: Array) -> Array:
    """X, or a copy of it, with rows or columns in a piece."""
    return X if X.itemsize in X.strides else np.ascontiguousarray(X)


def _points(budget: Budget) -> Any:
    """The points of a hull as the core takes them: rows in a piece, or the arrays of the CSR form; None for coordinates."""
    points = budget.points
    if points is None or isinstance(points, np.ndarray):
        return None if points is None else np.ascontiguousarray(points)
    return points.indptr.astype(np.int64), points.indices, points.data


def loss_of(f: Composite) -> Any:
    """How the core gets value, residual and curvature, in float64: by itself for what it knows, else by asking the loss."""
    inner = profiled(f.exact)
    loss: Any = f.exact if inner is None else inner.loss
    kind = KNOWN.get(type(loss))
    if kind is None and not (isinstance(loss, Softened) and type(loss.sharp) in KINKED):
        return partial(_asked, f.exact)
    p, y = np.array(loss.p, dtype=np.float64, ndmin=1), np.ascontiguousarray(loss.y, dtype=np.float64)
    if kind is None:
        hinge = type(loss.sharp) is Hinge
        low, high = (-1.0, 1.0) if hinge else loss.sharp.ends()
        # losses with kinks, smoothed
        return 7, float(loss.mu), y, p, float(low), float(high), float(loss.sharp.epsilon), hinge
    parameter = {Huber: "delta", Power: "power"}.get(type(loss))
    return kind, float(vars(loss)[parameter]) if parameter else 0.0, y, p


def _asked(loss: Loss, z: Array) -> tuple[float, Array, Array]:
    """A loss that the core does not know, asked once for each image."""
    with np.errstate(all="ignore"):
        value, r, c = loss.value_gradient_curvature(z)
    return float(value), np.ascontiguousarray(r, dtype=np.float64), np.ascontiguousarray(c, dtype=np.float64)


def _coordinates(w: Iterate, scales: Array) -> tuple[Index, Array]:
    """The nonzero coordinates of a point by number, in units of ``scales``; one atom, as most starts are, has them at hand."""
    block = w.block
    if type(block) is BasisBlock and len(block) == 1:
        index, scale = block.index, block.scale.item(0)
        unit = scales.item(0 if len(scales) == 1 else index.item(0))
        return (index, np.array([scale * w.weights.item(0) / unit])) if scale != 0.0 else (index[:0], np.empty(0))
    x = w.array()
    index = x.nonzero()[0]
    return index, x[index] / (scales if len(scales) == 1 else scales[index])


class CompiledRounds:
    """The core's rounds and the iterate that follows them."""

    def __init__(self, f: Composite | QuadraticForm, S: AtomSet, budget: Budget, made: Any) -> None:
        self.f, self.S, self.budget, self.core = f, S, budget, made
        self.entries = f.design.n * f.domain[0] + (0 if budget.points is None else prod(budget.points.shape))
        self.gap = np.inf  # not finite where numbers are out of the core's range

    def begin(self, w: Iterate) -> bool:
        """Stand at w, with its coordinates to work on and no others; False where an atom is none of the set's points."""
        if self.budget.points is not None:
            numbers = self.S.numbers(w.block)  # type: ignore[attr-defined]
            if numbers is None:
                return False
            self.core.begin(numbers, w.weights.copy())
        else:
            self.core.begin(*_coordinates(w, self.budget.scales))
        self.gap = self.core.look()
        return True

    def run(self, f: Objective, w: Iterate, memory: Memory) -> Generator[Progress, None, bool]:
        """Rounds until the driver ends them, or the core can do no more; True where Python may do more."""
        oracle = memory.oracle(self.S)
        self._set_out(w, memory)
        for _ in memory.count(first=0):
            g = f.gradient(w)
            found = oracle.argmin(g)
            yield Progress.of(w, f.gradient_dot(w) - found.atom.dot(g), found)
            ahead = memory.ahead()
            if not self.advance(w, memory, ahead):
                asked = ahead.absolute > 0.0 or ahead.relative > 0.0  # who asks for rounds gets them
                if asked and memory.gap is not None and f.rounding(w, self.S) > BLURRED * memory.gap:
                    return False  # what is left is rounding, and by hand there would be more
                memory.next_round()
                w.refresh()  # who goes on computes by itself, in the type of the data, as a resumed run would
                break
        return True

    def _set_out(self, w: Iterate, memory: Memory) -> None:
        """Stand at the start, or go on from it at once where nobody has to see it and the core can."""
        ahead = memory.ahead() if memory.start_unseen and self.entries <= SHORT else None
        if ahead is None or ahead.met(self.core.value(), self.gap) or not self.advance(w, memory, ahead, 0):
            self._tell(w)

    def advance(self, w: Iterate, memory: Memory, ahead: Ahead, seen: int = 1) -> bool:
        """As many rounds as nobody has to see; False where the core can do no more. ``seen`` is 0 if w was not looked at."""
        ending, rows = self.core.advance(ahead.rounds, ahead.absolute, ahead.relative, ahead.floor, ahead.lower, memory.asked)
        rounds = len(rows) - 1
        if rounds < 1 or ending == LOST:
            return False
        if rounds > seen:
            memory.skip(Passed(rows[seen:-1], [1.0] * (rounds - seen)))
        w.work.gradients += rounds
        w.work.products += float(rounds)
        self._stand(w)
        w.step = 1.0
        self._tell(w)
        return True

    def _stand(self, w: Iterate) -> None:
        """Let w be where the core stands."""
        index, scale, weights = self.core.atoms()
        if self.budget.points is None:
            w.hold(BasisBlock(self.S.shape[0], index, scale), weights)
        else:
            w.assign(self.S.block(index), weights)  # type: ignore[attr-defined]
            w.merged()  # equal sparse rows are one atom

    def _tell(self, w: Iterate) -> None:
        """Let f know at w what the core knows there; other views follow."""
        f = self.f
        mine = f.told_at(w) if type(f) in TOLD else f.at(w)
        if len(w.views) > 1:
            for view in w.views.values():
                if view is not mine and view is not mine.beneath:
                    view.refresh(w)
        mine.know(*self.core.seen())  # in float64, whatever the data are

    def state(self) -> State:
        return dict(self.core.state())

    def restore(self, state: State) -> None:
        known = all(array.dtype in (np.float64, np.int64, bool) for array in state.values())
        check(known, "The rounds of the core are kept in float64 and whole numbers.")
        self.core.restore(dict(state))
        self.core.look()


class SharpenedRounds(CompiledRounds):
    """Rounds on a loss with kinks that is smoothed less and less: each call goes on until the gap is small beside what
    smoothing costs, and counts as one iteration."""

    f: Smoothing

    def __init__(self, f: Smoothing, S: AtomSet, budget: Budget, made: Any) -> None:
        super().__init__(f, S, budget, made)
        self.mu = f.mu

    def _set_out(self, w: Iterate, memory: Memory) -> None:
        self._tell(w)  # the start is seen: how sharp the loss must be is decided there

    def advance(self, w: Iterate, memory: Memory, ahead: Ahead, seen: int = 1) -> bool:
        """Rounds until the gap of f_μ is as good as closed; False where the core can do no more."""
        rounds, ending = 0, LOST
        if self.f.mu != self.mu:
            self.mu = self.f.mu
            gap, slack = self.core.sharpen(self.mu)
            rounds, ending = (1, 0) if gap <= slack else (0, LOST)
        if rounds == 0:
            # rounds at one smoothness, at most, before the driver looks
            ending, rows = self.core.advance(30, 0.0, 0.0, 0.0, -inf, memory.asked)  # bounds are of f, not of f_μ
            rounds = len(rows) - 1
        if rounds < 1 or ending == LOST:
            return False
        memory.oracle(self.S).calls += rounds - 1
        w.work.gradients += rounds
        w.work.products += float(rounds)
        self._stand(w)
        w.step = 1.0
        self._tell(w)
        return True


GROUPED = 3  # as native/coordinate_door.cpp numbers regions
# least squares over boxes and sums in so many coordinates, so many times as many as rows, are solved by rows
WIDE, FEWER = 500, 5


def compiled_coordinates(f: Objective, S: AtomSet, w: Iterate, steps: int, cold: bool) -> CompiledCoordinates | None:
    """The rounds of this problem in the core, or None where it cannot run them.

    ``cold``, they begin where f is lower: at w or at the point of the set nearest to the origin.
    """
    region, curved = S.traits.region, second_order(f)
    if region is None or curved is None or not isinstance(w, CoordinateIterate):
        return None
    told = _told(region)
    if told is None or (type(region) in (BoxRegion, FillingRegion) and _wide(f)):
        return None
    made: Any = None
    if isinstance(f, QuadraticForm) and type(f) is QuadraticForm:
        made = _compiled_coordinates_form_rounds(f, told)
    elif isinstance(f, FactoredForm) and type(f) is FactoredForm:
        made = _factored_rounds(f, told)
    elif isinstance(f, Composite) and type(f) in (Composite, Ridged):
        made = _compiled_coordinates_rounds(f, told, steps, spans(curved, region))
    if made is None:
        return None
    assert isinstance(f, Composite | QuadraticForm)
    rounds = CompiledCoordinates(f, S, made, w, cold and told[0] != GROUPED)  # a corner has few coordinates
    return rounds if isfinite(rounds.gap) else None


def _wide(f: Objective) -> bool:
    """Whether systems of the few rows of least squares are much smaller than those of coordinates, which the core solves."""
    if not (type(f) is Composite and f.quadratic and type(f.design) is DenseDesign and not f.has_intercept):
        return False
    d = prod(f.domain)
    return WIDE <= d <= COMPILED_COORDINATES_MOST and FEWER * f.design.n <= d


def _told(region: Region) -> tuple[int, Array, Array, float] | None:
    """Kind, two vectors and a number, as native/coordinate_door.cpp takes them."""
    if type(region) is BoxRegion:
        return 0, _vector(region.low), _vector(region.high), 0.0
    if type(region) is FillingRegion and region.low is None:
        return 1, _vector(region.high), _vector(region.high), float(region.total)
    if type(region) is GroupedRegion:
        return GROUPED, _vector(region.high), np.concatenate([region.of, region.room]), float(region.total)
    return (2, _vector(region.middle), _vector(region.middle), float(region.radius)) if type(region) is BallRegion else None


def _vector(numbers: Array) -> Array:
    return np.ascontiguousarray(numbers, dtype=np.float64)


def _compiled_coordinates_rounds(f: Composite, told: tuple[int, Array, Array, float], steps: int, along_span: bool) -> Any:
    assert core is not None
    most = spanned(f.domain[0]) if along_span else COMPILED_COORDINATES_MOST
    design, about = f.design, (loss_of(f), f.quadratic, f.has_intercept, *told, f.l2, steps, along_span, most)
    if type(design) is DenseDesign:
        return core.dense_region_rounds(contiguous(design.X), *about)
    if type(design) is SparseDesign:
        return core.sparse_region_rounds(*design.columns_of, design.n, *about)
    return None


def _compiled_coordinates_form_rounds(f: QuadraticForm, told: tuple[int, Array, Array, float]) -> Any:
    assert core is not None
    design = f.design
    if (f.domain[0] > COMPILED_COORDINATES_MOST and told[0] != GROUPED) or type(design) not in (DenseDesign, SparseDesign):
        return None
    Q = design.X if type(design) is DenseDesign else design.by_column.toarray()
    Q = np.ascontiguousarray(Q.T if Q.flags.f_contiguous else Q, dtype=np.float64)  # it is symmetric
    return core.form_region_rounds(Q, _vector(f.b), *told, COMPILED_COORDINATES_MOST)


def _factored_rounds(f: FactoredForm, told: tuple[int, Array, Array, float]) -> Any:
    """Over a box, and over balls, systems of the few factors are the smaller ones, and Python solves these."""
    assert core is not None
    F = f.design.F
    if told[0] not in (1, GROUPED) or type(F) is not DenseDesign:
        return None
    return core.factored_region_rounds(contiguous(F.X), _vector(f.design.D), _vector(f.b), *told, COMPILED_COORDINATES_MOST)


class CompiledCoordinates(CompiledRounds):
    """The core's rounds and the coordinates that follow them."""

    def __init__(self, f: Composite | QuadraticForm, S: AtomSet, made: Any, w: CoordinateIterate, cold: bool) -> None:
        self.f, self.S, self.core, self.entries = f, S, made, f.design.n * prod(f.domain)
        made.begin(w.x.ravel().copy(), cold)
        self.gap: float = made.look()  # not finite where numbers are out of the core's range

    def run(self, f: Objective, w: Iterate, memory: Memory) -> Generator[Progress, None, bool]:
        self._stand(w)  # the core may have begun elsewhere
        return (yield from super().run(f, w, memory))

    def _stand(self, w: Iterate) -> None:
        assert isinstance(w, CoordinateIterate)
        w.x[...] = self.core.point().reshape(w.shape)
