"""One call of the library, with all that may come of it: a result, a refusal in words, a raw exception, warnings."""

from __future__ import annotations

import signal
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from types import FrameType
from typing import Any

import greedyhull
from greedyhull.errors import DriftWarning, GreedyhullError

SLOW = 20.0  # seconds of work after which a run of two hundred iterations has run away


class RunawayError(Exception):
    """A run that did not end by itself."""


@dataclass
class Attempt:
    """What became of a call. ``raw`` and ``warned`` say what came out and where; that groups failures of one cause."""

    result: Any = None
    refused: str = ""
    raw: str = ""
    warned: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def runaway(self) -> bool:
        return self.seconds > SLOW


def attempt(call: Callable[[], Any]) -> Attempt:
    """Make the call."""
    out, began = Attempt(), process_time()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            with _alarm():
                out.result = call()
        except GreedyhullError as error:
            out.refused = str(error)
        except RunawayError:
            pass
        except Exception as error:  # whatever else comes out is a failure, and is told as one
            out.raw = f"{type(error).__name__} in {_place(error)}: {str(error)[:160]}"
    out.seconds = process_time() - began
    for w in said:
        if issubclass(w.category, (RuntimeWarning, DriftWarning)):
            out.warned.append(f"{w.category.__name__} in {Path(w.filename).name}:{w.lineno}: {str(w.message)[:120]}")
    return out


def _place(error: BaseException) -> str:
    """The innermost line of the library that the error came through."""
    library = Path(greedyhull.__file__).parent
    frames = [f for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).is_relative_to(library)]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno} {frames[-1].name}" if frames else "no line of the library"


@contextmanager
def _alarm() -> Iterator[None]:
    """Break off what takes much too long, where the system can."""
    # Windows has no such timer
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise RunawayError

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, SLOW + 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
