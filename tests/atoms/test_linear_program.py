"""Polytopes by their rows: bounds from any prices, vertices, resumed runs, prices, and words for bad input."""

import pickle
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import greedyhull as gh
from greedyhull.atoms.linear_program import by_activities
from greedyhull.atoms.lp_oracle import Model, Vertex
from greedyhull.atoms.polyhedron import dual_bound
from greedyhull.testing import check_atoms

pytest.importorskip("highspy")
Array = np.ndarray[Any, Any]


def random_program(rng: np.random.Generator) -> dict[str, Any]:
    """Rows around a random point, so that it is feasible; bounds of every kind."""
    d, m, p = int(rng.integers(1, 7)), int(rng.integers(0, 6)), int(rng.integers(0, 2))
    x = rng.standard_normal(d) * 10.0 ** rng.integers(-1, 3)
    A, E = rng.standard_normal((m, d)) * (rng.random((m, d)) < 0.7), rng.standard_normal((p, d))
    program: dict[str, Any] = {"bounds": [(v - rng.random(), v + rng.random()) for v in x]}
    if m:
        program |= {"A_ub": A, "b_ub": A @ x + rng.random(m) * (rng.random(m) < 0.8)}
    if p and d > 1:
        program |= {"A_eq": E, "b_eq": E @ x}
    return program


def test_no_prices_at_all_prove_more_than_is_true() -> None:
    rng, trials = np.random.default_rng(0), 0
    for _ in range(100):
        program = random_program(rng)
        S, d = gh.LinearProgram(**program), len(program["bounds"])
        for _ in range(10):
            g = rng.standard_normal(d) * 10.0 ** rng.integers(-6, 7)
            least = linprog(g, **program).fun
            for _ in range(10):
                y = rng.standard_normal(S.rows.m) * np.abs(g).max() * 10.0 ** rng.integers(-3, 4)
                assert dual_bound(S.rows, S.extent, g, y) <= least + 1e-9 * abs(least) + 1e-12 * np.abs(g).max()
                trials += 1
    assert trials == 10_000


def test_the_best_prices_prove_nearly_all() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        program = random_program(rng)
        S, d = gh.LinearProgram(**program), len(program["bounds"])
        oracle = S.oracle(rng)
        for _ in range(5):
            g = rng.standard_normal(d)
            answer = oracle.argmin(g)
            size = np.abs(g).sum() * max(float(S.extent.most.max()), 1.0)
            assert answer.slack <= 1e-12 * size
            assert abs(answer.atom.dot(g) - linprog(g, **program).fun) <= 1e-8 * size


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-200, 1.0, 1e200, 1e300])
def test_gradients_of_any_size(scale: float) -> None:
    S = gh.LinearProgram(A_eq=np.ones((1, 4)), b_eq=[1.0], bounds=(0, 0.5))
    answer = S.oracle(np.random.default_rng(0)).argmin(scale * np.array([3.0, 1.0, 2.0, 4.0]))
    x = np.zeros(4)
    answer.atom.add_to(x, 1.0)
    assert x.tolist() == [0.0, 0.5, 0.5, 0.0]
    assert answer.slack <= 1e-12 * scale or scale < 1e-300


@pytest.mark.parametrize("unit", [1e-150, 1e-20, 1e-10, 1e7, 1e20, 1e100])
def test_points_of_any_size(unit: float) -> None:
    """The vertices of a polytope in another unit are those of the polytope, in that unit."""
    g = np.array([-1.0, -0.5])
    S = gh.LinearProgram([[1.0, 1.0]], [unit], bounds=[(0.0, 0.7 * unit), (-0.5 * unit, 0.7 * unit)])
    assert S.argmin(g).array / unit == pytest.approx([0.7, 0.3])
    T = gh.Transport(np.array([1.0, 2.0]) * unit, np.array([1.5, 1.5]) * unit)
    assert T.argmin(np.array([[1.0, 2.0], [3.0, 1.0]])).array / unit == pytest.approx(np.array([[1.0, 0.0], [0.5, 1.5]]))


@pytest.mark.parametrize("size", [1e-100, 1e-10, 1e20, 1e200])
def test_rows_of_any_size(size: float) -> None:
    """A row times a number is the same row; HiGHS would take small ones for empty ones, and end the process."""
    S = gh.LinearProgram([[size, size]], [size], bounds=(0.0, 0.7))
    assert S.argmin(np.array([-1.0, -0.5])).array == pytest.approx([0.7, 0.3], rel=1e-12)
    assert gh.LinearProgram([[size, size], [0.0, size]], [size, size]).max_abs(np.ones(2)) == pytest.approx(1.0, rel=0.05)


