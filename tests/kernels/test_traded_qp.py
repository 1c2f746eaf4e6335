"""Quadratics over weights that trade little: the conditions of optimality, and the same problem by rows."""

import numpy as np
import pytest

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
