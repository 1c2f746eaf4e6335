"""The page about one solution, gathered from its parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from greedyhull.driver.solution import Absent
from greedyhull.driver.summary import measure
from greedyhull.report import certificate as proved
from greedyhull.report import rerun
from greedyhull.report.atoms import atoms
from greedyhull.report.pages import need, page
from greedyhull.report.words import answer, course, intercepts, price, prices, used

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution


def write(solution: Solution, path: str | Path, *, title: str | None = None, names: Sequence[str] | None = None,
          opening: Sequence[str] = (), closing: Sequence[str] = (), budget: str | None = None,
          things: str = "coordinates") -> Path:
    """Write one self-contained HTML page about a solution.

    The page holds its figures and its style, and loads nothing. It follows the reader's choice of light or dark, and fits a
    phone.

    Parameters
    ----------
    solution
        What `minimize` returned.
    path
        The file to write; its folder must exist.
    title
        The title of the page; without one, the kind of certificate decides.
    names
        One name for each coordinate.
    opening, closing
        Sentences to print above the answer, and below it.
    budget, things
        What to call the radius (by default "total" where that is its name) and the coordinates.

    Returns
    -------
    pathlib.Path
        The path of the page.
    """
    need()
    c = solution.certificate
    return page(
        "page.html", path, title=title or proved.title(c, solution.converged), opening=opening, closing=closing,
        solution=solution, answer=answer(solution, things), constants_told=intercepts(solution),
        price=price(solution, budget), prices=prices(solution), **_weights(solution, names, things),
        heading=proved.heading(c), means=proved.means(c),
        certificate=proved.rows(c, solution.objective.scale, solution.reason), **_course(solution),
        constants={} if from_file(solution) else solution.constants, from_file=from_file(solution),
        call=rerun.call(solution), versions=rerun.versions(), told_by=rerun.told_by(solution),
    )


def from_file(solution: Solution) -> bool:
    """Whether objective and set are not there, as in solutions that were saved."""
    return isinstance(solution.objective, Absent)


def _weights(solution: Solution, names: Sequence[str] | None, things: str) -> dict[str, Any]:
    """Coordinates and atoms, as lists and as bars."""
    from greedyhull.report.bars import bars

    found, mixed = used(solution, names), atoms(solution, names)
    called, listed = (measure(solution), things) if found else ("weight", "atoms")
    return {"used": found, "atoms": mixed, "measure": called, "things": listed,
            "bars": bars(found or mixed, things=listed, measure=called) if found or mixed else ""}


def _course(solution: Solution) -> dict[str, Any]:
    """Figures of the run, the bounds that apply to it, and where its time went."""
    from greedyhull.report.bounds_along import bounds_along
    from greedyhull.report.curves import panels
    from greedyhull.report.figure import svg
    from greedyhull.report.split import split
    from greedyhull.report.theorems import told
    from greedyhull.theory import Bounds

    bounds = Bounds([]) if from_file(solution) else solution.bounds()
    dashed = bounds_along(solution, bounds)
    figures = [(svg(panel, place), panel.words()) for place, panel in enumerate(panels(solution, dashed), start=1)]
    return {"course": course(solution), "figures": figures, "dashed": dashed, "bounds": bounds,
            "told": told(bounds, solution.certificate.gap), "parts": split(solution)}
