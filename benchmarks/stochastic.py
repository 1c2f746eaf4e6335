"""Stochastic solvers on real l1-constrained logistic regression: seconds and gradients of terms to an error of 1e-3."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from statistics import median
from typing import Any, NamedTuple

import numpy as np

import greedyhull as gh
from benchmarks import timing
from benchmarks.cases import Case, load_cases, row_major
from benchmarks.tables import Table

ERROR = 1e-3  # relative to max(f*, f(0) − f*)
PATIENCE = 2.0  # seconds after which a run is not repeated any more
LIMIT = 3.0  # seconds after which a run counts as not arriving
CASES = ("logistic mushrooms", "logistic ijcnn1", "logistic a9a")
EPOCHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)


class Took(NamedTuple):
    """Seconds, and gradients of terms in passes over the data, until the error was small enough; None: it never was."""

    seconds: float | None
    passes: float | None


def stochastic(repeats: int = 7, only: tuple[str, ...] = ()) -> Iterator[Table]:
    """Two tables, seconds and passes, with one row for each solver and one column for each case."""
    cases, notes = load_cases(CASES)
    cases = [case for case in cases if not only or any(word in case.name for word in only)]
    solvers = {**OURS, **(RIVALS if _present("copt") else {}), "scikit-learn SAGA": sklearn_saga}
    notes += [] if _present("copt") else ["Left out: copt is not installed."]
    columns = ("solver", *(case.name.removeprefix("logistic ") for case in cases))
    seconds = Table("stochastic", f"Milliseconds to an error of {ERROR:g} of max(f*, f(0) − f*)", columns)
    passes = Table("stochastic_passes", "Gradients of terms, in passes over the data, looks included", columns)
    took = {name: [_typical(solve, case, repeats) for case in cases] for name, solve in solvers.items()}
    for name, of_case in took.items():
        seconds.rows.append((name, *(None if t.seconds is None else 1e3 * t.seconds for t in of_case)))
        passes.rows.append((name, *(t.passes for t in of_case)))
    seconds.notes += [*notes, *_summary(took)]
    yield from (seconds, passes)


def _typical(solve: Callable[[Case], Took], case: Case, repeats: int) -> Took:
    """The medians of some runs after a first one, which compiles; one is enough to see that a solver does not arrive."""
    solve(case)
    runs = [solve(case)]
    if runs[0].seconds is None:
        return runs[0]
    while len(runs) < repeats and sum(t.seconds or LIMIT for t in runs) < PATIENCE:
        runs.append(solve(case))
    return Took(median(t.seconds or LIMIT for t in runs), median(t.passes or np.inf for t in runs))


def _summary(took: dict[str, list[Took]]) -> list[str]:
    """The best of ours that is stochastic, over the best of copt."""
    def fastest(names: list[str], i: int) -> float:
        return min((took[name][i].seconds or np.inf for name in names), default=np.inf)

    mine = [name for name in OURS if name != "Corrective" and name in took]
    theirs = [name for name in RIVALS if name in took]
    count = len(next(iter(took.values()), []))
    ratios = [fastest(theirs, i) / fastest(mine, i) for i in range(count) if theirs]
    return [f"Best of copt / best stochastic solver of ours: {', '.join(f'{r:.3g}' for r in ratios)}."] if ratios else []


def _present(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _scale(case: Case) -> float:
    return max(case.optimum, case.at_zero - case.optimum)


# --- ours ---------------------------------------------------------------------------------------------------------


def ours(solver: Any) -> Callable[[Case], Took]:
    """A solver of ours, from the raw arrays; every look, a pass, is counted, timed and the only place where it can stop."""

    def solve(case: Case) -> Took:
        events: list[Any] = []
        enough = case.optimum + ERROR * _scale(case)
        stop = gh.Callback(lambda event: event.value <= enough or timing.clock() - began > LIMIT)

        def call() -> gh.Solution:
            f = gh.logistic(row_major_of(case), case.y)
            return gh.minimize(f, gh.L1Ball(case.X.shape[1], case.radius), solver, stop=stop, watch=events.append)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            began = timing.clock()
            solution = call()
            took = timing.clock() - began
        if solution.value > enough:
            return Took(None, None)
        spent = (events[-1].also or {}).get("spent")
        looks = float(solution.trace["gradient_calls"][-1])
        return Took(took, looks if spent is None else spent / len(case.y) + looks)

    return solve


_LAYOUTS: dict[int, Any] = {}


def row_major_of(case: Case) -> Any:
    """The rows in the layout they are read in, converted once for everybody."""
    if case.id not in _LAYOUTS:
        _LAYOUTS[case.id] = row_major(case.X)
    return _LAYOUTS[case.id]


# --- rivals -------------------------------------------------------------------------------------------------------


class _Enough(Exception):  # noqa: N818
    """Raised by a callback: the point is good enough, or the time is up."""


def copt_sfw(variant: str, share: float) -> Callable[[Case], Took]:
    """copt's stochastic Frank-Wolfe, batches of ``share``·n terms, at least one; its value is looked at off the clock."""

    def solve(case: Case) -> Took:
        from copt.constraint import L1Ball
        from copt.loss import LogLoss
        from copt.randomized import minimize_sfw
        from scipy.sparse import csr_matrix

        A, labels, n = csr_matrix(row_major_of(case)), (case.y > 0).astype(float), len(case.y)
        b = max(1, int(share * n))
        seen: dict[str, float] = {"calls": 0, "off": 0.0}
        enough = case.optimum + ERROR * _scale(case)

        def callback(now: dict[str, Any]) -> None:
            seen["calls"] += 1
            if (seen["calls"] - 1) % (n // b):
                return
            at = timing.clock()
            value = case.loss(A @ now["x"])
            if value <= enough:
                seen["took"] = at - began - seen["off"]
            if value <= enough or at - began - seen["off"] > LIMIT:
                raise _Enough
            seen["off"] += timing.clock() - at

        loss, ball = LogLoss(A, labels), L1Ball(case.radius)
        np.random.seed(0)
        began = timing.clock()
        with suppress(_Enough):
            minimize_sfw(loss.partial_deriv, A, labels, np.zeros(A.shape[1]), ball.lmo, batch_size=b, max_iter=10**6, tol=0.0,
                         callback=callback, variant=variant)
        return Took(seen["took"], (seen["calls"] - 1) * b / n) if "took" in seen else Took(None, None)

    return solve


_SEARCHED: dict[int, int] = {}


def sklearn_saga(case: Case) -> Took:
    """scikit-learn's SAGA at the equivalent penalty, with the least number of passes that is enough."""
    from sklearn.linear_model import LogisticRegression

    X, n = row_major_of(case), len(case.y)
    best = case.optimum + case.alpha * case.radius
    for epochs in EPOCHS[_SEARCHED.get(case.id, 0):]:  # the search is made once
        model = LogisticRegression(l1_ratio=1.0, C=1.0 / (n * case.alpha), solver="saga", tol=0.0, fit_intercept=False,
                                   max_iter=epochs, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            took = timing.seconds(lambda model=model: model.fit(X, case.y))  # type: ignore[misc]
        w = model.coef_.ravel()
        if case.loss(X @ w) + case.alpha * float(np.abs(w).sum()) - best <= ERROR * _scale(case):
            _SEARCHED[case.id] = EPOCHS.index(epochs)
            return Took(took, float(epochs))
        if took > LIMIT:
            break
    return Took(None, None)


OURS: dict[str, Callable[[Case], Took]] = {
    "dual": ours(gh.StochasticFrankWolfe.dual()),
    "saga": ours(gh.StochasticFrankWolfe.saga()),
    "storm": ours(gh.StochasticFrankWolfe.storm()),
    "spider": ours(gh.StochasticFrankWolfe.spider()),
    "svrf": ours(gh.StochasticFrankWolfe.svrf()),
    "Corrective": ours(gh.Corrective()),
}
RIVALS: dict[str, Callable[[Case], Took]] = {
    f"copt {variant}, b = {words}": copt_sfw(variant, share)
    for variant in ("SAG", "SAGA", "MHK", "LF")
    for words, share in (("1", 0.0), ("n/100", 0.01), ("n/10", 0.1))
}
