"""Data behind a linear operator: nothing is known but its products."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.errors import check
from greedyhull.kernels.threads import user
from greedyhull.objectives.designs.base import DesignBase
from greedyhull.types import Array
from greedyhull.types.attributes import lacks


class OperatorDesign(DesignBase):
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
