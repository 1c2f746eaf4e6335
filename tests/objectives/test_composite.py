"""f(point) − min f ≤ gap in exact arithmetic, rounding included, where residuals vanish and where means are subtracted."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.points.coordinate_iterate import CoordinateIterate

SCALES = [1e-150, 1e-8, 1.0, 1e8, 1e150]


class Exact:
    """Least squares at points of the simplex of two coordinates, in fractions."""

    def __init__(self, X: Any, y: Any, weights: Any, intercept: bool) -> None:
        s = [Fraction(float(v)) for v in (np.ones(len(y)) if weights is None else weights)]
        self.p = [v / sum(s) for v in s]
        columns = [[Fraction(float(v)) for v in column] for column in X.T]
        targets = [Fraction(float(v)) for v in y]
        self.columns = [self.centred(c) for c in columns] if intercept else columns
        self.targets = self.centred(targets) if intercept else targets

    def centred(self, z: list[Fraction]) -> list[Fraction]:
        mean = sum(p * v for p, v in zip(self.p, z, strict=True))
        return [v - mean for v in z]

    def dot(self, a: list[Fraction], b: list[Fraction]) -> Fraction:
        return sum((p * u * v for p, u, v in zip(self.p, a, b, strict=True)), Fraction(0))

    def value(self, w: Any) -> Fraction:
        r = [Fraction(w[0]) * a + Fraction(w[1]) * b - c for a, b, c in zip(*self.columns, self.targets, strict=True)]
        return self.dot(r, r) / 2

    def least(self) -> Fraction:
        first, second = self.columns
        dz, r = [b - a for a, b in zip(first, second, strict=True)], [a - c for a, c in zip(first, self.targets, strict=True)]
        bend = self.dot(dz, dz)
        t = min(max(-self.dot(dz, r) / bend, Fraction(0)), Fraction(1)) if bend else Fraction(0)
        return self.value((1 - t, t))


def held(s: Any, exact: Exact) -> bool:
    error = exact.value([float(v) for v in s.point.array()]) - exact.least()
    return error <= Fraction(s.gap) and Fraction(s.certificate.lower) <= exact.least()


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("weights", [None, np.ones(3), np.array([1.0, 0.0, 1e-9])], ids=["", "equal", "uneven"])
def test_constant_columns_hide_the_targets(scale: float, weights: Any) -> None:
    """All residuals are equal and vanish with the intercept; what was subtracted is 10¹⁷ times what is left."""
    X, y = scale * np.array([1.0, 3.0]) * np.ones((3, 2)), np.full(3, 3e-18 * scale)
    f = gh.least_squares(X, y, sample_weight=weights, intercept=True)
    for solver in (gh.FrankWolfe(), gh.Corrective()):
        assert held(gh.minimize(f, gh.Simplex(2), solver, stop=gh.Iterations(5)), Exact(X, y, weights, True))


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("scale", SCALES)
def test_targets_that_some_mixture_meets(scale: float, intercept: bool) -> None:
    """Residuals are all rounding: the value is eps² beside the data, and so is what nobody can know."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 5))
        X = scale * rng.standard_normal((n, 2)) + (scale * 10.0 ** rng.integers(0, 4) if seed % 3 == 0 else 0.0)
        t, weights = rng.random(), [None, rng.random(n) + 0.01][seed % 2]
        y = X @ np.array([t, 1.0 - t]) if seed % 5 else X[:, 0].copy()
        f = gh.least_squares(X, y, sample_weight=weights, intercept=intercept)
        s = gh.minimize(f, gh.Simplex(2), [gh.FrankWolfe(), gh.Corrective()][seed % 2], stop=gh.Gap(0.0) | gh.Iterations(20))
        assert held(s, Exact(X, y, weights, intercept)), seed


