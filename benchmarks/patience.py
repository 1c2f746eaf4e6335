"""A call that may take too long, made in a process of its own, so that it can be ended."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any


def within(seconds: float, call: Callable[[], Any]) -> Any:
    """What ``call`` returns, or None where it fails or takes longer than ``seconds``.

    Compiled code does not listen to signals, so the call is made in a fork of this process and the fork is ended. Where the
    system has no fork, the call is made here and takes as long as it takes.
    """
    if sys.platform == "win32":
        return call()
    fork = multiprocessing.get_context("fork")
    receiver, sender = fork.Pipe(duplex=False)
    child = fork.Process(target=_answer, args=(sender, call), daemon=True)
    child.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(seconds) else None
    except EOFError:  # it ended without an answer
        return None
    finally:
        child.kill()
        child.join()
        receiver.close()


def _answer(sender: Connection, call: Callable[[], Any]) -> None:
    sender.send(call())
    sender.close()
