"""The record of a run, one row for each iteration, in columns; of a long run, the rows that matter."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.errors import check, installing
from greedyhull.types import Array, State

if TYPE_CHECKING:
    from pathlib import Path

    from greedyhull.solvers.parts.progress import SkippedRows

COLUMNS = ("iteration", "seconds", "value", "gap", "step", "atoms", "oracle_calls", "gradient_calls", "products", "slack",
           "estimate")
OF_ROWS = tuple(name for name in COLUMNS if name != "step")
LATER = ("estimate",)  # columns that files of earlier versions do not have
WHOLE = ("iteration", "atoms", "oracle_calls", "gradient_calls")  # columns of whole numbers
MOST = 20_000  # rows that are kept

Row = tuple[float, ...]
Folded = Callable[[], list[Row]]  # makes several rows once somebody reads them


class Trace:
    """Record of a run in columns; row k describes the iterate w_k and the step η_k taken from it.

    Columns are attributes and items: ``iteration``, ``seconds``, ``value``, ``gap`` (certified, slack and rounding included),
    ``step``, ``atoms``, ``oracle_calls``, ``gradient_calls``, ``products`` (full passes over the data), ``slack`` and
    ``estimate``, the gap without slack and rounding by which the solver steers: where an oracle proposes without a proof,
    ``gap`` is what is known without it until one is made. Where points are certified from samples, values are
    estimates. Gaps of float32 runs are provisional, except in the last row, which is that of the certificate.

    Of runs with more than 20 000 rows a part is kept: the first and the last row, those where the gap had halved, the one with
    the largest slack, every 2ʲ-th of the others, and the latest ones whole. ``recorded`` is how many there were.

    The trace of a resumed run covers the whole run, what came before the resume included; its columns count the work that
    resuming cost. Where it cannot be told that objective and set are the same, the trace begins at the resume, and its
    representation says at which iteration that is.
    """

    def __init__(self) -> None:
        self.parts: list[Row | Folded] = []  # rows, and what unfolds into rows once somebody reads them
        self.steps: list[float] = []
        self._folded = False
        self._hidden = 0  # rows in folded parts, less the parts
        self._places: list[int] = []  # of rows that were kept when others went: which of all they were
        self._dropped = 0

    @property
    def rows(self) -> list[Row]:
        """A tuple for each iteration, in the order of the columns without ``step``."""
        if self._folded:
            self.rows = [row for part in self.parts for row in ([part] if isinstance(part, tuple) else part())]
        return self.parts  # type: ignore[return-value]  # nothing is folded here

    @rows.setter
    def rows(self, rows: list[Row]) -> None:
        self.parts, self._folded, self._hidden = list(rows), False, 0

    @classmethod
    def of(cls, columns: dict[str, Array], recorded: int) -> Trace:
        """The trace with these columns, all of one length, of a run that wrote so many rows."""
        trace = cls()
        columns = {**dict.fromkeys(LATER, np.full(len(columns["step"]), np.nan)), **columns}
        trace.rows = list(zip(*(columns[name].tolist() for name in OF_ROWS), strict=True))
        trace.steps = columns["step"].tolist()
        trace._dropped = max(recorded - len(trace.rows), 0)
        return trace

    def state(self) -> State:
        """The rows for a saved run, without the last one: whoever goes on notes that again."""
        rows = self.rows[:-1]
        return {"rows": np.array(rows, dtype=np.float64).reshape(len(rows), len(OF_ROWS)),
                "steps": np.array(self.steps[: max(len(rows) - 1, 0)], dtype=np.float64),
                "places": np.array(self._places[: len(rows)], dtype=np.int64), "dropped": np.array(self._dropped)}

    def restore(self, state: State) -> None:
        """Go on with the rows of a saved run."""
        rows, steps, places = state["rows"], state["steps"], state["places"]
        check(rows.ndim == 2 and rows.shape[1] == len(OF_ROWS) and len(steps) <= len(rows) and len(places) <= len(rows),
              lambda: f"The saved trace has rows of shape {rows.shape}, which is none of a trace.")
        self.rows = [tuple(int(x) if name in WHOLE else x for name, x in zip(OF_ROWS, row, strict=True))
                     for row in rows.tolist()]
        self.steps, self._places, self._dropped = steps.tolist(), places.tolist(), int(state["dropped"])

    @property
    def recorded(self) -> int:
        """How many rows there were, those that were not kept among them."""
        return len(self.rows) + self._dropped

    def fold(self, part: Folded, count: int) -> None:
        """So many rows that are made when they are read."""
        self.parts.append(part)
        self._folded, self._hidden = True, self._hidden + count - 1

    def thin(self, most: int = MOST) -> None:
        """Where there are more than ``most`` rows, drop some, so that about half of that number stay."""
        if len(self.parts) + self._hidden <= most:
            return
        rows, first = self.rows, len(self._places) + self._dropped
        places = np.array([*self._places, *range(first, first + len(rows) - len(self._places))])
        kept = kept_rows(places, np.array([row[3] for row in rows]), np.array([row[8] for row in rows]), most).tolist()
        self._dropped += len(rows) - len(kept)
        self.steps = [self.steps[i] for i in kept if i < len(self.steps)]
        self._places, self.rows = places[kept].tolist(), [rows[i] for i in kept]

    def settle(self, value: float, gap: float, oracle_calls: int, atoms: int | None = None) -> None:
        """Write what the certificate of the last point says, what it asked, and the number of its atoms if that is another."""
        row = self.parts[-1]
        assert isinstance(row, tuple), "rounds that nobody saw end with one that was seen"
        self.parts[-1] = (*row[:2], value, gap, row[4] if atoms is None else atoms, oracle_calls, *row[6:])

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        of = f" of {self.recorded}" if self._dropped else ""
        late = f", from iteration {int(self.rows[0][0])} on" if self.rows and self.rows[0][0] > 1 else ""
        return f"Trace({len(self)} rows{of}{late}: {', '.join(COLUMNS)})"

    def __getitem__(self, column: str) -> Array:
        if column == "step":
            return np.array(self.steps + [np.nan] * (len(self.rows) - len(self.steps)))[: len(self.rows)]
        if column not in COLUMNS:
            raise KeyError(f"a trace has no column {column!r}; it has {', '.join(COLUMNS)}")
        place = OF_ROWS.index(column)
        return np.array([row[place] for row in self.rows])

    def __getattr__(self, column: str) -> Array:
        if column in COLUMNS:
            return self[column]
        raise AttributeError(f"a trace has no column {column!r}; it has {', '.join(COLUMNS)}")

    def to_dict(self) -> dict[str, Array]:
        """All columns by name."""
        return {column: self[column] for column in COLUMNS}

    def to_frame(self) -> Any:
        """A pandas DataFrame."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(f"A trace as a frame needs pandas, which is not installed. {installing('frame')}") from None

        return pd.DataFrame(self.to_dict())

    def to_csv(self, path: str | Path) -> None:
        """Write a CSV file with a header line."""
        from greedyhull.driver.checkpoint import path_of, write_text

        columns = self.to_dict()
        lines = [",".join(COLUMNS)]
        lines += [",".join(f"{x:.17g}" for x in row) for row in zip(*columns.values(), strict=True)]
        write_text(path_of(path, "path"), "\n".join(lines) + "\n")


