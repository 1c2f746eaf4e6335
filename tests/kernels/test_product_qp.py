"""Small quadratics over a product of simplices: as good as the best of all faces, to the tolerance asked for."""


import numpy as np
import pytest

from greedyhull.kernels import simplex_qp
from greedyhull.kernels.simplex_qp import solve_simplex_qp


def problem(rng, sizes, rank, *, twins=False, zero=False, scale=0.0):
    """A quadratic of low rank with a start in the product; twins are atoms that are equal, within an owner and across."""
    owners = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    B = rng.standard_normal((rank, len(owners))) * 10.0 ** rng.uniform(-scale, scale, len(owners))
    if zero:
        B[:, 0] = 0.0
    if twins:
        B[:, -1] = B[:, 0]
    start = rng.random(len(owners)) * (rng.random(len(owners)) < 0.6)
    for owner in range(len(sizes)):
        own = owners == owner
        start[own] = start[own] / start[own].sum() if start[own].any() else np.eye(own.sum())[0]
    return B.T @ B / rank, B.T @ rng.standard_normal(rank), start, owners


def worth(G, c, start, alpha):
    return c @ (alpha - start) + 0.5 * (alpha - start) @ G @ (alpha - start)


def size(G, c):
    return np.abs(c).max() + np.abs(G).max() + 1e-300


def gap(G, c, start, alpha, owners):
    """Σ over the owners of ⟨grad, α_b⟩ − min of grad: a bound on the error, whoever found α."""
    grad = c + G @ (alpha - start)
    return sum(alpha[owners == b] @ (grad[owners == b] - grad[owners == b].min()) for b in range(owners.max() + 1))


def check(G, c, start, owners, tol, found):
    kept = [x.copy() for x in (G, c, start, owners)]
    assert (found >= 0.0).all() and np.abs(np.bincount(owners, weights=found) - 1.0).max() <= 1e-14 * len(found)
    assert worth(G, c, start, found) <= 1e-14 * size(G, c), "the objective went up"
    assert gap(G, c, start, found, owners) <= 1.01 * tol + 4e-15 * len(found) * size(G, c)
    assert all(np.array_equal(a, b) for a, b in zip(kept, (G, c, start, owners), strict=True))


@pytest.mark.parametrize("sizes", [[40], [1, 1, 1], [30, 1, 7], [60, 60], [5] * 20], ids=str)
@pytest.mark.parametrize("rank", [1, 7, 60, 300])
def test_every_size_is_solved_to_its_tolerance(sizes, rank):
    G, c, start, owners = problem(np.random.default_rng(rank), sizes, rank, twins=True, zero=True)
    for tol in (1e-2 * size(G, c), 1e-6 * size(G, c), 1e-10 * size(G, c)):
        check(G, c, start, owners, tol, solve_simplex_qp(G, c, start, tol, owners=owners))


def test_one_owner_of_many_is_the_simplex():
    G, c, start, owners = problem(np.random.default_rng(5), [12], 30)
    np.testing.assert_allclose(solve_simplex_qp(G, c, start, 1e-13, owners=owners), solve_simplex_qp(G, c, start, 1e-13),
                               atol=1e-7)


def test_where_the_hessian_is_zero_each_owner_goes_to_its_best_atom():
    owners = np.array([0, 1, 0, 1])
    found = solve_simplex_qp(np.zeros((4, 4)), np.array([1.0, -1.0, 0.5, -0.5]), np.full(4, 0.5), 1e-12, owners=owners)
    np.testing.assert_array_equal(found, [0.0, 1.0, 1.0, 0.0])


def test_steps_end_where_rounding_does_not_let_the_gap_fall(monkeypatch):
    """A tolerance of zero is below rounding: the steps end once they bring nothing."""
    steps, on_faces = [], simplex_qp._on_faces
    monkeypatch.setattr(simplex_qp, "_on_faces", lambda *args: steps.append(1) or on_faces(*args))
    for seed in range(6):
        steps.clear()
        G, c, start, owners = problem(np.random.default_rng(seed), [12, 14, 9], 6, scale=2.0)
        found = solve_simplex_qp(G, c, start, -1.0, owners=owners)
        check(G, c, start, owners, 1e-12 * size(G, c), found)
        assert len(steps) <= 8


@pytest.mark.parametrize("rank", [7, 800])
def test_of_very_many_atoms_a_few_are_solved_for(rank):
    G, c, start, owners = problem(np.random.default_rng(rank), [25] * 28, rank)
    check(G, c, start, owners, 1e-9 * size(G, c), solve_simplex_qp(G, c, start, 1e-9 * size(G, c), owners=owners))
