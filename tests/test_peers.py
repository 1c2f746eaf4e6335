"""What other packages have got wrong, each a test for this one."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.points.shapes import Basis, Dense

Array = np.ndarray[Any, Any]


def lasso(seed: int = 0, n: int = 30, d: int = 12) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X @ np.where(np.arange(d) < 4, 1.0, 0.0) + 0.1 * rng.standard_normal(n)


SOLVERS = [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective()]
SOLVERS += [getattr(gh, name)() for name in ("Pairwise", "AwayStep", "Jones", "PairwiseJones") if hasattr(gh, name)]
PRECISE = [s for s in SOLVERS if not isinstance(s, (gh.FrankWolfe, getattr(gh, "Jones", gh.FrankWolfe)))]


# --- atoms and weights --------------------------------------------------------------------------------------------


def test_a_dropped_atom_comes_back_with_weight_and_moves_go_on() -> None:
    """An atom that left and re-enters must not stick at weight zero, where every pairwise step has length zero."""
    X, y = lasso()
    s = gh.minimize(gh.least_squares(X, y), gh.L1Ball(12, 2.0), gh.BlendedPairwise(), stop=gh.Gap(1e-10) | gh.Iterations(2000))
    assert s.converged
    assert np.count_nonzero(s.trace.step[:-1] == 0.0) <= 2
    assert (s.point.weights > 0).all()


def test_an_atom_that_left_and_returns_is_counted_once() -> None:
    w = gh.Simplex(3).centre()
    w.move(w.between(w.worst(np.arange(3.0)), Basis(0, 1.0)), float(w.weights[2]))
    assert len(w) == 2 and w.find(Basis(2, 1.0)) is None
    w.move(w.toward(Basis(2, 1.0)), 0.5)
    w.move(w.toward(Basis(2, 1.0)), 0.5)
    assert len(w) == 3 and np.allclose(w.array(), [1 / 6, 1 / 12, 3 / 4])


def test_a_step_of_length_zero_brings_no_atom_in() -> None:
    w = gh.Simplex(3).decompose(np.array([1.0, 0.0, 0.0]))
    w.move(w.toward(Basis(1, 1.0)), 0.0)
    assert len(w) == 1 and (w.weights > 0).all()


def test_an_atom_handed_to_itself_stays() -> None:
    """An open-loop step of 1 at a point that is one atom, already the best one."""
    f = gh.least_squares(np.eye(3), np.array([5.0, 0.0, 0.0]))
    s = gh.minimize(f, gh.Simplex(3), gh.BlendedPairwise(gh.OpenLoop()), start=Basis(0, 1.0), stop=gh.Iterations(5))
    assert np.array_equal(s.point.array(), [1.0, 0.0, 0.0])


def test_weights_that_underflow_leave() -> None:
    """Halved a thousand times, a weight is zero; zero is no weight."""
    f = gh.least_squares(np.eye(3), np.array([5.0, 4.0, 0.0]))
    s = gh.minimize(f, gh.Simplex(3), gh.FrankWolfe(gh.Constant(0.9)), start=Basis(2, 1.0), stop=gh.Iterations(1000))
    assert (s.point.weights > 0).all() and abs(s.point.weights.sum() - 1) < 1e-12


def test_the_simplex_oracle_answers_with_a_vertex() -> None:
    for g in (np.array([3.0, -1.0, 2.0]), np.zeros(3), np.ones(3), np.array([-1e300, 1e300, 0.0])):
        S = gh.Simplex(3, total=2.0)
        x = np.zeros(3)
        S.argmin(g).add_to(x, 1.0)
        assert S.contains(x) and np.sort(x).tolist() == [0.0, 0.0, 2.0]


@pytest.mark.parametrize("radius", [0.5, 1.0, 7.0])
def test_a_ball_knows_its_radius(radius: float) -> None:
    X, y = lasso()
    S = gh.L1Ball(12, radius)
    s = gh.minimize(gh.least_squares(X, 10 * y), S)
    assert np.abs(s.point.array()).sum() == pytest.approx(radius)
    assert S.contains(np.full(12, radius / 12)) and not S.contains(np.full(12, 1.01 * radius / 12))
    assert np.abs(S.decompose(np.full(12, radius / 24)).array()).sum() == pytest.approx(radius / 2)


# --- what a result says -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_a_result_has_what_is_documented(solver: Any) -> None:
    X, y = lasso()
    s = gh.minimize(gh.least_squares(X, y), gh.L1Ball(12, 2.0), solver, stop=gh.Gap(1e-2) | gh.Iterations(200))
    assert isinstance(s.converged, bool) and s.converged == (s.gap is not None and s.gap <= 1e-2)
    assert s.reason and s.reason[0].isupper() and s.reason.endswith(".")
    assert s.iterations == s.trace.iteration[-1] and s.seconds >= 0
    assert s.value == pytest.approx(float(((X @ s.point.array() - y) ** 2).mean() / 2))
    assert {"value", "gap", "lower", "kind", "delta"} <= set(vars(s.certificate))


@pytest.mark.parametrize("solver", PRECISE, ids=repr)
def test_an_optimum_on_the_boundary_is_converged(solver: Any) -> None:
    """The gradient does not vanish there; the gap does."""
    f = gh.least_squares(np.eye(3), np.array([5.0, 1.0, 0.0]))
    s = gh.minimize(f, gh.L1Ball(3, 1.0), solver, stop=gh.Gap(1e-9) | gh.Iterations(200))
    assert s.converged and np.linalg.norm(f.gradient(s.point)) > 1
    assert np.allclose(s.point.array(), [1.0, 0.0, 0.0], atol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-6, 1e-12, 1e-15])
def test_converged_never_with_a_gap_above_the_request(solver: Any, tolerance: float) -> None:
    X, y = lasso()
    f, S = gh.least_squares(X, y), gh.L1Ball(12, 2.0)
    s = gh.minimize(f, S, solver, stop=gh.Gap(tolerance) | gh.Iterations(150))
    assert s.converged == (s.certificate.gap is not None and s.certificate.gap <= tolerance)
    best = gh.minimize(f, S, gh.Corrective(), stop=gh.Gap(1e-12) | gh.Iterations(200))
    assert not s.converged or (s.value or 0.0) - (best.value or 0.0) <= tolerance + 1e-15


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_a_time_out_is_not_convergence(solver: Any) -> None:
    X, y = lasso()
    s = gh.minimize(gh.least_squares(X, y), gh.L1Ball(12, 2.0), solver, stop=gh.Gap(1e-14) | gh.Seconds(0.0))
    assert not s.converged and "seconds" in s.reason
    s = gh.minimize(gh.least_squares(X, y), gh.L1Ball(12, 2.0), solver, stop=gh.Seconds(0.01))
    assert not s.converged


@pytest.mark.parametrize("after", [0, 1, 5])
@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.FrankWolfe(gh.OpenLoop()), gh.BlendedPairwise()], ids=repr)
def test_a_nan_gradient_is_an_error_and_no_optimum(solver: Any, after: int) -> None:
    calls = [0]

    def gradient(w: Array) -> Array:
        calls[0] += 1
        return np.full(3, np.nan) if calls[0] > after else w - 3.0

    f = gh.function(lambda w: 0.5 * float(((w - 3) ** 2).sum()), gradient, 3)
    with pytest.raises(gh.GreedyhullError, match="NaN"):
        gh.minimize(f, gh.Simplex(3), solver, stop=gh.Gap(1e-12) | gh.Iterations(100))


def test_nothing_is_printed_unless_asked(capfd: pytest.CaptureFixture[str]) -> None:
    X, y = lasso()
    for solver in SOLVERS:
        gh.minimize(gh.least_squares(X, y), gh.L1Ball(12, 2.0), solver, stop=gh.Iterations(20))
        gh.minimize(gh.logistic(X, np.sign(y), intercept=True), gh.L1Ball(12, 2.0), solver, stop=gh.Iterations(20))
    out, err = capfd.readouterr()
    assert out == "" and err == ""


# --- steps --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "step", [gh.Exact(), gh.Short(), gh.Backtracking(), gh.OpenLoop(), gh.LogAdaptive(), gh.Power(0.5)], ids=repr
)
def test_no_step_leaves_the_hull(step: Any) -> None:
    """Steps outside [0, 1] make weights negative."""
    X, y = lasso()
    weights = []

    def watch(event: Any) -> None:
        weights.append(event.point.weights.min())
        assert np.isnan(event.step) or 0.0 <= event.step <= 1.0

    for f in (gh.least_squares(X, y), gh.logistic(X, np.sign(y)), gh.poisson(0.1 * X, np.abs(np.round(y)))):
        gh.minimize(f, gh.Simplex(12), gh.FrankWolfe(step), stop=gh.Iterations(60), watch=watch)
    assert min(weights) > 0


@pytest.mark.parametrize("solver", PRECISE, ids=repr)
def test_no_run_sticks_at_step_zero(solver: Any) -> None:
    """Away from the optimum a step of zero would be repeated for ever."""
    for seed in range(5):
        X, y = lasso(seed)
        s = gh.minimize(gh.least_squares(X, y), gh.Simplex(12), solver, stop=gh.Gap(1e-9) | gh.Iterations(500))
        assert s.converged
        assert not (s.trace.step[:-1][s.trace.gap[:-1] > 1e-6] == 0.0).any()


@pytest.mark.parametrize("solver", PRECISE, ids=repr)
@pytest.mark.parametrize("name", ["Simplex", "L1Ball", "Vertices", "Box"])
def test_corrective_and_pairwise_solvers_converge(solver: Any, name: str) -> None:
    rng = np.random.default_rng(3)
    X, y = lasso(3)
    S: Any = {
        "Simplex": gh.Simplex(12),
        "L1Ball": gh.L1Ball(12, 3.0),
        "Vertices": gh.Vertices(rng.standard_normal((20, 12))),
        "Box": gh.Box(-rng.random(12), rng.random(12)),
    }[name]
    s = gh.minimize(gh.least_squares(X, y), S, solver, stop=gh.Relative(1e-7) | gh.Iterations(3000))
    assert s.converged, s


# --- constants ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 7, 30])
@pytest.mark.parametrize("name", ["L1Ball", "Simplex"])
def test_the_curvature_of_least_squares_has_its_one_over_n(name: str, n: int) -> None:
    """M = max ‖X(s − s')‖²/n over pairs of atoms."""
    X, y = lasso(1, n=n, d=5)
    S = gh.L1Ball(5, 2.0) if name == "L1Ball" else gh.Simplex(5)
    atoms = 2.0 * np.vstack([np.eye(5), -np.eye(5)]) if name == "L1Ball" else np.eye(5)
    brute = max(float(((X @ (s - t)) ** 2).sum()) / n for s in atoms for t in atoms)
    assert float(gh.least_squares(X, y).curvature(S)) == pytest.approx(brute)


@pytest.mark.parametrize("solver", [gh.FrankWolfe(gh.OpenLoop()), gh.FrankWolfe(gh.Short()), gh.FrankWolfe()], ids=repr)
def test_the_rate_holds_with_that_curvature(solver: Any) -> None:
    X, y = lasso()
    f, S = gh.least_squares(X, y), gh.L1Ball(12, 2.0)
    best = gh.minimize(f, S, stop=gh.Gap(1e-12) | gh.Iterations(2000)).value
    s = gh.minimize(f, S, solver, stop=gh.Iterations(100))
    k = s.trace.iteration[1:]
    assert (s.trace.value[1:] - best <= 2 * float(f.curvature(S)) / (k + 2) + 1e-12).all()


# --- inputs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_the_same_seed_gives_the_same_values(solver: Any) -> None:
    X, y = lasso()
    runs = [gh.minimize(gh.least_squares(X, y), gh.L1Ball(12, 2.0), solver, stop=gh.Iterations(40), seed=5) for _ in range(2)]
    assert np.array_equal(runs[0].trace.value, runs[1].trace.value) and runs[0].value == runs[1].value
    assert np.array_equal(runs[0].point.array(), runs[1].point.array())


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_a_start_is_never_overwritten(solver: Any) -> None:
    X, y = lasso()
    f, S = gh.least_squares(X, y), gh.Simplex(12)
    x0 = np.full(12, 1 / 12)
    kept = x0.copy()
    first = gh.minimize(f, S, solver, start=x0, stop=gh.Iterations(10))
    assert np.array_equal(x0, kept) and first.trace.value[0] == pytest.approx(float(((X @ x0 - y) ** 2).mean() / 2))
    point = first.point
    before, weights = point.array(), point.weights.copy()
    second = gh.minimize(f, S, solver, start=point, stop=gh.Iterations(10))
    assert np.array_equal(point.array(), before) and np.array_equal(point.weights, weights)
    assert second.point is not point and second.trace.value[0] == pytest.approx(first.value)


@pytest.mark.parametrize(
    "solver",
    [
        gh.FrankWolfe(),
        gh.FrankWolfe(gh.Backtracking()),
        gh.FrankWolfe(gh.OpenLoop()),
        gh.BlendedPairwise(),
        gh.BlendedPairwise(gh.Backtracking()),
    ],
    ids=repr,
)
@pytest.mark.parametrize("total", [1.0, 0.3, 7.0])
def test_f_is_never_asked_outside_the_hull_by_rounding(solver: Any, total: float) -> None:
    """On the simplex no coordinate is ever −1.5e-17: the logarithm of w would be NaN."""
    lowest = [np.inf]
    rng = np.random.default_rng(1)
    c = rng.standard_normal(20)

    def value(w: Array) -> float:
        lowest[0] = min(lowest[0], float(w.min()))
        return float((w * np.log(np.where(w == 0, 1.0, w))).sum() + 3 * c @ w)

    def gradient(w: Array) -> Array:
        lowest[0] = min(lowest[0], float(w.min()))
        return np.asarray(np.log(np.maximum(w, 1e-12)) + 1 + 3 * c)

    f = gh.function(value, gradient, 20)
    s = gh.minimize(f, gh.Simplex(20, total), solver, stop=gh.Iterations(400))
    assert lowest[0] >= 0.0
    assert s.point.array().min() >= 0.0


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise()], ids=repr)
def test_dense_atoms_do_not_leave_the_hull_by_rounding_either(solver: Any) -> None:
    rng = np.random.default_rng(2)
    V = rng.random((30, 6)) * (rng.random((30, 6)) < 0.6)
    lowest = [np.inf]

    def gradient(w: Array) -> Array:
        lowest[0] = min(lowest[0], float(w.min()))
        return np.asarray(w - 0.1)

    f = gh.function(lambda w: 0.5 * float(((w - 0.1) ** 2).sum()), gradient, 6)
    gh.minimize(f, gh.Vertices(V), solver, stop=gh.Iterations(300))
    assert lowest[0] >= 0.0


def test_a_function_cannot_change_the_iterate() -> None:
    def gradient(w: Array) -> Array:
        w -= 1.0
        return w

    f = gh.function(lambda w: 0.5 * float(w @ w), gradient, 3)
    with pytest.raises(ValueError, match="read-only"):
        gh.minimize(f, gh.Simplex(3), gh.FrankWolfe(), stop=gh.Iterations(3))


def test_dense_atoms_are_not_kept_by_a_solver_that_never_looks_back() -> None:
    """A thousand iterations, one point's memory; and where atoms were not kept, it says who keeps them."""
    f = gh.least_squares(*lasso())
    s = gh.minimize(f, gh.L2Ball(12, 1.0), gh.FrankWolfe(), stop=gh.Iterations(50))
    assert not s.point.keeps_atoms
    with pytest.raises(gh.GreedyhullError, match=r"not kept.*BlendedPairwise"):
        _ = s.point.atoms
    assert isinstance(gh.minimize(f, gh.L2Ball(12, 1.0), gh.BlendedPairwise(), stop=gh.Iterations(5)).point.atoms[0], Dense)
