"""Quadratics over weights with bounds and a sum: as good as the best of all faces, to the tolerance asked for."""


import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from greedyhull.kernels.bounded_qp import project_capped_simplex, solve_sum_qp, sum_gap, threshold


def problem(rng, d, rank, *, scale=0.0, fixed=False, twins=False):
    B = rng.standard_normal((rank, d)) * 10.0 ** rng.uniform(-scale, scale, d)
    if twins:
        B[:, -1] = B[:, 0]
    high = rng.uniform(0.1, 1.0, d)
    if fixed and d > 1:
        high[0] = 0.0
    total = rng.uniform(0.05, 1.0) * high.sum()
    x = project_capped_simplex(total / d * rng.choice([0.0, 1.0, 5.0], d), high, total)
    return B.T @ B, B.T @ rng.standard_normal(rank), x, high


def worth(H, c, move):
    return c @ move + 0.5 * move @ H @ move


def size(H, c, high):
    return float(np.abs(c) @ high + high @ np.abs(H) @ high) + 1e-300


def check(H, c, x, high, tol):
    kept = [a.copy() for a in (H, c, x, high)]
    found = solve_sum_qp(H, c, x, high, tol)
    assert all(np.array_equal(a, b) for a, b in zip(kept, (H, c, x, high), strict=True))
    assert ((found >= 0.0) & (found <= high)).all() and found.sum() == pytest.approx(x.sum(), rel=1e-13)
    assert worth(H, c, found - x) <= 1e-15 * size(H, c, high), "the quadratic rose"
    assert sum_gap(c + H @ (found - x), found, high) <= tol + 1e-13 * len(c) * size(H, c, high)
    return found


@pytest.mark.parametrize("total", [1e-3, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("rows", [30, 200])
def test_collinear_columns_are_solved_to_the_tolerance(rows, total):
    rng, d = np.random.default_rng(0), 100
    A = rng.standard_normal((rows, d)) * np.geomspace(1.0, 1e-4, d) + 3.0 * rng.standard_normal((rows, 1))
    high = np.full(d, 3.0 * total / d)
    x = project_capped_simplex(rng.standard_normal(d) * total, high, total)
    c = A.T @ (A @ x - A @ rng.standard_normal(d) - rng.standard_normal(rows))
    check(A.T @ A, c, x, high, 1e-9 * sum_gap(c, x, high))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**9), d=st.integers(1, 8))
def test_the_gap_is_that_of_a_linear_program(seed, d):
    rng = np.random.default_rng(seed)
    _, grad, x, high = problem(rng, d, 3)
    least = linprog(grad, A_eq=np.ones((1, d)), b_eq=[x.sum()], bounds=list(zip(np.zeros(d), high, strict=True))).fun
    assert sum_gap(grad, x, high) == pytest.approx(grad @ x - least, abs=1e-7 * (1.0 + np.abs(grad).sum()))


def test_zeros_stay_zeros_where_rounding_is_all_that_is_off():
    x = np.array([0.0, 0.1, 0.2, 0.7])
    y = project_capped_simplex(x * (1.0 + 1e-15), np.array([1.0, 1.0, 1.0, 0.9]), 1.0)
    assert y[0] == 0.0 and y.sum() == pytest.approx(1.0, abs=2e-16)


@pytest.mark.parametrize("exponent", [-200, -100, 100])
def test_any_scale_of_the_weights(exponent):
    rng, scale = np.random.default_rng(0), 10.0**exponent
    H, c, x, high = problem(rng, 12, 3, twins=True)
    H = H / scale if exponent < 0 else H / scale / scale
    c = c if exponent < 0 else c / scale
    check(H, c, scale * x, scale * high, 1e-9 * size(H, c, scale * high))


def test_a_linear_function_fills_the_cheapest():
    found = solve_sum_qp(np.zeros((3, 3)), np.array([2.0, 1.0, 3.0]), np.full(3, 0.5), np.array([1.0, 0.7, 1.0]), 1e-9)
    np.testing.assert_allclose(found, [0.8, 0.7, 0.0], atol=1e-8)
    assert threshold(np.array([2.0, 1.0, 3.0]), np.array([1.0, 0.7, 1.0]), 1.5) == 2.0


@pytest.mark.parametrize("seed", range(20))
def test_a_multiplier_that_is_large_hides_nothing(seed):
    """All slopes differ by little from the multiplier of the sum: the products with it are all rounding."""
    rng = np.random.default_rng(seed)
    H, high = np.diag(rng.uniform(1.0, 2.0, 8)), rng.uniform(0.2, 0.5, 8)
    best = project_capped_simplex(rng.uniform(0.0, 0.2, 8), high, 1.0)
    start = project_capped_simplex(best + 1e-9 * rng.standard_normal(8), high, 1.0)
    c = 1.0 + H @ (start - best)
    found = solve_sum_qp(H, c, start, high, 1e-3 * sum_gap(c, start, high))
    assert sum_gap(c + H @ (found - start), found, high) < 0.1 * sum_gap(c, start, high)
