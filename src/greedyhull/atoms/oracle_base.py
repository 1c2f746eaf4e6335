"""What every oracle has: one of two doors made from the other, a floor from either, and nothing to remember."""

from __future__ import annotations

import numpy as np

from greedyhull.errors import check
from greedyhull.points.entering import as_answer
from greedyhull.types import Answer, Array, Floor, Shortlist, State
from greedyhull.types.override import KeepsOracle, override


class OracleBase(KeepsOracle):
    """An oracle writes ``argmin``, or ``best`` if it can name several atoms at once; each is made from the other.

    One that proposes atoms without a proof answers with slack = ∞ and writes ``floor``, which proves a bound when it is asked
    for one. One that holds something between calls writes ``state`` and ``restore``.

    >>> from greedyhull.points.shapes import Basis
    >>> class First(OracleBase):
    ...     def argmin(self, g, tol=0.0, enough=-np.inf):
    ...         return Answer(Basis(0, 1.0), slack=float(g[0] - g.min()))
    >>> First().floor(np.array([2.0, -1.0]))
    Floor(lower=-1.0, kind='always', delta=0.0, sharpest=0.0)
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        check(cls.argmin is not OracleBase.argmin or cls.best is not OracleBase.best,
              f"{cls.__name__} has neither an argmin nor a best of its own; one of them is wanted, the other is made from it.")

    @override
    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        """The m atoms with the least ⟨g, ·⟩, or fewer, the best one first; ``tol`` and ``enough`` are those of `argmin`."""
        answer = as_answer(self.argmin(g, tol, enough), g.shape)
        return Shortlist(answer.atom.block(g.size), answer.slack, answer.kind, answer.delta)

    @override
    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        """An atom with ⟨g, ·⟩ ≤ min + ``tol``, or with ⟨g, ·⟩ ≤ ``enough``."""
        found = self.best(g, 1, tol=tol, enough=enough)
        return Answer(found.atoms[0], found.slack, found.kind, found.delta)

    @override
    def floor(self, g: Array, tol: float = 0.0) -> Floor:
        """A number that ⟨g, ·⟩ is nowhere below: the score of an answer less its slack."""
        answer = as_answer(self.argmin(g, tol), g.shape)
        return Floor(float(answer.atom.dot(g)) - answer.slack, answer.kind, answer.delta)

    @override
    def state(self) -> State:
        """All that later answers depend on."""
        return {}

    @override
    def restore(self, state: State) -> None:
        """Take over a state."""
