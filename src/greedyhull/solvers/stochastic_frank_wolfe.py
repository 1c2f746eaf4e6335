"""Stochastic Frank-Wolfe: one loop, and a gradient estimator that makes it one of eight algorithms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast

from greedyhull.errors import check, described, hinted
from greedyhull.points.coordinate_iterate import Position
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.gradients.base import Estimate, Estimator, Root, Size
from greedyhull.solvers.gradients.momentum import Minibatch, Momentum, Storm
from greedyhull.solvers.gradients.variance_reduced import Dual, Saga, Spider, Svrg
from greedyhull.solvers.parts.compiled_stochastic import compiled_stochastic
from greedyhull.solvers.parts.gap_evaluation import FULL_GAP, FullGap, Look, at_steps, sampled
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.requirements import theory_warnings
from greedyhull.solvers.parts.schedules import SETTINGS, linear, tolerance_at, zero
from greedyhull.solvers.parts.solver_state import SolverState
from greedyhull.solvers.parts.steps import Constant, OpenLoop, Power, check_advance, step_at
from greedyhull.types import AtomSet, Needs, Objective, Schedule, Solver, StepRule, lacks

if TYPE_CHECKING:
    from greedyhull.solvers.stochastic_jones import VarianceReducedJones


def check_estimated(solver: StochasticFrankWolfe | VarianceReducedJones) -> None:
    """Raise unless the estimator, the steps and the gap evaluation of a solver fit together."""
    check(not lacks(solver.estimator, "start"),
          f"estimator must be an estimator such as Minibatch(32) or Svrg(); got {solver.estimator!r}.")
    check_advance(solver.step, "OpenLoop(), Power(p) or Constant(eta)")
    check(not at_steps(solver.look, solver.every).averages or solver.estimator.unbiased,
          f"{solver.look!r} needs estimates that are unbiased given the past, and {solver.estimator!r} is not. Use Minibatch, "
          "Svrg or Saga, or look=MinibatchGap(1000).")


OPEN_LOOP, TWO_THIRDS = OpenLoop(), Root(2.0 / 3.0)  # defaults of the named methods


class Named(Protocol):
    def __call__(self, *, batch: Size | None = ..., step: StepRule = ..., tolerance: Schedule = ..., every: int | None = ...,
                 look: Look = ...) -> StochasticFrankWolfe: ...


def named(name: str, estimator: Callable[[Any], Estimator], batch: Size | None, step: StepRule, summary: str) -> Named:
    """Return the class method for an estimator, with its default batches and steps."""

    def make(cls: type[StochasticFrankWolfe], *, batch: Size | None = batch, step: StepRule = step, tolerance: Schedule = zero,
             every: int | None = None, look: Look = FULL_GAP) -> StochasticFrankWolfe:
        return cls(estimator(batch), step, tolerance, every, look)

    make.__name__, make.__qualname__ = name, f"StochasticFrankWolfe.{name}"
    make.__doc__ = f"""{summary}

        Parameters
        ----------
        batch : int, Root or schedule, optional
            Terms drawn at each step.
        step, tolerance, every, look : optional
            As for the class.

        Examples
        --------
        >>> StochasticFrankWolfe.{name}(every=100).every
        100
        """
    return cast(Named, classmethod(make))


@hinted
@described(SETTINGS)
@dataclass(frozen=True)
class StochasticFrankWolfe(Solver):
    """Stochastic Frank-Wolfe: step toward the best atom for an estimate of the gradient.

    w ← w + η_k(d − w), d an ε_k-approximate minimiser of ⟨g, ·⟩ for an estimate g of ∇f(w), k counted from one. The class
    methods are eight published algorithms. If f is not convex, the point returned is drawn from w_1, …, w_k with weights η_i.

    Parameters
    ----------
    estimator : gradient estimator, default Minibatch(linear())
        How g is made. Variance reduction (`Dual`, `Saga`, `Svrg`, `Spider`) converges faster.
    step : step rule, default Power(0.5)
        Step sizes η_k, known in advance: `OpenLoop`, `Power`, `LogAdaptive` or `Constant`.
    {tolerance, every, look}

    Notes
    -----
    With the defaults, b_k = k and η_k = k^−1/2, it is the paper's ASFW: E e_k ≤ √2(r_S σ + M/2 + c)/√k for ε_k ≤ cη_k.
    Batches are asked at k. Step rules and tolerances count from zero and are asked at k − 1, so that the first step is one:
    `Power(p)` is k^−p, `OpenLoop()` 2/(k + 1). ``also["spent"]`` of an event counts the gradients of terms, without those of
    certificates.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(2), np.array([0.3, 0.7]))
    >>> s = gh.minimize(f, gh.Simplex(2), gh.StochasticFrankWolfe.dual(batch=1), stop=gh.Gap(1e-3))
    >>> s.converged
    True
    """

    estimator: Estimator = field(default_factory=lambda: Minibatch(linear()))
    step: StepRule = field(default=Power(0.5))
    tolerance: Schedule = zero
    every: int | None = None
    look: Look = field(default=FullGap())
    needs = Needs(smooth=True, atoms=False, terms=True)

    def __post_init__(self) -> None:
        check_estimated(self)

    minibatch = named(
        "minibatch", Minibatch, linear(), Power(0.5),
        "ASFW, the paper's: b_k = k and η_k = k^−1/2 give E e_k = O(k^−1/2).")
    momentum = named(
        "momentum", Momentum, 32, Power(1.0),
        "Averaged gradients (Mokhtari, Hassani and Karbasi): E e_k = O(k^−1/3) with batches of any size.")
    storm = named(
        "storm", Storm, 32, Power(1.0),
        "One-sample stochastic Frank-Wolfe: E e_k = O(k^−1/2) with batches of any size.")
    spider = named(
        "spider", Spider, None, OPEN_LOOP,
        "SPIDER-FW: E e_k ≤ 10LD²/(k + 1) for k ≥ 2, with the default batches: as many terms as the epoch has steps.")
    svrf = named(
        "svrf", Svrg, None, OPEN_LOOP,
        "SVRF (Hazan and Luo), without restarts of the steps: E e_k ≤ 4LD²/(k + 1) for k ≥ 2 with the default batches.")
    saga = named(
        "saga", Saga, 32, OPEN_LOOP,
        "SAGA-FW: E e_k = O(1/k) for linear models, with batches of any size.")
    dual = named(
        "dual", Dual, 32, OPEN_LOOP,
        "Per-sample duals (Négiar et al.): E e_k = O(1/k) for linear models, with batches of any size.")

    @classmethod
    def svfw(cls, horizon: int = 1000, *, batch: Size = TWO_THIRDS, step: StepRule | None = None, tolerance: Schedule = zero,
             every: int | None = None, look: Look = FULL_GAP) -> StochasticFrankWolfe:
        """SVFW, for f that need not be convex, with snapshots every ⌈n^1/3⌉ steps.

        The mean of the gaps of T = ``horizon`` steps is at most √3(e_1 + LD²/2)/√T in expectation.

        Parameters
        ----------
        horizon : int, default 1000
            T, the number of steps that the step size is made for.
        batch : int, Root or schedule, default Root(2/3)
            Terms drawn at each step.
        step : step rule, optional
            By default the constant (3T)^−1/2.
        tolerance, every, look : optional
            As for the class.

        Examples
        --------
        >>> StochasticFrankWolfe.svfw(horizon=300).step.at(0)  # 900^−1/2
        0.03333333333333333
        """
        check(horizon >= 1, f"horizon must be a number of steps, at least 1; got {horizon!r}.")
        step = Constant((3.0 * horizon) ** -0.5) if step is None else step
        return cls(Svrg(batch, Root(1.0 / 3.0)), step, tolerance, every, look)

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: SolverState) -> Iterator[Progress]:
        oracle, x = memory.oracle(S), w.view("position", Position)
        source, look, steps = sampled(self, f, S, w, memory)
        estimate: Estimate = memory.part("gradient", lambda: self.estimator.start(source))
        compiled = compiled_stochastic(self, f, S, source, estimate, look, x)
        for k in steps:
            if look.due(k, source.spent):
                yield look(w, {"spent": source.spent})
            if compiled is not None and compiled.advance(w, memory):
                continue
            eta, g = step_at(self.step, k - 1), estimate(x.array, k)
            look.seen(g, x.array, eta, k, estimate.spread)
            d = oracle.argmin(g, tol=tolerance_at(self.tolerance, k - 1, memory.gap)).atom
            w.move(w.toward(d), eta)

    def cautions(self, f: Objective, S: AtomSet) -> Iterator[str]:
        return theory_warnings(self.step, self.estimator, f)
