"""f(w) = w on [−1, 1] as a mean of many small slopes and a few steep ones: noise costs nearly what the bounds allow.

A term is ξw with ξ = −s, s tiny, but for a rare steep ξ of probability q that makes the mean slope one. A batch without
a steep term, which has the probability (1 − q)^b, sends the step to +1, and any other to the minimiser −1. So the atoms
d_k are independent, the error is a weighted sum of them, and its expectation is known exactly for all steps and batches.
Runs begin at +1, the worst point: an algorithm that never moves keeps the error 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from greedyhull.atoms.vertices import Vertices
from greedyhull.driver.bounds.mean.in_advance import steps_of
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Iterations
from greedyhull.experiments.measured import ALARM, bernstein
from greedyhull.experiments.paper.trajectory import unwarned
from greedyhull.objectives.stream import Stream, expectation
from greedyhull.solvers.parts.looks import MinibatchGap
from greedyhull.solvers.parts.steps import in_advance
from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
from greedyhull.solvers.stochastic_jones import StochasticJones
from greedyhull.solvers.variance_reduced_jones import VarianceReducedJones
from greedyhull.types import Array, Atom, AtomSet

Sampling = StochasticJones | StochasticFrankWolfe | VarianceReducedJones

SMALL = 1e-4  # s, the slope of the common terms, with the other sign
ENDS = Vertices(np.array([[1.0], [-1.0]]))  # the atoms; the first is the start
IDLE = 2.0  # the error of the start: what doing nothing scores


class Slope:
    """The mean of a batch: a slope."""

    def __init__(self, slope: float) -> None:
        self.slope, self.g = slope, np.array([slope])

    def value(self, w: Array) -> float:
        return self.slope * float(w[0])

    def gradient(self, w: Array) -> Array:
        return self.g


@dataclass(frozen=True)
class Expected:
    """A sum of independent numbers: its mean, its variance, and the largest of its jumps."""

    mean: float
    variance: float
    jump: float

    def room(self, runs: int, alarm: float = ALARM) -> float:
        """What the mean of so many runs is off by with at most that probability (Bernstein's inequality)."""
        return bernstein(self.variance, self.jump, runs, alarm)


@dataclass(frozen=True)
class Rare:
    """The instance with steep terms of probability ``q``."""

    q: float

    @property
    def f(self) -> Stream:
        """A stream, so that batches may be as large as they like."""
        steep = 1.0 + (1.0 + SMALL) * (1.0 - self.q) / self.q

        def draw(size: int, rng: np.random.Generator) -> Slope:
            m = int(rng.binomial(size, self.q))
            return Slope((m * steep - (size - m) * SMALL) / size)

        return expectation(draw, 1)

    @property
    def sigma(self) -> float:
        """The standard deviation of ξ, exactly."""
        return (1.0 + SMALL) * math.sqrt((1.0 - self.q) / self.q)

    @property
    def sharp(self) -> dict[str, float]:
        """What `theory.asj` and `theory.asfw` ask for."""
        return {"M": 0.0, "sigma": self.sigma, "r_S": 1.0, "e1": IDLE}

    def expected(self, eta: Array, batch: Array, weights: Array) -> Expected:
        """The error of Σ λ_k w_k, λ = ``weights`` over w_1, …, w_{T+1}, after T steps η with batches b."""
        wrong = (1.0 - self.q) ** np.asarray(batch, dtype=float)
        share, coefficient = np.empty(len(eta)), float(weights[-1])
        for k in range(len(eta) - 1, -1, -1):  # what d_k counts for, from the last step to the first
            share[k] = eta[k] * coefficient
            coefficient = float(weights[k]) + (1.0 - eta[k]) * coefficient
        mean = IDLE * coefficient + float(share @ (2.0 * wrong))
        return Expected(mean, float(share**2 @ (4.0 * wrong * (1.0 - wrong))), 2.0 * float(share.max()))

    def average(self, eta: Array, batch: Array) -> Expected:
        """The error of the mean of w_1, …, w_T with weights η_k."""
        return self.expected(eta, batch, np.append(eta / eta.sum(), 0.0))

    def last(self, eta: Array, batch: Array) -> Expected:
        """The error of w_{T+1}."""
        return self.expected(eta, batch, np.append(np.zeros(len(eta)), 1.0))

    def measured(self, solver: Sampling, steps: int, runs: int, seed: int, point: str) -> float:
        """The mean error of the "last" point or of the "average" after ``steps`` steps."""
        return float(averaged(self.f, ENDS, solver, ENDS[0], steps, runs, seed, point)[0]) + 1.0


def averaged(f: Stream, S: AtomSet, solver: Sampling, start: Atom, steps: int, runs: int, seed: int, point: str) -> Array:
    """The mean over runs of the last point, or of the mean of the points before it: the solver's own, where it has one.

    Stochastic Frank-Wolfe keeps no mean, so that its points are gathered on the way; their weights are its steps, which are
    known in advance.
    """
    walks = point == "average" and isinstance(solver, StochasticFrankWolfe)
    quiet = replace(solver, every=1 if walks else steps + 1, look=MinibatchGap(2))
    path: list[Array] = []
    watch = (lambda event: path.append(event.point.array())) if walks else ()
    total = np.zeros(S.shape)
    with unwarned():
        for s in np.random.default_rng(seed).integers(2**31, size=runs):
            path.clear()
            got = minimize(f, S, quiet, start=start, stop=Iterations(steps + 1), seed=int(s), watch=watch)
            if walks:
                total += np.average(path[:steps], axis=0, weights=steps_of(in_advance(solver.step), steps))
            else:
                total += got.also.get(point, got.point).array()
    return np.asarray(total / runs)
