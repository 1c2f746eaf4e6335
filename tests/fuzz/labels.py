"""Cases of labelled data: shuffled frames and series have the answer of the arrays, and damaged labels are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import greedyhull as gh
from greedyhull.types import Array
from tests.fuzz.attempts import attempt
from tests.fuzz.draws import Rng, chance, pick
from tests.fuzz.judge import Finding
from tests.fuzz.records import Record
from tests.fuzz.solves import Say

STOP = gh.Relative(1e-8) | gh.Iterations(50)


class Job(NamedTuple):
    """A call, its arguments as arrays, and what the axes of each are: rows (r), coordinates (c) or neither (-).

    The first argument decides about the order.
    """

    name: str
    call: Callable[..., gh.Certificate]
    given: dict[str, tuple[Array, str]]


def labels(rng: Rng, say: Say) -> list[Record]:
    """The same job with arrays and with labels, each argument shuffled by itself but for the first."""
    try:
        import pandas as pd
    except ImportError:
        return []
    n, d = int(rng.integers(3, 12)), int(rng.integers(2, 7))
    job = pick(rng, (_loss, _quadratic, _portfolio, _fit))(rng, n, d)
    if job is None:
        return []
    names = {"r": _names(rng, n), "c": _names(rng, d)}
    first, *rest = job.given
    damaged = pick(rng, rest) if chance(rng, 0.3) else None
    given = {}
    for name, (array, axes) in job.given.items():
        kept: list[Any] = [names.get(axis) for axis in axes]
        orders = [np.arange(k) if name == first else rng.permutation(k) for k in array.shape]
        if name == damaged:
            at = next(k for k, axis in enumerate(axes) if axis in names)
            kept[at] = _spoiled(rng, kept[at])
        made: Any = pd.DataFrame if array.ndim == 2 else pd.Series
        thing = made(array, **{key: one for key, one in zip(("index", "columns"), kept, strict=False) if one is not None})
        places = [order if one is not None else np.arange(len(order)) for order, one in zip(orders, kept, strict=True)]
        given[name] = thing.iloc[tuple(places)] if array.ndim == 2 else thing.iloc[places[0]]
    say(f"{job.name} with {', '.join(given)}; labels such as {names['c'][0]!r}, damaged: {damaged}")
    plain = attempt(lambda: job.call(**{name: array for name, (array, _) in job.given.items()}))
    named = attempt(lambda: job.call(**given))
    record = Record(job.name, "labels", "").take(named)
    record.status = "always" if named.result is not None else record.status
    say(f"arrays: {plain.result} {plain.refused}{plain.raw}\nlabels: {named.result} {named.refused}{named.raw}")
    if damaged is None and not _same(plain.result, named.result):
        record.findings.append(Finding("false", f"labels, {job.name}", f"{named.result} {named.refused} with labels, "
                                                                       f"{plain.result} {plain.refused} without"))
    if damaged is not None and named.result is not None:
        record.findings.append(Finding("accepted", f"labels, {job.name}", f"{damaged} has labels that do not fit"))
    return [record]


def _same(one: gh.Certificate | None, other: gh.Certificate | None) -> bool:
    """Whether both were refused, or have the same value as far as their gaps allow; sums round differently."""
    if one is None or other is None or one.value is None or other.value is None:
        return one is None and other is None
    return abs(one.value - other.value) <= (one.gap or 0.0) + (other.gap or 0.0) + 1e-12 * (1.0 + abs(one.value))


def _names(rng: Rng, k: int) -> list[Any]:
    """Distinct labels in any order: text, dates, integers that do not count from 0, or pairs."""
    order = rng.permutation(k).tolist()
    kind = pick(rng, ("text", "dates", "integers", "pairs"))
    if kind == "dates":
        return [np.datetime64("2020-01-01") + j for j in order]
    return [{"text": f"n{j}", "integers": 10 + 7 * j, "pairs": (j // 2, "ab"[j % 2])}[kind] for j in order]


def _spoiled(rng: Rng, names: list[Any]) -> list[Any]:
    """One label replaced by one that is unknown, or by another one."""
    at = int(rng.integers(len(names)))
    other = names[at - 1] if chance(rng, 0.5) else "nobody"
    return [other if k == at else name for k, name in enumerate(names)]


def _samples(rng: Rng, n: int, d: int) -> dict[str, tuple[Array, str]]:
    found = {"X": (rng.standard_normal((n, d)), "rc"), "y": (rng.choice([-1.0, 1.0], n), "r")}
    if chance(rng, 0.5):
        found["sample_weight"] = rng.uniform(0.1, 1.0, n), "r"
    return found


def _loss(rng: Rng, n: int, d: int) -> Job:
    make: Any = pick(rng, (gh.least_squares, gh.logistic, gh.huber, gh.squared_hinge, gh.absolute, gh.hinge))
    S = pick(rng, (gh.Simplex(d), gh.L1Ball(d, 1.0)))
    return Job(make.__name__, lambda **given: gh.minimize(make(**given), S, stop=STOP).certificate, _samples(rng, n, d))


def _quadratic(rng: Rng, n: int, d: int) -> Job:
    F = rng.standard_normal((n, d))
    given = {"factors": (F, "-c"), "Q": (rng.random(d), "c")} if chance(rng, 0.5) else {"Q": (F.T @ F, "cc")}
    return Job("quadratic", lambda **given: gh.minimize(gh.quadratic(**given), gh.Simplex(d), stop=STOP).certificate,
               {**given, "b": (rng.standard_normal(d), "c")})


def _portfolio(rng: Rng, n: int, d: int) -> Job:
    from greedyhull.apps import portfolio

    R = 0.02 * rng.standard_normal((n, d))
    given = {"returns": (R, "-c"), "previous": (rng.dirichlet(np.ones(d)), "c"), "upper": (rng.uniform(0.5, 1.0, d), "c")}
    if chance(rng, 0.5):
        given["covariance"] = np.cov(R.T).reshape(d, d), "cc"
    if chance(rng, 0.5):
        given["mean"] = rng.standard_normal(d), "c"
    return Job("portfolio", lambda **given: portfolio(risk=1.0, turnover=1.0, **given).certificate, given)


def _fit(rng: Rng, n: int, d: int) -> Job | None:
    try:
        from greedyhull.estimators import GroupBudgetRegressor, L1BudgetClassifier, SimplexRegressor
    except ImportError:  # scikit-learn is not there
        return None
    given = _samples(rng, n, d)
    given["y"][0][:2] = -1.0, 1.0
    made: list[tuple[Any, str | None]] = [(SimplexRegressor, "upper"), (GroupBudgetRegressor, "groups"),
                                          (L1BudgetClassifier, None)]
    make, own = pick(rng, made)
    if own is not None:
        given[own] = (rng.uniform(0.5, 1.0, d) if own == "upper" else rng.integers(0, 2, d)), "c"

    def call(**given: Any) -> gh.Certificate:
        model = make(**{own: given.pop(own)}) if own is not None else make()
        found: gh.Certificate = model.fit(**given).certificate_
        return found

    return Job(make.__name__, call, given)
