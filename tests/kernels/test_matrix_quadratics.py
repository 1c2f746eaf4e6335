"""Quadratics of matrices: what is solved with their Hessians, in both precisions."""

import numpy as np
import pytest

from greedyhull.kernels.matrix_models import SEVERAL, SHIFT, EntryEquations, NormalEquations

rng = np.random.default_rng(5)
X, B = rng.standard_normal((30, 6)), rng.standard_normal((6, 2))


def equations(K=X.T @ X, B=B):
    return NormalEquations(lambda dtype: K.astype(dtype), B)


def test_solve_is_with_the_shifted_matrix():
    normal, radius = equations(), 3.0
    assert normal.unit == pytest.approx(SHIFT * np.linalg.eigvalsh(X.T @ X).mean())
    K = X.T @ X / normal.unit
    wanted = np.linalg.solve(K + np.eye(6), B)
    form = normal.form(radius)
    np.testing.assert_allclose(form.solve(B), wanted, rtol=1e-12)
    np.testing.assert_allclose(form.B, B / normal.unit / radius, rtol=1e-14)
    single = normal.single.form(radius)
    found = single.solve(B.astype(np.float32))
    assert found.dtype == single.B.dtype == np.float32
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


@pytest.mark.parametrize("dtype, tol", [(np.float64, 1e-11), (np.float32, 1e-4)])
def test_many_systems_are_solved_as_the_first_ones_are(dtype, tol):
    right = rng.standard_normal((6, 20))
    normal = equations(B=right)
    form = (normal if dtype == np.float64 else normal.single).form(1.0)
    first, *_, last = [form.solve(right.astype(dtype)) for _ in range(SEVERAL + 2)]
    assert first.dtype == last.dtype == dtype
    np.testing.assert_allclose(last, first, rtol=tol, atol=tol * np.abs(first).max())


def test_the_lasting_form_is_the_same_in_another_basis():
    normal = equations()
    form, (last, Q) = normal.form(2.0), normal.lasting(2.0)
    np.testing.assert_allclose(Q @ last.solve(Q.T @ B), form.solve(B), rtol=1e-10)
    V = rng.standard_normal((5, 2))
    np.testing.assert_allclose(Q @ last.product(Q.T @ B, V), form.product(B, V), rtol=1e-10)
    np.testing.assert_allclose(form.product(B, V), form.product(B @ V.T, None), rtol=1e-12)
    ones = equations(np.outer(np.ones(6), np.ones(6))).lasting(1.0).form
    assert (ones.product(np.ones((6, 1)), None) >= 0.0).all()  # rounding makes no negative eigenvalues


def test_entries_are_divided_one_by_one():
    H, M = rng.random((6, 4)), rng.standard_normal((6, 4))
    entries = EntryEquations(lambda dtype: (H.astype(dtype), M.astype(dtype)))
    form, (last, Q) = entries.form(2.0), entries.lasting(2.0)
    assert Q is None and entries.unit == pytest.approx(H.mean())
    each = H / H.mean()
    np.testing.assert_allclose(form.solve(M), M / (each + 1.0), rtol=1e-12)
    np.testing.assert_allclose(last.product(M[:, :1], M[:4, :1]), each * (M[:, :1] @ M[:4, :1].T), rtol=1e-12)
    assert entries.single.form(2.0).solve(M.astype(np.float32)).dtype == np.float32
    assert EntryEquations(lambda dtype: (np.zeros((2, 2), dtype), np.ones((2, 2), dtype))).unit == 0.0


@pytest.mark.parametrize("K", [np.zeros((6, 6)), np.full((6, 6), np.nan), np.full((6, 6), np.inf)])
def test_what_has_no_curvature_has_no_unit(K):
    assert equations(K).unit == 0.0
    assert equations(K).single.unit == 0.0


def test_targets_that_are_not_finite_leave_no_unit():
    assert equations(B=np.full((6, 2), 1e300)).single.unit == 0.0
    assert equations(B=np.full((6, 2), np.inf)).unit == 0.0
