"""Several responses and several classes: ours to a certified gap, beside rivals that are told the penalty of the radius.

Rivals minimise f(W) + λ‖W‖ with the nuclear or the l1 norm. Their error is measured with the clock stopped: how far this is
above its minimum, which our solution at a small gap tells, relative to f(0).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np

import greedyhull as gh
from benchmarks.tables import Table
from benchmarks.timing import seconds

PATIENCE = 60.0  # seconds after which a rival is stopped
TOLERANCES = tuple(10.0**-k for k in range(2, 11))  # that scikit-learn is run with, the first that is good enough counts
GOALS = (1e-3, 1e-5)


class Case(NamedTuple):
    """An objective over a set, and all that a rival needs: how to make value and gradient, which it does with the clock
    running, the proximal map of λ times the norm, the norm, a bound on the curvature.

    ``anew`` makes the objective, with the clock stopped. Each run has one of its own, for objectives keep what they compute
    of the data."""

    name: str
    anew: Callable[[], Any]
    S: Any
    make: Callable[[], Callable[[Any], tuple[float, Any]]]
    shrunk: Callable[[Any, float], Any]
    norm: Callable[[Any], float]
    bend: float


def singular(W: Any, by: float) -> Any:
    U, s, V = np.linalg.svd(W, full_matrices=False)
    return (U * np.maximum(s - by, 0.0)) @ V


def entries(W: Any, by: float) -> Any:
    return np.sign(W) * np.maximum(np.abs(W) - by, 0.0)


def nuclear(W: Any) -> float:
    return float(np.linalg.svd(W, compute_uv=False).sum())


def total(W: Any) -> float:
    return float(np.abs(W).sum())


def multitask(correlation: float, c: int = 50) -> Case:
    """Five hidden combinations of features, neighbours of which are correlated, drive c responses."""
    rng = np.random.default_rng(0)
    n, d = 2000, 500
    X = rng.standard_normal((n, d))
    for j in range(1, d):
        X[:, j] = correlation * X[:, j - 1] + (1.0 - correlation**2) ** 0.5 * X[:, j]
    W = rng.standard_normal((d, 5)) @ rng.standard_normal((5, c)) / 20.0
    Y = X @ W + rng.standard_normal((n, c))

    def make() -> Callable[[Any], tuple[float, Any]]:
        K, B, rest = X.T @ X / n, X.T @ Y / n, 0.5 * float((Y * Y).sum()) / n

        def smooth(W: Any) -> tuple[float, Any]:
            KW = K @ W
            return 0.5 * float((W * KW).sum()) - float((W * B).sum()) + rest, KW - B

        return smooth

    name = f"multitask {n}x{d}x{c}, correlation {correlation:g}, nuclear norm"
    return Case(name, lambda: gh.multitask(X, Y), gh.NuclearBall((d, c), 0.8 * nuclear(W)), make, singular, nuclear,
                float(np.linalg.norm(X, 2)) ** 2 / n)


def digits() -> tuple[Any, Any]:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return X / 16.0, y


def classes(low_rank: bool) -> Case:
    X, y = digits()
    n, hot = len(y), np.eye(10)[y]

    def smooth(W: Any) -> tuple[float, Any]:
        z = X @ W
        z -= z.max(axis=1, keepdims=True)
        e = np.exp(z)
        s = e.sum(axis=1, keepdims=True)
        return float(np.log(s).sum() - (hot * z).sum()) / n, X.T @ (e / s - hot) / n

    bend = 0.5 * float(np.linalg.norm(X, 2)) ** 2 / n
    if low_rank:
        return Case("multinomial digits, nuclear norm", lambda: gh.multinomial(X, y), gh.NuclearBall((64, 10), 40.0),
                    lambda: smooth, singular, nuclear, bend)
    return Case("multinomial digits, l1 norm", lambda: gh.multinomial(X, y), gh.L1Ball((64, 10), 100.0), lambda: smooth,
                entries, total, bend)


def accelerated(case: Case, penalty: float) -> Iterator[Any]:
    """Accelerated proximal gradient (Beck and Teboulle 2009), begun anew where it turns round (O'Donoghue and Candès 2015)."""
    W = V = np.zeros(case.S.shape)
    t, smooth = 1.0, case.make()
    while True:
        _, G = smooth(V)
        new = case.shrunk(V - G / case.bend, penalty / case.bend)
        if float(((V - new) * (new - W)).sum()) > 0.0:
            t, V = 1.0, W
            _, G = smooth(V)
            new = case.shrunk(V - G / case.bend, penalty / case.bend)
        later = 0.5 * (1.0 + (1.0 + 4.0 * t * t) ** 0.5)
        V, W, t = new + (t - 1.0) / later * (new - W), new, later
        yield W


def times_to(rival: Iterator[Any], case: Case, penalty: float, least: float, goals: tuple[float, ...]) -> list[float | None]:
    """The seconds until a rival is within each of ``goals``; None where its patience ends first."""
    spent, found, times, smooth = 0.0, [], [], case.make()
    while spent < PATIENCE and len(times) < len(goals):
        spent += seconds(lambda: found.append(next(rival)))
        W = found.pop()
        off = smooth(W)[0] + penalty * case.norm(W) - least
        times += [spent for goal in goals[len(times) :] if off <= goal]
    return times + [None] * (len(goals) - len(times))


def saga(case: Case, penalty: float, least: float, goals: tuple[float, ...]) -> list[float | None]:
    """scikit-learn's SAGA: for each goal the time of the first tolerance with which it is good enough."""
    from sklearn.linear_model import LogisticRegression

    X, y = digits()
    times: list[float | None] = []
    for tol in TOLERANCES:
        model = LogisticRegression(l1_ratio=1.0, C=1.0 / (len(y) * penalty), solver="saga", tol=tol, max_iter=100_000,
                                   fit_intercept=False, random_state=0)
        with catch_warnings():
            simplefilter("ignore")
            spent = seconds(lambda model=model: model.fit(X, y))  # type: ignore[misc]
        W = model.coef_.T
        off = case.make()(W)[0] + penalty * case.norm(W) - least
        times += [spent for goal in goals[len(times) :] if off <= goal]
        if len(times) == len(goals) or spent > PATIENCE:
            break
    return times + [None] * (len(goals) - len(times))


def measured(case: Case, repeats: int) -> Iterator[tuple[object, ...]]:
    f = case.anew()
    best = gh.minimize(f, case.S, stop=gh.Relative(0.01 * GOALS[-1]) | gh.Seconds(20.0))
    penalty = -best.point.dot(f.gradient(best.point)) / case.S.radius
    least, scale = best.value + penalty * case.S.radius, f.scale
    goals = tuple(goal * scale for goal in GOALS)
    ours: list[list[float]] = [[] for _ in GOALS]
    proximal, stochastic = [], []
    for _ in range(repeats):  # in turns, so that a slow minute slows everybody alike
        for k, goal in enumerate(GOALS):
            f = case.anew()
            ours[k].append(seconds(lambda f=f, goal=goal: gh.minimize(f, case.S, stop=gh.Relative(goal))))  # type: ignore[misc]
        proximal.append(times_to(accelerated(case, penalty), case, penalty, least, goals))
        stochastic.append(saga(case, penalty, least, goals) if "l1" in case.name else [None] * len(goals))
    for k, goal in enumerate(GOALS):
        rivals = [middle([turn[k] for turn in turns]) for turns in (proximal, stochastic)]
        faster = [None if rival is None else rival / median(ours[k]) for rival in rivals]
        yield case.name, goal, median(ours[k]), rivals[0], faster[0], rivals[1], faster[1]


def middle(times: list[float | None]) -> float | None:
    known = [t for t in times if t is not None]
    return median(known) if len(known) == len(times) else None


def responses(repeats: int = 5, only: tuple[str, ...] = ()) -> Iterator[Table]:
    table = Table("responses", "Several responses and classes: seconds to a relative gap", (
        "case", "gap", "ours, certified", "proximal gradient", "times ours", "scikit-learn SAGA", "times ours "))
    for make in (lambda: multitask(0.0), lambda: multitask(0.5), lambda: multitask(0.95), lambda: multitask(0.95, 5),
                 lambda: classes(True), lambda: classes(False)):
        case = make()
        if not only or any(word in case.name for word in only):
            table.rows += measured(case, repeats)
    yield table
