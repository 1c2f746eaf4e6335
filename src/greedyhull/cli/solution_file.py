"""Solutions on disk: an NPZ file with the point, its atoms where they were kept, and the certificate."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.cli.formats import load_array, load_arrays, numbers
from greedyhull.driver.saved import save_state
from greedyhull.driver.solution_file import LARGEST, state_of
from greedyhull.errors import check
from greedyhull.errors.given import no_file
from greedyhull.objectives.shards.numbered import Numbered
from greedyhull.points.arrays import dense
from greedyhull.points.factors import of_block
from greedyhull.types import Array, Shape, State

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution
    from greedyhull.points.iterate import Iterate


MANY = 1_000_000  # columns whose names, where these are only their numbers, are not worth writing


def write_solution(path: Path, s: Solution, names: Sequence[str] | None) -> None:
    """Write ``point``, ``intercept``, the certificate's ``value, gap, lower, kind, delta`` (NaN where one is unknown), how the
    run went, ``names`` of the coordinates, and the atoms as rows of a CSR matrix with ``atom_weights``; and all that
    `Solution.save` writes, so that `load` reads the file too."""
    c = s.certificate
    listed = None if isinstance(names, Numbered) and len(names) > MANY else names
    state: State = {
        **state_of(s, listed), **_point(s.point),
        "intercept": np.array(s.intercept), "value": _known(c.value), "gap": _known(c.gap),
        "lower": np.array(c.lower), "kind": np.array(c.kind), "delta": np.array(c.delta), "converged": np.array(s.converged),
        "reason": np.array(s.reason), "iterations": np.array(s.iterations), "seconds": np.array(s.seconds),
        "solver": np.array(repr(s.solver)), **_atoms(s.point)}
    if listed is not None:
        state["names"] = np.array(listed)
    save_state(path, state)


def _point(w: Iterate) -> State:
    """The point as an array; a matrix that is kept by its factors, as these; of a large one only what `load` reads."""
    found = of_block(w.block, w.weights) if w.keeps_atoms else None
    if found is not None:
        return {"U": found.U, "sigma": found.sigma, "V": found.V}
    return {} if _large(w) else {"point": w.array()}


def _large(w: Iterate) -> bool:
    return len(w.shape) == 2 and w.keeps_atoms and prod(w.shape) > LARGEST


def _known(number: float | None) -> Array:
    return np.array(np.nan if number is None else number)


def _atoms(w: Iterate) -> State:
    if not w.keeps_atoms or _large(w) or of_block(w.block, w.weights) is not None:
        return {}
    places, entries, starts = [], [], [0]
    for i in range(len(w)):
        row = np.zeros(w.shape)
        w.atoms[i].add_to(row, 1.0)
        at = np.flatnonzero(row)
        places.append(at)
        entries.append(row.ravel()[at])
        starts.append(starts[-1] + len(at))
    return {"atom_weights": w.weights.copy(), "atoms_data": np.concatenate(entries), "atoms_indices": np.concatenate(places),
            "atoms_indptr": np.array(starts), "atoms_shape": np.array([len(w), int(np.prod(w.shape))])}


def read_point(path: Path, shape: Shape) -> Array:
    """The point in a file that ``greedyhull solve`` wrote, or any array: .npz with ``point`` or one array, .npy, text. Where
    points are vectors, one row or column is a vector."""
    check(path.is_file(), lambda: no_file(path))
    if path.suffix.lower() == ".npz":
        arrays = load_arrays(path)
        if {"U", "sigma", "V"} <= arrays.keys():
            U, sigma, V = (np.asarray(numbers(path, arrays[name]), dtype=np.float64) for name in ("U", "sigma", "V"))
            return np.asarray((U * sigma) @ V.T)
        if "point" in arrays:
            return np.asarray(numbers(path, arrays["point"]), dtype=np.float64)
    found = dense(load_array(path, matrix=True)).astype(np.float64)
    return found.ravel() if len(shape) == 1 and found.size == max(found.shape, default=0) else found
