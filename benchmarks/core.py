"""Which problems `Corrective` solves in the compiled core, and which by the Python rounds: a count, not a timing.

Every loss is solved over every set, with every storage of the data and every option; a spy notes who made the rounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

import greedyhull as gh
from benchmarks.tables import Table
from greedyhull.atoms.simplex import PositiveL1Ball
from greedyhull.solvers import corrective

N, D = 12, 5
RNG = np.random.default_rng(0)
X = np.abs(RNG.standard_normal((N, D)))
Y = X[:, 0] + RNG.standard_normal(N)
LABELS = np.where(np.arange(N) % 2 == 0, 1, -1)
COUNTS = RNG.poisson(1.0, N)

LOSSES: dict[str, Callable[..., Any]] = {
    "least_squares": lambda X, **how: gh.least_squares(X, Y, **how),
    "logistic": lambda X, **how: gh.logistic(X, LABELS, **how),
    "squared_hinge": lambda X, **how: gh.squared_hinge(X, LABELS, **how),
    "huber": lambda X, **how: gh.huber(X, Y, 0.5, **how),
    "poisson": lambda X, **how: gh.poisson(X, COUNTS, **how),
    "lp_loss, p ≥ 2": lambda X, **how: gh.lp_loss(X, Y, 3.0, **how),
    "log_likelihood": lambda X, intercept=False, **how: None if intercept else gh.log_likelihood(X, **how),
    "hinge, smoothed": lambda X, **how: gh.hinge(X, LABELS, **how).smoothed(0.1),
    "absolute, smoothed": lambda X, **how: gh.absolute(X, Y, **how).smoothed(0.1),
    "quantile, smoothed": lambda X, **how: gh.quantile(X, Y, 0.3, **how).smoothed(0.1),
    "epsilon_insensitive, smoothed": lambda X, **how: gh.epsilon_insensitive(X, Y, 0.1, **how).smoothed(0.1),
    "quadratic": lambda X, **how: None if how or sparse.issparse(X) or X.dtype != float else gh.quadratic(X.T @ X),
}
SETS: dict[str, Any] = {
    "L1Ball": gh.L1Ball(D, 1.0),
    "L1Ball, weights": gh.L1Ball(D, 1.0, weights=np.linspace(1.0, 2.0, D)),
    "Simplex": gh.Simplex(D),
    "CappedSimplex": gh.CappedSimplex(D),
    "PositiveL1Ball": PositiveL1Ball(D, 1.0),
    "Vertices": gh.Vertices(np.abs(RNG.standard_normal((7, D)))),
    "Vertices, sparse": gh.Vertices(sparse.csr_array(np.abs(RNG.standard_normal((7, D))))),
    "Cached(L1Ball)": gh.Cached(gh.L1Ball(D, 1.0)),
    "L2Ball": gh.L2Ball(D, 1.0),
    "Box": gh.Box(np.full(D, 0.0), np.full(D, 0.5)),
    "LinfBall": gh.LinfBall(D, 0.5),
    "Simplex, upper": gh.Simplex(D, upper=0.4),
}
STORAGES: dict[str, Callable[[Any], Any]] = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "rows apart": lambda X: np.repeat(X, 2, axis=0)[::2],
    "columns apart": lambda X: np.asfortranarray(np.repeat(X, 2, axis=1))[:, ::2],
    "both apart": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "CSR": sparse.csr_array,
    "CSC": sparse.csc_array,
}
OPTIONS = list(product(("float64", "float32"), ("", "sample_weight"), ("", "intercept"), ("", "l2")))


def core(repeats: int = 1, only: tuple[str, ...] = ()) -> Iterator[Table]:
    """Sets that go the same way share their rows; `only` names losses and sets."""
    table = Table("core", "Corrective: cells (loss × storage × dtype × options) that the compiled core solves", (
        "sets", "losses", "in the core, for each set", "of", "left to Python"))
    alike: dict[tuple[tuple[object, ...], ...], list[str]] = {}
    inside = cells = 0
    for name in SETS:
        rows = _rows({loss: _counted(loss, name) for loss in LOSSES if not only or loss in only or name in only})
        alike.setdefault(rows, []).append(name)
        inside, cells = inside + sum(row[1] for row in rows), cells + sum(row[2] for row in rows)
    for rows, names in alike.items():
        table.rows += [("; ".join(names) if i == 0 else "", *row) for i, row in enumerate(rows)]
    table.notes.append(f"{inside} of {cells} cells run in the core.")
    yield table


def _rows(found: dict[str, tuple[int, int, str]]) -> tuple[tuple[str, int, int, str], ...]:
    """Losses of which the same is left to Python, how many cells the core solves and how many there are, and what is left."""
    groups: dict[str, list[str]] = {}
    for loss, (_, cells, missed) in found.items():
        if cells:
            groups.setdefault(missed, []).append(loss)
    rows = []
    for missed, losses in groups.items():
        inside, cells = (sum(found[loss][i] for loss in losses) for i in (0, 1))
        others = sorted(loss for group in groups.values() if group is not losses for loss in group)
        few = len(losses) <= len(others)
        rows.append((", ".join(losses) if few else f"all but {', '.join(others)}" if others else "all", inside, cells, missed))
    return tuple(rows)


def _counted(loss: str, name: str) -> tuple[int, int, str]:
    """How many cells the core solved, how many there are, and what those have in common that it did not solve."""
    cells: dict[tuple[str, ...], bool] = {}
    for storage, (dtype, weighted, intercept, l2) in product(STORAGES, OPTIONS):
        how: dict[str, Any] = {"sample_weight": np.arange(1.0, N + 1)} if weighted else {}
        how |= {"intercept": True} if intercept else {}
        how |= {"l2": 0.1} if l2 else {}
        f = LOSSES[loss](STORAGES[storage](X.astype(dtype)), **how)
        ran = None if f is None else ran_in_core(f, SETS[name])
        if ran is not None:
            cells[storage, dtype, weighted, intercept, l2] = ran
    return sum(cells.values()), len(cells), _in_common(cells)


def _in_common(cells: dict[tuple[str, ...], bool]) -> str:
    """The words that occur in no cell of the core and so explain the others."""
    missed = [cell for cell, ran in cells.items() if not ran]
    if not missed or len(missed) == len(cells):
        return "all" if missed else ""
    known = {word for cell, ran in cells.items() if ran for word in cell}
    words = Counter(word for cell in missed for word in cell if word not in known)
    return ", ".join(words)


def ran_in_core(f: Any, S: Any) -> bool | None:
    """Who made the rounds; None where Corrective refuses the problem."""
    with spied() as made:
        try:
            gh.minimize(f, S, gh.Corrective(), stop=gh.Iterations(2))
        except gh.GreedyhullError:
            return None
    return any(made)


@contextmanager
def spied() -> Iterator[list[bool]]:
    """Whether the core was asked for rounds, and had them."""
    made: list[bool] = []
    ways = ("compiled_rounds", "compiled_coordinates")
    before = {way: vars(corrective)[way] for way in ways}

    def spying(way: str) -> Callable[..., Any]:
        def spy(*given: Any) -> Any:
            rounds = before[way](*given)
            made.append(rounds is not None)
            return rounds

        return spy

    vars(corrective).update({way: spying(way) for way in ways})
    try:
        yield made
    finally:
        vars(corrective).update(before)
