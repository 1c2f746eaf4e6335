"""Quadratic problems over the simplex beside QP solvers: the dual of a support-vector machine, portfolios, tall least squares.

Everything is made and solved on the clock, the objective and the set included. The QP solvers have their defaults, and are
given XᵀX where the problem is least squares, made on the clock as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import greedyhull as gh
from benchmarks.tables import Table
from benchmarks.timing import interleaved

Array = Any
GOAL = gh.Relative(1e-6)


def small(repeats: int = 7, only: tuple[str, ...] = ()) -> Iterator[Table]:
    table = Table("small", "Quadratics over the simplex: milliseconds, and how far the best other is above our lower bound", (
        "case", "ours", "quadprog", "DAQP", "PIQP", "nnls", "best/ours", "our relative gap", "their relative excess"))
    for name, case in cases().items():
        if not only or any(word in name for word in only):
            table.rows.append(_row(name, case, repeats, table.notes))
    yield table


def cases() -> dict[str, tuple[Array, Array | None, Array]]:
    """(Q, None, b) for ½wᵀQw − bᵀw, (X, X, y) for least squares."""
    found: dict[str, tuple[Array, Array | None, Array]] = {}
    for n, kernel, ridge in ((300, "linear", 1.0), (1000, "linear", 1.0), (1000, "linear", 1e-3), (1000, "Gaussian", 0.1)):
        found[f"SVM dual {n}, {kernel}, {ridge:g}"] = (svm_dual(n, kernel, ridge), None, np.zeros(n))
    for d in (31, 50, 89, 225):
        found[f"Markowitz {d}"] = (*markowitz(d),)
    for n, d in ((30, 5), (100, 20), (500, 20), (5000, 50), (20_000, 100)):
        rng = np.random.default_rng(d)
        X, few = rng.standard_normal((n, d)), min(d, 10)
        found[f"least squares {n}×{d}"] = (X, X, X[:, :few] @ rng.dirichlet(np.ones(few)) + 0.1 * rng.standard_normal(n))
    return found


def svm_dual(n: int, kernel: str, ridge: float) -> Array:
    """Q of the dual of a support-vector machine with squared slacks."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 20))
    y = np.sign(X[:, 0] + 0.5 * rng.standard_normal(n))
    K = X @ X.T
    if kernel == "Gaussian":
        squares = K.diagonal()
        K = np.exp(-np.maximum(squares[:, None] + squares - 2.0 * K, 0.0) / 40.0)
    return np.outer(y, y) * (K + 1.0) + ridge * np.eye(n)


def markowitz(d: int) -> tuple[Array, None, Array]:
    """Risk less half of the return, of returns with a few common factors."""
    rng = np.random.default_rng(d)
    factors = rng.standard_normal((d, 5)) + 1.0
    Q = 1e-4 * (factors @ factors.T + np.diag(1.0 + rng.random(d)))
    return Q, None, 1e-4 * (1.0 + rng.random(d))


def _row(name: str, case: tuple[Array, Array | None, Array], repeats: int, notes: list[str]) -> tuple[Any, ...]:
    matrix, X, y = case
    s = ours(matrix, X, y)
    others: dict[str, Callable[[], Array]] = {"quadprog": partial(by_quadprog, *case), "DAQP": partial(by_daqp, *case),
                                              "PIQP": partial(by_piqp, *case)}
    if X is not None:
        others["nnls"] = partial(by_nnls, X, y)
    excess = {}
    for other, call in list(others.items()):
        try:
            excess[other] = (value(case, call()) - s.certificate.lower) / abs(s.value)
        except Exception as error:
            notes.append(f"{other} did not solve {name}: {error}")
            del others[other]
    times = {who: 1e3 * t for who, t in interleaved({"ours": partial(ours, *case), **others}, repeats).items()}
    best = min((t for who, t in times.items() if who != "ours"), default=None)
    return (name, times["ours"], *(times.get(who) for who in ("quadprog", "DAQP", "PIQP", "nnls")),
            None if best is None else best / times["ours"], s.gap / abs(s.value), min(excess.values(), default=None))


def ours(matrix: Array, X: Array | None, y: Array) -> Any:
    f = gh.quadratic(matrix, y) if X is None else gh.least_squares(X, y)
    return gh.minimize(f, gh.Simplex(matrix.shape[1]), stop=GOAL)


def value(case: tuple[Array, Array | None, Array], w: Array) -> float:
    """That of the other's point, as a point of the simplex."""
    matrix, X, y = case
    w = np.maximum(w, 0.0)
    w = w / w.sum()
    return float(0.5 * w @ matrix @ w - y @ w if X is None else 0.5 * np.mean((X @ w - y) ** 2))


def form(matrix: Array, X: Array | None, y: Array) -> tuple[Array, Array]:
    return (matrix, y) if X is None else (X.T @ X / len(y), X.T @ y / len(y))


def by_quadprog(matrix: Array, X: Array | None, y: Array) -> Array:
    import quadprog

    Q, b = form(matrix, X, y)
    d = len(b)
    return quadprog.solve_qp(Q, b, np.column_stack([np.ones(d), np.eye(d)]), np.append(1.0, np.zeros(d)), meq=1)[0]


def by_daqp(matrix: Array, X: Array | None, y: Array) -> Array:
    import daqp

    Q, b = form(matrix, X, y)
    d = len(b)
    upper, lower = np.append(np.full(d, 1e30), 1.0), np.append(np.zeros(d), 1.0)
    sense = np.append(np.zeros(d), 5).astype(np.int32)  # the last row is an equation
    return daqp.solve(Q, -b, np.ones((1, d)), upper, lower, sense)[0]


def by_piqp(matrix: Array, X: Array | None, y: Array) -> Array:
    import piqp

    Q, b = form(matrix, X, y)
    d = len(b)
    solver = piqp.DenseSolver()
    solver.setup(Q, -b, np.ones((1, d)), np.ones(1), x_l=np.zeros(d), x_u=np.full(d, np.inf))
    solver.solve()
    return np.asarray(solver.result.x)


def by_nnls(X: Array, y: Array) -> Array:
    """With one row more, so heavy that the weights sum to one."""
    from scipy.optimize import nnls

    heavy = 1e3 * float(np.abs(X).max())
    return nnls(np.vstack([X, np.full(X.shape[1], heavy)]), np.append(y, heavy))[0]
