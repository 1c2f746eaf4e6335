"""Time until a certified gap of 1e-6·max(|value|, f(0)) on real l1 problems: ours, scikit-learn, celer, skglm and adelie."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import exp, log
from statistics import median
from typing import Any

import greedyhull as gh
from benchmarks.cases import GOAL, Case, load_cases
from benchmarks.patience import within
from benchmarks.rivals import RIVALS, Rival, absent
from benchmarks.tables import Table
from benchmarks.timing import interleaved

TOLERANCES = [10.0 ** (-half / 2) for half in range(4, 27)]  # 1e-2, 3e-3, 1e-3, … 1e-13
LIMIT = 20.0  # seconds; a fit that takes longer has not arrived
OURS = "greedyhull"
NAMES = ("scikit-learn", "scikit-learn Gram", "liblinear", "celer", "skglm", "adelie")


def corrective(repeats: int = 7, only: tuple[str, ...] = ()) -> Iterator[Table]:
    """Two tables: rivals stopped where their point is proved good to 1e-6, and where their value is, proved or not."""
    cases, notes = load_cases(only)
    notes += [f"Left out: {package} is not installed." for package in absent()]
    columns = ("case", "n", "d", OURS, *NAMES, "best/ours")
    proved = Table("corrective", "Milliseconds to a certified gap of 1e-6 of max(|value|, f(0))", columns)
    valued = Table("corrective_value", "The same, rivals stopped once their value is right to 1e-6", columns)
    for case in cases:
        times = measure(case, repeats)
        for table, goal in ((proved, "certified"), (valued, "near")):
            table.rows.append(_row(case, {name: t for (name, of), t in times.items() if of in (goal, OURS)}))
    for table in (proved, valued):
        table.notes += [*notes, *_summary([row[-1] for row in table.rows])]
        yield table


def measure(case: Case, repeats: int) -> dict[tuple[str, str], float]:
    """Median seconds by (name, goal); who does not arrive is left out."""
    calls: dict[str, Callable[[], Any]] = {}
    if _arrives(case):
        calls[f"{OURS}|{OURS}"] = partial(solve, case)
    for rival in RIVALS:
        if rival.kind == case.kind and rival.present and case.X.shape[1] <= rival.widest:
            X = rival.layout(case.X)
            for goal, tol in loosest(rival, case, X).items():
                calls[f"{rival.name}|{goal}"] = partial(rival, X, case.y, case.alpha, tol)
    names = [name.partition("|") for name in calls]
    return {(name, goal): t for (name, _, goal), t in zip(names, interleaved(calls, repeats).values())}


def solve(case: Case) -> gh.Solution:
    """Ours, from the raw arrays: objective, set and solve."""
    f = (gh.least_squares if case.kind == "lasso" else gh.logistic)(case.X, case.y)
    solver = gh.Corrective() if hasattr(gh, "Corrective") else None
    return gh.minimize(f, gh.L1Ball(case.X.shape[1], case.radius), solver, stop=gh.Relative(GOAL) | gh.Seconds(LIMIT))


def loosest(rival: Rival, case: Case, X: Any) -> dict[str, float]:
    """The loosest tolerance of the grid at which the rival's point passes, for each goal."""
    warm_up(rival, case, X)
    found: dict[str, float] = {}
    for tol in TOLERANCES:
        w = within(LIMIT, partial(rival, X, case.y, case.alpha, tol))
        if w is None:
            break
        certified = case.certified(w)
        if certified or case.near(w):
            found.setdefault("near", tol)
        if certified:
            found["certified"] = tol
            break
    return found


def warm_up(rival: Rival, case: Case, X: Any) -> None:
    """Let it compile what it compiles, on a problem that is quickly solved: at nearly the least penalty that gives zero."""
    rival(X, case.y, 0.9 * case.price_at_zero, TOLERANCES[0])


def _arrives(case: Case) -> bool:
    solve(case)  # the warm-up
    return solve(case).converged


def _row(case: Case, times: dict[str, float]) -> tuple[object, ...]:
    ours, rivals = times.get(OURS), [times[name] for name in NAMES if name in times]
    ratio = min(rivals) / ours if ours and rivals else None
    cells = [1e3 * times[name] if name in times else None for name in (OURS, *NAMES)]
    return (case.name, *case.X.shape, *cells, ratio)


def _summary(ratios: list[Any]) -> list[str]:
    known = [r for r in ratios if r is not None]
    if not known:
        return ["Nothing to compare."]
    mean, wins = exp(sum(map(log, known)) / len(known)), sum(r > 1 for r in known)
    unsolved = f" {len(ratios) - len(known)} cases could not be compared." if len(known) < len(ratios) else ""
    return [f"Fastest other / greedyhull: median {median(known):.3g}, geometric mean {mean:.3g}; {wins} wins and "
            f"{len(known) - wins} losses in {len(ratios)} cases.{unsolved}"]
