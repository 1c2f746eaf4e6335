"""Ctrl-C, which ends a solve at the next certified point instead of in the middle of a move."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Interrupt:
    """After `listen` the first Ctrl-C only sets ``asked``; the second raises KeyboardInterrupt as usual."""

    def __init__(self) -> None:
        self.asked = self.listening = False
        self._before: Any = None

    def __enter__(self) -> Interrupt:
        return self

    def listen(self) -> None:
        """Take Ctrl-C over. It costs more than a tiny solve, so a run does this once it has lasted a while."""
        self.listening = True
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if before is signal.default_int_handler:  # somebody else's handler stays in charge
                self._before = before
                signal.signal(signal.SIGINT, self._hear)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
