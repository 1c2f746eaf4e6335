"""The interior point method for bounds and rows: between the bounds, on the rows, and as low as the quadratic goes."""

import numpy as np
import pytest

from greedyhull.kernels.polyhedral_interior import interior_rows


def drawn(rng, d=12, m=3):
    """A quadratic, a point, bounds, and rows of which some are equations and none leaves just one point."""
    B, low = rng.standard_normal((15, d)), -rng.random(d)
    high, x = low + rng.uniform(0.5, 2.0, d), np.zeros(d)
    x = low + (high - low) * rng.uniform(0.2, 0.8, d)
    A = rng.standard_normal((m, d))
    u = A @ x + np.where(np.arange(m) == 0, 0.0, 0.1)
    return B.T @ B, B.T @ rng.standard_normal(15), x, low, high, A, np.where(np.arange(m) == 0, u, -np.inf), u


@pytest.mark.parametrize("seed", range(10))
def test_the_conditions_of_optimality_hold_at_its_end(seed):
    H, c, x, low, high, A, l, u = drawn(np.random.default_rng(seed))
    path = interior_rows(H, c, x, low, high, A, l, u, 1e-9)
    assert path is not None
    size = np.abs(c).sum() + np.abs(H).sum()
    assert ((path.x >= low) & (path.x <= high)).all()
    assert (A @ path.x <= u + 1e-10).all() and abs((A @ path.x - u)[0]) <= 1e-10
    np.testing.assert_allclose(c + H @ (path.x - x) - path.y @ A - path.lower + path.upper, 0.0, atol=1e-8 * size)
    assert (path.lower >= 0.0).all() and (path.upper >= 0.0).all() and (path.y[1:] <= 1e-12).all()
    assert path.lower @ (path.x - low) + path.upper @ (high - path.x) - path.y[1:] @ (u - A @ path.x)[1:] <= 1e-7 * size


def test_a_row_that_leaves_no_choice_fixes_its_coordinates():
    one = np.ones(1)
    path = interior_rows(np.eye(3), -np.ones(3), np.zeros(3), np.zeros(3), np.ones(3), np.array([[1.0, 1.0, 0.0]]), 0 * one,
                         0 * one, 1e-10)
    assert path is not None and path.x[:2].tolist() == [0.0, 0.0] and path.x[2] == pytest.approx(1.0, abs=1e-4)


def test_sides_without_an_end_are_open():
    path = interior_rows(np.eye(2), np.array([-3.0, 4.0]), np.zeros(2), np.full(2, -np.inf), np.array([np.inf, 5.0]),
                         np.ones((1, 2)), np.array([-np.inf]), np.array([0.5]), 1e-12)
    assert path is not None
    np.testing.assert_allclose(path.x, [3.0, -4.0], atol=1e-5)


def test_numbers_out_of_range_have_no_answer():
    one, none = np.ones(1), np.zeros(0)
    assert interior_rows(np.full((1, 1), np.inf), one, 0 * one, 0 * one, one, np.zeros((0, 1)), none, none, 1e-9) is None
