"""Searches that end early: what a step is sure to bring, how many looks it takes, and what is not asked twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import greedyhull as gh
from greedyhull.objectives.lines import AskedLine, Look, sure

SHAPES: dict[str, Callable[[float, float, float], tuple[Any, Any, Any]]] = {
    "parabola": lambda a, b, c: (lambda s: a * s * s - b * s, lambda s: 2 * a * s - b, lambda s: 2 * a + 0 * s),
    "exp": lambda a, b, c: (lambda s: a * np.exp(c * s) - b * s, lambda s: a * c * np.exp(c * s) - b,
                            lambda s: a * c * c * np.exp(c * s)),
    "falling bend": lambda a, b, c: (lambda s: a * (s + c) * (np.log((s + c) / c) - 1) - b * s,
                                     lambda s: a * np.log((s + c) / c) - b, lambda s: a / (s + c)),
    "soft": lambda a, b, c: (lambda s: a * np.logaddexp(0, c * s - b) - 0.2 * s,
                             lambda s: a * c / (1 + np.exp(b - c * s)) - 0.2,
                             lambda s: a * c * c / (2 + np.exp(b - c * s) + np.exp(c * s - b))),
}


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(SHAPES)), st.floats(0.05, 5), st.floats(0.05, 5), st.floats(0.1, 8), st.floats(0.05, 2),
       st.sampled_from([np.nan, 1e-3, 1.0, 1e3]))
def test_a_step_brings_nine_tenths_of_what_the_best_is_sure_to(shape, a, b, c, end, guess):
    value, slope, bend = SHAPES[shape](a, b, c)
    if not slope(0.0) < -1e-9:
        return
    calls: list[float] = []
    line = AskedLine(value, lambda s: (calls.append(s), (float(slope(s)), np.nan))[1], float(slope(0.0)), end,
                     start=float(value(0.0)), guess=guess)
    step = line.enough()
    assert 0.0 < step <= end
    M, g = float(bend(np.linspace(0.0, end, 2001)).max()) * (1 + 1e-3), -float(slope(0.0))
    sure_to = g * g / (2 * M) if g <= M * end else g * end - 0.5 * M * end * end
    assert value(0.0) - value(step) >= 0.9 * sure_to * (1 - 1e-6) - 1e-12 * abs(value(0.0))
    assert step == calls[-1] and len(calls) <= 12  # what was seen last is where it goes


def test_no_step_is_made_where_nothing_falls():
    line = AskedLine(lambda s: s, lambda s: (1.0, np.nan), 0.0, 1.0, start=0.0)
    assert line.enough() == 0.0


def test_the_end_of_a_domain_is_met_with_care():
    """h = −log(1 − s) − 3s is infinite at the end, and its slope NaN beyond."""
    with np.errstate(all="ignore"):
        line = AskedLine(lambda s: float(-np.log(1 - s) - 3 * s), lambda s: (float(1 / np.float64(1 - s) - 3), np.nan), -2.0,
                         1.0, start=0.0)
        assert line.enough() == pytest.approx(2 / 3, abs=0.2)
        barrier = AskedLine(lambda s: 0.0, lambda s: (-1.0 if s < 1e-3 else np.nan, np.nan), -1.0, 1.0, start=0.0)
        assert 0.0 <= barrier.enough() <= 2e-3


def test_the_least_of_all_looks_bounds_what_is_sure():
    assert sure(-1.0, [Look(0.1, 0.0, -0.5), Look(1.0, 0.0, 0.0)]) == pytest.approx(0.1)
    assert sure(-1.0, []) == np.inf


def counted(value: Any, gradient: Any) -> tuple[Any, dict[str, list[bytes]]]:
    asked: dict[str, list[bytes]] = {"value": [], "gradient": []}

    def told(name: str, function: Any) -> Any:
        return lambda x: asked[name].append(x.tobytes()) or function(x)

    return gh.function(told("value", value), told("gradient", gradient), (20,)), asked


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise()], ids=repr)
@pytest.mark.parametrize("kind", ["logistic", "exp", "quartic", "square"])
def test_a_step_takes_between_one_and_two_gradients(kind, solver):
    rng = np.random.default_rng(0)
    X, c = rng.standard_normal((200, 20)), rng.standard_normal(20)
    y = np.where(X[:, :3].sum(axis=1) + rng.logistic(size=200) > 0, 1.0, -1.0)
    value, gradient = {
        "logistic": (lambda x: np.mean(np.logaddexp(0, -y * (X @ x))), lambda x: -X.T @ (y / (1 + np.exp(y * (X @ x)))) / 200),
        "exp": (lambda x: np.sum(np.exp(3 * c * x)), lambda x: 3 * c * np.exp(3 * c * x)),
        "quartic": (lambda x: np.sum((x - c) ** 4), lambda x: 4 * (x - c) ** 3),
        "square": (lambda x: np.sum((X @ x - y) ** 2), lambda x: 2 * X.T @ (X @ x - y)),
    }[kind]
    f, asked = counted(value, gradient)
    s = gh.minimize(f, gh.L1Ball(20, 2.0), solver, stop=gh.Relative(1e-5, floor=1.0) | gh.Iterations(100))
    beside = 12  # value and gradient are compared with each other at the start, and the end is certified
    assert len(asked["gradient"]) <= 2.0 * s.iterations + beside
    assert len(set(asked["gradient"])) >= len(asked["gradient"]) - beside  # a point that was looked at is not asked again
    assert s.trace["gradient_calls"][-1] <= len(asked["gradient"])
    exact = gh.minimize(gh.least_squares(X, y), gh.L1Ball(20, 2.0), stop=gh.Gap(1e-10)) if kind == "square" else None
    assert exact is None or s.value - s.gap <= 400 * exact.value + 1e-9


def test_bounds_are_those_that_the_record_holds():
    """With the least smoothness that a quadratic has, steps of 0.9 of the best may bring less than 2M/(k + 3) asks for."""
    rng = np.random.default_rng(1)
    c = rng.standard_normal(20)
    f = gh.function(lambda x: 0.5 * np.sum((x - c) ** 2), lambda x: x - c, (20,), smoothness=1.0)
    s = gh.minimize(f, gh.L1Ball(20, 1.0), gh.FrankWolfe(), stop=gh.Iterations(60))
    least = gh.minimize(gh.quadratic(np.eye(20), c), gh.L1Ball(20, 1.0), stop=gh.Gap(1e-12)).value + 0.5 * float(c @ c)
    for bound in s.bounds():
        assert s.value - least <= bound.value * (1 + 1e-9) + 1e-12


def test_a_saved_run_goes_on_bit_by_bit(tmp_path):
    c = np.random.default_rng(2).standard_normal(8)
    make = lambda: gh.function(lambda x: np.sum(np.exp(c * x)), lambda x: c * np.exp(c * x), (8,))
    S, solver, stop = gh.Simplex(8), gh.BlendedPairwise(), gh.Gap(1e-9) | gh.Iterations(40)
    whole = gh.minimize(make(), S, solver, stop=stop)
    for k in (1, 3, whole.iterations - 1):
        gh.minimize(make(), S, solver, stop=gh.Iterations(k), checkpoint=tmp_path / "run.npz")
        rest = gh.minimize(make(), S, solver, stop=stop, resume=tmp_path / "run.npz")
        assert rest.x.tobytes() == whole.x.tobytes() and rest.iterations == whole.iterations
