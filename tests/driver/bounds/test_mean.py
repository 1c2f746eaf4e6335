"""Solution.bounds() of stochastic runs: what is listed holds in the mean, the rest is refused with a reason."""

import math
import warnings

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import theory
from greedyhull.driver.checkpoint import load_state, save_state
from greedyhull.errors import GreedyhullError
from greedyhull.solvers.gradients import Minibatch, Svrg
from greedyhull.solvers.parts.schedules import constant, harmonic, of_gap, power

RNG = np.random.default_rng(6)
X = RNG.standard_normal((50, 4))
Y = X @ np.array([1.0, -0.6, 0.0, 0.0]) + 0.2 * RNG.standard_normal(50)
F, S, BALL = gh.least_squares(X, Y), gh.L1Ball(4, 1.2), gh.L2Ball(4, 0.9)
SFW, JONES = gh.StochasticFrankWolfe, getattr(gh, "StochasticJones", None)
REGULARIZED = getattr(gh, "RegularizedStochasticFrankWolfe", None)
pytestmark = pytest.mark.filterwarnings("ignore::greedyhull.errors.GreedyhullWarning")


def run(f, S, solver, k=31, **options):
    return gh.minimize(f, S, solver, stop=gh.Iterations(k), **options)


def lower(f, S):
    return gh.minimize(f, S, stop=gh.Gap(1e-9) | gh.Iterations(3000)).certificate.lower


def holds_in_the_mean(f, S, solver, expected, runs=10):
    seen = [run(f, S, solver, seed=s) for s in range(runs)]
    errors = np.array([s.value for s in seen]) - lower(f, S)
    listed = seen[0].bounds()
    names = {b.name for b in listed}
    assert expected <= names, f"{names}; {listed.refused}"
    for bound in listed:
        if bound.of == "error" and bound.holds == "expectation" and "along" not in bound.name:
            assert errors.mean() <= bound.value + 3 * errors.std(ddof=1) / math.sqrt(runs), bound
    return listed


@pytest.mark.skipif(JONES is None, reason="no stochastic Jones")
@pytest.mark.parametrize("make, names", [
    (lambda: JONES(), {"Theorem ASJ (recursion)", "Theorem ASJ (last iterate)"}),
    (lambda: JONES(tolerance=power(0.5, 0.3)), {"Theorem ASJ (recursion)", "Theorem ASJ (last iterate)"}),
    (lambda: JONES.fixed(30), {"Theorem ASJ (average)", "Theorem ASJ (fixed horizon)"}),
    (lambda: JONES.growing(), {"Theorem ASJ (recursion)", "Theorem ASJ (growing batches)"}),
    (lambda: JONES(step=gh.Capped(gh.Power(0.5))), {"Theorem ASJ (recursion)", "Theorem ASJ (last iterate)"}),
], ids=["default", "tolerance", "fixed", "growing", "capped"])
@pytest.mark.parametrize("S", [S, BALL], ids=["listed", "ball"])
def test_stochastic_jones(make, names, S):
    listed = holds_in_the_mean(F, S, make(), names)
    if "Theorem ASJ (recursion)" in names:
        assert listed.named("recursion").value <= listed[2].value * (1 + 1e-9), "the recursion is the sharper one"


@pytest.mark.skipif(JONES is None, reason="no stochastic Jones")
def test_the_search_of_stochastic_jones_may_err():
    f = gh.logistic(X, np.where(Y > 0, 1.0, -1.0))
    exact = run(f, S, JONES()).bounds()
    loose = holds_in_the_mean(f, S, JONES(tolerance=power(0.5, 0.3)), {"Theorem ASJ (recursion)"}, runs=4)
    assert loose.named("recursion").value > exact.named("recursion").value
    assert [c.value for c in loose.named("last iterate").constants if c.name == "c"] == [pytest.approx(0.3)]


@pytest.mark.skipif(JONES is None, reason="no stochastic Jones")
def test_uncapped_joint_choices_are_refused_by_name():
    listed = run(F, S, JONES(batch=1, step=gh.Exact())).bounds()
    assert all("asj-eg" in reason for name, reason in listed.refused if "average" not in name)
    small = dict(run(F, S, JONES(batch=2)).bounds().refused)
    assert "batches b_k ≥ η_k^−2" in small["Theorem ASJ (rate)"]


