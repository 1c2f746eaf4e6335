"""Corrective rounds over a box: the product of its segments, one weight for each coordinate.

With the two ends of segment j as atoms, wⱼ = (1 − tⱼ)·lowerⱼ + tⱼ·upperⱼ, so that a coordinate says all there is to say of its
weights. A round minimises f over all coordinates that are not at a bound toward which f falls, by Newton steps within the box.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from greedyhull.kernels.box_qp import free_coordinates, gap_shares, solve_box_qp
from greedyhull.objectives.by_products import ByProducts, compare_products
from greedyhull.objectives.restricted import ImageTrial
from greedyhull.objectives.trial import LineTrial
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock, Dense
from greedyhull.points.states import under
from greedyhull.solvers.parts.corrective_numbers import CROWDED, EARLY, EXACT, INNER, ROUGH, ROUNDING, SAMPLE, SLOW
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.working_set import newton_step
from greedyhull.types import Answer, Array, AtomSet, Index, SecondOrder, State, Trial
from greedyhull.types.kinds import imaged, linear_model

MOST = 2000  # coordinates of a box that are solved for together: their Hessian is kept, and factorised


def box_rounds(f: SecondOrder, S: AtomSet, w: Iterate, memory: Memory, steps: int) -> Iterator[Progress]:
    """The rounds of `Corrective` over a box: gradient, certificate, Newton steps."""
    assert S.traits.bounds is not None and isinstance(w, CoordinateIterate)
    oracle, bounds = memory.oracle(S), S.traits.bounds
    working: BoxWorking = memory.part("box", lambda: BoxWorking(f, *bounds))
    for k in memory.count(first=0):
        if k == 0 and not memory.warm:
            working.begin(w)
        g = f.gradient(w)
        answer = oracle.argmin(g)
        estimate = f.gradient_dot(w) - answer.atom.dot(g)
        yield Progress.of(w, estimate, answer)
        if k == 0 and isinstance(working.small, ByProducts):
            compare_products(working.small.f, w, answer.atom)
        gap = max(estimate, ROUNDING * (abs(f.value(w)) + abs(f.gradient_dot(w))))
        if working.choose(w, as_array(g, w.shape)):
            working.step_toward(w, answer)
        working.improve(w, gap, steps, gap > EARLY * abs(f.value(w)))


class BoxWorking:
    """The coordinates that are solved for together, with f as a function of them."""

    def __init__(self, f: SecondOrder, low: Array, high: Array) -> None:
        self.f, self.low, self.high = f, low.ravel(), high.ravel()
        self.gap, self.sampling = np.inf, True
        self.hold(np.zeros(0, dtype=np.intp))

    def hold(self, index: Index) -> None:
        """Solve for these coordinates, and no others."""
        self.index, self.small = index, self.f.restricted(self._units(index))

    def _units(self, index: Index) -> BasisBlock:
        return BasisBlock(len(self.low), index, np.ones(len(index)))

    def choose(self, w: CoordinateIterate, g: Array) -> bool:
        """Let all coordinates join that can lower f at once; whether there were more than can be solved for together.

        If so, those that have the largest shares of the gap are taken.
        """
        x, g = w.x.ravel(), g.ravel()
        wanted = free_coordinates(g, x, self.low, self.high)
        many = len(wanted) > MOST
        if many:
            shares = gap_shares(g, x, self.low, self.high)[wanted]
            wanted = np.sort(wanted[np.argsort(-shares, kind="stable")[:MOST]])
        if len(self.index) > CROWDED * len(wanted):
            keep = np.isin(self.index, wanted).nonzero()[0]
            self.small.take(keep)
            self.index = self.index[keep]
        new = np.setdiff1d(wanted, self.index)
        if not len(self.index) or len(self.index) + len(new) > max(MOST, len(wanted)):
            self.hold(wanted)
        elif len(new):
            self.small.extend(self._units(new), w)
            self.index = np.concatenate([self.index, new])
        return many

    def begin(self, w: CoordinateIterate) -> None:
        """Go to the point of the box nearest to the origin if f is lower there.

        A corner of a large box is far from where models fit, and losses may be flat there. For a quadratic no start is better.
        """
        if self.f.traits.quadratic:
            return
        move = w.toward(Dense(np.clip(0.0, self.low, self.high).reshape(w.shape)))
        line = self.f.along(w, move)
        if line.limit > 1.0 and line.value(1.0) < self.f.value(w):
            w.move(move, 1.0)

    def step_toward(self, w: CoordinateIterate, answer: Answer) -> None:
        """A Frank-Wolfe step, which moves the coordinates that are left out as well."""
        move = w.toward(answer.atom)
        line = self.f.along(w, move)
        w.move(move, min(1.0, max(0.0, float(line.argmin()))))
        self._keep_inside(w)

    def improve(self, w: CoordinateIterate, gap: float, steps: int, early: bool) -> None:
        """Minimise f over these coordinates to a tenth of ``gap``, by at most ``steps`` Newton steps.

        ``early``, the Hessian may come from a sample of the rows, until a round brings little.
        """
        self.sampling, self.gap = self.sampling and gap <= SLOW * self.gap, gap
        if not len(self.index):
            return
        small, low, high, quadratic = self.small, self.low[self.index], self.high[self.index], self.f.traits.quadratic
        for i in range(steps):
            grad, x = small.gradient(w), w.x.ravel()[self.index]
            left = float(gap_shares(grad, x, low, high).sum())
            if i and left <= INNER * gap:
                return
            H = small.hessian(w, SAMPLE if early and self.sampling else 1)
            if not (np.isfinite(H).all() and np.isfinite(grad).all()):
                return
            target = solve_box_qp(H, grad, x, low, high, (EXACT if quadratic else ROUGH) * left)
            step = self._move(w, x, target, float(grad.dot(target - x)))
            if step <= 0.0 or quadratic:
                return

    def _move(self, w: CoordinateIterate, x: Array, target: Array, slope: float) -> float:
        """Go from x toward ``target`` in these coordinates; how far."""
        trial = self._trial(w, x, target)
        step = newton_step(self.f, w, trial, slope)
        if step <= 0.0:
            return 0.0
        trial.commit(step)
        if step == 1.0:
            w.x.flat[self.index] = target  # rounding may have missed a bound
        self._keep_inside(w)
        return step

    def _keep_inside(self, w: CoordinateIterate) -> None:
        """Rounding may have left the box by a unit in the last place."""
        np.clip(w.x, self.low.reshape(w.shape), self.high.reshape(w.shape), out=w.x)

    def _trial(self, w: CoordinateIterate, x: Array, target: Array) -> Trial:
        """The steps from x to ``target``; where f sees images, that of the target is computed afresh."""
        f, there = imaged(self.f), w.array()
        there.flat[self.index] = target
        if f is None:
            return LineTrial(self.f, w, w.toward(Dense(there)))
        move, view, model = w.reweighting(self.small.block, x, target - x), f.at(w), linear_model(f)
        view.lead(move, Dense(there).image(f.design))
        eps = float(np.finfo(view.z.dtype).eps)
        return LineTrial(f, w, move, eps) if model is None or f.traits.quadratic else ImageTrial(model, w, move, eps)

    def state(self) -> State:
        small = {f"small.{name}": array for name, array in self.small.state().items()}
        return {**small, "index": self.index, "sampling": np.array([self.sampling, self.gap])}

    def restore(self, state: State) -> None:
        self.hold(state["index"].astype(np.intp))
        self.small.restore(under("small", state))
        sampling, self.gap = state["sampling"].tolist()
        self.sampling = bool(sampling)
