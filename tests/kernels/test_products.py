"""Large products and factors: those of NumPy, with the same bits whatever the number of threads."""

import numpy as np
import pytest
import scipy.sparse as sp

from greedyhull.kernels.core import limited
from greedyhull.kernels.data_passes import product
from greedyhull.kernels.lapack import dpotrf

RNG = np.random.default_rng(5)
SIZES = [(700, 500, 800), (2500, 300, 150), (150, 3000, 900), (1200, 1000, 90), (1_000_000, 10, 11)]


def alike(compute, wanted, dtype=np.float64):
    """Compare what is computed with 1, 2 and 5 threads with each other, bit by bit, and with what is wanted."""
    found = []
    for threads in (1, 2, 5):
        with limited(threads):
            found.append(compute())
    assert len({each.tobytes() for each in found}) == 1
    assert found[0].dtype == dtype
    size = float(np.abs(wanted).max())
    np.testing.assert_allclose(found[0], wanted, rtol=0, atol=size * (1e-4 if dtype == np.float32 else 1e-12))


@pytest.mark.parametrize("orders", ["CC", "CF", "FC", "FF"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", SIZES)
def test_products_of_matrices(size, dtype, orders):
    m, k, n = size
    A = np.asarray(RNG.standard_normal((m, k)), dtype=dtype, order=orders[0])
    B = np.asarray(RNG.standard_normal((k, n)), dtype=dtype, order=orders[1])
    alike(lambda: product(A, B), A.astype(np.float64) @ B.astype(np.float64), dtype)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("size", [(900, 600), (300, 5000), (2000, 70)])
def test_squares(size, dtype, order):
    A = np.asarray(RNG.standard_normal(size), dtype=dtype, order=order)
    square = product(A, A.T)
    assert (square == square.T).all()
    alike(lambda: product(A, A.T), A.astype(np.float64) @ A.T.astype(np.float64), dtype)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("size", [(80_000, 60), (60, 80_000), (2100, 2100), (3000, 2), (3, 1_500_000), (1_500_000, 3)])
def test_products_with_a_vector(size, order):
    A, x, r = np.asarray(RNG.standard_normal(size), order=order), RNG.standard_normal(size[1]), RNG.standard_normal(size[0])
    alike(lambda: product(A, x), A @ x)
    alike(lambda: product(A.T, r), A.T @ r)
    alike(lambda: product(A, np.repeat(x, 2)[::2]), A @ x)


def test_other_products_are_those_of_numpy_and_scipy():
    A = RNG.standard_normal((2000, 2000))
    np.testing.assert_array_equal(product(A[::2, ::2], A[:1000, ::3]), A[::2, ::2] @ A[:1000, ::3])
    np.testing.assert_array_equal(product(A.astype(np.int64), A), A.astype(np.int64) @ A)
    assert sp.issparse(product(sp.eye_array(3), sp.eye_array(3)))
    assert product(np.zeros((0, 3)), np.zeros((3, 2))).shape == (0, 2)
    with pytest.raises(ValueError, match="mismatch"):
        product(A, A[:1999])
    with pytest.raises(ValueError, match="mismatch"):
        product(A, A[0, :1999])


@pytest.mark.parametrize("n", [699, 700, 900, 1301])
def test_factors(n):
    B = RNG.standard_normal((n, n + 5))
    G = B @ B.T + np.eye(n)
    alike(lambda: np.triu(dpotrf(G.T, clean=0)[0]), np.linalg.cholesky(G).T)
    for k in (1, 130, n - 1):  # the order of the first minor that is not positive
        bad = G.copy()
        bad[k - 1, k - 1] = -1.0
        assert dpotrf(bad.T, clean=0)[1] == k
    kept = G.copy()
    factor, info = dpotrf(kept.T, clean=0, overwrite_a=1)
    assert info == 0 and np.shares_memory(factor, kept)