def test_zeros_ties_and_one_variable() -> None:
    S = gh.LinearProgram(A_eq=np.ones((1, 3)), b_eq=[1.0])
    for g in (np.zeros(3), np.array([0.0, -0.0, 0.0]), np.ones(3)):
        answer = S.oracle(np.random.default_rng(0)).argmin(g)
        assert answer.slack <= 1e-14
        assert S.contains(S.decompose(np.full(3, 1 / 3)).array())
    line = gh.LinearProgram(bounds=[(-1.0, 2.0)])
    assert line.argmin(np.array([1.0])).dot(np.ones(1)) == -1.0
    assert line.argmin(np.array([-1.0])).dot(np.ones(1)) == 2.0
    point = gh.LinearProgram(A_eq=[[2.0]], b_eq=[3.0])
    assert point.argmin(np.array([1.0])).dot(np.ones(1)) == 1.5
    assert gh.minimize(gh.quadratic(np.eye(1)), point).value == 1.125


def test_atoms_are_the_vertices_that_all_bases_have() -> None:
    rng = np.random.default_rng(2)
    A, b = rng.standard_normal((4, 3)), np.ones(4)
    rows, right = np.vstack([A, np.eye(3), -np.eye(3)]), np.concatenate([b, np.ones(6)])
    vertices = []
    for chosen in combinations(range(10), 3):
        M = rows[list(chosen)]
        if abs(np.linalg.det(M)) > 1e-9:
            x = np.linalg.solve(M, right[list(chosen)])
            if (rows @ x <= right + 1e-9).all():
                vertices.append(x)
    check_atoms(gh.LinearProgram(A, b, bounds=(-1, 1)), vertices=np.array(vertices))


def test_shortlists_name_neighbours_and_earlier_answers_by_one_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    S = gh.LinearProgram(rng.random((3, 30)), np.full(3, 0.6), np.ones((1, 30)), [1.0], bounds=(0, 0.23))
    oracle, solves = S.oracle(rng), []
    real = Model.minimise
    monkeypatch.setattr(Model, "minimise", lambda self, *args: solves.append(1) or real(self, *args))
    for k in range(5):
        g = rng.standard_normal(30)
        found = oracle.best(g, 20)
        scores = found.atoms.dots(g)
        assert len(found.atoms) > (5 if k == 0 else 10) and (np.diff(scores) >= 0).all()
        assert scores[0] - found.slack <= linprog(g, S.rows.A.toarray()[:3], S.rows.u[:3], np.ones((1, 30)), [1.0],
                                                  (0, 0.23)).fun + 1e-9
        for i in range(len(found.atoms)):
            x = np.zeros(30)
            found.atoms[i].add_to(x, 1.0)
            assert S.rows.violations(x[None, :])[0] <= 1e-9
    assert len(solves) == 5


def test_implied_bounds_hold_and_are_finite() -> None:
    rng = np.random.default_rng(4)
    free = gh.LinearProgram(np.vstack([np.eye(2) + 0.1, -np.eye(2)]), np.ones(4), bounds=(None, None))  # by programs alone
    cross = gh.LinearProgram([[1, 1], [1, -1], [-1, 1], [-1, -1]], np.ones(4), bounds=(None, None))
    for T in (free, cross):
        oracle = T.oracle(rng)
        for _ in range(200):
            x = np.zeros(T.shape)
            oracle.argmin(rng.standard_normal(T.shape)).atom.add_to(x, 1.0)
            assert (x >= T.extent.lower).all() and (x <= T.extent.upper).all() and np.abs(x).sum() <= T.extent.total
    assert np.allclose(cross.extent.upper, 1.0) and np.allclose(cross.extent.lower, -1.0)
    assert np.isinf(by_activities(cross.rows, cross.rows.lower, cross.rows.upper)[1]).all()


def test_an_unbounded_polytope_is_refused_by_name() -> None:
    with pytest.raises(gh.GreedyhullError, match=r"unbounded: nothing limits w\[0\], w\[1\]\. .*bounds"):
        gh.LinearProgram([[1.0, -1.0, 0.0]], [1.0], bounds=[(0, None), (0, None), (0, 1)])
    with pytest.raises(gh.GreedyhullError, match="nothing limits cash"):
        gh.LinearProgram([[1.0, 0.0]], [1.0], variables=["stock", "cash"])


