"""Smoothed: certificates that are true against linear programs, exact ends, refusals, the rate of smoothing."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

import greedyhull as gh
from greedyhull.testing import check_solver, kinked_problems

Array = np.ndarray[Any, Any]
rng0 = np.random.default_rng(0)
X, y = rng0.standard_normal((60, 8)), rng0.standard_normal(60)
MAKERS: dict[str, Any] = {
    "absolute": gh.absolute,
    "hinge": lambda X, y, **kw: gh.hinge(X, np.where(y > 0, 1, -1), **kw),
    "quantile": partial(gh.quantile, q=0.2),
    "epsilon_insensitive": partial(gh.epsilon_insensitive, epsilon=0.3),
}


def lp_minimum(name: str, X: Array, y: Array, V: Array, p: Array, intercept: bool) -> float:
    """min Σ pᵢtᵢ over weights of the rows of V and an intercept, t above each piece of each loss: HiGHS."""
    n, m = len(y), len(V)
    Z = X @ V.T
    label = np.where(y > 0, 1.0, -1.0)
    one = np.ones(n)
    pieces = {  # slope a and offset c of each piece a·z + c
        "absolute": [(one, -y), (-one, y)],
        "hinge": [(-label, one), (0 * one, 0 * one)],
        "quantile": [(-0.2 * one, 0.2 * y), (0.8 * one, -0.8 * y)],
        "epsilon_insensitive": [(one, -y - 0.3), (-one, y - 0.3), (0 * one, 0 * one)],
    }[name]
    A = np.vstack([np.hstack([a[:, None] * Z, (a if intercept else 0 * a)[:, None], -np.eye(n)]) for a, _ in pieces])
    found = linprog(np.concatenate([np.zeros(m + 1), p]), A, -np.concatenate([c for _, c in pieces]),
                    np.concatenate([np.ones(m), np.zeros(n + 1)])[None, :], [1.0],
                    [(0, None)] * m + [(None, None)] * (n + 1))
    return float(found.fun)


@pytest.mark.parametrize("name", MAKERS)
@given(seed=st.integers(0, 10**6), intercept=st.booleans(), weighted=st.booleans(), rounded=st.booleans(),
       radius=st.sampled_from([0.3, 1.0, 5.0]))
@settings(max_examples=12, deadline=None)
def test_every_bound_is_true_and_the_end_is_the_minimum(name: str, seed: int, intercept: bool, weighted: bool, rounded: bool,
                                                        radius: float) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 20)), int(rng.integers(1, 6))
    X, y = rng.standard_normal((n, d)), rng.standard_normal(n) + 0.5
    if rounded:
        X, y = np.round(X), np.round(y)
    y[:2] = 1.0, -1.0
    s = rng.integers(1, 5, n) if weighted else None
    f = MAKERS[name](X, y, sample_weight=s, intercept=intercept)
    V = radius * np.vstack([np.eye(d), -np.eye(d)])
    p = np.full(n, 1 / n) if s is None else s / s.sum()
    least = lp_minimum(name, X, y, V, p, intercept)
    noise = 1e-9 * (1.0 + abs(least))

    def watch(event: Any) -> None:
        assert event.lower <= least + noise <= event.value + 2 * noise
        assert event.kind == "always"

    found = gh.minimize(f, gh.L1Ball(d, radius), stop=gh.Gap(1e-7) | gh.Iterations(300), watch=watch)
    assert isinstance(found.solver, gh.Smoothed)
    assert found.converged and found.value == pytest.approx(least, abs=1e-7 + noise)


@pytest.mark.parametrize("S", [gh.Simplex(8), gh.L2Ball(8, 0.5), gh.Box(-np.full(8, 0.2), np.full(8, 0.1)),
                               gh.LinfBall(8, 0.1), gh.CappedSimplex(8),
                               gh.Vertices(np.random.default_rng(3).standard_normal((12, 8)))], ids=repr)
@pytest.mark.parametrize("name", MAKERS)
def test_every_set(S: Any, name: str) -> None:
    s = gh.minimize(MAKERS[name](X, y), S, stop=gh.Relative(1e-6) | gh.Iterations(1000))
    assert s.converged and s.certificate.kind == "always"


def test_the_end_is_exact() -> None:
    """No limit of μ → 0: the path of minimisers is straight near its end, and is followed to it."""
    s = gh.minimize(gh.absolute(X, y), gh.L1Ball(8, 1.0), stop=gh.Gap(1e-12) | gh.Iterations(100))
    assert s.converged and s.trace.gap[-1] < 1e-12


def test_values_never_rise_and_mu_never_grows() -> None:
    mus: list[float] = []
    s = gh.minimize(gh.hinge(X, y > 0), gh.L1Ball(8, 2.0), stop=gh.Gap(1e-8), watch=lambda event: mus.append(event.also["mu"]))
    assert np.all(np.diff(s.trace.value) <= 0) and np.all(np.diff(mus) <= 0) and mus[-1] < mus[0]


@pytest.mark.parametrize("solver, every", [(gh.Smoothed(), 2), (gh.Smoothed(gh.BlendedPairwise()), 6),
                                           (gh.Smoothed(gh.FrankWolfe()), 6),
                                           (gh.Smoothed(gh.FrankWolfe(gh.OpenLoop()), mu=0.1), 6)], ids=repr)
def test_the_kit(solver: Any, every: int) -> None:
    """Honest at every event, repeated and resumed bit by bit, with sparse data and in float32."""
    precision, chosen = (1e-6, kinked_problems()[1::2]) if every == 2 else (None, kinked_problems()[1:8:every])
    assert not check_solver(solver, chosen, iterations=8, precision=precision)


@pytest.mark.parametrize("K", [8, 40, 200])
@pytest.mark.parametrize("make", [gh.absolute, MAKERS["hinge"]], ids=["absolute", "hinge"])
def test_the_rate_of_smoothing(make: Any, K: int) -> None:
    """f(w_K) − min f ≤ 2D/√(K + 2) for μ = 2D/√(K + 2) and D the diameter in the norm of H = Σ pᵢxᵢxᵢᵀ."""
    f, S = make(X, y), gh.L1Ball(8, 2.0)
    D = float(gh.least_squares(X, y).curvature(S)) ** 0.5
    mu = 2 * D / (K + 2) ** 0.5
    least = gh.minimize(f, S, stop=gh.Gap(1e-9)).certificate.lower
    for step in (gh.OpenLoop(), gh.Exact(), gh.Short()):
        s = gh.minimize(f, S, gh.Smoothed(gh.FrankWolfe(step), mu=mu), stop=gh.Iterations(K))
        assert s.value is not None and s.value - least <= mu


# --- float32, certificates of points ------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [False, True])
def test_float32_data_are_certified_in_float64(intercept: bool) -> None:
    f = gh.absolute(X.astype(np.float32), y.astype(np.float32), intercept=intercept)
    s = gh.minimize(f, gh.L1Ball(8, 1.0), stop=gh.Relative(1e-5) | gh.Iterations(60))
    assert s.converged
    wide = gh.absolute(X.astype(np.float32).astype(float), y.astype(np.float32).astype(float), intercept=intercept)
    least = gh.minimize(wide, gh.L1Ball(8, 1.0), stop=gh.Gap(1e-10))
    assert s.certificate.lower <= least.value and s.value >= least.certificate.lower


@pytest.mark.parametrize("S", [gh.L1Ball(8, 1.0), gh.Simplex(8), gh.L2Ball(8, 0.5)], ids=repr)
@pytest.mark.parametrize("intercept", [False, True])
def test_a_solution_is_certified_from_its_coordinates_alone(S: Any, intercept: bool) -> None:
    f = gh.absolute(X, y, intercept=intercept)
    s = gh.minimize(f, S, stop=gh.Relative(1e-6))
    for point in (s.point, s.point.array()):
        c = gh.certify(f, S, point)
        assert c.gap is not None and c.gap <= (1e-3 if isinstance(S, gh.L2Ball) else 1e-6) * s.value and c.kind == "always"
        assert c.lower <= s.value


def test_a_bad_point_gets_a_gap_that_is_about_its_error() -> None:
    f, S = gh.hinge(X, y > 0), gh.L1Ball(8, 2.0)
    least = gh.minimize(f, S, stop=gh.Gap(1e-9))
    c = gh.certify(f, S, S.centre())
    assert c.value is not None and c.gap is not None
    assert c.value - least.value <= c.gap <= 1.1 * (c.value - least.value) + 1e-6


# --- who refuses, who is chosen -----------------------------------------------------------------------------------


def test_it_is_chosen_for_kinks_and_says_why() -> None:
    s = gh.minimize(gh.absolute(X, y), gh.Simplex(8), stop=gh.Iterations(3))
    assert s.solver == gh.Smoothed() and "kinks" in s.choice


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.FrankWolfe(gh.OpenLoop()), gh.BlendedPairwise(), gh.Corrective(),
                                    gh.Mixed(), gh.Aggregated(), gh.StochasticFrankWolfe(),
                                    gh.StochasticFrankWolfe.dual()], ids=repr)
def test_who_follows_gradients_refuses(solver: Any) -> None:
    with pytest.raises(gh.GreedyhullError, match=r"has kinks.*Use Smoothed\(\)"):
        gh.minimize(gh.absolute(X, y), gh.Simplex(8), solver)


@pytest.mark.parametrize("rule", [gh.Short(), gh.Backtracking()], ids=repr)
def test_steps_that_rest_on_a_curvature_refuse(rule: Any) -> None:
    f, S = gh.absolute(X, y), gh.Simplex(8)
    w = S.centre()
    lines = [f.along(w, w.toward(S[j])) for j in range(8)]
    with pytest.raises(gh.GreedyhullError, match=r"kinks.*Smoothed"):
        rule.start()(next(line for line in lines if line.slope < 0), 0)


@pytest.mark.parametrize("solver", [gh.Jones(), gh.PairwiseJones(), gh.Jones(gh.OpenLoop())], ids=repr)
def test_greedy_choices_by_values_run_with_a_caution(solver: Any) -> None:
    f, S = gh.absolute(X, y), gh.L1Ball(8, 1.0)
    with pytest.warns(UserWarning, match="Theorem 2 needs a finite curvature"):
        s = gh.minimize(f, S, solver, stop=gh.Iterations(10))
    least = gh.minimize(f, S, stop=gh.Gap(1e-9))
    assert s.certificate.lower <= least.value <= s.value + 1e-12


def test_smooth_objectives_are_handed_back() -> None:
    with pytest.raises(gh.GreedyhullError, match=r"Use Corrective\(\) itself"):
        gh.minimize(gh.least_squares(X, y), gh.Simplex(8), gh.Smoothed())


@pytest.mark.parametrize("wrong", [{"solver": gh.Jones()}, {"mu": 0.0}, {"mu": np.nan}], ids=["solver", "zero", "nan"])
def test_bad_configuration_is_refused(wrong: Any) -> None:
    with pytest.raises(gh.GreedyhullError, match=r"must be .* got"):
        gh.Smoothed(**wrong)


def test_no_solver_means_the_usual_one() -> None:
    assert gh.Smoothed(None) == gh.Smoothed() == gh.Smoothed(gh.Corrective())


def test_bounds_say_why_there_are_none() -> None:
    s = gh.minimize(gh.absolute(X, y), gh.L1Ball(8, 1.0), stop=gh.Gap(1e-6))
    bounds = s.bounds()
    assert len(bounds) == 1 and any("has kinks" in refused.reason for refused in bounds.refused)


def test_sparse_data_and_no_samples_left_over() -> None:
    sparse = gh.minimize(gh.hinge(csr_array(np.where(np.abs(X) > 1, X, 0.0)), y > 0), gh.L1Ball(8, 1.0), stop=gh.Gap(1e-8))
    dense = gh.minimize(gh.hinge(np.where(np.abs(X) > 1, X, 0.0), y > 0), gh.L1Ball(8, 1.0), stop=gh.Gap(1e-8))
    assert sparse.value == pytest.approx(dense.value, abs=2e-8)
    perfect = gh.minimize(gh.absolute(X, X @ np.full(8, 0.1)), gh.L1Ball(8, 1.0), stop=gh.Gap(1e-9) | gh.Iterations(200))
    assert perfect.converged


def test_bounds_of_kinked_losses_over_boxes_are_searched_for_in_coordinates(monkeypatch):
    """Mixtures of corners took minutes where the data are met exactly."""
    from greedyhull.solvers.parts.working_set import Working

    def mixes(*_):
        raise AssertionError("corners are mixed")

    rng = np.random.default_rng(3)
    f, S = gh.absolute(rng.standard_normal((2, 26)), rng.standard_normal(2)), gh.LinfBall(26, 3.0)
    start = gh.minimize(f, S, gh.Smoothed(), stop=gh.Relative(1e-6)).x
    monkeypatch.setattr(Working, "reweight", mixes)
    found = gh.certify(f, S, start)
    assert -1e-9 <= found.lower <= found.value and found.gap <= 1e-3
