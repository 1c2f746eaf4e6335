"""BLAS and LAPACK through SciPy's capsules: what the core calls is what NumPy computes, and a strange capsule is refused."""

import ctypes
import subprocess
import sys

import numpy as np
import pytest
from scipy.linalg import cython_blas, cython_lapack

from greedyhull.kernels.core import core

CAPSULES = {**cython_blas.__pyx_capi__, **cython_lapack.__pyx_capi__}
NAMES = ["dgemv", "sgemv", "dgemm", "sgemm", "dsyrk", "ssyrk", "dtrsm", "dpotrf"]
EMPTY = {np.dtype(t): np.zeros((0, 0), t) for t in (np.float32, np.float64)}


def called(name, A, B=None, C=None):
    """C after the core has called ``name``."""
    C = np.full((1, 1), np.nan, A.dtype) if C is None else C
    info = core.blas_check(name, A, EMPTY[A.dtype] if B is None else B, C)
    return C, info


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(5, 3, 4), (1, 1, 1), (1, 7, 2), (40, 1, 30), (3, 0, 2), (0, 3, 2), (2, 3, 0)])
def test_products_are_those_of_numpy(shape, dtype):
    m, k, n = shape
    draw = np.random.default_rng(0).standard_normal
    A, B, x = draw((m, k)).astype(dtype), draw((k, n)).astype(dtype), draw((1, k)).astype(dtype)
    close = {"rtol": 1e-5 if dtype is np.float32 else 1e-12, "atol": 1e-5 if dtype is np.float32 else 1e-12}
    out = np.full((1, m), np.nan, dtype)  # what was there is not read
    np.testing.assert_allclose(called("gemv", A, x, out)[0], x @ A.T, **close)
    out = np.full((m, n), np.nan, dtype)
    np.testing.assert_allclose(called("gemm", A, B, out)[0], A @ B, **close)
    above = np.triu(np.full((m, m), 7.0, dtype), 1)
    found = called("syrk", A, C=np.tril(np.full((m, m), np.nan, dtype)) + above)[0]
    np.testing.assert_allclose(np.tril(found), np.tril(A @ A.T), **close)
    assert (np.triu(found, 1) == above).all()


@pytest.mark.parametrize("n", [0, 1, 2, 7, 60])
def test_factors_are_those_of_numpy(n):
    draw = np.random.default_rng(n).standard_normal
    R = draw((n, n + 2))
    G = R @ R.T + np.eye(n)
    factor, info = called("potrf", G, C=G.copy())
    L = np.tril(factor)
    assert info == 0
    np.testing.assert_allclose(L @ L.T, G, rtol=1e-10, atol=1e-10)


def test_a_matrix_that_is_not_positive_is_told():
    assert called("potrf", np.eye(3), C=np.diag([1.0, -1.0, 1.0]))[1] == 2


def test_read_only_operands_pass():
    A, x = np.arange(6.0).reshape(2, 3), np.ones((1, 3))
    A.flags.writeable = x.flags.writeable = False
    assert called("gemv", A, x, np.zeros((1, 2)))[0].tolist() == [[3.0, 12.0]]


def test_sizes_beyond_the_integers_of_blas_are_refused():
    with pytest.raises(OverflowError, match="integers of BLAS"):
        called("syrk", np.zeros((0, 2**31)), C=np.zeros((0, 0)))
    with pytest.raises(OverflowError, match="integers of BLAS"):
        called("gemm", np.zeros((2**31, 0)), np.zeros((0, 0)), np.zeros((2**31, 0)))


@pytest.mark.parametrize("name", NAMES)
def test_a_capsule_of_another_signature_is_refused_and_what_was_bound_stays(name):
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    signature = str(CAPSULES[name]).split('"')[1].replace("int *", "long *").encode()  # as with integers of 64 bits
    said = core.bind_blas({**CAPSULES, name: make(1, signature, None)})
    assert f"SciPy's {name} is `void (" in said and "long *" in said and "is wanted" in said
    assert f"does not export {name}" in core.bind_blas({n: c for n, c in CAPSULES.items() if n != name})
    assert "no function" in core.bind_blas({**CAPSULES, name: None})
    assert called("gemv", np.ones((1, 1)), np.ones((1, 1)), np.zeros((1, 1)))[0] == 1.0


def test_nothing_is_called_before_it_is_bound():
    code = ("import sys, numpy as np, greedyhull\nfrom greedyhull.kernels.core import core\n"
            "assert 'scipy.linalg' not in sys.modules, 'scipy.linalg is imported early'\none = np.ones((1, 1))\n"
            "try:\n    core.blas_check('gemv', one, one, one.copy())\nexcept RuntimeError as error:\n    print(error)\n"
            "import greedyhull.kernels.lapack\nassert core.blas_check('gemv', one, one, one.copy()) == 0")
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0 and "not bound" in done.stdout, done.stderr
