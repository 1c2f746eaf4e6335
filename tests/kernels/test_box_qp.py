"""Quadratics over a box: as good as the best of all faces, to the tolerance asked for, whatever the Hessian is."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from greedyhull.kernels import bounded_qp as box_qp
from greedyhull.kernels.bounded_qp import free_coordinates, gap_shares, interior_point, solve_box_qp
from greedyhull.kernels.core import REFERENCES, core


@pytest.fixture(params=["core", "reference"], autouse=True, scope="module")
def both(request):
    """Each promise is kept by the compiled loop and by the plain function."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "reference":
            patch.setattr(box_qp, "box_qp", REFERENCES["box_qp"])
        elif core is None:
            pytest.skip("there is no compiled core")
        yield


def problem(rng, d, rank, *, twins=False, fixed=False, zero=False, scale=0.0):
    """A quadratic of some rank with a start in a box; its columns differ by powers of ten up to ``scale``."""
    B = rng.standard_normal((rank, d)) * 10.0 ** rng.uniform(-scale, scale, d)
    low = rng.uniform(-2.0, 1.0, d)
    high = low + rng.uniform(0.1, 2.0, d) * 10.0 ** rng.uniform(-scale, scale, d)
    if zero:
        B[:, 0] = 0.0
    if twins:
        B[:, -1] = B[:, 0]
    if fixed:
        high[0] = low[0]
    x = low + rng.choice([0.0, 1.0, 0.3], d) * (high - low)
    return B.T @ B, B.T @ rng.standard_normal(rank), np.clip(x, low, high), low, high


def worth(H, c, start, x):
    return c @ (x - start) + 0.5 * (x - start) @ H @ (x - start)


def gap(H, c, start, x, low, high):
    """⟨grad, x⟩ less its least value over the box."""
    grad = c + H @ (x - start)
    return float(np.maximum(grad * (x - low), grad * (x - high)).sum())


def size(H, c, low, high):
    reach = high - low
    return float(np.abs(c) @ reach + reach @ np.abs(H) @ reach) + 1e-300


def by_enumeration(H, c, start, low, high):
    best = np.inf
    for face in product([0, 1, 2], repeat=len(c)):
        on = np.flatnonzero(np.array(face) == 2)
        x = np.where(np.array(face) == 1, high, low)
        rest = c[on] + H[on] @ (np.where(np.array(face) == 2, 0.0, x) - start)
        x[on] = np.linalg.lstsq(H[np.ix_(on, on)], -rest, rcond=None)[0]
        if (x >= low - 1e-12).all() and (x <= high + 1e-12).all():
            best = min(best, worth(H, c, start, np.clip(x, low, high)))
    return best


def check(H, c, start, low, high, tol):
    kept = [a.copy() for a in (H, c, start, low, high)]
    found = solve_box_qp(H, c, start, low, high, tol)
    assert all(np.array_equal(a, b) for a, b in zip(kept, (H, c, start, low, high), strict=True))
    assert ((low <= found) & (found <= high)).all()
    assert worth(H, c, start, found) <= 1e-15 * size(H, c, low, high), "the quadratic rose"
    assert gap(H, c, start, found, low, high) <= 1.01 * tol + 1e-14 * len(c) * size(H, c, low, high)
    return found


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**9), d=st.integers(1, 5), rank=st.integers(1, 6), twins=st.booleans(), fixed=st.booleans(),
       zero=st.booleans())
@example(seed=0, d=1, rank=1, twins=True, fixed=True, zero=True)
def test_as_good_as_the_best_of_all_faces(seed, d, rank, twins, fixed, zero):
    H, c, start, low, high = problem(np.random.default_rng(seed), d, rank, twins=twins, fixed=fixed, zero=zero)
    found = check(H, c, start, low, high, 1e-11 * size(H, c, low, high))
    assert worth(H, c, start, found) <= by_enumeration(H, c, start, low, high) + 1e-9 * size(H, c, low, high)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), d=st.integers(2, 40), rank=st.integers(1, 60), scale=st.floats(0.0, 4.0),
       whole=st.floats(-100, 100))
def test_adversarial_scales(seed, d, rank, scale, whole):
    H, c, start, low, high = problem(np.random.default_rng(seed), d, rank, scale=scale, zero=True, twins=True)
    H, c = 10.0**whole * H, 10.0**whole * c
    check(H, c, start, low, high, 1e-9 * size(H, c, low, high))


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


def test_numbers_that_are_not_finite_leave_the_start():
    start = np.array([0.25, 0.75])
    found = solve_box_qp(np.eye(2), np.array([np.nan, 1.0]), start, np.zeros(2), np.ones(2), 1e-12)
    np.testing.assert_array_equal(found, start)


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
    """The interior point method ends where its multipliers are zero, and divides by none of them."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 6))
    B = rng.standard_normal((d, d))
    H, c, high = B.T @ B, 1e-200 * rng.standard_normal(d), size * np.ones(d)
    x = size * rng.choice([-1.0, 0.0, 0.5, 1.0], d)
    for tol in (0.0, 1e-300):
        inside = interior_point(H, c, x, -high, high, tol)
        assert inside is None or (np.abs(inside) <= high).all()
        found = solve_box_qp(H, c, x, -high, high, tol)
        assert (np.abs(found) <= high).all() and worth(H, c, x, found) <= 0.0
