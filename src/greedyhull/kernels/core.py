"""Where the loops run: the compiled core, or the plain reference where there is none.

The core is the module ``_core``, made from ``native/`` when the package is installed. Without a compiler the package installs
all the same, and each loop is the NumPy function that is written beside it. The variable ``GREEDYHULL_CORE`` decides where one
wants to be sure: ``reference`` leaves the core aside, ``required`` refuses to work without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

from greedyhull.errors import GreedyhullError

F = TypeVar("F", bound=Callable[..., Any])
MODES = ("auto", "reference", "required")
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
        return import_module("greedyhull.kernels._core"), ""
    except ImportError as error:
        if mode == "required":
            raise GreedyhullError(f"GREEDYHULL_CORE=required is set, but the compiled core cannot be loaded: {error}. Install "
                                  "greedyhull again where a C++17 compiler is found.") from error
        return None, f"it is not there ({error}); install greedyhull again where a C++17 compiler is found"


core, MISSING = _found()


def compiled(reference: F) -> F:
    """The core's function of the same name, or ``reference`` itself where there is no core.

    >>> from greedyhull.kernels.pairwise import pairwise_burst
    >>> REFERENCES["pairwise_burst"].__name__
    'pairwise_burst'
    """
    REFERENCES[reference.__name__] = reference
    return reference if core is None else vars(core).get(reference.__name__, reference)