def test_an_infeasible_polytope_names_the_rows_of_the_ray() -> None:
    with pytest.raises(gh.GreedyhullError, match=r"No point satisfies.*cannot all hold.*: (tech, sum|sum, tech)") as error:
        gh.LinearProgram([[1.0, 1.0], [1.0, 0.0]], [0.5, 9.0], [[1.0, 1.0]], [1.0], names=["tech", "loose", "sum"])
    assert "loose" not in str(error.value)


@pytest.mark.parametrize("size", [1.0, 1e4, 1e6, 1e8])
@pytest.mark.parametrize("multiple", [1.0, 0.1, 1e4])
def test_an_equation_that_comes_twice_and_was_rounded_is_no_conflict(size: float, multiple: float) -> None:
    x, a = np.array([0.1, 0.7, 0.3]) * size, np.array([[1.0, 2.0, -1.0]])
    A, b = np.vstack([a, multiple * a]), float((a @ x)[0]) * np.array([1.0, multiple * (1.0 + 2.0**-52)])
    S = gh.LinearProgram(A_eq=A, b_eq=b, bounds=(-size, size))
    s = gh.minimize(gh.quadratic(np.eye(3)), S)
    assert s.converged and np.abs((A @ s.x - b) / (size * np.abs(A).max(axis=1))).max() <= 1e-12
    with pytest.raises(gh.GreedyhullError, match="No point satisfies"):
        gh.LinearProgram(A_eq=A, b_eq=b * np.array([1.0, 1.0 + 1e-6]), bounds=(-size, size))


@pytest.mark.parametrize("size", [1e8, 1e10])
def test_one_row_may_be_far_larger_than_the_others(size: float) -> None:
    A = np.array([[1.0, 2.0, -1.0, 0.0], [1.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0]])
    b = A @ np.array([0.1, 0.7, 0.3, size]) * np.array([1.0, 1.0, 1.0 + 2.0**-52])
    s = gh.minimize(gh.quadratic(np.eye(4)), gh.LinearProgram(A_eq=A, b_eq=b, bounds=[(-1, 1)] * 3 + [(0, 2 * size)]))
    assert s.converged and np.abs(A @ s.x - b).max() <= 1e-13 * size


def test_a_solve_that_goes_astray_from_the_last_basis_is_tried_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    _, S = sectors()
    oracle, g = S.oracle(np.random.default_rng(0)), np.random.default_rng(7).standard_normal(40)
    oracle.argmin(-g)
    first, told = Model.minimise, []

    def astray(model: Model, cost: np.ndarray, method: int = 4) -> str:
        told.append(model._basis is None)
        found = first(model, cost, method)
        return found if told[-1] else "Unknown"

    monkeypatch.setattr(Model, "minimise", astray)
    answer = oracle.argmin(g)  # warnings are errors
    assert told == [False, True] and answer.atom.dot(g) == pytest.approx(S.argmin(g).dot(g)) and answer.slack <= 1e-12


@pytest.mark.parametrize("given, words", [
    ({"A_ub": [[1.0, np.nan]], "b_ub": [1.0]}, "NaN or infinite"),
    ({"A_ub": [[1.0, 2.0]], "b_ub": [1.0, 2.0]}, r"shape \(1, 2\) and b_ub has shape \(2,\)"),
    ({"A_ub": [[1.0, 2.0]]}, "A_ub was given without b_ub"),
    ({"A_ub": [[1.0, 2.0]], "b_ub": [1.0], "A_eq": [[1.0]], "b_eq": [1.0]}, "1 and 2 columns"),
    ({"A_ub": [[1.0]], "b_ub": [1.0], "bounds": [(0, 1), (0, 1)]}, "one pair"),
    ({"A_ub": [[1.0, 1.0]], "b_ub": [1.0], "bounds": [[0], [0]]}, "one pair"),
    ({"A_ub": [[1.0]], "b_ub": [1.0], "bounds": [[0]]}, "one pair"),
    ({"A_ub": [[1.0]], "b_ub": [1.0], "bounds": (2, 1)}, "lower > upper"),
    ({"A_ub": [[1.0]], "b_ub": [1.0], "bounds": (np.nan, 1)}, "bounds holds NaN"),
    ({"A_ub": [[1.0]], "b_ub": [1.0], "names": ["a", "b"]}, "names has 2 entries; 1 are wanted"),
    ({"A_ub": [[1.0]], "b_ub": [1.0], "names": 1}, "a list of 1 names"),
    ({"A_ub": [[1.0], [2.0]], "b_ub": [1.0, 1.0], "names": ["a", "a"]}, "'a' more than once"),
    ({"A_ub": [["x"]], "b_ub": [1.0]}, "a matrix and a vector of numbers"),
    ({}, "rows, or a pair"),
    ({"A_ub": [[1.0]], "b_ub": [1.0], "options": {"no_such_option": 1}}, "HiGHS does not take"),
])
def test_bad_input_gets_words(given: dict[str, Any], words: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=words):
        gh.minimize(gh.quadratic(np.eye(1)), gh.LinearProgram(**given))


