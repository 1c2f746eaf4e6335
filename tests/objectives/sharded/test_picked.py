"""Few columns picked out of sparse rows: the numbers are those of all columns, in whatever order these stand."""

from __future__ import annotations

import numpy as np
import pytest
from pieces import Pieces
from scipy.sparse import csr_array

import greedyhull as gh
from greedyhull.points.shapes import BasisBlock
from greedyhull.points.views import Along
from greedyhull.remote import rows
from greedyhull.remote import tasks as expand
from greedyhull.remote.rows import PickedRows, few_columns

N, D, EACH = 120, 400, 30  # rows, columns, entries of a row
WEIGHED = [3, 17, 18, 250, 399]


def wide(order: str, dtype=np.float64):
    """Sparse rows, some of them empty, whose columns are ascending, in no order, or stand twice; labels and weights."""
    rng = np.random.default_rng(5)
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 2, N) * EACH)])
    others, left = np.arange(20, 240), EACH - len(WEIGHED)
    places = np.concatenate([np.concatenate([WEIGHED, rng.choice(others, left, replace=order == "twice")])
                             for _ in range(starts[-1] // EACH)])
    if order == "twice":
        places[::EACH] = WEIGHED[1]
    places = np.sort(places.reshape(-1, EACH), axis=1) if order == "ascending" else places.reshape(-1, EACH)
    X = csr_array((rng.standard_normal(starts[-1]).astype(dtype), places.ravel().astype(np.int32), starts.astype(np.int32)),
                  shape=(N, D))
    return X, np.where(rng.random(N) < 0.5, 1.0, -1.0), rng.random(N)


def point():
    x = np.zeros(D)
    x[WEIGHED] = [0.5, -0.25, 1.0, 0.125, -1.0]
    return x


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["ascending", "no order", "twice"])
@pytest.mark.parametrize("at_once", [1, 100, 1 << 20])
def test_expansions_are_those_of_all_columns(order, at_once, dtype, monkeypatch):
    """Value, gradient, Hessian on atoms of both signs and on a column without weight, and the line."""
    monkeypatch.setattr(rows, "STORED", at_once)
    X, y, s = wide(order, dtype)
    block = BasisBlock(D, [399, 17, 17, 30, 3], [2.0, 1.0, -1.0, 3.0, -2.0])
    v = np.zeros(D)
    v[[3, 60]] = [1.0, -2.0]
    line = Along(v, np.array([0.0, 0.5]))
    for intercept in (False, True):
        given = Pieces(X, y, [40, 40], s), Pieces(X.toarray().astype(np.float64), y, [40, 40], s)
        f, g = (gh.logistic(data, intercept=intercept) for data in given)
        found, exact = (h.expansion(point(), block) for h in (f, g))
        assert found.value == pytest.approx(exact.value, rel=1e-6 if dtype is np.float32 else 1e-12)
        tight = {"rel": 1e-5, "abs": 1e-6} if dtype is np.float32 else {"rel": 1e-9, "abs": 1e-11}
        assert found.gradient == pytest.approx(exact.gradient, **tight)
        assert found.hessian == pytest.approx(exact.hessian, **tight)
        along = [h.expansion(point(), None, points=line).line for h in (f, g)]
        assert along[0] == pytest.approx(along[1], **tight)


@pytest.mark.parametrize("order", ["ascending", "twice"])
def test_a_hessian_of_some_rows_is_theirs(order):
    X, _, s = wide(order)
    A, c, block = rows.rows_of(X), np.abs(s) + 0.1, BasisBlock(D, WEIGHED, np.ones(5))
    some = expand.some_rows(N, 4)
    Z = X.toarray()[np.ix_(some, WEIGHED)]
    near = A.near(few_columns(D, block, point()))
    assert isinstance(near, PickedRows)
    for raw in (A, near):
        found = expand._hessian(raw, block, c, 4, profiled=True)
        assert found["hessian"] == pytest.approx(4.0 * Z.T @ (Z * c[some, None]))
        assert found["across"] == pytest.approx(4.0 * Z.T @ c[some]) and found["bent"] == pytest.approx(4.0 * c[some].sum())


def test_columns_that_are_not_few_are_not_picked():
    assert few_columns(40, None, np.ones(40)) is None
    assert few_columns(40, BasisBlock(40, range(6), np.ones(6)), np.zeros(40)) is None
    assert few_columns(40, None, np.zeros(40), None).index.size == 0


def test_products_with_few_columns_have_the_bits_of_those_with_all():
    """What is picked depends on what is asked beside the point, and the value must not."""
    X, _, _ = wide("no order")
    A, x = rows.rows_of(X), point()
    for block in (None, BasisBlock(D, [7, 20, 21], np.ones(3))):
        assert np.array_equal(A.near(few_columns(D, block, x)).matvec(x), A.matvec(x))


@pytest.mark.parametrize("loss", [gh.logistic, gh.squared_hinge, gh.least_squares])
def test_solutions_are_those_in_memory(loss):
    X, y, s = wide("ascending")
    f, g = loss(Pieces(X, y, [40, 40], s)), loss(X, y, sample_weight=s)
    a, b = (gh.minimize(h, gh.L1Ball(D, 2.0), stop=gh.Relative(1e-10)) for h in (f, g))
    assert a.converged and abs(a.value - b.value) <= a.gap + b.gap
    assert a.x == pytest.approx(b.x, abs=1e-4)


def test_two_processes_have_the_bits_of_one():
    X, y, s = wide("ascending")
    f, S = gh.logistic(Pieces(X, y, [40, 40], s), intercept=True), gh.L1Ball(D, 2.0)
    alone = gh.minimize(f, S)
    with gh.processes(2) as crew:
        both = gh.minimize(f.on(crew), S)
    assert np.array_equal(alone.x, both.x) and alone.gap == both.gap


@pytest.mark.parametrize("kind", ["strided", "longer than its rows"])
def test_arrays_that_scipy_reads_differently_are_put_right(kind):
    """Every second entry of longer arrays; and arrays that go on after the last row, with columns that do not exist."""
    X, y, s = wide("ascending")
    entries, places = (np.repeat(part, 2) for part in (X.data, X.indices))
    odd = csr_array((entries[::2], places[::2], X.indptr), shape=X.shape)
    if kind != "strided":
        odd.data, odd.indices = np.append(X.data, np.nan), np.append(X.indices, np.int32(10**6))
    for block in (BasisBlock(D, WEIGHED, np.ones(5)), BasisBlock(D, range(D), np.ones(D))):  # few columns, and all
        found, exact = (gh.logistic(Pieces(M, y, [], s)).expansion(point(), block) for M in (odd, X))
        assert np.array_equal(found.gradient, exact.gradient) and np.array_equal(found.hessian, exact.hessian)
