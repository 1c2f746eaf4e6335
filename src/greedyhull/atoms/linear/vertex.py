"""The vertex of a basis, its row prices, and the vertices next to it: by a factorisation of our own in a fixed order.

A basis says which variables are between their bounds (basic) and which rows are tight. With T the tight rows and B the basic
variables, A[T, B] is square; x_B solves A[T, B] x_B = b_T − A[T, N] x_N, and the prices solve A[T, B]' y_T = g_B.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.linear.model import BASIC, FREE, LOWER, UPPER
from greedyhull.atoms.linear.rows import Rows
from greedyhull.types import Array, Index

TRIED = 3  # pivots for each neighbour that is wanted: at a degenerate vertex many lead nowhere
NEAR = 1e-9  # relative, by which a point may violate a row
SMALL = 300  # rows up to which the factor is dense


class Vertex:
    """The point of a basis, ``x``."""

    def __init__(self, P: Rows, columns: Array, rows: Array) -> None:
        self.P, self.columns, self.rows = P, columns, rows
        self.basic, self.tight = np.flatnonzero(columns == BASIC), np.flatnonzero(rows != BASIC)
        self.sound = len(self.basic) == len(self.tight)
        if self.sound:
            self._solve = _factor(P.part(self.tight, self.basic)) if len(self.basic) else _nothing
            self.x = self._point()
            self.sound = bool(np.isfinite(self.x).all())

    def _point(self) -> Array:
        """Nonbasic variables at their bounds, basic ones solved for, and once more for what is left; −0.0 becomes 0.0."""
        P, at = self.P, self.columns
        x = np.where(at == UPPER, P.upper, np.where(at == LOWER, P.lower, 0.0))
        x[self.basic] = 0.0
        stand = self.rows[self.tight]
        b = np.where(stand == UPPER, P.u[self.tight], np.where(stand == LOWER, P.l[self.tight], 0.0))
        for _ in range(2):
            left = b - (P.A @ x)[self.tight]
            x[self.basic] += self._solve(left, False)
        return np.clip(x, P.lower, P.upper) + 0.0

    def prices(self, g: Array) -> Array:
        """The row prices y, zero where a row is not tight."""
        y = np.zeros(self.P.m)
        for _ in range(2):
            left = (g - self.P.transposed @ y)[self.basic]
            y[self.tight] += self._solve(left, True)
        return y

    def neighbours(self, g: Array, y: Array, m: int) -> Array:
        """Up to m points one pivot away as rows, those whose entering variable or row costs least first."""
        P = self.P
        z = g - P.transposed @ y
        range_, room = P.upper - P.lower, P.u[self.tight] - P.l[self.tight]
        columns = np.flatnonzero((self.columns != BASIC) & (self.columns != FREE) & (range_ > 0.0))
        rows = np.flatnonzero(room > 0.0)  # places in ``tight``
        costs = np.concatenate([np.abs(z[columns]), np.abs(y[self.tight[rows]])])
        chosen = np.argsort(costs, kind="stable")[: TRIED * m]
        columns, rows = columns[chosen[chosen < len(columns)]], rows[chosen[chosen >= len(columns)] - len(columns)]
        return self._moved(columns, rows, range_, room)[:m]

    def _moved(self, columns: Index, rows: Index, range_: Array, room: Array) -> Array:
        """The ends of the edges on which these variables and rows leave their bounds."""
        P, c = self.P, len(columns)
        right = np.zeros((len(self.tight), c + len(rows)))
        part = P.part(self.tight, columns)
        right[:, :c] = -(part if isinstance(part, np.ndarray) else part.toarray())
        right[rows, c + np.arange(len(rows))] = 1.0
        sign = np.concatenate([np.where(self.columns[columns] == UPPER, -1.0, 1.0),
                               np.where(self.rows[self.tight[rows]] == UPPER, -1.0, 1.0)])
        moves = np.zeros((P.d, c + len(rows)))
        moves[self.basic] = self._solve(right, False) * sign
        moves[columns, np.arange(c)] = sign[:c]
        longest = np.concatenate([range_[columns], room[rows]])
        slack = np.flatnonzero(self.rows == BASIC)
        activity, along = (P.A @ self.x)[slack], (P.A @ moves)[slack]
        steps = np.minimum(longest, np.minimum(_steps(self.x[self.basic], moves[self.basic], P.lower[self.basic],
                           P.upper[self.basic]), _steps(activity, along, P.l[slack], P.u[slack])))
        far = np.flatnonzero((steps > 0.0) & np.isfinite(steps))
        points = np.clip(self.x + steps[far, None] * moves[:, far].T, P.lower, P.upper) + 0.0
        return np.asarray(points[P.violations(points) <= NEAR])


def _steps(at: Array, along: Array, low: Array, high: Array) -> Array:
    """How far each column of ``along`` can be followed within the bounds."""
    near = 1e-11 * np.abs(along).max(axis=0, initial=0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.where(along > near, np.maximum(high - at, 0.0)[:, None] / along, np.inf)
        down = np.where(along < -near, np.minimum(low - at, 0.0)[:, None] / along, np.inf)
    return np.asarray(np.minimum(up, down).min(axis=0, initial=np.inf))


def _nothing(right: Array, transposed: bool) -> Array:
    return right


def _factor(M: Any) -> Any:
    """What solves M x = right, or M' x = right; a singular M gives NaN, which the caller sees."""
    if M.shape[0] <= SMALL:
        from greedyhull.kernels.lapack import dgetrf, dgetrs

        lu, pivots, info = dgetrf(M if isinstance(M, np.ndarray) else M.toarray())
        if info != 0:
            return lambda right, transposed: np.full(np.shape(right), np.nan)
        return lambda right, transposed: dgetrs(lu, pivots, right, trans=int(transposed))[0]
    from scipy.sparse import csc_array

    from greedyhull.kernels.lapack import splu

    try:
        factor = splu(csc_array(M))
    except RuntimeError:  # exactly singular
        return lambda right, transposed: np.full(np.shape(right), np.nan)
    solve: Any = factor.solve  # its stub does not know the transposed problem
    return lambda right, transposed: solve(right, "T" if transposed else "N")
