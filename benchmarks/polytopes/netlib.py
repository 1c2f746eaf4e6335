"""Projections onto polytopes of Netlib, beside an interior-point method, whose home this is."""

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

ACCURACY = 1e-6
FOLDER = data_folder()
CENTRES = {121: 0.0, 122: 10.0, 123: 10.0, 124: 10.0, 125: 0.0}  # of the reference problems, what is projected


def given(name: str) -> dict[str, Any]:
    """The rows of a program, as `LinearProgram` takes them."""
    z = np.load(FOLDER / "netlib_lp" / f"{name}.npz", allow_pickle=True)
    rows = {key: z[key][()] if z[key].ndim == 0 else z[key] for key in ("A_ub", "b_ub", "A_eq", "b_eq") if z[key].size}
    return {**rows, "bounds": np.squeeze(z["bounds"]) if z["bounds"].size else (0, None)}


def by_clarabel(S: gh.LinearProgram, centre: float, tol: float = 1e-9) -> Any:
    """min ½‖x‖² − centre·Σx over the same rows, by Clarabel called directly."""
    import clarabel

    P, d = S.rows, S.shape[0]
    one, A = sparse.eye_array(d, format="csr"), sparse.csr_array(P.A)
    equal = P.l == P.u
    low, high = np.isfinite(P.lower), np.isfinite(P.upper)
    parts = [A[equal], A[~equal & np.isfinite(P.u)], one[high], -one[low]]
    right = [P.u[equal], P.u[~equal & np.isfinite(P.u)], P.upper[high], -P.lower[low]]
    cones = [clarabel.ZeroConeT(int(equal.sum())), clarabel.NonnegativeConeT(sum(len(b) for b in right[1:]))]
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tol
    stacked = sparse.csc_matrix(sparse.vstack(parts))
    form, slope = sparse.csc_matrix(sparse.eye_array(d)), np.full(d, -centre)
    solver = clarabel.DefaultSolver(form, slope, stacked, np.concatenate(right), cones, settings)
    return np.array(solver.solve().x)


def tables(repeats: int, only: tuple[str, ...] = ()) -> Iterator[Table]:
    table = Table("polytopes_netlib", f"Projections onto Netlib's polytopes: seconds to {ACCURACY:g}, relative",
                  ["problem", "variables", "rounds", "off the reference", "build", "greedyhull", "Clarabel", "rival / ours"],
                  notes=["off the reference: (value − reference) / reference. The set is built beside the clock."])
    path = FOLDER / "references.json"
    for entry in json.loads(path.read_text()) if path.exists() else []:
        if entry["id"] in CENTRES and (not only or any(word in entry["dataset"] for word in only)):
            rows, centre = given(entry["dataset"].split()[1]), CENTRES[entry["id"]]
            S, d = gh.LinearProgram(**rows), int(entry["shape"][0])
            f = gh.least_squares(np.eye(d), np.full(d, centre))
            calls = {"build": lambda rows=rows: gh.LinearProgram(**rows),
                     "greedyhull": lambda f=f, S=S: gh.minimize(f, S, stop=gh.Relative(ACCURACY)),
                     "Clarabel": lambda S=S, centre=centre: by_clarabel(S, centre)}
            times, s = interleaved(calls, repeats), calls["greedyhull"]()
            off = (s.value - entry["optimum"]) / entry["optimum"]
            table.rows.append([entry["dataset"], d, s.iterations, off, times["build"], times["greedyhull"],
                               times["Clarabel"], times["Clarabel"] / times["greedyhull"]])
    yield table
