"""A solution in words: how good it is, which coordinates it uses, why it stopped, what the budget is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.driver.solution import Absent
from greedyhull.driver.summary import active, count, duration, listed, measure, size_name
from greedyhull.errors import check
from greedyhull.report.pages import lasting

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution

ROUNDED = 1e-15  # the share of f, or of the loss of predicting zero, that rounding hides
SMALL = 1e-9  # a coordinate below this share of the largest one is not worth naming


def words(solution: Solution, names: Sequence[str] | None = None, *, budget: str | None = None,
          things: str = "coordinates") -> list[str]:
    """Describe a solution in a few sentences: value and gap, support, end of the run, price of the budget.

    Parameters
    ----------
    solution
        What `minimize` returned.
    names
        Names of the coordinates. If given, those that are not zero are listed.
    budget, things
        What to call the radius (by default "total" where that is its name) and the coordinates.

    Returns
    -------
    list of str
        One or two sentences for each part. The price is left out where the set has neither radius nor total, and prices of
        constraints where it has none that limit the minimum.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.least_squares(np.eye(2), np.array([3.0, 0.0])), gh.L1Ball(2, radius=1))
    >>> words(s)[1]
    'It uses 1 of the 2 coordinates.'
    """
    return [part for part in (_value(solution), _support(solution, names, things), _end(solution),
                              price(solution, budget), prices(solution)) if part]


def used(solution: Solution, names: Sequence[str] | None = None) -> list[tuple[str, float]]:
    """List the coordinates that are not zero, the largest first.

    Parameters
    ----------
    solution
        What `minimize` returned.
    names
        One name for each coordinate; without them, coordinate j is called ``w[j]``.

    Returns
    -------
    list of (str, float)
        Names and values. Empty if the point is zero, or is a matrix whose entries have no names.
    """
    x = solution.point.array()
    if x.ndim != 1 and (names is None or len(names) != x.size):
        return []
    x = x.ravel()
    check(names is None or len(names) == len(x),
          lambda: f"{len(names or ())} names were given for {len(x)} coordinates; one for each is wanted.")
    size = np.abs(x)
    kept = np.flatnonzero(size > SMALL * size.max())
    order = kept[np.argsort(-size[kept], kind="stable")]
    return [(f"w[{j}]" if names is None else str(names[j]), float(x[j])) for j in order.tolist()]


def _value(solution: Solution) -> str:
    c = solution.certificate
    if c.kind != "always" or c.value is None or c.gap is None:
        return str(c)
    return (f"The value is {c.value:.8g}, and no feasible point can be lower by more than {c.gap:.2g}: that is proved, "
            "rounding included, for the point as it is returned.")


def _support(solution: Solution, names: Sequence[str] | None, things: str) -> str:
    x = solution.point.array()
    if x.ndim != 1:
        return f"It mixes {count(len(solution.point), 'atom')}." if solution.point.keeps_atoms else ""
    found = used(solution, names)
    listed = f": {', '.join(str(name) for name, _ in found)}." if names is not None and found else "."
    return f"It uses {len(found)} of the {len(x)} {things}{listed}"


def _end(solution: Solution) -> str:
    return f"It took {count(solution.iterations, 'iteration')} and {duration(solution.seconds)}. {solution.reason}"


def answer(solution: Solution, things: str = "coordinates") -> str:
    """What the point is: its shape, or how many coordinates are nonzero; and of how many atoms it is a combination."""
    point, x = solution.point, solution.point.array()
    said = f"The answer has shape {x.shape}." if x.ndim != 1 else "The answer has one coordinate."
    if x.ndim == 1 and len(x) > 1:
        n = len(used(solution))
        said = f"{n} of the {len(x)} {things} {'has' if n == 1 else 'have'} a nonzero {measure(solution)}."
    if not point.keeps_atoms:
        return said
    return f"{said} The answer is {'a single atom' if len(point) == 1 else f'a convex combination of {len(point)} atoms'}."


def course(solution: Solution) -> str:
    """The solver, how long it ran, and where the gap began and ended."""
    gaps = solution.trace["gap"]
    known = gaps[np.isfinite(gaps)]
    fell = f" The gap went from {known[0]:.3g} to {known[-1]:.3g}." if len(known) > 1 else ""
    return f"{solution.solver!r} took {count(solution.iterations, 'iteration')} and {lasting(solution.seconds)}.{fell}"


def price(solution: Solution, budget: str | None = None) -> str:
    """What a larger radius or total is worth, in words; nothing where the set has neither."""
    slope = solution.price
    if slope is None:
        return ""
    named = size_name(solution) if budget is None else budget
    told = solution.certificate
    hidden = (told.gap or 0.0) + ROUNDED * max(abs(told.value or 0.0), solution.objective.scale)
    S = solution.atom_set
    radius = S.radius if isinstance(S, Absent) else S.traits.radius  # of a solution from a file, what was kept
    if abs(slope) * float(radius or 0.0) <= hidden:  # nothing that the gap does not hide
        why = ("it does not limit the minimum by more than the gap" if solution.converged
               else "the gap is too wide to estimate it")
        return f"The {named} has no price to report: {why}."
    does = "lowers" if slope > 0.0 else "raises"
    return (f"The price of the {named} is {slope:.3g}: increasing it by a small h {does} the minimum by about "
            f"{abs(slope):.3g}·h.")


def prices(solution: Solution) -> str:
    """What one more unit of each constraint that limits the minimum is worth, in words; nothing where the set names none."""
    priced = active(solution)
    return f"By how much the minimum falls for one more unit of a right-hand side: {listed(priced)}." if priced else ""


def intercepts(solution: Solution) -> str:
    """The intercept, or those of the classes, in a sentence; nothing where there is none."""
    found = np.atleast_1d(solution.intercept).tolist()
    if not any(found):
        return ""
    return f"The intercept{'s are' if len(found) > 1 else ' is'} {', '.join(f'{b:.6g}' for b in found)}."
