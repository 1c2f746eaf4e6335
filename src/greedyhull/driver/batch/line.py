"""The progress line of a batch: how many problems are solved, drawn on a terminal, silent elsewhere."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any

import numpy as np

from greedyhull.driver.batch.record import Record
from greedyhull.driver.display import BETWEEN, live_line, one_line


class Line:
    """Draws at most ten times a second; without ``wanted``, or without a terminal, it does nothing."""

    def __init__(self, wanted: bool, count: int, live: Any = None) -> None:
        stderr = sys.stderr
        shows = wanted and (live is not None or (stderr is not None and stderr.isatty()))
        self._live = (live_line() if live is None else live) if shows else None
        self._count, self._began, self._due = count, perf_counter(), 0.0

    def show(self, record: Record, done: int) -> None:
        """Draw the state after ``done`` problems."""
        if self._live is None:
            return
        seconds = perf_counter() - self._began
        if seconds < self._due and done < self._count:
            return
        self._live.start()
        self._live.update(one_line(words(record, done, self._count, seconds)), refresh=True)
        self._due = seconds + BETWEEN

    def close(self) -> None:
        """Leave the last state standing and give the terminal back."""
        if self._live is not None:
            self._live.stop()


def words(record: Record, done: int, count: int, seconds: float) -> str:
    """The line itself, as plain text."""
    known = record.gaps[np.isfinite(record.gaps)]
    parts = ["batch", f"{done} of {count}", f"{int(record.converged.sum())} converged"]
    if len(known):
        parts.append(f"worst gap {known.max():.2e}")
    if record.errors:
        parts.append(f"{len(record.errors)} failed")
    return "  ".join([*parts, f"{seconds:.1f} s"])
