"""Solution.bounds(): every bound listed is true, the expected ones are listed, the others refused with a reason."""

from functools import cache

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import theory
from greedyhull.driver.checkpoint import load_state, save_state
from greedyhull.theory import Bound, Bounds

RNG = np.random.default_rng(5)
A = RNG.normal(size=(25, 6))
Y = A @ np.array([1.0, -0.6, 0.3, 0.0, 0.0, 0.0]) + 0.1 * RNG.normal(size=25)
LABELS = np.where(Y > 0, 1.0, -1.0)

OBJECTIVES = {
    "least_squares": gh.least_squares(A, Y),
    "least_squares with intercept": gh.least_squares(A, Y + 2, intercept=True),
    "logistic": gh.logistic(A, LABELS),
    "squared_hinge": gh.squared_hinge(A, LABELS),
    "huber": gh.huber(A, Y, delta=0.3),
    "poisson": gh.poisson(0.3 * A, np.round(np.abs(Y))),
    "lp_loss": gh.lp_loss(A, Y, 3.0),
    "quadratic": gh.quadratic(A.T @ A / 25, A.T @ Y / 25),
    "function": gh.function(lambda w: 0.5 * float(w @ w) - float(w[0]), lambda w: w - np.eye(6)[0], 6, smoothness=1.0),
}
SETS = {"L1Ball": gh.L1Ball(6, 1.2), "Simplex": gh.Simplex(6, 1.5)}
for _name, _make in {  # as they come
    "Box": lambda: gh.Box(-0.5 * np.ones(6), np.ones(6)),
    "L2Ball": lambda: gh.L2Ball(6, 0.8),
    "LinfBall": lambda: gh.LinfBall(6, 0.4),
    "Vertices": lambda: gh.Vertices(np.random.default_rng(1).normal(size=(9, 6))),
    "CappedSimplex": lambda: gh.CappedSimplex(6),
}.items():
    if hasattr(gh, _name):
        SETS[_name] = _make()
PROBLEMS = [(f, S) for f in OBJECTIVES for S in ("L1Ball", "Simplex")] + [
    (f, S) for f in ("least_squares", "logistic") for S in SETS if S not in ("L1Ball", "Simplex")
]
SOLVERS = [
    *(gh.FrankWolfe(rule) for rule in (gh.Exact(), gh.Short(), gh.Backtracking(), gh.OpenLoop(), gh.OpenLoop(4), gh.Power(0.5),
                                       gh.LogAdaptive(), gh.Constant(0.1))),
    gh.BlendedPairwise(),
    gh.BlendedPairwise(gh.OpenLoop()),
    gh.BlendedPairwise(gh.Backtracking()),
    *(getattr(gh, name)() for name in ("Corrective", "Jones", "PairwiseJones", "Aggregated", "Mixed") if hasattr(gh, name)),
    *([gh.Jones(gh.OpenLoop()), gh.Aggregated(gh.FrankWolfe(gh.OpenLoop()))] if hasattr(gh, "Aggregated") else []),
]


@cache
def optimum(f, S):
    """A lower bound of min f and the best value, at most 1e-10 apart."""
    best = gh.minimize(OBJECTIVES[f], SETS[S], gh.BlendedPairwise(), stop=gh.Gap(1e-11) | gh.Iterations(20000))
    if S == "L2Ball":
        best = gh.minimize(OBJECTIVES[f], SETS[S], gh.Corrective(), start=best.point, stop=gh.Gap(1e-9) | gh.Iterations(300))
    assert best.gap < 1e-6
    return best.certificate.lower, best.value


def solved(f, S, solver, k=40, **options):
    return gh.minimize(OBJECTIVES[f], SETS[S], solver, stop=gh.Iterations(k), **options)


def names(solution):
    return {bound.name for bound in solution.bounds()}


