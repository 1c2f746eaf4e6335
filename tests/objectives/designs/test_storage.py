"""Data as they come: kept, not copied; never changed; checked once."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array, csc_array, csr_array

import greedyhull as gh
from greedyhull.objectives.designs import design
from greedyhull.objectives.designs.stored import Chunked, DenseDesign, SparseDesign

X = np.random.default_rng(0).standard_normal((6, 4))


@pytest.mark.parametrize("order", ["C", "F"])
def test_dense_data_are_kept_and_not_copied(order: Any) -> None:
    data = np.array(X, order=order)
    A = design(data)
    assert isinstance(A, DenseDesign) and A.X is data


def test_sparse_data_are_not_copied_where_they_fit() -> None:
    data = csc_array(np.eye(40, 30))
    A = design(data)
    assert isinstance(A, SparseDesign) and np.shares_memory(A.by_column.data, data.data)


def test_a_design_is_a_design_already() -> None:
    A = design(X)
    assert design(A) is A


@pytest.mark.parametrize(
    "dtype, kept",
    [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.int32, np.float64),
        (np.bool_, np.float64),
        (np.float16, np.float64),
    ],
)
@pytest.mark.parametrize("kind", [np.asarray, csc_array, csr_array])
def test_float32_stays_and_whole_numbers_become_float64(kind: Any, dtype: Any, kept: Any) -> None:
    if dtype == np.float16 and kind is not np.asarray:
        pytest.skip("SciPy has no sparse float16")
    assert design(kind((X > 0).astype(dtype))).dtype == kept


def test_lists_and_frames_are_data() -> None:
    assert design([[1, 2], [3, 4]]).n == 2
    pandas = pytest.importorskip("pandas")
    assert design(pandas.DataFrame(X)).domain == (4,)


def test_duplicates_and_disorder_in_sparse_data_are_summed_without_touching_them() -> None:
    rows, columns, entries = np.array([2, 0, 2, 1]), np.array([1, 0, 1, 1]), np.array([1.0, 2.0, 3.0, 4.0])
    data = csc_array((np.array([3.0, 1.0, 2.0]), np.array([2, 2, 0]), np.array([0, 3, 3])), shape=(3, 2))
    kept = data.data.copy(), data.indices.copy()
    A = design(data)
    assert A.column(0).tolist() == [2.0, 0.0, 4.0]
    assert np.array_equal(data.data, kept[0]) and np.array_equal(data.indices, kept[1])
    assert design(coo_array((entries, (rows, columns)), shape=(3, 2))).column(1).tolist() == [0.0, 4.0, 4.0]
    row_wise = csr_array((np.array([3.0, 1.0]), np.array([1, 1]), np.array([0, 2])), shape=(1, 2))
    assert design(row_wise).matvec(np.ones(2)).tolist() == [4.0]


def test_empty_columns_and_rows_are_zero() -> None:
    data = csc_array(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    A = design(data)
    low, high = A.extremes()  # type: ignore[attr-defined]
    assert A.column(0).tolist() == [0.0, 0.0] and low.tolist() == [0.0, 0.0] and high.tolist() == [1.0, 0.0]
    assert A.columns(np.array([0, 2]), np.ones(2)).toarray().tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_large_finite_float32_values_are_finite() -> None:
    """Their squares overflow float32, and are no reason to refuse them."""
    A = design(np.full((2, 2), 1e30, dtype=np.float32))
    assert np.isfinite(A.frobenius)  # type: ignore[attr-defined]


def test_precise_float32_is_read_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Chunked, "rows_at_once", 4)
    data = np.random.default_rng(1).standard_normal((11, 3)).astype(np.float32)
    P = design(data).precise()
    w, r = np.array([1.0, 2.0, 3.0]), np.arange(11.0)
    exact = data.astype(np.float64)
    assert np.allclose(P.matvec(w), exact @ w, rtol=1e-15) and np.allclose(P.adjoint(r), exact.T @ r, rtol=1e-14)
    assert np.allclose(P.combine(np.array([0, 2]), np.array([1.0, -1.0])), exact[:, 0] - exact[:, 2])


def test_precise_sparse_quadratics_are_float64() -> None:
    Q = (X.T @ X).astype(np.float32)
    for stored in (Q, csc_array(Q), csr_array(Q)):
        f = gh.quadratic(stored, np.ones(4))
        s = gh.minimize(f, gh.Simplex(4), gh.BlendedPairwise(), stop=gh.Gap(1e-4) | gh.Iterations(100))
        exact = gh.quadratic(Q.astype(np.float64), np.ones(4))
        assert s.converged and s.value == pytest.approx(exact.value(s.point.copy()), rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 9), (9, 1), (13, 3), (12, 4)])
def test_full_rows_are_written_out(shape: Any, dtype: Any) -> None:
    """Entries that stand twice are summed, and rows without entries are zero."""
    rng = np.random.default_rng(0)
    whole = np.where(rng.random(shape) < 0.8, rng.standard_normal(shape), 0.0).astype(dtype)
    whole[-1] = 0.0 if len(whole) > 1 else whole[-1]
    rows = csr_array(whole)
    twice = csr_array((np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), rows.indptr * 2), shape=shape)
    for given in (rows, twice):
        A = design(given)
        assert isinstance(A, DenseDesign)
        assert A.X.flags.f_contiguous and A.X.dtype == dtype and np.array_equal(A.X, whole)
