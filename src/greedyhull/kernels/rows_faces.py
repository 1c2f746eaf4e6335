"""Small convex quadratics over bounds and rows by guesses of their face: a primal-dual active set method.

min ½xᵀHx + cᵀx over low ≤ (x, Gx) ≤ high and Ex = e. On a face some of these numbers have their ends, Cx = b. With a ridge ρ,
L the factor of H + ρ, x₀ the point where it began, and V = L⁻¹Cᵀ,

    VᵀVλ = b − Cx₀ + VᵀL⁻¹(Hx₀ + c),        Lᵀ(x − x₀) = Vλ − L⁻¹(Hx₀ + c)

tell the minimiser and the multipliers λ. A number beyond an end goes there, and one whose multiplier has the wrong sign leaves
its end, until nothing changes; mostly that takes fewer than ten faces. H is factorised once. The core keeps columns of V, too.
"""

from __future__ import annotations

import numpy as np

from greedyhull.kernels.core import compiled
from greedyhull.types import Array

ROUNDS = 20  # faces, at most
REFINED = 3  # times that the last face is solved for again, for the ridge has left something
RIDGE = 1e-10  # of the curvature of each coordinate
NEAR = 1e-12  # of its width: by how much a number may be beyond its ends
SCHUR = 1e-14  # of its diagonal: rows may depend on others
OFF = 1e-11  # of its size: by how much an equation may be missed


@compiled
def rows_faces(H: Array, c: Array, G: Array, E: Array, e: Array, low: Array, high: Array, t: Array, prices: Array,
               pulls: Array) -> bool:
    """From x₀ = ``t[:n]`` to the minimiser: t = (x, Gx), the prices of E and G, and the multipliers of all ends are written.

    False, and nothing is written, where the guesses do not settle.
    """
    n, q, R = len(c), len(e), np.concatenate([np.eye(len(c)), G, E])
    N = len(low)
    x, bends = t[:n].copy(), H.diagonal()
    most = float(bends.max())
    if not most > 0.0:
        return False
    try:
        L = np.linalg.cholesky(H + np.diag(RIDGE * (bends + RIDGE * most)))
        sides = _sides(R[:N].dot(x), low, high, n, q)
        for _ in range(ROUNDS):
            if np.count_nonzero(sides) + q > n:  # more than fix a point
                return False
            found, pull = _on_face(H, c, L, R, e, x, sides, low, high, np.zeros(len(R)))
            here = R[:N].dot(found)
            near = NEAR * np.where(np.isfinite(high - low), high - low, 1.0 + np.abs(here))
            beyond = np.where(here < low - near, -1, np.where(here > high + near, 1, 0))
            new = np.where(sides == 0, beyond, np.where((low < high) & (sides * pull[:N] > 0.0), 0, sides))
            if (new == sides).all():
                break
            sides = new
        else:
            return False
        for _ in range(REFINED):
            found, pull = _on_face(H, c, L, R, e, found, sides, low, high, pull)
    except np.linalg.LinAlgError:
        return False
    here = np.where(sides < 0, low, np.where(sides > 0, high, np.clip(R[:N].dot(found), low, high)))
    off = np.abs(E.dot(here[:n]) - e) > OFF * (np.abs(e) + np.abs(E).dot(np.abs(here[:n])))
    if off.any() or not np.isfinite(here).all() or (np.abs(R[:N].dot(found) - here) > near).any():
        return False
    t[:], prices[:q], prices[q:], pulls[:] = here, pull[N:], pull[n:N], pull[:N]
    return True


def _sides(here: Array, low: Array, high: Array, n: int, q: int) -> Array:
    """The ends that numbers are at; none where that is a corner."""
    sides = np.where(here <= low, -1, np.where(here >= high, 1, 0))
    return sides if np.count_nonzero(sides[:n] == 0) > q else np.zeros_like(sides)


def _on_face(H: Array, c: Array, L: Array, R: Array, e: Array, x: Array, sides: Array, low: Array, high: Array,
             known: Array) -> tuple[Array, Array]:
    """The minimiser on the face, from x, and the multipliers of coordinates, of rows and of equations, from ``known`` ones."""
    N = len(sides)
    on = np.concatenate([np.arange(N, len(R)), sides.nonzero()[0]])
    b = np.concatenate([e, np.where(sides < 0, low, high)[sides != 0]])
    V, v = np.linalg.solve(L, R[on].T), -np.linalg.solve(L, H.dot(x) + c - known.dot(R))
    S = V.T.dot(V)
    S.flat[:: len(S) + 1] *= 1.0 + SCHUR
    half = np.linalg.cholesky(S)
    pulls = np.zeros(len(R))
    pulls[on] = np.linalg.solve(half.T, np.linalg.solve(half, b - R[on].dot(x) - V.T.dot(v)))
    return x + np.linalg.solve(L.T, v + V.dot(pulls[on])), known + pulls
