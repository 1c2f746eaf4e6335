"""Slopes at two intercepts are mixed to ones that sum to zero, and what is said of their φ* is true."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from greedyhull.objectives.losses.piecewise import Absolute, EpsilonInsensitive, Hinge
from greedyhull.remote.intercepts import Settled, balanced, dual, mixed

rng = np.random.default_rng(0)
Z, Y = rng.standard_normal(40), 3.0 * rng.standard_normal(40)
LOSSES: list[Any] = [Absolute(Y, 1 / 40), Hinge(np.sign(Y), 1 / 40), EpsilonInsensitive(Y, 1 / 40, 0.5)]


def told(loss: Any, mu: float, b: float, off: float, beside: Any = None) -> dict[str, Any]:
    """What a trip brings of one column of ones."""
    soft = loss.smoothed(mu)
    value, r = soft.first_order(Z + b)
    sides = [soft.first_order(Z + b - off), soft.first_order(Z + b + off)]
    more = [soft.first_order(Z + b + step) for step in ([] if beside is None else beside)]
    return {"value": np.array(value), "residual": np.array(r.sum()), "gradient": r, "dot": np.array(r.dot(Z + b)),
            "sharp": np.array(loss.value(Z + b)), "dual": np.array(loss.conjugate(r)), "size": np.array(1.0),
            "sides": np.array([[v, s.sum()] for v, s in sides]), "derivatives": np.stack([s for _, s in sides]),
            "duals": np.array([loss.conjugate(s) for _, s in sides]), "beside": np.array([[v, s.sum()] for v, s in more])}


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_a_mixture_sums_to_zero_and_its_conjugate_is_no_more_than_said(loss):
    zero = 0
    for _ in range(200):
        at = Settled(told(loss, mu := float(10.0 ** rng.uniform(-6, 1)), b := float(rng.normal()), off := float(rng.random())),
                     b, off)
        correction, change = mixed(at)
        s = at.sums["gradient"] + correction.t * change
        assert 0.0 <= correction.t <= 1.0 and s.sum() == pytest.approx(correction.left, abs=1e-14)
        assert loss.conjugate(s) <= dual(at, correction) + 1e-14
        soft = loss.smoothed(mu)
        cost = soft.value(Z + b) - min(soft.value(Z + b + step) for step in np.linspace(-3.0, 3.0, 601))
        if correction.left == 0.0:
            zero += 1
            assert cost <= correction.error + 1e-12 and correction.error <= off * abs(float(at.sums["residual"])) + 1e-14
    assert 10 <= zero < 200


@pytest.mark.parametrize("mu", [1e-10, 1e-3, 1.0])
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_best_intercept_is_found_in_few_trips(loss, mu):
    asked: list[float] = []

    def ask(b: float, off: float, beside: Any) -> dict[str, Any]:
        asked.append(b)
        return told(loss, mu, b, off, beside)

    for first in (-30.0, 0.0, 0.4):
        asked.clear()
        found = balanced(ask, first, 1e-3, None, 100.0)
        least = min(loss.value(Z + b) for b in np.append(loss.y - Z, np.concatenate([loss.y - Z - 0.5, loss.y - Z + 0.5])))
        assert mixed(found)[0].left == 0.0 and len(asked) <= 14
        assert float(found.sums["sharp"]) <= least + mu