def sectors(d: int = 40, seed: int = 5) -> tuple[Any, gh.LinearProgram]:
    rng = np.random.default_rng(seed)
    A = (rng.integers(0, 5, d) == np.arange(5)[:, None]).astype(float)
    B = rng.standard_normal((d, 6))
    f = gh.quadratic(0.1 * B @ B.T + np.diag(0.1 + rng.random(d)), 0.5 * rng.standard_normal(d))
    names = [*(f"sector {k}" for k in "abcde"), "sum"]
    return f, gh.LinearProgram(A, np.full(5, 0.3), np.ones((1, d)), [1.0], (0, 0.15), names)


@pytest.mark.parametrize("solver", [gh.Corrective(), gh.BlendedPairwise(), gh.FrankWolfe()], ids=lambda s: type(s).__name__)
def test_solvers_converge_and_resumed_runs_have_the_same_bits(solver: Any, tmp_path: Path) -> None:
    f, S = sectors()
    stop = gh.Relative(1e-4 if isinstance(solver, gh.FrankWolfe) else 1e-8)
    whole = gh.minimize(f, S, solver, stop=stop | gh.Iterations(5000))
    assert whole.converged and S.contains(whole.x)
    file = tmp_path / "state.npz"
    gh.minimize(f, S, solver, stop=gh.Iterations(min(3, whole.iterations)), checkpoint=file)
    resumed = gh.minimize(f, S, solver, stop=stop | gh.Iterations(5000), resume=file)
    assert resumed.x.tobytes() == whole.x.tobytes() and resumed.gap == whole.gap
    again = gh.certify(f, S, whole.x)
    assert again.gap is not None and again.gap <= 1.01 * whole.gap + 1e-12


def test_prices_are_the_slopes_of_the_minimum_in_the_right_hand_sides() -> None:
    f, S = sectors()
    s = gh.minimize(f, S, stop=gh.Gap(1e-12))
    assert s.prices is not None and set(s.prices) == set(S.rows.names)
    assert sum(price > 1e-3 for price in s.prices.values()) >= 2
    h = 1e-5
    for i, name in enumerate(S.rows.names):
        right = S.rows.u.copy()
        right[i] += h
        T = gh.LinearProgram(S.rows.A[:5], right[:5], S.rows.A[5:], right[5:], (0, 0.15))
        fall = (s.value - gh.minimize(f, T, stop=gh.Gap(1e-12)).value) / h
        assert abs(fall - s.prices[name]) <= 1e-3
    assert all(s.prices[name] >= 0 for name in S.rows.names[:5])
    assert pickle.loads(pickle.dumps(s)).prices == s.prices
    assert gh.minimize(f, gh.Simplex(40)).prices is None


def test_a_rounding_allowance_that_lets_a_run_say_that_it_is_done() -> None:
    rng, d = np.random.default_rng(6), 2000
    A = (rng.integers(0, 11, d) == np.arange(11)[:, None]).astype(float)
    S = gh.LinearProgram(A, np.full(11, 0.15), np.ones((1, d)), [1.0], (0, 0.05))
    assert S.max_abs(np.ones(d)) <= 1.0 + 1e-8  # and not the sum of the bounds, 100
    assert S.oracle(rng).argmin(rng.standard_normal(d)).slack <= 1e-12


def test_a_limit_of_highs_is_told_and_its_bound_used() -> None:
    _, S = sectors()
    A, b = S.rows.A, S.rows.u
    T = gh.LinearProgram(A[:5], b[:5], A[5:], b[5:], (0, 0.15), options={"simplex_iteration_limit": 1})
    g, oracle = np.random.default_rng(7).standard_normal(40), T.oracle(np.random.default_rng(0))
    with pytest.warns(gh.GreedyhullWarning, match="stopped early: the limit on its iterations"):
        answer = oracle.argmin(g)
    least = S.argmin(g).dot(g)
    assert answer.slack > 1e-3 and answer.atom.dot(g) - answer.slack <= least < answer.atom.dot(g)


