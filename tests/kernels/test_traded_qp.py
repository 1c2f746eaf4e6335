"""Quadratics over weights that trade little: the conditions of optimality, and the same problem by rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greedyhull.kernels.polyhedral_interior import Factored
from greedyhull.kernels.polyhedral_qp import Limits, solve_rows_qp
from greedyhull.kernels.turnover_qp import Near, Prices, solve_traded_qp, traded_gap


def drawn(seed, d):
    rng = np.random.default_rng(seed)
    high = rng.uniform(0.3, 1.0, d)
    p = high * rng.choice([0.0, 0.3, 0.7, 1.0], d)
    A = np.vstack([np.ones(d), rng.standard_normal((2, d))])
    l, u = A @ p, A @ p
    l[1:], u[1:] = -np.inf, u[1:] + rng.random(2)
    near = Near(np.zeros(d), high, A, l, u, p, float(rng.uniform(0.05, 1.0)))
    B = rng.standard_normal((d + 2, d))
    return near, B.T @ B / d + 0.01 * np.eye(d), 2.0 * rng.standard_normal(d)


def by_rows(near, H, c):
    """With a second variable for each coordinate, the size of its trade."""
    d = len(near.p)
    one, none = np.eye(d), np.zeros((len(near.l), d))
    A = np.block([[near.A, none], [one, -one], [one, one], [np.zeros((1, d)), np.ones((1, d))]])
    free = np.full(d, np.inf)
    limits = Limits(np.zeros(2 * d), np.append(near.high, free), A, np.concatenate([near.l, -free, near.p, [-np.inf]]),
                    np.concatenate([near.u, near.p, free, [near.most]]))
    Q = np.zeros((2 * d, 2 * d))
    Q[:d, :d] = H
    ends = np.zeros(2 * d), np.append(near.high, np.full(d, near.most))
    return solve_rows_qp(Q, np.append(c, np.zeros(d)), np.append(near.p, np.zeros(d)), limits, 1e-11, ends)[:d]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**9), d=st.integers(2, 12))
def test_it_is_no_worse_than_by_rows(seed, d):
    near, H, c = drawn(seed, d)
    x = solve_traded_qp(H, c, near.p, near, 1e-11)
    assert near.holds(x, 1e-10)
    value = lambda y: c @ (y - near.p) + 0.5 * (y - near.p) @ H @ (y - near.p)
    assert value(x) <= min(value(by_rows(near, H, c)), 0.0) + 1e-8


def test_factors_and_matrices_agree():
    rng = np.random.default_rng(5)
    near, _, c = drawn(5, 60)
    D, F = rng.uniform(0.1, 1.0, 60), rng.standard_normal((4, 60))
    form = Factored(D, F)
    one, other = (solve_traded_qp(H, c, near.p, near, 1e-12) for H in (form, form.square(np.arange(60))))
    assert np.abs(one - other).max() <= 1e-7


def test_any_prices_prove_a_bound():
    """⟨g, x⟩ less the gap is nowhere above ⟨g, z⟩ for points z of the set."""
    for seed in range(20):
        near, *_ = drawn(seed, 8)
        rng = np.random.default_rng(seed)
        points = [solve_traded_qp(1e-3 * np.eye(8), rng.standard_normal(8), near.p, near, 1e-9) for _ in range(5)]
        for _ in range(20):
            g, prices = rng.standard_normal(8), Prices(rng.standard_normal(3), float(rng.standard_normal()))
            lower = g @ near.p - traded_gap(g, near.p, near, prices)
            assert all(g @ z >= lower - 1e-8 for z in points)


@pytest.mark.parametrize("most", [0.0, 1e-14])
def test_nothing_to_trade(most):
    near, H, c = drawn(1, 6)
    x = solve_traded_qp(H, c, near.p, near._replace(most=most), 1e-9)
    assert np.abs(x - near.p).sum() <= 1e-9
