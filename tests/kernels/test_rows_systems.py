"""The systems of the interior point method for rows: both ways solve the same equations, with dense and with sparse rows."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from greedyhull.kernels.polyhedral_interior import Factored, part_of, square_of, system_of


def plainly(H, G, E, theta, x, a, e, missed):
    """dx, dy and dv from all equations at once."""
    n, g, p = len(H), len(G), len(E)
    M = np.block([[H + np.diag(theta[:n]), -E.T, -G.T], [E, np.zeros((p, p)), np.zeros((p, g))],
                  [theta[n:, None] * G, np.zeros((g, p)), np.eye(g)]])
    z = np.linalg.solve(M, np.concatenate([x, e, a + theta[n:] * missed]))
    return z[:n], z[n : n + p], z[n + p :]


@pytest.mark.parametrize("store", [np.asarray, csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("r", [0, 3])
@pytest.mark.parametrize("stiff", [1.0, 1e9])
def test_both_systems_solve_the_equations(r, stiff, store):
    rng = np.random.default_rng(r)
    n, g, p = 9, 4, 2
    H = Factored(rng.random(n) + 0.1, rng.standard_normal((r, n)))
    G, E, theta = rng.standard_normal((g, n)), rng.standard_normal((p, n)), rng.random(n + g) + 0.1
    theta[n] *= stiff
    right = [rng.standard_normal(k) for k in (n, g, p, g)]
    full = square_of(H, np.arange(n))
    wanted = plainly(full, G, E, theta, *right)
    for form in (H, full):
        system = system_of(form, store(G), store(E), theta)
        assert system is not None
        for found, one in zip(system(*right), wanted, strict=True):
            np.testing.assert_allclose(found, one, rtol=1e-8, atol=1e-8)


def test_what_cannot_be_factorised_has_no_system():
    none = np.zeros((0, 2))
    assert system_of(Factored(np.zeros(2), none), none, none, np.zeros(2)) is None
    assert system_of(-np.eye(2), none, none, np.zeros(2)) is None


def test_a_factored_form_is_its_matrix():
    rng = np.random.default_rng(1)
    H, index = Factored(rng.random(5), rng.standard_normal((2, 5))), np.array([3, 0])
    full, x = np.diag(H.D) + H.F.T @ H.F, rng.standard_normal(5)
    np.testing.assert_allclose(H.dot(x), full @ x)
    np.testing.assert_allclose(H.diagonal(), full.diagonal())
    np.testing.assert_allclose(square_of(H, index), full[np.ix_(index, index)])
    part = part_of(H, index)
    assert isinstance(part, Factored) and part_of(H, np.arange(5)) is H
    np.testing.assert_allclose(part.square(np.arange(2)), full[np.ix_(index, index)])
