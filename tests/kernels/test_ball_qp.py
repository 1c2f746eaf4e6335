"""Quadratics over a ball: a point of the ball with the gap that is returned, as good as a closed form."""

import numpy as np
import pytest
from scipy.optimize import brentq

from greedyhull.kernels.bounded_qp import solve_ball_qp


def problem(rng, d, rank, *, scale=0.0, loose=False):
    """A quadratic of some rank with a start in a ball; ``loose``, it is linear in the directions without curvature."""
    B = rng.standard_normal((rank, d)) * 10.0 ** rng.uniform(-scale, scale, d)
    c = B.T @ rng.standard_normal(rank) + (rng.standard_normal(d) if loose else 0.0)
    radius, middle, u = 10.0 ** rng.uniform(-3.0, 4.0), rng.standard_normal(d), rng.standard_normal(d)
    return B.T @ B, c, middle + rng.choice([0.0, 0.5, 1.0]) * radius * u / np.linalg.norm(u), middle, radius


def size(H, c, radius):
    return radius * np.abs(c).sum() + radius * radius * np.abs(H).sum() + 1e-300


def worth(H, c, move):
    return c @ move + 0.5 * move @ H @ move


def check(H, c, x, middle, radius, tol):
    kept = [a.copy() for a in (H, c, x, middle)]
    found, gap = solve_ball_qp(H, c, x, middle, radius, tol)
    assert all(np.array_equal(a, b) for a, b in zip(kept, (H, c, x, middle), strict=True))
    rounding = 1e-14 * len(c) * size(H, c, radius) * (1.0 + np.abs(middle).max() / radius)
    away, grad = found - middle, c + H @ (found - x)
    assert np.linalg.norm(away) <= radius * (1.0 + 1e-14) + 1e-15 * np.linalg.norm(middle)
    assert worth(H, c, found - x) <= 0.1 * rounding, "the quadratic rose"
    assert gap <= tol + rounding
    assert abs(grad @ away + radius * np.linalg.norm(grad) - gap) <= rounding
    return found


@pytest.mark.parametrize("radius", [1e-3, 0.1, 1.0, 10.0])
def test_as_good_as_the_secular_equation(radius):
    rng = np.random.default_rng(3)
    H, c, *_ = problem(rng, 8, 12)
    values, vectors = np.linalg.eigh(H)
    b = -vectors.T @ c
    beyond = np.linalg.norm(b / values) > radius
    multiplier = brentq(lambda m: np.linalg.norm(b / (values + m)) - radius, 0.0, 1e9, xtol=1e-14) if beyond else 0.0
    expected = vectors @ (b / (values + multiplier))
    found = check(H, c, np.zeros(8), np.zeros(8), radius, 1e-12 * size(H, c, radius))
    np.testing.assert_allclose(found, expected, atol=1e-5 * radius)  # the gap is promised, and the error is its square root


def test_the_hard_case_of_a_direction_without_slope_and_curvature():
    """The gradient has no part in the direction of least curvature: any length in it is optimal."""
    H, c = np.diag([0.0, 1.0, 1.0]), np.array([0.0, -0.5, 0.0])
    found = check(H, c, np.zeros(3), np.zeros(3), 1.0, 1e-12)
    np.testing.assert_allclose(found, [0.0, 0.5, 0.0], atol=1e-9)


def test_a_hessian_that_rounding_has_made_indefinite():
    """As one that was computed in single precision."""
    rng = np.random.default_rng(0)
    B = rng.standard_normal((2, 8))
    H, c = (B.T @ B).astype(np.float32).astype(np.float64), B.sum(axis=0) + rng.standard_normal(8)
    assert np.linalg.eigvalsh(H)[0] < -1e-9
    found, gap = solve_ball_qp(H, c, np.zeros(8), np.zeros(8), 1.0, 1e-6)
    assert gap <= 1e-4 and np.linalg.norm(found) <= 1.0 + 1e-14


@pytest.mark.parametrize("exponent", [-150, -100, 0, 70])
def test_any_scale(exponent):
    rng, scale = np.random.default_rng(0), 10.0**exponent
    B = rng.standard_normal((9, 6))
    expected, _ = solve_ball_qp(B.T @ B, -B.sum(axis=0), np.zeros(6), np.zeros(6), 0.5, 1e-10)
    found, gap = solve_ball_qp(B.T @ B, -scale * B.sum(axis=0), np.zeros(6), np.zeros(6), 0.5 * scale, 1e-10 * scale * scale)
    np.testing.assert_allclose(found / scale, expected, atol=1e-6)
    assert gap <= 1e-10 * scale * scale


def test_a_linear_function_is_least_opposite_to_its_gradient():
    found, gap = solve_ball_qp(np.zeros((2, 2)), np.array([3.0, 4.0]), np.zeros(2), np.ones(2), 5.0, 1e-12)
    np.testing.assert_allclose(found, [-2.0, -3.0], rtol=1e-12)
    assert gap <= 1e-12


@pytest.mark.parametrize("c", [[np.nan, 1.0], [np.inf, 1.0], [0.0, 0.0]])
def test_where_nothing_can_be_gained_the_start_stays(c):
    start = np.array([0.25, 0.5])
    found, gap = solve_ball_qp(np.zeros((2, 2)), np.array(c), start, np.zeros(2), 1.0, 1e-12)
    np.testing.assert_array_equal(found, start)
    assert gap == (0.0 if c == [0.0, 0.0] else np.inf)


def test_a_start_outside_is_brought_in_and_no_radius_leaves_the_middle():
    found, _ = solve_ball_qp(np.eye(2), np.array([5.0, 0.0]), np.array([5.0, 0.0]), np.zeros(2), 1.0, 1e-12)
    np.testing.assert_allclose(found, [0.0, 0.0], atol=1e-12)
    assert solve_ball_qp(np.eye(2), np.ones(2), np.ones(2), np.full(2, 3.0), 0.0, 1e-9)[0].tolist() == [3.0, 3.0]
