"""A polytope by its rows and bounds, its extent, and dual bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.kernels.polyhedral_interior import size_of
from greedyhull.points.arrays import is_sparse, length, locked
from greedyhull.types import Array, Index

DENSE = 1 << 20  # entries of A that are also kept as a dense matrix, whose parts are found more quickly


@dataclass(frozen=True, eq=False)
class Rows:
    """l ≤ Ax ≤ u and lower ≤ x ≤ upper, with a name for each row and variable. A is in CSR format; bounds may be infinite."""

    A: Any
    l: Array
    u: Array
    lower: Array
    upper: Array
    names: list[str]
    variables: list[str]

    @property
    def m(self) -> int:
        return int(self.A.shape[0])

    @property
    def d(self) -> int:
        return int(self.A.shape[1])

    @cached_property
    def columns(self) -> Any:
        return self.A.tocsc()

    @cached_property
    def transposed(self) -> Any:
        return self.A.T.tocsr()

    @cached_property
    def sizes(self) -> Any:
        return abs(self.transposed)

    @cached_property
    def dense(self) -> Array | None:
        return np.ascontiguousarray(self.A.toarray()) if self.m * self.d <= DENSE else None

    def part(self, rows: Index, columns: Index) -> Any:
        """A at these rows and columns; dense where A is kept so."""
        if self.dense is not None:
            return self.dense[np.ix_(rows, columns)]
        return self.columns[:, columns][rows]

    def violations(self, X: Array) -> Array:
        """The largest violation of a row or bound, relative to the row's size, for each point in the rows of X."""
        activity, size = (self.A @ X.T).T, np.abs(X).max(axis=1, initial=0.0)
        missed = np.maximum(np.maximum(self.l - activity, activity - self.u), 0.0)
        over = (missed / self.row_scale(size[:, None])).max(axis=1, initial=0.0)
        out = np.maximum(np.maximum(self.lower - X, X - self.upper), 0.0).max(axis=1, initial=0.0)
        return np.asarray(np.maximum(over, out / np.maximum(size, 1e-300)))

    def row_scale(self, size: float | Array) -> Array:
        """What a row's activity changes by where one coordinate changes by ``size``, or its bounds where those are larger."""
        return np.maximum(np.maximum(self._ends, size * self._largest), 1e-300)

    @cached_property
    def _ends(self) -> Array:
        """The larger |end| of each row, of those that are finite."""
        return np.maximum(size_of(self.l), size_of(self.u))

    @cached_property
    def _largest(self) -> Array:
        """The largest |entry| of each row."""
        return np.asarray(abs(self.A).max(axis=1).toarray()).ravel() if self.m else np.zeros(0)


def rows_of(A_ub: Any, b_ub: Any, A_eq: Any, b_eq: Any, bounds: Any, names: Sequence[str] | None,
            variables: Sequence[str] | None) -> Rows:
    """What a user gave as rows, checked: A_ub x ≤ b_ub first, then A_eq x = b_eq."""
    from scipy.sparse import csr_array, vstack

    above, equal = _side(A_ub, b_ub, "ub"), _side(A_eq, b_eq, "eq")
    widths = {side[0].shape[1] for side in (above, equal) if side is not None}
    check(len(widths) <= 1, lambda: f"A_ub and A_eq have {' and '.join(map(str, sorted(widths)))} columns; as many of one "
                                    "as of the other are wanted, one for each variable.")
    pairs = isinstance(bounds, (list, tuple, np.ndarray)) and len(bounds) > 0 and all(np.shape(one) == (2,) for one in bounds)
    check(bool(widths) or pairs, lambda: f"LinearProgram(bounds={shown(bounds)}) was given without A_ub and A_eq; rows, or a "
                                         "pair (lower, upper) for each variable, are wanted.")
    d = widths.pop() if widths else len(bounds)
    lower, upper = _bounds(bounds, d)
    sides = [side for side in (above, equal) if side is not None]
    A = csr_array(vstack([side[0] for side in sides])) if sides else csr_array((0, d))
    A.sum_duplicates()
    A.eliminate_zeros()
    u = np.concatenate([side[1] for side in sides]) if sides else np.zeros(0)
    k = 0 if above is None else len(above[1])
    l = np.concatenate([np.full(k, -np.inf), u[k:]])
    own = [f"A_ub[{i}]" for i in range(k)] + [f"A_eq[{i}]" for i in range(len(u) - k)]
    return Rows(A, locked(l), locked(u), locked(lower), locked(upper), _named(names, own, "names", "row"),
                _named(variables, [f"w[{j}]" for j in range(d)], "variables", "variable"))


def _side(A: Any, b: Any, name: str) -> tuple[Any, Array] | None:
    """A_ub and b_ub, or A_eq and b_eq, as a sparse matrix and a vector."""
    from scipy.sparse import csr_array

    if A is None and b is None:
        return None
    check(A is not None and b is not None, f"{'b' if A is None else 'A'}_{name} was given without "
                                           f"{'A' if A is None else 'b'}_{name}; both or neither are wanted.")
    try:
        matrix = csr_array(A, dtype=np.float64) if is_sparse(A) else csr_array(np.atleast_2d(np.asarray(A, dtype=np.float64)))
        vector = np.atleast_1d(np.array(b, dtype=np.float64))
    except (TypeError, ValueError):
        raise GreedyhullError(f"A_{name} = {shown(A)} and b_{name} = {shown(b)} were given; a matrix and a vector of numbers "
                              "are wanted.") from None
    check(matrix.ndim == 2 and matrix.shape[1] > 0 and vector.shape == (matrix.shape[0],),
          lambda: f"A_{name} has shape {matrix.shape} and b_{name} has shape {vector.shape}; a row of A_{name} for each "
                  f"number of b_{name} is wanted.")
    good = bool(np.isfinite(matrix.data).all()) and not np.isnan(vector).any() and not (vector == -np.inf).any()
    check(good and (name == "ub" or bool(np.isfinite(vector).all())),
          f"A_{name} or b_{name} holds NaN or infinite values; finite numbers are wanted.")
    return matrix, vector


