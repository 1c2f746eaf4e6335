"""One self-contained HTML page about a solution: what was solved, how well, provably, and one figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from greedyhull.report.words import used, words

if TYPE_CHECKING:
    from greedyhull.solution import Solution

__all__ = ["used", "words", "write"]


def write(solution: Solution, path: str | Path, *, title: str = "A certified minimum", names: Sequence[str] | None = None,
          opening: Sequence[str] = (), closing: Sequence[str] = (), budget: str = "radius",
          things: str = "coordinates") -> Path:
    """Write the page to ``path``; ``names`` are those of the coordinates, ``opening`` and ``closing`` extra sentences,
    ``budget`` and ``things`` what the reader calls the radius and the coordinates.

    It holds its figure and its style, loads nothing, and reads well in light, in dark and on a phone.
    """
    from jinja2 import Environment, PackageLoader

    from greedyhull.report.figure import figure

    page = Environment(loader=PackageLoader("greedyhull.report", "."), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    html = page.get_template("page.html").render(
        title=title, opening=opening, said=words(solution, names, budget=budget, things=things), closing=closing,
        things=things, used=used(solution, names), figure=figure(solution, names), solution=solution,
    )
    target = Path(path)
    target.write_text(html, encoding="utf-8")
    return target
