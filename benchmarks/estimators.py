"""The estimators beside what their users would reach for: QP solvers, LassoCV, bisection over Lasso, greedy selection."""

from __future__ import annotations

import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.tables import Table
from benchmarks.timing import interleaved, seconds

Array = Any


def estimators(repeats: int = 3, only: tuple[str, ...] = ()) -> Iterator[Table]:
    parts = {"simplex": simplex, "cv": cross_validation, "radius": known_radius, "ensemble": ensemble}
    for name, part in parts.items():
        if not only or name in only:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield part(repeats)


def simplex(repeats: int) -> Table:
    from greedyhull.estimators import SimplexRegressor

    table = Table("simplex", "Simplex least squares: seconds, and how far above the least value", (
        "case", "ours", "nnls", "quadprog", "DAQP", "PIQP", "best/ours", "our gap", "their excess", "our memory/data"))
    for n, d in ((500, 1000), (2000, 20_000)):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((n, d))
        y = X[:, :20] @ rng.dirichlet(np.ones(20)) + 0.1 * rng.standard_normal(n)
        model = SimplexRegressor()
        tracemalloc.start()
        model.fit(X, y)
        memory = tracemalloc.get_traced_memory()[1] / X.nbytes
        tracemalloc.stop()
        rivals: dict[str, Callable[[], Array]] = {"nnls": partial(heavy_nnls, X, y)}
        if d <= 2000:  # the others want the d×d matrix; at 20 000 columns it alone takes 3.2 GB
            rivals |= {"quadprog": partial(by_quadprog, X, y), "DAQP": partial(by_daqp, X, y), "PIQP": partial(by_piqp, X, y)}
        excess, quick = {}, {}
        for name, call in rivals.items():
            try:
                excess[name] = mean_square(X, call(), y) - model.certificate_.lower
                quick[name] = call
            except Exception as error:
                table.notes.append(f"{name} failed at {n}×{d}: {error}")
        times = interleaved({"ours": partial(model.fit, X, y), **quick}, repeats, patience=40.0)
        best = min(time for name, time in times.items() if name != "ours")
        table.rows.append((f"{n}×{d}", times["ours"], *(times.get(r) for r in ("nnls", "quadprog", "DAQP", "PIQP")),
                           best / times["ours"], model.dual_gap_, min(excess.values()), 1.0 + memory))
    return table


def mean_square(X: Array, w: Array, y: Array) -> float:
    w = np.maximum(w, 0.0)
    return float(0.5 * np.mean((X @ (w / w.sum()) - y) ** 2))


def heavy_nnls(X: Array, y: Array) -> Array:
    """Non-negative least squares with one row more, so heavy that the weights sum to one."""
    from scipy.optimize import nnls

    heavy = 1e3 * float(np.abs(X).max())
    return nnls(np.vstack([X, np.full(X.shape[1], heavy)]), np.append(y, heavy))[0]


def _form(X: Array, y: Array) -> tuple[Array, Array]:
    Q = X.T @ X / len(y)
    Q[np.diag_indices_from(Q)] += 1e-10 * float(np.trace(Q)) / len(Q)
    return Q, X.T @ y / len(y)


def by_quadprog(X: Array, y: Array) -> Array:
    import quadprog

    Q, b = _form(X, y)
    d = len(b)
    return quadprog.solve_qp(Q, b, np.column_stack([np.ones(d), np.eye(d)]), np.append(1.0, np.zeros(d)), meq=1)[0]


def by_daqp(X: Array, y: Array) -> Array:
    import daqp

    Q, b = _form(X, y)
    d = len(b)
    A, upper, lower = np.ones((1, d)), np.append(np.full(d, 1e30), 1.0), np.append(np.zeros(d), 1.0)
    sense = np.append(np.zeros(d, dtype=np.int32), np.int32(5))
    return daqp.solve(Q, -b, A, upper, lower, sense.astype(np.int32))[0]


def by_piqp(X: Array, y: Array) -> Array:
    import piqp

    Q, b = _form(X, y)
    d = len(b)
    solver = piqp.DenseSolver()
    solver.setup(Q, -b, np.ones((1, d)), np.ones(1), x_l=np.zeros(d), x_u=np.full(d, np.inf))
    solver.solve()
    return np.asarray(solver.result.x)


