"""Thousands of small least-squares problems: `batch` beside loops over QP solvers and over `minimize`.

The QP solvers are given one Gram matrix, made outside the clock's loop over the problems, and the linear terms by one product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import greedyhull as gh
from benchmarks.tables import Table
from benchmarks.timing import interleaved

Array = Any
FEW, WIDE = 200, 2  # problems that loops are timed on, of few and of many coordinates: the time for one counts
MANY = 200  # coordinates from which a QP solver takes seconds for a few problems


class Many(NamedTuple):
    """Problems that share X; ``alone`` says that each leaves its own column out, as placebos do."""

    name: str
    X: Array
    Y: Array
    S: Any
    alone: bool = False


def many(repeats: int = 3, only: tuple[str, ...] = ()) -> Iterator[Table]:
    """Microseconds for a problem, and how far the worst answer of each is above the least value."""
    names = ("batch", "minimize", "DAQP", "quadprog", "nnls")
    table = Table("many", "Microseconds for a problem", (
        "case", "problems", "coordinates", *names, "best other/batch", "worst gap", "worst excess of the others"))
    for case in cases():
        if only and not any(word in case.name for word in only):
            continue
        calls, few = {"batch": partial(together, case)}, case._replace(Y=case.Y[:, : FEW if case.X.shape[1] < MANY else WIDE])
        for name, call in loops(few).items():
            try:
                call()
                calls[name] = call
            except Exception as error:
                table.notes.append(f"{name} is left out of {case.name}: {error}")
        found, here = together(case), case.Y.shape[1]
        times = interleaved(calls, repeats, patience=20.0)
        each = {name: 1e6 * time / (here if name == "batch" else few.Y.shape[1]) for name, time in times.items()}
        others = {name: call for name, call in calls.items() if name not in ("batch", "minimize")}
        best = min((each[name] for name in each if name != "batch"), default=float("nan"))
        above = max((excess(few, call(), found) for call in others.values()), default=None)
        table.rows.append((case.name, here, case.X.shape[1], *(each.get(name) for name in names), best / each["batch"],
                           float(found.gaps.max()), above))
    table.notes.append(f"Loops are timed on the first {FEW} problems, on {WIDE} where there are many coordinates. "
                       "The time of batch has all certificates in it.")
    yield table


def cases() -> list[Many]:
    rng = np.random.default_rng(0)
    E = rng.random((64, 4))
    pixels = E @ rng.dirichlet(np.ones(4), 9025).T + 0.01 * rng.standard_normal((64, 9025))
    F = rng.random((156, 12))
    mixed = F @ rng.dirichlet(np.full(12, 0.3), 4000).T + 0.01 * rng.standard_normal((156, 4000))
    units = rng.standard_normal((60, 4)).cumsum(axis=0) @ rng.uniform(0, 1, (4, 1000)) + 0.3 * rng.standard_normal((60, 1000))
    X = rng.standard_normal((100, 50))
    return [Many("pixels, 4 endmembers", E, pixels, gh.Simplex(4)), Many("pixels, 12 endmembers", F, mixed, gh.Simplex(12)),
            Many("placebos, 1000 units", units, units, gh.Simplex(1000), alone=True),
            Many("lasso, 50 columns", X, X[:, :5] @ rng.standard_normal((5, 2000)) + rng.standard_normal((100, 2000)),
                 gh.L1Ball(50, 2.0))]


def together(case: Many) -> gh.Solutions:
    """All problems, certified."""
    return gh.batch(gh.least_squares, case.S, X=case.X, Y=case.Y, without=np.arange(case.Y.shape[1]) if case.alone else None)


def loops(case: Many) -> dict[str, Callable[[], Array]]:
    """What solves the problems one by one, each returning all answers."""
    found: dict[str, Callable[[], Array]] = {"minimize": partial(one_by_one, case)}
    if isinstance(case.S, gh.Simplex):  # an l1 ball needs two signs, and a singular matrix
        found |= {"DAQP": partial(by_daqp, case), "quadprog": partial(by_quadprog, case), "nnls": partial(by_nnls, case)}
    return found


def one_by_one(case: Many) -> Array:
    if not case.alone:
        return np.array([gh.minimize(gh.least_squares(case.X, y), case.S).x for y in case.Y.T])
    answers = []
    for j, y in enumerate(case.Y.T):
        w = gh.minimize(gh.least_squares(np.delete(case.X, j, axis=1), y), gh.Simplex(case.X.shape[1] - 1)).x
        answers.append(np.insert(w, j, 0.0))
    return np.array(answers)


def _form(case: Many) -> tuple[Array, Array]:
    Q = case.X.T @ case.X / len(case.X)
    Q[np.diag_indices_from(Q)] += 1e-10 * float(np.trace(Q)) / len(Q)
    return Q, case.Y.T @ case.X / len(case.X)


def by_daqp(case: Many) -> Array:
    import daqp

    Q, B = _form(case)
    d = len(Q)
    A, upper, lower = np.ones((1, d)), np.append(np.full(d, 1e30), 1.0), np.append(np.zeros(d), 1.0)
    sense = np.append(np.zeros(d, dtype=np.int32), np.int32(5))
    answers = []
    for j, b in enumerate(B):
        if case.alone:
            upper[j] = 0.0
        answers.append(daqp.solve(Q, -b, A, upper, lower, sense)[0])
        upper[: len(b)] = 1e30
    return np.array(answers)


def by_quadprog(case: Many) -> Array:
    import quadprog

    Q, B = _form(case)
    d = len(Q)
    limits, bounds = np.column_stack([np.ones(d), np.eye(d)]), np.append(1.0, np.zeros(d))
    answers = []
    for j, b in enumerate(B):
        if case.alone:
            rest = np.delete(np.arange(d), j)
            w = quadprog.solve_qp(Q[np.ix_(rest, rest)], b[rest], limits[: d - 1, :d].copy(), bounds[:d], meq=1)[0]
            answers.append(np.insert(w, j, 0.0))
        else:
            answers.append(quadprog.solve_qp(Q, b, limits, bounds, meq=1)[0])
    return np.array(answers)


def by_nnls(case: Many) -> Array:
    """Non-negative least squares with one row more, so heavy that the weights sum to one."""
    from scipy.optimize import nnls

    heavy = 1e3 * float(np.abs(case.X).max())
    A = np.vstack([case.X, np.full(case.X.shape[1], heavy)])
    answers = []
    for j, y in enumerate(case.Y.T):
        w = nnls(np.delete(A, j, axis=1) if case.alone else A, np.append(y, heavy))[0]
        answers.append(np.insert(w, j, 0.0) if case.alone else w)
    return np.array(answers)


def excess(case: Many, W: Array, found: gh.Solutions) -> float:
    """How far the values of points, scaled into the set, are above the proved lower bounds, at most."""
    W = np.maximum(W, 0.0) if isinstance(case.S, gh.Simplex) else W
    sums = np.abs(W).sum(axis=1, keepdims=True)
    W = W * np.where((sums > case.S.radius) | isinstance(case.S, gh.Simplex), case.S.radius / np.maximum(sums, 1e-300), 1.0)
    values = 0.5 * ((W @ case.X.T - case.Y.T) ** 2).mean(axis=1)
    return float((values - (found.values - found.gaps)[: len(W)]).max())
