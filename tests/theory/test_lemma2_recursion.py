"""Lemma 2: one approximate step of either family, and the bound it gives for any recorded steps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedyhull.errors import GreedyhullError
from greedyhull.theory import recursion, remaining

units = st.floats(0, 1, allow_nan=False)


@pytest.mark.parametrize("family", ["fw", "jones"])
def test_one_step_loses_the_gap_and_gains_the_tolerance(problem, play, family):
    """f(w_{k+1}) <= f(w_k) - η g(w_k) + η ε + (M/2) η², the form everything else is built on."""
    rng = np.random.default_rng(7)
    for eta, eps in rng.uniform(0, 1, (40, 2)):
        start = problem.random_point(rng)
        run = play(problem, 1, family, eta=lambda k, eta=eta: eta, eps=lambda k, eps=eps: eps, start=start)
        allowed = run.values[0] - eta * run.gaps[0] + eta * eps + problem.M / 2 * eta**2
        assert run.values[1] <= allowed + 1e-12


def test_that_form_needs_no_convexity(play, quadratic):
    rng = np.random.default_rng(8)
    H, S = np.diag([3.0, -2.0, 1.0]), rng.normal(size=(8, 3))
    f = quadratic("saddle", H, rng.normal(size=3), S)
    M = 3 * max((s - t) @ (s - t) for s in S for t in S)
    for family in ("fw", "jones"):
        for eta in rng.uniform(0, 1, 40):
            w = f.random_point(rng)
            good = f.scores(w).argmin() if family == "fw" else f.ahead(w, eta).argmin()
            assert f.ahead(w, eta)[good] <= f.value(w) - eta * f.gap(w) + M / 2 * eta**2 + 1e-12


@pytest.mark.parametrize("family", ["fw", "jones"])
def test_recursion_is_above_the_errors_of_any_run(problem, play, family):
    rng = np.random.default_rng(9)
    eta, eps = rng.uniform(0, 1, 40), rng.exponential(0.1, 40)
    run = play(problem, 40, family, eta=lambda k: eta[k], eps=lambda k: eps[k])
    assert np.all(run.errors <= recursion(problem.M, eta, eps, run.errors[0]) + 1e-12)


@given(st.lists(st.tuples(units, units), min_size=1, max_size=30), units)
def test_a_linear_f_attains_the_recursion(steps, start):
    """f(w) = w on [0, 1] has M = 0, and an oracle that answers d = ε is exactly ε off."""
    eta, eps = np.array(steps).T
    w = [start]
    for step, d in steps:
        w.append((1 - step) * w[-1] + step * d)
    assert recursion(0.0, eta, eps, start) == pytest.approx(np.array(w), abs=1e-12)


def test_curvature_met_in_each_step_certifies_the_run(problem, play):
    """Backtracking needs no global M: the remainders of the steps taken are enough."""
    run = play(problem, 30)
    eta = 2 / (np.arange(30) + 2)
    met = []
    for k, step in enumerate(eta):
        w, change = run.points[k], run.points[k + 1] - run.points[k]
        met.append(max(0.0, 2 / step**2 * (run.values[k + 1] - run.values[k] - problem.gradient(w) @ change)))
    local = recursion(np.array(met), eta, 0.0, run.errors[0])
    assert np.all(run.errors <= local + 1e-10)
    assert np.all(local <= recursion(problem.M, eta, 0.0, run.errors[0]) + 1e-10)


def test_a_full_step_forgets_an_unknown_start():
    known = recursion(4.0, [1.0, 0.5], 0.25, e0=7.0)
    unknown = recursion(4.0, [1.0, 0.5], 0.25)
    assert np.isinf(unknown[0])
    assert unknown[1:] == pytest.approx(known[1:])
    assert unknown[1] == 2.25


@given(st.lists(units, max_size=20), units, units)
def test_the_start_enters_with_the_remaining_share(eta, e0, more):
    moved = recursion(1.0, eta, 0.1, e0 + more)[-1] - recursion(1.0, eta, 0.1, e0)[-1]
    assert moved == pytest.approx(remaining(eta) * more, abs=1e-12)


@pytest.mark.parametrize(
    "wrong, says",
    [
        ({"M": np.inf, "eta": [0.5]}, "curvature M is infinite"),
        ({"M": -1.0, "eta": [0.5]}, "finite number >= 0"),
        ({"M": 1.0, "eta": [1.5]}, r"steps lie in \[0, 1\]"),
        ({"M": 1.0, "eta": [np.nan]}, r"steps lie in \[0, 1\]"),
        ({"M": 1.0, "eta": [0.5], "eps": -0.1}, "tolerances"),
        ({"M": 1.0, "eta": [0.5], "eps": [0.1, 0.2]}, "2 numbers for 1 steps"),
        ({"M": 1.0, "eta": [[0.5, 0.5]]}, "one run at a time"),
        ({"M": 1.0, "eta": [0.5], "e0": -1.0}, "an error is >= 0"),
    ],
)
def test_recursion_refuses(wrong, says):
    with pytest.raises(GreedyhullError, match=says):
        recursion(**wrong)
