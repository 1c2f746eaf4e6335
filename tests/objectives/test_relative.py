"""What a gap is relative to: the loss of predicting zero."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((30, 4)), RNG.standard_normal(30)
SIGNS, WEIGHT = np.where(Y > 0.3, 1.0, -1.0), RNG.uniform(0.0, 2.0, 30)
COUNTS = RNG.poisson(2.0, 30)
P = WEIGHT / WEIGHT.sum()
SHARE = float(P[SIGNS > 0].sum())
ENTROPY = -SHARE * np.log(SHARE) - (1 - SHARE) * np.log(1 - SHARE)
MEAN = float(P @ COUNTS)

PLAIN: dict[str, tuple[Any, float]] = {
    "least_squares": (gh.least_squares(X, Y, sample_weight=WEIGHT), 0.5 * float(P @ Y**2)),
    "logistic": (gh.logistic(X, SIGNS, sample_weight=WEIGHT), np.log(2.0)),
    "squared_hinge": (gh.squared_hinge(X, SIGNS), 0.5),
    "hinge": (gh.hinge(X, SIGNS), 1.0),
    "absolute": (gh.absolute(X, Y), float(np.mean(np.abs(Y)))),
    "quantile": (gh.quantile(X, Y, 0.8), float(np.mean(np.maximum(0.8 * Y, -0.2 * Y)))),
    "epsilon_insensitive": (gh.epsilon_insensitive(X, Y, 0.1), float(np.mean(np.maximum(np.abs(Y) - 0.1, 0.0)))),
    "lp_loss": (gh.lp_loss(X, Y, 4.0), float(np.mean(Y**4)) / 4),
    "huber": (gh.huber(X, 10 * Y, delta=100.0), 50.0 * float(np.mean(Y**2))),
    "poisson": (gh.poisson(X, COUNTS), 1.0),
    "log_likelihood": (gh.log_likelihood(np.abs(X)), 0.0),
    "quadratic": (gh.quadratic(np.eye(4)), 0.0),
    "function": (gh.function(lambda w: 0.0, lambda w: w, 4), 0.0),
    "expectation": (gh.expectation(lambda size, rng: None, 4), 0.0),
}
FITTED: dict[str, tuple[Any, float]] = {
    "least_squares": (gh.least_squares(X, Y, sample_weight=WEIGHT, intercept=True), 0.5 * float(P @ (Y - P @ Y) ** 2)),
    "logistic": (gh.logistic(X, SIGNS, sample_weight=WEIGHT, intercept=True), ENTROPY),
    "poisson": (gh.poisson(X, COUNTS, sample_weight=WEIGHT, intercept=True), abs(MEAN - MEAN * np.log(MEAN))),
    "absolute": (gh.absolute(X, Y, intercept=True), float(np.mean(np.abs(Y - np.median(Y))))),
}


@pytest.mark.parametrize("name", PLAIN)
def test_the_scale_is_the_loss_of_predicting_zero(name: str) -> None:
    f, expected = PLAIN[name]
    assert type(f.scale) is float and f.scale == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", FITTED)
def test_with_an_intercept_it_is_that_of_the_best_constant(name: str) -> None:
    f, expected = FITTED[name]
    assert f.scale == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("intercept", [False, True])
def test_float32_data_have_the_scale_of_their_targets(intercept: bool) -> None:
    f, exact = (gh.least_squares(X.astype(kind), Y, intercept=intercept) for kind in (np.float32, np.float64))
    assert type(f.scale) is float and f.scale == exact.scale == f.precise().scale


def test_smoothing_has_the_scale_of_what_it_smooths() -> None:
    for intercept in (False, True):
        f = gh.absolute(X, Y, intercept=intercept)
        assert 0.0 <= f.scale - f.smoothed(0.01).scale <= 0.005 + 1e-15


@pytest.mark.parametrize("size", [0.0, -0.0, 1e-320, 1e-200, 1e-100, 1e100, 1e150, 1e200, 1e308])
@pytest.mark.parametrize("intercept", [False, True])
def test_targets_of_any_size_have_a_finite_scale(size: float, intercept: bool) -> None:
    with np.errstate(all="raise"):
        for make in (gh.least_squares, gh.huber, gh.absolute, lambda *a, **k: gh.lp_loss(*a, 4.0, **k),
                     lambda *a, **k: gh.lp_loss(*a, 1.5, **k), lambda *a, **k: gh.quantile(*a, 0.3, **k)):
            scale = make(X, size * np.sign(Y), intercept=intercept).scale
            assert 0.0 <= scale < np.inf and type(scale) is float


def test_one_row_and_one_column() -> None:
    assert gh.least_squares([[2.0]], [3.0]).scale == 4.5 and gh.least_squares([[2.0]], [3.0], intercept=True).scale <= 1e-14


SCALED = {
    "quadratic": lambda scale: gh.quadratic(np.eye(3), scale=scale),
    "quadratic, float32": lambda scale: gh.quadratic(np.eye(3, dtype=np.float32), scale=scale),
    "function": lambda scale: gh.function(lambda w: 0.0, lambda w: w, 3, scale=scale),
    "finite_sum": lambda scale: gh.finite_sum(lambda w, i: 0.0, lambda w, i: w, 5, 3, scale=scale),
}


@pytest.mark.parametrize("name", SCALED)
def test_a_scale_can_be_given_where_there_is_none(name: str) -> None:
    make = SCALED[name]
    assert make(None).scale == 0.0 and make(2).scale == make(2).precise().scale == 2.0 and type(make(2).scale) is float
    for wrong in (-1.0, np.nan, np.inf, "1"):
        with pytest.raises(gh.GreedyhullError, match="scale="):
            make(wrong)


def test_targets_that_are_fitted_exactly_end_at_the_scale() -> None:
    """A minimum of zero: relative to the value nothing would ever be small."""
    w = np.array([0.5, 0.5, 0.0, 0.0])
    s = gh.minimize(gh.least_squares(X, X @ w), gh.Simplex(4), gh.FrankWolfe(), stop=gh.Relative(1e-3) | gh.Iterations(5000))
    assert s.converged and s.gap is not None and s.gap <= 1e-3 * 0.5 * float(np.mean((X @ w) ** 2))
