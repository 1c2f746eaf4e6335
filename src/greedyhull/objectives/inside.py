"""A start inside the domain of f, of few atoms: a centre has them all, and all would be worked on in the first rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.points.iterate import Iterate

if TYPE_CHECKING:
    from greedyhull.objectives.composite import Composite

FEW = 32  # atoms, evenly spaced, that are tried first
WORSE = 1.0  # by how much the value may lie above that of twice as many atoms


def few_of(f: Composite, centre: Iterate) -> Iterate:
    """The mean of evenly spaced atoms of the centre, as few as are about as good as twice as many, or the centre itself."""
    count, w, value = FEW, centre, np.inf
    if not centre.keeps_atoms or centre.owners is not None:
        return centre
    while 4 * count <= len(centre):
        more = _spaced(centre, count)
        now = float(f.value(more))
        if np.isfinite(value) and value <= now + WORSE:
            return w
        w, value, count = more, now, 2 * count
    return w if np.isfinite(value) and value <= float(f.value(centre)) + WORSE else centre


def _spaced(centre: Iterate, count: int) -> Iterate:
    at = np.linspace(0, len(centre) - 1, count).round().astype(np.intp)
    return Iterate(centre.block.take(at), np.full(count, 1.0 / count), centre.shape)