BEST_STEPS = {"Theorem 2 (rate)", "Theorem 2 (exact)", "Line search (rate)", "Aggregate rate", "Gap rate"}
SCHEDULE = {"Lemma 2 (recursion)", "Theorem 2 (rate)", "Theorem 2 (exact)", "Aggregate rate", "Gap rate"}


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
@pytest.mark.parametrize("f, S", PROBLEMS, ids=lambda name: name.replace(" ", "_"))
def test_every_bound_is_true(f, S, solver):
    if hasattr(solver, "batch") and f == "function":
        pytest.skip("a black box has no Hessian to correct with")
    lower, value = optimum(f, S)
    for k in (1, 6, 40):
        solution = solved(f, S, solver, k)
        bounds, error = solution.bounds(), solution.value - value
        assert bounds[0].name == "Lemma 1 (duality)"
        assert bounds[0].value == solution.gap
        for bound in bounds:
            assert bound.holds == "always", bound
            assert bound.of in ("limit", "least gap") or bound.value >= error, bound
            assert bound.of != "certified gap" or bound.value >= solution.gap, bound
            assert bound.of != "least gap" or bound.value >= solution.trace.gap.min(), bound
        assert solution.certificate.lower <= lower + 1e-9 + (value - lower)


@pytest.mark.parametrize("S", SETS)
@pytest.mark.parametrize("f", OBJECTIVES)
@pytest.mark.parametrize("rule", [gh.Exact(), gh.Short(), gh.Backtracking()], ids=repr)
def test_best_steps_keep_the_rates_they_are_proved_for(f, S, rule):
    solution = solved(f, S, gh.FrankWolfe(rule))
    assert names(solution) >= BEST_STEPS | {"Lemma 2 (recursion)"} or solution.iterations == 0, solution.bounds()
    for bound in solution.bounds():
        assert not any(constant.name == "n" for constant in bound.constants), "every step counts"


@pytest.mark.parametrize("S", SETS)
@pytest.mark.parametrize("f", OBJECTIVES)
def test_open_loop_steps_keep_theorem_2(f, S):
    solution = solved(f, S, gh.FrankWolfe(gh.OpenLoop()))
    assert names(solution) >= SCHEDULE, solution.bounds()
    M = OBJECTIVES[f].curvature(SETS[S])
    bound = solution.bounds().named("Theorem 2 (rate)")
    assert bound.value == pytest.approx(theory.rate(float(M), 0.0, 40), rel=2e-3)
    assert [(c.name, c.status) for c in bound.constants] == [("k", "exact"), ("M", M.status), ("c", "exact")]


IN_ADVANCE = ("OpenLoop", "Power", "LogAdaptive", "Constant")
SEARCHING = [solver for solver in SOLVERS if not any(rule in repr(solver) for rule in IN_ADVANCE)]


@pytest.mark.parametrize("f", ["least_squares", "logistic", "quadratic"])
@pytest.mark.parametrize("solver", SEARCHING, ids=repr)
def test_all_that_look_for_the_best_keep_the_line_search_rate(f, solver):
    for S in ("L1Ball", "Simplex"):
        solution = gh.minimize(OBJECTIVES[f], SETS[S], solver, stop=gh.Gap(1e-9) | gh.Iterations(200))
        assert names(solution) >= BEST_STEPS, solution.bounds()


def test_constants_are_marked():
    M = solved("least_squares", "L1Ball", gh.FrankWolfe()).bounds().named("Line search").constants[1]
    assert (M.name, M.status) == ("M", "exact")
    M = solved("logistic", "L1Ball", gh.FrankWolfe()).bounds().named("Line search").constants[1]
    assert (M.name, M.status) == ("M", "upper bound")
    recursion = solved("logistic", "L1Ball", gh.FrankWolfe()).bounds().named("Lemma 2")
    assert [(c.name, c.status) for c in recursion.constants] == [
        ("k", "exact"), ("M", "upper bound"), ("max ε_k", "exact"), ("e_0", "upper bound")]


@pytest.mark.parametrize("rule", [gh.OpenLoop(4), gh.Power(0.5), gh.LogAdaptive(), gh.Constant(0.1)], ids=repr)
def test_other_schedules_have_the_recursion_only(rule):
    bounds = solved("least_squares", "L1Ball", gh.FrankWolfe(rule)).bounds()
    assert {"Lemma 2 (recursion)"} <= {bound.name for bound in bounds}
    assert not any(bound.name.startswith(("Theorem 2", "Line search", "Warm start", "Gap")) for bound in bounds)
    with pytest.raises(gh.GreedyhullError, match="sets other steps in advance"):
        bounds.named("Theorem 2")


def test_constant_steps_have_theorem_1():
    solution = solved("least_squares", "L1Ball", gh.FrankWolfe(gh.Constant(0.05)))
    M = float(OBJECTIVES["least_squares"].curvature(SETS["L1Ball"]))
    limit, now = solution.bounds().named("limit"), solution.bounds().named("Theorem 1 (constant")
    assert limit.of == "limit"
    assert limit.value == pytest.approx(M * 0.05 / 2)
    assert now.value == pytest.approx(solution.bounds().named("Lemma 2").value, rel=1e-9)
    assert "Theorem 1 (limit)" not in names(solved("least_squares", "L1Ball", gh.FrankWolfe()))


