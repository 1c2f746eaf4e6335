"""The gap of a fresh minibatch: an upper bound that fails with a small probability."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Any, ClassVar

import numpy as np

from greedyhull.errors import check
from greedyhull.errors.hinted import hinted
from greedyhull.objectives.batch import count_of, source_of
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.looks.base import Looking, spent_on
from greedyhull.solvers.parts.looks.gap import full_gap
from greedyhull.solvers.parts.looks.range_bound import range_bound
from greedyhull.solvers.parts.looks.timing import Looks
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress, weaker
from greedyhull.types import Answer, Array, AtomSet, Kind, Objective, Supply
from greedyhull.types.attributes import has
from greedyhull.types.kinds import listed

FEW = 1000  # terms in a sample that nobody gave a size
GROUPS = 16  # parts of a sample whose differences tell how much it may be off
TABLE = 5_000_000  # scores of single terms that are looked at, at most


@hinted
@dataclass(frozen=True)
class MinibatchGap:
    """Certify points of a stochastic run by the gap of a fresh sample.

    The bound is max over S of ⟨∇f_B(w), w − ·⟩ for a sample B, plus a confidence term: kind "probability". Where no bound on
    the gradients of all terms is known, it is the gap plus a one-sided t-interval: kind "estimate". If a sample would hold all
    terms, the full gap is computed, as `FullGap` does, and ``solution.reason`` states it.

    Parameters
    ----------
    size : int, optional
        The number of terms in a sample, at least 2. By default 1000, or a tenth of the terms used so far if that is more, so
        that the bound shrinks as the run goes on.
    delta : float, default 0.05
        δ, the probability that any of the bounds of the run fails.
    every : int, optional
        Certify at multiples of this number of steps. By default, as the work grows.

    See Also
    --------
    FullGap : Certain, but needs a pass over the data.
    Regret : A bound from the gradients that the run has seen.

    Notes
    -----
    Let u = argmin f, a fixed point. f(w) − f(u) ≤ E⟨∇fᵢ(w), w − u⟩, and each of these numbers is between −C and C for a C
    that comes from all terms. So with probability 1 − δ the error is at most the mean over B plus C√(2 ln(1/δ)/b)
    (Hoeffding), or plus √(2V ln(2/δ)/b) + 14C ln(2/δ)/(3(b − 1)) (Maurer and Pontil), V the variance in B. u is unknown, but
    mean + √V is convex in u and therefore largest at an atom, so that no union over atoms is needed. Where atoms can be
    listed and terms evaluated one by one, the better of both bounds is taken, each with δ/2. The j-th bound of a run uses
    δ/(j(j + 1)), so that all of them hold together with probability 1 − δ.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> rng = np.random.default_rng(0)
    >>> f = gh.logistic(rng.uniform(-1, 1, (5000, 3)), rng.random(5000) < 0.5)
    >>> solver = gh.StochasticFrankWolfe(look=gh.MinibatchGap(1000, delta=0.01))
    >>> print(gh.minimize(f, gh.L1Ball(3, 1.0), solver, stop=gh.Iterations(50)).certificate.kind)
    probability
    """

    size: int | None = None
    delta: float = 0.05
    every: int | None = None
    averages: ClassVar[bool] = False

    def __post_init__(self) -> None:
        good = self.size is None or (isinstance(self.size, (int, np.integer)) and not isinstance(self.size, bool)
                                     and self.size >= 2)
        check(good, f"MinibatchGap(size={self.size!r}) was given; a whole number of at least two, or None, is wanted.")
        check(0.0 < self.delta < 1.0, f"MinibatchGap(delta={self.delta!r}) was given; a number between 0 and 1 is wanted.")
        Looks(1, self.every)

    def start(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> _Working:
        return _Working(self, f, S, w, memory)


def in_place_of_sample(solver: Any, f: Objective) -> str:
    """Why a run that was to be certified by samples ended with a full gap, in words; "" where samples were not requested."""
    if not (has(solver, "look") and isinstance(solver.look, MinibatchGap)):
        return ""
    return (f"The last sample of MinibatchGap would have held all {count_of(f)} terms, so the full gap was computed and the "
            "bound does not rest on samples.")


class _Working(Looking):
    def __init__(self, config: MinibatchGap, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> None:
        super().__init__(f, S, w, memory, config.size or FEW, config.every)
        n = count_of(f)
        self.config, self.n = config, float("inf") if n is None else n
        self.C, self.atoms = range_bound(f, S), listed(S)

    def __call__(self, w: Iterate, also: Any = None) -> Progress:
        now, b = self.choice.point(w), self.config.size or max(FEW, int(0.1 * self.spent))
        if b >= self.n:  # the sample would cost as much as all terms
            return full_gap(self.f, now, self.oracle, also)
        x, delta = now.array(), spent_on(self.config.delta, self.count)
        source = source_of(self.f, self.memory.fresh(3, self.count))
        about = self._estimated(source, b, x, delta) if self.C is None else self._proved(source, b, x, delta, self.C)
        value, gap, answer, kind = about
        if not self.f.traits.convex:
            kind = "stationary"
        return Progress(now, max(gap, 0.0), kind, answer.slack, also=also, value=value, delta=self.config.delta,
                        spent=answer.delta)

    def _proved(self, source: Supply, b: int, x: Array, delta: float, C: float) -> tuple[float, float, Answer, Kind]:
        batch = source.draw(b)
        g = batch.gradient(x)
        answer = self.oracle.glance(g)
        gap = float(np.vdot(g, x)) - answer.atom.dot(g) + answer.slack + self.coarse_slack(g)
        atoms = self.atoms
        scores = batch.pulls(x, atoms) if atoms is not None and b * len(atoms) <= TABLE else None
        if scores is None:
            gap += C * sqrt(2.0 * log(1.0 / delta) / b)
        else:  # the better of two bounds, each of which may fail with probability δ/2
            deviation = sqrt(2.0 * log(4.0 / delta) / b) * scores.std(axis=0, ddof=1)
            bernstein = float((scores.mean(axis=0) + deviation).max()) + 14.0 * C * log(4.0 / delta) / (3.0 * (b - 1.0))
            gap = min(gap + C * sqrt(2.0 * log(2.0 / delta) / b), bernstein)
        return batch.value(x), gap, answer, weaker(answer.kind, "probability")

    def _estimated(self, source: Supply, b: int, x: Array, delta: float) -> tuple[float, float, Answer, Kind]:
        from scipy.special import stdtrit

        groups = min(GROUPS, b)
        batches = [source.draw(b // groups) for _ in range(groups)]
        gradients = np.stack([batch.gradient(x) for batch in batches])
        g = gradients.mean(axis=0)
        answer = self.oracle.glance(g)
        parts = np.array([float(np.vdot(part, x)) - answer.atom.dot(part) for part in gradients])
        chance = float(stdtrit(groups - 1, 1.0 - delta)) * float(parts.std(ddof=1)) / sqrt(groups)
        gap = float(parts.mean()) + answer.slack + chance + self.coarse_slack(g)
        return float(np.mean([batch.value(x) for batch in batches])), gap, answer, "estimate"
