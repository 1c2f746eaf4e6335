"""One decorator for all kernels: numba when a kernel is first called, cached on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any


class compiled:  # noqa: N801 — used as a decorator
    """Compile the function at its first call, so that importing greedyhull does not import numba.

    ``cache=True`` raises where neither the package nor a home directory can be written: then there is no cache.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.reference = function
        self._kernel: Any = None
        update_wrapper(self, function)

    def __call__(self, *args: Any) -> Any:
        if self._kernel is None:
            self._kernel = self._compile()
        return self._kernel(*args)

    def _compile(self) -> Any:
        from numba import njit

        try:
            return njit(cache=True, error_model="numpy")(self.reference)
        except RuntimeError:
            return njit(error_model="numpy")(self.reference)
