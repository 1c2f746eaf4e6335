"""Quadratics over bounds and rows: feasible, never worse, and as good as the prices of the rows prove."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from greedyhull.kernels.polyhedral_qp import Polyhedron, rows_gap, solve_rows_qp


def problem(rng, d, m, rank, scale=0.0, equations=True):
    """A point, and rows and bounds that it satisfies; some with equality."""
    B = rng.standard_normal((rank, d)) * 10.0 ** rng.uniform(-scale, scale, d)
    low = np.where(rng.random(d) < 0.2, -1.0, 0.0)
    high = low + rng.choice([0.0, 0.5, 1.0, 2.0], d, p=[0.1, 0.3, 0.3, 0.3])
    x = low + (high - low) * rng.choice([0.0, 0.3, 1.0], d)
    A = rng.standard_normal((m, d)) if rng.random() < 0.5 else (rng.integers(0, m, d) == np.arange(m)[:, None]).astype(float)
    activity, kind = A @ x, rng.integers(0, 3 if equations else 2, m)
    u = np.where(kind == 1, activity + rng.random(m), activity)
    return B.T @ B, B.T @ rng.standard_normal(rank), x, Polyhedron(low, high, A, np.where(kind == 2, activity, -np.inf), u)


def worth(H, c, move):
    return c @ move + 0.5 * move @ H @ move


def exact_gap(grad, x, P):
    """⟨grad, x⟩ less its least value, by HiGHS."""
    equal = P.l == P.u
    found = linprog(grad, A_ub=P.A[~equal], b_ub=P.u[~equal], A_eq=P.A[equal], b_eq=P.u[equal],
                    bounds=list(zip(P.low, P.high, strict=True)))
    assert found.status == 0
    return float(grad @ x - found.fun)


def check(H, c, x, P, tol):
    kept = [a.copy() for a in (H, c, x, *P)]
    found = solve_rows_qp(H, c, x, P, tol)
    assert all(np.array_equal(a, b) for a, b in zip(kept, (H, c, x, *P), strict=True))
    assert ((found >= P.low) & (found <= P.high)).all()
    activity, near = P.A @ found, 1e-10 * (1.0 + np.abs(P.A) @ np.abs(x))
    assert (activity <= P.u + near).all() and (activity >= P.l - near).all()
    assert worth(H, c, found - x) <= 1e-14 * (np.abs(c).sum() + np.abs(H).sum()), "the quadratic rose"
    return found


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), d=st.integers(1, 8), m=st.integers(1, 4))
def test_any_prices_prove_a_bound(seed, d, m):
    """The gap that random row prices prove is never below the true one."""
    rng = np.random.default_rng(seed)
    _, grad, x, P = problem(rng, d, m, 3)
    y = 10.0 ** rng.uniform(-2, 2) * rng.standard_normal(m)
    assert rows_gap(grad, x, P, y) >= exact_gap(grad, x, P) - 1e-7 * (1.0 + np.abs(grad).sum() + np.abs(y).sum())


def test_groups_that_are_full_of_coordinates_at_their_bounds_are_no_trap():
    """Three weights of 0.05 fill a group of 0.15: its price is not unique, and no coordinate in it is free."""
    rng = np.random.default_rng(0)
    d, of = 66, np.repeat(np.arange(11), 6)
    F = 0.1 * rng.standard_normal((20, d))
    H, mean = F.T @ F + np.diag(0.005 + 0.02 * rng.random(d)), 0.02 * rng.standard_normal(d)
    P = Polyhedron(np.zeros(d), np.full(d, 0.05), np.vstack([np.ones((1, d)), of == np.arange(11)[:, None]]),
                    np.append(1.0, np.full(11, -np.inf)), np.append(1.0, np.full(11, 0.15)))
    best = linprog(-mean, A_ub=P.A[1:], b_ub=P.u[1:], A_eq=P.A[:1], b_eq=[1.0], bounds=(0, 0.05))
    x = best.x.clip(0.0, 0.05)
    found = check(H, H @ x - mean, x, P, 1e-13)
    assert exact_gap(H @ found - mean, found, P) <= 1e-9


@pytest.mark.parametrize("d", [0, 1])
def test_nothing_to_solve_for(d):
    P = Polyhedron(np.zeros(d), np.zeros(d), np.ones((1, d)), np.zeros(1), np.zeros(1))
    assert solve_rows_qp(np.eye(d), np.ones(d), np.zeros(d), P, 0.0).tolist() == [0.0] * d
