"""Stochastic Jones, with growing batches or with variance reduction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from greedyhull.errors import check, described, hinted
from greedyhull.objectives.minibatches import count_of
from greedyhull.points.coordinate_iterate import Average, CoordinateIterate, Position
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.gradients.base import Estimate, Estimator, Size, check_size, size
from greedyhull.solvers.gradients.variance_reduced import Svrg
from greedyhull.solvers.parts.compiled_stochastic import JONES, compiled_stochastic
from greedyhull.solvers.parts.gap_evaluation import FULL_GAP, FullGap, Look, at_steps, sampled, seen_from
from greedyhull.solvers.parts.joint import MinibatchChoice, ModelChoice
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.requirements import theory_warnings
from greedyhull.solvers.parts.schedules import SETTINGS, Growing, Grown, linear, tolerance_at, zero
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.solvers.parts.steps import APriori, Capped, Constant, Exact, OpenLoop, Power, step_at
from greedyhull.solvers.stochastic_frank_wolfe import OPEN_LOOP, check_estimated
from greedyhull.theory import diverges
from greedyhull.theory.rates import LATE, LATER
from greedyhull.types import AtomSet, Needs, Objective, Schedule, Solver, StepRule


@hinted
@described(SETTINGS)
@dataclass(frozen=True)
class StochasticJones(Solver):
    """Stochastic Jones (the paper's ASJ): step toward the atom that minimises the mean of a few terms, drawn anew.

    w ← w + η_k(d − w) with f̃(w + η_k(d − w)) ≤ min over S + η_kε_k, f̃ the mean of b_k terms, k counted from one. Two points
    have bounds: the last, w_k, and the mean Σ η_i w_i/Σ η_i of those before it.

    Parameters
    ----------
    batch : int, Root, schedule or Growing, default linear()
        Terms b_k drawn at step k. `Growing` takes as many as the rate 1/k needs.
    step : step rule, default Power(0.5)
        A rule known in advance, or `Capped` of one, which chooses d and η in [0, η_k] jointly and has the same bounds.
        `Exact`, η in [0, 1], need not converge (Proposition asj-eg).
    tolerance : schedule, default zero
        Schedule ε_k: a step may miss the best value of f̃ by η_kε_k.
    point : {"last", "average"}, optional
        Which point is certified and returned. By default the mean for `Constant` steps and the last otherwise. The other
        one is ``also["average"]`` or ``also["last"]`` of an event.
    {every, look}

    Notes
    -----
    With the defaults, b_k = k and η_k = k^−1/2, E e_k ≤ √2(r_S σ + M + c)/√k for k ≥ 2 if ε_k ≤ cη_k. M is the curvature of f,
    σ² the largest variance of a term's gradient, r_S the circumradius of S.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(2), np.array([0.3, 0.7]))
    >>> s = gh.minimize(f, gh.Simplex(2), gh.StochasticJones(gh.Growing()), stop=gh.Iterations(50))
    >>> bool(s.value < 0.01)
    True
    """

    batch: Size | Growing = field(default=linear())
    step: StepRule = field(default=Power(0.5))
    tolerance: Schedule = zero
    point: str | None = None
    every: int | None = None
    look: Look = field(default=FullGap())
    needs = Needs(atoms=False, terms=True)

    def __post_init__(self) -> None:
        if not isinstance(self.batch, Growing):
            check_size("batch", self.batch)
        check(isinstance(self.step, (Exact, Capped)) or (isinstance(self.step, APriori) and not isinstance(self.step, type)),
              f"step must be known in advance, such as Power(0.5), or Capped(Power(0.5)) or Exact(); got {self.step!r}.")
        check(self.point in (None, "last", "average"), f"point must be 'last', 'average' or None; got {self.point!r}.")
        check(not at_steps(self.look, self.every).averages or self.point != "last",
              f"point must not be 'last' with {self.look!r}, which certifies the mean. Leave point out, or use FullGap().")

    @classmethod
    def fixed(cls, horizon: int, *, batch: Size | None = None, step: StepRule | None = None, tolerance: Schedule = zero,
              point: str | None = None, every: int | None = None, look: Look = FULL_GAP) -> StochasticJones:
        """Constant steps for a known number t of them: E f(w̄) − min f ≤ (e_1 + r_S σ + M + c)/√t.

        Parameters
        ----------
        horizon : int
            The number of steps t.
        batch : int, Root or schedule, optional
            Terms drawn at each step. By default t.
        step : step rule, optional
            By default the constant t^−1/2.
        tolerance, point, every, look : optional
            As for the class.

        Examples
        --------
        >>> solver = StochasticJones.fixed(horizon=100)
        >>> solver.batch, solver.step
        (100, Constant(eta=0.1))
        """
        check(horizon >= 1, f"horizon must be a number of steps, at least 1; got {horizon!r}.")
        batch = int(horizon) if batch is None else batch
        step = Constant(horizon**-0.5) if step is None else step
        return cls(batch, step, tolerance, point, every, look)

    @classmethod
    def growing(cls, sigma: float | None = None, tau: float | None = None, *, step: StepRule = OPEN_LOOP,
                tolerance: Schedule = zero, point: str | None = None, every: int | None = None,
                look: Look = FULL_GAP) -> StochasticJones:
        """Growing batches b_k = ⌈(r_S σ/(τη_k))²⌉ with η_k = 2/(k + 1): E e_k ≤ 4(M + c + τ)/(k + 1).

        Parameters
        ----------
        sigma : float, optional
            Standard deviation σ of a term's gradient, at most. By default it is computed from f and S.
        tau : float, optional
            Noise τ that is allowed. By default 2M, which takes the fewest terms.
        step : step rule, default OpenLoop()
            Step sizes η_k; ``Capped(OpenLoop())`` chooses step and atom jointly.
        tolerance, point, every, look : optional
            As for the class.

        Examples
        --------
        >>> StochasticJones.growing(sigma=2.0, tau=0.5).step
        OpenLoop(ell=2.0)
        """
        return cls(Growing(sigma, tau), step, tolerance, point, every, look)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        check(f.traits.convex, f"{f!r} is not convex, and the choice of an atom by values needs convex terms. Use "
                               "StochasticFrankWolfe.svfw() or .spider().")
        oracle, x = memory.oracle(S), w.view("position", Position)
        mean: Average = w.view("average", lambda: Average(w))
        source, look, steps = sampled(self, f, S, w, memory)
        choice, batches, planned = MinibatchChoice(S, oracle), self.batches(f, S), isinstance(self.step, APriori)
        for k in steps:
            if look.due(k, source.spent):
                yield look(*self._seen(w, mean, source.spent))
            before, eta, epsilon = source.spent, self.eta(k), tolerance_at(self.tolerance, k - 1, memory.gap)
            batch = source.draw(size(batches, k, source.terms))
            if self.look.averages:  # it wants unbiased gradients at the points, which a choice by values does not show
                b = source.spent - before
                look.seen(batch.gradient(x.array), x.array, eta, eta, b**-0.5 if b < source.n else 0.0)
            if planned:
                d, step = choice.at(batch, x.array, eta, epsilon)
            else:
                planned_eta = OpenLoop().at(k - 1) if isinstance(self.step, Exact) else eta  # of the tolerance η_kε_k
                d, step = choice.jointly(batch, x.array, eta, epsilon * planned_eta)
            mean.include(eta)
            w.move(w.toward(d), step)

    @cached_property
    def schedule(self) -> StepRule:
        if isinstance(self.step, Exact):
            return Constant(1.0)
        return self.step.rule if isinstance(self.step, Capped) else self.step

    def eta(self, k: int) -> float:
        """η_k, k from one: the step, or the largest that a joint choice may take."""
        return step_at(self.schedule, k - 1)

    def batches(self, f: Objective, S: AtomSet) -> Size:
        return self.batch.begin(f, S, self.eta) if isinstance(self.batch, Growing) else self.batch

    @property
    def averages(self) -> bool:
        """Whether the mean of the points is the one that is returned."""
        if self.look.averages:
            return True
        return isinstance(self.step, Constant) if self.point is None else self.point == "average"

    def _seen(self, w: Iterate, mean: Average, spent: int) -> tuple[Iterate, dict[str, Any]]:
        if self.look.averages:
            return w, {"spent": spent}
        average = seen_from(w, CoordinateIterate(mean.array()))
        return (average, {"spent": spent, "last": w.copy()}) if self.averages else (w, {"spent": spent, "average": average})

    def cautions(self, f: Objective, S: AtomSet) -> Iterator[str]:
        if not f.traits.smooth:
            yield (f"Theorem ASJ needs a finite curvature, and {f!r} has kinks: a greedy choice by values may stall "
                   "above the minimum. Use Smoothed(), or RegularizedStochasticFrankWolfe() for minibatches.")
        batches, n = Grown(1.0, self.eta) if isinstance(self.batch, Growing) else self.batch, count_of(f)
        late, later = (float(size(batches, k, n)) for k in (LATE, LATER))
        if n is not None and later >= n:  # in the end nothing is left to chance
            return
        if isinstance(self.step, Exact):
            yield (f"Proposition asj-eg: with batches of {later:g} terms and step and atom chosen jointly without a cap, the "
                   "iterates may never settle. Use Capped(Power(0.5)) and growing batches.")
            return
        if later * self.eta(LATER) ** 2 < 0.5 * late * self.eta(LATE) ** 2:
            yield (f"Theorem ASJ asks for batches that grow like η_k^−2, and {self.batch!r} grows more slowly with "
                   f"{self.step!r}: noise may keep the error from vanishing. Use linear() with Power(0.5), or Growing().")
        if not diverges(lambda k: self.eta(k + 1)):
            yield (f"Theorem 1: the steps of {self.step!r} have a finite sum, and the points need not reach the minimum. Use "
                   "Power(0.5).")
        rule = self.schedule
        if isinstance(rule, Power) and rule.p >= 1.0:
            yield "Theorem ASJ: the constant of its bound is infinite for p = 1. Use Power(0.5), or OpenLoop()."


@hinted
@described(SETTINGS)
@dataclass(frozen=True)
class VarianceReducedJones(Solver):
    """Variance-reduced Jones: step toward the best atom for a minibatch whose gradient is corrected.

    w ← w + η_k(d − w), d the atom that minimises m(w + η_k(d − w)) up to η_kε_k, where m = f_B − ⟨∇f_B(w) − g, ·⟩, B is the
    minibatch of the step and g an estimate of ∇f(w) that may be better than ∇f_B(w). k is counted from one.

    Parameters
    ----------
    estimator : gradient estimator, optional
        How g is made, and from which minibatch. By default ``Svrg(linear(24.0))``, for which the rate below is proved;
        smaller batches are often faster. With `Minibatch` the steps are those of `StochasticJones`.
    step : step rule, default OpenLoop()
        Step sizes η_k, known in advance: `OpenLoop`, `Power`, `LogAdaptive` or `Constant`.
    tolerance : schedule, default zero
        Schedule ε_k: a step may miss the best value of m by η_kε_k.
    {every, look}

    Notes
    -----
    For convex terms E e_{k+1} ≤ (1 − η_k)E e_k + η_k(Δ√a_k + ε_k) + ½(M + V)η_k², where a_k is the mean squared error of g,
    Δ = r_S if g is unbiased and D otherwise, M the curvature of f and V ≤ M that of `theory.jones_rate`. If the terms are
    L-smooth everywhere, the defaults give E e_k ≤ 6LD²/(k + 1) for k ≥ 2 (`theory.variance_reduced_jones_rate`). Where atoms
    cannot be listed d is the oracle's atom for g, and the steps are those of `StochasticFrankWolfe`.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(2), np.array([0.3, 0.7]))
    >>> s = gh.minimize(f, gh.Simplex(2), gh.VarianceReducedJones(), stop=gh.Gap(1e-3))
    >>> s.converged
    True
    """

    estimator: Estimator = field(default_factory=lambda: Svrg(linear(24.0)))
    step: StepRule = field(default=OpenLoop())
    tolerance: Schedule = zero
    every: int | None = None
    look: Look = field(default=FullGap())
    needs = Needs(smooth=True, atoms=False, terms=True)

    def __post_init__(self) -> None:
        if self.estimator is None:
            object.__setattr__(self, "estimator", Svrg(linear(24.0)))
        check_estimated(self)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        check(f.traits.convex, f"{f!r} is not convex, and the choice of an atom by values needs convex terms. Use "
                               "StochasticFrankWolfe.svfw() or .spider().")
        oracle, x = memory.oracle(S), w.view("position", Position)
        source, look, steps = sampled(self, f, S, w, memory)
        estimate: Estimate = memory.part("gradient", lambda: self.estimator.start(source))
        choice, compiled = ModelChoice(S, oracle), compiled_stochastic(self, f, S, source, estimate, look, x, JONES)
        for k in steps:
            if look.due(k, source.spent):
                yield look(w, {"spent": source.spent})
            if compiled is not None and compiled.advance(w, memory):
                continue
            eta, g = step_at(self.step, k - 1), estimate(x.array, k)
            look.seen(g, x.array, eta, k, estimate.spread)
            d, _ = choice.tilted(source.take(), g, x.array, eta, tolerance_at(self.tolerance, k - 1, memory.gap))
            w.move(w.toward(d), eta)

    def cautions(self, f: Objective, S: AtomSet) -> Iterator[str]:
        return theory_warnings(self.step, self.estimator, f)
