"""Models with a whole Hessian: products and systems are those of the matrix, in both precisions."""

import numpy as np
import pytest

from greedyhull.kernels.matrix_models import LocalModel

rng = np.random.default_rng(9)
ROOT = rng.standard_normal((20, 12))
H = ROOT.T @ ROOT  # of matrices of shape (4, 3), column after column


def flat(W):
    return W.T.ravel()


@pytest.mark.parametrize("dtype, tol", [(np.float64, 1e-10), (np.float32, 1e-3)])
def test_forms_are_those_of_the_matrix(dtype, tol):
    model, x, g = LocalModel(lambda kind: H.astype(kind)), rng.standard_normal((4, 3)), rng.standard_normal((4, 3))
    equations, radius = model.at(x.astype(dtype), g), 2.0
    rho = np.trace(H) / 12
    assert equations.unit == pytest.approx(rho, rel=tol) and equations.B.dtype == dtype
    np.testing.assert_allclose(flat(equations.B), H @ flat(x) - flat(g), rtol=tol, atol=tol)
    form, R = equations.form(radius), rng.standard_normal((4, 3)).astype(dtype)
    assert form.solve(R).dtype == form.product(R, None).dtype == dtype
    np.testing.assert_allclose(flat(form.solve(R)), np.linalg.solve(H / rho + np.eye(12), flat(R)), rtol=tol, atol=tol)
    A, V = R[:, :2], rng.standard_normal((3, 2)).astype(dtype)
    np.testing.assert_allclose(flat(form.product(A, V)), H @ flat(A @ V.T) / rho, rtol=tol, atol=tol)
    np.testing.assert_allclose(equations.lasting(radius).form.solve(R), form.solve(R))


def test_the_hessian_is_made_once_for_each_precision():
    made = []
    model = LocalModel(lambda kind: made.append(kind) or H.astype(kind))
    for dtype in (np.float64, np.float32, np.float64):
        model.at(np.zeros((4, 3), dtype), np.ones((4, 3))).form(1.0).solve(np.ones((4, 3), dtype))
    assert len(made) == 2


@pytest.mark.parametrize("bad", [np.zeros((2, 2)), np.full((2, 2), np.nan), np.full((2, 2), np.inf)])
def test_what_has_no_curvature_has_no_unit(bad):
    assert LocalModel(lambda kind: bad.astype(kind)).at(np.zeros((2, 1)), np.ones((2, 1))).unit == 0.0
