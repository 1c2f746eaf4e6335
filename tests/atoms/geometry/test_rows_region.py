"""`Corrective` over polytopes by their rows, all variables together."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linprog

import greedyhull as gh
from greedyhull.points.direction import Units


def drawn(rng: np.random.Generator, d: int = 12, bounds: Any = (0, None)) -> gh.LinearProgram:
    """Two equations and three inequalities, bounded and not empty: the sum is given."""
    x = rng.dirichlet(np.ones(d))
    A, E = rng.standard_normal((3, d)), np.vstack([np.ones(d), rng.standard_normal(d)])
    return gh.LinearProgram(A, A @ x + 0.01, E, E @ x, bounds)


def optimal(S: gh.LinearProgram, g: np.ndarray, x: np.ndarray) -> float:
    """⟨g, x⟩ less its least value, by another solver."""
    P = S.rows
    equal = P.l == P.u
    A = P.A.toarray()
    low = linprog(g, A[~equal], P.u[~equal], A[equal], P.u[equal], list(zip(P.lower, P.upper, strict=True)))
    return float(g @ x - low.fun)


@pytest.mark.parametrize("rows", [6, 40], ids=["few rows", "many rows"])
@pytest.mark.parametrize("bounds", [(0, None), (0, 0.3), (None, 0.5)], ids=str)
def test_least_squares_take_a_round_or_two_and_another_solver_agrees(rows: int, bounds: Any) -> None:
    rng = np.random.default_rng(rows)
    for _ in range(4):
        A = rng.standard_normal((3, 12))
        S = drawn(rng, bounds=(0, None)) if bounds == (0, None) else gh.LinearProgram(
            A, np.full(3, 0.5), np.ones((1, 12)), [1.0], [(-1.0, 0.5)] * 6 + [bounds if bounds[0] == 0 else (-2.0, None)] * 6)
        X, y = rng.standard_normal((rows, 12)), rng.standard_normal(rows)
        s = gh.minimize(gh.least_squares(X, y), S, stop=gh.Relative(1e-9) | gh.Iterations(6))
        assert s.converged and s.iterations <= 4 and not s.point.keeps_atoms
        assert S.rows.violations(s.x[None, :])[0] <= 1e-9
        assert optimal(S, X.T @ (X @ s.x - y) / rows, s.x) <= s.gap + 1e-7  # f is at least 0, and its gap at most its value


def test_variables_that_the_objective_does_not_see() -> None:
    """As with a limit on turnover: |x − before| ≤ t, Σt ≤ 0.2. The trades that are not made are zero."""
    d, rng = 8, np.random.default_rng(0)
    before, one, none = rng.dirichlet(np.ones(d)), np.eye(d), np.zeros((1, d))
    trades = np.block([[one, -one], [-one, -one], [none, np.ones((1, d))]])
    S = gh.LinearProgram(trades, np.concatenate([before, -before, [0.2]]), np.hstack([np.ones((1, d)), none]), [1.0], (0, 1))
    B = rng.standard_normal((20, d))
    Q = np.zeros((2 * d, 2 * d))
    Q[:d, :d] = B.T @ B / 20
    s = gh.minimize(gh.quadratic(Q, np.zeros(2 * d)), S, stop=gh.Relative(1e-9) | gh.Iterations(5))
    assert s.converged and S.contains(s.x, 1e-9)
    assert optimal(S, Q @ s.x, s.x) <= s.gap + 1e-12
    assert np.abs(s.x[:d] - before).sum() <= 0.2 + 1e-9


def test_a_plan_nearest_to_given_numbers_and_losses_that_are_no_squares(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(5))
    C, S = rng.standard_normal((4, 5)), gh.Transport(a, b)
    f = gh.function(lambda W: 0.5 * ((W - C) ** 2).sum(), lambda W: W - C, (4, 5), hessian_product=lambda W, V: V)
    s = gh.minimize(f, S, stop=gh.Gap(1e-9) | gh.Iterations(10))
    region = S.traits.region
    assert s.converged and region is not None and s.x.shape == (4, 5)
    np.testing.assert_allclose(region.nearest(C.ravel()).reshape(4, 5), s.x, atol=1e-4)
    np.testing.assert_allclose(s.x.sum(axis=1), a, atol=1e-12)
    X, T = rng.standard_normal((50, 12)), drawn(rng)
    g, stop = gh.logistic(8.0 * X, np.sign(rng.standard_normal(50))), gh.Relative(1e-8) | gh.Iterations(50)
    whole = gh.minimize(g, T, stop=stop)
    gh.minimize(g, T, stop=gh.Iterations(1), checkpoint=tmp_path / "one.npz")
    resumed = gh.minimize(g, T, stop=stop, resume=tmp_path / "one.npz")
    assert whole.converged and whole.iterations > 1
    assert resumed.x.tobytes() == whole.x.tobytes() and resumed.gap == whole.gap


@pytest.mark.parametrize("c", [2.0, -0.5])
def test_multiples_and_shifts_have_regions(c: float) -> None:
    rng = np.random.default_rng(2)
    S, v, target = drawn(rng), rng.standard_normal(12), rng.standard_normal(12)
    T = gh.Translated(gh.Scaled(S, c), v)
    s = gh.minimize(gh.least_squares(np.eye(12), target), T, stop=gh.Gap(1e-10) | gh.Iterations(5))
    t = gh.minimize(gh.least_squares(np.eye(12), (target - v) / c), S, stop=gh.Gap(1e-10) | gh.Iterations(5))
    assert T.traits.region is not None and s.converged and t.converged
    np.testing.assert_allclose(s.x, c * t.x + v, atol=1e-4)


def test_gap_and_slope_are_those_of_all_variables_in_any_order() -> None:
    rng = np.random.default_rng(3)
    S = drawn(rng)
    region, order, grad = S.traits.region, rng.permutation(12), rng.standard_normal(12)
    assert region is not None
    x, target = region.nearest(rng.random(12)), region.nearest(rng.random(12))
    section = region.section(Units(12, order), x)
    assert section.gap(grad[order], x[order]) == pytest.approx(optimal(S, grad, x), abs=1e-9)
    assert section.slope(grad[order], x[order], target[order]) == pytest.approx(grad @ (target - x), abs=1e-9)
    moved = np.empty(12)
    moved[order] = section.solve(np.eye(12), grad[order], x[order], 1e-9)
    assert S.contains(moved, 1e-9) and optimal(S, grad + moved - x, moved) <= 1e-6


def test_points_are_left_alone_and_others_come_back_to_the_set() -> None:
    rng = np.random.default_rng(4)
    S = drawn(rng)
    region = S.traits.region
    assert region is not None
    x = region.nearest(rng.standard_normal(12))
    assert S.contains(x, 1e-9) and (region.nearest(x) == x).all()
    assert optimal(S, x - 3.0, region.nearest(np.full(12, 3.0))) <= 1.0
    assert gh.LinearProgram(A_eq=np.ones((1, 10_001)), b_eq=[1.0]).traits.region is None


def test_products_of_rows_are_solved_together_and_others_keep_their_atoms() -> None:
    rng = np.random.default_rng(5)
    T = gh.Transport(rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(4)))
    S = gh.Product(drawn(rng), T, gh.Birkhoff(3))
    for rows in (5, 60):  # fewer than variables, and more
        X, y = rng.standard_normal((rows, 33)), 3.0 * rng.standard_normal(rows)
        f = gh.least_squares(X, y)
        s = gh.minimize(f, S, stop=gh.Relative(1e-9) | gh.Iterations(6))
        assert s.converged and not s.point.keeps_atoms and S.contains(s.x, 1e-9)
        g, parts = X.T @ (X @ s.x - y) / rows, S.split(s.x)
        assert sum(float((p * x).sum()) - T.atom(p).dot(p) for T, p, x in zip(S.sets, S.split(g), parts, strict=True)) <= 1e-6
        assert s.point.weights.sum() == pytest.approx(3.0)
    assert pickle.loads(pickle.dumps(S)).contains(s.x, 1e-9)
    assert gh.Product(T, gh.Simplex(3)).traits.region is None


def test_a_wide_box_is_solved_by_its_rows_and_agrees_with_a_program() -> None:
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((20, 500)), 9.0 * rng.standard_normal(20)
    f, high = gh.least_squares(X, y), rng.uniform(0.0, 0.03, 500)
    s = gh.minimize(f, gh.Box(-high, high), stop=gh.Relative(1e-9) | gh.Iterations(5))
    T = gh.Translated(gh.LinearProgram(bounds=[(0.0, 2.0 * h) for h in high]), -high)
    other = gh.minimize(f, T, stop=gh.Relative(1e-9))
    assert s.converged and (np.abs(s.x) <= high).all() and s.value == pytest.approx(other.value, rel=1e-7)
    g = X.T @ (X @ s.x - y) / 20
    assert g @ s.x + np.abs(g) @ high <= 1e-8 * s.value


@pytest.mark.parametrize("form", [np.diag, lambda q: sp.diags_array(q).tocsc(), lambda q: np.diag(np.where(q < 0.3, 0.0, q))],
                         ids=["dense", "sparse", "semidefinite"])
@pytest.mark.parametrize("equations", [0, 8, 17])
def test_many_columns_and_few_rows_take_a_round_or_two(form, equations):
    """Systems of the rows solve for all columns together; by vertices hundreds of rounds left a gap of 1e-3."""
    rng = np.random.default_rng(0)
    A, x, q, b = rng.standard_normal((17, 1387)), rng.random(1387), rng.random(1387) + 0.1, rng.standard_normal(1387)
    E, G = A[:equations], A[equations:]
    rows = ({"A_eq": E, "b_eq": E @ x} if len(E) else {}) | ({"A_ub": G, "b_ub": G @ x - 0.3} if len(G) else {})
    s = gh.minimize(gh.quadratic(form(q), b), gh.LinearProgram(**rows, bounds=[(0, 1)] * 1387), stop=gh.Relative(1e-9))
    assert s.converged and s.iterations <= 3
