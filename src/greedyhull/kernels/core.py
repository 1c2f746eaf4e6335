"""Where the loops run: the compiled core, or the plain reference where there is none.

The core is the module ``_core``, made from ``native/`` when the package is installed. Without a compiler the package installs
all the same, and each loop is the NumPy function that is written beside it. The variable ``GREEDYHULL_CORE`` decides where one
wants to be sure: ``reference`` leaves the core aside, ``required`` refuses to work without it.

Loops that multiply or factorise matrices call the BLAS and LAPACK of SciPy through the capsules that it exports. They are
bound when the first such loop is called, for the import of ``scipy.linalg`` takes longer than that of greedyhull.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar, cast

from greedyhull.errors import GreedyhullError

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

    >>> from greedyhull.kernels.pairwise import pairwise_burst
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
