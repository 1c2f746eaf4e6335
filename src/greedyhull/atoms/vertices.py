"""The hull of given points."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import HUGE, numbers
from greedyhull.atoms.base import NEAR, AtomSet, Budget, Sizes
from greedyhull.atoms.geometry import CHUNK, Form, nearest_point, products
from greedyhull.atoms.neighbours import lowest
from greedyhull.errors import check
from greedyhull.kernels.simplex_qp import solve_simplex_qp
from greedyhull.points.aligned import coordinates
from greedyhull.points.arrays import compressed, is_sparse, locked, value_key
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Dense, DenseBlock, Sparse, SparseBlock
from greedyhull.theory import Constant, Status
from greedyhull.types import Array, Block, Design, Index

BUDGET = 1e10  # multiplications that a diameter may cost
TILE, WIDE = 512, 8  # points that are compared together, with so many times as many


def farthest(squares: Array, cross: Callable[[Index, Index], Array], radii: Array, cost: float) -> tuple[float, Status]:
    """Return max over i, j of squaresᵢ + squaresⱼ − 2 cross(i, j), or an upper bound if that costs too much.

    ``cross(I, J)`` are products of points at a ``cost`` each; ``radii`` bound the points' distances from one common point.
    """
    order = np.argsort(-radii, kind="stable")
    outward, best, spent = np.append(radii[order], 0.0), 0.0, 0.0
    for start in range(0, len(order), TILE):
        stop = int(np.searchsorted(-outward[:-1], outward[start] - np.sqrt(best), side="right"))
        I, after = order[start : start + TILE], min(start + TILE, len(order) - 1)
        for column in range(start, stop, WIDE * TILE):
            end = min(column + WIDE * TILE, stop)
            J = order[column:end]
            best = max(best, float((squares[I][:, None] + squares[J] - 2.0 * cross(I, J)).max()))
            spent += cost * len(I) * len(J)
            if spent > BUDGET:
                left = max(outward[start] + outward[end], outward[after] + outward[after + 1])
                return max(best, float(left) ** 2), "exact" if left**2 <= best else "upper bound"
        if stop <= start:
            break
    return best, "exact"


def farthest_points(left: Array, right: Array) -> tuple[float, Status]:
    """The squared diameter of points whose products are left[i]·right[j], from the rows of two matrices."""
    squares = np.einsum("ij,ij->i", left, right)
    middle = left @ right.mean(axis=0), float(left.mean(axis=0) @ right.mean(axis=0))
    return farthest(squares, lambda I, J: left[I] @ right[J].T, _radii(squares, *middle), left.shape[1])


def farthest_coordinates(form: Form) -> tuple[float, Status]:
    """max over i, j of H_ii + H_jj − 2H_ij for a quadratic form H."""
    squares, ones = form.diagonal(), np.full(form.d, 1.0 / form.d)
    H = form.matrix()
    if H is not None:
        return max(float((squares[:, None] + squares - 2.0 * H).max()), 0.0), "exact"
    Hc = form.apply(ones)
    return farthest(squares, form.entries, _radii(squares, Hc, float(ones @ Hc)), form.cost)


def _radii(squares: Array, products: Array, middle: float) -> Array:
    """‖sᵢ − c‖ from ‖sᵢ‖², ⟨sᵢ, c⟩ and ‖c‖², with room for rounding."""
    room = 1e-12 * (float(squares.max()) + middle)
    return np.sqrt(np.maximum(squares - 2.0 * products + middle, 0.0) + room)


def circumradius(points: Array) -> Constant:
    """r_S for the rows of ``points``: max over weights α of Σ αᵢ‖vᵢ‖² − ‖Σ αᵢvᵢ‖² is r_S², and c = Σ αᵢvᵢ is the centre.

    Any α gives r_S² from below and max ‖vᵢ − c‖² from above; the result is the latter, "exact" if they agree. Weights are
    found for a few points, and those that stick out of their ball join them.
    """
    X = points - points.mean(axis=0)
    size = float(np.abs(X).max())
    if size == 0.0:
        return Constant(0.0, "exact", "r_S")
    X /= size
    centre, below, above = X.mean(axis=0), 0.0, np.inf
    chosen, enough = np.zeros(0, dtype=np.intp), 1e-9  # the relative error up to which a radius counts as exact
    for _ in range(200):
        outward = ((X - centre) ** 2).sum(axis=1)
        above = min(above, float(outward.max()))
        joining = np.setdiff1d(lowest(-outward, 16), chosen)
        if above <= below * (1.0 + enough) or not len(joining):
            break
        chosen = np.append(chosen, joining)
        few = X[chosen] - X[chosen].mean(axis=0)
        squares, even = (few**2).sum(axis=1), np.full(len(few), 1.0 / len(few))  # Σ αᵢvᵢ = 0 there
        alpha = solve_simplex_qp(2.0 * few @ few.T, -squares, even, 0.01 * enough * float(squares.max()))
        chosen, alpha = chosen[alpha > 0], alpha[alpha > 0]
        centre = alpha @ X[chosen]
        below = max(below, float(alpha @ (X[chosen] ** 2).sum(axis=1) - centre @ centre))
    return Constant(size * above**0.5, "exact" if above <= below * (1.0 + enough) else "upper bound", "r_S")


class Vertices(AtomSet):
    """Convex hull of given points, the rows of a matrix.

    Atom j is row j; ``solution.point.weights`` are the weights of the rows in use.

    Parameters
    ----------
    matrix : array_like or sparse matrix of shape (m, d)
        One atom in each row. A float64 array is kept and not copied: do not change it while the set is in use.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.Vertices([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    >>> S.argmin(np.array([1.0, -3.0]))
    Dense(array=array([0., 2.]), name=2)
    """

    def __init__(self, matrix: Any) -> None:
        coordinates(self, matrix=matrix)
        self.dense_atoms = not is_sparse(matrix)
        self.matrix: Any
        if self.dense_atoms:
            plain = isinstance(matrix, np.ndarray) and matrix.dtype == np.float64 and not isinstance(matrix, np.ma.MaskedArray)
            array = matrix if plain else numbers(matrix, "matrix")
            check(array.ndim == 2, f"matrix has shape {array.shape}; a matrix with one atom in each row is wanted. Use "
                                   "matrix.reshape(1, -1) for a single atom.")
            self.matrix = locked(array.view(np.ndarray))
        else:
            from scipy.sparse import csr_array

            self.matrix = csr_array(compressed(matrix, "matrix"), dtype=np.float64, copy=True)
            self.matrix.sum_duplicates()
            self.matrix.eliminate_zeros()
        entries = self.matrix if self.dense_atoms else self.matrix.data
        check(not entries.size or bool(np.abs(entries).max() <= HUGE),  # false for NaN too
              f"matrix holds NaN, infinite values or entries above {HUGE:g}; finite numbers whose squares are finite are "
              "wanted.")
        m, d = self.matrix.shape
        check(m > 0 and d > 0, f"matrix has shape {(m, d)}; at least one row, an atom, and one column are wanted.")
        self.shape = (int(d),)

    def __repr__(self) -> str:
        return f"Vertices({len(self)} atoms in {self.shape[0]} dimensions{'' if self.dense_atoms else ', sparse'})"

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def __getitem__(self, j: int) -> Dense | Sparse:
        j = range(len(self))[j]
        if self.dense_atoms:
            return Dense(self.matrix[j], j)
        a, b = self.matrix.indptr[j : j + 2]
        return Sparse(self.matrix.indices[a:b].astype(np.intp), self.matrix.data[a:b])

    def scores(self, g: Array) -> Array:
        return np.asarray(self.matrix @ g)

    def block(self, j: Any) -> Block:
        if self.dense_atoms:
            return DenseBlock(self.matrix[j], self.shape, j.tolist())
        return SparseBlock(self.shape[0], [self[i] for i in j.tolist()])  # type: ignore[misc]

    def budget(self) -> Budget | None:
        return Budget(np.ones(1), positive=True, whole=True, points=self.matrix) if type(self) is Vertices else None

    def argmin(self, g: Array) -> Dense | Sparse:
        return self[int(self.scores(g).argmin())]

    def best(self, g: Array, m: int) -> Block:
        return self.block(lowest(self.scores(g), m))

    def centre(self) -> Iterate:
        return self._mixture(np.full(len(self), 1.0 / len(self)))

    def _mixture(self, weights: Array) -> Iterate:
        block, kept = self.block(np.flatnonzero(weights > 0)), weights[weights > 0]
        return Iterate(block, kept, self.shape).merged()  # equal sparse rows are one atom

    def contains_quickly(self, w: Iterate) -> bool | None:
        """Yes, where every atom is the row that its name says; else it takes a search."""
        named = w.keeps_atoms and self.dense_atoms and all(isinstance(key, int) for key in self.recognised(w.block).keys)
        return True if named else None

    def recognised(self, block: Block) -> Block:
        """The atoms with the numbers of their rows, as far as they have them and the rows are the same."""
        if not (self.dense_atoms and isinstance(block, DenseBlock)):
            return block.unnamed()
        keys: list[Hashable] = [key if isinstance(key, int) and 0 <= key < len(self) and np.array_equal(self.matrix[key], row)
                                else value_key(row) for key, row in zip(block.keys, block.matrix, strict=True)]
        return DenseBlock(block.matrix, block.shape, keys)

    def numbers(self, block: Block) -> Index | None:
        """The row of each atom, or None where one of them is no row: it came from elsewhere."""
        if self.dense_atoms:
            named = all(type(key) is int and 0 <= key < len(self) for key in block.keys)
            return np.array(block.keys, dtype=np.int64) if named else None
        if not isinstance(block, SparseBlock):
            return None
        found = [self._number(block[i]) for i in range(len(block))]
        return None if -1 in found else np.array(found, dtype=np.int64)

    def _number(self, atom: Sparse) -> int:
        """The first row that is this atom, or -1: those with as many entries are compared."""
        starts, count = self.matrix.indptr, len(atom.places)
        rows = np.flatnonzero(np.diff(starts) == count)
        if count:  # the first and the last place tell most rows apart
            for k in (0, count - 1):
                rows = rows[self.matrix.indices[starts[rows] + k] == atom.places[k]]
        for j in rows.tolist():
            if np.array_equal(self[j].places, atom.places) and np.array_equal(self[j].entries, atom.entries):  # type: ignore[union-attr]
                return int(j)
        return -1

    def _holds(self, x: Array, tol: float) -> bool:
        size, share = self._scales(x)
        near = max(tol, self.resolution) * share
        return nearest_point(self, x, size, near, near).distance <= near

    def _scales(self, x: Array) -> tuple[float, float]:
        """The largest entry of x and of the atoms, and the set's size relative to it."""
        size = max(float(abs(self.matrix).max()), float(np.abs(x).max()), 1e-300)
        return size, self._size / size

    @property
    def resolution(self) -> float:
        return float(2.0**-50 * self.shape[0] ** 0.5 * float(abs(self.matrix).max()) / self._size)

    def decompose(self, w: Array) -> Iterate:
        x = self._shaped(w)
        size, share = self._scales(x)
        found = nearest_point(self, x, size, 1e-12 * share, NEAR * share)
        check(found.distance <= NEAR * share, f"The array lies outside {self!r}, or its mixture was not found: the nearest is "
              f"{found.distance * size:.3g} away. Project it onto the set first, or start from an atom.")
        return found.point

    @cached_property
    def _size(self) -> float:
        """How far the atoms are from their mean, at most; but no less than what rounding of the atoms can tell apart."""
        mean = np.asarray(self.matrix.mean(axis=0)).ravel()
        norms = np.asarray((self.matrix * self.matrix).sum(axis=1)).ravel()
        spread = np.sqrt(max(float((norms - 2.0 * (self.matrix @ mean)).max() + mean @ mean), 0.0))
        return max(float(spread), 1e-7 * float(np.sqrt(norms.max())), 1e-300)

    def max_abs(self, c: Array) -> float:
        return float((abs(self.matrix) @ c).max())

    def sizes(self) -> Sizes:
        return self._sizes

    @cached_property
    def _sizes(self) -> Sizes:
        points = self.matrix if self.dense_atoms else self.matrix.toarray()
        centred = points - points.mean(axis=0)
        size = float(np.abs(centred).max()) or 1.0
        centred /= size  # of which no square vanishes
        squared, status = farthest_points(centred, centred)
        return Sizes(Constant(size * float(np.sqrt(max(squared, 0.0))), status, "D"), circumradius(points))

    def radius_around(self, x: Array) -> Constant:
        size = max(float(abs(self.matrix).max()), float(np.abs(x).max())) or 1.0
        atoms, u = self.matrix / size, x / size  # of which no square vanishes
        squares = np.asarray((atoms**2).sum(axis=1) if self.dense_atoms else atoms.power(2).sum(axis=1)).ravel()
        farthest = float((squares - 2.0 * np.asarray(atoms @ u)).max()) + float(u @ u)
        return Constant(size * max(farthest, 0.0) ** 0.5, "exact", "R")

    def curvature(self, form: Any) -> Constant:
        if len(self) * form.rows > 2e8:  # entries of the largest matrix of images that is made
            return super().curvature(form)
        points = self.matrix - self.matrix.mean(axis=0) if self.dense_atoms else self.matrix
        squared, status = farthest_points(*form.images(points))
        return Constant(max(squared, 0.0), status, "M")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        low, high = np.full(design.n, np.inf), np.full(design.n, -np.inf)
        step = max(1, CHUNK // design.n)
        for start in range(0, len(self), step):
            images = products(design, self.matrix[start : start + step])
            low, high = np.minimum(low, images.min(axis=1)), np.maximum(high, images.max(axis=1))
        return low, high

