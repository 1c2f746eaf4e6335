"""One of the atoms that a point is made of."""

from __future__ import annotations

from typing import NamedTuple

from greedyhull.types import Atom


class Active(NamedTuple):
    """An atom of the iterate, with its place, weight and score ⟨g, atom⟩."""

    place: int
    atom: Atom
    weight: float
    score: float
