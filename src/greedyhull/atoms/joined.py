"""What products and sums of sets share: a part for each owner, and an oracle that asks every set for its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.closed_oracle import ClosedOracle
from greedyhull.atoms.geometry.segments import BasisTable
from greedyhull.atoms.oracle_base import OracleBase
from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown
from greedyhull.points.arrays import eps_of
from greedyhull.points.blocks import is_block
from greedyhull.points.entering import as_answer, as_floor, as_shortlist
from greedyhull.points.owners import Joint, OwnedBlock
from greedyhull.points.shapes import Basis, Dense, Sparse, dense
from greedyhull.points.states import under
from greedyhull.types import Answer, Array, Atom, Block, Floor, Kind, Oracle, SetTraits, Shape, Shortlist, State
from greedyhull.types import AtomSet as AnySet

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate

KINDS: tuple[Kind, ...] = ("always", "probability", "expectation", "estimate", "stationary")  # from strong to weak


class Joined(AtomSet):
    """Points made of one point of each set; ``starts`` says where the entries of each begin among those of the whole."""

    def __init__(self, sets: Sequence[AnySet], starts: Sequence[int], shape: Shape) -> None:
        self.sets, self.shape = tuple(sets), shape
        counts = [S.traits.owners for S in sets]
        self.owners, self.dense_atoms = sum(counts), any(S.dense_atoms for S in sets)
        self._starts = [int(start) for start in starts]
        self._firsts = np.cumsum([0, *counts]).tolist()  # the first owner of each set

    def __repr__(self) -> str:
        first, n = repr(self.sets[0]), len(self.sets)
        same = n > 3 and all(repr(S) == first for S in self.sets[1:])
        return f"{type(self).__name__}({f'{n} × {first}' if same else ', '.join(map(repr, self.sets))})"

    def _bare(self) -> AtomSet:
        inner = [cast(AtomSet, S)._bare() for S in self.sets]
        return self if all(one is S for one, S in zip(inner, self.sets, strict=True)) else self._of(inner)

    @abstractmethod
    def _of(self, sets: Sequence[AnySet]) -> Joined:
        """The same of other sets."""

    @property
    def traits(self) -> SetTraits:
        return super().traits._replace(random=any(S.traits.random for S in self.sets), compresses=False)

    @property
    def starts(self) -> list[int]:
        """Where the entries of each set begin."""
        return self._starts

    @abstractmethod
    def slices(self, x: Array) -> Iterable[Array]:
        """What each set sees of an array: of a gradient, say."""

    # --- its atoms ------------------------------------------------------------------------------------------------

    @cached_property
    def _table(self) -> BasisTable | None:
        """All parts in two arrays, where each set can list its atoms and these have one entry each."""
        return BasisTable.of(self.sets, self._starts, prod(self.shape))

    def embedded(self, place: int, d: Atom) -> tuple[Atom, ...]:
        """The parts that an atom of the set number ``place`` is in the whole."""
        parts = d.parts if isinstance(d, Joint) else (d,)
        return tuple(self._embedded(place, part) for part in parts)

    def _embedded(self, place: int, d: Atom) -> Atom:
        start, shape = self._starts[place], self.sets[place].shape
        if isinstance(d, Basis):
            return Basis(start + d.index, d.scale)
        if isinstance(d, Sparse):
            return Sparse(start + d.places, d.entries)
        x = dense(d, shape)
        if x.shape == self.shape:
            return Dense(x)
        places = np.flatnonzero(x)
        return Sparse(start + places, x.ravel()[places])

    def joint(self, atoms: Iterable[Atom]) -> Joint:
        """The vertex that an atom of each set makes."""
        return Joint(tuple(part for place, d in enumerate(atoms) for part in self.embedded(place, d)))

    def argmin(self, g: Array) -> Joint:
        table = self._table
        if table is not None:
            return Joint(tuple(table.argmin(g.ravel())))
        return self.joint(S.atom(part) for S, part in zip(self.sets, self.slices(g), strict=True))

    def best(self, g: Array, m: int) -> OwnedBlock:
        """The m best parts of every owner, the best one first."""
        table = self._table
        if table is not None:
            return table.best(g.ravel(), m)
        return self.joined(S.best(part, m) for S, part in zip(self.sets, self.slices(g), strict=True))

    def joined(self, blocks: Iterable[Block]) -> OwnedBlock:
        """Blocks of atoms, one for each set, as one block of parts."""
        parts: list[Atom] = []
        owners: list[int] = []
        for place, block in enumerate(blocks):
            assert is_block(block)
            inner = block.inner if isinstance(block, OwnedBlock) else block
            whose = block.owners.tolist() if isinstance(block, OwnedBlock) else [0] * len(block)
            parts += [self._embedded(place, inner[i]) for i in range(len(inner))]
            owners += [self._firsts[place] + owner for owner in whose]
        out = parts[0].block(prod(self.shape))
        for part in parts[1:]:
            out = out.append(part)
        return OwnedBlock(out.unnamed(), np.array(owners))

    def oracle(self, rng: np.random.Generator) -> Oracle:
        """One that asks each set's own; one that holds nothing where none of them does."""
        oracles = [S.oracle(rng) for S in self.sets]
        return ClosedOracle(self) if all(type(o) is ClosedOracle for o in oracles) else JoinedOracle(self, oracles)

    def start(self, rng: np.random.Generator) -> Joint:
        return self.joint(S.start(rng) for S in self.sets)

    # --- its points -----------------------------------------------------------------------------------------------

    def centre(self) -> Iterate:
        return self._mixed([S.centre() for S in self.sets])

    def _mixed(self, points: Sequence[Iterate]) -> Iterate:
        """A point of each set as a point of the whole."""
        from greedyhull.points.iterate import Iterate

        block = self.joined(w.block for w in points)
        return Iterate(block, np.concatenate([w.weights for w in points]), self.shape).merged()

    def max_abs(self, c: Array) -> float:
        table = self._table
        if table is not None:
            return table.max_abs(np.asarray(c, dtype=np.float64).ravel())
        return float(sum(S.max_abs(part) for S, part in zip(self.sets, self.slices(c), strict=True)))

    @property
    def coarse(self) -> str:
        return max((S.coarse for S in self.sets), key=eps_of)

    @property
    def sized(self) -> bool:
        return all(S.sized for S in self.sets)

    @property
    def seen(self) -> tuple[float, float] | None:
        """What the sets have seen whose `max_abs` is estimated, summed."""
        seen = [S.seen for S in self.sets if S.seen is not None]
        return (sum(a for a, _ in seen), sum(b for _, b in seen)) if seen else None

    def saw(self, d: Atom) -> None:
        """Nothing to do: each set has seen its own atom as it answered."""


