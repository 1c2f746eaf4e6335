"""Jobs for which people reach for another tool: absolute deviations, mixtures, ensembles, Huber with an intercept, l2 balls.

Ours makes the objective and the set on the clock, and ends with a certified gap. A rival's answer is put into the set, and its
value compared with our lower bound: "excess" is what it lies above that. Both are relative to max(|value|, f.scale).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import greedyhull as gh
from benchmarks.mixture_sqp import mixture_weights
from benchmarks.tables import Table
from benchmarks.timing import interleaved

Array = Any
Answer = Callable[[], Array]


class Job(NamedTuple):
    """Ours, a function that returns a solution; the value of a rival's answer; and rivals by name."""

    ours: Callable[[], Any]
    value: Callable[[Array], float]
    rivals: dict[str, Answer]


def rivals_by_job(repeats: int = 7, only: tuple[str, ...] = ()) -> Iterator[Table]:
    table = Table("rivals_by_job", "Jobs beside the tools that people use for them: milliseconds", (
        "job", "ours", "rounds", "our relative gap", "rival", "its time", "rival/ours", "its excess"))
    for name, make in jobs().items():
        if not only or any(word in name for word in only):
            table.rows.extend(_rows(name, make(), repeats, table.notes))
    yield table


def jobs() -> dict[str, Callable[[], Job]]:
    found: dict[str, Callable[[], Job]] = {}
    for n, d in ((1000, 10), (1000, 50), (5000, 20)):
        found[f"absolute deviations {n}×{d}, l1 ball"] = partial(absolute_job, n, d)
        found[f"absolute deviations {n}×{d}, intercept"] = partial(median_job, n, d)
    for n, m in ((20_000, 300), (100_000, 1000)):
        found[f"mixture {n}×{m}"] = partial(mixture_job, n, m)
    found["ensemble 50000×300"] = partial(ensemble_job, 50_000, 300)
    found["Huber 1000×100, intercept"] = partial(huber_job, 1000, 100)
    found["l2 ball, interpolation 100×2000"] = partial(ball_job, 100, 2000)
    return found


