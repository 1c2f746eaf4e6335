"""Value minus aggregated lower bound falls as fast as the error of Theorem 2."""

import numpy as np
import pytest

from greedyhull.theory import aggregate_rate, gap_rate

K = 120


def lower_bounds(problem, run):
    """L_k = min over atoms of the (i + 1)-weighted mean of f(w_i) + ∇f(w_i)·(d - w_i), i < k; for k = 1, ..., K."""
    models = np.array([problem.value(w) - problem.gradient(w) @ w + problem.scores(w) for w in run.points[:-1]])
    weights = np.arange(1.0, len(models) + 1)
    return (np.cumsum(weights[:, None] * models, axis=0) / np.cumsum(weights)[:, None]).min(axis=1)


@pytest.mark.parametrize("family", ["fw", "jones"])
@pytest.mark.parametrize("c", [0.0, 0.5, 5.0])
def test_aggregated_certificate_is_valid_and_as_fast_as_the_error(problem, play, f_star, family, c):
    run = play(problem, K, family, c=c)
    lower = lower_bounds(problem, run)
    k = np.arange(1, K + 1)
    assert np.all(lower <= f_star(problem) + 1e-10)
    assert np.all(run.values[1:] - lower <= aggregate_rate(problem.M, c, k, exact=True) + 1e-10)
    assert np.all(aggregate_rate(problem.M, c, k, exact=True) <= aggregate_rate(problem.M, c, k))


@pytest.mark.parametrize("family, rule", [("fw", "open"), ("fw", "search"), ("jones", "open"), ("joint", "search")])
def test_best_single_lower_bound_is_as_fast_too(problem, play, family, rule):
    run = play(problem, 40, family, rule=rule)
    best = np.maximum.accumulate(run.values - run.gaps)[:-1]
    assert np.all(run.values[1:] - best <= aggregate_rate(problem.M, 0.0, np.arange(1, 41), exact=True) + 1e-10)


def test_slacks_of_the_oracle_may_enter_the_lower_bound(problem, play):
    """With atoms c η_i off, f(w_i) - ∇f·(w_i - d_i) - c η_i is what a solver knows; the promise covers it."""
    c = 0.7
    run = play(problem, K, c=c)
    eta = 2 / (np.arange(K) + 2)
    atoms = run.points[:-1] + (run.points[1:] - run.points[:-1]) / eta[:, None]
    moved = zip(run.points[:-1], atoms, strict=True)
    found = np.array([problem.gradient(w) @ (w - d) for w, d in moved])
    weights = np.arange(1.0, K + 1)
    known = np.cumsum(weights * (run.values[:-1] - found - c * eta)) / np.cumsum(weights)
    assert np.all(run.values[1:] - known <= aggregate_rate(problem.M, c, np.arange(1, K + 1), exact=True) + 1e-9)


def test_linear_f_attains_it():
    """f(w) = w on [0, 1], d_i = c η_i: every lower bound is 0 and the value is the exact rate."""
    w = 1.0
    for i in range(50):
        w += 2 / (i + 2) * (0.4 * 2 / (i + 2) - w)
    assert w - 0.0 == pytest.approx(aggregate_rate(0.0, 0.4, 50, exact=True), rel=1e-12)


def test_it_promises_a_third_of_the_gap_rate():
    assert gap_rate(2.0, 1.0, 10**6) / aggregate_rate(2.0, 1.0, 10**6) == pytest.approx(3, rel=1e-5)
