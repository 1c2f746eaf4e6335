"""The rows of a shard as a design, a few of its columns, and a loss on one shard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from greedyhull.kernels._core import add_rows, dense_column_facts, dot_rows, gram_rows, pick_rows, sparse_column_facts
from greedyhull.objectives.designs.stored import DenseDesign, Design
from greedyhull.objectives.losses.base import Separable
from greedyhull.objectives.losses.piecewise import PiecewiseLinear
from greedyhull.points.arrays import is_sparse
from greedyhull.points.shapes import BasisBlock
from greedyhull.remote.worker import added
from greedyhull.types import Array, Block, Index, Shard, Shards, Sums


class FewColumns:
    """Columns that have a weight or may get one, numbered in ascending order: few of all columns."""

    def __init__(self, index: Index, d: int) -> None:
        self.index = index
        self.number: Index = np.full(d, -1, dtype=np.int32)
        self.number[index] = np.arange(len(index), dtype=np.int32)
        self.named = np.packbits(self.number >= 0, bitorder="little")


def few_columns(d: int, block: Block | None, *vectors: Array | None) -> FewColumns | None:
    """Return the coordinates of a block's atoms and of vectors; None where they are not few.

    >>> few_columns(50, BasisBlock(50, [7, 3], [1.0, -1.0]), np.eye(1, 50, 7)[0]).index
    array([3, 7])
    """
    places = [vector.nonzero()[0] for vector in vectors if vector is not None]
    if isinstance(block, BasisBlock):
        places.append(block.index)
    index = np.unique(np.concatenate(places)) if places else np.zeros(0, dtype=np.intp)
    return FewColumns(index, d) if 8 * len(index) <= d else None  # times as many columns as are picked, at least


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
        """Return all rows, where the others get no weight: such rows cost nothing."""
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


FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
UNSIGNED = {4: np.uint32, 8: np.uint64}  # as kernels see indices of so many bytes
IN_CACHE = 1 << 18  # entries of dense rows that are worked on at once
STORED = 1 << 20  # the same of sparse rows: between them, what is known of every column leaves the cache


class Odd(NamedTuple):
    """An entry that is not finite."""

    row: int
    column: int
    entry: float


class DenseRows(DenseDesign):
    """Dense rows, perhaps none; ‖X‖_F is not computed again."""

    def __init__(self, X: Array) -> None:
        X = np.asarray(X)  # of a file that is mapped: the same memory without the costs of a `memmap` for every slice
        self.X, self._transposed = X, X.T
        self.n, self.domain, self.dtype = int(X.shape[0]), (int(X.shape[1]),), X.dtype
        self.frobenius = np.inf

    def gram_of(self, block: Block, c: Array) -> Array:
        """Zᵀ diag(c) Z for the images Z of atoms, as WᵀW with W = √c Z, of which BLAS computes one half."""
        root = np.sqrt(c).astype(self.dtype, copy=False)[:, None]
        if not isinstance(block, BasisBlock):
            W = np.ascontiguousarray(block.images(self)) * root
            return np.asarray(W.T.dot(W), dtype=np.float64)
        index, scale = block.index, np.asarray(block.scale, dtype=np.float64)
        if 2 * len(block) >= self.domain[0]:  # all columns: cheaper than to gather so many
            W = self.X * root
            square = W.T.dot(W)[np.ix_(index, index)]
        else:
            W = self.X.take(index, axis=1)
            W *= root
            square = W.T.dot(W)
        return np.asarray(square * (scale[:, None] * scale), dtype=np.float64)

    def dots_of(self, block: Block, c: Array) -> Array:
        return np.asarray(block.dots(self.adjoint(c.astype(self.dtype, copy=False))), dtype=np.float64)

    def some(self, rows: Index, c: Array) -> tuple[DenseRows, Array]:
        """Some of the rows, and some of what belongs to them."""
        return DenseRows(self.X[rows]), c[rows]

    def near(self, columns: FewColumns | None) -> DenseRows:
        """Return itself: rows in a cache are multiplied faster than columns are picked."""
        return self

    def add_adjoint(self, r: Array, g: Array) -> None:
        """g ← g + Aᵀr."""
        g += self.adjoint(r)

    def measure(self, weights: Array, measures: Array) -> Odd | None:
        """Add these rows to measures of the columns; return the first entry that is not finite, if any."""
        X = np.ascontiguousarray(self.X)
        row = dense_column_facts(X, weights, *measures)
        if row < 0:
            return None
        column = int(np.isfinite(X[row]).argmin())
        return Odd(row, column, float(X[row, column]))

    def precise(self) -> DenseRows:
        return self if self.dtype == np.float64 else DenseRows(self.X.astype(np.float64))


class SparseRows(Design):
    """Rows in CSR form, or those from ``first`` to ``last`` of them. A copy by columns would take as much memory again.

    Products are made in float64, whatever the entries are.
    """

    def __init__(self, X: Any, first: int = 0, last: int | None = None) -> None:
        self._whole, self._first, self._last = X, first, int(X.shape[0]) if last is None else last
        self.n, self.domain, self.dtype = self._last - first, (int(X.shape[1]),), X.dtype

    @cached_property
    def X(self) -> Any:
        """These rows as a matrix of SciPy."""
        return self._whole if self.n == self._whole.shape[0] else self._whole[self._first : self._last]

    @cached_property
    def arrays(self) -> tuple[Any, Any, Any]:
        """The arrays of the rows as kernels take them."""
        X = self._whole
        starts = X.indptr[self._first : self._last + 1].astype(np.int64, copy=False)
        return starts, X.indices.view(UNSIGNED[X.indices.dtype.itemsize]), X.data

    def between(self, first: int, last: int) -> SparseRows:
        """Some neighbouring rows; nothing is copied."""
        return SparseRows(self._whole, self._first + first, self._first + last)

    def some(self, rows: Index, c: Array) -> tuple[SparseRows, Array]:
        return SparseRows(self.X[rows]), c[rows]

    def near(self, columns: FewColumns | None) -> SparseRows | PickedRows:
        """Return the rows restricted to a few columns, which are picked once."""
        return self if columns is None else self._picked(columns)

    def _picked(self, columns: FewColumns) -> PickedRows:
        starts, places, entries = self.arrays
        room = int(starts[-1] - starts[0])
        heads, which, values = np.empty(self.n + 1, np.int64), np.empty(room + 1, np.uint32), np.empty(room + 1)
        count = pick_rows(starts, places, entries, columns.named, columns.number, heads, which, values)
        found = count if count >= 0 else -1 - count
        return PickedRows(self, columns, (heads, which[:found], values[:found]), count >= 0)

    def matvec(self, w: Array) -> Array:
        z = np.empty(self.n)
        dot_rows(*self.arrays, np.ascontiguousarray(w, dtype=np.float64), z)
        return z

    def adjoint(self, r: Array) -> Array:
        g = np.zeros(self.domain)
        self.add_adjoint(r, g)
        return g

    def add_adjoint(self, r: Array, g: Array) -> None:
        add_rows(*self.arrays, np.ascontiguousarray(r, dtype=np.float64), g)

    def measure(self, weights: Array, measures: Array) -> Odd | None:
        starts, places, entries = self.arrays
        at = sparse_column_facts(starts, places, entries, weights, measures.T)
        return None if at < 0 else Odd(int(np.searchsorted(starts, at, side="right")) - 1, int(places[at]), float(entries[at]))

    def gram_of(self, block: Block, c: Array) -> Array:
        """Zᵀ diag(c) Z for the images Z of atoms; the columns of coordinates are picked first."""
        if isinstance(block, BasisBlock):
            return self._picked(FewColumns(np.unique(block.index), self.domain[0])).gram_of(block, c)
        return self.gram_of_images(block, c)

    def gram_of_images(self, block: Block, c: Array) -> Array:
        """The same for any atoms, and for columns in any order."""
        Z = self.X[:, block.index].toarray() * block.scale if isinstance(block, BasisBlock) else block.images(self)
        return np.asarray(Z.T.dot(Z * c[:, None]), dtype=np.float64)

    def dots_of(self, block: Block, c: Array) -> Array:
        return np.asarray(block.dots(self.adjoint(c)), dtype=np.float64)

    def precise(self) -> SparseRows:
        return self


def rows_of(X: Any) -> Any:
    """The design of a shard's rows as they are; ``.precise()`` of it multiplies in float64."""
    if is_sparse(X):
        X = _tidy(X if X.format == "csr" else X.tocsr())
        return SparseRows(X if X.dtype in FLOATS else X.astype(np.float64))
    return DenseRows(X if X.dtype in FLOATS else np.asarray(X, dtype=np.float64))


