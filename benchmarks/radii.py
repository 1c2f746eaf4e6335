"""Ten radii on one problem of each class, from a few atoms to nearly no constraint: ours cold at each, and the rivals.

Rivals solve the penalised form at the price of the radius, as in `benchmarks.corrective`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from math import exp, log
from typing import Any

import numpy as np

import greedyhull as gh
from benchmarks.cases import Case, load_cases
from benchmarks.corrective import LIMIT, OURS, TOLERANCES, solve, warm_up
from benchmarks.patience import within
from benchmarks.rivals import RIVALS, Rival, absent
from benchmarks.tables import Table
from benchmarks.timing import interleaved

PROBLEMS = ("lasso golub", "lasso diabetes", "lasso housing_scale", "logistic breast_cancer", "logistic ijcnn1",
            "logistic rcv1_vw1000", "logistic a9a")
RADII = 10
HIGH, LOW = 0.9, 1e-4  # of the price at zero: where the path begins, and where it ends
EXACT = 1e-9  # relative gap of the solution that the price is read from
LOOSER = 2  # places in the grid of tolerances that a search begins before the one that the last radius took


def radii(repeats: int = 3, only: tuple[str, ...] = ()) -> Iterator[Table]:
    """A table for each problem, a row for each radius, and a last one with the mean and the worst of each."""
    cases, notes = load_cases(only)
    notes += [f"Left out: {package} is not installed." for package in absent()]
    summary = Table("radii", "Best rival / ours over ten radii", ("problem", "n", "d", "geometric mean", "worst", "at radius"))
    for problem in PROBLEMS:
        base = next((case for case in cases if case.name.startswith(f"{problem} ")), None)
        if base is not None:
            table = of_problem(problem, base, repeats)
            summary.rows.append(_total(problem, base, table))
            yield table
    summary.notes += [*notes, f"A rival that takes more than {LIMIT:g} s has not arrived and is left out."]
    yield summary


def of_problem(problem: str, base: Case, repeats: int) -> Table:
    """Milliseconds of everybody at each radius."""
    here = [r for r in RIVALS if r.kind == base.kind and r.present and base.X.shape[1] <= r.widest]
    columns = ("radius", "price / price at 0", "atoms", OURS, *(r.name for r in here), "best/ours")
    table = Table(f"radii {problem}".replace(" ", "_"), f"Milliseconds to a certified gap of 1e-6: {problem}", columns)
    data = {rival.name: rival.layout(base.X) for rival in here}
    begin = {rival.name: 0 for rival in here}
    for case in path(base):
        calls = {OURS: partial(solve, case)} if solve(case).converged else {}
        for rival in here:
            warm_up(rival, case, data[rival.name])
            place = loosest(rival, case, data[rival.name], begin[rival.name])
            if place is not None:
                begin[rival.name] = max(place - LOOSER, 0)
                calls[rival.name] = partial(rival, data[rival.name], case.y, case.alpha, TOLERANCES[place])
        times = interleaved(calls, repeats, patience=LIMIT / 4)
        table.rows.append(_row(case, times, [r.name for r in here]))
    table.notes.append(_words(table))
    return table


def path(base: Case) -> Iterator[Case]:
    """The same data at ten radii, evenly spaced on a logarithmic scale between the two prices."""
    at_zero = base.price_at_zero
    low = 1e-3 * base.at_zero / at_zero  # there the loss has fallen by a thousandth
    while at_radius(base, low).alpha > HIGH * at_zero:
        low *= 2.0
    high, factor = low, 2.0
    while factor > 1.02:  # where data can be fitted exactly, the price falls to zero at once
        while at_radius(base, factor * high).alpha > LOW * at_zero:
            high *= factor
        factor = factor**0.5
    for radius in np.geomspace(low, high, RADII):
        yield at_radius(base, float(radius))


def at_radius(base: Case, radius: float) -> Case:
    """The problem of ``base`` at another radius, with a solution that is exact enough to read the price from."""
    s = gh.minimize(base.f, gh.L1Ball(base.X.shape[1], radius), stop=gh.Relative(EXACT) | gh.Seconds(LIMIT))
    name = f"{base.name.partition(' r=')[0]} r={radius:.4g}"
    return replace(base, name=name, radius=radius, optimum=s.value, solution=s.point.array())


def loosest(rival: Rival, case: Case, X: Any, begin: int) -> int | None:
    """The place of the loosest tolerance at which the rival's point is certified; None where it does not arrive.

    The search begins where the last radius suggests, and goes back while that is tighter than it need be.
    """
    def passes(place: int) -> bool | None:
        w = within(LIMIT, partial(rival, X, case.y, case.alpha, TOLERANCES[place]))
        return None if w is None else bool(np.isfinite(w).all()) and case.certified(w)

    found = None
    for place in range(begin, len(TOLERANCES)):
        passed = passes(place)
        if passed is None:
            return None
        if passed:
            found = place
            break
    while found is not None and 0 < found <= begin and passes(found - 1):
        found -= 1
    return found


def _row(case: Case, times: dict[str, float], names: list[str]) -> tuple[object, ...]:
    ours, rivals = times.get(OURS), [times[name] for name in names if name in times]
    ratio = min(rivals) / ours if ours and rivals else None
    cells = [1e3 * times[name] if name in times else None for name in (OURS, *names)]
    return (case.radius, case.alpha / case.price_at_zero, int(np.count_nonzero(case.solution)), *cells, ratio)


def _mean_and_worst(table: Table) -> tuple[float, float, float] | None:
    """The geometric mean of the last column, its least value, and the radius of that."""
    known = [(row[-1], row[0]) for row in table.rows if isinstance(row[-1], float) and isinstance(row[0], float)]
    if not known:
        return None
    return exp(sum(log(ratio) for ratio, _ in known) / len(known)), *min(known)


def _words(table: Table) -> str:
    found = _mean_and_worst(table)
    if found is None:
        return "Nothing to compare."
    return "Best rival / ours: {:.3g} in the geometric mean, {:.3g} at worst, at radius {:.4g}.".format(*found)


def _total(problem: str, base: Case, table: Table) -> tuple[object, ...]:
    return (problem, *base.X.shape, *(_mean_and_worst(table) or (None, None, None)))
