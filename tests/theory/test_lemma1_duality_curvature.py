"""Lemma 1: the gap is above the error, and curvature bounds what the linear model misses."""

import numpy as np
import pytest

from greedyhull.theory import Constant


def test_gap_is_above_the_error(problem, f_star):
    rng = np.random.default_rng(1)
    for w in [problem.random_point(rng) for _ in range(100)]:
        assert problem.value(w) - f_star(problem) <= problem.gap(w) + 1e-10


def test_model_with_curvature_is_above_f(problem):
    rng = np.random.default_rng(2)
    for eta in rng.uniform(0, 1, 50):
        w = problem.random_point(rng)
        model = problem.value(w) + eta * (problem.scores(w) - problem.gradient(w) @ w) + problem.M / 2 * eta**2
        assert np.all(problem.ahead(w, eta) <= model + 1e-12)


def test_convex_f_has_the_same_curvature_over_hull_and_atoms(problem):
    rng = np.random.default_rng(3)
    for eta in rng.uniform(0.05, 1, 200):
        w, u = problem.random_point(rng), problem.random_point(rng)
        missed = problem.value(w + eta * (u - w)) - problem.value(w) - eta * problem.gradient(w) @ (u - w)
        assert 2 * missed / eta**2 <= problem.M + 1e-10


def test_curvature_of_a_quadratic_is_attained_at_every_step(quadratic):
    rng = np.random.default_rng(4)
    A, S = rng.normal(size=(5, 4)), rng.normal(size=(7, 4))
    f = quadratic("", A.T @ A, rng.normal(size=4), S)
    for eta in (0.01, 0.5, 1.0):
        missed = [f.ahead(w, eta) - f.value(w) - eta * (f.scores(w) - f.gradient(w) @ w) for w in S]
        assert 2 * np.max(missed) / eta**2 == pytest.approx(f.M)


def test_symmetric_atoms_have_curvature_four_times_the_largest_form(quadratic):
    rng = np.random.default_rng(5)
    A, half = rng.normal(size=(5, 4)), rng.normal(size=(6, 4))
    f = quadratic("", A.T @ A, np.zeros(4), np.vstack([half, -half]))
    assert pytest.approx(4 * max(s @ A.T @ A @ s for s in half)) == f.M


def test_curvature_is_at_most_smoothness_times_squared_diameter(quadratic):
    rng = np.random.default_rng(6)
    A, S = rng.normal(size=(5, 4)), rng.normal(size=(7, 4))
    diameter = max(np.linalg.norm(s - t) for s in S for t in S)
    f = quadratic("", A.T @ A, np.zeros(4), S)
    assert np.linalg.norm(A, 2) ** 2 * diameter**2 >= f.M


def test_a_power_below_two_has_no_finite_curvature():
    """At the kink of |x|^p, 1 < p < 2, the remainder is η^p and its share of η² grows without end."""
    ratios = [2 * eta**1.5 / eta**2 for eta in (1e-2, 1e-4, 1e-6)]
    assert ratios[0] >= 19 and ratios[1] >= 199 and ratios[2] >= 1999
    assert repr(Constant(np.inf, "exact", "M")) == "M = inf (exact)"
