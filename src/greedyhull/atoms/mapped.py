"""What scaled and translated sets share: another set's atoms, each moved the same way."""

from __future__ import annotations

from abc import abstractmethod
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.closed_oracle import ClosedOracle
from greedyhull.atoms.oracle_base import OracleBase
from greedyhull.errors import check
from greedyhull.errors.given import shown
from greedyhull.points.entering import as_answer, as_floor, as_shortlist
from greedyhull.points.owners import Joint, OwnedBlock
from greedyhull.types import Answer, Array, Atom, Block, Finite, Floor, Index, Oracle, SetTraits, Shortlist, State
from greedyhull.types import AtomSet as AnySet
from greedyhull.types.kinds import listed

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate


class Mapped(AtomSet):
    """Points T(w) for w in S, where T is linear or a shift: atoms of S, moved; what is asked of them is asked of S."""

    unit = 1.0  # by which scores of S are multiplied

    def __init__(self, S: AnySet) -> None:
        check(isinstance(S, AtomSet), lambda: f"{type(self).__name__} was given {shown(S)}; a set of atoms such as "
                                              "Simplex(d) is wanted first.")
        self.S, self.shape, self.owners, self.dense_atoms = S, S.shape, S.traits.owners, S.dense_atoms

    @abstractmethod
    def moved(self, d: Atom) -> Atom:
        """An atom of S with one owner, moved."""

    @abstractmethod
    def back(self, x: Array) -> Array:
        """The point of S that x comes from."""

    @abstractmethod
    def seen_by(self, g: Array) -> tuple[Array, float]:
        """h and c with ⟨g, T(w)⟩ = unit·⟨h, w⟩ + c."""

    @abstractmethod
    def _said(self, inner: SetTraits) -> SetTraits:
        """What the set is, if S is ``inner``."""

    @property
    def traits(self) -> SetTraits:
        inner = self.S.traits
        region = None if inner.region is None else inner.region.moved(*self._affine())
        return self._said(inner._replace(region=region, gradients="dense", slides=False, compresses=False, faces=False,
                                           dense_atoms=self.dense_atoms))

    def _bare(self) -> AtomSet:
        inner = cast(AtomSet, self.S)._bare()
        return self if inner is self.S else self._of(inner)

    @abstractmethod
    def _of(self, S: AnySet) -> Mapped:
        """The same of another set."""

    @abstractmethod
    def _affine(self) -> tuple[float, Array]:
        """c and v with T(w) = c·w + v."""

    # --- its atoms ------------------------------------------------------------------------------------------------

    def _moved(self, d: Atom) -> Atom:
        """An atom of S, moved; a shift of a vertex with several owners is one of its first part."""
        return Joint(tuple(self._part(part, owner) for owner, part in enumerate(d.parts))) if isinstance(d, Joint) else (
            self.moved(d))

    def _part(self, d: Atom, owner: int) -> Atom:
        """A part of an owner, moved."""
        return self.moved(d)

    def blocks(self, block: Block) -> Block:
        """Atoms of S, moved."""
        if isinstance(block, OwnedBlock):
            inner = _block([self._part(block.inner[i], int(b)) for i, b in enumerate(block.owners)], prod(self.shape))
            return OwnedBlock(inner, block.owners)
        return _block([self.moved(block[i]) for i in range(len(block))], prod(self.shape))

    def argmin(self, g: Array) -> Atom:
        return self._moved(self.S.atom(self.seen_by(g)[0]))

    def best(self, g: Array, m: int) -> Block:
        return self.blocks(self.S.best(self.seen_by(g)[0], m))

    def worst(self, g: Array, epsilon: float) -> Atom:
        return self._moved(self.S.worst(self.seen_by(g)[0], epsilon / self.unit))

    def oracle(self, rng: np.random.Generator) -> Oracle:
        inner = self.S.oracle(rng)
        return ClosedOracle(self) if type(inner) is ClosedOracle else MappedOracle(self, inner)

    def start(self, rng: np.random.Generator) -> Atom:
        return self._moved(self.S.start(rng))

    def _listed(self) -> Finite:
        known = listed(self.S)
        check(known is not None, lambda: f"The atoms of {self.S!r} cannot be listed.")
        assert known is not None
        return known

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self._listed())

    def __getitem__(self, j: int) -> Atom:
        return self._moved(self._listed()[j])

    def scores(self, g: Array) -> Array:
        h, c = self.seen_by(g)
        return self.unit * self._listed().scores(h) + c

    def block(self, index: Index) -> Block:
        return self.blocks(self._listed().block(index))

    # --- its points -----------------------------------------------------------------------------------------------

    def _iterate(self, w: Iterate) -> Iterate:
        from greedyhull.points.iterate import Iterate

        return Iterate(self.blocks(w.block), w.weights, self.shape)

    def centre(self) -> Iterate:
        return self._iterate(self.S.centre())

    def decompose(self, w: Array) -> Iterate:
        from greedyhull.atoms.arguments import array_of

        x = array_of(w)
        check(x.shape == self.shape, lambda: f"The array has shape {x.shape} but {self!r} holds points of shape {self.shape}.")
        return self._iterate(self.S.decompose(self.back(x)))

    def contains_quickly(self, w: Iterate) -> bool | None:
        """Whether it lies in the set, where S would know at once."""
        from greedyhull.points.coordinate_iterate import CoordinateIterate

        return None if self.S.contains_quickly(CoordinateIterate(self.back(w.array()))) is None else self.contains(w)

    @property
    def resolution(self) -> float:
        return self.S.resolution

    @property
    def least_size(self) -> float:
        return self.unit * self.S.least_size

    @property
    def coarse(self) -> str:
        return self.S.coarse

    @property
    def sized(self) -> bool:
        return self.S.sized

    @property
    def seen(self) -> tuple[float, float] | None:
        return self.S.seen

    def saw(self, d: Atom) -> None:
        """Nothing to do: S has seen its own atom as it answered."""


class MappedOracle(OracleBase):
    """The oracle of S, asked for h with ⟨g, T(w)⟩ = unit·⟨h, w⟩ + c; slacks are multiplied by the unit."""

    __slots__ = ("S", "inner")

    def __init__(self, S: Mapped, inner: Oracle) -> None:
        self.S, self.inner = S, inner

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        (h, c), unit = self.S.seen_by(g), self.S.unit
        answer = as_answer(self.inner.argmin(h, tol / unit, (enough - c) / unit), self.S.shape)
        if not self.S.sized:
            self.S.S.saw(answer.atom)
        return answer._replace(atom=self.S._moved(answer.atom), slack=unit * answer.slack)

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        (h, c), unit = self.S.seen_by(g), self.S.unit
        found = as_shortlist(self.inner.best(h, m, tol=tol / unit, enough=(enough - c) / unit), self.S.S, self.S.owners)
        return found._replace(atoms=self.S.blocks(found.atoms), slack=unit * found.slack)

    def floor(self, g: Array, tol: float = 0.0) -> Floor:
        (h, c), unit = self.S.seen_by(g), self.S.unit
        found = as_floor(self.inner.floor(h, tol / unit), self.S.S)
        return found._replace(lower=unit * found.lower + c)

    def state(self) -> State:
        return self.inner.state()

    def restore(self, state: State) -> None:
        self.inner.restore(state)


def _block(atoms: list[Any], size: int) -> Block:
    """Atoms in one block."""
    block: Block = atoms[0].block(size)
    for d in atoms[1:]:
        block = block.append(d)
    return block
