"""Stochastic Frank-Wolfe: one loop, and a gradient estimator that makes it one of eight algorithms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from greedyhull.batch import Source
from greedyhull.errors import check
from greedyhull.gradients.base import Estimator, Root
from greedyhull.gradients.dual import Dual
from greedyhull.gradients.minibatch import Minibatch
from greedyhull.gradients.momentum import Momentum
from greedyhull.gradients.saga import Saga
from greedyhull.gradients.spider import Spider
from greedyhull.gradients.storm import Storm
from greedyhull.gradients.svrg import Svrg
from greedyhull.iterate import Iterate
from greedyhull.looks import Looks
from greedyhull.memory import Memory
from greedyhull.position import Position
from greedyhull.progress import Progress
from greedyhull.sampler import Sampler
from greedyhull.schedules import linear, zero
from greedyhull.steps import Constant, OpenLoop, Power
from greedyhull.types import Schedule, StepRule


@dataclass(frozen=True)
class StochasticFrankWolfe:
    """w ← w + η_k(d − w), d an ε_k-approximate minimiser of ⟨g, ·⟩ for an estimate g of ∇f(w); k counts from one.

    With `Minibatch(linear())`, b_k = k, and η_k = k^−1/2 it is the paper's ASFW: E e_k ≤ 2(r_S σ + M/2 + c)/√k.

    Batches and shares ρ are asked at k. Step rules and tolerances are written for a count from zero and are asked at
    k − 1, so that the first step is one: `Power(p)` is k^−p, `OpenLoop()` 2/(k + 1), `harmonic(c)` c times that.

    All terms are looked at now and then: after each pass at first, then whenever the work has grown by a tenth, or at
    steps that are multiples of ``every``. Only there is a gap certified, and only there can a solve stop. The gradients of
    terms that the estimator has asked for are ``also["spent"]`` of the event; looks are not among them.
    """

    estimator: Estimator = field(default_factory=lambda: Minibatch(linear()))
    step: StepRule = field(default=Power(0.5))
    tolerance: Schedule = zero
    every: int | None = None
    looks_back = False

    def __post_init__(self) -> None:
        check(hasattr(self.estimator, "start") and not isinstance(self.estimator, type),
              f"estimator={self.estimator!r} was given; an estimator such as Minibatch(32) is wanted.")
        check(hasattr(self.step, "at"), f"step={self.step!r} was given; it needs values of f, which a stochastic solver does "
                                         "not compute. Use OpenLoop(), Power(p) or Constant(eta).")
        Looks(1, self.every)

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
        """SPIDER-FW: E e_k ≤ 10LD²/(k + 1)."""
        return cls(Spider(), OpenLoop())

    @classmethod
    def svrf(cls) -> StochasticFrankWolfe:
        """Stochastic variance-reduced Frank-Wolfe (Hazan and Luo), its steps never restarted: E e_k ≤ 4LD²/(k + 1)."""
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

    def run(self, f: Any, S: Any, w: Iterate, memory: Memory) -> Iterator[Progress]:
        check_sum(f)
        step: Any = self.step
        oracle, x = memory.oracle(S), w.view("position", Position)
        source: Source = memory.part("source", lambda: Source(f, Sampler(f.n, memory.rng)))
        estimate = memory.part("gradient", lambda: self.estimator.start(source))
        looks = memory.part("looks", lambda: Looks(f.n, self.every))
        for k in memory.count(first=1):
            done = source.spent if self.every is None else k
            if looks.due(done):
                yield look(f, w, oracle, {"spent": source.spent})
                w.views.pop(f, None)  # whoever looked at w itself left an image of all n terms, which moves would carry along
                looks.passed(done)
            before = source.spent
            d, _, _ = oracle.argmin(estimate(x.array, k), tol=self.tolerance(k - 1, memory.gap))
            w.work.products += 2.0 * (source.spent - before) / f.n
            w.move(w.toward(d), step.at(k - 1))


def check_sum(f: Any) -> None:
    """Raise unless minibatches of f can be drawn, and f is finite wherever a step may lead."""
    check(hasattr(f, "batch"), f"{f!r} is not a sum of terms, so there are no minibatches. Use FrankWolfe(), or give the "
                               "terms to finite_sum(value, gradient, n, shape).")
    check(hasattr(getattr(f, "design", None), "take_rows") or not hasattr(f, "design"),
          f"{f!r} was made from a linear operator, whose rows cannot be taken one by one. Use FrankWolfe(), or give a matrix.")
    check(getattr(getattr(f, "loss", None), "everywhere", True),
          f"{f!r} is not finite everywhere, and a stochastic solver does not look where it steps. Use FrankWolfe().")
    f.batch(np.zeros(1, dtype=np.intp))  # objectives without unbiased minibatches say so


def look(f: Any, w: Iterate, oracle: Any, also: Any = None) -> Progress:
    """The point as it is now with its full gap: one pass over the data."""
    now = w.copy()
    now.work, now.step = w.work, w.step
    g = f.gradient(now)
    d, slack, kind = oracle.argmin(g)
    return Progress(now, f.euler(now) - d.dot(g) + slack, kind, slack, also=also)
