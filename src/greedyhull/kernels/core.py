"""The compiled core: how it is loaded, its threads, interrupts, and checks of arrays in one pass."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache, wraps
from importlib import import_module
from operator import index
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from greedyhull.errors import GreedyhullError, check, notes
from greedyhull.types import Array

F = TypeVar("F", bound=Callable[..., Any])
MODES = ("auto", "reference", "required")
# without one of these, it is older
NEWEST = {"bind_blas_threads", "budget_batch", "dense_form", "dense_path", "dense_region_rounds", "grouped_qp", "square_facts",
          "use_threads"}
REFERENCES: dict[str, Callable[..., Any]] = {}  # every loop that the core has, as NumPy would do it


def _found() -> tuple[ModuleType | None, str]:
    """The core, or None and why."""
    mode = os.environ.get("GREEDYHULL_CORE", "auto")
    if mode not in MODES:
        raise GreedyhullError(f"GREEDYHULL_CORE={mode!r} is set; one of {', '.join(MODES)} is wanted. Unset it to "
                              "let greedyhull choose.")
    if mode == "reference":
        return None, "GREEDYHULL_CORE=reference leaves it aside"
    try:
        found = import_module("greedyhull.kernels._core")
        if not vars(found).keys() >= NEWEST:
            raise ImportError("it was compiled from older sources")
        return found, ""
    except ImportError as error:
        if mode == "required":
            raise GreedyhullError(f"GREEDYHULL_CORE=required is set, but the compiled core cannot be loaded: {error}. Install "
                                  "greedyhull again where a C++17 compiler is found.") from error
        return None, f"it cannot be loaded ({error}); install greedyhull again where a C++17 compiler is found"


core, MISSING = _found()


def level() -> str:
    """Which variant of the loops runs: ``x86-64-v3``, ``baseline``, or ``reference`` without a core.

    Two of them agree up to rounding, not bit by bit.
    """
    return "reference" if core is None else str(core.level())


def compiled(reference: F) -> F:
    """The core's function of the same name, or ``reference`` itself where there is no core.

    >>> from greedyhull.kernels.simplex_qp import pairwise_burst
    >>> REFERENCES["pairwise_burst"].__name__
    'pairwise_burst'
    """
    REFERENCES[reference.__name__] = reference
    return reference if core is None else vars(core).get(reference.__name__, reference)


@cache
def blas_missing() -> str:
    """Why the core cannot call SciPy's BLAS, empty where it can. The first call binds it."""
    if core is None:
        return f"there is no compiled core: {MISSING}"
    try:
        import_module("greedyhull.kernels.lapack")  # which binds the threads of SciPy's BLAS
        modules = [import_module(f"scipy.linalg.cython_{part}") for part in ("blas", "lapack")]
    except ImportError as error:
        return f"SciPy's BLAS cannot be loaded: {error}"
    return str(core.bind_blas({name: capsule for module in modules
                               for name, capsule in vars(module).get("__pyx_capi__", {}).items()}))


def compiled_with_blas(reference: F) -> F:
    """As `compiled`, for a function of the core that calls BLAS.

    Where BLAS cannot be bound, or a size does not fit its integers, ``reference`` does the work.
    """
    name = reference.__name__
    REFERENCES[name] = reference
    if core is None or name not in vars(core):
        return reference
    loop = vars(core)[name]

    @wraps(reference)
    def call(*given: Any) -> Any:
        if blas_missing():
            return reference(*given)
        try:
            return loop(*given)
        except OverflowError:  # entry points compare sizes before they write
            return reference(*given)

    return cast(F, call)


P = ParamSpec("P")
R = TypeVar("R")

one_thread: AbstractContextManager[None] = nullcontext() if core is None else core.BlasThreads(True)
callers_threads: AbstractContextManager[None] = nullcontext() if core is None else core.BlasThreads(False)


def alone(function: Callable[P, R]) -> Callable[P, R]:
    """Let BLAS have one thread while the function runs."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        with one_thread:
            return function(*args, **kwargs)

    return called


def public(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function an entry point, as `alone` and `hinting` do, in one frame: warnings count frames to their caller."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with one_thread:
                return function(*args, **kwargs)
        except TypeError as error:
            for note in notes(function, args, kwargs):
                error.add_note(note)
            raise

    return called


def user(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a user's function, with the number of BLAS threads that its author set."""
    with callers_threads:
        return function(*args, **kwargs)


@contextmanager
def limited(count: int) -> Iterator[None]:
    """Let passes over large data that this thread asks for use up to `count` threads.

    Parameters
    ----------
    count : int
        At least one.
    """
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


def set_limit(count: int) -> int:
    """Set the limit of this thread, 0 for none, and return the last one."""
    return 0 if core is None else core.use_threads(count)


def count() -> int:
    """How many threads a large pass would use now."""
    return 1 if core is None else core.threads()


def bind(module: Any) -> None:
    """Let `one_thread` set the threads of the BLAS that a compiled module of NumPy or SciPy calls.

    A library without such a function, such as Accelerate or BLIS, keeps its threads.
    """
    home = Path(module.__file__).parents[module.__name__.count(".")]
    for path in (module.__file__, *home.glob(f"{module.__name__.split('.')[0]}.libs/*openblas*.dll")):
        with suppress(OSError):
            found = _functions(ctypes.CDLL(str(path)))
            if core is not None and found is not None:
                core.bind_blas_threads(*found)


def _functions(library: Any) -> tuple[int, int, bool] | None:
    """The addresses of two functions that get and set the number of threads, and whether it is that of the calling thread.

    Names are looked up in the module and in all that it was linked with.
    """
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


if core is not None:
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


EPS = float(np.finfo(np.float64).eps)


@compiled
def all_finite(x: Array) -> bool:
    """Whether no entry of a contiguous float64 vector is NaN or infinite."""
    return bool(np.isfinite(x).all())


@compiled
def square_facts(Q: Array) -> tuple[bool, bool, float]:
    """Of a square matrix in C order: whether Q = Qᵀ, whether it is dominant, and maxᵢ Σⱼ |Qᵢⱼ|.

    Dominant, with Qᵢᵢ ≥ Σ |Qᵢⱼ| over the other j and rounding included, a symmetric Q has no negative eigenvalue.
    """
    sizes = np.abs(Q)
    sums, diagonal = sizes.sum(axis=1), np.diagonal(Q)
    rest = sums - np.diagonal(sizes)
    return bool((Q == Q.T).all()), bool((diagonal >= (1.0 + len(Q) * EPS) * rest).all()), float(sums.max(initial=0.0))


@compiled
def is_definite(Q: Array, shift: float) -> bool:
    """Whether Q + ``shift``·I has a Cholesky factor, for a symmetric Q in C order; the core's loops are for small ones."""
    shifted = Q.copy()
    shifted.flat[:: len(Q) + 1] += shift
    try:
        np.linalg.cholesky(shifted)
    except np.linalg.LinAlgError:
        return False
    return True