def kept_rows(places: Array, gaps: Array, slacks: Array, most: int = MOST) -> Array:
    """Return the rows of a long trace that stay, about half of ``most``, by their places among all rows that there were.

    They are every 2ʲ-th for the least j that is enough, the first, the last, those where the least gap so far had halved, and
    the first one with the largest slack.
    """
    stride = 1
    while np.count_nonzero(places % stride == 0) > most // 2:
        stride *= 2
    keep = places % stride == 0
    keep[[0, -1]] = True
    keep[np.argmax(np.nan_to_num(slacks, nan=np.inf))] = True
    least = np.minimum.accumulate(np.where(np.isfinite(gaps), gaps, np.inf))
    halved = np.floor(np.log2(np.clip(least, np.finfo(np.float64).tiny, np.finfo(np.float64).max)))
    halved[np.isinf(least)] = np.inf  # nothing is known yet
    keep[1:][halved[1:] < halved[:-1]] = True
    return np.flatnonzero(keep)


def skipped_rows(skipped: SkippedRows, after: Row, began: float, rounding: float, eps: float, slope: float,
                 lower: float | None) -> list[Row]:
    """Return a row for each round that the driver skipped before the row ``after``, with the best bound known by then.

    ``lower`` is that before them, None if f is not convex. Their bounds are those of the core, with the rounding of the point
    after them, and ``eps``·(|value| + |⟨∇f(w), w⟩|) in single precision. The certificate of the run rests on none of them.
    """
    value, gap, spent, atoms = (np.array(column) for column in zip(*skipped.rounds, strict=True))
    estimate, gap = gap, gap + rounding + eps * (np.abs(value) + slope)
    if lower is not None:
        best = np.maximum(np.maximum.accumulate(value - gap), lower)
        gap = np.minimum(gap, value - best + rounding)
    left = np.arange(len(value), 0, -1)  # rounds from there to the point that is seen
    k, calls, gradients, products = after[0], after[5], after[6], after[7]
    columns = (k - left, began + spent, value, gap, atoms, calls - left, gradients - left, products - skipped.products * left,
               np.zeros(len(value)), estimate)
    return list(zip(*(column.tolist() for column in columns), strict=True))
