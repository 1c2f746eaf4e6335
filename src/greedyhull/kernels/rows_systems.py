"""The linear systems of the interior point method for bounds and rows, in two ways.

A step wants (H + diag(θ)) dx = p + Gᵀdv + Eᵀdy, θ'G dx + dv = p' + θ'r' and E dx = r. Where H is dense, the matrix
H + diag(θ) + Gᵀdiag(θ')G is factorised, and the equations are kept by a Schur complement. Where H is a diagonal D and few rows
F, H = D + FᵀF, everything but D + θ is moved to the other side: what is factorised has a row for each row of F, G and E.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from greedyhull.types import Array, Index

RIDGE = 1e-13  # of the diagonal: what makes a singular system regular


class Factored(NamedTuple):
    """diag(D) + FᵀF.

    >>> Factored(np.array([1.0, 2.0]), np.array([[1.0, 1.0]])).dot(np.array([1.0, 0.0]))
    array([2., 1.])
    """

    D: Array
    F: Array

    def dot(self, x: Array) -> Array:
        return np.asarray(self.D * x + self.F.T.dot(self.F.dot(x)) if len(self.F) else self.D * x)

    def diagonal(self) -> Array:
        return np.asarray(self.D + np.einsum("ij,ij->j", self.F, self.F))

    def take(self, index: Index) -> Factored:
        return Factored(self.D[index], self.F[:, index])

    def square(self, index: Index) -> Array:
        """The matrix on some coordinates."""
        F = self.F[:, index]
        H = F.T.dot(F)
        H.flat[:: len(index) + 1] += self.D[index]
        return np.asarray(H)


Form = Array | Factored  # of a quadratic


def square_of(H: Form, index: Index) -> Array:
    """H on some coordinates, as a matrix that may be changed."""
    return H.square(index) if isinstance(H, Factored) else H[np.ix_(index, index)]


def rank_of(H: Form) -> int:
    """How many dimensions H bends in, at most."""
    return int(np.count_nonzero(H.D)) + len(H.F) if isinstance(H, Factored) else len(H)


def part_of(H: Form, index: Index) -> Form:
    """H on some coordinates; the same one where these are all."""
    if len(index) == len(H.diagonal()):
        return H
    return H.take(index) if isinstance(H, Factored) else H[np.ix_(index, index)]


class Right(NamedTuple):
    """The right-hand sides p, p', r of E and r' of G."""

    x: Array
    a: Array
    e: Array
    g: Array


class System(Protocol):
    """What was factorised for one θ."""

    def solve(self, right: Right) -> tuple[Array, Array, Array]: ...  # dx, dy and dv


class Dense(NamedTuple):
    """The factor of H + diag(θ) + Gᵀdiag(θ')G, and that of E times its inverse times Eᵀ."""

    H: Array
    G: Any
    E: Any
    theta: Array
    factor: Array
    schur: Array

    @staticmethod
    def of(H: Array, G: Any, E: Any, theta: Array) -> Dense | None:
        from greedyhull.kernels.lapack import dpotrf, dtrtrs

        n = len(H)
        K = H.copy()
        if G.shape[0]:
            K += _gram(G.T, theta[n:])
        K.flat[:: n + 1] += theta[:n]
        K.flat[:: n + 1] *= 1.0 + RIDGE
        factor, info = dpotrf(K.T, overwrite_a=True, clean=False)  # it is symmetric, and in LAPACK's order so
        if info != 0:
            return None
        if not E.shape[0]:
            return Dense(H, G, E, theta, factor, np.zeros((0, 0)))
        half = dtrtrs(factor, _array(E.T), trans=1)[0]
        S = half.T.dot(half)
        S.flat[:: len(S) + 1] *= 1.0 + RIDGE
        schur, info = dpotrf(S.T, clean=False)
        return Dense(H, G, E, theta, factor, schur) if info == 0 else None

    def solve(self, right: Right) -> tuple[Array, Array, Array]:
        """Twice where there are rows: θ' may be huge, and what rounding leaves of dv is corrected by a much smaller one."""
        dx, dy, dv = self._solved(right)
        if not len(right.g):
            return dx, dy, dv
        n = len(dx)
        off = Right(right.x - self.H.dot(dx) - self.theta[:n] * dx + self.G.T.dot(dv) + self.E.T.dot(dy),
                    right.a - self.theta[n:] * (self.G.dot(dx) - right.g) - dv, right.e - self.E.dot(dx), np.zeros(len(dv)))
        more = self._solved(off)
        return dx + more[0], dy + more[1], dv + more[2]

    def _solved(self, right: Right) -> tuple[Array, Array, Array]:
        from greedyhull.kernels.lapack import dpotrs

        stiff = self.theta[len(right.x) :]
        pull = right.x + self.G.T.dot(right.a + stiff * right.g) if len(right.g) else right.x
        dx, dy = dpotrs(self.factor, pull)[0], right.e
        if len(dy):
            dy = dpotrs(self.schur, right.e - self.E.dot(dx))[0]
            dx = dpotrs(self.factor, pull + self.E.T.dot(dy))[0]
        return dx, dy, right.a - stiff * (self.G.dot(dx) - right.g)


class Normal(NamedTuple):
    """D + θ, and the factor of B(D + θ)⁻¹Bᵀ + diag(1, 1, 0) where B has the rows of F, √θ'·G and E."""

    K: Array
    F: Array
    A: Any
    scale: Array
    factor: Array

    @staticmethod
    def of(H: Factored, G: Any, E: Any, theta: Array) -> Normal | None:
        from greedyhull.kernels.lapack import dpotrf

        n, r, g = len(H.D), len(H.F), G.shape[0]
        K = (H.D + theta[:n]) * (1.0 + RIDGE)
        if not float(K.min()) > 0.0:
            return None
        scale = np.sqrt(theta[n:])
        A = _stacked(_scaled_rows(G, scale), E)
        S = np.empty((r + A.shape[0],) * 2)
        if r:
            across = H.F / K
            S[:r, :r], S[r:, :r] = across.dot(H.F.T), A.dot(across.T)
            S[:r, r:] = S[r:, :r].T
        S[r:, r:] = _gram(A, 1.0 / K)
        S.flat[: (r + g) * (len(S) + 1) : len(S) + 1] += 1.0
        S.flat[:: len(S) + 1] *= 1.0 + RIDGE
        factor, info = dpotrf(S.T, overwrite_a=True, clean=False)
        return Normal(K, H.F, A, scale, factor) if info == 0 else None

    def solve(self, right: Right) -> tuple[Array, Array, Array]:
        from greedyhull.kernels.lapack import dpotrs

        r, g = len(self.F), len(self.F) + len(right.g)
        dx = right.x / self.K
        q = -np.concatenate([self.F.dot(dx), self.A.dot(dx)])
        q[r:g] += self.scale * right.g + right.a / np.maximum(self.scale, 1e-150)
        q[g:] += right.e
        if len(q):  # neither factors nor rows: D is all there is
            q = dpotrs(self.factor, q)[0]
        back = self.A.T.dot(q[r:])
        if r:
            back = back + self.F.T.dot(q[:r])
        return (right.x + back) / self.K, q[g:], self.scale * q[r:g]


def system_of(H: Form, G: Any, E: Any, theta: Array) -> System | None:
    """The factorised system; None where it is singular."""
    return Normal.of(H, G, E, theta) if isinstance(H, Factored) else Dense.of(H, G, E, theta)


def _gram(B: Any, weights: Array) -> Array:
    """B diag(weights) Bᵀ as an array."""
    if isinstance(B, np.ndarray):
        return np.asarray((B * weights).dot(B.T))
    from scipy.sparse import diags_array

    return np.asarray((B @ diags_array(weights) @ B.T).toarray())


def _scaled_rows(G: Any, scale: Array) -> Any:
    if isinstance(G, np.ndarray):
        return G * scale[:, None]
    from scipy.sparse import diags_array

    return (diags_array(scale) @ G).tocsr() if G.shape[0] else G


def _stacked(G: Any, E: Any) -> Any:
    if isinstance(G, np.ndarray):
        return np.concatenate([G, E])
    from scipy.sparse import vstack

    return vstack([G, E], format="csr")


def _array(A: Any) -> Array:
    return A if isinstance(A, np.ndarray) else A.toarray()