def huber(z: list[Decimal], y: list[Decimal], delta: Decimal) -> Decimal:
    """The mean, with the best intercept, in fifty digits."""
    off = [a - b for a, b in zip(z, y, strict=True)]
    low, high = -max(off), -min(off)
    for _ in range(200):
        b = (low + high) / 2
        rises = sum(min(max(v + b, -delta), delta) for v in off) >= 0
        low, high = (low, b) if rises else (b, high)
    sizes = [abs(v + low) for v in off]
    return sum(v * v / 2 if v <= delta else delta * v - delta * delta / 2 for v in sizes) / len(z)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_other_losses_where_residuals_vanish(scale: float) -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = scale * (rng.standard_normal((3, 2)) + 10.0 ** rng.integers(0, 6))
        t = rng.random()
        y, delta = X @ np.array([t, 1.0 - t]), scale * 10.0 ** rng.integers(-2, 2)
        s = gh.minimize(gh.huber(X, y, delta, intercept=True), gh.Simplex(2), stop=gh.Gap(0.0) | gh.Iterations(20))
        with localcontext() as context:
            context.prec = 50
            columns, targets = [[Decimal(v) for v in c] for c in X.T], [Decimal(v) for v in y]

            def value(a: Decimal, b: Decimal) -> Decimal:
                z = [a * u + b * v for u, v in zip(*columns, strict=True)]  # noqa: B023
                return huber(z, targets, Decimal(delta))  # noqa: B023

            here = value(*(Decimal(v) for v in s.point.array()))
            shares = [Decimal(t) + k * Decimal("1e-17") for k in range(-20, 21)]
            lowest = min(value(a, 1 - a) for a in shares)
            assert here - lowest <= Decimal(s.gap) and Decimal(s.certificate.lower) <= lowest


@pytest.mark.parametrize("make", [
    lambda X, y: gh.logistic(X, np.sign(y), intercept=True), lambda X, y: gh.squared_hinge(X, np.sign(y), intercept=True),
    lambda X, y: gh.huber(X, y, 0.5, intercept=True), lambda X, y: gh.lp_loss(X, y, 3.0, intercept=True)],
    ids=["logistic", "squared_hinge", "huber", "lp_loss"])
def test_a_large_mean_does_not_hold_the_gap_up(make: Any) -> None:
    """An intercept is known to eps of its size, and the residual sums to zero all the same."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 5)), rng.standard_normal(40)
    s = gh.minimize(make(X + 1e5, y), gh.L1Ball(5, 1.0), stop=gh.Relative(1e-6) | gh.Iterations(200))
    assert s.converged, s.reason


def test_ordinary_allowances_are_small() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((100, 20)), rng.standard_normal(100)
    S, labels = gh.L1Ball(20, 1.0), np.sign(y)
    for intercept in (False, True):
        for f in (gh.least_squares(X, y, intercept=intercept), gh.logistic(X, labels, intercept=intercept),
                  gh.huber(X, y, intercept=intercept), gh.lp_loss(X, y, 1.5, intercept=intercept)):
            s = gh.minimize(f, S, stop=gh.Relative(1e-11) | gh.Iterations(2000))
            assert s.converged and f.rounding(CoordinateIterate(s.point.array()), S) <= 1e-11 * s.value


def test_slopes_that_are_bounded_bound_the_allowance() -> None:
    """Far from its targets a loss is linear: what eps of z can do to it is eps·‖z‖, not its square."""
    X = 1e100 * np.array([[1.0, 2.0], [3.0, -4.0], [0.0, 1.0]])
    for f in (gh.huber(X, np.ones(3)), gh.logistic(X, np.array([1.0, -1.0, 1.0]))):
        assert gh.certify(f, gh.Simplex(2), np.array([0.5, 0.5])).gap <= 1e102


def test_data_that_are_zero_leave_nothing_to_round() -> None:
    f = gh.least_squares(np.zeros((4, 3)), np.zeros(4), intercept=True)
    assert gh.certify(f, gh.Simplex(3), np.full(3, 1 / 3)).gap == 0.0
