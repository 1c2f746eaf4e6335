"""Doubly stochastic matrices: mixtures of permutations."""

from __future__ import annotations

from functools import lru_cache
from math import fsum

import numpy as np

from greedyhull.atoms.arguments import dimension
from greedyhull.atoms.base import Sizes
from greedyhull.atoms.box import room_above
from greedyhull.atoms.combinatorial import EPS, Combinatorial, ones
from greedyhull.atoms.neighbours import lowest
from greedyhull.atoms.regions import RowsRegion
from greedyhull.errors import GreedyhullError, check
from greedyhull.kernels.polyhedral_qp import Limits
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Sparse, SparseBlock
from greedyhull.theory import Constant
from greedyhull.types import Array, Atom, Index


@lru_cache(maxsize=4)
def birkhoff_region(n: int) -> RowsRegion:
    """The region of all doubly stochastic matrices of n rows; it is never changed."""
    even = np.full(n * n, 1.0 / n)
    return RowsRegion(limits(n), (np.zeros(n * n), np.ones(n * n)), even, least_assignment, first=even)


def least_assignment(g: Array) -> float:
    """The least ⟨g, P⟩ over permutations."""
    G = g.reshape(round(g.size**0.5), -1)
    return float(np.take_along_axis(G, _assignment(G)[:, None], axis=1).sum())


def limits(n: int) -> Limits:
    """Bounds, the sums of all rows, and of all columns but the last, whose sum follows.

    >>> limits(2).A
    array([[1., 1., 0., 0.],
           [0., 0., 1., 1.],
           [1., 0., 1., 0.]])
    """
    one = np.ones((1, n))
    A = np.concatenate([np.kron(np.eye(n), one), np.kron(one, np.eye(n))])[:-1]
    return Limits(np.zeros(n * n), np.ones(n * n), A, np.ones(len(A)), np.ones(len(A)))


ZERO = 1e-12  # entries of a point below this are taken for 0, and their face for its face


