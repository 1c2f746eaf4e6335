"""The best intercept is found in few evaluations, whatever the data look like."""

from typing import Any

import numpy as np
import pytest

from greedyhull.objectives.losses.base import root
from greedyhull.objectives.losses.intercepts import Profiled
from greedyhull.objectives.losses.smooth import Huber, Logistic, Power, SquaredHinge


def losses(n: int, scale: float, rng: Any) -> list[Any]:
    y, labels, p = scale * rng.standard_normal(n), np.where(np.arange(n) % 3 == 0, -1.0, 1.0), rng.random(n) + 0.01
    shares = p / p.sum()
    return [Huber(y, 1 / n, 1.0), Huber(y, shares, 1e-3), SquaredHinge(labels, shares), Logistic(labels, 1 / n),
            Logistic(labels, shares), Power(y, 1 / n, 3.0), Power(y, shares, 8.0), Power(y, 1 / n, 1.2)]


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e3, 1e8, 1e12])
@pytest.mark.parametrize("n", [2, 3, 50])
def test_few_evaluations_and_a_sum_that_vanishes(n: int, scale: float) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        z = scale * rng.standard_normal(n)
        for loss in losses(n, scale, rng):
            calls, slopes = [0], loss.slopes

            def counted(z: Any, calls: list[int] = calls, slopes: Any = slopes) -> Any:
                calls[0] += 1
                return slopes(z)

            loss.slopes = counted
            b = root(loss, z)
            assert calls[0] <= 70, (loss, calls)
            near = 8 * np.spacing(max(np.abs(z).max(), abs(b)))
            assert loss.total(slopes(z + b - near)) <= 1e-15 and loss.total(slopes(z + b + near)) >= -1e-15


@pytest.mark.parametrize("scale", [1e2, 1e5, 1e12, 1e20, 1e140])
def test_logistic_scores_far_apart_are_counted_and_not_halved(scale: float) -> None:
    """Slopes are steps there: the intercept is a quantile of the scores, and its bracket is no wider than one step."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        labels, s = np.where(np.arange(200) % 24 == 3, 1.0, -1.0), rng.random(200)
        for loss in (Logistic(labels, 1 / 200), Logistic(labels, s / s.sum()), Logistic(-labels, 1 / 200)):
            calls, slopes = [0], loss.slopes

            def counted(z: Any, calls: list[int] = calls, slopes: Any = slopes) -> Any:
                calls[0] += 1
                return slopes(z)

            loss.slopes = counted  # type: ignore[method-assign]
            z = scale * rng.standard_normal(200)
            b = root(loss, z)
            assert calls[0] <= (16 if scale < 1e16 else 2)
            near = 8 * np.spacing(np.abs(z).max())
            assert loss.total(slopes(z + b - near)) <= 1e-15 and loss.total(slopes(z + b + near)) >= -1e-15


def test_an_outlier_far_away_takes_no_bisection_of_the_way() -> None:
    loss = Huber(np.array([0.0, 1.0, 1e150]), 1 / 3, 1.0)
    assert root(loss, np.zeros(3)) == pytest.approx(1.0)
    assert root(Huber(np.array([-1e100, 0.25, 1e100]), 1 / 3, 1.0), np.zeros(3)) == pytest.approx(0.25)


def test_the_residual_sums_to_zero_where_the_intercept_is_coarse() -> None:
    """At z of 10⁸ an intercept moves in steps of 10⁻⁸; slopes do not."""
    rng = np.random.default_rng(0)
    for loss in losses(50, 1.0, rng)[:7]:
        z = 1e8 + rng.standard_normal(50)
        value, residual = Profiled(loss).first_order(z)
        assert abs(residual.sum()) <= 1e-14 * np.abs(residual).sum()
        assert value == pytest.approx(Profiled(loss).value(z), rel=1e-12)


def test_an_image_that_is_written_on_is_looked_at_again() -> None:
    profiled, z = Profiled(Huber(np.array([0.0, 1.0, 5.0]), 1 / 3, 1.0)), np.zeros(3)
    before = profiled.intercept(z)
    z += 2.0
    assert profiled.intercept(z) == pytest.approx(before - 2.0)


def test_a_loss_that_knows_no_bracket_is_served_too() -> None:
    class Unknown(Huber):
        def bracket(self, z: Any) -> tuple[float, float, float]:
            return -np.inf, 0.0, np.inf

    y = np.array([300.0, 301.0, 305.0])
    assert root(Unknown(y, 1 / 3, 1.0), np.zeros(3)) == pytest.approx(root(Huber(y, 1 / 3, 1.0), np.zeros(3)))
