"""Sparse data through every door: malformed index arrays are refused in sentences, sound ones in any format mean the same."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.objectives.designs import design

DOORS: dict[str, Callable[[Any], Any]] = {
    "design": design,
    "least_squares": lambda X: gh.least_squares(X, np.ones(X.shape[0])),
    "log_likelihood": gh.log_likelihood,
    "quadratic": gh.quadratic,
    "Vertices": gh.Vertices,
}
INT = np.int32


def compressed(kind: Any = sparse.csr_matrix, **parts: Any) -> Any:
    """A 5x5 matrix with three entries, some of its arrays replaced behind SciPy's back."""
    X = kind((5, 5))
    given = {"data": np.ones(3), "indices": np.array([0, 2, 1], INT), "indptr": np.array([0, 1, 2, 3, 3, 3], INT), **parts}
    for name, array in given.items():
        setattr(X, name, array)
    return X


def coordinates(row: list[int], col: list[int]) -> Any:
    X = sparse.coo_matrix((5, 5))
    X.data, X.row, X.col = np.ones(len(row)), np.array(row, INT), np.array(col, INT)
    return X


def blocks(indices: list[int], shape: tuple[int, int] = (6, 6)) -> Any:
    X = sparse.bsr_matrix(np.ones(shape), blocksize=(2, 2))
    X.indices = np.array(indices, INT)
    return X


def lists(columns: list[int], entries: list[float]) -> Any:
    X = sparse.lil_matrix((5, 5))
    X.rows[0], X.data[0] = columns, entries
    return X


def diagonals(offsets: list[int]) -> Any:
    X = sparse.dia_matrix((np.ones((2, 5)), [0, 1]), shape=(5, 5))
    X.offsets = np.array(offsets, INT)
    return X


def keys(*pairs: tuple[int, int]) -> Any:
    X = sparse.dok_matrix((5, 5))
    for pair in pairs:
        X._dict[pair] = 1.0
    return X


MALFORMED: dict[str, Callable[[], Any]] = {
    **{f"{kind.__name__}: {name}": (lambda kind=kind, parts=parts: compressed(kind, **parts))
       for kind in (sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array) for name, parts in {
           "far index": {"indices": np.array([0, 10**7, 1], INT)},
           "index just beyond": {"indices": np.array([0, 5, 1], INT)},
           "negative index": {"indices": np.array([0, -1, 1], INT)},
           "far int64 index": {"indices": np.array([0, 2**40, 1], np.int64)},
           "far uint64 index": {"indices": np.array([0, 2**63 + 1, 1], np.uint64)},
           "float indices": {"indices": np.array([0.0, 1.5, 1.0])},
           "falling indptr": {"indptr": np.array([0, 3, 1, 2, 3, 3], INT)},
           "falling uint indptr": {"indptr": np.array([0, 3, 1, 2, 3, 3], np.uint32)},
           "late indptr": {"indptr": np.array([1, 1, 2, 3, 3, 3], INT)},
           "negative indptr": {"indptr": np.array([-4, 0, 1, 2, 3, 3], INT)},
           "short indptr": {"indptr": np.array([0, 3], INT)},
           "indptr beyond the data": {"indptr": np.array([0, 1, 2, 3, 3, 10**6], INT)},
           "fewer data": {"data": np.ones(2)},
           "fewer indices": {"indices": np.array([0, 1], INT)},
           "square indices": {"indices": np.zeros((3, 3), INT)},
           "square data": {"data": np.ones((3, 3))},
       }.items()},
    "coo: far row": lambda: coordinates([0, 10**7], [0, 1]),
    "coo: negative column": lambda: coordinates([0, 1], [0, -7]),
    "coo: lengths": lambda: coordinates([0, 1, 2], [0, 1]),
    "bsr: far block": lambda: blocks([0, 1, 2, 0, 10**6, 2, 0, 1, 2]),
    "bsr: negative block": lambda: blocks([0, 1, 2, 0, -9, 2, 0, 1, 2]),
    "lil: far column": lambda: lists([0, 10**6], [1.0, 1.0]),
    "lil: lengths": lambda: lists([0, 1], [1.0]),
    "dia: lengths": lambda: diagonals([0]),
    "dia: twice": lambda: diagonals([1, 1]),
    "dok: far row": lambda: keys((10**6, 0)),
    "dok: negative column": lambda: keys((0, -3)),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_matrices_are_refused_at_every_door(door: str, name: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=r"malformed: .*\. Products would read .* Build it from its entries"):
        DOORS[door](MALFORMED[name]())


def test_a_malformed_matrix_does_not_end_the_process() -> None:
    """In a process of its own, as the memory that would be read may or may not be there."""
    lines = ("import numpy as np, scipy.sparse as sp, greedyhull as gh; X = sp.csr_matrix((3, 200)); X.data = np.ones(3); "
             "X.indices = np.array([0, 10**7, 1], np.int32); X.indptr = np.arange(4, dtype=np.int32); "
             "gh.minimize(gh.least_squares(X, np.ones(3)), gh.Simplex(200))")
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(Path(gh.__file__).parents[1])})
    assert done.returncode == 1 and "indices holds 10000000, where 0 to 199 are wanted" in done.stderr


