"""The entries of a few columns, picked out of the rows of a shard once for all that is asked of these columns.

A point of few atoms has weight in few columns, and its Hessian is asked for on these and a few more. To look up which entries
are theirs is a pass over all of them, and there is one such pass in a trip; another one makes the gradient.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.kernels.shard_rows import add_rows, dot_rows
from greedyhull.kernels.sparse_columns import gram_rows
from greedyhull.points.shapes import BasisBlock
from greedyhull.types import Array, Block, Index

if TYPE_CHECKING:
    from greedyhull.objectives.sharded.rows import SparseRows

FEW = 8  # times as many columns as are picked, at least


class FewColumns:
    """Columns that have a weight or may get one, numbered in ascending order: few beside all of them."""

    def __init__(self, index: Index, d: int) -> None:
        self.index = index
        self.number: Index = np.full(d, -1, dtype=np.int32)
        self.number[index] = np.arange(len(index), dtype=np.int32)
        self.named = np.packbits(self.number >= 0, bitorder="little")


def few_columns(d: int, block: Block | None, *vectors: Array | None) -> FewColumns | None:
    """The coordinates of a block's atoms and of vectors; None where they are not few.

    >>> few_columns(50, BasisBlock(50, [7, 3], [1.0, -1.0]), np.eye(1, 50, 7)[0]).index
    array([3, 7])
    """
    places = [vector.nonzero()[0] for vector in vectors if vector is not None]
    if isinstance(block, BasisBlock):
        places.append(block.index)
    index = np.unique(np.concatenate(places)) if places else np.zeros(0, dtype=np.intp)
    return FewColumns(index, d) if FEW * len(index) <= d else None


class PickedRows:
    """The entries of a few columns, picked out of sparse rows: points, and blocks of coordinates, with weight there alone."""

    def __init__(self, rows: SparseRows, columns: FewColumns, arrays: tuple[Any, Any, Any], ascending: bool) -> None:
        self.rows, self.columns, self.arrays, self.n = rows, columns, arrays, rows.n
        self._ascending = ascending  # within each row, so that no column stands twice in it

    def matvec(self, w: Array) -> Array:
        z = np.empty(self.n)
        dot_rows(*self.arrays, w[self.columns.index], z)
        return z

    def some(self, rows: Index, c: Array) -> tuple[PickedRows | SparseRows, Array]:
        """All rows, of which the others have no weight: such rows cost nothing."""
        if not self._ascending:
            return self.rows.some(rows, c)
        kept = np.zeros(self.n)
        kept[rows] = c[rows]
        return self, kept

    def gram_of(self, block: Block, c: Array) -> Array:
        """Zᵀ diag(c) Z for the images Z of atoms; of coordinates, in one pass over the entries that were picked."""
        if not isinstance(block, BasisBlock) or not self._ascending:
            return self.rows.gram_of_images(block, c)
        different, which = np.unique(self.columns.number[block.index], return_inverse=True)
        number, half = np.full(len(self.columns.index), -1), np.zeros((len(different), len(different)))
        number[different] = np.arange(len(different))
        gram_rows(*self.arrays, np.ascontiguousarray(c, dtype=np.float64), number, half)
        scale = np.asarray(block.scale, dtype=np.float64)
        return np.asarray((half + np.tril(half, -1).T)[np.ix_(which, which)] * (scale[:, None] * scale))

    def dots_of(self, block: Block, c: Array) -> Array:
        """Zᵀc for the images Z of atoms."""
        if not isinstance(block, BasisBlock):
            return self.rows.dots_of(block, c)
        g = np.zeros(len(self.columns.index))
        add_rows(*self.arrays, np.ascontiguousarray(c, dtype=np.float64), g)
        return np.asarray(g[self.columns.number[block.index]] * block.scale)
