"""Designs that store data: dense, sparse, behind an operator, the identity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from math import inf, prod, sqrt
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.kernels._core import add_columns, dot_columns, gram_columns, gram_rows
from greedyhull.kernels.core import user
from greedyhull.kernels.data_passes import product
from greedyhull.points.arrays import compressed, dense, is_sparse, masked, norm
from greedyhull.types import Array, Index, Shape, lacks

COLUMNS = ("column", "columns", "combine", "energies", "gram")


class Design(ABC):
    """To write: ``domain``, ``n``, ``dtype``, `matvec` and `adjoint`. Nothing else is known of the data then: neither rows nor
    columns nor ‖A‖_F are at hand. A design that knows more says so.

    One that writes all of ``column columns combine energies gram`` is taken to have columns.
    """

    domain: Shape
    n: int
    dtype: np.dtype[Any]
    stored: bool = False  # whether it has ``take_rows`` and ``extremes``
    has_columns: bool = False  # whether it has all of COLUMNS; others are asked for products with unit vectors
    takes_factors: bool = False  # whether it has ``bilinear`` and ``factored``
    frobenius: float | None = None  # ‖A‖_F
    core: tuple[Any, ...] | None = None  # what the compiled core reads: a matrix, or starts, places and entries of the rows
    if TYPE_CHECKING:
        take_rows: Callable[[Index], Any]  # of one that is stored
        extremes: Callable[[], tuple[Array, Array]]  # the least and the largest entry of every row
        column: Callable[[int], Array]  # of one with columns; those of a map on matrices are numbered as ``w.ravel()`` is
        columns: Callable[[Index, Array], Any]
        combine: Callable[[Index, Array], Array]
        energies: Callable[[Array | float], Array]  # Σᵢ weightsᵢ aᵢⱼ² for every column j
        gram: Callable[..., Array]  # gram(Z, Z2=None, weights=None) of images, as ``columns`` makes them
        bilinear: Callable[[Array, Array, Array], Array]  # A(U diag(c) Vᵀ), of one that takes factors
        factored: Callable[[Array, Array, Array], Array]  # ⟨Aᵀr, uₖvₖᵀ⟩ for every pair of columns

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "has_columns" not in vars(cls):
            cls.has_columns = cls.has_columns or all(name in dir(cls) for name in COLUMNS)

    @abstractmethod
    def matvec(self, w: Array) -> Array:
        """Aw."""

    @abstractmethod
    def adjoint(self, r: Array) -> Array:
        """Aᵀr: an array in the shape of ``domain``, or a sparse matrix or an operator of that shape."""

    def rows(self, index: Index) -> Design:
        """Some of the rows as a design."""
        return SomeRows(self, index)

    def precise(self) -> Design:
        """The same in float64; a design of float32 data writes its own."""
        return self


DesignBase = Design  # the name in greedyhull.extend


class SomeRows(Design):
    """Some rows of a design whose rows are not at hand."""

    def __init__(self, base: Design, index: Index) -> None:
        self.base, self.index = base, np.asarray(index)
        self.n, self.domain, self.dtype = len(self.index), base.domain, base.dtype

    def matvec(self, w: Array) -> Array:
        return np.asarray(self.base.matvec(w)[self.index])

    def adjoint(self, r: Array) -> Array:
        whole = np.zeros(self.base.n, dtype=r.dtype)
        np.add.at(whole, self.index, r)
        return self.base.adjoint(whole)

    def precise(self) -> Design:
        exact = self.base.precise()
        return self if exact is self.base else SomeRows(exact, self.index)


class DenseDesign(Design):
    """A = X, a 2-D array that is kept, not copied."""

    frobenius: float
    stored = True

    def __init__(self, X: Array) -> None:
        self.X = X
        n, d = X.shape
        self.n, self.domain, self.dtype = n, (d,), X.dtype
        self._transposed = X.T
        if n == 0 or d == 0:
            raise GreedyhullError(f"X has shape {X.shape}; at least one row and one column are wanted.")
        flat = X.ravel(order="K")
        found = sqrt(np.vdot(flat, flat))
        self.frobenius = found if 1e-15 < found < inf else norm(X)  # where squares overflow, or vanish

    def __repr__(self) -> str:
        return f"DenseDesign({self.n}x{self.domain[0]}, {self.dtype})"

    @property
    def core(self) -> tuple[Any, ...] | None:  # type: ignore[override]
        return (np.ascontiguousarray(self.X),) if type(self) is DenseDesign else None

    def matvec(self, w: Array) -> Array:
        return product(self.X, w.astype(self.dtype, copy=False))

    def adjoint(self, r: Array) -> Array:
        return product(self._transposed, r)

    def column(self, j: int) -> Array:
        return self.X[:, j]

    def columns(self, index: Index, scales: Array) -> Array:
        Z = self._transposed[index]  # rows of the transpose: contiguous copies, and a result in Fortran order
        Z *= scales.astype(self.dtype, copy=False)[:, None]
        return Z.T

    def combine(self, index: Index, c: Array) -> Array:
        if len(index) == 1:  # as the first point of most runs
            one: Array = self.X[:, index[0]] * self.dtype.type(c[0])
            return one
        if 4 * len(index) > self.domain[0]:  # a product with everything is faster than gathering so many columns
            w = np.zeros(self.domain[0], dtype=self.dtype)
            np.add.at(w, index, c.astype(self.dtype, copy=False))
            return self.matvec(w)
        return np.asarray(self.X[:, index].dot(c.astype(self.dtype, copy=False)))

    def rows(self, index: Index) -> DenseDesign:
        return DenseDesign(self.X[index])

    def take_rows(self, index: Index) -> Array:
        """Some rows as they are, for a minibatch."""
        return np.asarray(self.X[index])

    def gram(self, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        """Zᵀ diag(weights) Z2 for images Z, Z2 made by `columns`."""
        if weights is None:
            return product(Z.T, Z if Z2 is None else Z2)
        rows = weights.nonzero()[0]
        if 2 * len(rows) < len(weights):  # most rows do not count
            Z, Z2, weights = Z[rows], None if Z2 is None else Z2[rows], weights[rows]
        return product(Z.T, (Z if Z2 is None else Z2) * weights[:, None])

    def energies(self, weights: Array | float) -> Array:
        """Σᵢ weightsᵢ X²ᵢⱼ for every column j."""
        if np.ndim(weights) == 0:
            return np.asarray(np.einsum("ij,ij->j", self.X, self.X, dtype=np.float64) * weights)
        return np.asarray(np.einsum("i,ij,ij->j", weights, self.X, self.X))

    def extremes(self) -> tuple[Array, Array]:
        """The least and the largest entry of every row."""
        return self.X.min(axis=1), self.X.max(axis=1)

    def precise(self) -> DenseDesign | Chunked:
        return self if self.dtype == np.float64 else Chunked(self)


class Chunked(Design):
    """float32 data read in float64, a chunk of rows at a time: what a certificate is computed with."""

    rows_at_once = 4096

    def __init__(self, base: DenseDesign) -> None:
        self.base, self.n, self.domain, self.dtype = base, base.n, base.domain, np.dtype(np.float64)

    def _chunks(self) -> Any:
        for start in range(0, self.n, self.rows_at_once):
            yield slice(start, start + self.rows_at_once), self.base.X[start : start + self.rows_at_once].astype(np.float64)

    def matvec(self, w: Array) -> Array:
        return np.concatenate([X.dot(w) for _, X in self._chunks()])

    def adjoint(self, r: Array) -> Array:
        total = np.zeros(self.domain)
        for rows, X in self._chunks():
            total += X.T.dot(r[rows])
        return total

    def column(self, j: int) -> Array:
        return self.base.X[:, j].astype(np.float64)

    def columns(self, index: Index, scales: Array) -> Array:
        return np.multiply(self.base.X[:, index].astype(np.float64), scales, order="F")

    def combine(self, index: Index, c: Array) -> Array:
        return np.concatenate([X[:, index].dot(c) for _, X in self._chunks()])

    def rows(self, index: Index) -> DenseDesign:
        return self.base.rows(index)

    def gram(self, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
        return self.base.gram(Z, Z2, weights)

    def energies(self, weights: Array | float) -> Array:
        return self.base.energies(weights)

    def precise(self) -> Chunked:
        return self


class SparseDesign(Design):
    """A = X, a sparse matrix as `compressed` makes it; CSC is kept, CSR is kept and mirrored once in CSC."""

    frobenius: float
    stored = True

    def __init__(self, X: Any) -> None:
        from scipy.sparse import csc_array, csr_array

        self._by_row: Any = csr_array(X) if X.format == "csr" else None
        self.by_column = csc_array(X)
        if not self.by_column.has_canonical_format:
            self.by_column = self.by_column.copy() if X.format == "csc" else self.by_column
            self.by_column.sum_duplicates()
            self._by_row = None
        data = self.by_column.data
        self.frobenius = norm(data)
        n, d = X.shape
        self.n, self.domain, self.dtype = int(n), (int(d),), data.dtype
        self._transposed = self.by_column.T  # CSR of Xᵀ: its products gather, which is faster than scattering
        self.columns_of = unsigned(self.by_column)

    @cached_property
    def rows_of(self) -> tuple[Any, Any, Any]:
        """The arrays of the CSR form, each row's columns ascending."""
        if not self.by_row.has_sorted_indices:
            self._by_row = self.by_column.tocsr()
        return unsigned(self.by_row)

    @property
    def core(self) -> tuple[Any, ...] | None:  # type: ignore[override]
        return self.rows_of if type(self) is SparseDesign else None

    @property
    def by_row(self) -> Any:
        """The CSR form."""
        if self._by_row is None:
            self._by_row = self.by_column.tocsr()
        return self._by_row

    def __repr__(self) -> str:
        return f"SparseDesign({self.n}x{self.domain[0]}, {self.by_column.nnz} entries, {self.dtype})"

    def matvec(self, w: Array) -> Array:
        X = self.by_column if self._by_row is None else self._by_row
        return np.asarray(X @ w.astype(self.dtype, copy=False))

    def adjoint(self, r: Array) -> Array:
        return np.asarray(self._transposed @ r)

    def column(self, j: int) -> Array:
        z = np.zeros(self.n, dtype=self.dtype)
        starts, places, entries = self.columns_of
        a, b = int(starts[j]), int(starts[j + 1])
        z[places[a:b]] = entries[a:b]
        return z

    def columns(self, index: Index, scales: Array) -> SparseColumns:
        """The scaled columns, by reference."""
        return SparseColumns(self, index, scales.astype(self.dtype, copy=False))

    def combine(self, index: Index, c: Array) -> Array:
        z = np.zeros(self.n, dtype=self.dtype)
        add_columns(*self.columns_of, np.asarray(index, dtype=np.int64), np.ascontiguousarray(c, dtype=self.dtype), z)
        return z

    def take_rows(self, index: Index) -> Any:
        """Some rows as they are, for a minibatch."""
        return self.by_row[index]

    def rows(self, index: Index) -> SparseDesign:
        return SparseDesign(self.by_row[index])

    def gram(self, Z: SparseColumns | Array, Z2: SparseColumns | Array | None = None, weights: Array | None = None) -> Array:
        """Zᵀ diag(weights) Z2 for images Z, Z2 made by `columns` (or dense ones)."""
        if not isinstance(Z, SparseColumns) or not (Z2 is None or isinstance(Z2, SparseColumns)):
            return weighted_gram(Z, Z2, weights)
        both = Z if Z2 is None else Z.beside(Z2)
        weights = np.ones(self.n) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        different, which = both.numbered
        m = len(different)
        half = np.zeros((m, m))
        entries = int((self.columns_of[0][different + 1] - self.columns_of[0][different]).sum())
        if m * entries < self.by_column.nnz:  # few columns: meeting each other costs less than looking at every row
            gram_columns(*self.columns_of, weights, different, half)
        else:
            number = np.full(self.domain[0], -1, dtype=np.int64)
            number[different] = np.arange(m)
            gram_rows(*self.rows_of, weights, number, half)
        base = half + np.tril(half, -1).T
        m = Z.shape[1]
        across, scales = (which, Z.scales) if Z2 is None else (which[m:], Z2.scales)
        return np.asarray(base[which[:m, None], across] * (Z.scales[:, None] * scales))

    def energies(self, weights: Array | float) -> Array:
        """Σᵢ weightsᵢ X²ᵢⱼ for every column j."""
        square = self.by_column.copy()
        square.data = square.data.astype(np.float64) ** 2
        return np.asarray(square.T @ np.broadcast_to(np.asarray(weights, dtype=np.float64), self.n))

    def extremes(self) -> tuple[Array, Array]:
        """The least and the largest entry of every row, zeros included."""
        low, high = self.by_column.min(axis=1), self.by_column.max(axis=1)
        return np.asarray(low.toarray()).ravel(), np.asarray(high.toarray()).ravel()

    def precise(self) -> SparseDesign:
        return self if self.dtype == np.float64 else SparseDesign(self.by_column.astype(np.float64))