def _bounds(given: Any, d: int) -> tuple[Array, Array]:
    """bounds as SciPy takes them, one pair for all variables or one for each; None is no bound."""
    try:
        pairs = np.array([(None, None)] if given is None else given, dtype=object)
        pairs = pairs[None, :] if pairs.shape == (2,) else pairs
        pairs = pairs if pairs.ndim == 2 and pairs.shape[1] == 2 else np.zeros((0, 2), dtype=object)
        ends = np.where(pairs == np.array(None), np.array([-np.inf, np.inf], dtype=object), pairs).astype(np.float64)
    except (TypeError, ValueError):
        ends = np.zeros((0, 0))
    check(ends.shape in ((1, 2), (d, 2)), lambda: f"bounds = {shown(given)} was given; one pair (lower, upper) for all {d} "
                                                  "variables, or a list with one for each, is wanted. None is no bound.")
    lower, upper = (np.broadcast_to(ends[:, i], d).copy() + 0.0 for i in (0, 1))
    check(not np.isnan(ends).any() and not (lower == np.inf).any() and not (upper == -np.inf).any(),
          "bounds holds NaN, a lower bound of +inf or an upper bound of −inf; numbers, or None for no bound, are wanted.")
    crossed = np.flatnonzero(lower > upper)
    check(not len(crossed), lambda: f"bounds has lower > upper for {len(crossed)} variables, first for variable {crossed[0]}: "
          f"{lower[crossed[0]]:g} > {upper[crossed[0]]:g}. The set would be empty; exchange them there.")
    return lower, upper


def _named(given: Sequence[str] | None, own: list[str], name: str, what: str) -> list[str]:
    if given is None:
        return own
    try:
        words = [str(word) for word in given]
    except TypeError:
        raise GreedyhullError(f"{name} = {shown(given)} was given; a list of {len(own)} names, one for each {what}, is "
                              "wanted.") from None
    check(not isinstance(given, str) and len(words) == len(own),
          lambda: f"{name} has {len(words)} entries; {len(own)} are wanted, one for each {what}"
                  f"{' (those of A_ub first, then those of A_eq)' if what == 'row' else ''}.")
    twice = sorted({word for word in words if words.count(word) > 1}) if len(set(words)) < len(words) else []
    check(not twice, lambda: f"{name} has {twice[0]!r} more than once; a name of its own for each {what} is wanted.")
    return words


EPS = float(np.finfo(np.float64).eps)


def clipped(P: Rows, y: Array) -> Array:
    """y with the signs that its rows allow: none rewards a row for a side that has no end."""
    y = np.where(np.isfinite(y), y, 0.0)
    y = np.where(P.l == -np.inf, np.minimum(y, 0.0), y)
    return np.where(P.u == np.inf, np.maximum(y, 0.0), y)


def dual_bound(P: Rows, extent: Extent, g: Array, y: Array) -> float:
    """Return a lower bound on ⟨g, x⟩ over the polytope, valid for any y, rounding included.

    The computed g − A'y is off by at most e; what that does to ⟨g − A'y, x⟩ is at most max Σ eⱼ|xⱼ| over the polytope.
    """
    y = clipped(P, y)
    z = g - P.transposed @ y
    most = int(np.diff(P.transposed.indptr).max(initial=0)) + 2
    e = most * EPS * (np.abs(g) + P.sizes @ np.abs(y))
    rows = y * np.where(y > 0.0, P.l, np.where(y < 0.0, P.u, 0.0))  # of y = 0 neither end counts
    columns = z * np.where(z > 0.0, extent.lower, extent.upper)
    sizes = float(np.abs(rows).sum() + np.abs(columns).sum())
    tiny = 5e-324 * (P.m + P.d)  # products that vanish
    # NumPy adds in pairs: the error of a sum is below this times eps times the sum of sizes
    return float(rows.sum() + columns.sum()) - min(64.0, P.m + P.d) * EPS * sizes - extent.max_abs(e) - tiny


@dataclass(frozen=True, eq=False)
class Extent:
    """Proved bounds lower ≤ x ≤ upper, all finite, and max Σ|xⱼ| ≤ total over the polytope."""

    lower: Array
    upper: Array
    total: float = np.inf

    @property
    def most(self) -> Array:
        """The largest |xⱼ| that the bounds allow."""
        return np.maximum(np.abs(self.lower), np.abs(self.upper))

    def max_abs(self, c: Array) -> float:
        """The least of three bounds on max Σ cⱼ|xⱼ|: coordinate by coordinate, by the sum of all, and by the longest x."""
        size, largest = self.most, float(c.max(initial=0.0))
        bounds = [float((c * size).sum())]
        if self.total < np.inf:
            longest = np.sqrt(self.total) * np.sqrt(float(size.max(initial=0.0)))  # ‖x‖² ≤ ‖x‖₁‖x‖_∞
            bounds += [largest * self.total, length(c) * longest * (1.0 + 1e-12)]
        return min(bounds)
