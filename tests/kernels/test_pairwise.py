"""A burst of pairwise steps: each step does what it says."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from greedyhull.kernels._core import pairwise_burst


def problem(rng, m, rank):
    Z = rng.standard_normal((rank, m))
    alpha = np.maximum(rng.dirichlet(np.ones(m)) - 0.3 / m, 0.0)
    return Z.T @ Z, rng.standard_normal(m), alpha / alpha.sum()


def worth(G, c, start, alpha):
    step = alpha - start
    return float(c @ step + 0.5 * step @ G @ step)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), m=st.integers(1, 20), rank=st.integers(1, 25), scale=st.integers(-8, 8))
def test_every_step_lowers_the_quadratic_and_keeps_the_simplex(seed, m, rank, scale):
    G, c, start = problem(np.random.default_rng(seed), m, rank)
    G, c = 10.0**scale * G, 10.0 ** (scale / 2) * c
    alpha, grad, before = start.copy(), c.copy(), 0.0
    for _ in range(40):
        taken = pairwise_burst(G, grad, alpha, 1, 0.0)
        after = worth(G, c, start, alpha)
        size = np.abs(c).max() + np.abs(G).max()
        assert after <= before + 1e-14 * size
        assert (alpha >= 0.0).all() and abs(alpha.sum() - 1.0) < 1e-12
        np.testing.assert_allclose(grad, c + G @ (alpha - start), atol=1e-12 * size)
        before = after
        if taken == 0:
            break


def test_it_stops_at_the_tolerance_and_says_how_many_steps_it_took():
    G, c, start = problem(np.random.default_rng(0), 12, 30)
    alpha, grad = start.copy(), c.copy()
    taken = pairwise_burst(G, grad, alpha, 100_000, 1e-9)
    assert 0 < taken < 100_000
    assert grad[alpha > 0].max() - grad.min() <= 1e-9
    assert pairwise_burst(G, grad, alpha, 5, 1e-9) == 0


def test_a_weight_that_is_used_up_is_exactly_zero():
    alpha, grad = np.array([0.25, 0.75]), np.array([1.0, 0.0])
    assert pairwise_burst(np.zeros((2, 2)), grad, alpha, 10, 0.0) == 1
    assert alpha.tolist() == [0.0, 1.0]


def test_twins_do_not_hand_weight_to_and_fro():
    """Two copies of one atom have equal gradients: no step is left between them."""
    G, alpha, grad = np.ones((2, 2)), np.array([0.5, 0.5]), np.array([1.0, 1.0])
    assert pairwise_burst(G, grad, alpha, 10, 0.0) == 0
    assert alpha.tolist() == [0.5, 0.5]
