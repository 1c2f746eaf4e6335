"""What `batch` returns, its file, and starts from it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from greedyhull.driver.batch.problems import Record, Targets, face_of, objective_of
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.checkpoint import write_file, write_state, written_by
from greedyhull.driver.solution import Absent, Solution, measure
from greedyhull.driver.solution_file import DOCUMENT, check_shapes, check_version, made_from, packed
from greedyhull.driver.solution_file import state_of as state_of_one
from greedyhull.driver.stop import Stop
from greedyhull.driver.trace import Trace
from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.points.aligned import point_of
from greedyhull.points.blocks import under
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import dense
from greedyhull.points.validate import as_atom
from greedyhull.solvers.corrective import Corrective
from greedyhull.solvers.parts.progress import Event
from greedyhull.types import Array, AtomSet, Index, Shape, State, lacks

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMED = 5  # failures that are listed by number


class Nothing(Certificate):
    def __str__(self) -> str:
        return "There is no solution, and nothing is certified; the error says why."


@dataclass(frozen=True, eq=False)
class Failure:
    """What replaces the `Solution` of a problem that failed: x is NaN, the gap infinite, and ``error`` says why."""

    error: Exception
    reason: str
    x: Array
    value = float("nan")
    gap = float("inf")
    converged = False
    certificate = Nothing(None, None, -float("inf"))

    def __repr__(self) -> str:
        return f"Failure({self.reason})"


@dataclass(frozen=True)
class Asked:
    """What the problems of a batch were asked for."""

    problems: list[Any] | Targets
    S: AtomSet
    without: Index
    stop: Stop
    seed: int

    def made(self, i: int, r: Record) -> Solution:
        """The solution of a problem that was solved with others, from its row of the arrays."""
        f, S = objective_of(self.problems, i), face_of(self.S, int(self.without[i]))
        choice = f"{f!r} was solved together with others that share its data, over one Gram matrix."
        s = _of_row(r, i, "", Corrective(), f, S, choice, self.stop, self.seed)
        value, gap = s.value, float(r.gaps[i])
        assert isinstance(s.point, CoordinateIterate)
        s.point.decompose = S.decompose
        event = Event(s.iterations, s.seconds, value, gap, value - gap, s.point, value, scale=float(r.scales[i]))
        reason = self.stop.claim(event)
        assert reason is not None  # else it had a run of its own
        s.reason = reason.words
        return s


def _of_row(r: Record, i: int, reason: str, solver: Any, f: Any, S: Any, choice: str, stop: Any, seed: int) -> Solution:
    value, gap, k, seconds = float(r.values[i]), float(r.gaps[i]), int(r.iterations[i]), float(r.seconds[i])
    trace = Trace()
    trace.rows.append((k, seconds, value, gap, int(np.count_nonzero(r.x[i])), k, k, float(k), 0.0, gap))
    return Solution(CoordinateIterate(r.x[i]), Certificate(value, gap, value - gap), reason, bool(r.converged[i]), k, seconds,
                    trace, solver, f, S, choice=choice, stop=stop, seed=seed)


class Solutions(Sequence["Solution | Failure"]):
    """Solutions of many problems, in the order of the problems.

    ``solutions[i]`` is the `Solution` of problem i, with its certificate. It is made when it is asked for; the attributes
    below are arrays over all problems. A problem that failed has in its place an object whose ``error`` says why and whose
    ``converged`` is False; the attributes hold NaN and an infinite gap for it. Solutions come from `batch`.

    Parameters
    ----------
    record : Record
        What is known of each problem.
    source : Asked or FromFile
        What makes a solution of a row: the problems, the set and the stop, or a file.

    Attributes
    ----------
    x : ndarray of shape (problems, d)
        The points, one in each row.
    values : ndarray of shape (problems,)
        The values of the objectives.
    gaps : ndarray of shape (problems,)
        The certified gaps: each value is within its gap of the minimum.
    converged : ndarray of bool, of shape (problems,)
        Whether the gap meets what ``stop`` asked for.
    intercepts : ndarray of shape (problems,)
        The intercepts; 0 where the objectives have none.
    iterations : ndarray of int, of shape (problems,)
        The numbers of iterations.
    errors : mapping of int to Exception
        Why problems failed, by their number.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> found = gh.batch(gh.least_squares, gh.Simplex(2), X=np.eye(2), Y=np.array([[1.0, 0.25], [0.0, 0.75]]))
    >>> found.x
    array([[1.  , 0.  ],
           [0.25, 0.75]])
    >>> found[1].converged, len(found)
    (True, 2)
    """

    def __init__(self, record: Record, source: Asked | FromFile) -> None:
        self._record, self._source = record, source
        self.x, self.values, self.gaps, self.converged = record.x, record.values, record.gaps, record.converged
        self.intercepts, self.iterations = record.intercepts, record.iterations
        self.errors: Mapping[int, Exception] = record.errors

    @property
    def record(self) -> Record:
        """What is known of each problem."""
        return self._record

    def certificates(self) -> list[Certificate]:
        """Give all certificates at once, without making the solutions.

        Returns
        -------
        list of Certificate
            One for each problem.
        """
        r = self._record
        plain = [Certificate(value, gap, value - gap) for value, gap in zip(r.values.tolist(), r.gaps.tolist(), strict=True)]
        for i in (*r.runs, *r.errors):
            plain[i] = self[i].certificate
        return plain

    def save(self, path: str | Path) -> Path:
        """Write all solutions to one file, which `load` reads, in this version and in later ones.

        The file is a NumPy archive (npz) without pickle. It holds the arrays above, certificates, reasons and prices, and the
        errors of problems that failed; neither the objectives nor the set, which hold data.

        Parameters
        ----------
        path : str or Path
            The file to write. It is replaced as a whole, or not at all.

        Returns
        -------
        Path
            The file that was written.
        """
        return write_file(path, lambda file: write_state(file, _state_of(self)))

    def __len__(self) -> int:
        return len(self._record)

    @overload
    def __getitem__(self, i: int) -> Solution | Failure: ...
    @overload
    def __getitem__(self, i: slice) -> list[Solution | Failure]: ...
    def __getitem__(self, i: Any) -> Any:
        """Solution number i; a list of them for a slice."""
        if isinstance(i, slice):
            return [self[k] for k in range(len(self))[i]]
        i = range(len(self))[i]
        record = self._record
        if i in record.errors:
            return Failure(record.errors[i], str(record.errors[i]), record.x[i].copy())
        return record.runs[i] if i in record.runs else self._source.made(i, record)

    def __iter__(self) -> Iterator[Solution | Failure]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"Solutions({_words(self._record)})"

    def __str__(self) -> str:
        first = next(iter(self._record.errors.values()), None)
        words = f"{_words(self._record)[0].upper()}{_words(self._record)[1:]}."
        return words if first is None else f"{words}\n{first}"


def _words(r: Record) -> str:
    """How many converged, the worst gap, and which failed."""
    parts = [f"{int(r.converged.sum())} of {len(r)} converged"]
    known = np.flatnonzero(np.isfinite(r.gaps))
    if len(known):
        worst = int(known[r.gaps[known].argmax()])
        parts.append(f"worst gap {r.gaps[worst]:.3g} (problem {worst})")
    if r.errors:
        shown = ", ".join(map(str, sorted(r.errors)[:NAMED]))
        parts.append(f"{len(r.errors)} failed (problem{'s' if len(r.errors) > 1 else ''} {shown}"
                     f"{', …' if len(r.errors) > NAMED else ''})")
    return ", ".join(parts)


FORMAT = "greedyhull solutions"
ARRAYS = ("values", "gaps", "scales", "intercepts", "seconds", "iterations", "converged")  # of a record, beside its points
WORDS = ("reason", "objective", "set", "choice", "measure", "solver", "stop")


class FromFile:
    """What was saved of problems that were solved together: where their solutions are made from."""

    def __init__(self, words: list[dict[str, str]], told: Index, prices: Array, radii: Array, seed: int) -> None:
        self.words, self.told, self.prices, self.radii, self.seed = words, told, prices, radii, seed

    def made(self, i: int, r: Record) -> Solution:
        words, price, radius = self.words[int(self.told[i])], float(self.prices[i]), float(self.radii[i])
        absent = {name: Absent(words[name], "saved") for name in ("solver", "objective", "set", "stop")}
        absent["objective"].known["scale"] = float(r.scales[i])
        if not isnan(radius):
            absent["set"].known["radius"] = radius
        s = _of_row(r, i, words["reason"], absent["solver"], absent["objective"], absent["set"], words["choice"],
                    absent["stop"], self.seed)
        s._kept.update({"price": None if isnan(price) else price, "intercept": float(r.intercepts[i]), "prices": None,
                        "measure": words["measure"]})
        return s


def _state_of(found: Solutions) -> State:
    r, count = found.record, len(found)
    words: dict[tuple[str, ...], int] = {}
    told, prices, radii, seed = np.full(count, -1), np.full(count, nan), np.full(count, nan), 0
    state: State = {}
    for i in range(count):
        s = found[i]
        if i in r.runs:
            state.update({f"runs.{i}.{name}": array for name, array in state_of_one(r.runs[i], r.runs[i].names).items()})
        elif isinstance(s, Solution):
            about = s.atom_set
            radius, seed = about.known.get("radius") if isinstance(about, Absent) else about.traits.radius, s.seed
            prices[i], radii[i] = nan if s.price is None else s.price, nan if radius is None else radius
            spelled = (s.reason, repr(s.objective), repr(s.atom_set), s.choice, measure(s), repr(s.solver), repr(s.stop))
            told[i] = words.setdefault(spelled, len(words))
    state.update({"x": r.x, **{name: vars(r)[name] for name in ARRAYS}, "told": told, "prices": prices, "radii": radii})
    state[DOCUMENT] = packed({"format": FORMAT, "version": 1, "written_by": written_by(), "seed": seed,
                              "words": [dict(zip(WORDS, spelled, strict=True)) for spelled in words],
                              "errors": {str(i): str(error) for i, error in r.errors.items()}})
    return state


def made_from_file(state: State, told: dict[str, Any], file: Path) -> Solutions:
    check_version(told, file, "format of batches")
    x, count = state["x"], len(state["x"])
    kinds = {"iterations": "i", "converged": "b", "told": "i"}
    check_shapes(state, {"x": ("f", (None,) * max(x.ndim, 2)), **{name: (kinds.get(name, "f"), (count,)) for name in
                         (*ARRAYS, "told", "prices", "radii")}}, file)
    record = Record(count, x.shape[1:])
    vars(record).update({name: state[name] for name in ("x", *ARRAYS)})
    record.errors.update({int(i): GreedyhullError(said) for i, said in told["errors"].items()})
    for i in sorted({int(name.split(".")[1]) for name in state if name.startswith("runs.")}):
        record.runs[i] = made_from(under(f"runs.{i}", state), file)
    words = [{name: str(said[name]) for name in WORDS} for said in told["words"]]
    return Solutions(record, FromFile(words, state["told"], state["prices"], state["radii"], int(told["seed"])))


class Starts:
    """One start for all problems (``one``), one for each (``each``), or neither."""

    def __init__(self, one: Any = None, each: Array | None = None, failed: Collection[int] = ()) -> None:
        self.one, self.each, self.failed = one, each, failed

    def __call__(self, i: int) -> Any:
        """The start of problem i, None where the library chooses: one that failed before left no point."""
        if i in self.failed:
            return None
        return self.one if self.each is None else self.each[i]

    def rows(self, count: int, shape: Shape) -> Array | None:
        """All starts as the rows of a matrix, None where the library chooses."""
        if self.each is not None:
            return self.each
        if self.one is None:
            return None
        point = self.one.point if isinstance(self.one, Solution) else self.one
        if isinstance(point, Iterate):
            x = point.array()
        else:
            x = point if isinstance(point, np.ndarray) else dense(as_atom(point, shape), shape)
        return np.broadcast_to(x, (count, *shape)) if x.shape == shape else np.full((count, *shape), np.nan)


def starts_of(start: Any, problems: int, S: AtomSet) -> Starts:
    """The starts that were given, compared with the set's shape."""
    if start is None or isinstance(start, (Solution, Iterate)) or not lacks(start, "add_to"):
        return Starts(start)
    try:
        given = start.x if isinstance(start, Solutions) else np.asarray(point_of(start, S), dtype=np.float64)
    except (TypeError, ValueError):
        raise GreedyhullError(f"start={shown(start)} was given; a point of the set, or one for each problem, is "
                              "wanted.") from None
    if given.shape == S.shape and not isinstance(start, Solutions):
        return Starts(given)
    check(given.shape == (problems, *S.shape), lambda: f"start has shape {given.shape}; {S.shape} for one point, or "
                                                       f"{(problems, *S.shape)} for one for each problem, is wanted.")
    return Starts(each=given, failed=start.errors if isinstance(start, Solutions) else ())
