"""Small random choices that everything here is drawn with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")
Rng = np.random.Generator


def chance(rng: Rng, p: float) -> bool:
    return bool(rng.random() < p)


def pick(rng: Rng, options: Sequence[T], weights: Sequence[float] | None = None) -> T:
    """One of the options, with these weights."""
    if weights is None:
        return options[int(rng.integers(len(options)))]
    cumulated = np.cumsum(weights)
    return options[min(int(np.searchsorted(cumulated, rng.random() * cumulated[-1], side="right")), len(options) - 1)]


def scale(rng: Rng) -> float:
    """One, mostly; else a power of ten between 1e-8 and 1e8; now and then between 1e-100 and 1e100."""
    how = pick(rng, ("one", "some", "wild"), (0.7, 0.2, 0.1))
    if how == "one":
        return 1.0
    reach = 8.0 if how == "some" else 100.0
    return float(10.0 ** rng.uniform(-reach, reach))


def size(rng: Rng) -> int:
    """A number of rows or columns: one or two now and then, thirty at most."""
    return int(pick(rng, (1, 2, int(rng.integers(3, 8)), int(rng.integers(8, 31))), (0.1, 0.1, 0.5, 0.3)))


def minus_zeros(rng: Rng, x: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
    """Give half of the zeros of x a minus sign."""
    x[(x == 0.0) & (rng.random(x.shape) < 0.5)] = -0.0
