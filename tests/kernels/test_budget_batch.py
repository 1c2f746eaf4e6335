"""Many quadratics with one Hessian: each is solved, and points that were given are continued from."""

import numpy as np
import pytest

from greedyhull.kernels._core import budget_batch

SETS = {"simplex": (True, True), "capped": (True, False), "l1": (False, False)}


def problems(m, t=12, seed=0, rank=None):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rank or m + 5, m))
    return X.T @ X / len(X), rng.standard_normal((t, len(X))) @ X / len(X)


def solved(H, C, positive, whole, without, tol=1e-11):
    t, m = C.shape
    U, G, near, made = np.zeros((t, m)), -C, np.zeros(m), np.zeros(t, dtype=np.int64)
    budget_batch(H, positive, whole, U, G, np.full(t, tol), without, near, True, 200, made)
    np.testing.assert_allclose(G, U @ H - C, atol=1e-11)
    return U


def gaps(H, C, U, positive, whole, without):
    G = U @ H - C
    scores = G.copy() if positive else -np.abs(G)
    rows = np.flatnonzero(without >= 0)
    scores[rows, without[rows]] = np.inf
    least = scores.min(axis=1) if whole else np.minimum(scores.min(axis=1), 0.0)
    return np.einsum("ij,ij->i", G, U) - least


@pytest.mark.parametrize("kind", SETS)
@pytest.mark.parametrize(("m", "rank"), [(1, None), (2, None), (5, None), (40, 10), (90, None), (130, 20)])
def test_every_problem_is_solved_within_its_set(kind, m, rank):
    positive, whole = SETS[kind]
    H, C = problems(m, rank=rank)
    without = np.arange(len(C)) % (m + 1) - 1 if m > 1 else np.full(len(C), -1)
    U = solved(H, C, positive, whole, without)
    assert gaps(H, C, U, positive, whole, without).max() <= 1e-9
    used = np.abs(U).sum(axis=1)
    assert (used <= 1.0 + 1e-14).all() and (not whole or used.min() >= 1.0 - 1e-14) and (not positive or U.min() >= 0.0)
    rows = np.flatnonzero(without >= 0)
    assert not U[rows, without[rows]].any()


def test_given_points_are_gone_on_from():
    H, C = problems(6)
    U = np.full((len(C), 6), 1.0 / 6.0)
    G, made, none = U @ H - C, np.zeros(len(C), dtype=np.int64), np.full(len(C), -1)
    budget_batch(H, True, True, U, G, np.full(len(C), 1e-12), none, np.zeros(6), False, 100, made)
    assert gaps(H, C, U, True, True, none).max() <= 1e-11


def test_numbers_that_are_not_finite_leave_a_problem_and_not_the_next():
    H, C = problems(60, t=3)
    C[1, 7] = np.nan
    U, G, made = np.zeros(C.shape), -C, np.zeros(3, dtype=np.int64)
    budget_batch(H, True, True, U, G, np.full(3, 1e-10), np.full(3, -1), np.zeros(60), True, 100, made)
    assert gaps(H, C[[0, 2]], U[[0, 2]], True, True, np.full(2, -1)).max() <= 1e-9


def test_shapes_are_compared():
    H, C = problems(4, t=2)
    with pytest.raises(ValueError, match="shapes differ"):
        budget_batch(H, True, True, np.zeros((2, 4)), -C, np.zeros(3), np.full(2, -1), np.zeros(4), True, 9,
                     np.zeros(2, dtype=np.int64))
