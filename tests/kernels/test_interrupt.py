"""Ctrl-C is never lost: not while kernels compile, not before the first point; and handlers come back."""

import ctypes
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher
from scipy import sparse

import greedyhull as gh
from greedyhull.kernels import sparse_columns
from greedyhull.kernels.compiled import compiled
from greedyhull.kernels.interrupt import Interrupt, held

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


def called_from_c(function: Callable[[], None]) -> None:
    """As LLVM calls Python while it compiles: an exception there is printed, and lost."""
    ctypes.CFUNCTYPE(None)(function)()


@pytest.fixture
def pressed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The next compilation is met by Ctrl-C inside a callback from C."""
    times = [0]
    compile = Dispatcher.compile

    def slow(self: Any, signature: Any) -> Any:
        if not times[0]:
            times[0] += 1
            called_from_c(press)
        return compile(self, signature)

    monkeypatch.setattr(Dispatcher, "compile", slow)
    return times


def test_ctrl_c_while_a_kernel_compiles_is_raised_when_it_is_done(pressed: list[int]) -> None:
    @compiled
    def twice(x: float) -> float:
        return 2.0 * x

    with pytest.raises(KeyboardInterrupt):
        twice(1.5)
    assert pressed == [1] and twice(1.5) == 3.0  # the kernel is there, and the next call is as any other


def test_ctrl_c_while_a_kernel_compiles_ends_the_run_at_its_point(pressed: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """A run on sparse data meets its first kernel after its first point."""
    for kernel in vars(sparse_columns).values():
        if isinstance(kernel, compiled):
            monkeypatch.setattr(kernel, "_kernel", None)
    X = sparse.random(40, 60, density=0.05, format="csc", random_state=0)
    f, S = gh.least_squares(X, np.ones(40)), gh.L1Ball(60, 3.0)
    seen: list[int] = []
    try:
        s = gh.minimize(f, S, gh.Corrective(), stop=gh.Gap(0.0) | gh.Iterations(500), watch=lambda e: seen.append(e.iteration))
        assert "nterrupted" in s.reason and len(seen) < 500 and S.contains(s.point)
    except KeyboardInterrupt:
        assert not seen  # there was no point yet
    assert pressed == [1]


def test_ctrl_c_before_the_first_point_is_a_keyboard_interrupt() -> None:
    """Not an error about values: a loop that goes on after those would go on after Ctrl-C."""
    def gradient(w: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gh.minimize(gh.function(lambda w: float(w @ w), gradient, 3), gh.Simplex(3), gh.FrankWolfe())


def test_held_raises_at_the_end_although_errors_hide_it() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), held():
        called_from_c(press)
        done.append(1)
    with pytest.raises(KeyboardInterrupt), held():
        press()
        raise ValueError("a compiler that gives up")
    assert done == [1]
    with held():
        pass


def test_a_second_ctrl_c_breaks_what_is_held() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), held():
        press()
        done.append(1)
        press()
        done.append(2)
    assert done == [1]


def test_held_leaves_other_handlers_and_other_threads_alone() -> None:
    heard: list[int] = []
    mine = lambda number, frame: heard.append(number)
    signal.signal(signal.SIGINT, mine)
    try:
        with held():
            assert signal.getsignal(signal.SIGINT) is mine
            press()
        assert heard == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    went: list[bool] = []

    def elsewhere() -> None:
        with held():
            went.append(signal.getsignal(signal.SIGINT) is signal.default_int_handler)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert went == [True]


def test_a_handler_that_came_during_a_run_stays() -> None:
    mine = lambda number, frame: None
    with Interrupt() as interrupt:
        interrupt.listen()
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        signal.signal(signal.SIGINT, mine)
    assert signal.getsignal(signal.SIGINT) is mine
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_a_run_that_is_left_by_an_error_gives_the_handler_back() -> None:
    with pytest.raises(ZeroDivisionError), Interrupt() as interrupt:
        interrupt.listen()
        raise ZeroDivisionError
