"""Solutions on disk: one npz file without pickle, with a JSON document inside, that later versions can read.

    greedyhull       the document, UTF-8: version of the format, certificate, reason, words for what is not saved
    point            the coordinates, where they are not too many to be written out: for whoever has NumPy and nothing else
    iterate.*        the point as it was kept: atoms and weights, or coordinates
    trace.*          the columns of the trace
    also.*           arrays and points that the solver reported besides

What a file has beyond that is ignored. Whatever it says is checked: it may come from anywhere.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import inf, isfinite, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from greedyhull.driver.certificate import Certificate
from greedyhull.driver.checkpoint import load_state, path_of, save_state, target_of, unwritten, written_by
from greedyhull.driver.solution import Absent, Solution, StreamSolution, measure
from greedyhull.driver.state_schema import Fields, check_column, check_point
from greedyhull.driver.trace import COLUMNS, LATER, Trace
from greedyhull.errors import GreedyhullError, check, no_file
from greedyhull.points.blocks import under
from greedyhull.points.coordinate_iterate import CoordinateIterate, restored
from greedyhull.points.iterate import Iterate, wrong_weights
from greedyhull.types import Array, Kind, State

if TYPE_CHECKING:
    from greedyhull.driver.batch.solutions import Solutions

FORMAT = "greedyhull solution"
VERSION = 1
DOCUMENT = "greedyhull"  # the array that holds the document
LARGEST = 10**7  # coordinates that are written out
KINDS: dict[str, type[Solution]] = {"Solution": Solution, "StreamSolution": StreamSolution}


def save(solution: Solution, path: Any) -> Path:
    """Write a solution to a file."""
    target = target_of(path)
    try:
        save_state(target, state_of(solution, solution.names))
    except OSError as error:
        raise unwritten(target, error) from error
    return target


def state_of(s: Solution, names: Sequence[str] | None = None) -> State:
    """All that a file holds of a solution, by name."""
    state: State = {f"iterate.{name}": array for name, array in _bare(s.point).items()}
    if prod(s.point.shape) <= LARGEST:
        state["point"] = s.point.array()
    if isinstance(s.point, CoordinateIterate) and s.point.decompose is not None:
        state.update({f"mixture.{name}": array for name, array in _bare(s.point.decompose(s.point.x)).items()})
    state.update({f"trace.{name}": column for name, column in s.trace.to_dict().items()})
    also: dict[str, Any] = {}
    for place, (name, told) in enumerate(s.also.items()):
        if isinstance(told, Iterate):
            also[name] = {"point": f"also.{place}"}
            state.update({f"also.{place}.{part}": array for part, array in _bare(told).items()})
        elif isinstance(told, np.ndarray) and not told.dtype.hasobject:
            also[name] = {"array": f"also.{place}"}
            state[f"also.{place}"] = told
        elif isinstance(told, (bool, int, float, np.generic)):
            also[name] = {"number": _number(float(told))}
    document = {**_document(s, names), "also": also}
    state[DOCUMENT] = np.frombuffer(json.dumps(document, ensure_ascii=False, allow_nan=False).encode(), dtype=np.uint8)
    return state


def _bare(w: Iterate) -> State:
    """The point without what objectives remember of it."""
    return {name: array for name, array in w.state().items() if not name.startswith("view.")}


def _document(s: Solution, names: Sequence[str] | None) -> dict[str, Any]:
    c, known = s.certificate, {} if isinstance(s.objective, Absent) else {"scale": _number(float(s.objective.scale))}
    radius = None if isinstance(s.atom_set, Absent) else s.atom_set.traits.radius
    return {
        "format": FORMAT, "version": VERSION, "written_by": written_by(), "kind": type(s).__name__,
        "certificate": {"value": _number(c.value), "gap": _number(c.gap), "lower": _number(c.lower), "kind": c.kind,
                        "delta": _number(c.delta), "rounding": c.rounding, "note": c.note},
        "reason": s.reason, "converged": bool(s.converged), "iterations": int(s.iterations), "seconds": _number(s.seconds),
        "rows": s.trace.recorded, "curvature": _number(s.curvature), "choice": s.choice, "seed": int(s.seed),
        "price": _number(s.price), "intercept": _constants(s.intercept), "measure": measure(s),
        "prices": None if s.prices is None else {str(name): _number(price) for name, price in s.prices.items()},
        "names": None if names is None else [str(name) for name in names],
        "solver": repr(s.solver), "stop": None if s.stop is None else repr(s.stop),
        "objective": {"words": repr(s.objective), **(s.objective.known if isinstance(s.objective, Absent) else known)},
        "set": {"words": repr(s.atom_set), **(s.atom_set.known if isinstance(s.atom_set, Absent) else
                                              {} if radius is None else {"radius": _number(float(radius))})}}


def _number(x: float | None) -> float | str | None:
    """A number that JSON can hold; those that are not finite as words. Its digits are all there."""
    return None if x is None else float(x) if isfinite(x) else str(float(x))


def _constants(b: float | Array) -> Any:
    """One intercept, or one for each class."""
    return [_number(one) for one in b.tolist()] if isinstance(b, np.ndarray) else _number(b)


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

    See Also
    --------
    Solution.save : Write such a file.
    Solutions.save : Write the solutions of a batch.
    certify : Certify the point again, from the problem alone.

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
    check(file.is_file(), f"{no_file(file)} Give one that Solution.save wrote.")
    state = load_state(file, "solution", "Solution.save")
    try:
        return _of_either_kind(state, file)
    except Exception as error:  # what a stranger wrote can be wrong in any way
        if isinstance(error, GreedyhullError) and str(file) in str(error):
            raise
        what = str(error) if isinstance(error, GreedyhullError) else f"{type(error).__name__}: {error}."
        raise GreedyhullError(f"{file} is not a solution that Solution.save wrote. {what} Give another file, or solve "
                              "again.") from error


def _of_either_kind(state: State, file: Path) -> Solution | Solutions:
    from greedyhull.driver.batch import solutions as solutions_file

    told = _document_in(state, file)
    several = told.get("format") == solutions_file.FORMAT
    return solutions_file.made_from_file(state, told, file) if several else made_from(state, file)


def made_from(state: State, file: Path) -> Solution:
    """The solution of a file, if it is sound."""
    told = _told(state, file)
    point = _point(state, file)
    document = Fields(told, file)
    certificate = _certificate(document.part("certificate"), file)
    kind, stream, names = document.words("kind"), certificate.value is None, told["names"]
    check(kind in KINDS, f"{file} says that it holds a {kind!r:.40}, which there is not.")
    check(stream == (kind == "StreamSolution"), f"{file} has no value of f, and does not say that f is a stream."
          if stream else f"{file} says that f is a stream, and has a value of it.")
    check(names is None or (isinstance(names, list) and all(isinstance(name, str) for name in names)
                            and len(names) == prod(point.shape)), f"The names in {file} are not {prod(point.shape)} names.")
    trace = _trace(under("trace", state), document.whole("rows"), stream, file)
    k = document.whole("iterations")
    check(not trace.rows or trace.rows[-1][0] <= k, f"The trace in {file} goes on after the last of {k} iterations.")
    made = KINDS[kind](
        point, certificate, document.words("reason"), document.flag("converged"), k,
        document.number("seconds", 0.0), trace, Absent(document.words("solver"), "saved"), _absent(document.part("objective")),
        _absent(document.part("set")), document.number_or_none("curvature", 0.0, infinite=True), document.words("choice"),
        _also(told["also"], state, file), None if told["stop"] is None else Absent(document.words("stop"), "saved"),
        document.whole("seed"), names)
    prices = told.get("prices")  # files of the first version may have none
    made._kept.update({"price": document.number_or_none("price"), "measure": document.words("measure"),
                       "intercept": document.number_or_several("intercept", point.shape[-1]),
                       "prices": None if prices is None else document.numbers("prices")})
    return made


def _certificate(about: Fields, file: Path) -> Certificate:
    """The certificate, if it is one."""
    kind, rounding = about.words("kind"), about.words("rounding")
    check(kind in get_args(Kind) and rounding in ("proved", "estimated"), f"{file} says that its certificate is of the kind "
          f"{kind!r:.40}, with rounding {rounding!r:.40}, which there is not.")
    value, gap = about.number_or_none("value"), about.number_or_none("gap", 0.0, infinite=True)
    lower = about.number("lower", infinite=True)
    above = inf if value is None else value + (0.0 if gap is None else gap)
    check(lower < inf and lower <= above, f"certificate.lower in {file} is {lower:g}, and the value {value}; a lower bound "
                                          "is wanted.")
    return Certificate(value, gap, lower, cast(Kind, kind), about.number("delta", 0.0),
                       cast(Literal["proved", "estimated"], rounding), about.words("note") if "note" in about.told else "")


def _document_in(state: State, file: Path) -> dict[str, Any]:
    """The document, whatever it is about."""
    check(DOCUMENT in state, f"{file} holds no solution: give a file that Solution.save wrote. A file that checkpoint= wrote "
                             "is read by minimize(..., resume=path).")
    array = state[DOCUMENT]
    check(array.dtype == np.uint8 and array.ndim == 1, f"The document in {file} is no text.")
    told = json.loads(array.tobytes().decode())
    check(isinstance(told, dict), f"{file} holds no solution, but {told!r:.60}.")
    return told  # type: ignore[no-any-return]


def _told(state: State, file: Path) -> dict[str, Any]:
    """The document, of a version that is understood."""
    told = _document_in(state, file)
    check(told.get("format") == FORMAT, f"{file} holds no solution, but {told!r:.60}.")
    version = Fields(told, file).whole("version", -(2**63))
    check(version <= VERSION, f"{file} was written by greedyhull {told.get('written_by')}, in version {version} of the "
                              f"format; this version reads up to {VERSION}. Read it with a newer greedyhull.")
    check(version >= 1, f"{file} says that it is of version {version}, which there never was.")
    return told


def _absent(about: Fields) -> Absent:
    return Absent(about.words("words"), "saved", {name: about.number(name, 0.0) for name in about.told if name != "words"})


def _point(state: State, file: Path) -> Iterate:
    """The point, if its weights are weights and its coordinates are its own."""
    parts, mixture = under("iterate", state), under("mixture", state)
    check_point(parts, f"{file}, iterate")
    w = _whole(restored(parts), file)
    if isinstance(w, CoordinateIterate) and mixture:
        check_point(mixture, f"{file}, mixture")
        kept = _whole(restored(mixture), file)
        w.decompose = lambda x: kept.copy()
    if "point" in state:
        x = state["point"]
        check(x.shape == w.shape and x.dtype == np.float64, f"{file} has coordinates of shape {x.shape}, and a point of shape "
                                                            f"{w.shape}.")
        size = float(np.abs(x).max(initial=0.0))
        check(bool(np.isfinite(x).all()), f"The coordinates in {file} are not all finite.")
        # share by which coordinates and atoms of a file may differ: other machines round otherwise
        check(bool(np.all(np.abs(w.array() - x) <= 1e-6 * size)), f"The atoms in {file} do not add up to its coordinates.")
    return w


def _whole(w: Iterate, file: Path) -> Iterate:
    if w.keeps_atoms:
        weights = w.weights
        check(weights.ndim == 1 and weights.dtype == np.float64 and len(weights) == len(w.block) > 0,
              f"{file} has {len(w.block)} atoms, and weights of shape {weights.shape}.")
        wrong = wrong_weights(w, 10**9) if bool(np.isfinite(weights).all()) else "a weight is not finite"
        check(wrong is None, f"The point in {file} is none: {wrong}.")
    return w


def _trace(columns: State, recorded: int, stream: bool, file: Path) -> Trace:
    """The trace, if its columns are numbers that they can be, and all of one length."""
    found = {name: columns[name] for name in COLUMNS if name in columns or name not in LATER}
    lengths = {column.shape for column in found.values()}
    check(len(lengths) == 1 and all(column.ndim == 1 and column.dtype.kind in "iuf" for column in found.values()),
          f"The columns of the trace have the shapes {sorted(lengths)}; one length is wanted, and numbers.")
    for name, column in found.items():
        check_column(name, column, str(file), stream)
    rows = len(found["step"])
    check(recorded >= rows, f"rows in {file} is {recorded}, and its trace has {rows}.")
    return Trace.of(found, recorded)


def _also(told: dict[str, dict[str, Any]], state: State, file: Path) -> dict[str, Any]:
    """What the solver reported besides; kinds that are not known here are left out."""
    found: dict[str, Any] = {}
    for name, entry in told.items():
        if "number" in entry:
            found[name] = float(entry["number"])
        elif "array" in entry:
            found[name] = state[str(entry["array"])]
        elif "point" in entry:
            parts = under(str(entry["point"]), state)
            check_point(parts, f"{file}, {name!r:.40}")
            found[name] = restored(parts)
    return found
