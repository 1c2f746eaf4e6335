"""Guesses of a face: where they settle, the conditions of optimality hold."""

import numpy as np
import pytest

from greedyhull.kernels.polyhedral_qp import rows_faces


def drawn(seed, n=12):
    """A quadratic with open and closed ends, rows and equations, a point that satisfies them, and where answers go."""
    rng = np.random.default_rng(seed)
    m, q = int(rng.integers(0, 4)), int(rng.integers(0, 3))
    B, x = rng.standard_normal((n + 3, n)), rng.random(n)
    G, E = rng.standard_normal((m, n)), rng.standard_normal((q, n))
    low = np.concatenate([np.zeros(n), G @ x - 0.1])
    high = np.concatenate([np.where(rng.random(n) < 0.5, np.inf, 1.0), np.where(rng.random(m) < 0.5, np.inf, G @ x + 0.2)])
    return [B.T @ B, 3.0 * rng.standard_normal(n), G, E, E @ x, low, high], np.concatenate([x, np.zeros(m)])


def asked(function, problem, start):
    t, prices, pulls = start.copy(), np.zeros(len(problem[2]) + len(problem[3])), np.zeros(len(start))
    return function(*problem, t, prices, pulls), t, prices, pulls


@pytest.mark.parametrize("seed", range(20))
def test_the_conditions_of_optimality_hold(seed):
    problem, start = drawn(seed)
    H, c, G, E, e, low, high = problem
    settled, t, prices, pulls = asked(rows_faces, problem, start)
    if not settled:
        assert t.tolist() == start.tolist()
        return
    x = t[: len(c)]
    np.testing.assert_allclose(H @ x + c, np.concatenate([E, G]).T @ prices + pulls[: len(c)], atol=1e-9)
    np.testing.assert_allclose(E @ x, e, atol=1e-10)
    np.testing.assert_allclose(np.concatenate([x, G @ x]), t, atol=1e-10)
    assert ((t >= low) & (t <= high)).all()
    assert (pulls[t > low] <= 1e-12).all() and (pulls[t < high] >= -1e-12).all()


def test_most_of_them_settle():
    assert sum(asked(rows_faces, *drawn(seed))[0] for seed in range(40)) >= 35


@pytest.mark.parametrize("H", [np.zeros((2, 2)), -np.eye(2), np.full((2, 2), np.nan)])
def test_what_is_not_convex_is_left_alone(H):
    one, start = np.ones(1), np.full(2, 0.5)
    problem = [H, np.ones(2), np.zeros((0, 2)), np.ones((1, 2)), one, np.zeros(2), np.ones(2)]
    settled, t, _, _ = asked(rows_faces, problem, start)
    assert not settled and t.tolist() == start.tolist()


def test_a_semidefinite_quadratic_is_solved_from_where_it_began():
    """(x₁ + x₂)²/2 over x₁ + x₂ + x₃ = 1: all mixtures of the first two are alike, and the one at the start stays."""
    H = np.zeros((3, 3))
    H[:2, :2] = 1.0
    problem = [H, np.array([-0.5, -0.5, 0.0]), np.zeros((0, 3)), np.ones((1, 3)), np.ones(1), np.zeros(3), np.ones(3)]
    settled, t, _, _ = asked(rows_faces, problem, np.array([0.3, 0.1, 0.6]))
    assert settled and t[0] - t[1] == pytest.approx(0.2, abs=1e-3) and t[:2].sum() == pytest.approx(0.5, abs=1e-9)