ENTRIES = np.zeros((6, 8))
ENTRIES[[0, 1, 3, 5, 5], [1, 4, 0, 2, 7]] = [1.0, 2.0, 3.0, 4.0, 5.0]


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint64, np.bool_, np.longdouble])
def test_every_format_and_every_type_means_the_same(form: str, kind: Any, dtype: Any) -> None:
    wanted = ENTRIES.astype(dtype).astype(np.float64)
    A = design(kind(ENTRIES.astype(dtype)).asformat(form))
    assert np.array_equal(np.stack([A.column(j) for j in range(8)], axis=1), wanted)
    assert np.array_equal(A.matvec(np.arange(8.0)), wanted @ np.arange(8.0))
    S = gh.Vertices(kind(ENTRIES.astype(dtype)).asformat(form))
    assert np.array_equal(S.matrix.toarray(), wanted)


@pytest.mark.parametrize("index", [np.int16, np.int64, np.uint32, np.uint64, ">i4"])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_whole_numbers_of_any_type_are_indices(index: Any, kind: Any) -> None:
    X = kind(ENTRIES)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    A = design(X)
    assert np.array_equal(A.combine(np.arange(8), np.ones(8)), ENTRIES.sum(axis=1))
    assert X.indices.dtype == index  # nothing of what was given is changed


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_entries_of_the_other_byte_order_are_numbers(form: str) -> None:
    X = sparse.csr_array(ENTRIES).asformat(form)
    X.data = X.data.astype(">f8")
    assert np.array_equal(design(X).matvec(np.ones(8)), ENTRIES.sum(axis=1))


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_array])
def test_duplicates_are_summed_although_a_stale_flag_denies_them(kind: Any) -> None:
    X = kind(([200, 100, 100], [3, 4, 3], [0, 3] + [3] * 9), shape=(10, 10), dtype=np.uint8)
    X.has_canonical_format = X.has_sorted_indices = True
    A, line = design(X), np.zeros(10)
    line[[3, 4]] = [300.0, 100.0]  # the sum of small whole numbers does not wrap around
    found = A.matvec(np.eye(10)[0]) if kind is sparse.csc_array else A.adjoint(np.eye(10)[0])
    assert np.array_equal(found, line)
    assert X.data.tolist() == [200, 100, 100]


def test_entries_beyond_the_last_one_do_not_count() -> None:
    A = design(compressed(data=np.array([1.0, 1.0, 1.0, np.nan]), indices=np.array([0, 2, 1, -5], INT)))
    assert A.matvec(np.ones(5)).tolist() == [1.0, 1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("dtype", [complex, np.complex64, object])
@pytest.mark.parametrize("door", DOORS)
def test_numbers_that_are_not_real_are_refused(door: str, dtype: Any) -> None:
    X = sparse.csr_array(np.eye(5))
    X.data = X.data.astype(dtype)
    with pytest.raises(gh.GreedyhullError, match=r"has dtype .*; real numbers are wanted"):
        DOORS[door](X)


@pytest.mark.parametrize("X", [sparse.coo_array(np.ones(3)), sparse.csr_array((0, 3)), sparse.csc_matrix((3, 0))])
def test_shapes_without_a_row_or_a_column_are_refused(X: Any) -> None:
    for door in (design, gh.Vertices):
        with pytest.raises(gh.GreedyhullError, match=r"has shape .*; a matrix with at least one row and one column"):
            door(X)


def test_masked_entries_are_refused() -> None:
    masked = np.ma.masked_invalid(np.array([[1.0, np.nan], [2.0, 3.0]]))
    with pytest.raises(gh.GreedyhullError, match="masked entries"):
        design(masked)
    assert design(np.ma.masked_array(np.eye(2))).n == 2


# --- sizes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("dtype, large", [(np.float64, 1e200), (np.float64, -1e160)])
def test_numbers_that_are_too_large_are_not_called_infinite(kind: Any, dtype: Any, large: float) -> None:
    with pytest.raises(gh.GreedyhullError, match="squares overflow; entries below 1e150 are wanted") as caught:
        design(kind(large * np.eye(9, dtype=dtype)))
    assert "NaN" not in str(caught.value) and f"{abs(large):.3g}" in str(caught.value)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_are_called_so_beside_large_numbers_too(kind: Any, bad: float) -> None:
    for other in (1.0, 1e200):
        with pytest.raises(gh.GreedyhullError, match="NaN or infinite"):
            design(kind(np.diag([bad] + [other] * 8)))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype, size", [(np.float64, 1e-200), (np.float64, 5e-324), (np.float64, 1e149), (np.float32, 1e-30),
                                         (np.float32, 1e30), (np.float64, 0.0)])
def test_the_norm_neither_underflows_nor_overflows(kind: Any, dtype: Any, size: float) -> None:
    """A norm that underflows to zero would make the rounding of certificates zero."""
    A: Any = design(kind(size * np.eye(16, dtype=dtype)))
    assert A.frobenius == pytest.approx(4.0 * float(dtype(size)), rel=1e-6, abs=0.0)


@pytest.mark.parametrize("make", ["L1BudgetRegressor", "L1BudgetRegressorCV", "SimplexClassifier"])
def test_estimators_refuse_malformed_matrices_in_fit_and_in_predict(make: str) -> None:
    estimators = pytest.importorskip("greedyhull.estimators")
    X, y = sparse.random(30, 200, density=0.05, format="csr", random_state=0), np.arange(30) % 2
    fitted = getattr(estimators, make)().fit(X, y)
    bad, far = X.copy(), X.tocoo()
    bad.indptr[3], far.row = 10**6, far.row + 29
    for malformed in (bad, far):
        for ask in (lambda: getattr(estimators, make)().fit(malformed, y), lambda: fitted.predict(malformed)):  # noqa: B023
            with pytest.raises(gh.GreedyhullError, match="malformed"):
                ask()
