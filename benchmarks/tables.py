"""Tables that read well on a terminal and are Markdown at the same time."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Table:
    name: str
    title: str
    columns: Sequence[str]
    rows: list[Sequence[object]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def markdown(self, level: int = 2) -> str:
        cells = [[str(c) for c in self.columns]] + [[shown(x) for x in row] for row in self.rows]
        widths = [max(len(row[j]) for row in cells) for j in range(len(self.columns))]
        lines = ["| " + " | ".join(_aligned(x, w, j) for j, (x, w) in enumerate(zip(row, widths))) + " |" for row in cells]
        lines.insert(1, "|" + "|".join("-" * (w + 1) + (":" if j else "-") for j, w in enumerate(widths)) + "|")
        return "\n".join([f"{'#' * level} {self.title}", "", *lines, "", *self.notes]).rstrip() + "\n"

    def write(self, folder: Path) -> None:
        """``name``.md and ``name``.csv in the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.md").write_text(self.markdown())
        with (folder / f"{self.name}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(self.rows)


def shown(x: object) -> str:
    """Three significant digits; an empty cell for what was not measured."""
    if x is None:
        return ""
    if isinstance(x, float):
        return f"{x:.0f}" if abs(x) >= 1000 else f"{x:.3g}"
    return str(x)


def _aligned(text: str, width: int, column: int) -> str:
    return text.rjust(width) if column else text.ljust(width)
