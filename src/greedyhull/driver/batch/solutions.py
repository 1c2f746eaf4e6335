"""What `batch` returns: the solutions in order, kept as arrays and made one by one when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np

from greedyhull.driver.batch.problems import Listed, Targets, face_of, objective_of
from greedyhull.driver.batch.record import Record
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Stop
from greedyhull.driver.trace import Trace
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.solvers.corrective import Corrective
from greedyhull.solvers.parts.progress import Event
from greedyhull.types import Array, AtomSet, Index

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NAMED = 5  # failures that are listed by number


class Nothing(Certificate):
    """The certificate of a problem that has no solution."""

    def __str__(self) -> str:
        return "There is no solution, and nothing is certified; the error says why."


@dataclass(frozen=True, eq=False)
class Failure:
    """What stands in a batch for a problem that has no solution; ``error`` is why.

    It has the attributes of a `Solution` that loops over a batch read: x is NaN, the gap infinite.
    """

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

    problems: Listed | Targets
    S: AtomSet
    without: Index
    stop: Stop
    seed: int

    def made(self, i: int, r: Record) -> Solution:
        """The solution of a problem that was solved with others, from its row of the arrays."""
        f, S = objective_of(self.problems, i), face_of(self.S, int(self.without[i]))
        value, gap, k, seconds = float(r.values[i]), float(r.gaps[i]), int(r.iterations[i]), float(r.seconds[i])
        point = CoordinateIterate(r.x[i])
        point.decompose = S.decompose
        event = Event(k, seconds, value, gap, value - gap, point, value, scale=float(r.scales[i]))
        reason = self.stop.claim(event)
        assert reason is not None  # else it had a run of its own
        trace = Trace()
        trace.rows.append((k, seconds, value, gap, int(np.count_nonzero(r.x[i])), k, k, float(k), 0.0, gap))
        return Solution(point, Certificate(value, gap, value - gap), reason.words, True, k, seconds, trace, Corrective(), f, S,
                        choice=f"{f!r} was solved together with others that share its data, over one Gram matrix.",
                        stop=self.stop, seed=self.seed)


class Source(Protocol):
    """Where solutions of problems that were solved together are made from: what was asked, or a file."""

    def made(self, i: int, r: Record) -> Solution: ...


class Solutions(Sequence["Solution | Failure"]):
    """Solutions of many problems, in the order of the problems.

    ``solutions[i]`` is the `Solution` of problem i, with its certificate. It is made when it is asked for; the attributes
    below are arrays over all problems. A problem that failed has in its place an object whose ``error`` says why and whose
    ``converged`` is False; the attributes hold NaN and an infinite gap for it. Solutions come from `batch`.

    Parameters
    ----------
    record : Record
        What is known of each problem.
    source : Source
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

    See Also
    --------
    batch : Solve many problems.
    Solution : One of them.

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

    def __init__(self, record: Record, source: Source) -> None:
        self._record, self._source = record, source

    @property
    def record(self) -> Record:
        """What is known of each problem."""
        return self._record

    @property
    def x(self) -> Array:
        """The points, one in each row; NaN where a problem failed."""
        return self._record.x

    @property
    def values(self) -> Array:
        """The values of the objectives at the points; NaN where a problem failed."""
        return self._record.values

    @property
    def gaps(self) -> Array:
        """The certified gaps; infinite where a problem failed."""
        return self._record.gaps

    @property
    def converged(self) -> Array:
        """Whether each gap meets what ``stop`` asked for."""
        return self._record.converged

    @property
    def intercepts(self) -> Array:
        """The intercepts; 0 where the objectives have none."""
        return self._record.intercepts

    @property
    def iterations(self) -> Array:
        """The numbers of iterations."""
        return self._record.iterations

    @property
    def errors(self) -> Mapping[int, Exception]:
        """Why problems failed, by their number."""
        return self._record.errors

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

        See Also
        --------
        load : Read such a file.
        """
        from greedyhull.driver.batch.solutions_file import save

        return save(self, path)

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
