"""Balls about the origin: of the l1 norm and of total variation."""

from __future__ import annotations

from math import prod
from operator import attrgetter
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import array_of, matrix_shape, numbers, positive
from greedyhull.atoms.base import IDLE, AtomSet, Budget, Sizes, one_scale
from greedyhull.atoms.geometry import CHUNK, row_blocks, row_extremes
from greedyhull.atoms.neighbours import lowest, total
from greedyhull.errors import check
from greedyhull.points.aligned import coordinates
from greedyhull.points.arrays import flat
from greedyhull.points.gradients import as_array, kept_entries
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Basis, BasisBlock, Dense, DenseBlock, Sparse
from greedyhull.theory import Constant
from greedyhull.types import Array, Atom, Block, Design


def with_rest(S: AtomSet, block: Block, weights: Array) -> Iterate:
    """Return a mixture of atoms; the origin, where runs over S start, gets the weight that they lack."""
    slack = 1.0 - float(weights.sum())
    if slack > 0.0 or not len(weights):
        block, weights = block.append(S.start(IDLE)), np.append(weights, slack)
    return Iterate(block, weights / weights.sum(), S.shape)


class GaugeBall(AtomSet):
    """A ball about the origin, where runs start: {w : gauge(w) ≤ 1}, ``radius`` times one of radius 1."""

    def gauge(self, x: Array) -> float:
        """Return the least c for which x lies in c times the ball."""
        raise NotImplementedError

    def _dual_norms(self, rows: Array) -> Array:
        """Return the largest ⟨a, ·⟩ over the ball of radius 1 for each row a."""
        raise NotImplementedError

    def start(self, rng: np.random.Generator) -> Atom:
        return Dense(np.zeros(self.shape)) if self.dense_atoms else Sparse(np.zeros(0, dtype=np.intp), np.zeros(0))

    def centre(self) -> Iterate:
        return Iterate.at(self.start(np.random.default_rng(0)), self.shape)

    def _holds(self, x: Array, tol: float) -> bool:
        return self.gauge(x) <= 1.0 + tol

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        most = np.zeros(design.n)
        for I, block in row_blocks(design, CHUNK // 4):
            most[I] = self.radius * self._dual_norms(block)
        return -most, most


def given_size(S: AtomSet) -> Any:
    """The size of S as its constructor takes it."""
    return S.shape if S.shape[1:] else S.shape[0]


class L1Ball(GaugeBall):
    """Weighted l1 ball {w : Σ weights_j |w_j| ≤ radius}.

    Its atoms are ±(radius/weights_j)·e_j and the origin, where runs start. It is the constraint form of the lasso penalty.

    Parameters
    ----------
    d : int or tuple of int
        The number of coordinates; for matrices, their shape (rows, columns).
    radius : float
        The largest weighted sum of absolute values.
    weights : array_like, optional
        Positive weights, one for each entry, 1 by default. A coordinate with a large weight uses more of the budget.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.L1Ball(3, 2.0).argmin(np.array([1.0, -3.0, 0.5]))
    Basis(index=1, scale=2.0)
    """

    size: int
    weights: Array | None
    _scale: Any

    def __init__(self, d: int | tuple[int, ...], radius: float, *, weights: Any = None) -> None:
        if isinstance(d, (tuple, list)):
            self.shape, self.radius, self.gradients = matrix_shape(d), positive(radius, "radius"), "any"
        else:
            self._measure(d, radius=radius)
        self.__dict__.update(size=prod(self.shape), weights=None, _scale=self.radius)
        if weights is not None:
            if len(self.shape) == 1:
                coordinates(self, weights=weights)
            self.weights = numbers(weights, "weights")
            check(self.weights.shape == self.shape and bool((self.weights > 0).all()),
                  f"weights has shape {self.weights.shape} and least entry {self.weights.min(initial=np.inf):g}; {d} positive "
                  "numbers are wanted, one for each coordinate.")
            self.weights = self.weights.ravel()
            with np.errstate(all="ignore"):
                self._scale = self.radius / self.weights
            check(bool(np.isfinite(self._scale).all() and (self._scale > 0).all()),
                  "radius/weights overflows or vanishes for some coordinate. Bring radius and weights to a common scale.")

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else ", weights=..."
        return f"L1Ball({given_size(self)}, radius={self.radius:g}{weighted})"

    def __len__(self) -> int:
        return 2 * self.size

    def __getitem__(self, j: int) -> Basis:
        j, d = range(len(self))[j], self.size
        size = self.radius if self.weights is None else float(self._scale[j % d])
        return Basis(j % d, size if j < d else -size)

    scale = property(attrgetter("_scale"), doc="The length radius/weight_j of the atoms along each coordinate.")

    def scores(self, g: Array) -> Array:
        """⟨g, ·⟩ at +e_1 … +e_d, −e_1 … −e_d."""
        up = flat(as_array(g)) * self._scale
        return np.concatenate([up, -up])

    def block(self, j: Any) -> BasisBlock:
        i = j % self.size
        size = self.radius if self.weights is None else self._scale[i]
        return BasisBlock(self.size, i, np.where(j < self.size, size, -size))

    def budget(self) -> Budget | None:
        if type(self) is not L1Ball or len(self.shape) > 1:  # the core works on vectors
            return None
        return Budget(one_scale(self.radius) if self.weights is None else self._scale, positive=False, whole=False)

    def argmin(self, g: Array) -> Basis:
        if type(g) is not np.ndarray:
            return self.best(g, 1)[0]
        sizes = np.abs(g) if self.weights is None else np.abs(flat(g)) * self._scale
        i = int(sizes.argmax())
        size = self.radius if self.weights is None else float(self._scale[i])
        return Basis(i, -size if g.item(i) > 0 else size)

    def best(self, g: Array, m: int) -> BasisBlock:
        """The m best atoms; the worse ones of the coordinates follow only after all the better ones."""
        if type(g) is not np.ndarray:
            places, entries = kept_entries(g)  # all others are zero
            if not len(places):
                places, entries = np.zeros(1, dtype=np.intp), np.zeros(1)
            scales = np.broadcast_to(self._scale, self.size)[places]
            index = lowest(-np.abs(entries) * scales, m)
            return BasisBlock(self.size, places[index], np.where(entries[index] > 0, -scales[index], scales[index]))
        entries = flat(g)
        if m > self.size:
            return self.block(lowest(self.scores(g), m))
        index = lowest(-np.abs(entries) if self.weights is None else -np.abs(entries) * self._scale, m)
        scale = self.radius if self.weights is None else self._scale[index]
        return BasisBlock(self.size, index, np.where(entries[index] > 0, -scale, scale))

    def start(self, rng: np.random.Generator) -> Basis:
        return Basis(0, 0.0)

    def contains(self, w: Any, tol: float = 1e-9) -> bool:
        kept = len(self.shape) == 2 and isinstance(w, Iterate) and w.keeps_atoms and w.shape == self.shape
        if not kept or not isinstance(w.block, BasisBlock):
            return self._has(array_of(w), tol)
        index, which = np.unique(w.block.index, return_inverse=True)
        entries = np.bincount(which.ravel(), w.block.scale * w.weights, len(index))
        scale = self.radius if self.weights is None else self._scale[index]
        return bool(np.isfinite(entries).all()) and total(np.abs(entries / scale)) <= 1.0 + tol

    def gauge(self, x: Array) -> float:
        if self.weights is None:
            return total(np.abs(x)) / self.radius
        return total(np.abs(flat(x) / self._scale))

    def decompose(self, w: Array) -> Iterate:
        x = flat(self._inside(w))
        index = np.flatnonzero(x)
        scale = np.where(x[index] > 0, 1.0, -1.0) * np.broadcast_to(self._scale, self.size)[index]
        weights = x[index] / scale
        return with_rest(self, BasisBlock(self.size, index, scale), weights)

    def max_abs(self, c: Array) -> float:
        if self.weights is None:
            return float(self.radius * c.item(c.argmax()))  # a small reduction of NumPy takes four times as long
        return float((flat(c) * self._scale).max())

    def max_length(self) -> float:
        return self.radius if self.weights is None else float(self._scale.max())

    def rescaled(self, radius: float) -> L1Ball:
        return L1Ball(given_size(self), radius, weights=None if self.weights is None else self.weights.reshape(self.shape))

    def sizes(self) -> Sizes:
        """D = 2 max_j scale_j and r_S = D/2: the set is symmetric, and its longest atom is opposite to another."""
        longest = float(np.max(self._scale))
        return Sizes.of(2.0 * longest, longest)

    def radius_around(self, x: Array) -> Constant:
        """‖±scale_j e_j − x‖² = ‖x‖² + scale_j² ∓ 2 scale_j x_j."""
        longest = float(np.max(self._scale))
        scale, u = np.asarray(self._scale) / longest, flat(x) / longest  # of which no square vanishes
        return Constant(longest * float(np.sqrt(u @ u + (scale * (scale + 2.0 * np.abs(u))).max())), "exact", "R")

    def curvature(self, form: Any) -> Constant:
        return Constant(4.0 * float((form.diagonal() * self._scale * self._scale).max()), "exact", "M")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        low, high = row_extremes(design, None if self.weights is None else self._scale)
        most = np.maximum(-low, high) * (self.radius if self.weights is None else 1.0)
        return -most, most


class TotalVariationBall(GaugeBall):
    """Signals of bounded variation, {w : |w_1| + Σ |w_{i+1} − w_i| ≤ radius}.

    Its 2d atoms are ±radius times the steps that are zero before a place and one from it on; runs start at the origin.
    Optimal signals are piecewise constant.

    Parameters
    ----------
    d : int
        The number of coordinates, in order.
    radius : float
        The largest variation, that from zero to the first value included.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.TotalVariationBall(4, 2.0).argmin(np.array([5.0, -1.0, -3.0, 1.0])).array
    array([0., 2., 2., 2.])
    """

    dense_atoms = True

    _sizes_given = ("radius",)

    def __init__(self, d: int, radius: float) -> None:
        self._measure(d, radius=radius)

    def __len__(self) -> int:
        return 2 * self.shape[0]

    def __getitem__(self, j: int) -> Dense:
        j, d = range(len(self))[j], self.shape[0]
        step = np.zeros(d)
        step[j % d :] = self.radius if j < d else -self.radius
        return Dense(step, j)

    def scores(self, g: Array) -> Array:
        """⟨g, ·⟩ at the steps up from places 1 … d, then at the steps down."""
        up = self.radius * suffix_sums(g)
        return np.concatenate([up, -up])

    def block(self, j: Any) -> DenseBlock:
        d = self.shape[0]
        rows = np.where(np.arange(d) >= (j % d)[:, None], np.where(j < d, self.radius, -self.radius)[:, None], 0.0)
        return DenseBlock(rows, self.shape, j.tolist())

    def _slopes(self, g: Array) -> Array:
        """The suffix sums of g, relative to its largest entry where they could overflow."""
        largest = float(np.abs(g).max())
        return suffix_sums(g / largest if largest > 1e290 else g)

    def argmin(self, g: Array) -> Dense:
        sums = self._slopes(g)
        i = int(np.abs(sums).argmax())
        return self[i + self.shape[0] if sums[i] > 0 else i]

    def best(self, g: Array, m: int) -> DenseBlock:
        sums = self._slopes(g)
        if m > self.shape[0]:
            return self.block(lowest(np.concatenate([sums, -sums]), m))
        i = lowest(-np.abs(sums), m)
        return self.block(np.where(sums[i] > 0, i + self.shape[0], i))

    def gauge(self, x: Array) -> float:
        return float(np.abs(np.diff(x / self.radius, prepend=0.0)).sum())

    def decompose(self, w: Array) -> Iterate:
        x = self._inside(w)
        changes = np.diff(x, prepend=0.0) / self.radius
        i = np.flatnonzero(changes)
        block, weights = self.block(np.where(changes[i] > 0, i, i + self.shape[0])), np.abs(changes[i])
        return with_rest(self, block, weights)

    def max_abs(self, c: Array) -> float:
        return self.radius * float(np.sum(c))

    def sizes(self) -> Sizes:
        r = self.radius * np.sqrt(self.shape[0])
        return Sizes.of(2.0 * r, r)

    def radius_around(self, x: Array) -> Constant:
        u, d = x / self.radius, self.shape[0]  # of which no square vanishes
        squares = np.arange(d, 0, -1) + 2.0 * np.abs(suffix_sums(u)) + float(u @ u)
        return Constant(self.radius * float(np.sqrt(squares.max())), "exact", "R")

    def _dual_norms(self, rows: Array) -> Array:
        return np.asarray(np.abs(np.cumsum(rows[:, ::-1], axis=1)).max(axis=1))


def suffix_sums(g: Array) -> Array:
    """Σ_{j ≥ i} g_j for every i, in extended precision where there is one."""
    return np.cumsum(g[::-1], dtype=np.longdouble)[::-1].astype(np.float64)
