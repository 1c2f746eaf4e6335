"""Least squares with a budget on groups, beside solvers of the group lasso at the same solution."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import greedyhull as gh
from benchmarks.cases import data_folder
from benchmarks.tables import Table
from benchmarks.timing import interleaved

ACCURACY = 1e-6  # of the loss at zero: what everybody has to reach
SMALL = 1_000_000  # entries of the largest data that cvxpy is given: it takes minutes for more
LADDER = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12)  # tolerances of rivals, the loosest that does counts


class Case(NamedTuple):
    name: str
    X: Any
    y: Any
    size: int  # of each group; groups are consecutive columns
    radius: float


def cases() -> Iterator[Case]:
    """The stored reference, where its data are, and data of our own at two radii."""
    path = data_folder() / "dense" / "DNA.npz"
    if path.exists():
        z = np.load(path, allow_pickle=True)
        X, y = z["X"].astype(float), np.where(z["y"] == "n", 1.0, -1.0)
        yield Case("DNA, 3186×180", np.asfortranarray(X - X.mean(axis=0)), y - y.mean(), 3, 3.0)
    rng = np.random.default_rng(0)
    X = np.asfortranarray(rng.standard_normal((500, 5000)))
    w = np.zeros(5000)
    w[:100] = rng.standard_normal(100)
    y = X @ w + 0.5 * rng.standard_normal(500)
    whole = float(np.linalg.norm(w.reshape(-1, 10), axis=1).sum())
    for share in (0.3, 0.8):
        yield Case(f"made 500×5000, {share:g} of the norm", X, y, 10, share * whole)


def tables(repeats: int, only: tuple[str, ...] = ()) -> Iterator[Table]:
    table = Table("polytopes_groups", f"Groups: seconds to {ACCURACY:g} of the loss at zero",
                  ["problem", "rounds", "greedyhull", "celer", "skglm", "cvxpy", "best rival / ours"],
                  notes=["celer and skglm solve the penalised problem at our price, to the loosest tolerance that reaches the "
                         "accuracy; cvxpy (Clarabel) solves the constrained one."])
    for case in cases():
        if not only or any(word in case.name for word in only):
            table.rows.append(_row(case, repeats))
    yield table
    yield _chosen(repeats, only)


def _chosen(repeats: int, only: tuple[str, ...]) -> Table:
    """A radius, or a penalty, of twenty by five folds."""
    table = Table("polytopes_groups_cv", "Groups, twenty budgets or penalties by five folds: seconds",
                  ["problem", "greedyhull", "celer", "rival / ours", "squared error, ours", "its"],
                  notes=["Both to a tolerance of 1e-4; the error is the mean over the folds at what was chosen."])
    last: Any = None
    for case in cases():
        if case.X is last or (only and not any(word in case.name for word in only)):
            continue  # another radius of the same data
        last = case.X
        calls: dict[str, Callable[[], Any]] = {"greedyhull": lambda case=case: _by_radius(case),
                                               "celer": lambda case=case: _by_penalty(case)}
        times = interleaved(calls, repeats)
        ours, theirs = calls["greedyhull"](), calls["celer"]()
        table.rows.append([case.name.partition(", 0")[0], times["greedyhull"], times["celer"],
                           times["celer"] / times["greedyhull"], 2.0 * float(ours.cv_losses_.mean(axis=-1).min()), float(
                               theirs[1].mean(axis=1).min())])
    return table


def _by_radius(case: Case) -> Any:
    from greedyhull.estimators import GroupBudgetRegressorCV

    groups = np.repeat(np.arange(case.X.shape[1] // case.size), case.size)
    return GroupBudgetRegressorCV(groups, radii=20, cv=5, tol=1e-4).fit(case.X, case.y)


def _by_penalty(case: Case) -> tuple[Any, Any]:
    """Warm starts along the penalties of each fold, then the best one on all rows; celer's own GroupLassoCV does not work with
    newer versions of scikit-learn."""
    from celer import GroupLasso
    from sklearn.model_selection import KFold

    top = float(np.linalg.norm((case.X.T @ case.y).reshape(-1, case.size), axis=1).max()) / len(case.y)
    alphas, errors = top * np.geomspace(1.0, 1e-3, 20), np.zeros((20, 5))
    for j, (train, test) in enumerate(KFold(5).split(case.X)):
        model, X, y = GroupLasso(groups=case.size, warm_start=True), np.asfortranarray(case.X[train]), case.y[train]
        for i, alpha in enumerate(alphas):
            model.set_params(alpha=alpha).fit(X, y)
            errors[i, j] = float(((model.predict(case.X[test]) - case.y[test]) ** 2).mean())
    best = alphas[errors.mean(axis=1).argmin()]
    return GroupLasso(groups=case.size, alpha=best).fit(case.X, case.y), errors


def _row(case: Case, repeats: int) -> list[object]:
    groups, f = np.repeat(np.arange(case.X.shape[1] // case.size), case.size), gh.least_squares(case.X, case.y)
    S = gh.GroupL1Ball(groups, case.radius)
    exact = gh.minimize(f, S, stop=gh.Relative(1e-9) | gh.Iterations(5000))
    price, least = float(exact.price or 0.0), exact.certificate.lower
    calls: dict[str, Callable[[], Any]] = {
        "greedyhull": lambda: gh.minimize(gh.least_squares(case.X, case.y), S, stop=gh.Relative(ACCURACY))}
    for name, make in (("celer", _celer), ("skglm", _skglm)):
        found = _loosest(case, make, price, least + price * case.radius)
        if found is not None:
            calls[name] = found
    times = interleaved(calls, repeats)
    if case.X.size <= SMALL:
        times["cvxpy"] = interleaved({"cvxpy": lambda: _cvxpy(case)}, 1)["cvxpy"]
    rivals = [times[name] for name in ("celer", "skglm", "cvxpy") if name in times]
    rounds = calls["greedyhull"]().iterations
    return [case.name, rounds, times["greedyhull"], times.get("celer"), times.get("skglm"), times.get("cvxpy"),
            min(rivals) / times["greedyhull"]]


def _loosest(case: Case, make: Callable[..., Any], price: float, least: float) -> Callable[[], Any] | None:
    """The call with the loosest tolerance at which the penalised loss is as good as is asked for."""
    unit = ACCURACY * float(case.y @ case.y) / (2 * len(case.y))
    for tol in LADDER:
        w = make(case, price, tol)
        value = float(((case.X @ w - case.y) ** 2).sum()) / (2 * len(case.y))
        if value + price * float(np.linalg.norm(w.reshape(-1, case.size), axis=1).sum()) <= least + unit:
            return lambda tol=tol: make(case, price, tol)  # type: ignore[misc]
    return None


def _celer(case: Case, alpha: float, tol: float) -> Any:
    from celer import GroupLasso

    return GroupLasso(groups=case.size, alpha=alpha, tol=tol, fit_intercept=False, max_iter=200).fit(case.X, case.y).coef_


def _skglm(case: Case, alpha: float, tol: float) -> Any:
    from skglm import GroupLasso

    return GroupLasso(groups=case.size, alpha=alpha, tol=tol, fit_intercept=False, max_iter=200).fit(case.X, case.y).coef_


def _cvxpy(case: Case) -> Any:
    import cvxpy as cp

    w = cp.Variable((case.X.shape[1] // case.size, case.size))
    loss = cp.sum_squares(case.X @ cp.reshape(w, (case.X.shape[1],), order="C") - case.y) / (2 * len(case.y))
    cp.Problem(cp.Minimize(loss), [cp.sum(cp.norm(w, 2, axis=1)) <= case.radius]).solve(solver="CLARABEL")
    return w.value
