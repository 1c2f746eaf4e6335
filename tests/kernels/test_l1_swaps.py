"""Swaps over an l1 ball: the compiled kernel does what its Python text does, and ends at the optimum."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.kernels.core import REFERENCES
from greedyhull.kernels.simplex_qp import l1_swaps


@pytest.fixture(params=range(6))
def problem(request):
    rng = np.random.default_rng(request.param)
    n, d = 20 + 5 * request.param, 4 + 7 * request.param
    X, y = rng.standard_normal((n, d)), rng.standard_normal(n)
    return X.T @ X / n, X.T @ y / n, rng.uniform(0.5, 2.0, d), 0.3 + request.param


def test_the_kernel_is_its_reference(problem):
    """The first swaps are the same ones; later, rounding may choose between two that are as good, and both end as well."""
    Q, b, scale, r = problem
    for tol, steps in ((0.0, 5), (1e-9, 100_000)):
        found = []
        for swaps in (l1_swaps, REFERENCES["l1_swaps"]):
            w, g = np.zeros(len(b)), -b
            found.append((swaps(Q, scale, g, w, r, tol, steps), w, g, 0.5 * w @ Q @ w - b @ w))
            np.testing.assert_allclose(g, Q @ w - b, atol=1e-12)
        if steps == 5:
            np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-12)
        else:
            assert max(found[0][0], found[1][0]) <= tol and abs(found[0][3] - found[1][3]) <= tol


def test_it_ends_at_the_optimum_within_the_ball(problem):
    Q, b, scale, r = problem
    w, g = np.zeros(len(b)), -b
    gap = l1_swaps(Q, scale, g, w, r, 1e-8, 100_000)
    S = gh.L1Ball(len(b), r, weights=1.0 / scale)
    assert gap <= 1e-8 and S.contains(w)
    np.testing.assert_allclose(g, Q @ w - b, atol=1e-9)
    best = gh.minimize(gh.quadratic(Q, b), S, stop=gh.Gap(1e-10) | gh.Stalled(300))
    assert 0.5 * w @ Q @ w - b @ w <= best.value + gap + 1e-9


def test_a_coordinate_may_change_its_sign():
    w, g = np.array([1.0, 0.0]), np.array([2.0, 0.0])  # b = (−1, 0)
    assert l1_swaps(np.eye(2), np.ones(2), g, w, 1.0, 1e-12, 100) <= 1e-12
    np.testing.assert_allclose(w, [-1.0, 0.0], atol=1e-9)
