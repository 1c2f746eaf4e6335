"""The mean of repeated runs beside the number that theory gives."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from greedyhull.errors import GreedyhullWarning, check
from greedyhull.types import Array

ALARM = 1e-6  # probability that chance alone makes one comparison of runs with their expectation fail, at most


@dataclass(frozen=True)
class Measured:
    """``measured`` is a mean with the standard error ``error``; ``exact`` is what its expectation is.

    ``room`` is what the mean is off by with a probability of at most `ALARM`, from the exact variance.
    """

    measured: float
    error: float
    exact: float
    room: float

    @property
    def agrees(self) -> bool:
        """Whether the mean is as near to its expectation as chance allows."""
        return abs(self.measured - self.exact) <= self.room + 1e-9


def bernstein(variance: float, jump: float, runs: int, alarm: float = ALARM) -> float:
    """What the mean of ``runs`` numbers is off by with at most the probability ``alarm`` (Bernstein's inequality).

    ``jump`` bounds the distance of a number from its expectation.
    """
    log, V, b = math.log(2.0 / alarm), variance / runs, jump / runs
    return b * log / 3.0 + math.sqrt((b * log / 3.0) ** 2 + 2.0 * V * log)


def variance_of_quadratic(H: Array, g: Array, z: Array, p: Array, c: Array) -> float:
    """The variance of ⟨g, N⟩ + ½NᵀHN, N = Σ c_j z_j, where z_j are independent, a row of ``z`` with the probabilities ``p``.

    The mean of z is zero. With C its covariance and q = zᵀHz it is gᵀCg Σc² + E⟨g, z⟩q Σc³ + ¼Var(q)Σc⁴ +
    ½tr(HCHC)((Σc²)² − Σc⁴).
    """
    C, slope, q = (z.T * p) @ z, z @ g, ((z @ H) * z).sum(axis=1)
    two, three, four = (float((c**power).sum()) for power in (2, 3, 4))
    spread = float(p @ q**2) - float(p @ q) ** 2
    found = float(g @ C @ g) * two + float(p @ (slope * q)) * three + 0.25 * spread * four
    return max(found + 0.5 * float(np.trace(H @ C @ H @ C)) * (two**2 - four), 0.0)


def repeated(run: Callable[[int], Array], runs: int, seed: int) -> tuple[Array, Array]:
    """Mean and standard error of run(s) over ``runs`` seeds s made from ``seed``."""
    check(runs >= 2, f"runs={runs!r} was given; at least two are wanted, for a standard error.")
    seeds = np.random.default_rng(seed).integers(2**31, size=runs)
    with warnings.catch_warnings():  # what is measured here is what cautions warn of
        warnings.simplefilter("ignore", GreedyhullWarning)
        seen = np.array([run(int(s)) for s in seeds])
    return seen.mean(axis=0), seen.std(axis=0, ddof=1) / np.sqrt(runs)
