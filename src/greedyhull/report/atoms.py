"""The atoms of an answer by weight, each with a name that a reader can use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution

SPELLED = 3  # entries up to which an atom is written out


def atoms(solution: Solution, names: Sequence[str] | None = None, most: int = 50) -> list[tuple[str, float]]:
    """List the atoms of the answer, the heaviest first.

    Parameters
    ----------
    solution
        What `minimize` returned.
    names
        Names of the coordinates, from which those of the atoms are made.
    most
        The largest number of atoms to list.

    Returns
    -------
    list of (str, float)
        Names and weights. Empty if the point does not keep its atoms.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> s = gh.minimize(gh.least_squares(np.eye(2), np.array([3.0, 0.0])), gh.L1Ball(2, radius=1))
    >>> atoms(s, ["height", "width"])
    [('1·height', 1.0)]
    """
    point = solution.point
    if not point.keeps_atoms:
        return []
    order = np.argsort(-point.weights, kind="stable")[:most]
    return [(_name(point.atoms[i], point.shape, names), float(point.weights[i])) for i in order.tolist()]


def _name(atom: Any, shape: tuple[int, ...], names: Sequence[str] | None) -> str:
    """The number of an atom that the set has counted, else its largest entries."""
    if isinstance(atom.key, int):
        return f"atom {atom.key}"
    entries = np.zeros(shape)
    atom.add_to(entries, 1.0)
    places = np.flatnonzero(entries)
    if not len(places):
        return "the origin"
    largest = places[np.argsort(-np.abs(entries.flat[places]), kind="stable")][:SPELLED].tolist()
    spelled = f"{_entry(entries, largest[0], names)}"
    for j in largest[1:]:
        spelled += " " + _entry(entries, j, names, "+ ", "− ")
    return spelled if len(places) <= SPELLED else f"{spelled} … ({len(places)} entries)"


def _entry(entries: Any, j: int, names: Sequence[str] | None, plus: str = "", minus: str = "−") -> str:
    place = ", ".join(str(int(i)) for i in np.unravel_index(j, entries.shape))
    name = str(names[j]) if names is not None and len(names) == entries.size else f"w[{place}]"
    c = float(entries.flat[j])
    return f"{plus if c > 0 else minus}{abs(c):.4g}·{name}"
