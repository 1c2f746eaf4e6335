"""The regret certificate: one call of the oracle bounds the error of the mean of all points."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, sqrt
from typing import Any, ClassVar

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.hinted import hinted
from greedyhull.objectives.batch import source_of
from greedyhull.points.average import Average
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.looks.base import Looking, spent_on
from greedyhull.solvers.parts.looks.choice import seen_from
from greedyhull.solvers.parts.looks.range_bound import range_bound
from greedyhull.solvers.parts.looks.timing import Looks
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress, weaker
from greedyhull.types import Array, AtomSet, Objective, State

SAMPLE = 1000  # terms that a look costs: those from which the value beside the bound is estimated


@hinted
@dataclass(frozen=True)
class Regret:
    """Certify the average iterate of a stochastic run by its regret.

    [Σ α_k⟨g_k, w_k⟩ − min over S of ⟨Σ α_k g_k, ·⟩]/Σ α_k bounds f(w̄) − min f for w̄ = Σ α_k w_k/Σ α_k, and costs one call
    of the oracle. The point of the solution is then w̄; the last iterate is ``also["last"]``.

    Parameters
    ----------
    delta : float, optional
        With it the bound holds with probability 1 − δ at all times together. By default it holds in expectation, after a
        number of steps that does not depend on the draws.
    every : int, optional
        Certify at multiples of this number of steps. By default, as the work grows.

    See Also
    --------
    FullGap : Certain, but needs a pass over the data.
    MinibatchGap : A bound for the last iterate.

    Notes
    -----
    f must be convex, and the gradient estimates unbiased given the past: E[g_k | past] = ∇f(w_k). With ``delta`` the j-th
    bound adds C√(2 ln(1/δ_j) Σ(s_kα_k)²)/Σ α_k with δ_j = δ/(j(j + 1)), C as in `MinibatchGap` (at most LD) and s_k the
    spread of g_k: 2 if only its bound is known (Azuma), b_k^−1/2 for a minibatch of independent terms.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(2), np.array([0.3, 0.7]))
    >>> s = gh.minimize(f, gh.Simplex(2), gh.StochasticFrankWolfe(look=gh.Regret()), stop=gh.Iterations(100))
    >>> s.certificate.kind
    'expectation'
    """

    delta: float | None = None
    every: int | None = None
    averages: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check(self.delta is None or 0.0 < self.delta < 1.0,
              f"Regret(delta={self.delta!r}) was given; a probability between 0 and 1, or None, is wanted.")
        Looks(1, self.every)

    def start(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> _Working:
        check(f.traits.convex, f"{f!r} is not convex, and a regret bounds nothing there. Use FullGap().")
        C = None if self.delta is None else range_bound(f, S)
        if self.delta is not None and C is None:
            raise GreedyhullError(f"Regret(delta={self.delta:g}) needs a bound on the gradients of all terms, and {f!r} has "
                                  "none. Give lipschitz= to finite_sum or expectation, or leave delta out.")
        return _Working(self, f, S, w, memory, C or 0.0)


class _Working(Looking):
    def __init__(self, config: Regret, f: Objective, S: AtomSet, w: Iterate, memory: Memory, C: float) -> None:
        super().__init__(f, S, w, memory, SAMPLE, config.every)
        self.config, self.C = config, C
        self.mean: Average = w.view("regret", lambda: Average(w, name="regret"))
        self.slope: Array = np.zeros(S.shape)
        self.total = self.inner = self.squares = 0.0

    def seen(self, g: Array, x: Array, eta: float, weight: float = 1.0, spread: float = 2.0) -> None:
        self.slope += weight * g
        self.inner += weight * float(np.vdot(g, x))
        self.total += weight
        share = weight * spread
        self.squares += share * share  # infinite where it overflows, without a word
        self.mean.include(weight)

    def __call__(self, w: Iterate, also: Any = None) -> Progress:
        mean = seen_from(w, CoordinateIterate(self.mean.array()))
        value = source_of(self.f, self.memory.fresh(3, self.count)).draw(SAMPLE).value(mean.array())
        kind, delta = ("expectation", 0.0) if self.config.delta is None else ("probability", self.config.delta)
        also = {**(also or {}), "last": self.w.copy()}
        if self.total == 0.0:  # nothing has been seen yet
            return Progress(mean, inf, kind, also=also, value=value, delta=delta)  # type: ignore[arg-type]
        g = self.slope / self.total
        answer = self.oracle.glance(g)
        gap = self.inner / self.total - answer.atom.dot(g) + answer.slack + self.coarse_slack(g)
        if self.config.delta is not None:
            failing = spent_on(self.config.delta, self.count)
            gap += self.C * sqrt(2.0 * log(1.0 / failing) * self.squares) / self.total
        return Progress(mean, max(gap, 0.0), weaker(kind, answer.kind), answer.slack, also=also,  # type: ignore[arg-type]
                        value=value, delta=delta, spent=answer.delta)

    def state(self) -> State:
        return {**super().state(), "slope": self.slope.copy(), "sums": np.array([self.total, self.inner, self.squares])}

    def restore(self, state: State) -> None:
        super().restore(state)
        self.slope = state["slope"].copy()
        self.total, self.inner, self.squares = (float(x) for x in state["sums"])
