"""Passes over observed entries: they are those of dense products; wrong arrays are refused."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from greedyhull.kernels._core import observed_entries, observed_products


def matrix(m, n, seed=0):
    rng = np.random.default_rng(seed)
    G = csr_array(rng.standard_normal((m, n)) * (rng.random((m, n)) < 0.4))
    return G, G.indptr.astype(np.int64), G.indices.astype(np.uint32)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("rank", [0, 1, 3, 4, 7, 8, 21])
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (12, 1), (11, 7)])
def test_entries_and_products_are_those_of_matrices(shape, rank, dtype):
    G, starts, columns = matrix(*shape)
    rng = np.random.default_rng(1)
    U, V = (rng.standard_normal((k, rank)).astype(dtype) for k in shape)
    near = 1e-13 if dtype == np.float64 else 1e-4
    out, left, right = np.full(G.nnz, np.nan, dtype), np.full_like(U, np.nan), np.full_like(V, np.nan)
    observed_entries(starts, columns, U, V, out)
    observed_products(starts, columns, G.data.astype(dtype), U, V, left, right)
    i, j = G.nonzero()
    np.testing.assert_allclose(out, (U @ V.T)[i, j], atol=near)
    np.testing.assert_allclose(left, G @ V, atol=near)
    np.testing.assert_allclose(right, G.T @ U, atol=near)


def test_what_does_not_fit_is_refused():
    G, starts, columns = matrix(4, 3)
    U, V, out = np.ones((4, 2)), np.ones((3, 2)), np.empty(G.nnz)
    with pytest.raises(ValueError, match="no such column"):
        observed_entries(starts, columns, U, V[:1].copy(), out)
    for wrong in (starts[:-1].copy(), starts[::-1].copy(), starts + 1):
        with pytest.raises(ValueError, match="do not fit together"):
            observed_entries(wrong, columns, U, V, out)
    with pytest.raises(ValueError, match="do not fit together"):
        observed_entries(starts, columns, U, V, out[:-1].copy())
    with pytest.raises(ValueError, match="ranks"):
        observed_entries(starts, columns, U, np.ones((3, 1)), out)
    with pytest.raises(ValueError, match="shapes differ"):
        observed_products(starts, columns, G.data, U, V, np.empty((4, 2)), np.empty((2, 2)))
