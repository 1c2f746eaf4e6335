"""The example of Proposition asj-eg has its closed forms, and the curves of variance-reduced Jones fall."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.experiments import asj_eg, variance_reduced_jones
from greedyhull.experiments.counterexamples import terms, three
from greedyhull.theory import LastIterate, asj


def test_with_equal_terms_the_last_point_is_off_by_one_half_surely():
    told = asj_eg(k=30, runs=40)
    assert told.last.exact == pytest.approx(0.5) == told.last.measured
    assert told.last.error <= 1e-12  # every run, not the mean alone
    assert told.limit == pytest.approx(0.0, abs=1e-12) and told.average.agrees
    assert asj_eg(k=120, runs=2).average.exact == pytest.approx(0.5 / 119, rel=0.02)  # the mean of k points: 1/(2k)


def test_a_term_that_is_there_twice_keeps_the_mean_away_too():
    told = asj_eg((0.5, 0.25, 0.25), k=40, runs=60, seed=1)
    assert told.last.exact == pytest.approx(0.50625) and told.last.agrees
    assert told.limit == pytest.approx(9 / 640) and told.average.agrees
    assert told.average.measured >= 9 / 640 - 4 * told.average.error
    assert asj_eg((0.2, 0.41, 0.39), k=3, runs=2).limit == pytest.approx(0.0359, abs=1e-4)


def test_the_minimum_is_that_of_a_solver():
    for p in ((1, 1, 1), (2, 1, 1), (0.2, 0.41, 0.39)):
        X, y = terms(p, 10)
        share = np.array(p) / sum(p)
        best = 2 * gh.minimize(gh.least_squares(X, y), gh.Vertices(three()), stop=gh.Gap(1e-12)).value
        assert best == pytest.approx(9 / (1 / share).sum(), abs=1e-9)


@pytest.mark.parametrize("p", [(1, 1, 1), (2, 1, 1)], ids=str)
def test_a_cap_and_growing_batches_converge_on_the_same_f(p):
    """Below 2(r_S σ + M)/√k in the mean; least_squares has the factor ½, and the experiment has not."""
    few, many = asj_eg(p, k=12, runs=20).capped, asj_eg(p, k=120, runs=20).capped
    X, y = terms(p, 120)
    f, S = gh.least_squares(X, y), gh.Vertices(three())
    sigma = np.sqrt(max(((X * (X @ v - 1)[:, None] - X.T @ (X @ v - 1) / len(X)) ** 2).sum(axis=1).mean() for v in three()))
    constants = {"M": float(f.curvature(S)), "sigma": sigma, "r_S": 1.0}
    assert few <= 2 * asj(LastIterate(), 12, **constants) and many <= 2 * asj(LastIterate(), 120, **constants)
    assert many <= 0.5 * few and many <= 0.02


def test_bad_arguments_are_refused():
    with pytest.raises(gh.GreedyhullError, match="three positive"):
        asj_eg((0.5, 0.5))
    with pytest.raises(gh.GreedyhullError, match="outside the triangle"):
        asj_eg((0.01, 0.495, 0.495))
    with pytest.raises(gh.GreedyhullError, match="k must be at least 3"):
        asj_eg(k=2)
    with pytest.raises(gh.GreedyhullError, match="'least_squares' or 'logistic'"):
        variance_reduced_jones("lasso")
    with pytest.raises(gh.GreedyhullError, match="must be at least 1"):
        variance_reduced_jones(passes=0)


# --- variance reduction -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", ["least_squares", "logistic"])
def test_the_curves_fall(problem):
    curves = variance_reduced_jones(problem, n=600, d=10, passes=8, runs=2)
    assert curves.spent[-1] == 8 * 600 and curves.errors.shape == (len(curves.names), 9)
    assert (curves.errors > -1e-9).all()
    for name in curves.names:
        assert curves[name][-1] <= 0.3 * curves[name][0]
