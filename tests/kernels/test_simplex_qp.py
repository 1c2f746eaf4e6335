"""Small quadratics over the simplex: the weights are feasible, no worse than before, and proved best by other means."""


import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greedyhull.kernels.simplex_qp import solve_simplex_qp

LONG = np.longdouble


def worth(G, c, start, alpha):
    """The change of the quadratic, in extended precision."""
    step = alpha.astype(LONG) - start.astype(LONG)
    return float(c.astype(LONG) @ step + step @ G.astype(LONG) @ step / 2)


def gap(G, c, start, alpha):
    """max over the simplex of ⟨∇h(α), α − ·⟩, in extended precision: h(α) − min h is at most that."""
    grad = c.astype(LONG) + G.astype(LONG) @ (alpha.astype(LONG) - start.astype(LONG))
    return float(alpha.astype(LONG) @ grad - grad.min())


def size(G, c):
    return np.abs(G).max() + np.abs(c).max()


def problem(rng, m, rank, *, twins=False, zero=False, scale=0.0):
    Z = rng.standard_normal((rank, m)) * 10.0 ** rng.uniform(-scale, scale, m)
    if twins and m > 1:
        Z[:, rng.integers(m, size=m // 2)] = Z[:, rng.integers(m, size=m // 2)]
    if zero:
        Z[:, rng.integers(m)] = 0.0
    start = np.where(rng.random(m) < 0.5, rng.random(m), 0.0)
    start[rng.integers(m)] += 0.1
    start /= start.sum()
    c = Z.T @ (Z @ start - rng.standard_normal(rank) * 10.0 ** rng.uniform(-1, 1))
    return Z.T @ Z, c, start


def check(G, c, start, tol, found):
    kept = [x.copy() for x in (G, c, start)]
    assert (found >= 0.0).all() and abs(found.sum() - 1.0) <= 1e-14 * len(found)
    assert worth(G, c, start, found) <= 1e-14 * size(G, c), "the objective went up"
    assert gap(G, c, start, found) <= 1.01 * tol + 2e-15 * len(found) * size(G, c)
    assert all(np.array_equal(a, b) for a, b in zip(kept, (G, c, start), strict=True))


@pytest.mark.parametrize("m", [1, 2, 3, 40, 96, 97, 200])
@pytest.mark.parametrize("rank", [1, 7, 60, 300])
@pytest.mark.parametrize("twins", [False, True], ids=["", "twins"])
def test_every_size_is_solved_to_its_tolerance(m, rank, twins):
    G, c, start = problem(np.random.default_rng(m + rank), m, rank, twins=twins, zero=twins)
    for tol in (1e-2 * size(G, c), 1e-6 * size(G, c), 1e-10 * size(G, c)):
        check(G, c, start, tol, solve_simplex_qp(G, c, start, tol))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), m=st.integers(1, 120), rank=st.integers(1, 80), scale=st.floats(0, 2), twins=st.booleans())
def test_columns_of_any_size_are_solved_to_their_tolerance(seed, m, rank, scale, twins):
    G, c, start = problem(np.random.default_rng(seed), m, rank, scale=scale, twins=twins)
    tol = 1e-11 * size(G, c)
    check(G, c, start, tol, solve_simplex_qp(G, c, start, tol))


@pytest.mark.parametrize("m", [60, 150, 250])
@pytest.mark.parametrize("ridge", [1.0, 1e-3, 1e-5])
def test_badly_conditioned_duals_are_solved_to_the_last_digits(m, ridge):
    """The dual of a support-vector machine: a matrix of low rank and a ridge."""
    rng = np.random.default_rng(m)
    X = rng.standard_normal((m, 8))
    y = np.sign(X[:, 0] + 0.5 * rng.standard_normal(m))
    G = np.outer(y, y) * (X @ X.T + 1.0) + ridge * np.eye(m)
    start = np.full(m, 1.0 / m)
    found = solve_simplex_qp(G, G @ start, start, 1e-15)
    check(G, G @ start, start, 1e-9 * float(start @ G @ start), found)


