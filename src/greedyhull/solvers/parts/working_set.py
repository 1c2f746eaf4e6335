"""The working atoms and the working coordinates of a corrective solver, the numbers it decides by, and float32 data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

from greedyhull.atoms.grouped_simplex import TurnoverRegion
from greedyhull.atoms.regions import BoxRegion, CappedSimplexRegion, RowsRegion
from greedyhull.kernels.polyhedral_products import HELD
from greedyhull.kernels.simplex_qp import EXACT_UP_TO, solve_simplex_qp
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.lines import NEAR
from greedyhull.objectives.restricted import ByProducts, ImageTrial, LineTrial, Restricted, compare_products
from greedyhull.objectives.ridge import Ridged, RidgedTrial
from greedyhull.points.blocks import block_from, block_state, under
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.direction import Direction, Span, Units
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.points.owners import least_of
from greedyhull.points.shapes import Dense, dense
from greedyhull.solvers.parts.kept import prefixed
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.types import (
    Answer,
    Array,
    Atom,
    AtomSet,
    Block,
    Faces,
    Frame,
    Gradient,
    Index,
    Objective,
    Region,
    SecondOrder,
    Section,
    Small,
    State,
    Trial,
    imaged,
    linear_model,
)

EARLY = 0.03  # a round is early while the gap is a larger share of f
ROUNDING = 4e-15  # a gap that is a smaller share of its terms is taken for that: its atoms may promise nothing
CROWDED = 3  # times as many atoms as are in use and join: then the unused ones leave
INNER = 0.1  # the part of the gap to which the working atoms are reweighted
EXACT = 1e-6  # the part of the gap to which a small quadratic over few atoms is solved
ROUGH = 3e-3  # the same for many atoms, where it costs more

COARSER = float(np.finfo(np.float32).eps / np.finfo(np.float64).eps)  # by which float32 rounds more
IN_DOUBLE = "in double"  # the array of a solve that holds the iteration since when

Rounds = Callable[[SecondOrder], Iterator[Progress]]


def exhausted(f: Objective, S: AtomSet, w: Iterate, estimate: float) -> bool:
    """Whether f is computed in float32, and the rounding of that may be as large as the gap at w."""
    return f.precise() is not f and not estimate > COARSER * f.rounding(w, S)


def named(part: str, memory: SolverState) -> str:
    """The name of a part: one in float64 is not restored from the state of one in float32."""
    return f"{part} {IN_DOUBLE}" if IN_DOUBLE in memory.arrays else part


def in_both(f: SecondOrder, w: Iterate, memory: SolverState, rounds: Rounds) -> Iterator[Progress]:
    """``rounds(f)`` until they end, which in float32 they do where it is `exhausted`; then those of f in float64."""
    precise = f.precise()
    if precise is f or not precise.traits.second_order:
        yield from rounds(f)
        return
    if IN_DOUBLE not in memory.arrays:
        yield from rounds(f)
        memory.next_round()
        memory.arrays[IN_DOUBLE] = np.array(memory.k)
        w.refresh()
    yield from rounds(precise)


class RowSampling:
    """Early Hessians come from one row in eight, until a round leaves more than 0.3 of the gap: then never again."""

    gap, sampling = np.inf, True

    def sample(self, gap: float, early: bool) -> int:
        """One in how many rows the Hessian of this round is made from."""
        self.sampling, self.gap = self.sampling and gap <= 0.3 * self.gap, gap
        return 8 if early and self.sampling else 1


class Working(RowSampling):
    """Atoms that are reweighted together: ``alpha`` holds the weight of each, zero for those that wait."""

    def __init__(self, f: SecondOrder, w: Iterate) -> None:
        self.f = f
        self.crowded = 1 if f.traits.remote else CROWDED  # over shards each Newton step computes the Hessian of all again
        self.begin(w)

    def begin(self, w: Iterate) -> None:
        self._hold(self.f.restricted(w.block.take(np.arange(len(w)))), w.weights.copy())

    def _hold(self, small: Small, alpha: Array) -> None:
        self.small, self.alpha = small, alpha
        self.keys = set(small.block.keys)

    def join(self, w: Iterate, atoms: Block) -> None:
        """Add ``atoms``; where too many have no weight, those leave first."""
        if len(self.alpha) > self.crowded * (len(w) + len(atoms)):
            keep = (self.alpha > 0.0).nonzero()[0]
            if len(keep) < len(self.alpha):
                self.small.take(keep)
                self._hold(self.small, self.alpha[keep])
        new = [i for i, key in enumerate(atoms.keys) if key not in self.keys]
        if new:
            fresh = atoms if len(new) == len(atoms) else atoms.take(np.array(new))
            self.small.extend(fresh, w)
            self.keys.update(fresh.keys)
            self.alpha = np.concatenate([self.alpha, np.zeros(len(new))])

    def reweight(self, w: Iterate, gap: float, steps: int, early: bool = False) -> None:
        """Minimise f over the hull of the working atoms to a tenth of ``gap``, by at most ``steps`` Newton steps."""
        sample = self.sample(gap, early)
        small, tol, owners = self.small, INNER * gap, self.small.block.owners
        exact = EXACT if len(self.alpha) <= EXACT_UP_TO else ROUGH
        for i in range(steps):
            grad = small.gradient(w)
            if i and float(self.alpha.dot(grad) - least_of(grad, owners)) <= tol:
                return
            target = solve_simplex_qp(small.hessian(w, sample), grad, self.alpha, exact * gap, owners=owners)
            trial = small.trial(w, self.alpha, target)
            slope = float((target - self.alpha).dot(grad - heaviest(grad, self.alpha, owners)))
            step = newton_step(self.f, w, trial, slope)
            if step <= 0.0:
                return
            trial.commit(step)
            self.alpha = target if step == 1.0 else np.maximum(self.alpha + step * (target - self.alpha), 0.0)
            if self.f.traits.quadratic:
                return

    def state(self) -> State:
        parts = prefixed(block=block_state(self.small.block), small=self.small.state())
        return {**parts, "alpha": self.alpha, "sampling": np.array([self.sampling, self.gap])}

    def restore(self, state: State) -> None:
        self._hold(self.f.restricted(block_from(under("block", state))), state["alpha"])
        self.small.restore(under("small", state))
        sampling, self.gap = state["sampling"].tolist()
        self.sampling = bool(sampling)


def heaviest(grad: Array, alpha: Array, owners: Index | None) -> Array | float:
    """The score of the atom with the largest weight, of each atom's owner: relative to it, rounding of that weight is free."""
    if owners is None:
        return float(grad[alpha.argmax()])
    rising = np.argsort(alpha, kind="stable")
    scores = np.zeros(int(owners.max(initial=-1)) + 1)
    scores[owners[rising]] = grad[rising]  # the last one stays
    return np.asarray(scores[owners])


