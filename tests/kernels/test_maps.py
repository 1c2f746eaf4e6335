"""Data in read-only memory maps: every entry point reads them as they are, and problems over them are solved."""

import numpy as np
import pytest
import scipy.sparse as sp

import greedyhull as gh
from greedyhull.kernels._core import (
    add_columns,
    difference_steps,
    dot_columns,
    gram_columns,
    gram_rows,
    logistic_pieces,
    simplex_qp,
    table_steps,
    wide_table_steps,
    without_repeats,
)

DTYPES = [np.float64, np.float32]


@pytest.fixture
def mapped(tmp_path):
    """An array as a memory map that cannot be written to."""
    def place(array):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.npy"
        np.save(path, array)
        return np.load(path, mmap_mode="r")

    return place


def problem(dtype):
    rng = np.random.default_rng(3)
    X = (rng.standard_normal((40, 8)) * (rng.random((40, 8)) < 0.5)).astype(dtype)
    return X, rng.standard_normal(40)


def sparse_of(matrix, mapped):
    """The arrays of a compressed matrix as kernels take them, each a map."""
    return (mapped(matrix.indptr.astype(np.int64)), mapped(matrix.indices.astype(np.uint32)), mapped(matrix.data))


def point(d, mapped):
    """The l1 ball and the origin as stochastic loops take them."""
    place = np.full(2 * d, -1)
    return (0, mapped(np.ones(d)), mapped(np.ones(d)), mapped(np.zeros((1, d))), np.zeros(d), np.zeros(2 * d),
            np.full(2 * d, -1), place, np.zeros(1, np.int64))


def test_small_quadratics_are_read_from_maps(mapped):
    G = mapped(np.diag([1.0, 2.0, 3.0]))
    alpha = np.array([0.2, 0.3, 0.5])
    simplex_qp(G, mapped(G @ alpha), alpha, 1e-12)
    np.testing.assert_allclose(alpha, np.array([6.0, 3.0, 2.0]) / 11.0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_margins_and_columns_are_read_from_maps(dtype, mapped):
    X, _ = problem(dtype)
    z = mapped(X[:, 0])
    for labels in {np.dtype(np.float64), np.dtype(dtype)}:
        y = mapped(np.where(X[:, 1] > 0, 1, -1).astype(labels))
        assert logistic_pieces(y, z, np.zeros(40, dtype), np.zeros(40, dtype)) > 0.0
    columns, rows = sparse_of(sp.csc_array(X), mapped), sparse_of(sp.csr_array(X), mapped)
    index, c, weights = mapped(np.array([1, 4])), mapped(np.ones(2, dtype)), mapped(np.ones(40))
    total, dots, G, H = np.zeros(40, dtype), np.zeros(2), np.zeros((2, 2)), np.zeros((8, 8))
    add_columns(*columns, index, c, total)
    np.testing.assert_array_equal(total, X[:, 1] + X[:, 4])
    dot_columns(*columns, index, z, dots)
    gram_columns(*columns, weights, index, G)
    gram_rows(*rows, weights, mapped(np.arange(8)), H)
    exact = X.astype(float).T @ X.astype(float)
    np.testing.assert_allclose(dots, exact[0, [1, 4]], rtol=1e-12)
    np.testing.assert_allclose(G, np.tril(exact[np.ix_([1, 4], [1, 4])]), rtol=1e-12)
    np.testing.assert_allclose(H, np.tril(exact), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sparse", [False, True])
def test_stochastic_loops_read_maps(dtype, sparse, mapped):
    X, y = problem(dtype)
    rows = sparse_of(sp.csr_array(X), mapped) if sparse else (mapped(X),)
    index, ends = mapped(np.arange(40)), mapped(np.arange(10, 41, 10))
    eta, one = mapped(np.full(4, 0.25)), mapped(np.ones(4))
    terms = ((mapped(y), mapped(np.ones(1)), 0, 0, mapped(np.zeros(3))), (index, ends, eta))
    for loop, own in ((difference_steps, (mapped(np.zeros(4)), one, mapped(np.zeros(4)), mapped(np.zeros(8)), np.zeros(8), 0,
                                          np.zeros(8))),
                      (table_steps, (0, np.zeros(40), np.zeros(8), np.zeros(8))),
                      *([(wide_table_steps, (np.zeros(40), np.zeros(8), 3))] if sparse else [])):
        own_point = point(8, mapped)
        loop(*rows, *terms, *own, own_point)
        assert 0.0 < np.abs(own_point[4]).sum() <= 1.0
    draws = np.array([0, 0, 1])
    without_repeats(draws, mapped(np.zeros(1, np.int64)), mapped(np.full(1, 3)), 5)
    assert draws.tolist() == [0, 3, 1]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("loss", [gh.least_squares, gh.logistic])
@pytest.mark.parametrize("solver", [None, gh.Corrective(), gh.StochasticFrankWolfe.svrf()], ids=repr)
def test_problems_over_maps_are_solved_as_those_in_memory(dtype, sparse, loss, solver, mapped):
    X, y = problem(dtype)
    y = np.where(y > 0, 1.0, -1.0)
    if sparse:
        own = sp.csr_array(X)
        given = sp.csr_array((mapped(own.data), mapped(own.indices), mapped(own.indptr)), shape=own.shape)
    else:
        own, given = X, mapped(X)
    runs = [gh.minimize(loss(A, b), gh.L1Ball(8, 1.0), solver, stop=gh.Iterations(60))
            for A, b in ((own, y), (given, mapped(y)))]
    assert runs[0].value == runs[1].value and runs[0].gap == runs[1].gap
