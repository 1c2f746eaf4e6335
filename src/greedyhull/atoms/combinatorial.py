"""Sets whose atoms are 0/1 structures, found by an algorithm: assignments, paths, trees.

Such an algorithm is dear beside the scores of a few atoms. So `best(g, m)` runs it once: to its answer come structures one
exchange away, and earlier answers.
"""

from __future__ import annotations

from abc import abstractmethod
from math import frexp, prod

import numpy as np

from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.oracle_base import OracleBase
from greedyhull.atoms.remembered import Remembered
from greedyhull.atoms.scores import lowest
from greedyhull.errors import check
from greedyhull.points.shapes import Sparse, SparseBlock
from greedyhull.points.states import under
from greedyhull.types import Answer, Array, Index, Shortlist, State

KEPT = 300  # answers that are remembered
BESIDE = 1  # structure beside the best one in an answer: more of them save rounds, and cost more than these in reweighting
EPS = float(np.finfo(np.float64).eps)


class Combinatorial(AtomSet):
    """A set of 0/1 vectors with an algorithm that finds the best one and proves it."""

    @abstractmethod
    def solved(self, c: Array) -> tuple[Index, float]:
        """The places of the best structure for costs c of size at most 1, and a number that none is below, with rounding."""

    def exchanges(self, c: Array, places: Index, m: int) -> list[Index]:
        """Up to m structures that differ from the best one by an exchange, cheap ones first."""
        return []

    def oracle(self, rng: np.random.Generator | None = None) -> CombinatorialOracle:
        """Return the linear minimisation oracle for one run."""
        return CombinatorialOracle(self)

    def argmin(self, g: Array) -> Sparse:
        return ones(self.solved(scaled(g)[0])[0])

    def best(self, g: Array, m: int) -> SparseBlock:
        c = scaled(g)[0]
        places = self.solved(c)[0]
        return self._sorted(g, [places, *self.exchanges(c, places, m - 1)][:m])

    def _sorted(self, g: Array, structures: list[Index]) -> SparseBlock:
        atoms = {atom.key: atom for atom in map(ones, structures)}
        block = SparseBlock(prod(self.shape), list(atoms.values()))
        return block.take(np.argsort(block.dots(g), kind="stable"))


class CombinatorialOracle(OracleBase):
    """One run of the algorithm for each question; earlier answers are its state."""

    def __init__(self, S: Combinatorial) -> None:
        self.S, self.seen, self.asked = S, Remembered(KEPT), 0

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        c, shift = scaled(g)
        places, lower = self.S.solved(c)
        self.asked += 1
        block = SparseBlock(g.size, [ones(places)])
        if m > 1:
            block = self.S._sorted(g, [places, *self.S.exchanges(c, places, min(m - 1, BESIDE))])
        self.seen.keep(block, self.asked)
        if m > 1 and self.seen.block is not None:
            order = lowest(self.seen.block.dots(g), m)
            self.seen.used[order] = self.asked
            found = self.seen.block.take(order)
        else:
            found = block
        return Shortlist(found, _slack(found[0].dot(g), lower, shift))

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        """The best structure alone, which is not remembered: who asks for one at a time does not ask for earlier ones."""
        c, shift = scaled(g)
        places, lower = self.S.solved(c)
        self.asked += 1
        atom = ones(places)
        score = atom.dot(g)
        return Answer(atom, _slack(score, lower, shift))

    def state(self) -> State:
        return {"asked": np.array(self.asked), **{f"seen.{name}": array for name, array in self.seen.state().items()}}

    def restore(self, state: State) -> None:
        self.asked = int(state["asked"])
        self.seen.restore(under("seen", state))


def _slack(score: float, lower: float, shift: int) -> float:
    """How far a structure of this score is from the bound of the scaled costs, rounding included."""
    floor = float(np.nextafter(np.ldexp(lower, shift), -np.inf))
    return max(score - floor, 0.0) + 2.0 * EPS * abs(score)


def ones(places: Index) -> Sparse:
    """The atom with 1 at these places."""
    places = np.sort(np.asarray(places, dtype=np.intp))
    return Sparse(places, np.ones(len(places)))


def scaled(g: Array) -> tuple[Array, int]:
    """g times a power of two, its largest entry between ½ and 1, and that power: nothing overflows or vanishes."""
    g = np.asarray(g, dtype=np.float64)
    check(bool(np.isfinite(g).all()), "The gradient has NaN or infinite entries; finite costs are wanted.")
    shift = frexp(float(np.abs(g).max(initial=0.0)))[1]
    return np.ldexp(g, -shift), shift