def newton_step(f: SecondOrder, w: Iterate, trial: Trial, slope: float) -> float:
    """The whole step if it does a quarter of what its slope promises, else a shorter one that does.

    The error falls like the square of the gap: once it drowns in the rounding of f, the slope, summed from scores
    relative to that of the heaviest atom, still shows a step that lowers the gap.
    """
    if slope >= 0.0:
        return 0.0
    start, noise, limit = f.value(w), trial.noise, trial.limit
    step = 1.0 if limit > 1.0 else NEAR * limit
    for _ in range(1 if f.traits.quadratic else 4):  # then the line is searched; of a quadratic its minimum is known at once
        value = trial.value(step)
        if value <= start + 0.25 * step * slope + noise:
            return step
        excess = value - start - step * slope  # the lowest point of the parabola through these values, within limits
        step *= min(max(0.1, -0.5 * step * slope / excess), 0.5)
    return trial.argmin()


def pairwise_within(P: Faces, w: Iterate, g: Gradient, atom: Atom) -> Direction:
    """The direction from the worst atom of the face to ``atom``, with room until w leaves the set.

    >>> import numpy as np, greedyhull as gh
    >>> S = gh.Simplex(3)
    >>> move = pairwise_within(S, S.centre(), np.array([0.0, 1.0, 2.0]), gh.Basis(0, 1.0))
    >>> move.max_step
    0.3333333333333333
    """
    x = w.array()
    away = P.within(x, as_array(g))
    v = dense(atom, x.shape) - dense(away, x.shape)
    return Direction((atom, away), (1.0, -1.0), 0.0, min(P.room(x, v), 1.0))


def move_if_lower(f: Objective, w: Iterate, there: Atom) -> bool:
    """Move w to ``there`` if f is lower there; whether it is."""
    move = w.toward(there)
    line = f.along(w, move)
    if not (line.limit > 1.0 and line.value(1.0) < f.value(w)):
        return False
    w.move(move, 1.0)
    return True


# --- coordinates --------------------------------------------------------------------------------------------------

