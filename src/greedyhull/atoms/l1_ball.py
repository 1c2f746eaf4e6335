"""The l1 ball and its non-negative part."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import array_of, matrix_shape, numbers, positive
from greedyhull.atoms.base import Budget, GaugeBall, Sizes, one_scale
from greedyhull.atoms.geometry import row_extremes
from greedyhull.atoms.neighbours import lowest, total
from greedyhull.atoms.simplex import CappedSimplex
from greedyhull.errors import check
from greedyhull.points.aligned import coordinates
from greedyhull.points.arrays import flat
from greedyhull.points.gradients import as_array, kept_entries
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Basis, BasisBlock
from greedyhull.theory import Constant
from greedyhull.types import Array, Design, Index


def _size(S: L1Ball | PositiveL1Ball) -> Any:
    """The size of a set as its constructor takes it."""
    return S.shape[0] if len(S.shape) == 1 else S.shape


class L1Ball(GaugeBall):
    """Weighted l1 ball {w : Σ weights_j |w_j| ≤ radius}.

    Its atoms are ±(radius/weights_j)·e_j and the origin, where runs start. It is the constraint form of the lasso penalty.

    Parameters
    ----------
    d : int or tuple of int
        The number of coordinates; for matrices, their shape (rows, columns).
    radius : float
        The largest weighted sum of absolute values. `Solution.price` says what one more unit of it is worth.
    weights : array_like, optional
        Positive weights, one for each entry, 1 by default. A coordinate with a large weight uses more of the budget.

    See Also
    --------
    CappedSimplex : The part with non-negative coordinates.
    GroupL1Ball : Whole groups of coordinates, such as the rows of a matrix.
    path : Solutions for many radii.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.L1Ball(3, 2.0).argmin(np.array([1.0, -3.0, 0.5]))
    Basis(index=1, scale=2.0)
    >>> f = gh.multitask(np.eye(2), [[3.0, 0.0], [1.0, 2.0]])
    >>> gh.minimize(f, gh.L1Ball((2, 2), radius=2.0), stop=gh.Gap(1e-9)).x.round(6)
    array([[1.5, 0. ],
           [0. , 0.5]])
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
        return f"L1Ball({_size(self)}, radius={self.radius:g}{weighted})"

    def __len__(self) -> int:
        return 2 * self.size

    def __getitem__(self, j: int) -> Basis:
        j, d = range(len(self))[j], self.size
        size = self.radius if self.weights is None else float(self._scale[j % d])
        return Basis(j % d, size if j < d else -size)

    @property
    def scale(self) -> Any:
        """radius/weight_j: how long the atoms along each coordinate are."""
        return self._scale

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
            return self._best_kept(*kept_entries(g), m)
        entries = flat(g)
        if m > self.size:
            return self.block(lowest(self.scores(g), m))
        index = lowest(-np.abs(entries) if self.weights is None else -np.abs(entries) * self._scale, m)
        scale = self.radius if self.weights is None else self._scale[index]
        return BasisBlock(self.size, index, np.where(entries[index] > 0, -scale, scale))

    def _best_kept(self, places: Index, entries: Array, m: int) -> BasisBlock:
        """The m best atoms, or fewer, where all other entries of the gradient are zero."""
        if not len(places):
            places, entries = np.zeros(1, dtype=np.intp), np.zeros(1)
        scale = np.broadcast_to(self._scale, self.size)[places]
        index = lowest(-np.abs(entries) * scale, m)
        return BasisBlock(self.size, places[index], np.where(entries[index] > 0, -scale[index], scale[index]))

    def start(self, rng: np.random.Generator) -> Basis:
        return Basis(0, 0.0)

    def contains(self, w: Any, tol: float = 1e-9) -> bool:
        """Whether the point lies in the ball; a matrix that is kept by its entries is not written out."""
        found = self._entries(w)
        if found is None:
            return self._has(array_of(w), tol)
        index, entries = found
        scale = self.radius if self.weights is None else self._scale[index]
        return bool(np.isfinite(entries).all()) and total(np.abs(entries / scale)) <= 1.0 + tol

    def _entries(self, w: Any) -> tuple[Index, Array] | None:
        """The places and entries of a matrix that an iterate keeps by single entries."""
        kept = len(self.shape) == 2 and isinstance(w, Iterate) and w.keeps_atoms and w.shape == self.shape
        if not kept or not isinstance(w.block, BasisBlock):
            return None
        index, which = np.unique(w.block.index, return_inverse=True)
        return index, np.bincount(which.ravel(), w.block.scale * w.weights, len(index))

    def gauge(self, x: Array) -> float:
        if self.weights is None:
            return total(np.abs(x)) / self.radius
        return total(np.abs(flat(x) / self._scale))

    def decompose(self, w: Array) -> Iterate:
        x = flat(self._inside(w))
        index = np.flatnonzero(x)
        scale = np.where(x[index] > 0, 1.0, -1.0) * np.broadcast_to(self._scale, self.size)[index]
        weights = x[index] / scale
        slack = 1.0 - float(weights.sum())
        if slack > 0 or not len(index):  # what is left of the budget rests at the origin
            index, scale, weights = np.append(index, 0), np.append(scale, 0.0), np.append(weights, slack)
        return Iterate(BasisBlock(self.size, index, scale), weights / weights.sum(), self.shape)

    def max_abs(self, c: Array) -> float:
        if self.weights is None:
            return float(self.radius * c.item(c.argmax()))  # a small reduction of NumPy takes four times as long
        return float((flat(c) * self._scale).max())

    def max_length(self) -> float:
        return self.radius if self.weights is None else float(self._scale.max())

    def rescaled(self, radius: float) -> L1Ball:
        return L1Ball(_size(self), radius, weights=None if self.weights is None else self.weights.reshape(self.shape))

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
        """4 max_j scale_j² H_jj: the set is symmetric."""
        return Constant(4.0 * float((form.diagonal() * self._scale * self._scale).max()), "exact", "M")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        low, high = row_extremes(design, None if self.weights is None else self._scale)
        most = np.maximum(-low, high) * (self.radius if self.weights is None else 1.0)
        return -most, most


