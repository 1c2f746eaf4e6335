"""Ctrl-C, which ends a solve at the next certified point instead of in the middle of a move."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


def _ours() -> bool:
    """Whether Ctrl-C may be taken over here: somebody else's handler stays in charge, and only the main thread has one."""
    return (threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler)


class Interrupt:
    """After `listen` the first Ctrl-C only sets ``requested``; the second raises KeyboardInterrupt as usual."""

    requested = listening = False
    _before: Any = None

    def __enter__(self) -> Interrupt:
        return self

    def listen(self) -> None:
        """Take Ctrl-C over. It costs more than a tiny solve, so a run does this once it has lasted a while."""
        self.listening = True
        if _ours():
            self._before = signal.signal(signal.SIGINT, self._hear)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._before is not None and signal.getsignal(signal.SIGINT) == self._hear:  # another one may have come since
            signal.signal(signal.SIGINT, self._before)