INFINITE = [gh.lp_loss(A, Y, 1.5), gh.log_likelihood(np.maximum(A, 0) + 1e-3 * (A.max(1) <= 0)[:, None])]


@pytest.mark.parametrize("f", INFINITE, ids=repr)
@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.FrankWolfe(gh.OpenLoop()), gh.BlendedPairwise(), None], ids=repr)
def test_infinite_curvature_is_refused(f, solver):
    bounds = gh.minimize(f, gh.Simplex(6), solver, stop=gh.Iterations(20)).bounds()
    assert [bound.name for bound in bounds] == ["Lemma 1 (duality)"]
    assert "is infinite" in dict(bounds.refused)["Theorem 2 (rate)"]
    with pytest.raises(gh.GreedyhullError, match=r"Theorem 2 \(rate\) does not apply to this run: .* is infinite"):
        bounds.named("Theorem 2")
    assert "is infinite" in repr(bounds)


def test_backtracking_certifies_its_run_where_curvature_is_infinite():
    f = gh.lp_loss(A, Y, 1.5)
    solution = gh.minimize(f, gh.Simplex(6), gh.FrankWolfe(gh.Backtracking()), stop=gh.Iterations(20))
    assert names(solution) == {"Lemma 1 (duality)", "Lemma 2 (recursion)"}
    M = solution.bounds().named("Lemma 2").constants[1]
    assert (M.name, M.value, M.status) == ("M (steps taken)", solution.curvature, "upper bound")


def test_unknown_curvature_is_refused_unless_it_was_looked_for():
    f = gh.function(lambda w: 0.5 * float(w @ w) - float(w[0]), lambda w: w - np.eye(6)[0], 6)
    bounds = gh.minimize(f, gh.L1Ball(6, 1.2), gh.FrankWolfe(), stop=gh.Iterations(20)).bounds()
    assert len(bounds) == 1
    assert "Pass smoothness=" in dict(bounds.refused)["Lemma 2 (recursion)"]
    met = gh.minimize(f, gh.L1Ball(6, 1.2), gh.FrankWolfe(gh.Backtracking()), stop=gh.Iterations(20))
    assert names(met) >= BEST_STEPS


def test_no_step_no_rate():
    bounds = solved("least_squares", "L1Ball", gh.FrankWolfe(), 0).bounds()
    assert [bound.name for bound in bounds] == ["Lemma 1 (duality)"]
    assert all(reason == "No step was taken." for _, reason in bounds.refused)


def test_drop_steps_are_not_counted():
    """A pairwise step that ends where an atom is used up may bring less than the model's best."""
    f = gh.quadratic(np.eye(4), np.array([1.0, 0.5, 0.0, -3.0]))
    start = np.array([0.1, 0.45, 0.449999, 1e-6])  # all that the worst atom can give away is 1e-6
    solution = gh.minimize(f, gh.Simplex(4), gh.BlendedPairwise(), start=start, stop=gh.Iterations(3))
    assert solution.trace.atoms[:2].tolist() == [4, 3]
    bound = solution.bounds().named("Line search")
    assert bound.formula == "2M/(n + 3)"
    assert {constant.name: constant.value for constant in bound.constants} == {"k": 3, "n": 2, "M": 2}
    assert bound.value == pytest.approx(4 / 5)


def test_a_curvature_that_is_too_small_lists_no_false_bound():
    """The inequality of each statement is checked on the record, so a wrong M is found out."""
    class Wrong(type(OBJECTIVES["quadratic"])):
        def curvature(self, S):
            return theory.Constant(1e-3 * float(super().curvature(S)), "exact", "M")

    f = Wrong(A.T @ A / 25, A.T @ Y / 25)
    bounds = gh.minimize(f, SETS["L1Ball"], gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(30)).bounds()
    assert "Theorem 2 (rate)" in dict(bounds.refused)
    assert "Lemma 2 (recursion)" in dict(bounds.refused)


