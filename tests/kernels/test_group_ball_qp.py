"""Quadratics over a ball of group norms: in the ball, never worse, to the tolerance asked for."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.kernels.group_qp import Ball, solve_group_qp


def norms(x, of):
    return np.sqrt(np.bincount(of, x * x))


def problem(rng, groups, size, rank, at_zero):
    of = rng.permutation(np.repeat(np.arange(groups), size))
    B, radius = rng.standard_normal((rank, len(of))), 10.0 ** rng.uniform(-2.0, 1.5)
    x = np.zeros(len(of)) if at_zero else rng.standard_normal(len(of))
    x = x if at_zero else x * radius * rng.random() / norms(x, of).sum()
    return B.T @ B / rank, B.T @ rng.standard_normal(rank), x, of, radius


def check(H, c, x, of, radius, tol):
    kept = [a.copy() for a in (H, c, x, of)]
    found = solve_group_qp(H, c, x, of, radius, tol)
    assert all(np.array_equal(a, b) for a, b in zip(kept, (H, c, x, of), strict=True))
    assert norms(found, of).sum() <= radius * (1.0 + 1e-12)
    move = found - x
    size = radius * norms(c, of).max() + radius * radius * np.abs(H).max()
    assert c @ move + 0.5 * move @ H @ move <= 1e-14 * size, "the quadratic rose"
    grad = c + H @ move
    assert grad @ found + radius * norms(grad, of).max() <= tol + 1e-12 * size
    return found


@pytest.mark.parametrize("power", [-120, -40, 40, 120])
def test_scales_from_tiny_to_huge(power):
    H, c, x, of, radius = problem(np.random.default_rng(1), 6, 3, 30, True)
    found = check(10.0**power * H, 10.0**power * c, x, of, radius, 1e-7 * 10.0**power)
    np.testing.assert_allclose(found, check(H, c, x, of, radius, 1e-9), atol=1e-4 * radius)


def test_groups_of_one_coordinate_are_the_l1_ball():
    import greedyhull as gh

    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((30, 12)), rng.standard_normal(30)
    found = check(X.T @ X / 30, -X.T @ y / 30, np.zeros(12), np.arange(12), 0.3, 1e-12)
    np.testing.assert_allclose(found, gh.minimize(gh.least_squares(X, y), gh.L1Ball(12, 0.3), stop=gh.Gap(1e-12)).x, atol=1e-5)


def test_nothing_to_do_stays_as_it_is():
    x = np.array([0.1, 0.0])
    assert solve_group_qp(np.zeros((2, 2)), np.zeros(2), x, np.array([0, 1]), 1.0, 0.0).tolist() == [0.1, 0.0]


def test_the_nearest_point_of_the_ball_keeps_directions():
    ball = Ball(np.array([0, 2]), np.array([0, 0, 1]))
    np.testing.assert_allclose(ball.nearest(np.array([3.0, 4.0, 4.5])), [0.45, 0.6, 0.25])


@pytest.mark.parametrize("curvature", [0.0, 1e-12])
def test_a_quadratic_that_is_linear_ends_in_the_steepest_group(curvature):
    c = np.array([1.0, 2.0, -3.0, 4.0, 0.0])
    found = check(curvature * np.eye(5), c, np.zeros(5), np.array([0, 0, 1, 1, 2]), 2.0, 1e-8)
    np.testing.assert_allclose(found, [0.0, 0.0, 1.2, -1.6, 0.0], atol=1e-6)


def test_losses_with_kinks_are_solved_over_groups():
    import greedyhull as gh

    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 30))
    y = X @ np.maximum(rng.standard_normal(30), 0.0) / 10 + 0.1 * rng.standard_normal(60)
    for f in (gh.absolute(X, y), gh.hinge(X, np.where(y > 0, 1, -1))):
        assert gh.minimize(f, gh.GroupL1Ball(np.arange(30) // 3, 1.0), stop=gh.Relative(1e-4) | gh.Iterations(200)).converged


@pytest.mark.parametrize("radius", [1e-3, 1e-2, 1e4])
def test_nearly_dependent_columns(radius):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((20, 1)) + 1e-4 * rng.standard_normal((20, 24))
        H, of, x = X.T @ X, np.arange(24) // 3, np.full(24, 1e-4 * min(radius, 1.0))
        c = H @ x - 1e-6 * X.T @ rng.standard_normal(20)
        tol = 1e-9 * np.abs(c).max()
        found = solve_group_qp(H, c, x, of, radius, tol)
        grad = c + H @ (found - x)
        assert grad @ found + radius * norms(grad, of).max() <= 2.0 * tol
        assert norms(found, of).sum() <= radius * (1.0 + 1e-12)


def test_classes_over_rows_of_nearly_dependent_columns_take_few_rounds():
    rng = np.random.default_rng(4)
    X, S = rng.standard_normal((20, 1)) + 1e-4 * rng.standard_normal((20, 24)), gh.GroupL1Ball("rows", 1000.0, shape=(24, 5))
    assert gh.minimize(gh.multinomial(X, np.arange(20) % 5), S, stop=gh.Relative(1e-4) | gh.Iterations(8)).converged


@pytest.mark.parametrize("kind", ["rows", "columns"])
def test_classes_that_are_all_but_told_apart_take_few_rounds(kind):
    """Their Hessians are indefinite by rounding."""
    X = np.random.default_rng(2).standard_normal((3, 5))
    X, S = X[:, :1] + 1e-4 * X, gh.GroupL1Ball(kind, 1e6, shape=(5, 3))
    assert gh.minimize(gh.multinomial(X, [0, 1, 2]), S, stop=gh.Relative(1e-7) | gh.Iterations(15)).converged
