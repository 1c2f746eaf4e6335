"""Passes over rows of a shard: they are those of SciPy."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from greedyhull.kernels._core import add_rows, dense_column_facts, dot_rows, pick_rows, sparse_column_facts


def rows(seed, n, d, dtype=np.float64, wide=np.int32):
    """A matrix with empty rows, its entries in no order and some of them twice, and the arrays of the rows from 2 on."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 5, n + 2)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    places, entries = rng.integers(0, d, starts[-1]), rng.standard_normal(starts[-1])
    X = sparse.csr_array((entries.astype(dtype), places.astype(wide), starts.astype(wide)), shape=(n + 2, d))
    unsigned = {4: np.uint32, 8: np.uint64}[np.dtype(wide).itemsize]
    return X[2:].toarray().astype(np.float64), (starts[2:], places.astype(unsigned), entries.astype(dtype))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(0, 12), d=st.integers(1, 9), dtype=st.sampled_from([np.float64, np.float32]),
       wide=st.sampled_from([np.int32, np.int64]))
def test_products_and_sums_of_rows(seed, n, d, dtype, wide):
    X, arrays = rows(seed, n, d, dtype, wide)
    rng = np.random.default_rng(seed)
    w, r, g = rng.standard_normal(d), rng.standard_normal(n), rng.standard_normal(d)
    z, out = np.empty(n), g.copy()
    dot_rows(*arrays, w, z)
    add_rows(*arrays, r, out)
    np.testing.assert_allclose(z, X @ w, atol=1e-5 if dtype is np.float32 else 1e-13)
    np.testing.assert_allclose(out, g + X.T @ r, atol=1e-5 if dtype is np.float32 else 1e-13)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(0, 12), d=st.integers(1, 9))
def test_entries_of_numbered_columns_are_picked(seed, n, d):
    X, arrays = rows(seed, n, d)
    rng = np.random.default_rng(seed)
    index = (rng.random(d) < 0.4).nonzero()[0]
    number = np.full(d, -1, dtype=np.int32)
    number[index] = np.arange(len(index))
    named = np.packbits(number >= 0, bitorder="little")
    room = int(arrays[0][-1] - arrays[0][0])
    heads, columns, values = np.empty(n + 1, np.int64), np.empty(room + 1, np.uint32), np.empty(room + 1)
    count = pick_rows(*arrays, named, number, heads, columns, values)
    kept = count if count >= 0 else -1 - count
    picked = sparse.csr_array((values[:kept], columns[:kept].astype(np.int32), heads), shape=(n, len(index)))
    np.testing.assert_array_equal(picked.toarray(), X[:, index])
    assert (count >= 0) == all((np.diff(columns[a:b].astype(int)) > 0).all()
                               for a, b in pairwise(heads))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(0, 12), d=st.integers(1, 9), dtype=st.sampled_from([np.float64, np.float32]))
def test_columns_are_measured(seed, n, d, dtype):
    X, arrays = rows(seed, n, d, dtype)
    rng = np.random.default_rng(seed)
    s, before = rng.random(n), rng.random((3, d))
    dense = np.where(rng.random((n, d)) < 0.5, rng.standard_normal((n, d)), 0.0).astype(dtype)
    here = before.copy()
    assert dense_column_facts(dense, s, *here) == -1
    exact = dense.astype(np.float64)
    np.testing.assert_array_equal(here[0], np.maximum(before[0], np.abs(exact).max(axis=0, initial=0.0)))
    np.testing.assert_allclose(here[1:], before[1:] + np.stack([(exact * exact).sum(axis=0), s @ exact]), atol=1e-13)
    here = np.array(before.T, order="C")
    assert sparse_column_facts(*arrays, s, here) == -1
    here = here.T
    np.testing.assert_allclose(here[2], before[2] + s @ X, atol=1e-5 if dtype is np.float32 else 1e-13)
    entries, places = arrays[2][arrays[0][0] :].astype(np.float64), arrays[1][arrays[0][0] :].astype(int)
    largest = [np.abs(entries[places == j]).max(initial=before[0, j]) for j in range(d)]
    np.testing.assert_array_equal(here[0], largest)
    np.testing.assert_allclose(here[1], before[1] + np.bincount(places, entries**2, d), atol=1e-13)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_first_entry_that_is_not_finite_is_named(bad):
    X = np.ones((5, 3))
    X[3, 1] = X[4, 0] = bad
    assert dense_column_facts(X, np.ones(5), *np.zeros((3, 3))) == 3
    starts, places, entries = np.arange(0, 16, 3), np.tile(np.arange(3, dtype=np.uint32), 5), X.ravel()
    assert sparse_column_facts(starts, places, entries, np.ones(5), np.zeros((3, 3))) == 10
    assert sparse_column_facts(starts[4:], places, entries, np.ones(1), np.zeros((3, 3))) == 12


def test_columns_outside_are_refused():
    """No load is trusted: an index that lies outside would be followed into other memory."""
    arrays = np.array([0, 2]), np.array([0, 7], np.uint32), np.ones(2)
    with pytest.raises(ValueError, match="outside"):
        dot_rows(*arrays, np.ones(7), np.empty(1))
    with pytest.raises(ValueError, match="outside"):
        add_rows(*arrays, np.ones(1), np.zeros(7))
    with pytest.raises(ValueError, match="outside"):
        pick_rows(*arrays, np.full(1, 255, np.uint8), np.zeros(7, np.int32), np.empty(2, np.int64),
                          np.empty(3, np.uint32), np.empty(3))
    with pytest.raises(ValueError, match="outside"):
        sparse_column_facts(*arrays, np.ones(1), np.zeros((7, 3)))
