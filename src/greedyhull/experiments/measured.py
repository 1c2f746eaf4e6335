"""The mean of repeated runs beside the number that theory gives."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from greedyhull.errors import GreedyhullWarning, check
from greedyhull.types import Array


@dataclass(frozen=True)
class Measured:
    """``measured`` is a mean with the standard error ``error``; ``exact`` is what its expectation is."""

    measured: float
    error: float
    exact: float

    @property
    def agrees(self) -> bool:
        """Whether the mean is within four standard errors of its expectation."""
        return abs(self.measured - self.exact) <= 4.0 * self.error + 1e-9


def repeated(run: Callable[[int], Array], runs: int, seed: int) -> tuple[Array, Array]:
    """Mean and standard error of run(s) over ``runs`` seeds s made from ``seed``."""
    check(runs >= 2, f"runs={runs!r} was given; at least two are wanted, for a standard error.")
    seeds = np.random.default_rng(seed).integers(2**31, size=runs)
    with warnings.catch_warnings():  # what is measured here is what cautions warn of
        warnings.simplefilter("ignore", GreedyhullWarning)
        seen = np.array([run(int(s)) for s in seeds])
    return seen.mean(axis=0), seen.std(axis=0, ddof=1) / np.sqrt(runs)
