"""Atoms with few entries: their places and what stands there."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from greedyhull.errors import check
from greedyhull.points.arrays import flat, value_key
from greedyhull.points.blocks import BlockBase, register_block
from greedyhull.points.columns import combine
from greedyhull.points.gradients import entries_at
from greedyhull.points.shapes.basis import Basis
from greedyhull.points.states import count, numbers, places
from greedyhull.types import Array, Atom, Block, Design, Gradient, Index, State
from greedyhull.types.override import KeepsAtom, override


@dataclass(frozen=True, slots=True, eq=False)
class Sparse(KeepsAtom):
    """Atom with few non-zero entries.

    Parameters
    ----------
    places : ndarray of int
        The places of the entries, ascending; in C order for atoms of more than one dimension.
    entries : ndarray of float
        The entries.

    See Also
    --------
    Basis : An atom with one entry.
    Dense : An atom with all its entries.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.Sparse(np.array([0, 2]), np.array([1.0, -1.0])).dot(np.array([1.0, 3.0, 5.0]))
    -4.0
    """

    places: Index
    entries: Array

    @property
    @override
    def key(self) -> Hashable:
        if len(self.places) == 1:  # the same atom as a Basis
            return (int(self.places[0]), float(self.entries[0]))
        return (np.asarray(self.places, dtype=np.int64).tobytes(), value_key(self.entries))

    @override
    def dot(self, g: Gradient) -> float:
        return float(self.entries.dot(entries_at(g, self.places)))

    @override
    def image(self, A: Design) -> Array:
        return combine(A, self.places, self.entries)

    @override
    def add_to(self, w: Array, c: float) -> None:
        flat(w)[self.places] += c * self.entries

    @override
    def block(self, size: int) -> Block:
        return SparseBlock(size, [self])


class SparseBlock(BlockBase):
    """Sparse atoms, kept as a list and stacked to one sparse matrix when a product is asked for."""

    __slots__ = ("_atoms", "_keys", "_matrix", "shape", "size")
    kind = "sparse"

    def __init__(self, size: int, atoms: list[Sparse], keys: list[Hashable] | None = None) -> None:
        self.size, self.shape, self._atoms = size, (size,), atoms
        self._keys: list[Hashable] = [a.key for a in atoms] if keys is None else keys
        self._matrix: Any = None

    @property
    @override
    def keys(self) -> list[Hashable]:
        return self._keys

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

    @override
    def __len__(self) -> int:
        return len(self._atoms)

    @override
    def __getitem__(self, i: int) -> Sparse:
        return self._atoms[i]

    @override
    def dots(self, g: Gradient) -> Array:
        if len(self._atoms) == 1:  # a matrix of one row takes longer to make
            return np.array([self._atoms[0].dot(g)])
        if type(g) is not np.ndarray:
            few = self.matrix
            rows = np.repeat(np.arange(len(self)), np.diff(few.indptr))
            return np.bincount(rows, few.data * entries_at(g, few.indices), len(self))
        return np.asarray(self.matrix @ (flat(g) if g.size == self.size else g))

    @override
    def combine(self, A: Design, c: Array) -> Array:
        if len(self._atoms) == 1:
            return combine(A, self._atoms[0].places, c * self._atoms[0].entries)
        w = c @ self.matrix
        places = np.flatnonzero(w)
        return combine(A, places, w[places])

    @override
    def add_to(self, w: Array, c: Array) -> None:
        if len(self._atoms) == 1:
            self._atoms[0].add_to(w, float(c[0]))
            return
        flat(w)[:] += c @ self.matrix

    @override
    def add_sizes_to(self, w: Array, c: Array) -> None:
        flat(w)[:] += c @ abs(self.matrix)

    @override
    def append(self, atom: Atom) -> Block:
        if isinstance(atom, Basis):
            atom = Sparse(np.array([atom.index]), np.array([atom.scale]))
        if not isinstance(atom, Sparse):
            return atom.block(self.size).take(np.arange(0)).extend(self).append(atom)
        self._atoms.append(atom)
        self.keys.append(atom.key)
        self._matrix = None
        return self

    @override
    def take(self, index: Index) -> SparseBlock:
        return SparseBlock(self.size, [self._atoms[i] for i in index.tolist()], [self.keys[i] for i in index.tolist()])

    @override
    def state(self) -> State:
        rows = self.matrix
        return {"sparse.entries": rows.data, "sparse.places": rows.indices, "sparse.starts": rows.indptr,
                "size": np.array(self.size)}


def _restored(state: State) -> SparseBlock:
    size = count(state, "size")
    at, starts = places(state, "sparse.places", (None,), high=size - 1), places(state, "sparse.starts", (None,))
    entries = numbers(state, "sparse.entries", at.shape)
    rising = len(starts) > 0 and starts[0] == 0 and starts[-1] == len(at) and bool((starts[1:] >= starts[:-1]).all())
    check(rising, lambda: f"sparse.starts begins {starts[:4].tolist()}; numbers that rise from 0 to {len(at)} are wanted.")
    return SparseBlock(size, [Sparse(at[a:b], entries[a:b]) for a, b in pairwise(starts.tolist())])


register_block(SparseBlock.kind, _restored)
