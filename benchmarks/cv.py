"""Cross-validation and whole paths beside LassoCV, LogisticRegressionCV, and the paths of celer and skglm.

Rivals have their default tolerances. Those without a cross-validation of their own are given the loop over folds: data without
each fold, centred beforehand where the path knows no intercept, and one path for each.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from math import exp, log
from typing import Any

import numpy as np

import greedyhull as gh
from benchmarks.tables import Table
from benchmarks.timing import interleaved

Array = Any
COUNT, FOLDS, LEAST = 50, 5, 1e-3  # penalties, folds, and the last penalty as a share of the first
TOL = 1e-4  # of celer's and scikit-learn's estimators


def cv(repeats: int = 3, only: tuple[str, ...] = ()) -> Iterator[Table]:
    """Three tables: regression, classification, and paths without folds."""
    for part in (regression, classification, paths):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield part(repeats, only)


def cases() -> Iterator[tuple[str, Callable[[], tuple[Any, Array]]]]:
    from sklearn.datasets import load_diabetes

    yield "500×2000 correlated", partial(made, 500, 2000, 50, 0.9)
    yield "500×2000 independent", partial(made, 500, 2000, 50, 0.0)
    yield "200×5000", partial(made, 200, 5000, 30, 0.5)
    yield "2000×200", partial(made, 2000, 200, 40, 0.5)
    yield "442×10 diabetes", partial(load_diabetes, return_X_y=True)
    yield "5000×50", partial(made, 5000, 50, 20, 0.5)
    yield "2000×10000 sparse", partial(sparse, 2000, 10_000, 0.01)


def real(only: tuple[str, ...]) -> Iterator[tuple[str, Callable[[], tuple[Any, Array]]]]:
    """Real data with two classes, which ship with scikit-learn: malignant tumours among benign ones."""
    from sklearn.datasets import load_breast_cancer

    def standardized() -> tuple[Array, Array]:
        X, y = load_breast_cancer(return_X_y=True)
        return np.asfortranarray((X - X.mean(axis=0)) / X.std(axis=0)), y

    if not only or any(word in "569×30 breast cancer" for word in only):
        yield "569×30 breast cancer", standardized


def made(n: int, d: int, k: int, rho: float) -> tuple[Array, Array]:
    """Columns whose correlation falls by ``rho`` from each to the next, k of them relevant, half as much noise as signal."""
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((n, d))
    X = noise.copy()
    for j in range(1, d):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1.0 - rho * rho) * noise[:, j]
    z = X[:, rng.choice(d, k, replace=False)] @ rng.standard_normal(k)
    return np.asfortranarray(X), z + 0.5 * z.std() * rng.standard_normal(n)


def sparse(n: int, d: int, density: float) -> tuple[Any, Array]:
    from scipy.sparse import random

    rng = np.random.default_rng(0)
    X = random(n, d, density=density, format="csc", random_state=0)
    z = X[:, rng.choice(d, 50, replace=False)] @ (3.0 * rng.standard_normal(50))
    return X, z + 0.5 * z.std() * rng.standard_normal(n)


def here(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def regression(repeats: int, only: tuple[str, ...]) -> Table:
    from sklearn.linear_model import LassoCV

    from greedyhull.estimators import L1BudgetRegressorCV

    table = Table("cv_regression", f"Seconds of a cross-validation, {COUNT} radii or penalties × {FOLDS} folds", (
        "case", "L1BudgetRegressorCV", "LassoCV", "celer", "skglm", "best/ours", "our MSE", "MSE of LassoCV", "certified gap"))
    for name, make in chosen(only):
        X, y = make()
        ours, lasso = L1BudgetRegressorCV(radii=COUNT, cv=FOLDS), LassoCV(alphas=COUNT, cv=FOLDS)
        calls: dict[str, Callable[[], Any]] = {"ours": partial(ours.fit, X, y), "LassoCV": partial(lasso.fit, X, y)}
        if here("celer"):
            calls["celer"] = partial(in_folds, celer_lasso, X, y)
        if here("skglm") and isinstance(X, np.ndarray):
            calls["skglm"] = partial(in_folds, skglm_lasso, X, y)
        times = after_one(calls, repeats)
        table.rows.append((name, *cells(times, ("ours", "LassoCV", "celer", "skglm")),
                           2.0 * float(ours.cv_losses_.mean(axis=1).min()), float(lasso.mse_path_.mean(axis=1).min()),
                           ours.dual_gap_ / ours.solution_.objective.scale))
    return with_mean(table, 5)


def classification(repeats: int, only: tuple[str, ...]) -> Table:
    from sklearn.linear_model import LogisticRegressionCV

    from greedyhull.estimators import L1BudgetClassifierCV

    table = Table("cv_classification", f"The same for two classes, 20 radii or penalties × {FOLDS} folds", (
        "case", "L1BudgetClassifierCV", "LogisticRegressionCV", "celer", "best/ours", "certified gap"))
    for name, make in (*chosen(only), *real(only)):
        X, y = make()
        t = y > np.median(y) if len(np.unique(y)) > 2 else y > 0
        ours = L1BudgetClassifierCV(radii=20, cv=FOLDS)
        rows = len(y) * 0.5 * first(X, np.where(t, 1.0, -1.0)) * np.geomspace(1.0, LEAST, 20)
        lasso = LogisticRegressionCV(Cs=1.0 / rows, cv=FOLDS, penalty="l1", solver="liblinear", scoring="neg_log_loss")
        calls: dict[str, Callable[[], Any]] = {"ours": partial(ours.fit, X, t), "theirs": partial(lasso.fit, X, t)}
        if here("celer"):
            calls["celer"] = partial(in_folds, celer_logistic, X, np.where(t, 1.0, -1.0), 20)
        times = after_one(calls, repeats)
        table.rows.append((name, *cells(times, ("ours", "theirs", "celer")),
                           ours.dual_gap_ / ours.solution_.objective.scale))
    return with_mean(table, 4)


def paths(repeats: int, only: tuple[str, ...]) -> Table:
    from sklearn.linear_model import lasso_path

    table = Table("cv_paths", "Milliseconds of one path on centred data, 100 radii or penalties to a hundredth of the first", (
        "case", "gh.path 1e-4", "gh.path 1e-6", "lasso_path", "celer", "skglm", "best/ours", "our worst gap", "celer's"))
    for name, make in chosen(only):
        X, y = make()
        X, y = centred(X), y - y.mean()
        alphas = first(X, y) * np.geomspace(1.0, 0.01, 100)
        W = lasso_path(X, y, alphas=alphas, tol=1e-6)[1]
        radii, f0 = np.unique(np.abs(W).sum(axis=0)[1:]), 0.5 * float(y @ y) / len(y)
        calls: dict[str, Callable[[], Any]] = {
            str(tol): partial(follow, X, y, radii, tol) for tol in (1e-4, 1e-6)}
        calls["lasso_path"] = partial(lasso_path, X, y, alphas=alphas)
        gap = None
        if here("celer"):
            calls["celer"] = partial(celer_lasso, X, y, alphas)
            gap = float(celer_gaps(X, y, alphas).max()) / f0
        if here("skglm") and isinstance(X, np.ndarray):
            calls["skglm"] = partial(skglm_lasso, X, y, alphas)
        times = after_one(calls, repeats)
        worst = max(float(s.gap or 0.0) for s in follow(X, y, radii, 1e-4)) / f0
        shown = [1e3 * times[c] if c in times else None for c in ("0.0001", "1e-06", "lasso_path", "celer", "skglm")]
        rivals = [x for x in shown[2:] if x is not None]
        table.rows.append((name, *shown, min(rivals) / shown[0] if shown[0] else None, worst, gap))
    return with_mean(table, 6)


def chosen(only: tuple[str, ...]) -> Iterator[tuple[str, Callable[[], tuple[Any, Array]]]]:
    yield from ((name, make) for name, make in cases() if not only or any(word in name for word in only))


def after_one(calls: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Times without the first call, which compiles what is compiled at run time."""
    for call in calls.values():
        call()
    return interleaved(calls, repeats)