class PositiveL1Ball(CappedSimplex):
    """{w ≥ 0 : Σ weights_j w_j ≤ radius}; the last of its d + 1 atoms is the origin.

    Without weights it is the `CappedSimplex`; it has in addition the gauge and the shapes of an `L1Ball`.

    >>> PositiveL1Ball(3, 2.0).argmin(np.array([1.0, -3.0, 0.5]))
    Basis(index=1, scale=2.0)
    >>> PositiveL1Ball(2, 2.0).argmin(np.array([1.0, 3.0]))
    Basis(index=0, scale=0.0)
    """

    def __init__(self, d: int | tuple[int, ...], radius: float, *, weights: Any = None) -> None:
        ball = L1Ball(d, radius, weights=weights)  # its checks are the ones wanted here
        self.shape, self.radius, self.weights = ball.shape, ball.radius, ball.weights
        self.size = ball.size
        self._scale = np.broadcast_to(np.asarray(ball.scale, dtype=np.float64), self.size) + 0.0

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else ", weights=..."
        return f"PositiveL1Ball({_size(self)}, radius={self.radius:g}{weighted})"

    @property
    def scale(self) -> Array:
        return self._scale

    def gauge(self, x: Array) -> float:
        """The least c for which x ≥ 0 lies in c times the set."""
        return float(np.abs(flat(x) / self._scale).sum())

    def rescaled(self, radius: float) -> PositiveL1Ball:
        weights = None if self.weights is None else self.weights.reshape(self.shape)
        return PositiveL1Ball(_size(self), radius, weights=weights)

    def sizes(self) -> Sizes:
        """D = √(a² + b²) with the two longest atoms a and b; the ball about the origin that holds all atoms bounds r_S."""
        longest = np.sort(self._scale)[-2:]
        return Sizes(Constant(float(np.hypot(*longest)) if len(longest) == 2 else float(longest[0]), "exact", "D"),
                     Constant(float(longest[-1]), "upper bound", "r_S"))

    def curvature(self, form: Any) -> Constant:
        """With weights, that of the l1 ball bounds it."""
        if self.weights is None:
            return super().curvature(form)
        return Constant(4.0 * float((form.diagonal() * self._scale * self._scale).max()), "upper bound", "M")
