"""Intercepts are found in few trips, from any prediction, and what is known of their error is true."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pieces import Pieces

import greedyhull as gh
from greedyhull.objectives.sharded.intercepts import settled


def asking(slope: Any, curve: Any) -> tuple[Any, list[float]]:
    """A question about a function of b alone, and where it was asked."""
    asked: list[float] = []

    def ask(b: float, beside: Any) -> dict[str, Any]:
        asked.append(b)
        with np.errstate(all="ignore"):
            more = np.array([[slope(b + step), curve(b + step)] for step in beside])
        return {"residual": np.array(slope(b)), "curve": np.array(curve(b)), "spread": np.array(1.0),
                "square": np.array(1e-4), "beside": more}

    return ask, asked


@pytest.mark.parametrize("root", [-5.0, -0.3, 0.0, 1e-9, 2.0])
@pytest.mark.parametrize("first", [-3.0, 0.0, 0.5])
def test_the_best_intercept_is_found_from_anywhere(root, first):
    for slope, curve in ((np.tanh, lambda t: 1.0 - np.tanh(t) ** 2), (np.expm1, np.exp),
                         (lambda t: np.clip(t, -1.0, 1.0), lambda t: float(abs(t) < 1.0))):
        ask, asked = asking(lambda b, of=slope: float(of(b - root)), lambda b, of=curve: float(of(b - root)))
        found = settled(ask, first, 10)
        assert found.b == pytest.approx(root, abs=1e-12) and len(asked) <= 12
        assert abs(found.b - root) <= found.apart or found.b == root


def test_a_close_prediction_takes_two_trips():
    ask, asked = asking(lambda b: float(np.tanh(b - 0.3)), lambda b: float(1.0 / np.cosh(b - 0.3) ** 2))
    assert settled(ask, 0.25, 10).b == pytest.approx(0.3, abs=1e-14) and len(asked) <= 3


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n", "d", "radius"), [(500, 20, 1.0), (1000, 100, 3.0), (2000, 30, 50.0)])
def test_a_newton_step_takes_about_two_trips(n, d, radius, seed, monkeypatch):
    from greedyhull.solvers.parts import working_set

    steps: list[int] = []
    newton = working_set.newton_step
    monkeypatch.setattr(working_set, "newton_step", lambda *about: steps.append(1) or newton(*about))
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + 0.3
    y = np.where(X[:, :5].sum(axis=1) + rng.logistic(size=n) > 1.0, 1.0, -1.0)
    f, S = gh.logistic(Pieces(X, y, [n // 3, n // 2]), intercept=True), gh.L1Ball(d, radius)
    s = gh.minimize(f, S, gh.Corrective(), stop=gh.Relative(1e-8))
    whole = gh.minimize(gh.logistic(X, y, intercept=True), S, stop=gh.Relative(1e-8))
    assert s.converged and f.trips <= 2 * len(steps) + 5
    assert abs(s.value - whole.value) <= s.gap + whole.gap
