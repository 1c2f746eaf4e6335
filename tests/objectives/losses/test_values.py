"""Losses against their formulas, at ordinary arguments and at extreme ones."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, huber

from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.losses.smooth import Huber, Logistic, NegativeLog, Poisson, Power, Squared, SquaredHinge

Array = np.ndarray[Any, Any]
real = st.lists(st.floats(-8, 8), min_size=4, max_size=4).map(np.array)

FORMULAS: dict[str, tuple[Callable[[Array, Any], Separable], Callable[[Array, Array], Array]]] = {
    "squared": (Squared, lambda z, y: 0.5 * (z - y) ** 2),
    "huber": (lambda y, p: Huber(y, p, delta=1.5), lambda z, y: huber(1.5, z - y)),
    "power": (lambda y, p: Power(y, p, power=2.5), lambda z, y: np.abs(z - y) ** 2.5 / 2.5),
    "logistic": (lambda y, p: Logistic(np.sign(y + 0.5), p), lambda z, y: -np.log(expit(np.sign(y + 0.5) * z))),
    "squared hinge": (
        lambda y, p: SquaredHinge(np.sign(y + 0.5), p),
        lambda z, y: 0.5 * np.maximum(1 - np.sign(y + 0.5) * z, 0) ** 2,
    ),
    "poisson": (lambda y, p: Poisson(np.abs(np.round(y)), p), lambda z, y: np.exp(z) - np.abs(np.round(y)) * z),
    "negative log": (lambda y, p: NegativeLog(np.zeros(4), p), lambda z, y: -np.log(z)),
}


@pytest.mark.parametrize("name", FORMULAS)
@given(z=real, y=st.lists(st.integers(-4, 4), min_size=4, max_size=4).map(np.array))
def test_the_value_is_the_formula(name: str, z: Array, y: Array) -> None:
    make, formula = FORMULAS[name]
    y = y.astype(float)
    z = np.abs(z) + 0.01 if name == "negative log" else z
    weights = np.array([0.1, 0.2, 0.3, 0.4])
    assert make(y, 0.25).value(z) == pytest.approx(float(formula(z, y).mean()), rel=1e-12, abs=1e-14)
    assert make(y, weights).value(z) == pytest.approx(float(weights @ formula(z, y)), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("weighted", [False, True])
def test_logistic_does_not_overflow(weighted: bool) -> None:
    y, z = np.array([1.0, -1.0, 1.0, -1.0]), np.array([-1e4, -1e4, 1e4, 800.0])
    loss = Logistic(y, np.full(4, 0.25) if weighted else 0.25)
    assert loss.value(z) == pytest.approx((1e4 + 800) / 4)
    assert np.allclose(loss.gradient(z), [-0.25, 0.0, 0.0, 0.25])
    value, gradient, curvature = loss.value_gradient_curvature(z)
    assert value == pytest.approx(2700) and np.isfinite(gradient).all() and (curvature >= 0).all()


def test_logistic_is_exact_for_tiny_losses() -> None:
    """log(1 + e^−40) is 4e-18, not 0."""
    assert Logistic(np.array([1.0]), 1.0).value(np.array([40.0])) == pytest.approx(np.exp(-40.0), rel=1e-12)


def test_poisson_says_infinity_without_a_warning() -> None:
    loss = Poisson(np.array([1.0]), 1.0)
    assert loss.value(np.array([1e4])) == np.inf and loss.curvature(np.array([1e4]))[0] == np.inf
    limit = loss.limit(np.array([0.0]), np.array([1000.0]))
    assert 0.1 < limit < 0.71 and np.isfinite(loss.value(np.array([1000.0 * limit])))
    assert loss.limit(np.array([0.0]), np.array([-1.0])) == np.inf


def test_a_logarithm_is_infinite_outside_its_domain_and_limits_its_lines() -> None:
    loss = NegativeLog(np.zeros(2), 0.5)
    assert loss.value(np.array([1.0, 0.0])) == np.inf and loss.value(np.array([1.0, -1.0])) == np.inf
    assert loss.limit(np.array([1.0, 2.0]), np.array([-2.0, -1.0])) == pytest.approx(0.5)
    assert loss.limit(np.array([1.0, 2.0]), np.array([2.0, 0.0])) == np.inf
    assert loss.along(np.array([1.0, 2.0]), np.array([-2.0, 5.0]), 1.0).argmin() < 0.5


@given(st.floats(0.01, 10), st.floats(0.001, 1.0))
def test_no_step_below_the_limit_leaves_the_domain(z: float, share: float) -> None:
    """z + η dz rounds to zero a hair before the true limit."""
    dtype: Any
    for dtype in (np.float64, np.float32):
        at = np.array([z], dtype=dtype)
        dz = -at / dtype(share)
        limit = NegativeLog(np.zeros(1, dtype), 1.0).limit(at, dz)
        below = at + dtype(np.nextafter(dtype(limit), dtype(0))) * dz
        assert below[0] > 0


@pytest.mark.parametrize("p", [1.1, 1.5, 1.9])
def test_powers_below_two_have_no_finite_curvature_bound(p: float) -> None:
    loss = Power(np.zeros(2), 0.5, power=p)
    assert loss.beta(np.array([1.0, 1.0]), np.array([2.0, 2.0])) == np.inf
    assert loss.along(np.ones(2), -np.ones(2), 1.0).bend == np.inf


def test_a_power_below_two_searches_lines_through_its_kink() -> None:
    """At the target the curvature is infinite; where nothing moves, infinity times zero is not asked for."""
    loss = Power(np.array([1.0, 0.0, 2.0]), 1 / 3, power=1.5)
    line = loss.along(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 2.0]), 1.0)
    steps = np.linspace(0, 1, 2001)
    assert line.value(line.argmin()) <= line.probe(steps).values.min() + 1e-9


@pytest.mark.parametrize("name", FORMULAS)
def test_some_of_the_rows(name: str) -> None:
    make, formula = FORMULAS[name]
    y, z, rows = np.array([1.0, 2.0, -1.0, 0.0]), np.array([0.5, 1.5, 0.1, 2.0]), np.array([3, 1])
    assert make(y, 0.25).on(rows).value(z[rows]) == pytest.approx(float(formula(z, y)[rows].mean()))
    p = np.array([0.1, 0.2, 0.3, 0.4])
    assert make(y, p).on(rows).value(z[rows]) == pytest.approx(float((p * formula(z, y))[rows].sum() / p[rows].sum()))


def test_swings_of_tiny_slopes_do_not_vanish():
    """Squares of slopes underflow long before the slopes do."""
    loss = Power(np.array([1e-58]), 1.0, power=4.0)
    z, off = np.array([1e-58]), 1e-68
    worst = max(loss.value(z + s * off) for s in (-1.0, 1.0))
    assert 0.0 < worst <= loss.swing(0.0, z, off)
