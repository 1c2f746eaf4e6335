"""Quadratics over bounds and rows by products alone: in the set, never worse, and as good as was asked for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from greedyhull.kernels.polyhedral_products import HELD, PRODUCTS, Quadratic, Rows, rows_by_products
from greedyhull.kernels.polyhedral_qp import Polyhedron


def least(P):
    """g ↦ the least ⟨g, x⟩, by HiGHS."""
    equal = P.l == P.u
    up, down = ~equal & np.isfinite(P.u), ~equal & np.isfinite(P.l)

    def of(g):
        A, b = np.vstack([P.A[up], -P.A[down]]), np.concatenate([P.u[up], -P.l[down]])
        found = linprog(g, A_ub=A, b_ub=b,
                        A_eq=P.A[equal], b_eq=P.u[equal], bounds=list(zip(P.low, P.high, strict=True)))
        assert found.status == 0
        return float(found.fun)

    return of


def drawn(rng, d, m, rank):
    """A quadratic, and a point of a polytope with equations, rows with one and two ends, fixed and open coordinates."""
    B = rng.standard_normal((rank, d))
    low = np.where(rng.random(d) < 0.2, -1.0, 0.0)
    high = low + rng.choice([0.0, 0.5, 1.0], d, p=[0.1, 0.4, 0.5])
    x = low + (high - low) * rng.choice([0.0, 0.3, 1.0], d, p=[0.2, 0.7, 0.1])
    A = rng.standard_normal((m, d)) if rng.random() < 0.5 else (rng.integers(0, m, d) == np.arange(m)[:, None]).astype(float)
    activity, kind = A @ x, rng.integers(0, 4, m)
    u = np.where((kind == 1) | (kind == 3), activity + rng.random(m), activity)
    l = np.where(kind == 2, activity, np.where(kind == 3, activity - 0.1, -np.inf))
    return B.T @ B, B.T @ rng.standard_normal(rank), x, Polyhedron(low, high, A, l, u)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**9), d=st.integers(1, 14), m=st.integers(1, 5), rank=st.integers(1, 20))
def test_points_are_in_the_set_lower_and_as_good_as_was_asked_for(seed, d, m, rank):
    H, c, x, P = drawn(np.random.default_rng(seed), d, m, rank)
    lowest, made = least(P), []

    def product(v):
        made.append(v)
        return H @ v

    gap = lambda g, x: float(g @ x) - lowest(g)
    size = np.abs(c).sum() + np.abs(H).sum()
    tol = 1e-6 * size
    found = rows_by_products(Quadratic(product, c, x, gap), P, Rows.of(P.A), tol)
    assert len(made) <= 5 * PRODUCTS
    if found is None:
        return
    there = found[0]
    assert ((there >= P.low) & (there <= P.high)).all()
    activity, near = P.A @ there, 1e-9 * (1.0 + np.abs(P.A).sum(axis=1))
    assert (activity <= P.u + near).all() and (activity >= P.l - near).all()
    move = there - x
    assert c @ move + 0.5 * move @ H @ move <= 1e-9 * size, "the quadratic rose"


def birkhoff(n):
    """Doubly stochastic matrices, and the least ⟨g, ·⟩ over them."""
    from greedyhull.atoms.combinatorial import least_assignment, polyhedron

    return polyhedron(n), lambda g, x: float(g @ x) - least_assignment(g)


@pytest.mark.parametrize("start", ["centre", "corner"])
@pytest.mark.parametrize("n", [1, 2, 5, 16])
def test_doubly_stochastic_matrices(n, start):
    rng = np.random.default_rng(n)
    A, B = (M + M.T for M in rng.random((2, n, n)))
    P, gap = birkhoff(n)
    product = lambda v: (A @ (R := A @ v.reshape(n, n) - v.reshape(n, n) @ B) - R @ B).ravel()
    x = np.full(n * n, 1.0 / n) if start == "centre" else np.eye(n).ravel()
    found = rows_by_products(Quadratic(product, product(x), x, gap), P, Rows.of(P.A), 1e-8)
    assert found is not None
    there = found[0]
    assert gap(product(there), there) <= 1e-7
    np.testing.assert_allclose(P.A @ there, 1.0, atol=1e-13)
    assert (there >= 0.0).all() and not np.signbit(there).any()


@pytest.mark.parametrize("open_above", [False, True])
@pytest.mark.parametrize("t", [1e-100, 1e-23, 1e-14, 1e-9, 1.0, 1e9, 1e100])
def test_tiny_and_huge_sets_are_kept_as_well_as_others(t, open_above):
    rng = np.random.default_rng(0)
    for _ in range(8):
        B = rng.standard_normal((9, 6)) / t
        high = np.full(6, np.inf if open_above else t)
        A = np.vstack([np.ones(6), rng.random(6)])
        P = Polyhedron(np.zeros(6), high, A, np.array([t, -np.inf]), np.array([t, t * A[1].mean()]))
        x = np.full(6, t / 6.0)
        gap = lambda g, x: float(g @ x) - t * float(g.min())
        c = B.T @ (B @ x - rng.standard_normal(9))
        product = lambda v, B=B: B.T @ (B @ v)
        found = rows_by_products(Quadratic(product, c, x, gap), P, Rows.of(A), 1.0)
        if found is not None:
            activity = A @ found[0]
            assert abs(activity[0] - t) <= 1e-10 * t and activity[1] <= P.u[1] + 1e-10 * t
            assert (found[0] >= 0.0).all()


def test_a_quadratic_that_is_flat_has_another_way():
    """Linear over doubly stochastic matrices: nothing bends, so there is no minimiser on a face, and nothing to add."""
    P, gap = birkhoff(3)
    x, c = np.full(9, 1.0 / 3.0), np.arange(9.0)
    found = rows_by_products(Quadratic(lambda v: 0.0 * v, c, x, gap), P, Rows.of(P.A), 1e-9)
    assert found is None or gap(c, found[0]) <= 1e-9


def test_a_direction_in_which_nothing_bends_ends_at_a_lower_point():
    P, gap = birkhoff(4)
    rng = np.random.default_rng(0)
    F, x, c = rng.standard_normal((3, 16)), np.full(16, 0.25), rng.standard_normal(16)
    found = rows_by_products(Quadratic(lambda v: F.T @ (F @ v), c, x, gap), P, Rows.of(P.A), 1e-9, HELD)
    assert found is not None
    move = found[0] - x
    assert c @ move + 0.5 * float((F @ move) @ (F @ move)) < 0.0
    np.testing.assert_allclose(P.A @ found[0], 1.0, atol=1e-12)


def test_rows_by_their_columns():
    A = np.random.default_rng(0).standard_normal((3, 5)) * (np.arange(15).reshape(3, 5) % 4 > 0)
    rows, x, y = Rows.of(A), np.arange(5.0), np.arange(3.0)
    np.testing.assert_allclose(rows.dot(x, 3), A @ x)
    np.testing.assert_allclose(rows.back(y), y @ A)
    assert Rows.of(np.zeros((2, 3))).dot(np.ones(3), 2).tolist() == [0.0, 0.0]
