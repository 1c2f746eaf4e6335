"""Stochastic Frank-Wolfe: one loop, and a gradient estimator that makes it one of eight algorithms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from greedyhull.batch import Source
from greedyhull.errors import check
from greedyhull.gradients.base import Estimator
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
from greedyhull.steps import OpenLoop, Power
from greedyhull.types import Schedule, StepRule


@dataclass(frozen=True)
class StochasticFrankWolfe:
    """w ← w + η_k(d − w), d an ε_k-approximate minimiser of ⟨g, ·⟩ for an estimate g of ∇f(w); k counts from one.

    With `Minibatch(batch=k)` and η_k = k^−1/2 it is the paper's ASFW: E e_k ≤ 2(r_S σ + M/2 + c)/√k.
    """

    estimator: Estimator = field(default_factory=lambda: Minibatch(linear()))
    step: StepRule = Power(0.5)
    tolerance: Schedule = zero
    looks_back = False

    @classmethod
    def minibatch(cls) -> StochasticFrankWolfe:
        """ASFW with b_k = k."""
        return cls()

    @classmethod
    def momentum(cls) -> StochasticFrankWolfe:
        """Mokhtari, Hassani and Karbasi: E e_k = O(k^−1/3)."""
        return cls(Momentum(), Power(1.0))

    @classmethod
    def storm(cls) -> StochasticFrankWolfe:
        """One-sample stochastic Frank-Wolfe: E e_k = O(k^−1/2)."""
        return cls(Storm(), Power(1.0))

    @classmethod
    def spider(cls) -> StochasticFrankWolfe:
        """SPIDER-FW."""
        return cls(Spider(), OpenLoop())

    @classmethod
    def svrf(cls) -> StochasticFrankWolfe:
        """Stochastic variance-reduced Frank-Wolfe (Hazan and Luo)."""
        return cls(Svrg(), OpenLoop())

    @classmethod
    def saga(cls) -> StochasticFrankWolfe:
        """SAGA-FW."""
        return cls(Saga(), OpenLoop())

    @classmethod
    def dual(cls) -> StochasticFrankWolfe:
        """Négiar et al.: O(1/k) for linear models, any batch size."""
        return cls(Dual(), OpenLoop())

    def run(self, f: Any, S: Any, w: Iterate, memory: Memory) -> Iterator[Progress]:
        check(hasattr(f, "batch"), f"{f!r} is not a sum of terms, so there are no minibatches. Use FrankWolfe().")
        check(hasattr(self.step, "eta"), f"{self.step!r} needs values of f, which a stochastic solver does not compute. "
                                         "Use OpenLoop(), Power(p) or Constant(eta).")
        oracle, x = memory.oracle(S), w.view("position", Position)
        source: Source = memory.part("source", lambda: Source(f, Sampler(f.n, memory.rng)))
        estimate = memory.part("gradient", lambda: self.estimator.start(source))
        looks = memory.part("looks", lambda: Looks(f.n))
        for k in memory.count(first=1):
            if looks.due(source.spent):
                yield look(f, w, oracle, memory)
                looks.passed(source.spent)
            d, _, _ = oracle.argmin(estimate(x.array, k), tol=self.tolerance(k, memory.gap))
            w.move(w.toward(d), self.step.eta(k))


def look(f: Any, w: Iterate, oracle: Any, memory: Memory) -> Progress:
    """The point as it is now with its full gap: one pass over the data."""
    now = w.copy()
    now.work, now.step = w.work, w.step
    g = f.gradient(now)
    d, slack, kind = oracle.argmin(g)
    return Progress(now, f.euler(now) - d.dot(g) + slack, kind, slack)
