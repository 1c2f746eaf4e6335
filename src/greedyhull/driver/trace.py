"""The record of a run, one row for each iteration, in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from greedyhull.errors import installing
from greedyhull.types import Array

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = ("iteration", "seconds", "value", "gap", "step", "atoms", "oracle_calls", "gradient_calls", "products", "slack")


Row = tuple[float, ...]


class Folded(Protocol):
    """Rows that nobody has read yet."""

    def rows(self) -> list[Row]: ...


class Trace:
    """Record of a run in columns; row k describes the iterate w_k and the step η_k taken from it.

    Columns are attributes and items: ``iteration``, ``seconds``, ``value``, ``gap`` (certified, slack and rounding included),
    ``step``, ``atoms``, ``oracle_calls``, ``gradient_calls``, ``products`` (full passes over the data) and ``slack``. Where
    points are certified from samples, values are estimates. Gaps of float32 runs are provisional, except in the last row,
    which is that of the certificate.
    """

    def __init__(self) -> None:
        self.parts: list[Row | Folded] = []  # rows, and what unfolds into rows once somebody reads them
        self.steps: list[float] = []
        self._folded = False

    @property
    def rows(self) -> list[Row]:
        """A tuple for each iteration, in the order of the columns without ``step``."""
        if self._folded:
            self.rows = [row for part in self.parts for row in ([part] if isinstance(part, tuple) else part.rows())]
        return self.parts  # type: ignore[return-value]  # nothing is folded here

    @rows.setter
    def rows(self, rows: list[Row]) -> None:
        self.parts, self._folded = list(rows), False

    def fold(self, part: Folded) -> None:
        """Rows that are made when they are read."""
        self.parts.append(part)
        self._folded = True

    def settle(self, value: float, gap: float, oracle_calls: int, atoms: int | None = None) -> None:
        """Write what the certificate of the last point says, what it asked, and the number of its atoms if that is another."""
        row = self.parts[-1]
        assert isinstance(row, tuple), "rounds that nobody saw end with one that was seen"
        self.parts[-1] = (*row[:2], value, gap, row[4] if atoms is None else atoms, oracle_calls, *row[6:])

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Trace({len(self)} rows: {', '.join(COLUMNS)})"

    def __getitem__(self, column: str) -> Array:
        if column == "step":
            return np.array(self.steps + [np.nan] * (len(self.rows) - len(self.steps)))[: len(self.rows)]
        if column not in COLUMNS:
            raise KeyError(f"a trace has no column {column!r}; it has {', '.join(COLUMNS)}")
        place = [c for c in COLUMNS if c != "step"].index(column)
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
        from greedyhull.driver.saved import target_of

        target, columns = target_of(path), self.to_dict()
        lines = [",".join(COLUMNS)]
        lines += [",".join(f"{x:.17g}" for x in row) for row in zip(*columns.values(), strict=True)]
        target.write_text("\n".join(lines) + "\n")