class ScaledColumns:
    """Some columns of a design, scaled: Z = A[:, index] diag(scales), which is not written out.

    It has what a matrix has: ``Z @ c``, ``Z.T @ r``, ``Z[:, which]``, ``Z.toarray()``. To write: `scores` and `toarray`.
    """

    if TYPE_CHECKING:
        scores: Callable[[Array], Array]  # Zᵀr
        toarray: Callable[[], Array]

    def __init__(self, design: Any, index: Index, scales: Array) -> None:
        self.design, self.index, self.scales = design, np.asarray(index), scales
        self.shape, self.dtype = (int(design.n), len(self.index)), design.dtype

    def __matmul__(self, c: Array) -> Array:
        return np.asarray(self.design.combine(self.index, self.scales * c))

    @property
    def T(self) -> Transposed:
        return Transposed(self)

    def __getitem__(self, which: tuple[slice, Index]) -> Self:
        return type(self)(self.design, self.index[which[1]], self.scales[which[1]])

    def beside(self, more: Self) -> Self:
        """These columns, then those of ``more``."""
        index, scales = np.concatenate([self.index, more.index]), np.concatenate([self.scales, more.scales])
        return type(self)(self.design, index, scales)

    def astype(self, dtype: Any, copy: bool = True) -> Array:
        """The columns written out."""
        return self.toarray().astype(dtype, copy=False)


