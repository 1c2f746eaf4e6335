"""Quadratic assignment: `graph_matching` beside SciPy's FAQ over QAPLIB, by how far each ends above the best known value."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
from scipy.optimize import quadratic_assignment

from benchmarks.cases import data_folder
from benchmarks.tables import Table
from benchmarks.timing import interleaved
from greedyhull.apps import graph_matching

FOLDER = data_folder() / "qaplib"


def tables(repeats: int, only: tuple[str, ...] = ()) -> Iterator[Table]:
    table = Table("polytopes_matching", "Quadratic assignment over QAPLIB: mean excess over the best known value",
                  ["family", "problems", "ours, one start", "ours, ten starts", "SciPy's FAQ", "ten starts worse than FAQ",
                   "seconds, ten starts", "seconds, FAQ"],
                  notes=["SciPy's FAQ starts from the centre, as our first start does; the last row is of all problems. "
                         "A value of zero counts as one."])
    path, rows = FOLDER / "faq_reference.json", []
    for entry in json.loads(path.read_text()) if path.exists() else []:
        name = entry["problem"]
        if (FOLDER / "problems" / f"{name}.dat").exists() and (not only or any(word in name for word in only)):
            rows.append((name[:3], *_case(name, entry["best_known_sln"], repeats)))
    for family in [*sorted({row[0] for row in rows}), "all"] if rows else []:
        some = np.array([row[1:] for row in rows if family in (row[0], "all")])
        table.rows.append([family, len(some), *some[:, :3].mean(axis=0), int((some[:, 1] > some[:, 2]).sum()),
                           *some[:, 3:].sum(axis=0)])
    yield table


def _case(name: str, known: float | None, repeats: int) -> tuple[float, ...]:
    t = np.array((FOLDER / "problems" / f"{name}.dat").read_text().split(), dtype=float)
    n = int(t[0])
    A, B = t[1 : 1 + n * n].reshape(n, n), t[1 + n * n : 1 + 2 * n * n].reshape(n, n)
    found, faq = graph_matching(A, B), quadratic_assignment(A, B, method="faq")
    best = min(value for value in (known, found.value, float(faq.fun)) if value is not None)
    excess = [(value - best) / max(abs(best), 1.0) for value in (found.values[0], found.value, float(faq.fun))]
    calls = {"ours": lambda: graph_matching(A, B), "faq": lambda: quadratic_assignment(A, B, method="faq")}
    times = interleaved(calls, repeats)
    return (*excess, times["ours"], times["faq"])
