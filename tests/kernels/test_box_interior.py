"""The interior point method over a box: a duality gap of the tolerance, however ill conditioned the Hessian."""

import numpy as np
import pytest

from greedyhull.kernels.bounded_qp import gap_shares, interior_point


@pytest.mark.parametrize("rank", [1, 5, 40, 80])
@pytest.mark.parametrize("spread", [0.0, 4.0, 8.0])
def test_the_gap_is_closed(rank, spread):
    rng, d = np.random.default_rng(rank), 40
    A = rng.standard_normal((rank, d)) * np.geomspace(1.0, 10.0**-spread, d)
    low, high = -rng.random(d), rng.random(d)
    H, c = A.T @ A, A.T @ (A @ low - 3.0 * rng.standard_normal(rank))
    tol = 1e-9 * float(gap_shares(c, low, low, high).sum())
    found = interior_point(H, c, low, low, high, tol)
    assert ((low <= found) & (found <= high)).all()
    assert gap_shares(c + H @ (found - low), found, low, high).sum() <= 1.01 * tol


def test_coordinates_that_end_at_a_bound_are_put_there():
    target = np.array([-2.0, 0.3, 5.0])
    found = interior_point(np.eye(3), -target, np.zeros(3), np.zeros(3), np.ones(3), 1e-12)
    assert found[0] == 0.0 and found[2] == 1.0 and found[1] == pytest.approx(0.3, abs=1e-9)


def test_equal_bounds_stay():
    low = np.array([0.0, 2.0])
    found = interior_point(np.eye(2), np.array([-0.5, 7.0]), low, low, np.array([1.0, 2.0]), 1e-12)
    assert found[1] == 2.0 and found[0] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_out_of_range_are_not_tried(bad):
    assert interior_point(np.eye(2), np.array([bad, 1.0]), np.zeros(2), np.zeros(2), np.ones(2), 1e-12) is None
