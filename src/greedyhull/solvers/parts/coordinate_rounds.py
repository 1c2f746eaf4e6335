"""Corrective rounds in coordinates, over boxes, l2 balls and bounded simplices: Newton steps that move many of them at once.

The hull of a few corners of a box, or of a few points of a sphere, approximates the set poorly. The set itself is simple: a
quadratic can be minimised over it. A round minimises f over the part of the set that can be reached from w along a frame of
directions: the unit vectors of the coordinates in which f can fall or, in a ball of many dimensions, the span of the
gradients seen so far.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from greedyhull.atoms.geometry.regions import BoxSection, FillingSection
from greedyhull.atoms.geometry.rows_region import RowsRegion, RowsSection
from greedyhull.atoms.geometry.traded_region import TradedSection
from greedyhull.kernels.rows_products import HELD
from greedyhull.objectives.by_products import ByProducts, compare_products
from greedyhull.objectives.restricted import Restricted
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Dense
from greedyhull.solvers.parts.corrective_numbers import EARLY, EXACT, INNER, ROUGH, ROUNDING, SAMPLE, SLOW
from greedyhull.solvers.parts.directions import MOST, Directions, directions_of
from greedyhull.solvers.parts.hessian_products import by_products
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.precision import exhausted, named
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.within_faces import pairwise_within
from greedyhull.solvers.parts.working_set import newton_step
from greedyhull.types import Answer, Array, AtomSet, Gradient, Region, SecondOrder, Section, State
from greedyhull.types.kinds import faced

EPS = float(np.finfo(np.float64).eps)
FAILED = 2  # rounds by products that may lead nowhere; then steps within faces do what is left

BY_FACTORS = RowsSection | BoxSection | FillingSection | TradedSection  # where systems of few rows are known


def coordinate_rounds(f: SecondOrder, S: AtomSet, w: Iterate, memory: Memory, steps: int) -> Iterator[Progress]:
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


class CoordinateWorking:
    """The directions that are solved for together, how far the rounds have come, and how often products led nowhere."""

    def __init__(self, f: SecondOrder, region: Region) -> None:
        self.f, self.region, self.gap, self.sampling, self.failed = f, region, np.inf, True, 0
        self.directions: Directions = directions_of(f, region)

    def begin(self, w: CoordinateIterate) -> None:
        """Go where the region says, mostly to the point nearest to the origin, if f is lower there.

        A corner of a large box is far from where models fit, and losses may be flat there. If many points are optimal, the run
        ends near its start, and the smaller its entries are, the less rounding there is.
        """
        there = self.region.begin(w.x.size)
        if there is None:
            return
        move = w.toward(Dense(there.reshape(w.shape)))
        line = self.f.along(w, move)
        if line.limit > 1.0 and line.value(1.0) < self.f.value(w):
            w.move(move, 1.0)

    def near_a_corner(self, w: CoordinateIterate, answer: Answer) -> bool:
        """Where only products are at hand: whether f is lower at the answer, where w goes then. Guesses of faces near a corner
        mostly go round in circles, so products may lead nowhere only once."""
        if not isinstance(self.region, RowsRegion) or w.x.size <= MOST:
            return False
        move = w.toward(answer.atom)
        line = self.f.along(w, move)
        if not (line.limit > 1.0 and line.value(1.0) < self.f.value(w)):
            return False
        w.move(move, 1.0)
        self.failed = FAILED
        return True

    def step_toward(self, w: CoordinateIterate, answer: Answer) -> None:
        """A Frank-Wolfe step, which moves the coordinates that are left out as well."""
        move = w.toward(answer.atom)
        line = self.f.along(w, move)
        w.move(move, min(1.0, max(0.0, float(line.argmin()))))
        self._keep_inside(w)

    def step_within(self, S: AtomSet, w: CoordinateIterate, g: Gradient, answer: Answer) -> None:
        """A step within the face that holds w, where S knows its faces; else toward the answer."""
        P = faced(S)
        if P is None:
            return self.step_toward(w, answer)
        move = pairwise_within(P, w, g, answer.atom)
        w.move(move, min(move.max_step, max(0.0, float(self.f.along(w, move).argmin()))))
        self._keep_inside(w)

    def improve(self, w: CoordinateIterate, gap: float, steps: int, early: bool) -> bool:
        """Minimise f along these directions to a tenth of ``gap``, by at most ``steps`` Newton steps; whether one was made.

        ``early``, the Hessian may come from a sample of the rows, until a round brings little.
        """
        self.sampling, self.gap = self.sampling and gap <= SLOW * self.gap, gap
        if not len(self.directions.frame):
            return False
        small, frame, quadratic = self.directions.small, self.directions.frame, self.f.traits.quadratic
        for i in range(steps):
            grad, x = small.gradient(w), w.x.ravel()
            y, section = frame.read(x), self.region.section(frame, x)
            left = section.gap(grad, y)
            if i and left <= INNER * gap:
                return True
            target = self._solved(w, section, grad, y, (EXACT if quadratic else ROUGH) * left, early)
            if target is None:
                return i > 0
            step = self._move(w, section, grad, y, target)
            if step <= 0.0 or quadratic:
                return i > 0 or step > 0.0
        return True

    def _solved(self, w: CoordinateIterate, section: Section, grad: Array, y: Array, tol: float, early: bool) -> Array | None:
        """The minimiser of the quadratic model along these directions; None where numbers have left their range."""
        small = self.directions.small
        if isinstance(section, RowsSection):
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
        H = small.hessian(w, SAMPLE if early and self.sampling else 1)
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
        """Rounding may have left the set by a unit in the last place; where it is more, what f knows of w is computed anew."""
        x = w.x.ravel()
        near = self.region.nearest(x)
        far = float(np.abs(near - x).max(initial=0.0))
        w.x[...] = near.reshape(w.shape)
        if far > EPS * float(np.abs(near).max(initial=0.0)):
            w.refresh()

    def state(self) -> State:
        return {**self.directions.state(), "sampling": np.array([self.sampling, self.gap, self.failed])}

    def restore(self, state: State) -> None:
        self.directions.restore(state)
        sampling, self.gap, *failed = state["sampling"].tolist()
        self.sampling, self.failed = bool(sampling), int(sum(failed))  # states of earlier versions have two numbers
