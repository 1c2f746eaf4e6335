"""Fixed points T = T + F(T), sooner: Anderson's combination of the last steps, taken back where it led astray.

With the last differences ΔT and ΔF, the next point is T + F − (ΔT + ΔF)θ, θ the least-squares solution of ΔF θ = F (Anderson
1965, type II; Walker and Ni 2011). For a linear map these are about the steps of GMRES. Where F grew after a combination, the
plain step is made from where that was, and what was remembered is forgotten.
"""

from __future__ import annotations

import numpy as np

from greedyhull.types import Array

MEMORY = 5  # steps that are combined
RIDGE = 1e-8  # of the trace of ΔFᵀΔF: what is added to its diagonal


class Anderson:
    """The steps of one search. Points have any shape and keep their precision.

    >>> anderson, T = Anderson(), np.array([4.0, 4.0])
    >>> for _ in range(4):  # plain steps would have made it 4·0.9⁴ in the second coordinate
    ...     T = anderson.next(T, -np.array([0.9, 0.1]) * T)
    >>> bool(np.abs(T).max() < 1e-3)
    True
    """

    def __init__(self, memory: int = MEMORY) -> None:
        self.memory = memory
        self._least = np.inf  # the shortest step so far
        self._plain: Array | None = None  # where the plain step would have led, if a combination was made
        self._last: tuple[Array, Array] | None = None
        self._known = 0  # differences that were seen since the last time all was forgotten
        self._moves = self._changes = np.zeros((memory, 0))  # a row for each of the last: ΔT + ΔF, and ΔF

    def next(self, T: Array, F: Array) -> Array:
        """The point after T, where the plain step is F."""
        length = float(np.linalg.norm(F))
        if self._plain is not None and not length <= self._least:
            back, self._plain, self._last, self._known = self._plain, None, None, 0
            return back
        self._least = length
        if self._last is not None:
            self._remember(T, F, *self._last)
        self._last = (T, F)
        plain, theta = T + F, self._combined(F)
        if theta is None:
            self._plain = None
            return plain
        self._plain = plain
        return np.asarray(plain - (theta.astype(T.dtype) @ self._moves[: len(theta)]).reshape(T.shape))

    def _remember(self, T: Array, F: Array, T0: Array, F0: Array) -> None:
        if self._moves.shape[1] != T.size:
            self._moves, self._changes = (np.empty((self.memory, T.size), dtype=T.dtype) for _ in range(2))
        row = self._known % self.memory
        np.subtract(F.ravel(), F0.ravel(), out=self._changes[row])
        np.subtract(T.ravel(), T0.ravel(), out=self._moves[row])
        self._moves[row] += self._changes[row]
        self._known += 1

    def _combined(self, F: Array) -> Array | None:
        """θ, or None where there is none."""
        if not self._known:
            return None
        changes = self._changes[: min(self._known, self.memory)]
        square, right = (changes @ changes.T).astype(np.float64), (changes @ F.ravel()).astype(np.float64)
        trace = float(np.trace(square))
        if not (0.0 < trace < np.inf and np.isfinite(square).all() and np.isfinite(right).all()):
            return None
        return np.asarray(np.linalg.solve(square / trace + RIDGE * np.eye(len(right)), right / trace))
