"""The interior-point method over products of simplices: a duality gap of at most tol, whatever the rank."""

import numpy as np
import pytest

from greedyhull.kernels.product_qp import interior_product_qp, onto_simplices, solve_product_qp


@pytest.mark.parametrize("rank", [1, 5, 80])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_the_gap_is_reached(rank: int, scale: float) -> None:
    rng = np.random.default_rng(rank)
    owners = np.repeat(np.arange(20), rng.integers(1, 6, 20))
    A, q = rng.standard_normal((rank, len(owners))), rng.standard_normal(len(owners))
    G, q = scale * A.T @ A, scale * q
    found = interior_product_qp(G, q, owners, 1e-9 * scale)
    assert found is not None and (found >= 0.0).all() and np.allclose(np.bincount(owners, weights=found), 1.0)
    grad = G @ found + q
    low = np.array([grad[owners == b].min() for b in range(20)])
    assert found @ (grad - low[owners]) <= 1.01e-9 * scale
    start = np.bincount(np.unique(owners, return_index=True)[1], minlength=len(owners)).astype(float)
    other = solve_product_qp(G, q + G @ start, start, 1e-9 * scale, owners)
    value = lambda a: 0.5 * a @ G @ a + q @ a
    assert abs(value(found) - value(other)) <= 3e-9 * scale


def test_the_projection_is_the_nearest_point() -> None:
    rng = np.random.default_rng(0)
    owners = np.repeat([0, 1, 2], [1, 4, 7])
    for size in (1e-6, 1.0, 1e9):
        x = size * rng.standard_normal(12)
        p = onto_simplices(x, owners)
        assert (p >= 0.0).all() and np.allclose(np.bincount(owners, weights=p), 1.0)
        for b in range(3):  # x − p is no larger off the support, and equal on it: the normal cone of a simplex
            own, rest = owners == b, (x - p)
            assert rest[own].max() <= rest[own & (p > 0)].min() + 1e-9 * size + 1e-12
