"""The shapes of atoms, singly and in blocks: unit vectors, sparse vectors, arrays, matrices of rank one."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from math import inf, prod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from greedyhull.errors import check
from greedyhull.points.arrays import column, columns, combine, flat, grown, value_key
from greedyhull.points.blocks import Block, count, dimensions, numbers, places, register_block
from greedyhull.points.gradients import as_array, entries_at, inner
from greedyhull.types import Array, Atom, Design, Gradient, Index, Shape, State, bilinear


class RowBlock(Block):
    """Atoms as rows of a few arrays with room for more; keys are computed when they are first needed."""

    __slots__ = ("_keys", "_room")
    rows: ClassVar[tuple[str, ...]]  # the names of the arrays
    _keys: list[Hashable] | None
    _room: tuple[Array, ...]
    if TYPE_CHECKING:
        def _made_keys(self) -> list[Hashable]: ...
        def _made(self, arrays: list[Array], keys: list[Hashable] | None) -> Block: ...  # a block of this kind

    def __len__(self) -> int:
        return len(getattr(self, self.rows[0]))

    @property
    def keys(self) -> list[Hashable]:
        if self._keys is None:
            self._keys = self._made_keys()
        return self._keys

    def _add_row(self, key: Hashable, *entries: Any) -> Block:
        m = len(self)
        self._room = tuple([grown(array, m) for array in self._room])
        for name, array, entry in zip(self.rows, self._room, entries, strict=True):
            array[m] = entry
            setattr(self, name, array[: m + 1])
        if self._keys is not None:
            self._keys.append(key)
        return self

    def extend(self, atoms: Block) -> Block:
        if not isinstance(atoms, RowBlock) or type(atoms) is not type(self):
            return super().extend(atoms)
        both = None if self._keys is None or atoms._keys is None else self._keys + atoms._keys
        return self._made([np.concatenate([getattr(self, name), getattr(atoms, name)]) for name in self.rows], both)

    def take(self, index: Index) -> Any:
        keys = None if self._keys is None else [self._keys[i] for i in np.arange(len(self))[index].tolist()]
        return self._made([getattr(self, name)[index] for name in self.rows], keys)

    def state(self) -> State:
        return {f"{self.kind}.{name}": getattr(self, name).copy() for name in self.rows}


@dataclass(frozen=True, slots=True, eq=False)
class Dense(Atom):
    """Atom with all its entries.

    Parameters
    ----------
    array : ndarray of float
        The entries, in the shape of the points.
    name : int, optional
        The number of the atom, where the set numbers its atoms. Atoms with the same name are taken to be the same.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.Dense(np.array([1.0, -1.0])).dot(np.array([2.0, 3.0]))
    -1.0
    """

    array: Array
    name: int | None = None

    @property
    def key(self) -> Hashable:
        return value_key(self.array) if self.name is None else self.name

    def dot(self, g: Gradient) -> float:
        return inner(g, self.array)

    def image(self, A: Design) -> Array:
        return A.matvec(self.array)

    def add_to(self, w: Array, c: float) -> None:
        w += c * self.array

    def block(self, size: int) -> Block:
        return DenseBlock(self.array.reshape(1, -1).copy(), self.array.shape, [self.key])


class DenseBlock(RowBlock):
    """Dense atoms as rows of one matrix; atoms of other shapes are written out."""

    __slots__ = ("matrix", "shape")
    kind, rows = "dense", ("matrix",)

    def __init__(self, rows: Array, shape: Shape, keys: list[Hashable] | None = None) -> None:
        self.matrix, self.shape, self._keys, self._room = rows, shape, keys, (rows,)

    def _made_keys(self) -> list[Hashable]:
        return [value_key(row) for row in self.matrix]

    def _made(self, arrays: list[Array], keys: list[Hashable] | None) -> DenseBlock:
        return DenseBlock(arrays[0], self.shape, keys)

    def __getitem__(self, i: int) -> Dense:
        key = self.keys[i]
        return Dense(self.matrix[i].reshape(self.shape), key if isinstance(key, int) else None)

    def dots(self, g: Gradient) -> Array:
        if type(g) is not np.ndarray:
            g = as_array(g)
        return np.asarray(self.matrix.dot(flat(g) if g.size == self.matrix.shape[1] else g))

    def combine(self, A: Design, c: Array) -> Array:
        return A.matvec(c.dot(self.matrix).reshape(self.shape))

    def add_to(self, w: Array, c: Array) -> None:
        w += c.dot(self.matrix).reshape(self.shape)

    def add_sizes_to(self, w: Array, c: Array) -> None:
        w += c.dot(np.abs(self.matrix)).reshape(self.shape)

    def append(self, atom: Atom) -> Block:
        return self._add_row(self.key_of(atom), dense(atom, self.shape).ravel())

    def key_of(self, atom: Atom) -> Hashable:
        return atom.key if isinstance(atom, Dense) else value_key(dense(atom, self.shape))

    def unnamed(self) -> DenseBlock:
        return DenseBlock(self.matrix, self.shape)

    def state(self) -> State:
        named = [i for i, key in enumerate(self.keys) if isinstance(key, int)]
        names: State = {"dense.names": np.array([self.keys[i] for i in named], dtype=np.int64)} if named else {}
        if 0 < len(named) < len(self):  # the others have keys of their values, such as a start at the origin
            names["dense.named"] = np.array(named)
        return {"dense.rows": self.matrix.copy(), "shape": np.array(self.shape), **names}


def dense(atom: Atom, shape: int | Shape) -> Array:
    """Return the atom as an array of a shape."""
    w = np.zeros(shape)
    atom.add_to(w, 1.0)
    return w


def widened(block: Block, atom: Atom) -> Block:
    """Return a dense block of the atoms of ``block`` and of ``atom``, which is of another shape."""
    shape = max(block.shape, atom.block(prod(block.shape)).shape, key=len)  # sparse atoms have that of a vector
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


@dataclass(frozen=True, slots=True)
class Basis(Atom):
    """Atom scale·e_index, a multiple of a unit vector.

    Parameters
    ----------
    index : int
        The place of the non-zero entry.
    scale : float
        The entry; 0 makes it the origin.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.Basis(1, -2.0).dot(np.array([1.0, 3.0, 5.0]))
    -6.0
    """

    index: int
    scale: float

    @property
    def key(self) -> Hashable:
        return (self.index, self.scale)

    def dot(self, g: Gradient) -> float:
        try:
            out: float = self.scale * g.item(self.index)
        except AttributeError:  # not an array; an isinstance test would cost more
            out = self.scale * float(entries_at(g, np.array([self.index]))[0])
        return out

    def image(self, A: Design) -> Array:
        return self.scale * column(A, self.index)

    def add_to(self, w: Array, c: float) -> None:
        flat(w)[self.index] += c * self.scale

    def block(self, size: int) -> Block:
        return BasisBlock(size, [self.index], [self.scale])


class BasisBlock(RowBlock):
    """Atoms scale·e_index as two arrays."""

    __slots__ = ("index", "scale", "shape", "size")
    kind, rows = "basis", ("index", "scale")

    def __init__(self, size: int, index: Any, scale: Any) -> None:
        self.size, self.shape, self._keys = size, (size,), None
        self.index, self.scale = np.asarray(index, dtype=np.intp), np.asarray(scale, dtype=np.float64)
        self._room = self.index, self.scale

    def _made_keys(self) -> list[Hashable]:
        return list(zip(self.index.tolist(), self.scale.tolist(), strict=True))

    def _made(self, arrays: list[Array], keys: list[Hashable] | None) -> BasisBlock:
        return BasisBlock(self.size, *arrays)

    def __len__(self) -> int:  # called in every step
        return len(self.index)

    def __getitem__(self, i: int) -> Basis:
        return Basis(int(self.index[i]), float(self.scale[i]))

    def dots(self, g: Gradient) -> Array:
        if type(g) is not np.ndarray:
            return entries_at(g, self.index) * self.scale
        if g.size == self.size:
            return flat(g)[self.index] * self.scale
        return g[self.index] * self.scale[:, None]

    def combine(self, A: Design, c: Array) -> Array:
        return combine(A, self.index, c * self.scale)

    def images(self, A: Design) -> Any:
        return columns(A, self.index, self.scale)

    def add_to(self, w: Array, c: Array) -> None:
        self._add(flat(w), c * self.scale)

    def add_sizes_to(self, w: Array, c: Array) -> None:
        self._add(flat(w), c * np.abs(self.scale))

    def _add(self, w: Array, entries: Array) -> None:
        """Add an entry for each atom to its coordinate."""
        if self.size <= 4096:  # coordinates, at most, that are added up sooner than looked up
            w += np.bincount(self.index, entries, self.size)
        else:
            np.add.at(w, self.index, entries)

    def append(self, atom: Atom) -> Block:
        if not isinstance(atom, Basis):
            return atom.block(self.size).take(np.arange(0)).extend(self).append(atom)
        return self._add_row(atom.key, atom.index, atom.scale)

    def take(self, index: Index) -> BasisBlock:
        return BasisBlock(self.size, self.index[index], self.scale[index])

    def state(self) -> State:
        return {**super().state(), "size": np.array(self.size)}


def _basis_restored(state: State) -> BasisBlock:
    size = count(state, "size")
    index = places(state, "basis.index", (None,), high=size - 1)
    return BasisBlock(size, index, numbers(state, "basis.scale", index.shape))


register_block(BasisBlock.kind, _basis_restored)


@dataclass(frozen=True, slots=True, eq=False)
class Sparse(Atom):
    """Atom with few non-zero entries.

    Parameters
    ----------
    places : ndarray of int
        The places of the entries, ascending; in C order for atoms of more than one dimension.
    entries : ndarray of float
        The entries.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.Sparse(np.array([0, 2]), np.array([1.0, -1.0])).dot(np.array([1.0, 3.0, 5.0]))
    -4.0
    """

    places: Index
    entries: Array

    @property
    def key(self) -> Hashable:
        if len(self.places) == 1:  # the same atom as a Basis
            return (int(self.places[0]), float(self.entries[0]))
        return (np.asarray(self.places, dtype=np.int64).tobytes(), value_key(self.entries))

    def dot(self, g: Gradient) -> float:
        return float(self.entries.dot(entries_at(g, self.places)))

    def image(self, A: Design) -> Array:
        return combine(A, self.places, self.entries)

    def add_to(self, w: Array, c: float) -> None:
        flat(w)[self.places] += c * self.entries

    def block(self, size: int) -> Block:
        return SparseBlock(size, [self])


class SparseBlock(Block):
    """Sparse atoms as a list, stacked to one sparse matrix for products."""

    __slots__ = ("_atoms", "_keys", "_matrix", "shape", "size")
    kind = "sparse"

    def __init__(self, size: int, atoms: list[Sparse], keys: list[Hashable] | None = None) -> None:
        self.size, self.shape, self._atoms = size, (size,), atoms
        self._keys: list[Hashable] = [a.key for a in atoms] if keys is None else keys
        self._matrix: Any = None

    @property
    def keys(self) -> list[Hashable]:
        return self._keys

    @property
    def matrix(self) -> Any:
        """The atoms as rows of a CSR matrix."""
        if self._matrix is None:
            from scipy.sparse import csr_array

            indptr = np.cumsum([0, *(len(a.places) for a in self._atoms)])
            places = np.concatenate([np.zeros(0, np.intp), *(a.places for a in self._atoms)])
            entries = np.concatenate([np.zeros(0), *(a.entries for a in self._atoms)])
            self._matrix = csr_array((entries, places, indptr), shape=(len(self._atoms), self.size))
        return self._matrix

    def __len__(self) -> int:
        return len(self._atoms)

    def __getitem__(self, i: int) -> Sparse:
        return self._atoms[i]

    def dots(self, g: Gradient) -> Array:
        if len(self._atoms) == 1 and (type(g) is not np.ndarray or g.size == self.size):  # a matrix of one row takes longer
            return np.array([self._atoms[0].dot(g)])
        if type(g) is not np.ndarray:
            few = self.matrix
            rows = np.repeat(np.arange(len(self)), np.diff(few.indptr))
            return np.bincount(rows, few.data * entries_at(g, few.indices), len(self))
        return np.asarray(self.matrix @ (flat(g) if g.size == self.size else g))

    def combine(self, A: Design, c: Array) -> Array:
        if len(self._atoms) == 1:
            return combine(A, self._atoms[0].places, c * self._atoms[0].entries)
        w = c @ self.matrix
        places = np.flatnonzero(w)
        return combine(A, places, w[places])

    def add_to(self, w: Array, c: Array) -> None:
        if len(self._atoms) == 1:
            self._atoms[0].add_to(w, float(c[0]))
            return
        flat(w)[:] += c @ self.matrix

    def add_sizes_to(self, w: Array, c: Array) -> None:
        flat(w)[:] += c @ abs(self.matrix)

    def append(self, atom: Atom) -> Block:
        if isinstance(atom, Basis):
            atom = Sparse(np.array([atom.index]), np.array([atom.scale]))
        if not isinstance(atom, Sparse):
            return atom.block(self.size).take(np.arange(0)).extend(self).append(atom)
        self._atoms.append(atom)
        self.keys.append(atom.key)
        self._matrix = None
        return self

    def take(self, index: Index) -> SparseBlock:
        return SparseBlock(self.size, [self._atoms[i] for i in index.tolist()], [self.keys[i] for i in index.tolist()])

    def state(self) -> State:
        rows = self.matrix
        return {"sparse.entries": rows.data, "sparse.places": rows.indices, "sparse.starts": rows.indptr,
                "size": np.array(self.size)}


def _sparse_restored(state: State) -> SparseBlock:
    size = count(state, "size")
    at, starts = places(state, "sparse.places", (None,), high=size - 1), places(state, "sparse.starts", (None,))
    entries = numbers(state, "sparse.entries", at.shape)
    rising = len(starts) > 0 and starts[0] == 0 and starts[-1] == len(at) and bool((starts[1:] >= starts[:-1]).all())
    check(rising, lambda: f"sparse.starts begins {starts[:4].tolist()}; numbers that rise from 0 to {len(at)} are wanted.")
    return SparseBlock(size, [Sparse(at[a:b], entries[a:b]) for a, b in pairwise(starts.tolist())])


register_block(SparseBlock.kind, _sparse_restored)


@dataclass(frozen=True, slots=True, eq=False)
class RankOne(Atom):
    """Atom of rank one, scale·u vᵀ.

    Parameters
    ----------
    u : ndarray of float of shape (m,)
        The left vector.
    v : ndarray of float of shape (n,)
        The right vector.
    scale : float, default 1.0
        The factor.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.RankOne(np.array([1.0, 0.0]), np.array([0.6, 0.8]), 2.0).dot(np.eye(2))
    1.2
    """

    u: Array
    v: Array
    scale: float = 1.0

    @property
    def key(self) -> Hashable:
        return rank_one_key(self.u, self.v, self.scale)

    def dot(self, g: Gradient) -> float:
        return float(self.block(0).dots(g)[0])

    def image(self, A: Design) -> Array:
        return self.block(0).combine(A, np.ones(1))

    def add_to(self, w: Array, c: float) -> None:
        w += (c * self.scale) * np.outer(self.u, self.v).reshape(w.shape)

    def block(self, size: int) -> RankOneBlock:
        return RankOneBlock(self.u[None], self.v[None], np.array([self.scale]))


class RankOneBlock(RowBlock):
    """Many atoms scaleₖ·uₖvₖᵀ: the rows of ``U`` and ``V`` are their vectors."""

    __slots__ = ("U", "V", "scales", "shape")
    kind, rows = "rank_one", ("U", "V", "scales")

    def __init__(self, U: Array, V: Array, scales: Array, keys: list[Hashable] | None = None) -> None:
        self.U, self.V, self.scales = self._room = tuple([np.asarray(part, dtype=np.float64) for part in (U, V, scales)])
        self.shape, self._keys = (int(U.shape[1]), int(V.shape[1])), keys

    def _made_keys(self) -> list[Hashable]:
        return [rank_one_key(u, v, scale) for u, v, scale in zip(self.U, self.V, self.scales, strict=True)]

    def _made(self, arrays: list[Array], keys: list[Hashable] | None) -> RankOneBlock:
        return RankOneBlock(arrays[0], arrays[1], arrays[2], keys)

    def __getitem__(self, i: int) -> RankOne:
        return RankOne(self.U[i], self.V[i], float(self.scales[i]))

    def dots(self, g: Gradient) -> Array:
        """scaleₖ uₖᵀ g vₖ, whatever g is."""
        matrix: Any = g.reshape(self.shape) if isinstance(g, np.ndarray) else g
        return np.asarray(self.scales * np.einsum("km,mk->k", self.U, np.asarray(matrix @ self.V.T), dtype=np.float64))

    def combine(self, A: Design, c: Array) -> Array:
        known = bilinear(A)
        return super().combine(A, c) if known is None else known.bilinear(self.U.T, self.V.T, c * self.scales)

    def images(self, A: Design) -> Any:
        return super().images(A) if len(self) else np.zeros((A.n, 0), dtype=A.dtype)

    def add_to(self, w: Array, c: Array) -> None:
        w += ((self.U.T * (c * self.scales)) @ self.V).reshape(w.shape)

    def add_sizes_to(self, w: Array, c: Array) -> None:
        w += ((np.abs(self.U).T * (c * np.abs(self.scales))) @ np.abs(self.V)).reshape(w.shape)

    def append(self, atom: Atom) -> Block:
        if not isinstance(atom, RankOne):
            return widened(self, atom)
        return self._add_row(atom.key, atom.u, atom.v, atom.scale)


def rank_one_key(u: Array, v: Array, scale: float) -> Hashable:
    """Return a digest of an atom's vectors, their signs fixed: (−u)(−v)ᵀ is the same atom."""
    first = int(np.argmax(v != 0.0))
    sign = -1.0 if v[first] < 0.0 else 1.0
    digest = blake2b((sign * u + 0.0).tobytes(), digest_size=16)
    digest.update((sign * v + 0.0).tobytes())
    digest.update(np.float64(scale + 0.0).tobytes())
    return digest.digest()


def _rank_one_restored(state: State) -> RankOneBlock:
    U = numbers(state, "rank_one.U", (None, None))
    V, scales = numbers(state, "rank_one.V", (len(U), None)), numbers(state, "rank_one.scales", (len(U),))
    return RankOneBlock(U.copy(), V.copy(), scales.copy())


register_block(RankOneBlock.kind, _rank_one_restored)
