"""Atoms scale·e_index: two numbers each."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from greedyhull.points.arrays import flat, grown
from greedyhull.points.blocks import BlockBase, register_block
from greedyhull.points.columns import column, columns, combine
from greedyhull.points.gradients import entries_at
from greedyhull.points.states import count, numbers, places
from greedyhull.types import Array, Atom, Block, Design, Gradient, Index, State
from greedyhull.types.override import KeepsAtom, override

SHORT = 4096  # coordinates, at most, that are added up sooner than looked up


@dataclass(frozen=True, slots=True, init=False)
class Basis(KeepsAtom):
    """Atom scale·e_index, a multiple of a unit vector.

    Parameters
    ----------
    index : int
        The place of the non-zero entry.
    scale : float
        The entry; 0 makes it the origin.

    See Also
    --------
    Sparse : An atom with several entries.
    Dense : An atom with all its entries.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.Basis(1, -2.0).dot(np.array([1.0, 3.0, 5.0]))
    -6.0
    """

    index: int
    scale: float

    def __init__(self, index: int, scale: float) -> None:
        _set_index(self, index)  # an oracle makes one in every step, and what a dataclass writes takes half as long again
        _set_scale(self, scale)

    @property
    @override
    def key(self) -> Hashable:
        return (self.index, self.scale)

    @override
    def dot(self, g: Gradient) -> float:
        try:
            out: float = self.scale * g.item(self.index)  # type: ignore[union-attr]
        except AttributeError:  # no array: asked for so often that it is not looked at first
            out = self.scale * float(entries_at(g, np.array([self.index]))[0])
        return out

    @override
    def image(self, A: Design) -> Array:
        return self.scale * column(A, self.index)

    @override
    def add_to(self, w: Array, c: float) -> None:
        flat(w)[self.index] += c * self.scale

    @override
    def block(self, size: int) -> Block:
        return BasisBlock(size, [self.index], [self.scale])


_set_index, _set_scale = Basis.__dict__["index"].__set__, Basis.__dict__["scale"].__set__


class BasisBlock(BlockBase):
    """Atoms scale·e_index as two arrays."""

    __slots__ = ("_index", "_keys", "_m", "_scale", "shape", "size")
    kind = "basis"

    def __init__(self, size: int, index: Any, scale: Any) -> None:
        self.size, self.shape = size, (size,)
        self._index, self._scale = np.asarray(index, dtype=np.intp), np.asarray(scale, dtype=np.float64)
        self._m = len(self._index)
        self._keys: list[Hashable] | None = None

    @property
    @override
    def keys(self) -> list[Hashable]:
        if self._keys is None:
            self._keys = list(zip(self.index.tolist(), self.scale.tolist(), strict=True))
        return self._keys

    @property
    def index(self) -> Index:
        index = self._index
        return index if len(index) == self._m else index[: self._m]

    @property
    def scale(self) -> Array:
        scale = self._scale
        return scale if len(scale) == self._m else scale[: self._m]

    @override
    def __len__(self) -> int:
        return self._m

    @override
    def __getitem__(self, i: int) -> Basis:
        return Basis(int(self.index[i]), float(self.scale[i]))

    @override
    def dots(self, g: Gradient) -> Array:
        if type(g) is not np.ndarray:
            return entries_at(g, self.index) * self.scale
        if g.size == self.size:
            return flat(g)[self.index] * self.scale
        return g[self.index] * self.scale[:, None]

    @override
    def combine(self, A: Design, c: Array) -> Array:
        return combine(A, self.index, c * self.scale)

    @override
    def images(self, A: Design) -> Any:
        return columns(A, self.index, self.scale)

    @override
    def add_to(self, w: Array, c: Array) -> None:
        self._add(flat(w), c * self.scale)

    @override
    def add_sizes_to(self, w: Array, c: Array) -> None:
        self._add(flat(w), c * np.abs(self.scale))

    def _add(self, w: Array, entries: Array) -> None:
        """Add an entry for each atom to its coordinate."""
        if self.size <= SHORT:
            w += np.bincount(self.index, entries, self.size)
        else:
            np.add.at(w, self.index, entries)

    @override
    def append(self, atom: Atom) -> Block:
        if not isinstance(atom, Basis):
            return atom.block(self.size).take(np.arange(0)).extend(self).append(atom)
        self._index, self._scale = grown(self._index, self._m), grown(self._scale, self._m)
        self._index[self._m], self._scale[self._m] = atom.index, atom.scale
        self._m += 1
        if self._keys is not None:
            self._keys.append(atom.key)
        return self

    @override
    def extend(self, atoms: Block) -> Block:
        if not isinstance(atoms, BasisBlock):
            return super().extend(atoms)
        return BasisBlock(self.size, np.concatenate([self.index, atoms.index]), np.concatenate([self.scale, atoms.scale]))

    @override
    def take(self, index: Index) -> BasisBlock:
        return BasisBlock(self.size, self.index[index], self.scale[index])

    @override
    def state(self) -> State:
        return {"basis.index": self.index.copy(), "basis.scale": self.scale.copy(), "size": np.array(self.size)}


def _restored(state: State) -> BasisBlock:
    size = count(state, "size")
    index = places(state, "basis.index", (None,), high=size - 1)
    return BasisBlock(size, index, numbers(state, "basis.scale", index.shape))


register_block(BasisBlock.kind, _restored)
