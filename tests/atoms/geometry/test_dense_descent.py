"""Projected gradients over the nuclear ball: the projection against a decomposition, and the descent against its optimum."""

import numpy as np
import pytest

from greedyhull.atoms.matrix_descent import descend_dense, projected, threshold

rng = np.random.default_rng(3)


@pytest.mark.parametrize("radius", [1e-3, 1.0, 5.0, 1e3])
@pytest.mark.parametrize("rank", [1, 3, 6])
def test_the_projection_is_the_nearest_matrix(radius, rank):
    T = rng.standard_normal((9, rank)) @ rng.standard_normal((rank, 6))
    U, s, V = np.linalg.svd(T, full_matrices=False)
    wanted = (U * np.maximum(s - threshold(s, radius), 0.0)) @ V
    np.testing.assert_allclose(projected(T, radius), wanted, atol=1e-6)
    assert np.linalg.svd(projected(T, radius), compute_uv=False).sum() <= radius * (1 + 1e-6)


def test_the_descent_reaches_the_projection_of_a_target():
    """½‖X − M‖² has its least value at the projection of M."""
    M = rng.standard_normal((12, 5))
    found = descend_dense(lambda X: X - M, np.zeros((12, 5)), 3.0)
    np.testing.assert_allclose(found, projected(M, 3.0), atol=1e-3)


def test_weighted_entries_are_followed_too():
    M, weights = rng.standard_normal((12, 5)), rng.random((12, 5)) * 4.0
    found = descend_dense(lambda X: weights * (X - M), np.zeros((12, 5)), 4.0)
    g = weights * (found - M)
    gap = float(np.vdot(g, found)) + 4.0 * np.linalg.norm(g, 2)
    assert gap + 1e-9 >= 0.0 and gap < 0.1


@pytest.mark.parametrize("slope", [lambda X: 0.0 * X, lambda X: np.full_like(X, np.nan), lambda X: -X],
                         ids=["flat", "no numbers", "bent downwards"])
def test_odd_gradients_end_it(slope):
    x = 0.1 * np.eye(4, 3)
    assert descend_dense(slope, x, 1.0) is x
