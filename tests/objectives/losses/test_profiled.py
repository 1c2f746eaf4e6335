"""An intercept that is profiled out is the best intercept."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import greedyhull as gh
from greedyhull.objectives.losses.intercepts import Profiled
from greedyhull.objectives.losses.smooth import Huber, Logistic, Poisson, Power, Squared, SquaredHinge

signs = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
y = np.array([0.3, -2.0, 1.0, 4.0, 0.5])
LOSSES: list[Any] = [
    Squared(y, 0.2),
    Squared(y, np.array([0.1, 0.3, 0.2, 0.2, 0.2])),
    Logistic(signs, 0.2),
    SquaredHinge(signs, 0.2),
    Huber(y, 0.2, delta=0.5),
    Poisson(np.abs(np.round(y)), 0.2),
    Power(y, 0.2, power=3.0),
    Power(y, 0.2, power=1.5),
]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: f"{type(loss).__name__}{getattr(loss, 'power', '')}")
@given(z=st.lists(st.floats(-20, 20), min_size=5, max_size=5).map(np.array))
def test_no_other_intercept_is_better(loss: Any, z: Any) -> None:
    profiled = Profiled(loss)
    b = profiled.intercept(z)
    here = loss.value(z + b)
    assert profiled.value(z) == pytest.approx(here, rel=1e-12)
    found = minimize_scalar(lambda b: loss.value(z + b), bracket=(b - 1.0, b + 1.0), tol=1e-12)
    assert here <= found.fun + 1e-9 * (1 + abs(found.fun))
    assert abs(profiled.gradient(z).sum()) <= 1e-9 * (1 + np.abs(loss.gradient(z + b)).sum())


def test_the_gradient_of_squares_sums_to_zero_with_weights_too() -> None:
    rng = np.random.default_rng(0)
    y, z, s = rng.standard_normal(50), 1e6 * rng.standard_normal(50), rng.random(50)
    for p in (1 / 50, s / s.sum()):
        r = Profiled(Squared(y, p)).gradient(z)
        assert abs(r.sum()) <= 1e-15 * np.abs(r).sum() * 10


@pytest.mark.parametrize("shift", [0.0, 50.0, -300.0])
def test_far_intercepts_are_found(shift: float) -> None:
    for loss in (Logistic(signs, 0.2), Huber(y, 0.2, delta=0.5), Squared(y, 0.2), Poisson(np.ones(5), 0.2)):
        z = np.linspace(-1, 1, 5)
        near, far = Profiled(loss).intercept(z), Profiled(loss).intercept(z + shift)
        assert far == pytest.approx(near - shift, abs=1e-9 * (1 + abs(shift)))


def test_the_intercept_takes_few_evaluations() -> None:
    """Newton until rounding, and no bisection of what rounding has left."""
    for make in (lambda: Logistic(signs, 0.2), lambda: SquaredHinge(signs, 0.2), lambda: Huber(y, 0.2, delta=0.5)):
        counts = []
        for seed in range(30):
            loss, calls = make(), [0]
            slopes = loss.slopes

            def counted(z: Any, slopes: Any = slopes, calls: list[int] = calls) -> Any:
                calls[0] += 1
                return slopes(z)

            loss.slopes = counted  # type: ignore[method-assign]
            Profiled(loss).intercept(3 * np.random.default_rng(seed).standard_normal(5))
            counts.append(calls[0])
        assert np.mean(counts) < 12


def test_one_class_is_refused_and_batches_of_one_class_are_survived() -> None:
    with pytest.raises(gh.GreedyhullError, match="one class only"):
        gh.logistic(np.eye(3), np.ones(3), intercept=True)
    assert Profiled(Logistic(signs, 0.2)).on(np.array([0, 2, 4])).value(np.zeros(3)) < 1e-12


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
def test_slopes_are_bounded_wherever_the_intercept_leads(loss: Any) -> None:
    profiled, z = loss.profiled(), np.array([0.5, -1.0, 2.0, 0.0, 1.5])
    bound = np.broadcast_to(profiled.lipschitz(z, z), 5)
    slopes = np.abs(loss.slopes(z + profiled.intercept(z)))
    assert not np.isnan(bound).any() and bool((slopes <= bound * (1 + 1e-12)).all())


def test_a_minibatch_with_an_intercept_is_refused() -> None:
    with pytest.raises(gh.errors.GreedyhullError, match="intercept of its own"):
        Profiled(Squared(y, 0.2)).sampled(np.arange(2))
