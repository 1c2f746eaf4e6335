"""Points of a product S₁ × … × S_K. The *owner* of an atom is the number of its factor; weights sum to one per owner.

A vertex of the product is a `Joint`: one part per factor, each embedded in the shape of the product. A point keeps the parts,
not the vertices, as atoms with an owner: w = Σ_b Σ_{i of b} αᵢ dᵢ. Few parts represent many vertices, and equal arrays of
different owners are different atoms.

>>> from greedyhull.points.shapes import Basis
>>> vertex = Joint((Basis(0, 1.0), Basis(3, 2.0)))
>>> vertex.dot(np.array([1.0, 0.0, 0.0, 5.0]))
11.0
>>> vertex.block(4).keys
[(0, (0, 1.0)), (1, (3, 2.0))]
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.points.blocks import Block, block_from, block_state, places, register_block, under
from greedyhull.points.direction import Direction
from greedyhull.types import Array, Atom, Design, Gradient, Index, Shape, State

if TYPE_CHECKING:
    from greedyhull.points.iterate import Iterate


@dataclass(frozen=True, slots=True, eq=False)
class Owned(Atom):
    """An atom of one factor; its key is (owner, key)."""

    atom: Atom
    owner: int

    @property
    def key(self) -> Hashable:
        return (self.owner, self.atom.key)

    def dot(self, g: Gradient) -> float:
        return self.atom.dot(g)

    def image(self, A: Design) -> Array:
        return self.atom.image(A)

    def add_to(self, w: Array, c: float) -> None:
        self.atom.add_to(w, c)

    def block(self, size: int) -> OwnedBlock:
        return OwnedBlock(self.atom.block(size), np.array([self.owner]))


@dataclass(frozen=True, slots=True, eq=False)
class Joint(Atom):
    """A vertex of a product: Σ_b part_b. ``owners`` numbers the factor of each part; by default 0, 1, … in order."""

    parts: tuple[Atom, ...]
    owners: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check(isinstance(self.parts, (tuple, list)) and isinstance(self.owners, (tuple, list, np.ndarray)),
              lambda: f"Joint was given {self.parts!r} and {self.owners!r}; a tuple of atoms and one of owners are wanted.")
        parts, owners = tuple(self.parts), tuple(self.owners) or tuple(range(len(self.parts)))
        whole = all(isinstance(b, (int, np.integer)) and not isinstance(b, bool) for b in owners)
        check(len(parts) > 0 and whole and len(parts) == len(owners) and sorted(owners) == list(range(len(parts))),
              lambda: f"Joint was given {len(parts)} parts and the owners {owners}; one part for each of the owners 0, 1, … "
                      "is wanted.")
        check(not any(isinstance(part, (Joint, Owned)) for part in parts), "A part of a Joint has owners itself. "
              "Give plain atoms; a product of products is one product, its owners numbered through.")
        object.__setattr__(self, "parts", tuple(parts[i] for i in np.argsort(owners)))
        object.__setattr__(self, "owners", tuple(range(len(parts))))

    @property
    def key(self) -> Hashable:
        return tuple(part.key for part in self.owned)

    @property
    def owned(self) -> tuple[Owned, ...]:
        """The parts, each with its owner."""
        return tuple(map(Owned, self.parts, self.owners))

    def dot(self, g: Gradient) -> float:
        return float(sum(part.dot(g) for part in self.parts))

    def image(self, A: Design) -> Array:
        total = self.parts[0].image(A)
        for part in self.parts[1:]:
            total = total + part.image(A)
        return total

    def add_to(self, w: Array, c: float) -> None:
        for part in self.parts:
            part.add_to(w, c)

    def block(self, size: int) -> OwnedBlock:
        block = self.parts[0].block(size)
        for part in self.parts[1:]:
            block = block.append(part)
        return OwnedBlock(block, np.array(self.owners))


class OwnedBlock(Block):
    """A block of atoms with the owner of each; keys are (owner, key)."""

    __slots__ = ("_keys", "inner", "owners")
    owners: Index
    kind = "owned"

    def __init__(self, inner: Block, owners: Any) -> None:
        check(not isinstance(inner, OwnedBlock), "A block that has owners was given owners once more. Give the plain block.")
        whose, m = np.asarray(owners), len(inner)
        good = whose.shape == (m,) and (not m or (whose.dtype.kind in "iu" and int(whose.min()) >= 0))
        check(good, lambda: f"owners={owners!r} was given for {m} atoms; a whole number of at least 0 for each is wanted.")
        self.inner, self.owners = inner, whose.astype(np.intp)
        self._keys: list[Hashable] | None = None

    @property
    def shape(self) -> Shape:  # type: ignore[override]
        return self.inner.shape

    @property
    def count(self) -> int:
        """The number of owners."""
        return int(self.owners.max(initial=-1)) + 1

    @property
    def keys(self) -> Sequence[Hashable]:
        if self._keys is None:
            self._keys = list(zip(self.owners.tolist(), self.inner.keys, strict=True))
        return self._keys

    def __len__(self) -> int:
        return len(self.inner)

    def __getitem__(self, i: int) -> Owned:
        return Owned(self.inner[i], int(self.owners[i]))

    def dots(self, g: Gradient) -> Array:
        return self.inner.dots(g)

    def combine(self, A: Design, c: Array) -> Array:
        return self.inner.combine(A, c)

    def images(self, A: Design) -> Any:
        return self.inner.images(A)

    def add_to(self, w: Array, c: Array) -> None:
        self.inner.add_to(w, c)

    def add_sizes_to(self, w: Array, c: Array) -> None:
        self.inner.add_sizes_to(w, c)

    def append(self, atom: Atom) -> OwnedBlock:
        owned = _owned(atom)
        inner, owners = self.inner.append(owned.atom), np.append(self.owners, owned.owner)
        if inner is not self.inner:  # a wider shape, with other keys
            return OwnedBlock(inner, owners)
        self.owners = owners
        if self._keys is not None:
            self._keys.append((owned.owner, inner.keys[len(inner) - 1]))
        return self

    def extend(self, atoms: Block) -> OwnedBlock:
        check(isinstance(atoms, OwnedBlock), "Atoms without owners were to join a point of several owners. Say whose they "
                                             "are: Shortlist(..., owners=...).")
        assert isinstance(atoms, OwnedBlock)
        return OwnedBlock(self.inner.extend(atoms.inner), np.concatenate([self.owners, atoms.owners]))

    def key_of(self, atom: Atom) -> Hashable:
        owned = _owned(atom)
        return (owned.owner, self.inner.key_of(owned.atom))

    def take(self, index: Index) -> OwnedBlock:
        return OwnedBlock(self.inner.take(index), self.owners[index])

    def unnamed(self) -> OwnedBlock:
        return OwnedBlock(self.inner.unnamed(), self.owners)

    def joints(self) -> Iterator[Joint]:
        """Yield vertices that have every atom as a part at least once; none if an owner has no atom."""
        places = [(self.owners == owner).nonzero()[0] for owner in range(self.count)]
        for j in range(max(map(len, places), default=0) if all(map(len, places)) else 0):
            yield Joint(tuple(self.inner[int(own[j % len(own)])] for own in places))

    def state(self) -> State:
        return {"owners": self.owners.copy(), **{f"of.{name}": array for name, array in block_state(self.inner).items()}}


def _restored(state: State) -> OwnedBlock:
    inner = block_from(under("of", state))
    return OwnedBlock(inner, places(state, "owners", (len(inner),), high=1 << 24))  # arrays of that length fit into memory


register_block(OwnedBlock.kind, _restored)


def _owned(atom: Atom) -> Owned:
    if isinstance(atom, Owned):
        return atom
    raise GreedyhullError(f"{atom!r} was to join a point of several owners, and nobody said whose it is. A set with owners "
                          "answers with Joint(parts, owners), one part for each of them.")


def vertices(block: Block) -> Iterator[Atom]:
    """Yield points of the set that have every atom of the block as a part; of one factor, the atoms themselves."""
    return block.joints() if isinstance(block, OwnedBlock) else (block[i] for i in range(len(block)))


def whole(block: Block) -> Atom:
    """Return a vertex of the parts in the block, or its first atom."""
    return next(vertices(block))


def least(scores: Array, owners: Index) -> Array:
    """Return the least score of each owner; infinity without one."""
    low = np.full(int(owners.max(initial=-1)) + 1, np.inf)
    np.minimum.at(low, owners, scores)
    return low


def least_of(scores: Array, owners: Index | None) -> float:
    """Return the least ⟨g, ·⟩ of the atoms: the sum of the least scores of the owners."""
    return float(scores.min()) if owners is None else float(least(scores, owners).sum())


def farthest_pair(scores: Array, owners: Index) -> tuple[int, int]:
    """Return the places of the largest and the least score of the owner for which they differ most."""
    low, high = least(scores, owners), -least(-scores, owners)
    own = (owners == int((high - low).argmax())).nonzero()[0]
    return int(own[scores[own].argmax()]), int(own[scores[own].argmin()])


def normalised(weights: Array, owners: Index | None) -> Array:
    """Return the weights scaled to sum to one per owner."""
    if owners is None:
        return np.asarray(weights / weights.sum())
    return np.asarray(weights / np.bincount(owners, weights=weights)[owners])


def toward_parts(w: Iterate, d: Atom, owner: int | None) -> Direction:
    """Return d − w for a vertex d; with an ``owner``, d_b − w_b for the part of that owner alone."""
    block = w.block if w.keeps_atoms else None
    if not isinstance(block, OwnedBlock):
        check(owner is None, lambda: f"A move of owner {owner!r} was asked for at {w!r}, which has one owner or has not kept "
                                     "its atoms. Use w.toward(d).")
        raise GreedyhullError(f"{d!r} has a part for each of several owners, and {w!r} has one. Begin at a vertex, as "
                              "Iterate.at(joint, shape) does.")
    if owner is None:
        assert isinstance(d, Joint)
        check(len(d.parts) == block.count, lambda: f"A step toward a vertex of {len(d.parts)} parts was asked for at a point "
                                                   f"of {block.count} owners; a part for each of them is wanted.")
        v = Direction(d.owned, (1.0,) * len(d.parts), 1.0, 1.0)
        v.single = d
        return v
    check(0 <= owner < block.count, lambda: f"A move of owner {owner!r} was asked for at a point of {block.count} owners.")
    part = own_part(d, owner)
    place, own = w.find(part), (block.owners == owner).nonzero()[0]
    others = [i for i in own.tolist() if i != place]
    share = 0.0 if place is None else float(w.weights[place])
    terms = (part, *(block[i] for i in others))  # all weight of the owner goes to its part
    return Direction(terms, (1.0 - share, *(-w.weights[others]).tolist()), 0.0, 1.0)


def own_part(d: Atom, owner: int) -> Owned:
    """Return the part of d that is the owner's; an atom without an owner counts as one."""
    if isinstance(d, Joint):
        check(owner < len(d.parts), lambda: f"{d!r} has no part for owner {owner}.")
        return Owned(d.parts[owner], owner)
    check(not isinstance(d, Owned) or d.owner == owner, lambda: f"{d!r} was to take weight of owner {owner}. Weight moves "
          "between atoms of one owner only: w.farthest(g) gives two of them.")
    return d if isinstance(d, Owned) else Owned(d, owner)
