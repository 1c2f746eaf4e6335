"""Portfolios: against SLSQP, against their prices by differences, and words for bad input."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize as scipy_minimize

import greedyhull as gh
from greedyhull.apps import Portfolio, portfolio

pytest.importorskip("highspy")
rng = np.random.default_rng(0)
R = 0.02 * rng.standard_normal((150, 12)) @ (np.eye(12) + 0.2 * rng.random((12, 12))) + 0.003 * rng.random(12)
SECTORS = list("aaabbbcccddd")
COVARIANCE = np.cov(R, rowvar=False)


def by_slsqp(risk: float, rows: Any = (), upper: float = 1.0) -> float:
    f = lambda w: 0.5 * risk * w @ COVARIANCE @ w - R.mean(axis=0) @ w
    limits = [{"type": "eq", "fun": lambda w: w.sum() - 1}, *({"type": "ineq", "fun": row} for row in rows)]
    return float(scipy_minimize(f, np.full(12, 1 / 12), bounds=[(0, upper)] * 12, constraints=limits, method="SLSQP",
                                options={"ftol": 1e-14, "maxiter": 1000}).fun)


@pytest.mark.parametrize("risk", [1.0, 20.0])
def test_mean_and_variance_under_sector_caps(risk: float) -> None:
    found = portfolio(R, risk=risk, groups=SECTORS, group_upper=0.4, upper=0.25)
    rows = [lambda w, s=s: 0.4 - w[[k == s for k in SECTORS]].sum() for s in "abcd"]
    assert found.certificate.kind == "always" and found.solution.converged
    assert found.solution.value <= by_slsqp(risk, rows, 0.25) + 1e-9
    assert abs(found.weights.sum() - 1) < 1e-12 and found.weights.max() <= 0.25 + 1e-12
    assert all(price > 0 for price in found.prices.values()) and found.prices


def test_prices_are_what_a_little_more_is_worth() -> None:
    limits: dict[str, Any] = {"groups": SECTORS, "group_upper": dict.fromkeys("abcd", 0.35), "risk": 5.0, "tol": 1e-12}
    upper = {"3": 0.2, "7": 0.2}
    found = portfolio(R, upper=upper, **limits)
    assert isinstance(found, Portfolio) and len(found.prices) >= 2
    h = 1e-5
    for name, price in found.prices.items():
        kind, which = name.split()
        more = {**limits, "group_upper": {**limits["group_upper"], which: 0.35 + h}} if kind == "group" else limits
        after = portfolio(R, upper={**upper, which: 0.2 + h} if kind == "cap" else upper, **more)
        assert abs((found.solution.value - after.solution.value) / h - price) <= 1e-2 * price + 1e-7


def test_single_caps_have_prices_without_rows() -> None:
    found = portfolio(R, upper=0.1, tol=1e-12)
    more = portfolio(R, upper={**{str(j): 0.1 for j in range(12)}, next(iter(found.prices)).split()[1]: 0.1 + 1e-4}, tol=1e-12)
    price = next(iter(found.prices.values()))
    assert abs((found.solution.value - more.solution.value) / 1e-4 - price) <= 0.05 * price


def test_the_frontier_is_that_of_single_solves() -> None:
    risks = [1.0, 5.0, 50.0]
    found = portfolio(R, risk=risks, groups=SECTORS, group_upper=0.4)
    alone = [portfolio(R, risk=risk, groups=SECTORS, group_upper=0.4) for risk in risks]
    assert [round(one.solution.value, 10) for one in found] == [round(one.solution.value, 10) for one in alone]
    variances = [one.variance for one in found if one.variance is not None]
    assert variances == sorted(variances, reverse=True) and len(variances) == 3


def test_turnover_growth_tracking_and_own_rows() -> None:
    before = np.full(12, 1 / 12)
    traded = portfolio(R, risk=2.0, turnover=0.3, previous=before)
    assert np.abs(traded.weights - before).sum() <= 0.3 + 1e-9 and traded.prices["turnover"] > 0
    rows = [lambda w: 0.3 - np.abs(w - before).sum()]
    assert traded.solution.value <= by_slsqp(2.0, rows) + 1e-6
    grown = portfolio(R, risk="log", groups=SECTORS, group_upper=0.5)
    assert grown.solution.value <= -np.log1p(R @ before).mean()
    tracked = portfolio(R, benchmark=R[:, :4].mean(axis=1))
    assert np.allclose(tracked.weights[:4], 0.25, atol=1e-3)
    beta = rng.random(12)
    bound = portfolio(R, constraints={"beta": (beta, 0.4)})
    assert beta @ bound.weights <= 0.4 + 1e-9 and set(bound.prices) <= {"beta"}


def test_names_come_from_frames() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(R, columns=[f"asset{j}" for j in range(12)])
    found = portfolio(frame, groups={f"asset{j}": SECTORS[j] for j in range(12)}, group_upper={"a": 0.1})
    assert set(found.held()) <= set(frame.columns) and "group a" in found.prices and "asset" in next(iter(found.held()))
    names = list(frame.columns)
    assert portfolio(covariance=pd.DataFrame(COVARIANCE, index=names, columns=names)).names == names


@pytest.mark.parametrize("given, words", [
    ({}, "neither returns nor covariance"), ({"returns": R, "groups": SECTORS}, "belong together"),
    ({"returns": R, "groups": SECTORS[:3], "group_upper": 0.5}, "3 labels; 12 are wanted"),
    ({"returns": R, "groups": SECTORS, "group_upper": 0.2}, "Give at least 0.25"),
    ({"returns": R, "groups": SECTORS, "group_upper": {"z": 0.2}}, "'z', which is no group"),
    ({"returns": R, "turnover": 0.1}, "belong together"), ({"returns": R, "risk": -1.0}, "risk must be .* got -1"),
    ({"returns": R, "risk": "low"}, "got 'low'"), ({"covariance": COVARIANCE, "risk": 2.0}, "Give mean="),
    ({"covariance": COVARIANCE, "risk": "log"}, "without returns"), ({"returns": R, "benchmark": [1.0]}, "benchmark must"),
    ({"returns": R, "upper": {"nobody": 0.1}}, "unknown 'nobody'"), ({"returns": R, "upper": 0.01}, "sum to"),
    ({"returns": R, "constraints": [1]}, "a mapping"), ({"returns": R[:1]}, "two periods"),
    ({"returns": R, "groups": SECTORS, "group_upper": 0.5, "constraints": {"none": (np.ones(12), 0.5)}}, "No point satisfies"),
])
def test_bad_input_gets_words(given: dict[str, Any], words: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=words):
        portfolio(**given)


@pytest.mark.parametrize(("given", "words"), [
    ({"returns": 100.0 * np.exp(np.cumsum(R, axis=0))}, "looks like prices"), ({"returns": 1.0 + R}, "looks like prices"),
    ({"returns": R, "upper": 20}, "upper holds 20 and has no effect there.* give 0.2"),
    ({"returns": R, "upper": {"3": 5.0}}, "upper holds 5"),
    ({"returns": R, "groups": SECTORS, "group_upper": 60.0}, "group_upper holds 60"),
    ({"returns": R, "turnover": 30.0, "previous": np.full(12, 1 / 12)}, "turnover holds 30"),
])
def test_numbers_that_are_hardly_meant_are_warned_of(given: dict[str, Any], words: str) -> None:
    with pytest.warns(gh.GreedyhullWarning, match=words) as said:
        portfolio(**given)
    assert [Path(one.filename).name for one in said] == ["test_job.py"]


def test_usual_numbers_are_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        portfolio(np.abs(R), upper=1.0)  # a bond that never loses
        portfolio(R, turnover=2.0, previous=np.full(12, 1 / 12))


def test_short_positions_are_said_not_to_exist() -> None:
    with pytest.raises(TypeError, match="lower") as raised:
        portfolio(R, lower=-0.1)  # type: ignore[call-overload]
    assert "at least 0 and sum to 1, without short positions" in raised.value.__notes__[0]
    floor = {"floor": ({"3": -1.0}, -0.1)}
    assert portfolio(R, constraints=floor).weights[3] >= 0.1 - 1e-9  # as the note says


def test_a_covariance_whose_index_does_not_fit_is_named() -> None:
    Q = pd.DataFrame(COVARIANCE)
    Q.index, Q.columns = [f"a{j}" for j in range(len(Q))], [f"a{j}" for j in range(len(Q))]
    want = portfolio(covariance=Q).weights
    assert np.array_equal(portfolio(covariance=Q.iloc[::-1]).weights, want)
    with pytest.raises(gh.GreedyhullError, match="The index of covariance must have the labels of the assets, each once"):
        portfolio(covariance=Q.rename(index={"a0": "b"}))
    with pytest.raises(gh.GreedyhullError, match="upper must have the labels of the assets, each once; it repeats 'a1'"):
        portfolio(covariance=Q, upper=pd.Series(0.5, index=["a1", *Q.columns[1:]]))


def test_without_names_assets_have_the_labels_of_the_first_series() -> None:
    caps = pd.Series(np.linspace(0.1, 0.3, 12), index=list("abcdefghijkl"))
    found = portfolio(R, upper=caps, previous=pd.Series(1 / 12, index=caps.index[::-1]), turnover=0.5)
    assert found.names == list("abcdefghijkl")
    with pytest.raises(gh.GreedyhullError, match="the same integers in another order"):
        portfolio(R, upper=caps.set_axis(range(11, -1, -1)))