def cells(times: dict[str, float], names: tuple[str, ...]) -> list[float | None]:
    """The times by name, and the best of the others divided by ours."""
    return [*(times.get(name) for name in names), min(times[name] for name in names[1:] if name in times) / times["ours"]]


def with_mean(table: Table, column: int) -> Table:
    ratios = [row[column] for row in table.rows if isinstance(row[column], float)]
    if ratios:
        mean = exp(sum(log(ratio) for ratio in ratios) / len(ratios))
        table.notes.append(f"Best other / ours: {mean:.3g} in the geometric mean, {min(ratios):.3g} at worst.")
    return table


def follow(X: Any, y: Array, radii: Array, tol: float) -> list[gh.Solution]:
    return gh.path(gh.least_squares(X, y), gh.L1Ball(X.shape[1], 1.0), radii, stop=gh.Relative(tol))


def centred(X: Any) -> Any:
    return np.asfortranarray(X - X.mean(axis=0)) if isinstance(X, np.ndarray) else X.tocsc()  # sparse data as they are


def first(X: Any, y: Array) -> float:
    return float(np.abs(X.T @ y).max()) / len(y)


def in_folds(solve: Callable[[Any, Array, Array], Array], X: Any, y: Array, count: int = COUNT) -> Array:
    """The loop that a rival without a cross-validation is given: paths on what folds leave, then one on all data."""
    from sklearn.model_selection import KFold

    logistic = solve is celer_logistic
    middle = 0.0 if logistic else float(y.mean())
    alphas = (0.5 if logistic else 1.0) * first(X, y - middle) * np.geomspace(1.0, LEAST, count)
    by_row, losses = (X if isinstance(X, np.ndarray) else X.tocsr()), []
    for train, test in KFold(FOLDS).split(by_row):
        part, middle = by_row[train], 0.0 if logistic else float(y[train].mean())
        means = part.mean(axis=0) if isinstance(X, np.ndarray) and not logistic else np.zeros(X.shape[1])
        Z = centred(part) if not logistic else np.asfortranarray(part) if isinstance(X, np.ndarray) else part.tocsc()
        W = solve(Z, y[train] - middle, alphas)
        z = by_row[test] @ W - means @ W + middle
        losses.append((np.logaddexp(0.0, -y[test, None] * z) if logistic else (z - y[test, None]) ** 2).mean(axis=0))
    best = int(np.mean(losses, axis=0).argmin())
    whole = X if logistic else centred(X)
    return solve(whole, y if logistic else y - y.mean(), alphas[: best + 1])


def celer_lasso(X: Any, y: Array, alphas: Array) -> Array:
    from celer import celer_path

    return celer_path(X, y, "lasso", alphas=alphas, tol=TOL)[1]


def celer_gaps(X: Any, y: Array, alphas: Array) -> Array:
    from celer import celer_path

    return celer_path(X, y, "lasso", alphas=alphas, tol=TOL)[2]


def celer_logistic(X: Any, y: Array, alphas: Array) -> Array:
    from celer import celer_path

    return celer_path(X, y, "logreg", alphas=len(y) * alphas, tol=TOL)[1]


def skglm_lasso(X: Array, y: Array, alphas: Array) -> Array:
    from skglm import Lasso

    return Lasso(alpha=1.0, fit_intercept=False).path(X, y, alphas=alphas)[1]
