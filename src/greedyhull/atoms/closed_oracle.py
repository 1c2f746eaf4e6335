"""The oracle of a set whose argmin is exact."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from greedyhull.atoms.oracle_base import OracleBase
from greedyhull.points.arrays import eps_of
from greedyhull.points.entering import KINDS, as_block
from greedyhull.points.gradients import as_array
from greedyhull.points.owners import owners_of
from greedyhull.types import Answer, Array, AtomSet, Shortlist

A = TypeVar("A", Answer, Shortlist)


class ClosedOracle(OracleBase):
    """The oracle of a set that can minimise a linear function exactly: it holds nothing."""

    __slots__ = ("S",)

    def __init__(self, S: AtomSet) -> None:
        self.S = S

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        answer = Answer(self.S.atom(g))
        return with_dtype(self.S, g, answer) if self.S.coarse else answer

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        atoms = as_block(self.S.best(g, m), self.S)
        found = Shortlist(atoms, owners=owners_of(atoms))
        return with_dtype(self.S, g, found) if self.S.coarse else found


def with_dtype(S: AtomSet, g: Array, answer: A) -> A:
    """The answer with the error of an oracle that answers in less than float64: an estimate."""
    off = 4.0 * eps_of(S.coarse) * S.max_abs(np.abs(as_array(g)))
    return answer._replace(slack=answer.slack + off, kind=max(answer.kind, "estimate", key=KINDS.index), delta=0.0)