def cross_validation(repeats: int) -> Table:
    from sklearn.datasets import load_diabetes, make_regression
    from sklearn.linear_model import LassoCV

    from greedyhull.estimators import L1BudgetRegressorCV

    table = Table("cv", "50 radii × 5 folds against 50 alphas × 5 folds", (
        "case", "L1BudgetRegressorCV", "LassoCV", "ratio", "our best MSE", "their best MSE"))
    cases = {"diabetes 442×10": load_diabetes(return_X_y=True)}
    for n, d, k in ((1000, 50, 10), (5000, 200, 40), (2000, 500, 100), (500, 2000, 50), (200, 5000, 30)):
        cases[f"{n}×{d}"] = make_regression(n, d, n_informative=k, noise=10.0, random_state=0)
    for name, (X, y) in cases.items():
        ours, theirs = L1BudgetRegressorCV(radii=50, cv=5), LassoCV(alphas=50, cv=5)
        times = interleaved({"ours": partial(ours.fit, X, y), "theirs": partial(theirs.fit, X, y)}, repeats)
        table.rows.append((name, times["ours"], times["theirs"], times["theirs"] / times["ours"],
                           2.0 * float(ours.cv_losses_.mean(axis=1).min()), float(theirs.mse_path_.mean(axis=1).min())))
    return table


def known_radius(repeats: int) -> Table:
    from sklearn.datasets import make_regression

    from greedyhull.estimators import L1BudgetRegressor

    table = Table("radius", "A known radius: one solve against bisection over Lasso to 1e-5 of the radius", (
        "case", "L1BudgetRegressor", "bisection", "ratio"))
    for n, d, k in ((1000, 50, 10), (500, 2000, 50), (5000, 200, 40)):
        X, y, coef = make_regression(n, d, n_informative=k, noise=10.0, coef=True, random_state=0)
        radius = 0.5 * float(np.abs(coef).sum())
        times = interleaved({"ours": partial(L1BudgetRegressor(radius).fit, X, y),
                             "theirs": partial(bisection, X, y, radius)}, repeats)
        table.rows.append((f"{n}×{d}", times["ours"], times["theirs"], times["theirs"] / times["ours"]))
    return table


def bisection(X: Array, y: Array, radius: float) -> Any:
    """The penalty whose coefficients use up the radius, warm-started from one to the next."""
    from sklearn.linear_model import Lasso

    model = Lasso(warm_start=True, tol=1e-6, max_iter=100_000)
    low, high = 0.0, float(np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max()) / len(y)
    for _ in range(60):
        model.set_params(alpha=0.5 * (low + high)).fit(X, y)
        used = float(np.abs(model.coef_).sum())
        if abs(used - radius) <= 1e-5 * radius:
            break
        low, high = (model.alpha, high) if used > radius else (low, model.alpha)
    return model


def ensemble(repeats: int) -> Table:
    from greedyhull.estimators import EnsembleClassifier

    table = Table("ensemble", "300 models × 50 000 rows, log-loss", ("what", "seconds", "log-loss", "certified gap of that"))
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 50_000)
    skill, own = rng.uniform(0.2, 1.5, 300), rng.standard_normal((50_000, 300))
    P = 1.0 / (1.0 + np.exp(-(skill * (2.0 * truth[:, None] - 1.0) + 1.5 * own + rng.standard_normal((50_000, 1)))))
    model = EnsembleClassifier(tol=1e-4)
    ours = seconds(lambda: model.fit(P, truth))
    found: list[float] = []
    greedy = seconds(lambda: found.append(selection(P, truth)))
    value = float(model.certificate_.value)
    table.rows += [("EnsembleClassifier(tol=1e-4)", ours, value, model.dual_gap_ / value),
                   ("greedy selection with replacement, 100 rounds, vectorised", greedy, found[0], None)]
    return table


def selection(P: Array, truth: Array, rounds: int = 100) -> float:
    """Greedy selection as AutoML libraries do it: every model tried in every round, on all rows at once."""
    true = np.where(truth[:, None] == 1, P, 1.0 - P)
    total, best = np.zeros(len(P)), np.inf
    for k in range(rounds):
        losses = -np.log(np.maximum((total[:, None] + true) / (k + 1), 1e-15)).mean(axis=0)
        j = int(losses.argmin())
        total, best = total + true[:, j], min(best, float(losses[j]))
    return best
