"""Co-localisation in a video: a quadratic over a product of simplices, beside quadratic programming called directly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

import greedyhull as gh
from benchmarks.cases import data_folder
from benchmarks.tables import Table
from benchmarks.timing import interleaved

ACCURACIES = (1e-6, 1e-8)  # absolute; the optimum is about 0.1
FOLDER = data_folder()
SETS, SIZE = 33, 20


def by_piqp(Q: Any, b: Any, accuracy: float) -> Any:
    import piqp

    solver = piqp.DenseSolver()
    solver.settings.verbose = False
    solver.settings.eps_abs = solver.settings.eps_duality_gap_abs = accuracy
    solver.setup(Q, -b, np.kron(np.eye(SETS), np.ones((1, SIZE))), np.ones(SETS), x_l=np.zeros(len(b)))
    solver.solve()
    return np.array(solver.result.x)


def by_clarabel(Q: Any, b: Any, accuracy: float) -> Any:
    import clarabel

    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = accuracy
    rows = sparse.csc_matrix(sparse.vstack([np.kron(np.eye(SETS), np.ones((1, SIZE))), -sparse.eye_array(len(b))]))
    cones = [clarabel.ZeroConeT(SETS), clarabel.NonnegativeConeT(len(b))]
    right = np.concatenate([np.ones(SETS), np.zeros(len(b))])
    return np.array(clarabel.DefaultSolver(sparse.csc_matrix(np.triu(Q)), -b, rows, right, cones, settings).solve().x)


def tables(repeats: int, only: tuple[str, ...] = ()) -> Iterator[Table]:
    from scipy.io import loadmat

    table = Table("polytopes_colocalisation", f"Co-localisation: a quadratic over {SETS} simplices of {SIZE} numbers, seconds",
                  ["gap", "rounds", "above the reference", "greedyhull", "Clarabel", "PIQP", "best rival / ours"],
                  notes=["Rivals end at the same tolerance; their answers carry no bound of their own."])
    path = FOLDER / "fw_examples" / "aeroplane_data_small.mat"
    if path.exists():
        known = {entry["id"]: entry for entry in json.loads((FOLDER / "references.json").read_text())}[104]["optimum"]
        z = loadmat(path)
        Q, b = np.ascontiguousarray(0.5 * (z["A"] + z["A"].T)), -np.ascontiguousarray(z["b"].ravel(), dtype=float)
        S = gh.Product(*[gh.Simplex(SIZE)] * SETS)
        for accuracy in ACCURACIES:
            calls = {"greedyhull": lambda a=accuracy: gh.minimize(gh.quadratic(Q, b), S, stop=gh.Gap(a)),
                     "Clarabel": lambda a=accuracy: by_clarabel(Q, b, a), "PIQP": lambda a=accuracy: by_piqp(Q, b, a)}
            times, s = interleaved(calls, repeats), calls["greedyhull"]()
            table.rows.append([accuracy, s.iterations, s.value - known, times["greedyhull"], times["Clarabel"], times["PIQP"],
                               min(times["Clarabel"], times["PIQP"]) / times["greedyhull"]])
    yield table
