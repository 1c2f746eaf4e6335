"""Atoms with all their entries, and the block that takes atoms of every shape."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from math import inf, prod
from typing import Any

import numpy as np

from greedyhull.points.arrays import flat, grown, value_key
from greedyhull.points.blocks import BlockBase, register_block
from greedyhull.points.gradients import as_array, inner
from greedyhull.points.states import dimensions, numbers, places
from greedyhull.types import Array, Atom, Block, Design, Gradient, Index, Shape, State
from greedyhull.types.override import KeepsAtom, override


@dataclass(frozen=True, slots=True, eq=False)
class Dense(KeepsAtom):
    """Atom with all its entries.

    Parameters
    ----------
    array : ndarray of float
        The entries, in the shape of the points.
    name : int, optional
        The number of the atom, where the set numbers its atoms. Atoms with the same name are taken to be the same.

    See Also
    --------
    Basis : An atom with one entry.
    Sparse : An atom with few entries.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.Dense(np.array([1.0, -1.0])).dot(np.array([2.0, 3.0]))
    -1.0
    """

    array: Array
    name: int | None = None

    @property
    @override
    def key(self) -> Hashable:
        return value_key(self.array) if self.name is None else self.name

    @override
    def dot(self, g: Gradient) -> float:
        return inner(g, self.array)

    @override
    def image(self, A: Design) -> Array:
        return A.matvec(self.array)

    @override
    def add_to(self, w: Array, c: float) -> None:
        w += c * self.array

    @override
    def block(self, size: int) -> Block:
        return DenseBlock(self.array.reshape(1, -1).copy(), self.array.shape, [self.key])


class DenseBlock(BlockBase):
    """Dense atoms as rows of one matrix; an atom of another shape is written out."""

    __slots__ = ("_keys", "_m", "_rows", "shape")
    kind = "dense"

    def __init__(self, rows: Array, shape: Shape, keys: list[Hashable] | None = None) -> None:
        self._rows, self._m, self.shape = rows, len(rows), shape
        self._keys: list[Hashable] = [value_key(r) for r in rows] if keys is None else keys

    @property
    @override
    def keys(self) -> list[Hashable]:
        return self._keys

    @property
    def matrix(self) -> Array:
        return self._rows[: self._m]

    @override
    def __len__(self) -> int:
        return self._m

    @override
    def __getitem__(self, i: int) -> Dense:
        key = self.keys[i]
        return Dense(self.matrix[i].reshape(self.shape), key if isinstance(key, int) else None)

    @override
    def dots(self, g: Gradient) -> Array:
        if type(g) is not np.ndarray:
            g = as_array(g)
        out: Array = self.matrix.dot(flat(g) if g.size == self.matrix.shape[1] else g)
        return out

    @override
    def combine(self, A: Design, c: Array) -> Array:
        return A.matvec(c.dot(self.matrix).reshape(self.shape))

    @override
    def images(self, A: Design) -> Any:
        return np.stack([A.matvec(row.reshape(self.shape)) for row in self.matrix]).T  # Fortran order, as `columns` has

    @override
    def add_to(self, w: Array, c: Array) -> None:
        w += c.dot(self.matrix).reshape(self.shape)

    @override
    def add_sizes_to(self, w: Array, c: Array) -> None:
        w += c.dot(np.abs(self.matrix)).reshape(self.shape)

    @override
    def append(self, atom: Atom) -> Block:
        self._rows = grown(self._rows, self._m)
        row = self._rows[self._m]
        row[:] = 0.0
        atom.add_to(row.reshape(self.shape), 1.0)
        self._m += 1
        self.keys.append(self.key_of(atom))
        return self

    @override
    def extend(self, atoms: Block) -> Block:
        if not isinstance(atoms, DenseBlock):
            return super().extend(atoms)
        return DenseBlock(np.concatenate([self.matrix, atoms.matrix]), self.shape, self.keys + atoms.keys)

    @override
    def key_of(self, atom: Atom) -> Hashable:
        return atom.key if isinstance(atom, Dense) else value_key(dense(atom, self.shape))

    @override
    def unnamed(self) -> DenseBlock:
        return DenseBlock(self.matrix, self.shape)

    @override
    def take(self, index: Index) -> DenseBlock:
        return DenseBlock(self.matrix[index], self.shape, [self.keys[i] for i in index.tolist()])

    @override
    def state(self) -> State:
        named = [i for i, key in enumerate(self.keys) if isinstance(key, int)]
        names: State = {"dense.names": np.array([self.keys[i] for i in named], dtype=np.int64)} if named else {}
        if 0 < len(named) < len(self):  # the others are known by their values, as a start at the origin is
            names["dense.named"] = np.array(named)
        return {"dense.rows": self.matrix.copy(), "shape": np.array(self.shape), **names}


def dense(atom: Atom, shape: int | Shape) -> Array:
    """The atom as an array of a shape."""
    w = np.zeros(shape)
    atom.add_to(w, 1.0)
    return w


def widened(block: Block, atom: Atom) -> Block:
    """The atoms of ``block`` and ``atom``, which is of another shape, written out in a dense block."""
    shape = max(block.shape, atom.block(prod(block.shape)).shape, key=len)  # of atoms that do not care it is a vector's
    return DenseBlock(np.zeros((0, prod(shape))), shape, []).extend(block).append(atom)


def _restored(state: State) -> DenseBlock:
    shape = dimensions(state, "shape")
    rows = numbers(state, "dense.rows", (None, prod(shape)))
    block = DenseBlock(rows.copy(), shape)
    if "dense.names" in state:
        named = places(state, "dense.named", (None,), high=len(rows) - 1) if "dense.named" in state else np.arange(len(rows))
        for i, name in zip(named.tolist(), places(state, "dense.names", named.shape, low=-inf).tolist(), strict=True):
            block.keys[i] = name
    return block


register_block(DenseBlock.kind, _restored)
