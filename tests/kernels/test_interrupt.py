"""Ctrl-C is never lost, not before the first point either; and handlers come back."""

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

import greedyhull as gh
from greedyhull.kernels.core import Interrupt

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    """Python's own handler, which every test leaves as it finds it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_before_the_first_point_is_a_keyboard_interrupt() -> None:
    """Not an error about values: a loop that goes on after those would go on after Ctrl-C."""
    def gradient(w: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gh.minimize(gh.function(lambda w: float(w @ w), gradient, 3), gh.Simplex(3), gh.FrankWolfe())


def test_a_handler_that_came_during_a_run_stays() -> None:
    mine = lambda number, frame: None
    with closing(Interrupt()) as interrupt:
        interrupt.listen()
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        signal.signal(signal.SIGINT, mine)
    assert signal.getsignal(signal.SIGINT) is mine
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_a_run_that_is_left_by_an_error_gives_the_handler_back() -> None:
    with pytest.raises(ZeroDivisionError), closing(Interrupt()) as interrupt:
        interrupt.listen()
        raise ZeroDivisionError