class JoinedOracle(OracleBase):
    """The oracles of the sets, each asked for its own part; slacks and chances to fail add up."""

    __slots__ = ("S", "oracles")

    def __init__(self, S: Joined, oracles: list[Oracle]) -> None:
        self.S, self.oracles = S, oracles

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        S, share = self.S, tol / len(self.oracles)
        answers = []
        for T, oracle, part in zip(S.sets, self.oracles, S.slices(g), strict=True):
            answer = as_answer(oracle.argmin(part, share), T.shape)
            if not T.sized:
                T.saw(answer.atom)
            answers.append(answer)
        return Answer(S.joint(a.atom for a in answers), *_together(answers))

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        S, share = self.S, tol / len(self.oracles)
        lists = [as_shortlist(oracle.best(part, m, tol=share), T, T.traits.owners)
                 for T, oracle, part in zip(S.sets, self.oracles, S.slices(g), strict=True)]
        block = S.joined(found.atoms for found in lists)
        return Shortlist(block, *_together(lists), owners=block.owners)

    def floor(self, g: Array, tol: float = 0.0) -> Floor:
        S = self.S
        floors = [as_floor(oracle.floor(part, tol / len(self.oracles)), T)
                  for T, oracle, part in zip(S.sets, self.oracles, S.slices(g), strict=True)]
        kind, delta = _promise([(f.kind, f.delta) for f in floors])
        return Floor(float(sum(f.lower for f in floors)), kind, delta, sum(f.sharpest for f in floors))

    def state(self) -> State:
        return {f"{i}.{name}": array for i, oracle in enumerate(self.oracles) for name, array in oracle.state().items()}

    def restore(self, state: State) -> None:
        for i, oracle in enumerate(self.oracles):
            oracle.restore(under(str(i), state))


def _together(answers: Sequence[Answer | Shortlist]) -> tuple[float, Kind, float]:
    """The slack of all answers together, and what it promises."""
    kind, delta = _promise([(a.kind, a.delta) for a in answers])
    return float(sum(a.slack for a in answers)), kind, delta


def _promise(promises: Sequence[tuple[Kind, float]]) -> tuple[Kind, float]:
    """The weakest kind, and the sum of the chances to fail; from one on nothing is promised."""
    kind, delta = max((kind for kind, _ in promises), key=KINDS.index), float(sum(delta for _, delta in promises))
    return ("estimate", 0.0) if delta >= 1.0 and kind == "probability" else (kind, delta)


def checked_sets(name: str, sets: Sequence[Any]) -> None:
    """Raise unless there is at least one set, and nothing else."""
    check(len(sets) > 0, f"{name}() was given no set; at least one is wanted, as in {name}(Simplex(3), Simplex(5)).")
    for i, S in enumerate(sets):
        if not isinstance(S, AtomSet):
            raise GreedyhullError(f"{name} was given {shown(S)} as its set number {i}; a set of atoms such as Simplex(d) is "
                                  f"wanted.{_unpack(S)}")


def _unpack(S: object) -> str:
    return " Unpack a list with a star." if isinstance(S, (list, tuple)) else ""
