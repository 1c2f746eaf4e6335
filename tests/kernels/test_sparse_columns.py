"""Products with a few columns of a sparse matrix: they are those of SciPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from greedyhull.kernels._core import add_columns, dot_columns, gram_columns, gram_rows
from greedyhull.objectives.designs import design


def matrix(seed, n=40, d=25, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return sparse.csc_array((rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.15)).astype(dtype))


def unsigned(X):
    return X.indptr.astype(np.int64), X.indices.view(np.uint32), X.data


@pytest.mark.parametrize("which", [[], [3], [3, 3, 0], list(range(25)), [24, 1, 7]])
def test_sums_and_dots_of_columns(which):
    X, rng = matrix(1), np.random.default_rng(0)
    index, r = np.array(which, dtype=np.intp), rng.standard_normal(40)
    c = rng.standard_normal(len(index))
    z, out = np.ones(40), np.empty(len(index))
    add_columns(*unsigned(X), index, c, z)
    dot_columns(*unsigned(X), index, r, out)
    np.testing.assert_allclose(z, 1.0 + X.toarray()[:, index] @ c, atol=1e-13)
    np.testing.assert_allclose(out, X.toarray()[:, index].T @ r, atol=1e-13)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 15), d=st.integers(1, 12), m=st.integers(1, 10), m2=st.integers(1, 6),
       weighted=st.booleans(), layout=st.sampled_from(["csc", "csr", "coo", "shuffled"]))
def test_gram_of_columns(seed, n, d, m, m2, weighted, layout):
    """Repeated columns, empty rows, both halves, weights with zeros, rows whose columns are in no order."""
    rng = np.random.default_rng(seed)
    full = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.2)
    X = sparse.csr_array(full)
    if layout == "shuffled":
        for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            order = rng.permutation(b - a)
            X.indices[a:b], X.data[a:b] = X.indices[a:b][order], X.data[a:b][order]
        X.has_sorted_indices = False
    else:
        X = X.asformat(layout)
    A = design(X)
    index, index2 = rng.integers(0, d, m), rng.integers(0, d, m2)
    scales, scales2 = rng.standard_normal(m), rng.standard_normal(m2)
    c = np.maximum(rng.standard_normal(n), 0.0) if weighted else None
    C = np.diag(np.ones(n) if c is None else c)
    Z, Z2 = full[:, index] * scales, full[:, index2] * scales2
    np.testing.assert_allclose(A.gram(A.columns(index, scales), None, c), Z.T @ C @ Z, atol=1e-12)
    np.testing.assert_allclose(A.gram(A.columns(index, scales), A.columns(index2, scales2), c), Z.T @ C @ Z2, atol=1e-12)


def test_single_precision_columns():
    X, r = matrix(2, dtype=np.float32), np.random.default_rng(0).standard_normal(40).astype(np.float32)
    index, c = np.array([2, 5, 9]), np.array([1.0, -2.0, 0.5], dtype=np.float32)
    z, out = np.zeros(40, np.float32), np.empty(3)
    add_columns(*unsigned(X), index, c, z)
    dot_columns(*unsigned(X), index, r, out)
    np.testing.assert_allclose(z, X.toarray()[:, index] @ c, atol=1e-6)
    np.testing.assert_allclose(out, X.toarray()[:, index].T @ r, atol=1e-5)


@pytest.mark.parametrize("which", [[0], [3, 7], [1, 4, 9, 20], list(range(25))])
def test_both_ways_to_a_gram_matrix(which):
    """By columns that meet each other, and by all rows: they are those of SciPy."""
    X, rng = matrix(3), np.random.default_rng(0)
    index, weights = np.array(which, dtype=np.intp), np.maximum(rng.standard_normal(40), 0.0)
    m, full = len(which), X.toarray()[:, which]
    wanted = np.tril(full.T @ (full * weights[:, None]))
    number = np.full(25, -1, dtype=np.int64)
    number[index] = np.arange(m)
    by_columns, by_rows = np.zeros((m, m)), np.zeros((m, m))
    gram_columns(*unsigned(X), weights, index, by_columns)
    gram_rows(*unsigned(X.tocsr()), weights, number, by_rows)
    np.testing.assert_allclose(by_columns, wanted, atol=1e-13)
    np.testing.assert_allclose(by_rows, wanted, atol=1e-13)