FEW = 200  # coordinates: a Hessian of fewer is written out, and factorised, in less time than a hundred products take
MOST = 2000  # coordinates up to which there is another way
SPANNED = 300  # directions of a span, at most


def by_products(f: SecondOrder, small: Small, w: CoordinateIterate) -> Callable[[Array], Array] | None:
    """v ↦ ∇²f(w)v for flat v where the coordinates are many, and f is a map that is known by its products; else None."""
    d = prod(f.domain)
    if d <= FEW or f.traits.remote:
        return None
    if isinstance(small, ByProducts):
        curved = small.f
        return lambda v: as_array(curved.hessian_product(w, v.reshape(w.shape)), w.shape).ravel()
    model = imaged(f)
    if model is None or (d <= MOST and (model.design.n < d or model.design.dtype != np.float64)):
        return None  # with fewer rows than coordinates, systems of the rows are the smaller ones
    if model.design.stored and d <= 1200:  # coordinates from which on products pay even with data that are stored as a matrix
        return None
    design = model.design
    if isinstance(f, Composite) and type(f) is Composite and f.quadratic and not f.has_intercept:
        p = f.loss.p
        if isinstance(p, float) and design.dtype == np.float64:  # curvatures that are all alike
            return lambda v: p * as_array(design.adjoint(design.matvec(v.reshape(w.shape))), w.shape).ravel()

    def product(v: Array) -> Array:
        V = v.reshape(w.shape)
        w.work.products += 2.0
        return as_array(model.hessian_product(w, design.matvec(V), Dense(V)), w.shape).ravel().astype(np.float64, copy=False)

    return product


def spans(f: SecondOrder, region: Region) -> bool:
    """Whether the region allows a span, and there are too many coordinates, or more of them than rows."""
    model, d = imaged(f), prod(f.domain)
    rank = d if model is None else min(model.design.n, d)
    return region.middle is not None and d > FEW and (d > MOST or rank < d or model is None)


def spanned(d: int) -> int:
    """The most directions of d numbers that a span may have, with 2e7 numbers together."""
    return int(min(SPANNED, max(2e7 / d, 20)))


class Directions:
    frame: Any
    small: Small
    kept: str  # the array of the frame that is saved
    frame_of: Callable[[Array], Frame]  # the frame of a saved array

    def __init__(self, f: SecondOrder) -> None:
        self.f = f

    def hold(self, frame: Frame) -> None:
        self.frame, self.small = frame, self.f.restricted(frame.block)

    def state(self) -> State:
        return {**prefixed(small=self.small.state()), self.kept: vars(self.frame)[self.kept]}

    def restore(self, state: State) -> None:
        self.hold(self.frame_of(state[self.kept]))
        self.small.restore(under("small", state))

    def trial(self, w: CoordinateIterate, y: Array, target: Array) -> Trial:
        """The steps from coordinates y to ``target``; where f sees images, that of the target is computed afresh."""
        f, there = imaged(self.f), w.array()
        self.frame.write(there.reshape(-1), target)
        if f is None:
            return LineTrial(self.f, w, w.toward(Dense(there)))
        move, view, model = w.reweighting(self.small.block, y, target - y), f.at(w), linear_model(f)
        view.lead(move, Dense(there).image(f.design))
        eps = float(np.finfo(view.z.dtype).eps)
        if model is None or f.traits.quadratic:
            return LineTrial(f, w, move, eps)
        if isinstance(f, Ridged):
            f.ridge.at(w).lead(move, there.ravel())
            return RidgedTrial(f, w, ImageTrial(f.bare, w, move, eps), f.ridge)
        return ImageTrial(model, w, move, eps)


class Coordinates(Directions):
    """The unit vectors of the coordinates in which f can fall."""

    frame: Units
    kept = "index"

    def __init__(self, f: SecondOrder, region: Region) -> None:
        super().__init__(f)
        self.region, self.d = region, prod(f.domain)
        self.frame_of = lambda kept: Units(self.d, kept.astype(np.intp))
        self.hold(Units(self.d, np.zeros(0, dtype=np.intp)))

    @property
    def index(self) -> Index:
        return self.frame.index

    def choose(self, w: CoordinateIterate, g: Array) -> bool:
        """Add all coordinates that can lower f at once, or those with the largest shares of the gap if there are too many."""
        x = w.x.ravel()
        wanted = self.region.free(g, x)
        many = len(wanted) > MOST and not isinstance(self.region, RowsRegion)  # there all are solved for, by products
        if many:
            shares = self.region.shares(g, x)[wanted]
            wanted = np.sort(wanted[np.argsort(-shares, kind="stable")[:MOST]])
        if not len(self.index):
            self.hold(Units(self.d, wanted))
            return many
        if len(self.index) > CROWDED * len(wanted):
            keep = np.isin(self.index, wanted).nonzero()[0]
            self.small.take(keep)
            self.frame = Units(self.d, self.index[keep])
        new = np.setdiff1d(wanted, self.index)
        if len(self.index) + len(new) > max(MOST, len(wanted)):
            self.hold(Units(self.d, wanted))
        elif len(new):
            self.small.extend(Units(self.d, new).block, w)
            self.frame = Units(self.d, np.concatenate([self.index, new]))
        return many