class Transposed:
    """Zᵀ for columns Z that are not written out."""

    def __init__(self, Z: ScaledColumns) -> None:
        self.Z = Z

    def __matmul__(self, r: Array) -> Array:
        return self.Z.scores(r)


class SparseColumns(ScaledColumns):
    """Some columns of a sparse design, scaled; also ``Z.tocsc()``."""

    design: SparseDesign

    def scores(self, r: Array) -> Array:
        out = np.empty(len(self.index), dtype=np.float64)
        r = np.ascontiguousarray(r, dtype=self.design.dtype)
        dot_columns(*self.design.columns_of, np.asarray(self.index, dtype=np.int64), r, out)
        return out * self.scales

    @cached_property
    def numbered(self) -> tuple[Index, Index]:
        """The different columns of X among these, ascending, and for each of these its place there."""
        different, which = np.unique(self.index, return_inverse=True)
        return different, which

    def toarray(self) -> Array:
        return np.asarray(self.design.by_column[:, self.index].toarray() * self.scales)

    def tocsc(self) -> Any:
        """A copy as a matrix of SciPy."""
        X = self.design.by_column[:, self.index]
        X.data = X.data * np.repeat(self.scales, np.diff(X.indptr))
        return X


def unsigned(X: Any) -> tuple[Any, Any, Any]:
    """The arrays of a compressed matrix, its indices seen as unsigned."""
    kind = {4: np.uint32, 8: np.uint64}[X.indices.dtype.itemsize]
    return X.indptr.astype(np.int64, copy=False), X.indices.view(kind), X.data