@pytest.mark.skipif(REGULARIZED is None, reason="no regularised solver")
@pytest.mark.parametrize("make", [
    lambda: REGULARIZED(), lambda: REGULARIZED.fading(0.3), lambda: REGULARIZED.fixed(30, 0.3),
    lambda: REGULARIZED.fixed(10, 0.3),
], ids=["unweighted", "fading", "fixed", "past the horizon"])
def test_regularized(make):
    f = gh.absolute(X, Y)
    listed = holds_in_the_mean(f, S, make(), {"Theorem ARSFW", "Theorem ARSFW (along the run)"}, runs=5)
    assert listed.named("along").value < listed.named("Theorem ARSFW").value


@pytest.mark.skipif(REGULARIZED is None, reason="no regularised solver")
def test_theorem_arsfw_is_what_theory_says():
    f, c = gh.absolute(X, Y), 0.3
    K = theory.constants(f, S)
    got = run(f, S, REGULARIZED.fading(c)).bounds().named("Theorem ARSFW")
    expected = theory.arsfw(theory.VariableWeights(), 30, c=c, L=K.L_rms.value, M_Phi=K.D.value**2, R2=1.2**2 / 2)
    assert got.value == pytest.approx(expected)
    refused = dict(run(f, S, REGULARIZED(sigma=power(0.75, 0.3))).bounds().refused)
    assert "Unweighted(), Fading() or Steady(t)" in refused["Theorem ARSFW"]


@pytest.mark.skipif(REGULARIZED is None, reason="no regularised solver")
def test_arsfw_knows_how_far_its_start_is_from_the_set():
    """From the centre of a ball R² = ½r², from a vertex four times as much; the bound along the run has the same R²."""
    f, solver = gh.absolute(X, Y), REGULARIZED.fading(0.3)
    bounds = [run(f, S, solver, start=start).bounds() for start in (None, S[0])]
    R2 = [next(c.value for c in found.named("Theorem ARSFW").constants if c.name == "R2") for found in bounds]
    assert pytest.approx(R2) == [0.72, 2.88]
    assert bounds[0].named("along").value < bounds[1].named("along").value


def test_what_asfw_lists():
    listed = run(F, S, SFW()).bounds()
    K, e1 = theory.constants(F, S), run(F, S, SFW()).trace.gap[0]
    assert listed.named("last iterate").value == pytest.approx(
        math.sqrt(2) * (K.r_S.value * K.sigma.value + K.M.value / 2) / math.sqrt(31))
    k = np.arange(1.0, 31.0)
    b = np.where(k >= 50, np.inf, k)
    noise = K.r_S.value * K.sigma.value / np.sqrt(b)
    assert listed.named("Expected error").value == pytest.approx(theory.recursion(K.M.value, k**-0.5, noise, e1)[-1])
    assert listed[0].name == "Lemma 1 (duality)" and listed[0].holds == "always"
    assert {b.holds for b in listed[1:]} == {"expectation"}


@pytest.mark.parametrize("solver, name, words", [
    (SFW(Minibatch(4)), "ASFW (last iterate)", "b_k ≥ η_k^−2, and that of step 5 was smaller"),
    (SFW(step=gh.OpenLoop()), "ASFW (last iterate)", "steps k^−p with p < 1"),
    (SFW(step=gh.Power(1.0)), "ASFW (last iterate)", "steps k^−p with p < 1"),
    (SFW.spider(), "ASFW (mean gap)", "fresh minibatches"),
    (SFW(Svrg(), gh.Power(0.5)), "SVRF", "Svrg"),
], ids=["small batches", "open loop", "p = 1", "spider", "svrf"])
def test_refused_in_words(solver, name, words):
    listed = run(F, S, solver).bounds()
    assert words in dict(listed.refused)[name]
    with pytest.raises(GreedyhullError, match="does not apply to this run"):
        listed.named(name)


def test_tolerances_count():
    exact = run(F, S, SFW()).bounds().named("Expected").value
    assert run(F, S, SFW(tolerance=constant(0.4))).bounds().named("Expected").value == exact, "the oracle of the set is exact"
    worse = run(F, gh.Inexact(S), SFW(tolerance=power(0.5, 0.4))).bounds()
    assert worse.named("Expected").value > exact
    c = worse.named("last iterate").constants[-3]
    assert (c.value, c.status, c.name) == (pytest.approx(0.4), "upper bound", "c")
    steady = run(F, gh.Inexact(S, 0.2), SFW()).bounds().named("Expected").value
    assert steady == pytest.approx(exact + 0.2, abs=0.05)
    adaptive = run(F, gh.Inexact(S), SFW(tolerance=of_gap(0.5))).bounds()
    assert "not on the record" in dict(adaptive.refused)["Expected error (recursion)"]
    calls = run(F, gh.Inexact(S, harmonic(0.1)), SFW()).bounds()
    assert "schedule of its own calls" in dict(calls.refused)["Expected error (recursion)"]
    assert "exact oracle" in dict(run(F, gh.Inexact(S), SFW(Svrg(), gh.OpenLoop(), harmonic(0.1))).bounds().refused)["SVRF"]


