"""The Newton step on a face: it ends at the minimum of the face or at its boundary, by the core or by LAPACK."""

import numpy as np
import pytest

from greedyhull.kernels.simplex_qp import face_newton, newton_on_face


def problem(seed, m, away=0):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((2 * m + 5, m))
    alpha = rng.dirichlet(np.ones(m))
    alpha[:away] = 0.0
    return Z.T @ Z, rng.standard_normal(m) * 10.0 ** rng.integers(-2, 2), alpha / alpha.sum()


@pytest.mark.parametrize("m", [2, 3, 10, 40, 96])
@pytest.mark.parametrize("seed", range(6))
def test_with_lapack_or_without(m, seed):
    """Both stay on the face and descend; where no weight is in the way, both end at the minimum of the face."""
    G, c, start = problem(seed, m, away=m // 3)
    inner = np.flatnonzero(start)
    for slopes in (c, 1e-3 / m * c / np.abs(c).max()):
        found = []
        for step in (face_newton, newton_on_face):
            alpha = start.copy()
            step(G, slopes.copy(), alpha)
            change = alpha - start
            assert (alpha >= 0.0).all() and abs(alpha.sum() - 1.0) < 1e-12
            assert not alpha[start == 0.0].any(), "a Newton step on a face brings in no atom"
            assert slopes @ change + 0.5 * change @ G @ change <= 1e-14 * np.abs(G).max()
            found.append(alpha)
        if all(alpha[inner].all() for alpha in found):
            np.testing.assert_allclose(*found, atol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_it_ends_at_the_minimum_of_the_face_or_at_its_boundary(seed):
    G, c, start = problem(seed, 8)
    alpha, grad = start.copy(), c.copy()
    face_newton(G, grad, alpha)
    change = alpha - start
    assert c @ change + 0.5 * change @ G @ change <= 1e-14 * np.abs(G).max()
    inner = grad[alpha > 0.0]
    if (alpha > 0.0).all():
        assert np.ptp(inner) <= 1e-9 * np.abs(G).max()


def test_a_flat_face_is_left_alone_or_crossed():
    """Twin atoms: the reduced Hessian is zero, and only the ridge makes it definite."""
    G, c, start = np.ones((3, 3)), np.array([0.3, 0.3, 0.3]), np.array([0.2, 0.3, 0.5])
    alpha, grad = start.copy(), c.copy()
    face_newton(G, grad, alpha)
    assert (alpha >= 0.0).all() and abs(alpha.sum() - 1.0) < 1e-12


def test_an_indefinite_face_is_refused_and_nothing_breaks():
    G = np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    alpha, grad = np.array([0.2, 0.3, 0.5]), np.array([1.0, -1.0, 0.0])
    assert not face_newton(G, grad, alpha)
    assert alpha.tolist() == [0.2, 0.3, 0.5]
