"""Stochastic Frank-Wolfe: one loop, and a gradient estimator that makes it one of eight algorithms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from greedyhull.errors import check
from greedyhull.gradients.base import Cautious, Estimate, Estimator, Root
from greedyhull.gradients.dual import Dual
from greedyhull.gradients.minibatch import Minibatch
from greedyhull.gradients.momentum import Momentum
from greedyhull.gradients.saga import Saga
from greedyhull.gradients.spider import Spider
from greedyhull.gradients.storm import Storm
from greedyhull.gradients.svrg import Svrg
from greedyhull.objectives.batch import count_of, source_of
from greedyhull.points.iterate import Iterate
from greedyhull.points.position import Position
from greedyhull.solvers.parts.careful import step_at
from greedyhull.solvers.parts.fused_steps import compiled_burst
from greedyhull.solvers.parts.looks import FullGap, Look, Looking, at_steps
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.rules import APriori
from greedyhull.solvers.parts.schedules import linear, tolerance_at, zero
from greedyhull.solvers.parts.steps import Constant, OpenLoop, Power, in_advance
from greedyhull.theory import diverges
from greedyhull.types import AtomSet, Needs, Objective, Schedule, StepRule, Supply
from greedyhull.types.attributes import lacks


@dataclass(frozen=True)
class StochasticFrankWolfe:
    """w ← w + η_k(d − w), d an ε_k-approximate minimiser of ⟨g, ·⟩ for an estimate g of ∇f(w); k counts from one.

    With `Minibatch(linear())`, b_k = k, and η_k = k^−1/2 it is the paper's ASFW: E e_k ≤ 2(r_S σ + M/2 + c)/√k.

    Batches and shares ρ are asked at k. Step rules and tolerances are written for a count from zero and are asked at
    k − 1, so that the first step is one: `Power(p)` is k^−p, `OpenLoop()` 2/(k + 1), `harmonic(c)` c times that.

    ``look`` says how a point is certified: by all terms (`FullGap`), by a fresh sample (`MinibatchGap`), or by what the run
    has seen (`Regret`: then the point is the mean of the points, w_k with weight k). It is done now and then, as the work
    grows, at steps that are multiples of ``every``, and where a run must end. The gradients of terms that the estimator has
    asked for are ``also["spent"]`` of the event; looks are not among them. If f is not convex, the point is one of
    w_1, …, w_k, drawn with weights η_i: its expected gap is what theory bounds.
    """

    estimator: Estimator = field(default_factory=lambda: Minibatch(linear()))
    step: StepRule = field(default=Power(0.5))
    tolerance: Schedule = zero
    every: int | None = None
    look: Look = field(default=FullGap())
    needs = Needs(smooth=True, atoms=False, terms=True)

    def __post_init__(self) -> None:
        check(not lacks(self.estimator, "start"),
              f"estimator={self.estimator!r} was given; an estimator such as Minibatch(32) is wanted.")
        check(isinstance(self.step, APriori), f"step={self.step!r} was given; it needs values of f, which a stochastic solver "
                                              "does not compute. Use OpenLoop(), Power(p) or Constant(eta).")
        check(not at_steps(self.look, self.every).averages or self.estimator.unbiased,
              f"{self.look!r} needs estimates that are unbiased given the past, and {self.estimator!r} is not. Use Minibatch, "
              "Svrg or Saga, or look=MinibatchGap(1000).")

    @classmethod
    def minibatch(cls) -> StochasticFrankWolfe:
        """ASFW with b_k = k and η_k = k^−1/2: E e_k = O(k^−1/2)."""
        return cls()

    @classmethod
    def momentum(cls) -> StochasticFrankWolfe:
        """Mokhtari, Hassani and Karbasi: E e_k = O(k^−1/3) with batches of any size."""
        return cls(Momentum(), Power(1.0))

    @classmethod
    def storm(cls) -> StochasticFrankWolfe:
        """One-sample stochastic Frank-Wolfe: E e_k = O(k^−1/2) with batches of any size."""
        return cls(Storm(), Power(1.0))

    @classmethod
    def spider(cls) -> StochasticFrankWolfe:
        """SPIDER-FW: E e_k ≤ 10LD²/(k + 1) for k ≥ 2."""
        return cls(Spider(), OpenLoop())

    @classmethod
    def svrf(cls) -> StochasticFrankWolfe:
        """Stochastic variance-reduced Frank-Wolfe (Hazan and Luo), its steps never restarted: E e_k ≤ 4LD²/(k + 1), k ≥ 2."""
        return cls(Svrg(), OpenLoop())

    @classmethod
    def svfw(cls, horizon: int = 1000) -> StochasticFrankWolfe:
        """SVFW, for f that need not be convex: snapshots every ⌈n^1/3⌉ steps, b = ⌈n^2/3⌉, η = (3T)^−1/2.

        The mean of the gaps of T = ``horizon`` steps is at most √3(e_1 + LD²/2)/√T in expectation.
        """
        check(horizon >= 1, f"svfw(horizon={horizon!r}) was given; a number of steps, at least one, is wanted.")
        return cls(Svrg(Root(2.0 / 3.0), Root(1.0 / 3.0)), Constant((3.0 * horizon) ** -0.5))

    @classmethod
    def saga(cls) -> StochasticFrankWolfe:
        """SAGA-FW: E e_k = O(1/k) for linear models, any batch size."""
        return cls(Saga(), OpenLoop())

    @classmethod
    def dual(cls) -> StochasticFrankWolfe:
        """Négiar et al.: E e_k = O(1/k) for linear models, any batch size."""
        return cls(Dual(), OpenLoop())

    def run(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Iterator[Progress]:
        step = in_advance(self.step)
        oracle, x = memory.oracle(S), w.view("position", Position)
        source: Supply = memory.part("source", lambda: source_of(f, memory.rng))
        estimate: Estimate = memory.part("gradient", lambda: self.estimator.start(source))
        look: Looking = memory.part("look", lambda: at_steps(self.look, self.every).start(f, S, w, memory))
        burst = compiled_burst(self, f, S, source, estimate, look)
        for k in memory.count(first=1):
            if look.due(k, source.spent):
                yield look(w, {"spent": source.spent})
            if burst(w, x.array, memory):
                continue
            before, eta = source.spent, step_at(step, k - 1)
            g = estimate(x.array, k)
            look.seen(g, x.array, eta, k, estimate.spread)
            d = oracle.argmin(g, tol=tolerance_at(self.tolerance, k - 1, memory.gap)).atom
            w.work.products += 2.0 * (source.spent - before) / source.n
            w.move(w.toward(d), eta)

    def cautions(self, f: Objective, S: AtomSet) -> Iterator[str]:
        """Which conditions of its theorem this set-up does not meet."""
        step = in_advance(self.step)
        if not diverges(lambda k: step_at(step, k - 1)):
            yield (f"Theorem 1 asks for steps with an infinite sum, and those of {step!r} have a finite one: the points need "
                   "not reach the minimum. Use Power(0.5) or OpenLoop().")
        if isinstance(self.estimator, Cautious):
            yield from self.estimator.cautions(lambda k: step_at(step, k - 1), count_of(f))
