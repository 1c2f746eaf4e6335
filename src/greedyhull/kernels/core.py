"""Threads of the compiled core and of BLAS, and Ctrl-C while it runs."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from importlib import import_module
from operator import index
from pathlib import Path
from types import FrameType
from typing import Any, ParamSpec, TypeVar

from greedyhull.errors import check, notes
from greedyhull.kernels import _core

core: Any = _core  # its callers pass arrays of many kinds on
P = ParamSpec("P")
R = TypeVar("R")

one_thread = _core.BlasThreads(True)
callers_threads = _core.BlasThreads(False)


def alone(function: Callable[P, R]) -> Callable[P, R]:
    """Let BLAS have one thread while the function runs."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        with one_thread:
            return function(*args, **kwargs)

    return called


def public(function: Callable[P, R], whose: str = "") -> Callable[P, R]:
    """Make a function an entry point, as `alone` and `hinting` do, in one frame: warnings count frames to their caller."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with one_thread:
                return function(*args, **kwargs)
        except TypeError as error:
            for note in notes(function, args, kwargs, whose):
                error.add_note(note)
            raise

    return called


def user(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a user's function, with the number of BLAS threads that its author set."""
    with callers_threads:
        return function(*args, **kwargs)


@contextmanager
def limited(count: int) -> Iterator[None]:
    """Let passes over large data that this thread makes use up to ``count`` threads."""
    before = set_limit(checked(count))
    try:
        yield
    finally:
        set_limit(before)


def checked(count: object) -> int:
    """`count`, where it is a number of threads."""
    try:
        given = 0 if isinstance(count, bool) else index(count)  # type: ignore[arg-type]
    except TypeError:
        given = 0
    check(1 <= given <= 1024, lambda: f"threads is {count!r}, but a whole number from 1 to 1024 is wanted. Leave it out for "
                                      "as many as OMP_NUM_THREADS says, or else all processors of this process.")
    return given


set_limit = _core.use_threads  # of this thread, 0 for none; returns the last one
count = _core.threads  # how many threads a large pass would use now


def bind(module: Any) -> None:
    """Let `one_thread` set the threads of the BLAS that a compiled module calls, where that has a function for it."""
    home = Path(module.__file__).parents[module.__name__.count(".")]
    for path in (module.__file__, *home.glob(f"{module.__name__.split('.')[0]}.libs/*openblas*.dll")):
        with suppress(OSError):
            found = _functions(ctypes.CDLL(str(path)))
            if found is not None:
                core.bind_blas_threads(*found)


def _functions(library: Any) -> tuple[int, int, bool] | None:
    """The addresses of the functions that get and set the number of threads, and whether it is that of the calling thread."""
    if (set_local := _address(library, "MKL_Set_Num_Threads_Local")):
        return 0, set_local, True
    for prefix in ("scipy_openblas", "openblas"):
        for suffix in ("", "64_", "_64"):
            get, set_ = (_address(library, f"{prefix}_{name}_num_threads{suffix}") for name in ("get", "set"))
            if get and set_:
                kind = _address(library, f"{prefix}_get_parallel{suffix}")
                if kind and ctypes.CFUNCTYPE(ctypes.c_int)(kind)() == 2:  # by OpenMP, which has a number for each thread
                    get, set_ = (_address(library, f"omp_{name}_threads") for name in ("get_max", "set_num"))
                    return (get, set_, True) if get and set_ else None
                return get, set_, False
    return None


def _address(library: Any, name: str) -> int:
    try:
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0  # libraries differ in what they export
    except AttributeError:
        return 0


bind(import_module("numpy.linalg._umath_linalg"))  # SciPy's is bound by kernels/lapack.py
if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=core.blas_threads_forked)


def _ours() -> bool:
    """Whether Ctrl-C may be taken over here: somebody else's handler stays in charge, and only the main thread has one."""
    return (threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler)


class Interrupt:
    """After `listen` the first Ctrl-C only sets ``requested``; the second raises KeyboardInterrupt as usual."""

    requested = listening = False
    _before: Any = None

    def listen(self) -> None:
        """Take Ctrl-C over. It costs more than a tiny solve, so a run does this once it has lasted a while."""
        self.listening = True
        if _ours():
            self._before = signal.signal(signal.SIGINT, self._hear)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True

    def close(self) -> None:
        """Give Ctrl-C back."""
        if self._before is not None and signal.getsignal(signal.SIGINT) == self._hear:  # another one may have come since
            signal.signal(signal.SIGINT, self._before)