def test_kinks_are_refused():
    kinked = gh.minimize(gh.lp_loss(X, Y, 1.5), S, SFW(), stop=gh.Iterations(20)).bounds()
    assert [b.name for b in kinked] == ["Lemma 1 (duality)"]
    assert "constant M" in dict(kinked.refused)["Expected error (recursion)"]


def test_estimated_constants_make_estimates():
    value = lambda w, i: 0.5 * float(((X[i] @ w - Y[i]) ** 2).mean())
    f = gh.finite_sum(value, lambda w, i: X[i].T @ (X[i] @ w - Y[i]) / len(i), 50, 4)
    assert run(f, S, SFW()).bounds().named("Expected").holds == "estimate"


def test_resumed_runs_without_their_beginning_are_refused(tmp_path):
    gh.minimize(F, S, SFW(every=1), stop=gh.Iterations(10), checkpoint=tmp_path / "state.npz")
    whole = load_state(tmp_path / "state.npz")
    save_state(tmp_path / "state.npz", {name: whole[name] for name in whole if not name.startswith("trace.")})
    again = gh.minimize(F, S, SFW(every=1), stop=gh.Iterations(20), resume=tmp_path / "state.npz")
    assert "was resumed" in again.bounds().refused[0].reason


def test_nothing_before_the_first_step():
    refused = gh.minimize(F, S, SFW(every=1), stop=gh.Iterations(1)).bounds().refused
    assert {reason for _, reason in refused} == {"No step was taken."}


@pytest.mark.skipif(not hasattr(gh, "Regret"), reason="no regret certificates")
def test_a_mean_has_the_mean_of_the_bounds():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solver = SFW(look=gh.Regret())
        seen = [run(F, S, solver, seed=s) for s in range(8)]
    listed = seen[0].bounds()
    bound = listed.named("Expected error (mean)")
    errors = np.array([s.value for s in seen]) - lower(F, S)
    assert errors.mean() <= bound.value + 3 * errors.std(ddof=1) / math.sqrt(8)
    assert "returned a mean" in dict(listed.refused)["ASFW (last iterate)"]
    K = theory.constants(F, S)
    assert [c.value for c in bound.constants if c.name == "e_1"] == [pytest.approx(K.L_rms.value * K.D.value)]


def test_float32_makes_estimates():
    f = gh.least_squares(X.astype(np.float32), Y.astype(np.float32))
    assert run(f, S, SFW()).bounds().named("Expected").holds == "estimate"


def test_sparse_data_have_the_same_bounds():
    from scipy import sparse

    f = gh.least_squares(sparse.csr_matrix(X), Y)
    ours, theirs = run(F, S, SFW.svrf()).bounds(), run(f, S, SFW.svrf()).bounds()
    assert [b.value for b in theirs[1:]] == pytest.approx([b.value for b in ours[1:]])


def test_of_nonconvex_f_only_gaps_are_spoken_of():
    value = lambda w, i: float(np.tanh(X[i] @ w - Y[i]).mean())
    gradient = lambda w, i: X[i].T @ (1 / np.cosh(X[i] @ w - Y[i]) ** 2) / len(i)
    f = gh.finite_sum(value, gradient, 50, 4, convex=False, lipschitz=float(np.linalg.norm(X, axis=1).max()))
    T, gaps = 40, []
    for seed in range(6):
        seen = []
        s = gh.minimize(f, S, SFW(every=1), stop=gh.Iterations(T + 1), seed=seed,
                        watch=lambda e, seen=seen: seen.append(e.also.get("last", e.point).array()))
        eta = np.arange(1.0, T + 1) ** -0.5
        gap = [float(g @ x - S.argmin(g).dot(g)) for x in seen[:T] for g in [gradient(x, np.arange(50))]]
        gaps.append(eta @ gap / eta.sum())
    listed = s.bounds()
    assert [b.of for b in listed] == ["mean gap"] and listed[0].holds == "estimate"
    assert np.mean(gaps) <= listed[0].value
    assert "not known to be convex" in dict(listed.refused)["Expected error (recursion)"]
    assert theory.constants(f, S).L.status == "upper bound"