def _tidy(X: Any) -> Any:
    """Return X with contiguous arrays that end with its rows, as kernels and SciPy need."""
    kept, parts = int(X.indptr[-1]), (X.data, X.indices)
    if all(len(part) == kept and part.flags.c_contiguous for part in parts):
        return X
    return type(X)((*(np.ascontiguousarray(part[:kept]) for part in parts), X.indptr), shape=X.shape)


def rows_at_once(X: Any) -> int:
    """Return how many rows fit into caches."""
    n, d = X.shape
    return max(STORED * int(n) // max(int(X.nnz), 1) if is_sparse(X) else IN_CACHE // max(int(d), 1), 1)


def pieces_of(X: Any) -> Iterator[tuple[slice, DenseRows | SparseRows]]:
    """The rows of a shard, as many at a time as caches hold, and which these are."""
    if is_sparse(X):
        whole = rows_of(X)
        yield from ((here, whole.between(here.start, here.stop)) for here in _cut(whole.X))
    else:
        X = np.asarray(X)  # rows that are neither float64 nor float32 are converted a piece at a time
        yield from ((here, rows_of(X[here])) for here in _cut(X))


def blank_measures(X: Any) -> Array:
    """Three rows of zeros, for max |xᵢⱼ|, Σxᵢⱼ² and Σ sᵢxᵢⱼ of every column j; those of a sparse column lie side by side."""
    d = int(X.shape[1])
    return np.zeros((d, 3)).T if is_sparse(X) else np.zeros((3, d))


def _cut(X: Any) -> Iterator[slice]:
    n, step = int(X.shape[0]), rows_at_once(X)
    return (slice(first, min(first + step, n)) for first in range(0, n, step))


@dataclass(frozen=True)
class Kind:
    """Which loss: its class, its numbers, and whether targets are labels, or counts."""

    loss: type[Separable]
    name: str
    numbers: tuple[float, ...] = ()
    targets: str = "numbers"  # "labels": −1 and +1, or 0 and 1; "counts": at least 0
    mu: float = 0.0  # by how much kinks are smoothed

    def on(self, y: Array, p: Array | float) -> Separable:
        loss = self.loss(y, p, *self.numbers)  # each loss knows which numbers it takes
        return cast(PiecewiseLinear, loss).smoothed(self.mu) if self.mu else loss  # only losses with kinks are smoothed


@dataclass(frozen=True)
class Part:
    """How a shard becomes (A, φ): φ has the weights sᵢ/Σs, with the sum over *all* shards."""

    shards: Shards = field(repr=False)
    token: str
    kind: Kind
    total: float  # Σs
    zero_one: bool = False  # labels are 0 and 1

    def on(self, shard: Shard) -> tuple[Any, Separable]:
        """The design of a shard's rows as they are, and its loss in float64."""
        y, s = self._terms(shard)
        return rows_of(shard.X), self._loss(y, s)

    def chunks(self, shard: Shard) -> Iterator[tuple[DenseRows | SparseRows, Separable]]:
        """`on` of as many rows at a time as caches hold."""
        y, s = self._terms(shard)
        for here, rows in pieces_of(shard.X):
            yield rows, self._loss(y[here], None if s is None else s[here])

    def _terms(self, shard: Shard) -> tuple[Array, Array | None]:
        y, s = np.asarray(shard.y, dtype=np.float64), shard.sample_weight
        return 2.0 * y - 1.0 if self.zero_one else y, None if s is None else np.asarray(s, dtype=np.float64)

    def _loss(self, y: Array, s: Array | None) -> Separable:
        return self.kind.on(y, 1.0 / self.total if s is None else s / self.total)


class Squeezed(NamedTuple):
    """A vector that is mostly zeros, as it is sent: a point of few atoms takes 16 bytes for each of them."""

    size: int
    places: Index
    entries: Array


def squeezed(value: Any) -> Any:
    """Compress a vector that is mostly zeros, −0.0 included; return everything else unchanged.

    >>> squeezed(np.eye(1, 100, 3)[0])
    Squeezed(size=100, places=array([3]), entries=array([1.]))
    """
    # entries of a vector that is sent as it is
    if type(value) is not np.ndarray or value.ndim != 1 or value.dtype != np.float64 or value.size <= 64:
        return value
    index = np.ascontiguousarray(value).view(np.int64).nonzero()[0]
    return Squeezed(value.size, index, value[index]) if 4 * len(index) < value.size else value


def spread(value: Any) -> Any:
    if not isinstance(value, Squeezed):
        return value
    whole = np.zeros(value.size)
    whole[value.places] = value.entries
    return whole


@dataclass(frozen=True, eq=False)
class RowTask:
    """A pure function of a shard; subclasses are dataclasses that hold its numbers, and write ``some`` or ``__call__``."""

    part: Part
    together: bool = field(default=False, kw_only=True)
    paired: bool = field(default=False, kw_only=True)

    @property
    def shards(self) -> Shards:
        return self.part.shards

    @property
    def token(self) -> str:
        return self.part.token

    def wants(self, k: int) -> bool:
        return True

    def __call__(self, shard: Shard, k: int) -> Sums:
        """Return the sums of a shard, as many rows at a time as caches hold."""
        with np.errstate(all="ignore"):
            return added(self.some(rows, loss) for rows, loss in self.part.chunks(shard))

    def some(self, rows: DenseRows | SparseRows, loss: Separable) -> Sums:
        """Return the sums of some of the rows."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        return {name: squeezed(value) for name, value in vars(self).items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, spread(value))  # it is frozen
