"""BLAS and LAPACK through SciPy's capsules: what the core calls is what NumPy computes, and a strange capsule is refused."""

import ctypes
import subprocess
import sys

import numpy as np
import pytest
from scipy.linalg import cython_blas, cython_lapack

import greedyhull.kernels.lapack  # noqa: F401 — binds the functions
from greedyhull.kernels.core import core

CAPSULES = {**cython_blas.__pyx_capi__, **cython_lapack.__pyx_capi__}
NAMES = ["dgemv", "sgemv", "dgemm", "sgemm", "dsyrk", "ssyrk", "dtrsm", "dpotrf"]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(5, 3, 4), (1, 1, 1), (1, 7, 2), (40, 1, 30)])
def test_products_are_those_of_numpy(shape, dtype):
    m, k, n = shape
    draw = np.random.default_rng(0).standard_normal
    A, B, x = draw((m, k)).astype(dtype), draw((k, n)).astype(dtype), draw(k)
    close = {"rtol": 1e-5 if dtype is np.float32 else 1e-12, "atol": 1e-5 if dtype is np.float32 else 1e-12}
    for left, right in ((A, B), (A, A.T)) if k > 1 else ((A, B),):  # a single column has no leading dimension
        out = np.full((m, right.shape[1]), np.nan, dtype)  # what was there is not read
        core.shared_product(left, right, out)
        np.testing.assert_allclose(out, left @ right, **close)
    if dtype is np.float64:
        y = np.full(m, np.nan)
        core.shared_pass(A, x, y)
        np.testing.assert_allclose(y, A @ x, **close)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 60])
def test_factors_are_those_of_numpy(n):
    draw = np.random.default_rng(n).standard_normal
    R = draw((n, n + 2))
    G = R @ R.T + np.eye(n)
    factor = G.copy()
    assert core.shared_cholesky(factor) == 0
    L = np.tril(factor)
    np.testing.assert_allclose(L @ L.T, G, rtol=1e-10, atol=1e-10)


def test_a_matrix_that_is_not_positive_is_told():
    assert core.shared_cholesky(np.diag([1.0, -1.0, 1.0])) == 2


def test_read_only_operands_pass():
    A, x, y = np.arange(6.0).reshape(2, 3), np.ones(3), np.zeros(2)
    A.flags.writeable = x.flags.writeable = False
    core.shared_pass(A, x, y)
    assert y.tolist() == [3.0, 12.0]


def test_sizes_beyond_the_integers_of_blas_are_refused():
    apart = np.lib.stride_tricks.as_strided(np.zeros(4), (2, 2), (8 * 2**31, 8))
    with pytest.raises(OverflowError, match="integers of BLAS"):
        core.shared_product(apart, np.eye(2), np.zeros((2, 2)))
    with pytest.raises(OverflowError, match="integers of BLAS"):
        core.shared_pass(apart, np.ones(2), np.zeros(2))


@pytest.mark.parametrize("name", NAMES)
def test_a_capsule_of_another_signature_is_refused_and_what_was_bound_stays(name):
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    signature = str(CAPSULES[name]).split('"')[1].replace("int *", "long *").encode()  # as with integers of 64 bits
    said = core.bind_blas({**CAPSULES, name: make(1, signature, None)})
    assert f"SciPy's {name} is `void (" in said and "long *" in said and "is wanted" in said
    assert f"does not export {name}" in core.bind_blas({n: c for n, c in CAPSULES.items() if n != name})
    assert "no function" in core.bind_blas({**CAPSULES, name: None})
    one = np.ones((1, 1))
    core.shared_product(one, one.copy(), out := np.zeros((1, 1)))
    assert out == 1.0


def test_nothing_is_called_before_it_is_bound():
    code = ("import sys, numpy as np, greedyhull\nfrom greedyhull.kernels.core import core\n"
            "assert 'scipy.linalg' not in sys.modules, 'scipy.linalg is imported early'\none = np.ones((1, 1))\n"
            "try:\n    core.shared_product(one, one.copy(), one.copy())\nexcept RuntimeError as error:\n    print(error)\n"
            "import greedyhull.kernels.lapack\ncore.shared_product(one, one.copy(), one.copy())")
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0 and "not bound" in done.stdout, done.stderr
