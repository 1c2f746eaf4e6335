"""One self-contained HTML page about a solution: what was solved, how well, provably, how it went, and how to do it again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from greedyhull.report.atoms import atoms
from greedyhull.report.compare import Comparison, compare
from greedyhull.report.words import used, words

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution

__all__ = ["Comparison", "atoms", "compare", "used", "words", "write"]


def write(solution: Solution, path: str | Path, *, title: str | None = None, names: Sequence[str] | None = None,
          opening: Sequence[str] = (), closing: Sequence[str] = (), budget: str = "radius",
          things: str = "coordinates") -> Path:
    """Write the page to ``path``; ``names`` are those of the coordinates, ``opening`` and ``closing`` extra sentences,
    ``budget`` and ``things`` what the reader calls the radius and the coordinates.

    It holds its figures and its style, loads nothing, and reads well in light, in dark and on a phone.
    """
    from greedyhull.report import certificate as promise
    from greedyhull.report import rerun
    from greedyhull.report.pages import need, page

    need()
    from greedyhull.report.bars import bars
    from greedyhull.report.bounds_along import bounds_along
    from greedyhull.report.curves import panels
    from greedyhull.report.figure import svg
    from greedyhull.report.split import split

    weights, mixed, bounds = used(solution, names), atoms(solution, names), solution.bounds()
    dashed = bounds_along(solution, bounds)
    drawn = panels(solution, dashed)
    return page(
        "page.html", path, title=title or promise.title(solution.certificate), opening=opening,
        said=words(solution, names, budget=budget, things=things), closing=closing, things=things, used=weights,
        atoms=mixed, solution=solution, bounds=bounds, dashed=dashed,
        figures=[(svg(panel, place), panel.words()) for place, panel in enumerate(drawn)],
        bars=bars(weights or mixed, len(drawn)) if weights or mixed else "", means=promise.means(solution.certificate),
        certificate=promise.rows(solution.certificate, solution.objective.scale), parts=split(solution),
        constants=solution.constants, call=rerun.call(solution), versions=rerun.versions(), told_by=rerun.told_by(solution),
    )