@pytest.mark.parametrize("f", ["least_squares", "logistic", "quadratic", "function"])
@pytest.mark.parametrize("S", ["L1Ball", "Simplex"])
def test_warm_starts_are_kept(f, S):
    near = solved(f, S, gh.FrankWolfe(), 25).point
    M = float(OBJECTIVES[f].curvature(SETS[S]))
    for rule, name in ((gh.OpenLoop(), "Warm start (open loop)"), (gh.Exact(), "Warm start (line search)")):
        solution = solved(f, S, gh.FrankWolfe(rule), 30, start=near)
        e0 = solution.trace.gap[0]
        if solution.trace.value[0] - optimum(f, S)[1] > 1e-12 and e0 <= M:
            bound = solution.bounds().named(name)
            assert bound.value == pytest.approx(theory.warm_start_rate(M, e0, 30), rel=2e-3)
            assert bound.value >= solution.value - optimum(f, S)[1]


def test_a_continued_run_has_bounds_of_what_it_did(tmp_path):
    f, S = OBJECTIVES["least_squares"], SETS["L1Ball"]
    gh.minimize(f, S, gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(20), checkpoint=tmp_path / "run.npz")
    state = load_state(tmp_path / "run.npz")  # without its trace, as where nobody knows that the problem is the same
    save_state(tmp_path / "run.npz", {name: state[name] for name in state if not name.startswith("trace.")})
    solution = gh.minimize(f, S, gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(50), resume=tmp_path / "run.npz")
    assert len(solution.trace) == 31
    bound = solution.bounds().named("Warm start (open loop)")
    constants = {constant.name: constant.value for constant in bound.constants}
    assert constants["k"] == 30
    assert constants.get("s", 20) == pytest.approx(20)
    assert bound.value >= solution.value - optimum("least_squares", "L1Ball")[1]


@pytest.mark.skipif(not hasattr(gh, "Inexact"), reason="no inexact oracle yet")
@pytest.mark.parametrize("c", [0.1, 2.0])
@pytest.mark.parametrize("rule", [gh.OpenLoop(), gh.Exact(), gh.Short()], ids=repr)
def test_tolerant_runs_keep_theorem_2_with_c(rule, c):
    f, S = OBJECTIVES["least_squares"], SETS["L1Ball"]
    solution = gh.minimize(f, gh.Inexact(S), gh.FrankWolfe(rule, tolerance=gh.harmonic(c)), stop=gh.Iterations(40))
    bound = solution.bounds().named("Theorem 2 (rate)")
    constants = {constant.name: constant for constant in bound.constants}
    assert constants["c"].value == pytest.approx(c)
    assert constants["c"].status == "upper bound"
    assert bound.value >= solution.value - optimum("least_squares", "L1Ball")[1]
    assert bound.value == pytest.approx(theory.rate(float(f.curvature(S)), c, 40), rel=2e-3)


@pytest.mark.skipif(not hasattr(gh, "Jones"), reason="no Jones yet")
def test_zhang_is_for_the_joint_choice():
    bound = solved("logistic", "L1Ball", gh.Jones(tolerance=gh.harmonic(0.3))).bounds().named("Zhang")
    assert {constant.name: constant.value for constant in bound.constants}["c"] == pytest.approx(0.3)
    for other in (gh.Jones(gh.OpenLoop()), gh.FrankWolfe(), gh.BlendedPairwise()):
        assert "chosen jointly" in dict(solved("logistic", "L1Ball", other).bounds().refused)["Zhang's corollary"]


def test_float32_runs_are_estimates():
    f = gh.least_squares(A.astype(np.float32), Y.astype(np.float32))
    bounds = gh.minimize(f, SETS["L1Ball"], gh.FrankWolfe(), stop=gh.Iterations(20)).bounds()
    assert bounds[0].holds == "always"
    assert len(bounds) > 3
    assert {bound.holds for bound in bounds[1:]} == {"estimate"}


def test_the_list_reads_as_a_table():
    bounds = solved("least_squares", "L1Ball", gh.FrankWolfe(), 20).bounds()
    assert isinstance(bounds, Bounds)
    assert all(isinstance(bound, Bound) for bound in bounds)
    lines = repr(bounds).splitlines()
    assert lines[0].split() == ["bound", "value", "of", "holds", "formula", "constants"]
    assert len(lines) == 1 + len(bounds) + len({reason for _, reason in bounds.refused})
    assert any(line.startswith("Not Theorem 1 (constant step): The steps are not constant.") for line in lines)
    with pytest.raises(gh.GreedyhullError, match="no bound named 'Theorem 9'"):
        bounds.named("Theorem 9")