def test_a_linear_function_goes_to_its_best_vertex():
    """Where the Hessian is zero on the face, as for losses in their flat part."""
    found = solve_simplex_qp(np.zeros((4, 4)), np.array([1.0, -1.0, 0.5, -0.5]), np.full(4, 0.25), 1e-12)
    np.testing.assert_array_equal(found, [0.0, 1.0, 0.0, 0.0])


def test_weights_that_are_already_best_stay():
    G, c, start = problem(np.random.default_rng(3), 10, 30)
    best = solve_simplex_qp(G, c, start, 1e-13)
    grad = c + G @ (best - start)
    np.testing.assert_allclose(solve_simplex_qp(G, grad, best, 1e-8), best, atol=1e-15)


def test_a_tolerance_of_zero_ends():
    for m in (5, 120):
        G, c, start = problem(np.random.default_rng(m), m, 4)
        check(G, c, start, 1e-12 * size(G, c), solve_simplex_qp(G, c, start, 0.0))


@pytest.mark.parametrize("order", ["C", "F"])
def test_any_memory_order(order):
    G, c, start = problem(np.random.default_rng(8), 12, 20)
    found = solve_simplex_qp(np.array(G, order=order), c, start, 1e-12)
    np.testing.assert_allclose(found, solve_simplex_qp(G, c, start, 1e-12), atol=1e-9)


def test_a_single_weight_has_nowhere_to_go():
    np.testing.assert_array_equal(solve_simplex_qp(np.eye(1), np.ones(1), np.array([1.0]), 0.0), [1.0])


def test_a_weight_that_is_used_up_is_exactly_zero():
    assert solve_simplex_qp(np.zeros((2, 2)), np.array([1.0, 0.0]), np.array([0.25, 0.75]), 0.0).tolist() == [0.0, 1.0]


def test_twins_do_not_hand_weight_to_and_fro():
    """Two copies of one atom have equal gradients: no step is left between them."""
    assert solve_simplex_qp(np.ones((2, 2)), np.ones(2), np.array([0.5, 0.5]), 0.0).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("m", [1, 4, 120])
def test_numbers_that_left_their_range_leave_the_weights_as_they_are(bad, m):
    alpha = np.full(m, 1.0 / m)
    G, c = np.eye(m), np.arange(m, dtype=float)
    for where in (0, 1):
        H, g = G.copy(), c.copy()
        if where:
            H[0, 0] = bad
        else:
            g[-1] = bad
        assert np.array_equal(solve_simplex_qp(H, g, alpha, 1e-9), alpha)


def test_no_atoms_are_no_problem():
    assert solve_simplex_qp(np.zeros((0, 0)), np.zeros(0), np.zeros(0), 1e-9).shape == (0,)


def test_huge_and_degenerate_quadratics_leave_weights_of_a_mixture():
    rng = np.random.default_rng(0)
    for _ in range(300):
        m = int(rng.integers(2, 9))
        A = rng.standard_normal((m, int(rng.integers(1, m + 1)))) * 10.0 ** rng.integers(-40, 80)
        alpha = rng.dirichlet(np.ones(m))
        with np.errstate(all="ignore"):
            found = solve_simplex_qp(A @ A.T, rng.standard_normal(m) * 10.0 ** rng.integers(-40, 80), alpha, 1e-36)
        assert (found >= 0.0).all() and abs(found.sum() - 1.0) <= 1e-9


def test_one_owner_is_a_simplex():
    rng = np.random.default_rng(5)
    for m in (1, 7, 150):
        B = rng.standard_normal((5, m))
        G, c, alpha = B.T @ B, rng.standard_normal(m), rng.dirichlet(np.ones(m))
        alone = solve_simplex_qp(G, c, alpha, 1e-10)
        np.testing.assert_array_equal(solve_simplex_qp(G, c, alpha, 1e-10, owners=np.zeros(m, dtype=np.intp)), alone)