def regression(n: int, d: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(d)
    X = rng.standard_normal((n, d))
    return X, X @ rng.standard_normal(d) + rng.standard_t(2, n)


# --- the jobs ------------------------------------------------------------------------------------------------------


def absolute_job(n: int, d: int) -> Job:
    """Least absolute deviations over an l1 ball that binds; the linear program for HiGHS."""
    X, y = regression(n, d)
    radius = 0.5 * float(np.abs(np.linalg.lstsq(X, y, rcond=None)[0]).sum())
    return Job(lambda: gh.minimize(gh.absolute(X, y), gh.L1Ball(d, radius), stop=gh.Relative(1e-6)),
               lambda w: float(np.abs(X @ inside(w, radius) - y).mean()), {"HiGHS": partial(by_highs, X, y, radius)})


def median_job(n: int, d: int) -> Job:
    """Median regression with an intercept, in a ball that holds the minimiser."""
    X, y = regression(n, d)
    radius = 2.0 * float(np.abs(np.linalg.lstsq(X, y, rcond=None)[0]).sum())

    def value(w: Array) -> float:
        r = y - X @ inside(w, radius)
        return float(np.abs(r - np.median(r)).mean())

    return Job(lambda: gh.minimize(gh.absolute(X, y, intercept=True), gh.L1Ball(d, radius), stop=gh.Relative(1e-6)), value,
               {"QuantileRegressor": partial(by_quantile_regressor, X, y), "scikit-lego": partial(by_lego, X, y)})


def mixture_job(n: int, m: int) -> Job:
    """The nonparametric maximum likelihood of a normal mixture on a grid."""
    rng = np.random.default_rng(0)
    x = rng.choice([0.0, 2.0, 5.0], size=n) + rng.standard_normal(n)
    P = np.exp(-0.5 * (x[:, None] - np.linspace(x.min(), x.max(), m)) ** 2)
    return Job(lambda: gh.minimize(gh.log_likelihood(P), gh.Simplex(m), stop=gh.Relative(1e-8)),
               lambda w: -float(np.log(P @ w).mean()), {"mixsqp's method": partial(mixture_weights, P)})


def ensemble_job(n: int, m: int) -> Job:
    """Weights of many classifiers by log-loss."""
    from greedyhull.estimators import EnsembleClassifier

    rng = np.random.default_rng(0)
    y, skill, common = rng.integers(0, 2, n), rng.uniform(0.2, 1.5, m), rng.standard_normal(n)
    P = 1.0 / (1.0 + np.exp(-(0.7 * (2 * y - 1)[:, None] * skill + rng.standard_normal((n, m)) + common[:, None])))
    right = lambda: np.where(y[:, None] == 1, P, 1.0 - P)
    return Job(lambda: EnsembleClassifier().fit(P, y).solution_, lambda w: -float(np.log(right() @ w).mean()),
               {"SLSQP": lambda: by_slsqp(right()), "greedy selection, 50 rounds": lambda: by_greedy(right(), 50)})


def huber_job(n: int, d: int) -> Job:
    """With an intercept; the rival is ours without one."""
    X, y = regression(n, d)
    S = gh.L1Ball(d, 0.5 * float(np.abs(np.linalg.lstsq(X, y, rcond=None)[0]).sum()))
    f = gh.huber(X, y, intercept=True)
    solve = lambda intercept: gh.minimize(gh.huber(X, y, intercept=intercept), S, stop=gh.Relative(1e-8))
    return Job(lambda: solve(True), lambda w: float(gh.certify(f, S, w).value or 0.0),
               {"ours, no intercept": lambda: solve(False).x})


def ball_job(n: int, d: int) -> Job:
    """Least squares with more columns than rows, in an l2 ball that holds interpolating points."""
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((n, d)), rng.standard_normal(d)
    y, radius = X @ w, float(np.linalg.norm(w))
    return Job(lambda: gh.minimize(gh.least_squares(X, y), gh.L2Ball(d, radius), stop=gh.Relative(1e-8)),
               lambda w: 0.5 * float(np.mean((X @ w - y) ** 2)), {"lstsq": lambda: np.linalg.lstsq(X, y, rcond=None)[0]})


# --- the rivals ----------------------------------------------------------------------------------------------------


def inside(w: Array, radius: float) -> Array:
    """w, or the multiple of it on the l1 ball."""
    return w * min(1.0, radius / max(float(np.abs(w).sum()), 1e-300))


def by_highs(X: Array, y: Array, radius: float) -> Array:
    from scipy import sparse
    from scipy.optimize import linprog

    n, d = X.shape
    A = sparse.hstack([sparse.csr_array(X), sparse.csr_array(-X), -sparse.eye_array(n), sparse.eye_array(n)]).tocsc()
    found = linprog(np.append(np.zeros(2 * d), np.full(2 * n, 1.0 / n)), np.append(np.ones(2 * d), np.zeros(2 * n))[None, :],
                    [radius], A, y)
    return found.x[:d] - found.x[d : 2 * d]


def by_quantile_regressor(X: Array, y: Array) -> Array:
    from sklearn.linear_model import QuantileRegressor

    return QuantileRegressor(quantile=0.5, alpha=0.0).fit(X, y).coef_


def by_lego(X: Array, y: Array) -> Array:
    from sklego.linear_model import LADRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LADRegression().fit(X, y).coef_


def by_slsqp(Q: Array) -> Array:
    from scipy.optimize import minimize

    m = Q.shape[1]

    def value_gradient(w: Array) -> tuple[float, Array]:
        z = Q @ w
        return -float(np.log(z).mean()), -(Q.T @ (1.0 / z)) / len(z)

    sum_to_one = {"type": "eq", "fun": lambda w: w.sum() - 1.0, "jac": lambda w: np.ones(m)}
    found = minimize(value_gradient, np.full(m, 1.0 / m), jac=True, bounds=[(0.0, 1.0)] * m, constraints=sum_to_one,
                     method="SLSQP", options={"maxiter": 300, "ftol": 1e-9})
    w = np.maximum(found.x, 0.0)
    return w / w.sum()


def by_greedy(Q: Array, rounds: int) -> Array:
    """Ensemble selection with replacement: the model that lowers the loss most joins, round after round."""
    Q = np.asfortranarray(Q)
    total, count = np.zeros(len(Q)), np.zeros(Q.shape[1])
    for _ in range(rounds):
        j = int(np.argmin([-np.log(total + column).sum() for column in Q.T]))
        total, count[j] = total + Q[:, j], count[j] + 1
    return count / rounds


def _rows(name: str, job: Job, repeats: int, notes: list[str]) -> Iterator[tuple[Any, ...]]:
    s = job.ours()
    unit = max(abs(s.value), s.objective.scale)
    rivals, excess = {}, {}
    for rival, call in job.rivals.items():
        try:
            excess[rival] = (job.value(call()) - s.certificate.lower) / unit
            rivals[rival] = call
        except ModuleNotFoundError as missing:
            notes.append(f"{rival} is left out: {missing.name} is not installed.")
    times = {who: 1e3 * t for who, t in interleaved({"ours": job.ours, **rivals}, repeats).items()}
    for rival in rivals:
        yield name, times["ours"], s.iterations, s.gap / unit, rival, times[rival], times[rival] / times["ours"], excess[rival]