class Birkhoff(Combinatorial):
    """Doubly stochastic matrices, {W ≥ 0 : all rows and columns sum to 1}.

    Its atoms are the n! permutation matrices. The best one for G is an assignment of least cost (SciPy's
    ``linear_sum_assignment``), and dual potentials prove how good it is, rounding included.

    Parameters
    ----------
    n : int
        The number of rows, and of columns.

    See Also
    --------
    Transport : Couplings of two distributions.
    LinearProgram : Any bounded polytope by its rows.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.Birkhoff(2)
    >>> S.argmin(np.array([[3.0, 1.0], [1.0, 2.0]])).places
    array([1, 2])
    >>> f = gh.function(lambda W: 0.5 * (W**2).sum(), lambda W: W, (2, 2), smoothness=1.0)
    >>> gh.minimize(f, S).x
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """

    _spreads = True

    def __init__(self, n: int) -> None:
        self.shape = (dimension(n), int(n))

    def __repr__(self) -> str:
        return f"Birkhoff({self.shape[0]})"

    def _region(self) -> RowsRegion | None:
        # rows up to which Newton steps solve for all entries together; more would keep 2n³ zeros and ones
        return birkhoff_region(self.shape[0]) if self.shape[0] <= 100 else None

    def solved(self, c: Array) -> tuple[Index, float]:
        """The assignment, and Σᵢ minⱼ(cᵢⱼ − vⱼ) + Σⱼ vⱼ, which is a bound for any v."""
        columns = _assignment(c)
        v = _potentials(c, columns)
        lower = fsum([*np.min(c - v, axis=1).tolist(), *v.tolist()])
        off = 2.0 * EPS * float((np.abs(c).max(axis=1) + np.abs(v).max()).sum()) + EPS * abs(lower)
        return self._places(columns), lower - off

    def _places(self, columns: Index) -> Index:
        return np.arange(self.shape[0]) * self.shape[0] + columns

    def exchanges(self, c: Array, places: Index, m: int) -> list[Index]:
        """The cheapest swaps of two rows."""
        n = self.shape[0]
        columns = places % n
        across = c[:, columns]  # row i in the column of row k
        own = np.diagonal(across)
        i, k = np.triu_indices(n, 1)
        chosen = lowest((across + across.T)[i, k] - (own[i] + own[k]), m) if m > 0 and n > 1 else np.zeros(0, dtype=np.intp)
        found = []
        for s in chosen.tolist():
            swapped = columns.copy()
            swapped[[i[s], k[s]]] = columns[[k[s], i[s]]]
            found.append(self._places(swapped))
        return found

    # --- faces ----------------------------------------------------------------------------------------------------

    def within(self, w: Array, g: Array) -> Atom:
        """The worst atom, of largest ⟨g, ·⟩, of the smallest face that holds w: permutations where w is not 0."""
        try:
            return ones(self._places(_assignment(np.where(w > ZERO, -np.asarray(g, dtype=np.float64), np.inf))))
        except ValueError:
            raise GreedyhullError(f"within(w, g) was asked of {self!r} for a w with no permutation in it; a point of the set "
                                  "is wanted.") from None

    def room(self, w: Array, v: Array) -> float:
        return room_above(w, v, 0.0, ZERO)

    # --- points and sizes -----------------------------------------------------------------------------------------

    def centre(self) -> Iterate:
        """1/n everywhere, as the n cyclic permutations."""
        n = self.shape[0]
        turns = [ones(self._places((np.arange(n) + k) % n)) for k in range(n)]
        return Iterate(SparseBlock(n * n, turns), np.full(n, 1.0 / n), self.shape)

    def start(self, rng: np.random.Generator) -> Atom:
        return ones(self._places(np.arange(self.shape[0])))

    def _holds(self, x: Array, tol: float) -> bool:
        sums = np.concatenate([x.sum(axis=0), x.sum(axis=1)])
        return bool((x >= -tol).all() and (np.abs(sums - 1.0) <= max(tol, self.shape[0] * EPS)).all())

    def decompose(self, w: Array) -> Iterate:
        """Birkhoff's theorem: a permutation where nothing is 0 is taken out with the least entry that it meets, again and
        again."""
        left, n = np.maximum(self._inside(w), 0.0), self.shape[0]
        atoms: list[Sparse] = []
        weights: list[float] = []
        while sum(weights) < 1.0 - 1e-13:
            try:
                columns = _assignment(np.where(left > 1e-15, -left, np.inf))
            except ValueError:  # what is left is rounding
                break
            weight = float(left[np.arange(n), columns].min())
            left[np.arange(n), columns] -= weight
            atoms.append(ones(self._places(columns)))
            weights.append(weight)
        check(sum(weights) > 1.0 - 1e-6, lambda: f"{self!r} cannot write the array as a mixture of permutations.")
        return Iterate(SparseBlock(n * n, atoms), np.array(weights) / sum(weights), self.shape).merged()

    def max_abs(self, c: Array) -> float:
        """From above: the largest entry of each row, or of each column."""
        c = np.broadcast_to(c, self.shape)
        return float(min(c.max(axis=0).sum(), c.max(axis=1).sum()))

    def sizes(self) -> Sizes:
        """D = √(2n), between permutations that share no place; r_S = √(n − 1) around the centre."""
        n = self.shape[0]
        return Sizes.of(np.sqrt(2.0 * n) if n > 1 else 0.0, np.sqrt(n - 1.0))

    def radius_around(self, x: Array) -> Constant:
        columns = _assignment(x)
        square = self.shape[0] + float((x * x).sum()) - 2.0 * float(x[np.arange(len(columns)), columns].sum())
        return Constant(float(np.sqrt(max(square, 0.0))), "exact", "R")


def _assignment(c: Array) -> Index:
    """The column of each row, of least total cost."""
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(c)[1], dtype=np.intp)


def _potentials(c: Array, columns: Index) -> Array:
    """v with cᵢⱼ − vⱼ least at the assigned column of each row: shortest ways of exchanges, by rounds of Bellman and Ford."""
    n = len(columns)
    ways = c - c[np.arange(n), columns][:, None]
    v = np.zeros(n)
    for _ in range(n):
        better = np.minimum(v, (v[columns][:, None] + ways).min(axis=0))
        if (better >= v - 4.0 * EPS).all():
            break
        v = better
    return v
