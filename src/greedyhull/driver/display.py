"""The progress lines of a solve and of a batch: drawn on a terminal at most ten times a second, silent elsewhere."""

from __future__ import annotations

import sys
from collections import deque
from math import log10
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.solvers.parts.progress import Event
from greedyhull.types import Solver

if TYPE_CHECKING:
    from greedyhull.driver.batch.problems import Record

BETWEEN = 0.1  # seconds from one drawing to the next


def line_for(solver: Solver) -> list[ProgressLine]:
    """Return the watchers that show how a solve gets on: one line if stderr is a terminal, else none."""
    return [ProgressLine(type(solver).__name__)] if _on_terminal() else []


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


class ProgressLine:
    """A watcher that keeps one line of stderr up to date; `close` leaves the last state on the screen."""

    __slots__ = ("_due", "_last", "_live", "_marks", "name")

    def __init__(self, name: str, live: Any = None) -> None:
        self.name = name
        self._due = 0.0
        self._last: Event | None = None
        self._live = live_line() if live is None else live
        self._marks: deque[tuple[float, int, float]] = deque(maxlen=30)  # drawings that the shown rate is taken over

    def __call__(self, event: Event) -> None:
        self._last = event
        if event.seconds < self._due:
            return
        self._draw(event)
        self._due = event.seconds + BETWEEN

    def close(self) -> None:
        if self._last is not None:
            self._draw(self._last)
        self._live.stop()

    def _draw(self, event: Event) -> None:
        self._marks.append((event.seconds, event.iteration, event.gap))
        draw(self._live, self.words(event))

    def words(self, event: Event) -> str:
        kind = "" if event.kind == "always" else f" ({event.kind})"
        value = f"value ≈ {event.value:.4g}" if event.self_standing else f"value {event.value:.8g}"  # a sample's, or all
        parts = [self.name, f"{event.iteration} it", f"gap {event.gap:.2e}{kind}", value, self._rate()]
        if event.point.keeps_atoms:
            atoms = len(event.point)
            parts.append(f"{atoms} atom" if atoms == 1 else f"{atoms} atoms")
        parts.append(f"{event.seconds:.1f} s")
        return "  ".join(part for part in parts if part)

    def _rate(self) -> str:
        """How fast the gap falls, in decimal digits a second; iterations a second where it does not fall."""
        if len(self._marks) < 2:
            return ""
        (t0, k0, gap0), (t1, k1, gap1) = self._marks[0], self._marks[-1]
        if t1 - t0 < BETWEEN:  # too short a time to speak of a rate
            return ""
        if 0.0 < gap1 < gap0:
            return f"{log10(gap0 / gap1) / (t1 - t0):.2g} digits/s"
        return f"{(k1 - k0) / (t1 - t0):.3g} it/s"


def live_line() -> Any:
    """A line of stderr that rich redraws when told to; what others print meanwhile goes above it."""
    from rich.console import Console
    from rich.live import Live

    return Live(console=Console(stderr=True), auto_refresh=False)


def draw(live: Any, words: str) -> None:
    """Show one line, which a narrow terminal cuts short instead of wrapping."""
    from rich.text import Text

    live.start()
    live.update(Text(words, no_wrap=True, overflow="ellipsis"), refresh=True)


class BatchLine:
    """The progress line of a batch; without ``wanted``, or without a terminal, it does nothing."""

    def __init__(self, wanted: bool, count: int, live: Any = None) -> None:
        shows = wanted and (live is not None or _on_terminal())
        self._live = (live_line() if live is None else live) if shows else None
        self._count, self._began, self._due = count, perf_counter(), 0.0

    def show(self, record: Record, done: int) -> None:
        if self._live is None:
            return
        seconds = perf_counter() - self._began
        if seconds < self._due and done < self._count:
            return
        known = record.gaps[np.isfinite(record.gaps)]
        parts = ["batch", f"{done} of {self._count}", f"{int(record.converged.sum())} converged"]
        if len(known):
            parts.append(f"worst gap {known.max():.2e}")
        if record.errors:
            parts.append(f"{len(record.errors)} failed")
        draw(self._live, "  ".join([*parts, f"{seconds:.1f} s"]))
        self._due = seconds + BETWEEN

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()
