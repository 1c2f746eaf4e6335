"""One decorator for all kernels: numba when a kernel is first called, cached on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType
from typing import Any, ClassVar

from greedyhull.kernels.interrupt import held


class compiled:  # noqa: N801 — used as a decorator
    """Compile the function at its first call, so that importing greedyhull does not import numba.

    A kernel may call other kernels of its own file. ``cache=True`` raises where neither the package nor a home directory can
    be written: then there is no cache.
    """

    options: ClassVar[dict[str, Any]] = {"error_model": "numpy"}

    def __init__(self, function: Callable[..., Any]) -> None:
        self.reference = function
        self._kernel: Any = None
        update_wrapper(self, function)

    def __call__(self, *args: Any) -> Any:
        return self.kernel(*args)

    @property
    def kernel(self) -> Any:
        """What numba made of the function."""
        if self._kernel is None:
            self._kernel = self._compile()
        return self._kernel

    def _compile(self) -> Any:
        with held():
            from numba import njit

        function = self._among_kernels()
        try:
            return _heard(njit(cache=True, **self.options)(function))
        except RuntimeError:
            return _heard(njit(**self.options)(function))

    def _among_kernels(self) -> Any:
        """The function as numba wants it: where it names other kernels, it finds what numba made of them."""
        function: Any = self.reference
        known = function.__globals__
        called = {name: known[name].kernel for name in function.__code__.co_names if isinstance(known.get(name), compiled)}
        if not called:
            return function
        seen = FunctionType(function.__code__, {**known, **called}, function.__name__, function.__defaults__)
        return update_wrapper(seen, function, updated=())


def _heard(kernel: Any) -> Any:
    """The kernel, which compiles for new types of arguments with Ctrl-C held: LLVM calls Python, and would lose it."""
    from numba.core.dispatcher import Dispatcher

    if isinstance(kernel, Dispatcher):  # without numba's compiler the kernel is the function itself
        asked: Any = kernel
        compile_for = asked._compile_for_args

        def compile_held(*args: Any, **kwargs: Any) -> Any:
            with held():
                return compile_for(*args, **kwargs)

        asked._compile_for_args = compile_held
    return kernel


class compiled_sum(compiled):  # noqa: N801
    """The same for a kernel whose sums may be taken in any order, so that a processor can make several at a time."""

    options: ClassVar[dict[str, Any]] = {"error_model": "numpy", "fastmath": {"reassoc", "contract"}}
