"""Progress of a solve and of a batch: a line on a terminal or in a notebook, log records elsewhere."""

from __future__ import annotations

import logging
import sys
from collections import deque
from importlib import import_module
from math import log10
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.solvers.parts.progress import Event
from greedyhull.types import Solver

if TYPE_CHECKING:
    from greedyhull.driver.batch.problems import Record

BETWEEN = 0.1  # seconds from one drawing to the next
LOG = logging.getLogger("greedyhull")


def line_for(solver: Solver, progress: bool = True) -> list[ProgressLine]:
    """Return the watchers of a solve: a line where someone watches, else log records if the level is INFO."""
    name = type(solver).__name__
    if progress and _watched():
        return [ProgressLine(name)]
    return [ProgressLine(name, Records(), 5.0)] if LOG.isEnabledFor(logging.INFO) and not _on_terminal() else []


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _in_notebook() -> bool:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return getattr(shell, "kernel", None) is not None  # the shell of a terminal has no kernel


def _watched() -> bool:
    return _on_terminal() or _in_notebook()


class Records:
    """Lines as records of the logger ``greedyhull`` at INFO."""

    def start(self) -> None:
        """A record needs no preparation."""

    def update(self, line: Any, refresh: bool) -> None:
        LOG.info("%s", line.plain)

    stop = start


class NotebookLine:
    """One line below a cell, replaced in place."""

    def __init__(self) -> None:
        self._shown: Any = None

    def start(self) -> None:
        if self._shown is None:
            self._shown = import_module("IPython.display").display({"text/plain": ""}, raw=True, display_id=True)

    def update(self, line: Any, refresh: bool) -> None:
        self._shown.update({"text/plain": line.plain}, raw=True)

    def stop(self) -> None:
        """The last line stays."""


class ProgressLine:
    """A watcher that keeps one line of stderr up to date; `close` leaves the last state on the screen."""

    __slots__ = ("_between", "_due", "_last", "_live", "_marks", "name")

    def __init__(self, name: str, live: Any = None, between: float = BETWEEN) -> None:
        self.name = name
        self._between, self._due = between, 0.0
        self._last: Event | None = None
        self._live = live_line() if live is None else live
        self._marks: deque[tuple[float, int, float]] = deque(maxlen=30)  # drawings that the shown rate is taken over

    def __call__(self, event: Event) -> None:
        self._last = event
        if event.seconds < self._due:
            return
        self._draw(event)
        self._due = event.seconds + self._between

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
    """Return a line below the cell of a notebook, or one of stderr that rich redraws below what others print."""
    if _in_notebook():
        return NotebookLine()
    from rich.console import Console
    from rich.live import Live

    return Live(console=Console(stderr=True), auto_refresh=False)


def draw(live: Any, words: str) -> None:
    """Show one line, which a narrow terminal cuts short instead of wrapping."""
    from rich.text import Text

    live.start()
    live.update(Text(words, no_wrap=True, overflow="ellipsis"), refresh=True)


class BatchLine:
    """The progress line of a batch; without ``wanted``, or without anyone who watches, it does nothing."""

    def __init__(self, wanted: bool, count: int, live: Any = None) -> None:
        shows = wanted and (live is not None or _watched())
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
