"""A worker of the section ``threads``: solves the problem that a line of its input names, and prints how long that took.

It is run as a script, so that it has the number of threads that users have, not the one of ``benchmarks``; with ``-P``, for
modules beside it have names of the standard library.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

Solve = Callable[[], Any]


def _lasso() -> Solve:
    import greedyhull as gh

    rng = np.random.default_rng(0)
    X = rng.standard_normal((62, 2000))
    f, S = gh.least_squares(X, X[:, :9].sum(axis=1) + rng.standard_normal(62)), gh.L1Ball(2000, 3.0)
    return lambda: gh.minimize(f, S)


def _logistic() -> Solve:
    import greedyhull as gh

    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 60))
    f, S = gh.logistic(X, np.sign(X[:, :9].sum(axis=1) + 2.0 * rng.standard_normal(2000))), gh.L1Ball(60, 3.0)
    return lambda: gh.minimize(f, S)


def _returns(days: int, assets: int) -> Any:
    rng = np.random.default_rng(0)
    return 0.01 * (rng.standard_normal((days, assets)) + rng.standard_normal((days, 1)))


def _groups() -> Solve:
    import greedyhull as gh

    f = gh.quadratic(np.cov(_returns(1000, 800).T) + 1e-6 * np.eye(800), 1e-6 * np.random.default_rng(1).standard_normal(800))
    S = gh.GroupedSimplex(np.arange(800) % 11, upper=0.02)
    return lambda: gh.minimize(f, S)


def _portfolio(assets: int, **limits: Any) -> Solve:
    import greedyhull as gh

    R = _returns(250, assets)
    return lambda: gh.apps.portfolio(R, previous=np.full(assets, 1.0 / assets), turnover=0.3, **limits)


def _raw() -> Solve:
    import greedyhull as gh

    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 5000))
    y = X[:, :20].sum(axis=1) + rng.standard_normal(500)
    return lambda: gh.minimize(gh.least_squares(X, y), gh.L1Ball(5000, 10.0))


def _rows() -> Solve:
    import greedyhull as gh

    rng = np.random.default_rng(0)
    A, B = rng.random((40, 400)), rng.standard_normal((400, 400))
    f = gh.quadratic(B @ B.T / 400, rng.standard_normal(400))
    S = gh.LinearProgram(A_ub=A, b_ub=np.full(40, 9.0), bounds=[(0, 1)] * 400)
    return lambda: gh.minimize(f, S)


def _completion() -> Solve:
    import greedyhull as gh

    rng = np.random.default_rng(0)
    i, j = np.divmod(rng.choice(900 * 600, 40_000, replace=False), 600)
    v = (rng.standard_normal((900, 4))[i] * rng.standard_normal((600, 4))[j]).sum(axis=1) + rng.standard_normal(40_000)
    f, S = gh.completion(i, j, v, (900, 600)), gh.NuclearBall((900, 600), 1000.0)
    return lambda: gh.minimize(f, S, stop=gh.Relative(1e-3) | gh.Seconds(10))


def _choice() -> Solve:
    from greedyhull.estimators import L1BudgetRegressorCV

    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 300))
    y = X[:, :9].sum(axis=1) + rng.standard_normal(400)
    return lambda: L1BudgetRegressorCV().fit(X, y)


def _fit() -> Solve:
    from greedyhull.estimators import SimplexRegressor

    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 200))
    y = X[:, :9].mean(axis=1) + rng.standard_normal(1000)
    return lambda: SimplexRegressor().fit(X, y).predict(X)


def _classes() -> Solve:
    import greedyhull as gh

    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 200))
    f = gh.multinomial(X, (X @ rng.standard_normal((200, 6)) + 3.0 * rng.standard_normal((20_000, 6))).argmax(axis=1))
    return lambda: gh.minimize(f, gh.L1Ball((200, 6), 20.0), stop=gh.Relative(1e-4) | gh.Seconds(10))


def _tall() -> Solve:
    import greedyhull as gh

    rng = np.random.default_rng(0)
    X = rng.standard_normal((300_000, 50))
    f, S = gh.logistic(X, np.sign(X[:, :9].sum(axis=1) + rng.standard_normal(len(X)))), gh.L1Ball(50, 5.0)
    return lambda: gh.minimize(f, S)


def _wide() -> Solve:
    import greedyhull as gh

    rng = np.random.default_rng(0)
    X = rng.standard_normal((8000, 1500))
    f, S = gh.least_squares(X, X[:, :400].sum(axis=1) + rng.standard_normal(len(X))), gh.L1Ball(1500, 300.0)
    return lambda: gh.minimize(f, S)


PROBLEMS: dict[str, Callable[[], Solve]] = {
    "lasso 62 x 2000, f built": _lasso,
    "logistic 2000 x 60, f built": _logistic,
    "quadratic over GroupedSimplex, 800 assets": _groups,
    "portfolio, 1000 assets, turnover": lambda: _portfolio(1000),
    "portfolio, 3000 assets, caps and turnover": lambda: _portfolio(3000, upper=0.01),
    "corrective: lasso 500 x 5000 from arrays": _raw,
    "polytopes: quadratic over 40 rows, 400 columns": _rows,
    "completion: 900 x 600, 40 000 entries": _completion,
    "cv: L1BudgetRegressorCV, 400 x 300": _choice,
    "estimators: SimplexRegressor, 1000 x 200": _fit,
    "large: multinomial 20 000 x 200 x 6": _classes,
    "large: logistic 300 000 x 50": _tall,
    "large: lasso 8000 x 1500, 400 columns at work": _wide,
}


def main() -> None:
    """Print a line when ready, then the seconds of each problem that is asked for."""
    made: dict[str, Solve] = {}
    print("ready", flush=True)
    for line in sys.stdin:
        name = line.rstrip("\n")
        if name not in made:
            made.clear()  # one problem at a time is in memory
            made[name] = PROBLEMS[name]()
            made[name]()
        start = perf_counter()
        made[name]()
        print(perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()