class Gradients(Directions):
    """The span of the gradients seen so far and of w − middle: it contains the segment from w to the best atom of a ball."""

    frame: Span
    kept = "rows"

    def __init__(self, f: SecondOrder, middle: Array) -> None:
        super().__init__(f)
        self.middle, self.frame_of = middle, Span
        self.most = spanned(len(middle))
        self.hold(Span(np.zeros((0, len(middle)))))

    def choose(self, w: CoordinateIterate, g: Array) -> bool:
        """Add g; a full span restarts with w and the latest directions."""
        arm = w.x.ravel() - self.middle
        if len(self.frame) >= self.most:
            span = Span(np.zeros((0, len(arm)))).beside(arm)
            for row in self.frame.rows[-(self.most // 3):]:
                span = span.beside(row)
            self.hold(span.beside(g))
            return False
        known = len(self.frame)
        span = (self.frame if known else self.frame.beside(arm)).beside(g)
        if not known:
            self.hold(span)
        elif len(span) > known:
            self.small.extend(Span(span.rows[known:]).block, w)
            self.frame = span
        return False


FAILED = 2  # rounds by products that may lead nowhere; then steps within faces do what is left

BY_FACTORS = RowsRegion | BoxRegion | CappedSimplexRegion | TurnoverRegion  # where systems of few rows are known


def coordinate_rounds(f: SecondOrder, S: AtomSet, w: Iterate, memory: SolverState, steps: int) -> Iterator[Progress]:
    """The rounds of `Corrective` over a set that has a region: gradient, certificate, Newton steps."""
    region = S.traits.region
    assert region is not None and isinstance(w, CoordinateIterate)
    oracle = memory.oracle(S)
    working: CoordinateWorking = memory.part(named("coordinates", memory), lambda: CoordinateWorking(f, region))
    for k in memory.count(first=0):
        if k == 0 and not memory.warm:
            working.begin(w)
        g = f.gradient(w)
        answer = oracle.argmin(g)
        estimate = f.gradient_dot(w) - answer.atom.dot(g)
        yield Progress.of(w, estimate, answer)
        if exhausted(f, S, w, estimate):
            return
        if k == 0 and isinstance(working.directions.small, ByProducts):
            compare_products(working.directions.small.f, w, answer.atom)
        if k == 0 and not memory.warm and working.near_a_corner(w, answer):
            continue
        gap = max(estimate, ROUNDING * (abs(f.value(w)) + abs(f.gradient_dot(w))))
        if working.failed > FAILED:
            working.step_within(S, w, g, answer)
            continue
        if working.directions.choose(w, as_array(g, w.shape).ravel()):
            working.step_toward(w, answer)
        moved = working.improve(w, gap, steps, gap > EARLY * abs(f.value(w)))
        if not moved and estimate >= gap:  # the quadratic was not solved, and the gap is more than rounding
            working.step_toward(w, answer)


class CoordinateWorking(RowSampling):
    """The directions that are solved for together, how far the rounds have come, and how often products led nowhere."""

    def __init__(self, f: SecondOrder, region: Region) -> None:
        self.f, self.region, self.failed = f, region, 0
        middle = region.middle if spans(f, region) else None
        self.directions: Coordinates | Gradients = Coordinates(f, region) if middle is None else Gradients(f, middle)

    def begin(self, w: CoordinateIterate) -> None:
        """Start at the region's own point, mostly the one nearest to the origin, if f is lower there.

        A corner of a large box is far from where models fit, and losses may be flat there. If many points are optimal, the run
        ends near its start, and the smaller its entries are, the less rounding there is.
        """
        there = self.region.begin(w.x.size)
        if there is not None:
            move_if_lower(self.f, w, Dense(there.reshape(w.shape)))

    def near_a_corner(self, w: CoordinateIterate, answer: Answer) -> bool:
        """Where only products are known, move w to the answer if f is lower there; there guesses of faces mostly cycle."""
        if not isinstance(self.region, RowsRegion) or w.x.size <= MOST or not move_if_lower(self.f, w, answer.atom):
            return False
        self.failed = FAILED
        return True

    def step_toward(self, w: CoordinateIterate, answer: Answer) -> None:
        """A Frank-Wolfe step, which moves the coordinates that are left out as well."""
        self._follow(w, w.toward(answer.atom))

    def step_within(self, S: AtomSet, w: CoordinateIterate, g: Gradient, answer: Answer) -> None:
        """A step within the face that holds w, where S knows its faces; else toward the answer."""
        self._follow(w, pairwise_within(S, w, g, answer.atom) if S.traits.faces else w.toward(answer.atom))

    def _follow(self, w: CoordinateIterate, move: Direction) -> None:
        w.move(move, min(move.max_step, max(0.0, float(self.f.along(w, move).argmin()))))
        self._keep_inside(w)

    def improve(self, w: CoordinateIterate, gap: float, steps: int, early: bool) -> bool:
        """Minimise f along these directions to a tenth of ``gap``, by at most ``steps`` Newton steps; whether one was made."""
        sample = self.sample(gap, early)
        if not len(self.directions.frame):
            return False
        small, frame, quadratic = self.directions.small, self.directions.frame, self.f.traits.quadratic
        for i in range(steps):
            grad, x = small.gradient(w), w.x.ravel()
            y, section = frame.read(x), self.region.section(frame, x)
            left = section.gap(grad, y)
            if i and left <= INNER * gap:
                return True
            target = self._solved(w, section, grad, y, (EXACT if quadratic else ROUGH) * left, sample)
            if target is None:
                return i > 0
            step = self._move(w, section, grad, y, target)
            if step <= 0.0 or quadratic:
                return i > 0 or step > 0.0
        return True

    def _solved(self, w: CoordinateIterate, section: Section, grad: Array, y: Array, tol: float, sample: int) -> Array | None:
        """The minimiser of the quadratic model along these directions; None where numbers have left their range."""
        small = self.directions.small
        if isinstance(section, RowsRegion):
            only = len(grad) > MOST
            product = by_products(self.f, small, w) if only or not self.failed else None
            found = None if product is None else section.solve_by_products(product, grad, y, tol)
            if found is None and (only or product is not None):
                self.failed += 1
            if found is None and product is not None and only and self.failed <= FAILED:
                found = section.solve_by_products(product, grad, y, tol, HELD)
            if found is not None or only:
                return found
        factors = small.factors(w) if isinstance(section, BY_FACTORS) and isinstance(small, Restricted) else None
        if isinstance(section, BY_FACTORS) and factors is not None:
            finite = bool(np.isfinite(factors[0]).all() and np.isfinite(factors[1]).all() and np.isfinite(grad).all())
            return section.solve_factored(*factors, grad, y, tol) if finite else None
        H = small.hessian(w, sample)
        return section.solve(H, grad, y, tol) if np.isfinite(H).all() and np.isfinite(grad).all() else None

    def _move(self, w: CoordinateIterate, section: Section, grad: Array, y: Array, target: Array) -> float:
        """Go from y toward ``target`` along these directions; how far."""
        trial = self.directions.trial(w, y, target)
        step = newton_step(self.f, w, trial, section.slope(grad, y, target))
        if step <= 0.0:
            return 0.0
        trial.commit(step)
        if step == 1.0:
            self.directions.frame.write(w.x.reshape(-1), target)  # rounding may have missed a bound
        self._keep_inside(w)
        return step

    def _keep_inside(self, w: CoordinateIterate) -> None:
        """Rounding may have left the set by a unit in the last place; where it is more, the views of w are computed again."""
        x = w.x.ravel()
        near = self.region.nearest(x)
        far = float(np.abs(near - x).max(initial=0.0))
        w.x[...] = near.reshape(w.shape)
        if far > np.finfo(np.float64).eps * float(np.abs(near).max(initial=0.0)):
            w.refresh()

    def state(self) -> State:
        return {**self.directions.state(), "sampling": np.array([self.sampling, self.gap, self.failed])}

    def restore(self, state: State) -> None:
        self.directions.restore(state)
        sampling, self.gap, failed = state["sampling"].tolist()
        self.sampling, self.failed = bool(sampling), int(failed)
