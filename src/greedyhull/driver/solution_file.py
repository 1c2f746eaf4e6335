"""Solutions on disk: one npz file without pickle, with a JSON document inside, that later versions can read.

    greedyhull       the document, UTF-8: version of the format, certificate, reason, words for what is not saved
    point            the coordinates, where they are not too many to be written out: for whoever has NumPy and nothing else
    iterate.*        the point as it was kept: atoms and weights, or coordinates
    trace.*          the columns of the trace
    also.*           arrays and points that the solver reported besides

What a file has beyond that is ignored. Its checksum, and the types and shapes of what it holds, are checked.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.driver.certificate import Certificate
from greedyhull.driver.checkpoint import load_state, path_of, write_file, write_state, written_by
from greedyhull.driver.solution import Absent, Solution, StreamSolution, measure
from greedyhull.driver.trace import COLUMNS, LATER, Trace
from greedyhull.errors import GreedyhullError, check, is_file, no_file
from greedyhull.points.blocks import under
from greedyhull.points.coordinate_iterate import CoordinateIterate, restored
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, State

if TYPE_CHECKING:
    from greedyhull.driver.batch.solutions import Solutions

FORMAT = "greedyhull solution"
DOCUMENT = "greedyhull"  # the array that holds the document
KINDS: dict[str, type[Solution]] = {"Solution": Solution, "StreamSolution": StreamSolution}
NUMBERS = ("value", "gap", "lower", "delta")  # of a certificate


def save(solution: Solution, path: Any) -> Path:
    return write_file(path, lambda file: write_state(file, state_of(solution, solution.names)))


def state_of(s: Solution, names: Sequence[str] | None = None) -> State:
    """Return all that a file holds of a solution, by name."""
    state: State = _bare("iterate", s.point)
    if prod(s.point.shape) <= 10**7:  # else only its atoms are written
        state["point"] = s.point.array()
    if isinstance(s.point, CoordinateIterate) and s.point.decompose is not None:
        state.update(_bare("mixture", s.point.decompose(s.point.x)))
    state.update({f"trace.{name}": column for name, column in s.trace.to_dict().items()})
    also: dict[str, Any] = {}
    for place, (name, told) in enumerate(s.also.items()):
        if isinstance(told, Iterate):
            also[name] = {"point": f"also.{place}"}
            state.update(_bare(f"also.{place}", told))
        elif isinstance(told, np.ndarray) and not told.dtype.hasobject:
            also[name] = {"array": f"also.{place}"}
            state[f"also.{place}"] = told
        elif isinstance(told, (bool, int, float, np.generic)):
            also[name] = {"number": _number(float(told))}
    state[DOCUMENT] = packed({**_document(s, names), "also": also})
    return state


def packed(document: dict[str, Any]) -> Array:
    return np.frombuffer(json.dumps(document, ensure_ascii=False, allow_nan=False).encode(), dtype=np.uint8)


def _bare(part: str, w: Iterate) -> State:
    return {f"{part}.{name}": array for name, array in w.state().items() if not name.startswith("view.")}


def _document(s: Solution, names: Sequence[str] | None) -> dict[str, Any]:
    radius = None if isinstance(s.atom_set, Absent) else s.atom_set.traits.radius
    return {
        "format": FORMAT, "version": 1, "written_by": written_by(), "kind": type(s).__name__,
        "certificate": {name: _number(x) if name in NUMBERS else x for name, x in vars(s.certificate).items()},
        "reason": s.reason, "converged": bool(s.converged), "iterations": int(s.iterations), "seconds": _number(s.seconds),
        "rows": s.trace.recorded, "curvature": _number(s.curvature), "choice": s.choice, "seed": int(s.seed),
        "price": _number(s.price), "measure": measure(s),
        "intercept": [_number(one) for one in s.intercept] if isinstance(s.intercept, np.ndarray) else _number(s.intercept),
        "prices": None if s.prices is None else {str(name): _number(price) for name, price in s.prices.items()},
        "names": None if names is None else [str(name) for name in names],
        "solver": repr(s.solver), "stop": None if s.stop is None else repr(s.stop),
        "objective": _words_of(s.objective, "scale", None if isinstance(s.objective, Absent) else s.objective.scale),
        "set": _words_of(s.atom_set, "radius", radius)}


def _words_of(thing: Any, name: str, number: float | None) -> dict[str, Any]:
    """Return what a file holds of the objective or the set: its representation, and what is known of its size."""
    known = thing.known if isinstance(thing, Absent) else {} if number is None else {name: _number(number)}
    return {"words": repr(thing), **known}


def _number(x: float | None) -> float | str | None:
    """Return a number that JSON can hold, with all its digits; one that is not finite as a word."""
    return None if x is None else float(x) if isfinite(x) else str(float(x))


def _float(told: float | str | None) -> float | None:
    return None if told is None else float(told)


def load(path: str | Path) -> Solution | Solutions:
    """Read a solution that `Solution.save` wrote, or those of a batch that `Solutions.save` wrote.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    Solution or Solutions
        Point, certificate, trace and all else that was saved; of a batch, all of its solutions. Objectives and the set are
        not in the file: ``bounds()`` and ``constants`` say so.

    Raises
    ------
    GreedyhullError
        If there is no such file, or it is damaged, or of a newer version. Nothing in a file is ever executed.

    Examples
    --------
    >>> import os, tempfile, numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.least_squares(np.eye(2), np.array([3.0, 0.0])), gh.L1Ball(2, radius=1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = gh.load(s.save(os.path.join(folder, "s.npz")))
    >>> again.x, again.gap == s.gap
    (array([1., 0.]), True)
    """
    file = path_of(path, "path")
    check(is_file(file), f"{no_file(file)} Give one that Solution.save wrote.")
    state = load_state(file, "solution", "Solution.save")
    try:
        from greedyhull.driver.batch import solutions as batches

        told = _document_in(state, file)
        several = told.get("format") == batches.FORMAT
        return batches.made_from_file(state, told, file) if several else made_from(state, file)
    except Exception as error:  # what a stranger wrote can be wrong in any way
        if isinstance(error, GreedyhullError) and str(file) in str(error):
            raise
        what = str(error) if isinstance(error, GreedyhullError) else f"{type(error).__name__}: {error}."
        raise GreedyhullError(f"{file} is not a solution that Solution.save wrote. {what} Give another file, or solve "
                              "again.") from error


def made_from(state: State, file: Path) -> Solution:
    told = _document_in(state, file)
    check(told.get("format") == FORMAT, f"{file} holds no solution, but {told!r:.60}.")
    check_version(told, file, "format")
    about, point, kept = told["certificate"], restored(under("iterate", state)), under("mixture", state)
    check_shapes(state, {"point": ("f", point.shape)} if "point" in state else {}, file)
    if isinstance(point, CoordinateIterate) and kept:
        mixture = restored(kept)
        point.decompose = lambda x: mixture.copy()
    solver: Any = Absent(str(told["solver"]), "saved")
    numbers: Any = {name: _float(about[name]) for name in NUMBERS}
    certificate = Certificate(**numbers, kind=about["kind"], rounding=str(about["rounding"]), note=about.get("note", ""))
    made = KINDS[told["kind"]](
        point, certificate, str(told["reason"]), bool(told["converged"]), int(told["iterations"]), float(told["seconds"]),
        _trace(under("trace", state), int(told["rows"]), file), solver, _absent(told["objective"]),
        _absent(told["set"]), _float(told["curvature"]), str(told["choice"]), _also(told["also"], state),
        None if told["stop"] is None else Absent(str(told["stop"]), "saved"), int(told["seed"]),
        None if told["names"] is None else [str(name) for name in told["names"]])
    prices, b = told.get("prices"), told["intercept"]  # files of the first version may have no prices
    made._kept.update({"price": _float(told["price"]), "measure": str(told["measure"]),
                       "intercept": np.array(b, dtype=np.float64) if isinstance(b, list) else float(b),
                       "prices": None if prices is None else {name: float(price) for name, price in prices.items()}})
    return made


def check_version(told: dict[str, Any], file: Path, what: str) -> None:
    version = told.get("version")
    check(version == 1 and version is not True, f"{file} was written by greedyhull {told.get('written_by')}, in version "
          f"{version} of the {what}; this version reads up to 1. Read it with a newer greedyhull.")


def check_shapes(state: State, shapes: dict[str, tuple[str, tuple[int | None, ...]]], file: Path) -> None:
    """Raise unless arrays have these kinds and shapes; None stands for any length."""
    for name, (kinds, shape) in shapes.items():
        array = state.get(name, np.zeros(0, dtype=bool))
        fits = array.ndim == len(shape) and all(m in (None, n) for n, m in zip(array.shape, shape, strict=True))
        check(fits and array.dtype.kind in kinds, f"{name} in {file} has shape {array.shape} and type {array.dtype}; "
              f"numbers of shape {str(shape).replace('None', 'any')} are wanted.")


def _document_in(state: State, file: Path) -> dict[str, Any]:
    check(DOCUMENT in state, f"{file} holds no solution: give a file that Solution.save wrote. A file that checkpoint= wrote "
                             "is read by minimize(..., resume=path).")
    told = json.loads(state[DOCUMENT].tobytes().decode())
    check(isinstance(told, dict), f"{file} holds no solution, but {told!r:.60}.")
    return told  # type: ignore[no-any-return]


def _absent(about: dict[str, Any]) -> Absent:
    return Absent(str(about["words"]), "saved", {name: float(x) for name, x in about.items() if name != "words"})


def _trace(columns: State, recorded: int, file: Path) -> Trace:
    rows, names = len(columns["step"]), [name for name in COLUMNS if name in columns or name not in LATER]
    check_shapes(columns, dict.fromkeys(names, ("iuf", (rows,))), file)
    return Trace.of({name: columns[name] for name in names}, recorded)


def _also(told: dict[str, dict[str, Any]], state: State) -> dict[str, Any]:
    """Return what the solver reported besides; kinds that are not known here are left out."""
    found: dict[str, Any] = {}
    for name, entry in told.items():
        if "number" in entry:
            found[name] = float(entry["number"])
        elif "array" in entry:
            found[name] = state[str(entry["array"])]
        elif "point" in entry:
            found[name] = restored(under(str(entry["point"]), state))
    return found
