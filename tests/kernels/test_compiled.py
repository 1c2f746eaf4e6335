"""The decorator of the kernels: nothing is compiled before the first call, and a directory nobody can write is no obstacle."""

import subprocess
import sys

import numpy as np

from greedyhull.kernels.compiled import compiled, compiled_sum


def double(x):
    """Twice x."""
    return 2.0 * x


def test_the_reference_is_the_plain_function():
    kernel = compiled(double)
    assert kernel.reference is double
    assert kernel.__name__ == "double" and kernel.__doc__ == "Twice x."
    assert kernel(3.0) == kernel.reference(3.0) == 6.0


def test_importing_the_library_imports_no_numba():
    code = "import sys, greedyhull, greedyhull.kernels.simplex_qp; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_kernel_works_where_nothing_can_be_cached(tmp_path):
    """As in a read-only installation without a home: no place for the cache is left."""
    module = tmp_path / "plain.py"
    module.write_text("from greedyhull.kernels.compiled import compiled\n\n\n@compiled\ndef triple(x):\n    return 3.0 * x\n")
    code = ("import numba.core.caching as caching, sys\n"
            "caching.CacheImpl._locator_classes = []\n"
            f"sys.path.insert(0, {str(tmp_path)!r})\n"
            "import plain\n"
            "assert plain.triple(2.0) == 6.0\n")
    found = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr


def test_a_kernel_takes_both_precisions():
    kernel = compiled(double)
    for dtype in (np.float32, np.float64):
        np.testing.assert_array_equal(kernel(np.ones(3, dtype)), 2.0 * np.ones(3))


@compiled
def plus_one(x):
    return x + 1.0


@compiled_sum
def summed(x):
    total = 0.0
    for i in range(len(x)):
        total += plus_one(x[i])
    return total


def test_a_kernel_may_call_another_and_sum_in_any_order():
    assert abs(summed(np.arange(1000.0)) - 500500.0) < 1e-6
    assert plus_one.kernel is plus_one.kernel