def test_without_a_vertex_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    _, S = sectors()
    oracle = S.oracle(np.random.default_rng(0))
    monkeypatch.setattr(Vertex, "_point", lambda self: np.full(40, np.nan))
    with pytest.raises(gh.GreedyhullError, match="without a vertex"):
        oracle.argmin(np.ones(40))
    with pytest.raises(gh.GreedyhullError, match="NaN"):
        oracle.argmin(np.full(40, np.nan))


def test_a_missing_highspy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "highspy", None)
    with pytest.raises(gh.GreedyhullError, match=r"\[lp\]"):
        gh.LinearProgram(bounds=[(0, 1)])


MODEL = """NAME test
ROWS
 N cost
 L cap
 G floor
 E sum
COLUMNS
 x cost 1 cap 1
 x sum 1
 y cost 2 floor 1
 y sum 1
RHS
 RHS cap 4 floor 1
 RHS sum 5
BOUNDS
 UP BND x 10
ENDATA
"""


def test_models_are_read_with_their_names(tmp_path: Path) -> None:
    file = tmp_path / "model.mps"
    file.write_text(MODEL)
    S = gh.LinearProgram.read(file)
    assert S.rows.names == ["cap", "floor", "sum"] and S.rows.variables == ["x", "y"] and S.cost.tolist() == [1.0, 2.0]
    assert S.argmin(S.cost).dot(S.cost) == 6.0  # x = 4, y = 1
    s = gh.minimize(gh.quadratic(np.eye(2)), S)
    assert np.allclose(s.x, 2.5) and s.prices is not None and abs(s.prices["sum"] + 2.5) < 1e-6
    assert pickle.loads(pickle.dumps(S)).argmin(S.cost).dot(S.cost) == 6.0
    with pytest.raises(gh.GreedyhullError, match="no file"):
        gh.LinearProgram.read(tmp_path / "other.mps")
    file.write_text(MODEL.replace(" UP BND x 10", " UI BND x 10"))
    with pytest.raises(gh.GreedyhullError, match="whole numbers"):
        gh.LinearProgram.read(file)
    (tmp_path / "broken.mps").write_text("ROWS\n nonsense")
    with pytest.raises(gh.GreedyhullError, match="cannot read"):
        gh.LinearProgram.read(tmp_path / "broken.mps")


EMPTY = np.zeros((0, 3))
DEGENERATE: dict[str, dict[str, Any]] = {
    "bounds alone": {"bounds": [(0, 1), (-1, 1), (2, 3)]}, "one variable": {"bounds": [(0, 1)]},
    "a point": {"bounds": [(1, 1), (2, 2)]}, "zero": {"bounds": [(0, 0), (0, 0)]},
    "no equations": {"A_eq": EMPTY, "b_eq": [], "bounds": (0, 1)},
    "no inequalities": {"A_ub": EMPTY, "b_ub": [], "bounds": (0, 1)},
    "neither": {"A_ub": EMPTY, "b_ub": [], "A_eq": EMPTY, "b_eq": [], "bounds": (0, 1)},
    "rows of zeros": {"A_ub": [[0, 0]], "b_ub": [1], "A_eq": [[0, 0]], "b_eq": [0], "bounds": (0, 1)},
    "a row of one variable": {"A_eq": [[2]], "b_eq": [1]},
    "fixed": {"A_eq": [[1, 1]], "b_eq": [1], "bounds": [(0.5, 0.5), (0, 1)]},
    "no bound": {"A_ub": [[1, 1]], "b_ub": [np.inf], "bounds": (0, 1)}}


@pytest.mark.parametrize("given", DEGENERATE.values(), ids=DEGENERATE.keys())
@pytest.mark.parametrize("solver", [None, gh.FrankWolfe(), gh.AwayStep(), gh.BlendedPairwise()], ids=repr)
def test_degenerate_shapes_are_solved(given: dict[str, Any], solver: Any) -> None:
    S = gh.LinearProgram(**given)
    d, rng = S.shape[0], np.random.default_rng(0)
    X, y = rng.standard_normal((6, d)), rng.standard_normal(6)
    for f in (gh.quadratic(np.eye(d), np.arange(d) + 0.3), gh.quadratic(np.zeros((d, d)), np.ones(d)),
              gh.quadratic(np.ones(d), factors=X), gh.least_squares(X, y), gh.logistic(X, np.sign(y)),
              gh.function(lambda w: float(w @ w), lambda w: 2.0 * w, (d,))):
        s = gh.minimize(f, S, solver, stop=gh.Gap(1e-3) | gh.Iterations(2000))
        assert s.converged and S.contains(s.x)
