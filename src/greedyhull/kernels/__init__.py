"""Inner loops and small numerical solvers over arrays. The loops are compiled from ``native/``; `_core.pyi` lists them."""

try:
    from greedyhull.kernels import _core as _core
except ImportError as error:
    raise ImportError(f"greedyhull cannot load its compiled core ({error}): it needs 64-bit CPython with the global "
                      "interpreter lock, a SciPy with 32-bit BLAS integers, and an installation built with a C++17 compiler.",
                      name=error.name, path=error.path) from error
