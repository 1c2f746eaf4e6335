"""K and B of a quadratic of matrices: what is computed of K, in both precisions."""

import numpy as np
import pytest

from greedyhull.kernels.normal_equations import NormalEquations

rng = np.random.default_rng(5)
X, B = rng.standard_normal((30, 6)), rng.standard_normal((6, 2))


def equations(K=X.T @ X, B=B):
    return NormalEquations(lambda dtype: K.astype(dtype), B)


def test_solve_is_with_the_shifted_matrix():
    normal = equations()
    assert normal.unit == pytest.approx(np.linalg.eigvalsh(X.T @ X).mean())
    wanted = np.linalg.solve(X.T @ X + normal.unit * np.eye(6), B)
    np.testing.assert_allclose(normal.solve(B), wanted, rtol=1e-12)
    single = normal.single
    found = single.solve(B.astype(np.float32))
    assert found.dtype == single.K.dtype == np.float32
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


def test_the_diagonal_form_is_the_matrix():
    values, Q = equations().diagonal
    np.testing.assert_allclose((Q * values) @ Q.T, X.T @ X, atol=1e-11)
    values, _ = equations(np.outer(np.ones(6), np.ones(6))).diagonal
    assert (values >= 0.0).all()  # rounding makes no negative ones


@pytest.mark.parametrize("K", [np.zeros((6, 6)), np.full((6, 6), np.nan), np.full((6, 6), np.inf)])
def test_what_has_no_curvature_has_no_unit(K):
    assert equations(K).unit == 0.0
    assert equations(K).single.unit == 0.0


def test_targets_that_are_not_finite_leave_no_unit():
    assert equations(B=np.full((6, 2), 1e300)).single.unit == 0.0
    assert equations(B=np.full((6, 2), np.inf)).unit == 0.0
