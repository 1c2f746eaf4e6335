"""What is known of each problem of a batch so far: a few numbers each, in arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.types import Shape

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution


class Record:
    """Points, values, gaps and the rest, a row for each problem; ``runs`` are problems that had a run of their own."""

    def __init__(self, count: int, shape: Shape) -> None:
        self.x = np.full((count, *shape), np.nan)
        self.values, self.gaps, self.scales = np.full(count, np.nan), np.full(count, np.inf), np.zeros(count)
        self.converged = np.zeros(count, dtype=bool)
        self.intercepts, self.seconds = np.zeros(count), np.zeros(count)
        self.iterations = np.zeros(count, dtype=np.int64)
        self.runs: dict[int, Solution] = {}
        self.errors: dict[int, Exception] = {}

    def __len__(self) -> int:
        return len(self.gaps)

    def fail(self, i: int, error: Exception) -> None:
        """Problem i has no solution, whatever was found for it on the way."""
        self.errors[i], self.converged[i] = error, False
        self.x[i], self.values[i], self.gaps[i], self.intercepts[i] = np.nan, np.nan, np.inf, 0.0

    def keep(self, i: int, s: Solution) -> None:
        """Take the solution of a run of its own for problem i."""
        self.runs[i], self.x[i] = s, s.x
        value, gap = s.certificate.value, s.certificate.gap
        self.values[i] = np.nan if value is None else value
        self.gaps[i] = np.inf if gap is None else gap
        self.converged[i], self.intercepts[i] = s.converged, s.intercept
        self.iterations[i], self.seconds[i] = s.iterations, s.seconds
