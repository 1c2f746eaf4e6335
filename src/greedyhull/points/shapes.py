"""The shapes that atoms come in, singly and in blocks.

`Basis` is c·e_j, `Sparse` a vector with few entries, `Dense` an array. A block keeps many atoms of one shape in
growing arrays; a block that is given an atom of a wider shape becomes a block of that shape.

>>> block = Basis(2, 1.5).block(4).append(Basis(0, -1.0))
>>> block.dots(np.array([1.0, 0.0, 2.0, 0.0]))
array([ 3., -1.])
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from greedyhull.points.owners import OwnedBlock
from greedyhull.types import Array, Atom, Block, Design, Index, Shape, State


@dataclass(frozen=True, slots=True)
class Basis:
    """The atom scale·e_index; scale 0 is the origin."""

    index: int
    scale: float

    @property
    def key(self) -> Hashable:
        return (self.index, self.scale)

    def dot(self, g: Array) -> float:
        out: float = self.scale * g.item(self.index)
        return out

    def image(self, A: Design) -> Array:
        return self.scale * A.column(self.index)

    def add_to(self, w: Array, c: float) -> None:
        flat(w)[self.index] += c * self.scale

    def block(self, size: int) -> Block:
        return BasisBlock(size, np.array([self.index]), np.array([self.scale]))


@dataclass(frozen=True, slots=True, eq=False)
class Sparse:
    """An atom with few non-zero entries, at ascending places."""

    places: Index
    entries: Array

    @property
    def key(self) -> Hashable:
        if len(self.places) == 1:  # the same atom as a Basis
            return (int(self.places[0]), float(self.entries[0]))
        return (np.asarray(self.places, dtype=np.int64).tobytes(), value_key(self.entries))

    def dot(self, g: Array) -> float:
        return float(self.entries.dot(flat(g)[self.places]))

    def image(self, A: Design) -> Array:
        return A.combine(self.places, self.entries)

    def add_to(self, w: Array, c: float) -> None:
        flat(w)[self.places] += c * self.entries

    def block(self, size: int) -> Block:
        return SparseBlock(size, [self])


@dataclass(frozen=True, slots=True, eq=False)
class Dense:
    """An atom with all its entries; ``name`` is its key where the set can number it."""

    array: Array
    name: int | None = None

    @property
    def key(self) -> Hashable:
        return value_key(self.array) if self.name is None else self.name

    def dot(self, g: Array) -> float:
        return float(self.array.ravel().dot(g.ravel()))

    def image(self, A: Design) -> Array:
        return A.matvec(self.array)

    def add_to(self, w: Array, c: float) -> None:
        w += c * self.array

    def block(self, size: int) -> Block:
        return DenseBlock(self.array.reshape(1, -1).copy(), self.array.shape, [self.key])


def value_key(array: Array) -> bytes:
    """The bytes of the numbers as float64, the same for equal numbers: −0.0 is written as 0.0."""
    return (np.asarray(array, dtype=np.float64) + 0.0).tobytes()


def flat(array: Array) -> Array:
    """A matrix as the vector of its entries, row by row: the very same memory, so that it can be written to."""
    return array if array.ndim == 1 else array.reshape(-1)


def dense(atom: Atom, shape: int | Shape) -> Array:
    """The atom as an array of a shape."""
    w = np.zeros(shape)
    atom.add_to(w, 1.0)
    return w


def _grown(array: Any, used: int) -> Any:
    """``array`` with room for one more row: twice as long when full, so that appending costs O(1) on average."""
    if used < len(array):
        return array
    bigger = np.empty((max(8, 2 * used), *array.shape[1:]), dtype=array.dtype)
    bigger[:used] = array[:used]
    return bigger


class BasisBlock:
    """Atoms scale·e_index as two arrays."""

    __slots__ = ("_index", "_keys", "_m", "_scale", "size")

    def __init__(self, size: int, index: Any, scale: Any) -> None:
        self.size = size
        self._index, self._scale = np.asarray(index, dtype=np.intp), np.asarray(scale, dtype=np.float64)
        self._m = len(self._index)
        self._keys: list[Hashable] | None = None

    @property
    def keys(self) -> list[Hashable]:
        if self._keys is None:
            self._keys = list(zip(self.index.tolist(), self.scale.tolist(), strict=True))
        return self._keys

    @property
    def index(self) -> Index:
        return self._index[: self._m]

    @property
    def scale(self) -> Array:
        return self._scale[: self._m]

    def __len__(self) -> int:
        return self._m

    def __getitem__(self, i: int) -> Basis:
        return Basis(int(self.index[i]), float(self.scale[i]))

    def dots(self, g: Array) -> Array:
        if g.size == self.size:
            return flat(g)[self.index] * self.scale
        return g[self.index] * self.scale[:, None]

    def combine(self, A: Design, c: Array) -> Array:
        return A.combine(self.index, c * self.scale)

    def images(self, A: Design) -> Any:
        return A.columns(self.index, self.scale)

    def add_to(self, w: Array, c: Array) -> None:
        np.add.at(flat(w), self.index, c * self.scale)

    def add_sizes_to(self, w: Array, c: Array) -> None:
        """w ← w + Σ cᵢ|dᵢ|."""
        np.add.at(flat(w), self.index, c * np.abs(self.scale))

    def append(self, atom: Atom) -> Block:
        if not isinstance(atom, Basis):
            return _widened(self, atom)
        self._index, self._scale = _grown(self._index, self._m), _grown(self._scale, self._m)
        self._index[self._m], self._scale[self._m] = atom.index, atom.scale
        self._m += 1
        if self._keys is not None:
            self._keys.append(atom.key)
        return self

    def extend(self, atoms: Block) -> Block:
        if not isinstance(atoms, BasisBlock):
            return _joined(self, atoms)
        return BasisBlock(self.size, np.concatenate([self.index, atoms.index]), np.concatenate([self.scale, atoms.scale]))

    def key_of(self, atom: Atom) -> Hashable:
        return atom.key

    def unnamed(self) -> BasisBlock:
        return self

    def take(self, index: Index) -> BasisBlock:
        return BasisBlock(self.size, self.index[index], self.scale[index])

    def state(self) -> State:
        return {"basis.index": self.index.copy(), "basis.scale": self.scale.copy(), "size": np.array(self.size)}


class SparseBlock:
    """Sparse atoms, kept as a list and stacked to one sparse matrix when a product is asked for."""

    __slots__ = ("_atoms", "_matrix", "keys", "size")

    def __init__(self, size: int, atoms: list[Sparse], keys: list[Hashable] | None = None) -> None:
        self.size, self._atoms = size, atoms
        self.keys: list[Hashable] = [a.key for a in atoms] if keys is None else keys
        self._matrix: Any = None

    @property
    def matrix(self) -> Any:
        """The atoms as rows of a CSR matrix."""
        if self._matrix is None:
            from scipy.sparse import csr_array

            indptr = np.concatenate([[0], np.cumsum([len(a.places) for a in self._atoms])])
            places = np.concatenate([a.places for a in self._atoms]) if self._atoms else np.zeros(0, np.intp)
            entries = np.concatenate([a.entries for a in self._atoms]) if self._atoms else np.zeros(0)
            self._matrix = csr_array((entries, places, indptr), shape=(len(self._atoms), self.size))
        return self._matrix

    def __len__(self) -> int:
        return len(self._atoms)

    def __getitem__(self, i: int) -> Sparse:
        return self._atoms[i]

    def dots(self, g: Array) -> Array:
        return np.asarray(self.matrix @ (flat(g) if g.size == self.size else g))

    def combine(self, A: Design, c: Array) -> Array:
        w = c @ self.matrix
        places = np.flatnonzero(w)
        return A.combine(places, w[places])

    def images(self, A: Design) -> Any:
        return np.stack([a.image(A) for a in self._atoms]).T  # Fortran order, as `columns` has

    def add_to(self, w: Array, c: Array) -> None:
        flat(w)[:] += c @ self.matrix

    def add_sizes_to(self, w: Array, c: Array) -> None:
        """w ← w + Σ cᵢ|dᵢ|."""
        flat(w)[:] += c @ abs(self.matrix)

    def append(self, atom: Atom) -> Block:
        if isinstance(atom, Basis):
            atom = Sparse(np.array([atom.index]), np.array([atom.scale]))
        if not isinstance(atom, Sparse):
            return _widened(self, atom)
        self._atoms.append(atom)
        self.keys.append(atom.key)
        self._matrix = None
        return self

    def extend(self, atoms: Block) -> Block:
        return _joined(self, atoms)

    def key_of(self, atom: Atom) -> Hashable:
        return atom.key

    def unnamed(self) -> SparseBlock:
        return self

    def take(self, index: Index) -> SparseBlock:
        return SparseBlock(self.size, [self._atoms[i] for i in index.tolist()], [self.keys[i] for i in index.tolist()])

    def state(self) -> State:
        rows = self.matrix
        return {"sparse.entries": rows.data, "sparse.places": rows.indices, "sparse.starts": rows.indptr,
                "size": np.array(self.size)}


class DenseBlock:
    """Dense atoms as rows of one matrix."""

    __slots__ = ("_m", "_rows", "keys", "shape")

    def __init__(self, rows: Array, shape: tuple[int, ...], keys: list[Hashable] | None = None) -> None:
        self._rows, self._m, self.shape = rows, len(rows), shape
        self.keys: list[Hashable] = [value_key(r) for r in rows] if keys is None else keys

    @property
    def matrix(self) -> Array:
        return self._rows[: self._m]

    def __len__(self) -> int:
        return self._m

    def __getitem__(self, i: int) -> Dense:
        key = self.keys[i]
        return Dense(self.matrix[i].reshape(self.shape), key if isinstance(key, int) else None)

    def dots(self, g: Array) -> Array:
        out: Array = self.matrix.dot(flat(g) if g.size == self.matrix.shape[1] else g)
        return out

    def combine(self, A: Design, c: Array) -> Array:
        return A.matvec(c.dot(self.matrix).reshape(self.shape))

    def images(self, A: Design) -> Any:
        return np.stack([A.matvec(row.reshape(self.shape)) for row in self.matrix]).T  # Fortran order, as `columns` has

    def add_to(self, w: Array, c: Array) -> None:
        w += c.dot(self.matrix).reshape(self.shape)

    def add_sizes_to(self, w: Array, c: Array) -> None:
        """w ← w + Σ cᵢ|dᵢ|."""
        w += c.dot(np.abs(self.matrix)).reshape(self.shape)

    def append(self, atom: Atom) -> Block:
        self._rows = _grown(self._rows, self._m)
        row = self._rows[self._m]
        row[:] = 0.0
        atom.add_to(row.reshape(self.shape), 1.0)
        self._m += 1
        self.keys.append(self.key_of(atom))
        return self

    def extend(self, atoms: Block) -> Block:
        if not isinstance(atoms, DenseBlock):
            return _joined(self, atoms)
        return DenseBlock(np.concatenate([self.matrix, atoms.matrix]), self.shape, self.keys + atoms.keys)

    def key_of(self, atom: Atom) -> Hashable:
        return atom.key if isinstance(atom, Dense) else value_key(dense(atom, self.shape))

    def unnamed(self) -> DenseBlock:
        """The same atoms, known by their numbers alone."""
        return DenseBlock(self.matrix, self.shape)

    def take(self, index: Index) -> DenseBlock:
        return DenseBlock(self.matrix[index], self.shape, [self.keys[i] for i in index.tolist()])

    def state(self) -> State:
        named = {"dense.names": np.array(self.keys)} if all(isinstance(key, int) for key in self.keys) else {}
        return {"dense.rows": self.matrix.copy(), "shape": np.array(self.shape), **named}


def _widened(block: BasisBlock | SparseBlock, atom: Atom) -> Block:
    """``block`` and ``atom`` in a block of the atom's wider shape."""
    wider: Block
    if isinstance(atom, Sparse):
        wider = SparseBlock(block.size, [], [])
    else:
        shape = atom.array.shape if isinstance(atom, Dense) else (block.size,)
        wider = DenseBlock(np.zeros((0, block.size)), shape, [])
    for i in range(len(block)):
        wider = wider.append(block[i])
    return wider.append(atom)


def _joined(block: Block, atoms: Block) -> Block:
    """A new block with the atoms of both."""
    block = block.take(np.arange(len(block)))
    for i in range(len(atoms)):
        block = block.append(atoms[i])
    return block


def block_from(state: State) -> Block:
    """The block that wrote ``state``."""
    if "owners" in state:
        inner = {name[3:]: array for name, array in state.items() if name.startswith("of.")}
        return OwnedBlock(block_from(inner), state["owners"])
    if "basis.index" in state:
        return BasisBlock(int(state["size"]), state["basis.index"], state["basis.scale"])
    if "dense.rows" in state:
        rows = state["dense.rows"]
        names = state["dense.names"].tolist() if "dense.names" in state else None
        return DenseBlock(rows.copy(), tuple(int(s) for s in state["shape"]), names)
    starts, places, entries = state["sparse.starts"], state["sparse.places"], state["sparse.entries"]
    atoms = [Sparse(places[a:b], entries[a:b]) for a, b in pairwise(starts.tolist())]
    return SparseBlock(int(state["size"]), atoms)
