"""Variance-reduced Jones: atoms by values of a minibatch that is tilted to have a better gradient than its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from greedyhull.errors import check
from greedyhull.errors.hinted import hinted
from greedyhull.objectives.batch import source_of
from greedyhull.points.iterate import Iterate
from greedyhull.points.position import Position
from greedyhull.solvers.gradients.base import Estimate, Estimator
from greedyhull.solvers.gradients.svrg import Svrg
from greedyhull.solvers.parts.careful import step_at
from greedyhull.solvers.parts.drawn import Drawn
from greedyhull.solvers.parts.fused_steps import JONES, compiled_burst
from greedyhull.solvers.parts.joint.model import ModelChoice
from greedyhull.solvers.parts.looks import FullGap, Look, Looking, at_steps
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.rules import APriori
from greedyhull.solvers.parts.schedules import linear, tolerance_at, zero
from greedyhull.solvers.parts.steps import OpenLoop, in_advance
from greedyhull.solvers.parts.unmet import unmet
from greedyhull.types import AtomSet, CautiousSolver, Needs, Objective, Schedule, StepRule, Supply, Tolerant
from greedyhull.types.attributes import lacks
from greedyhull.types.override import KeepsCautiousSolver, KeepsTolerant, keeps, override


@hinted
@dataclass(frozen=True)
class VarianceReducedJones(KeepsCautiousSolver, KeepsTolerant):
    """Variance-reduced Jones: step toward the best atom for a minibatch whose gradient is corrected.

    w ← w + η_k(d − w), d the atom that minimises m(w + η_k(d − w)) up to η_kε_k, where m = f_B − ⟨∇f_B(w) − g, ·⟩, B is the
    minibatch of the step and g an estimate of ∇f(w) that may be better than ∇f_B(w). k is counted from one.

    Parameters
    ----------
    estimator : gradient estimator, optional
        How g is made, and from which minibatch; see `greedyhull.solvers.gradients`. By default ``Svrg(linear(24.0))``, for
        which the rate below is proved; smaller batches, such as ``Svrg(linear(4.0))``, are often faster. With `Minibatch` the
        steps are those of `StochasticJones`.
    step : step rule, default OpenLoop()
        Step sizes η_k, known in advance: `OpenLoop`, `Power`, `LogAdaptive` or `Constant`.
    tolerance : schedule, default zero
        Schedule ε_k: a step may miss the best value of m by η_kε_k.
    every : int, optional
        Certify the point at multiples of this step. By default as the work grows, as for `StochasticFrankWolfe`.
    look : FullGap, MinibatchGap or Regret, default FullGap()
        How the point is certified: on all terms, on a fresh sample, or by the regret of the run.

    See Also
    --------
    StochasticJones : The same without correction; chooses step sizes jointly if asked to.
    StochasticFrankWolfe : The same estimators, atoms by gradients alone; cheaper steps.

    Notes
    -----
    For convex terms E e_{k+1} ≤ (1 − η_k)E e_k + η_k(Δ√a_k + ε_k) + ½(M + V)η_k², where a_k is the mean squared error of g,
    Δ = r_S if g is unbiased and D otherwise, M the curvature of f and V ≤ M that of `theory.jones_rate`. If the terms are
    L-smooth everywhere, the defaults give E e_k ≤ 6LD²/(k + 1) for k ≥ 2 (`theory.variance_reduced_jones_rate`): an error ε
    takes O(1/ε) steps, O(1/ε²) terms and O(log 1/ε) passes. Where atoms cannot be listed d is the oracle's atom for g, and the
    steps are those of `StochasticFrankWolfe`.

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

    if TYPE_CHECKING:
        keeps(CautiousSolver.needs, Tolerant.tolerance)

    def __post_init__(self) -> None:
        if self.estimator is None:
            object.__setattr__(self, "estimator", Svrg(linear(24.0)))
        check(not lacks(self.estimator, "start"),
              f"estimator={self.estimator!r} was given; an estimator such as Svrg() is wanted.")
        check(isinstance(self.step, APriori) and not isinstance(self.step, type),
              f"step={self.step!r} was given; it needs values of f, which a stochastic solver does not compute. Use "
              "OpenLoop(), Power(p) or Constant(eta).")
        check(not at_steps(self.look, self.every).averages or self.estimator.unbiased,
              f"{self.look!r} needs estimates that are unbiased given the past, and {self.estimator!r} is not. Use Minibatch, "
              "Svrg or Saga, or look=MinibatchGap(1000).")

    @override
    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        check(f.traits.convex, f"{f!r} is not convex, and the choice of an atom by values needs convex terms. Use "
                               "StochasticFrankWolfe.svfw() or .spider().")
        step, oracle, x = in_advance(self.step), memory.oracle(S), w.view("position", Position)
        source: Supply = memory.part("source", lambda: source_of(f, memory.rng))
        drawn: Drawn = memory.part("drawn", lambda: Drawn(source))
        estimate: Estimate = memory.part("gradient", lambda: self.estimator.start(drawn))
        look: Looking = memory.part("look", lambda: at_steps(self.look, self.every).start(f, S, w, memory))
        choice, burst = ModelChoice(S, oracle), compiled_burst(self, f, S, source, estimate, look, JONES)
        for k in memory.count(first=1):
            if look.due(k, source.spent):
                yield look(w, {"spent": source.spent})
            if burst(w, x.array, memory):
                continue
            before, eta = source.spent, step_at(step, k - 1)
            g = estimate(x.array, k)
            look.seen(g, x.array, eta, k, estimate.spread)
            d, _ = choice.tilted(drawn.take(), g, x.array, eta, tolerance_at(self.tolerance, k - 1, memory.gap))
            w.work.products += 2.0 * (source.spent - before) / source.n
            w.move(w.toward(d), eta)

    @override
    def cautions(self, f: Objective, S: AtomSet) -> Iterator[str]:
        """Which conditions of its theorem this set-up does not meet."""
        return unmet(self.step, self.estimator, f)
