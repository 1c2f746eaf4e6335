"""Blended pairwise: honest at every iteration, monotone, with few atoms, on every set and step rule."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import greedyhull as gh
from greedyhull.driver.checkpoint import load_state, save_state
from greedyhull.driver.run import Run

RNG = np.random.default_rng(3)
N, D = 30, 8
X = RNG.standard_normal((N, D))
Y = X[:, 0] - 2.0 * X[:, 3] + 0.3 * RNG.standard_normal(N)
LABELS = np.where(Y > 0, 1, -1)
P = np.abs(X) * (RNG.random((N, D)) < 0.7) + 0.02 * np.eye(D)[np.arange(N) % D]
OBJECTIVES = {
    "least_squares": lambda: gh.least_squares(X, Y), "logistic": lambda: gh.logistic(X, LABELS),
    "sparse": lambda: gh.logistic(sparse.csr_array(np.where(np.abs(X) > 1.2, X, 0.0)), LABELS),
    "huber": lambda: gh.huber(X, Y, 0.2, intercept=True), "lp_loss": lambda: gh.lp_loss(X, Y, 1.5),
    "quadratic": lambda: gh.quadratic(X.T @ X / N, X.T @ Y / N),
    "function": lambda: gh.function(lambda w: 0.5 * float(((w - 1) ** 2).sum()), lambda w: w - 1, D, smoothness=1.0),
}
SETS = {"L1Ball": (D, 1.5), "Simplex": (D,), "CappedSimplex": (D, 2.0), "Vertices": (RNG.standard_normal((12, D)),),
        "L2Ball": (D, 1.5), "LinfBall": (D, 0.5), "Box": (-np.ones(D), np.linspace(0.1, 2.0, D))}


def make(name):
    if not hasattr(gh, name):
        pytest.skip(f"greedyhull has no {name} yet")
    return getattr(gh, name)(*SETS[name])


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_honest_monotone_and_feasible(objective, name):
    f, S = OBJECTIVES[objective](), make(name)
    values, lowers = [], []

    def watch(event):
        assert S.contains(event.point)
        assert (event.point.weights > 0).all() and abs(event.point.weights.sum() - 1) < 1e-12
        values.append(event.value)
        lowers.append(event.lower)

    s = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Relative(1e-7) | gh.Iterations(150), watch=watch)
    assert max(lowers) <= min(values) + 1e-15
    assert (np.diff(values) <= 1e-13 * (1 + np.abs(values[0]))).all()
    if name != "L2Ball" and objective != "lp_loss":
        assert s.gap <= 1e-2 * abs(values[0]) + 1e-2
    again = gh.certify(f, S, s.point)
    assert again.value == pytest.approx(s.value, rel=1e-12, abs=1e-14)
    assert s.gap <= again.gap + 1e-12, "the run knows the best of many lower bounds, the point alone only its own"


@pytest.mark.parametrize("name", ["L1Ball", "Simplex", "CappedSimplex", "Vertices"])
def test_linear_convergence_on_polytopes(name):
    s = gh.minimize(gh.least_squares(X, Y), make(name), gh.BlendedPairwise(), stop=gh.Gap(1e-10) | gh.Iterations(500))
    assert s.converged


@pytest.mark.parametrize("rule", [gh.Exact(), gh.Short(), gh.Backtracking()], ids=repr)
def test_step_rules_that_descend(rule):
    for f in (gh.least_squares(X, Y), gh.logistic(X, LABELS)):
        s = gh.minimize(f, gh.L1Ball(D, 1.5), gh.BlendedPairwise(rule), stop=gh.Relative(1e-6) | gh.Iterations(2000))
        assert s.converged


def test_swaps_bring_in_no_atom():
    """An atom joins only by a step toward the oracle's atom, so that the active set stays small."""
    X = np.random.default_rng(0).standard_normal((60, 200))
    f, S = gh.least_squares(X, X[:, :5].sum(axis=1)), gh.L1Ball(200, 4.0)
    sizes = []
    s = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Relative(1e-8) | gh.Iterations(1000),
                    watch=lambda event: sizes.append(set(event.point.block.keys)))
    joined = [len(after - before) for before, after in pairwise(sizes)]
    assert s.converged and len(s.point) <= 12
    assert max(joined) <= 1 and sum(joined) < len(joined) / 2


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 10), d=st.integers(1, 7), simplex=st.booleans())
def test_the_lower_bound_never_exceeds_a_value(seed, n, d, simplex):
    rng = np.random.default_rng(seed)
    A, y = np.round(rng.standard_normal((n, d)), 1), np.round(rng.standard_normal(n), 1)
    S = gh.Simplex(d) if simplex else gh.L1Ball(d, 1.0)
    s = gh.minimize(gh.least_squares(A, y), S, gh.BlendedPairwise(), stop=gh.Gap(1e-9) | gh.Iterations(300))
    for _ in range(20):
        w = rng.dirichlet(np.ones(d)) * (1.0 if simplex else rng.choice([-1.0, 1.0], d))
        assert s.certificate.lower <= 0.5 * ((A @ w - y) ** 2).mean() + 1e-15


@pytest.mark.parametrize("objective", ["least_squares", "logistic", "sparse", "huber", "quadratic", "function"])
def test_resumed_runs_are_equal_bit_by_bit(objective, tmp_path):
    S, stop = gh.L1Ball(D, 1.5), gh.Iterations(20)
    whole = gh.minimize(OBJECTIVES[objective](), S, gh.BlendedPairwise(), stop=stop)
    run = Run(OBJECTIVES[objective](), S, gh.BlendedPairwise(), None, stop, 0)
    run.watchers = [lambda event: save_state(tmp_path / f"{event.iteration}.npz", run.state())]
    run.solve()
    for k in (0, 1, 2, 7, 13):
        again = Run(OBJECTIVES[objective](), S, gh.BlendedPairwise(), None, stop, 0)
        again.restore(load_state(tmp_path / f"{k}.npz"))
        got = again.solve()
        for column in ("value", "gap", "atoms") if objective != "function" else ("value", "atoms"):  # its bound is found anew
            rows = whole.trace[column][k if objective == "function" else 0 :]  # functions may have changed: a trace of its own
            np.testing.assert_array_equal(got.trace[column], rows)
        np.testing.assert_array_equal(got.point.array(), whole.point.array())


def test_an_approximate_oracle_is_asked_with_its_tolerance():
    """The tolerance reaches the oracle, and its slack is part of the gap."""
    if not hasattr(gh, "Inexact"):
        pytest.skip("greedyhull has no Inexact yet")
    f = gh.least_squares(X, Y)
    best = gh.minimize(f, gh.L1Ball(D, 1.5), stop=gh.Relative(1e-10)).value
    s = gh.minimize(f, gh.Inexact(gh.L1Ball(D, 1.5), 0.05), gh.BlendedPairwise(), stop=gh.Iterations(60))
    assert s.value - best <= s.gap