def weighted_gram(Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
    """Zᵀ diag(weights) Z2 for images, written out; Z2 is Z where it is None."""
    right = dense(Z if Z2 is None else Z2)
    return np.asarray(dense(Z).T.dot(right if weights is None else right * weights[:, None]))


def in_place_of(A: Design, p: Array | float, y: Array | None = None) -> Index | None:
    """For every row the one to take for it, a row of weight zero being given up for the smallest that counts.

    None where all may stay: nothing has weight zero, or nothing that has is larger than all that counts, in A and in y.
    Without y all rows of weight zero are given up. The rows of an operator are not known, and stay.

    >>> in_place_of(DenseDesign(np.array([[3.0], [1e90], [-2.0]])), np.array([0.5, 0.0, 0.5]), np.ones(3))
    array([0, 2, 2])
    """
    if isinstance(p, float) or p.all() or not isinstance(A, (DenseDesign, SparseDesign)):
        return None
    low, high = A.extremes()
    size, here = np.maximum(np.abs(low), np.abs(high)), p > 0.0
    if y is not None and size.max() <= size[here].max() and np.abs(y).max() <= np.abs(y[here]).max():
        return None
    return np.where(here, np.arange(A.n), np.flatnonzero(here)[size[here].argmin()])


class Identity(Design):
    """A = I, in float64 whatever the data are."""

    def __init__(self, shape: Shape) -> None:
        self.domain, self.n, self.dtype = shape, prod(shape), np.dtype(np.float64)

    def __repr__(self) -> str:
        return f"Identity({self.domain})"

    def matvec(self, w: Array) -> Array:
        return np.array(w, dtype=np.float64).ravel()

    def adjoint(self, r: Array) -> Array:
        return np.array(r, dtype=np.float64).reshape(self.domain)


class OperatorDesign(Design):
    """A = X, anything with ``shape``, ``matvec`` and ``rmatvec``, such as SciPy's LinearOperator."""

    def __init__(self, X: Any) -> None:
        check(len(X.shape) == 2 and min(X.shape) > 0,
              f"The operator has shape {X.shape}; a map with at least one row and one column is wanted.")
        kind = np.dtype((None if lacks(X, "dtype") else X.dtype) or np.float64)
        check(kind.kind in "biuf", f"The operator has dtype {kind}; real numbers are wanted.")
        self.X = X
        n, d = X.shape
        self.n, self.domain, self.dtype = int(n), (int(d),), np.dtype(np.float64)
        self._check_adjoint()

    def _check_adjoint(self) -> None:
        """⟨Au, r⟩ = ⟨u, Aᵀr⟩ for one random pair: every lower bound rests on it."""
        rng = np.random.default_rng(0)
        u, r = rng.standard_normal(self.domain[0]), rng.standard_normal(self.n)
        Au, Ar = self.matvec(u), self.adjoint(r)
        check(Au.shape == (self.n,) and Ar.shape == self.domain,
              lambda: f"matvec returned {Au.shape} and rmatvec {Ar.shape}, of an operator of shape {self.X.shape}; vectors of "
                      f"{self.n} and of {self.domain[0]} entries are wanted.")
        one, other = float(Au.dot(r)), float(u.dot(Ar))
        size = float(np.abs(Au) @ np.abs(r) + np.abs(u) @ np.abs(Ar))
        check(not abs(one - other) > 1e-5 * size, lambda: f"rmatvec is not the adjoint of matvec: ⟨Au, r⟩ = {one:.10g} and "
              f"⟨u, Aᵀr⟩ = {other:.10g} for one pair. Every certificate rests on it; look at signs, scales and conjugates.")

    def __repr__(self) -> str:
        return f"OperatorDesign({self.n}x{self.domain[0]})"

    def matvec(self, w: Array) -> Array:
        return np.array(user(self.X.matvec, w), dtype=np.float64).ravel()  # its own: an operator may use its memory again

    def adjoint(self, r: Array) -> Array:
        return np.array(user(self.X.rmatvec, r), dtype=np.float64).ravel()


FLOATS = (np.dtype(np.float64), np.dtype(np.float32))  # compared as they are, which no conversion delays


def design(X: Any, name: str = "X") -> Design:
    """The design for X: a 2-D array (C or Fortran order), a SciPy sparse matrix, a linear operator, or a design.

    float32 stays float32; integers and booleans become float64; NaN, infinity, numbers whose squares overflow and sparse
    matrices whose index arrays are malformed are refused.
    """
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype in FLOATS:  # as most are
        return DenseDesign(X)
    known = None if type(X) is np.ndarray else _no_array(X, name)
    if known is not None:
        return known
    check(not masked(X), lambda: f"{name} has masked entries; numbers are wanted. Fill them first: {name}.filled(...).")
    wanted, single = "a matrix with one row for each sample", " Use X.reshape(-1, 1) for a single feature."
    if name == "Q":
        wanted, single = "a square matrix", ""
    try:
        array = np.asarray(X)
    except ValueError:
        raise GreedyhullError(f"{name} has rows of different lengths; {wanted} is wanted.") from None
    check(array.ndim > 0, lambda: f"{name} = {shown(X)} was given; {wanted} is wanted.")
    check(array.ndim == 2, lambda: f"{name} has shape {array.shape}; {wanted} is wanted." + single)
    check(array.dtype.kind in "biuf", lambda: f"{name} has dtype {array.dtype}; numbers are wanted. Encode the columns "
          "first.")
    if array.dtype not in FLOATS:
        array = array.astype(np.float64)
    return DenseDesign(array)


def _no_array(X: Any, name: str) -> Design | None:
    """The design for what is more than an array of numbers; None for lists and frames, which become arrays."""
    from greedyhull.objectives.designs.derived import inspected

    if type(X) is DenseDesign or type(X) is SparseDesign:  # it was checked when it was made
        return X
    if isinstance(X, Design):
        return X if type(X).__module__.startswith("greedyhull.") else inspected(X)
    if not lacks(X, "adjoint", "domain") and lacks(X, "rmatvec"):  # a user's design, of whatever class
        silent = lacks(X, "stored", "has_columns", "takes_factors", "frobenius")
        check(not silent, lambda: f"{type(X).__name__} does not say {', '.join(silent)}: whether its rows are stored, whether "
              "it has columns, whether it takes factors, and ‖A‖_F or None. Derive it from greedyhull.extend.DesignBase, "
              "which has defaults.")
        return inspected(X)
    if is_sparse(X):
        return sparse_design(compressed(X, name))
    return None if lacks(X, "matvec", "rmatvec") else OperatorDesign(X)


def sparse_design(entries: Any) -> Design:
    """The design for a sparse matrix that needs no check, as its entries come from a design."""
    # a sparse matrix with a larger share of entries takes less time, and hardly more memory, as a dense one
    if entries.nnz > 0.3 * entries.shape[0] * entries.shape[1]:
        return DenseDesign(entries.toarray(order="F"))
    return SparseDesign(entries)
