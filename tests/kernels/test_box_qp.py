"""Quadratics over a box: as good as the best of all faces, to the tolerance asked for, whatever the Hessian is."""


import numpy as np
import pytest

from greedyhull.kernels.bounded_qp import free_coordinates, gap_shares, solve_box_qp


def worth(H, c, start, x):
    return c @ (x - start) + 0.5 * (x - start) @ H @ (x - start)


def gap(H, c, start, x, low, high):
    """⟨grad, x⟩ less its least value over the box."""
    grad = c + H @ (x - start)
    return float(np.maximum(grad * (x - low), grad * (x - high)).sum())


def size(H, c, low, high):
    reach = high - low
    return float(np.abs(c) @ reach + reach @ np.abs(H) @ reach) + 1e-300


def check(H, c, start, low, high, tol):
    kept = [a.copy() for a in (H, c, start, low, high)]
    found = solve_box_qp(H, c, start, low, high, tol)
    assert all(np.array_equal(a, b) for a, b in zip(kept, (H, c, start, low, high), strict=True))
    assert ((low <= found) & (found <= high)).all()
    assert worth(H, c, start, found) <= 1e-15 * size(H, c, low, high), "the quadratic rose"
    assert gap(H, c, start, found, low, high) <= 1.01 * tol + 1e-14 * len(c) * size(H, c, low, high)
    return found


@pytest.mark.parametrize("radius", [1e-3, 0.03, 0.3, 1.0, 10.0, 1e4])
@pytest.mark.parametrize("rows", [30, 200])
def test_collinear_columns_are_solved_to_the_tolerance(rows, radius):
    """Columns that share one direction and differ in size by a factor of 10⁴: coordinate steps alone stand still."""
    rng, d = np.random.default_rng(0), 120
    A = rng.standard_normal((rows, d)) * np.geomspace(1.0, 1e-4, d) + 3.0 * rng.standard_normal((rows, 1))
    y = A @ rng.standard_normal(d) + rng.standard_normal(rows)
    low, high = np.full(d, -radius), np.full(d, radius)
    H, c = A.T @ A, A.T @ (A @ low - y)
    check(H, c, low, low, high, 1e-9 * float(gap_shares(c, low, low, high).sum()))


@pytest.mark.parametrize("radius", [1.0, 100.0, 1e4])
def test_a_rough_tolerance_still_lowers_the_quadratic(radius):
    """Near the optimum a gap that is small for a large box is large compared with what is left to gain."""
    rng, d = np.random.default_rng(0), 40
    A = rng.standard_normal((60, d)) * np.geomspace(1.0, 1e-4, d) + rng.standard_normal((60, 1))
    H, low, high = A.T @ A, np.full(d, -radius), np.full(d, radius)
    c = H @ (0.5 * radius * rng.uniform(-1.0, 1.0, d))
    start = solve_box_qp(H, c, np.zeros(d), low, high, 0.0) + 1e-6 * radius * rng.standard_normal(d)
    start = np.clip(start, low, high)
    c = c + H @ start
    found = solve_box_qp(H, c, start, low, high, float(gap_shares(c, start, low, high).sum()) * 0.5)
    assert worth(H, c, start, found) < 0.0


def test_a_linear_function_is_least_at_a_corner():
    found = solve_box_qp(np.zeros((3, 3)), np.array([1.0, -1.0, 0.0]), np.full(3, 0.5), np.zeros(3), np.ones(3), 1e-12)
    np.testing.assert_array_equal(found, [0.0, 1.0, 0.5])


def test_a_start_outside_is_brought_in():
    found = solve_box_qp(np.eye(2), np.zeros(2), np.array([5.0, -5.0]), np.zeros(2), np.ones(2), 1e-12)
    np.testing.assert_array_equal(found, [1.0, 0.0])


def test_free_are_those_that_can_move_downwards():
    grad, x = np.array([1.0, -1.0, 1.0, -1.0, 0.0, 0.0, 2.0]), np.array([0.0, 0.0, 1.0, 1.0, 0.5, 0.0, 3.0])
    low, high = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0]), np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0])
    assert free_coordinates(grad, x, low, high).tolist() == [1, 2, 4]


@pytest.mark.parametrize("seed", [0, 2, 4, 5])
@pytest.mark.parametrize("size", [1e-100, 1e-150])
def test_a_box_so_small_that_products_vanish(seed, size):
    """Nothing is divided by multipliers that are zero."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 6))
    B = rng.standard_normal((d, d))
    H, c, high = B.T @ B, 1e-200 * rng.standard_normal(d), size * np.ones(d)
    x = size * rng.choice([-1.0, 0.0, 0.5, 1.0], d)
    for tol in (0.0, 1e-300):
        found = solve_box_qp(H, c, x, -high, high, tol)
        assert (np.abs(found) <= high).all() and worth(H, c, x, found) <= 0.0
