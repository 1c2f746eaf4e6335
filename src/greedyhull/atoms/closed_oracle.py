"""The oracle of a set whose argmin is exact."""

from __future__ import annotations

import numpy as np

from greedyhull.atoms.oracle_base import OracleBase
from greedyhull.points.entering import as_block
from greedyhull.points.owners import owners_of
from greedyhull.types import Answer, Array, AtomSet, Shortlist


class ClosedOracle(OracleBase):
    """The oracle of a set that can minimise a linear function exactly: it holds nothing."""

    __slots__ = ("S",)

    def __init__(self, S: AtomSet) -> None:
        self.S = S

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        return Answer(self.S.atom(g))

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        atoms = as_block(self.S.best(g, m), self.S)
        return Shortlist(atoms, owners=owners_of(atoms))
