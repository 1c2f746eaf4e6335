"""The latent group norm of Obozinski, Jacob and Vert (2011), between two proved bounds.

Ω(x) = min Σ_k ‖v_k‖₂ over vectors v_k within group k that sum to x, and by duality the maximum of ⟨u, x⟩ over the u with
‖u_group‖₂ ≤ 1 for every group. With η ≥ 0, a number for each group, and t_j = Σ of η over the groups of coordinate j,

    Ω(x) = min over η of ½ Σ_j x_j²/t_j + ½ Σ_k η_k.

Every η > 0 gives both bounds: the split v_kj = x_j η_k/t_j has a sum of norms, and u = x/t is feasible once it is divided
by its largest norm of a group. They meet at the minimum, which a primal-dual interior-point method finds: its Newton
equations have as many unknowns as there are groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array

from greedyhull.types import Array, Index

CLOSE = 1e-13  # the bounds need not be nearer to each other, relative to the norm
STEPS = 60  # about 15 are needed
NOTHING = 1e-18  # entries below this share of the largest one are left out; the upper bound counts them
FEW = 200  # with more groups, equations are sparse
RIDGE = 1e-15  # groups may be alike, which leaves the split between them open


class Latent(NamedTuple):
    """``lower`` ≤ Ω(x) ≤ ``upper``, and the split of x that proves the upper bound, group after group."""

    lower: float
    upper: float
    split: Array


def latent_norm(x: Array, places: Index, starts: Index, limit: float = np.inf) -> Latent:
    """Bounds of the norm of ``x``, with groups of coordinates ``places[starts[k]:starts[k + 1]]``.

    The search may end as soon as both bounds lie on one side of a finite ``limit``.

    >>> groups = np.array([0, 1, 1, 2]), np.array([0, 2, 4])  # {0, 1} and {1, 2}
    >>> found = latent_norm(np.array([3.0, 4.0, 0.0]), *groups)
    >>> round(found.lower, 9), round(found.upper, 9)
    (5.0, 5.0)
    """
    size = float(np.abs(x).max(initial=0.0))
    if size == 0.0:
        return Latent(0.0, 0.0, np.zeros(len(places)))
    y = x / size
    small = np.abs(y) <= NOTHING
    of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    used = np.flatnonzero(~small[places])
    groups, column = np.unique(of[used], return_inverse=True)
    kept, row = np.unique(places[used], return_inverse=True)
    B = csr_array((np.ones(len(used)), (row, column)), shape=(len(kept), len(groups)))
    lower, eta = _search(y[kept] ** 2, B, limit / size)
    split = _split(y, places, small, (used, row, column), eta, B)
    norms = np.sqrt(np.add.reduceat(split * split, starts[:-1]))
    return Latent(size * lower, size * float(norms.sum()), size * split)


def _split(y: Array, places: Index, small: Array, where: tuple[Index, Index, Index], eta: Array, B: csr_array) -> Array:
    """v_kj = y_j η_k/t_j; what was left out goes to the last group of its coordinate."""
    used, row, column = where
    split = np.zeros(len(places))
    split[used] = y[places[used]] * (eta[column] / (B @ eta)[row])
    last = np.zeros(len(y), dtype=np.intp)
    last[places] = np.arange(len(places))
    left = last[small]
    split[left] = y[places[left]]
    return split


def _search(s: Array, B: csr_array, limit: float) -> tuple[float, Array]:
    """The best lower bound and the η of the best upper one, for squares ``s`` and the groups of each coordinate ``B``."""
    Bt = B.T.tocsr()
    eta = np.sqrt(Bt @ (s / (B @ np.ones(B.shape[1])) ** 2))  # entries shared out evenly
    z: Array | None = None
    best, lower, found = np.inf, 0.0, eta
    for _ in range(STEPS):
        t = B @ eta
        q = s / t
        norms = Bt @ (q / t)
        total = float(q.sum())
        upper, lower = float(np.sqrt(total * eta.sum())), max(lower, total / float(np.sqrt(norms.max())))
        if upper < best:
            best, found = upper, eta
        if best - lower <= CLOSE * best or best <= limit < np.inf or limit < lower:
            break
        slope = 1.0 - norms
        z = np.maximum(slope, 0.1) if z is None else z
        aim = 0.1 * float(eta @ z) / len(eta)
        change = eta * _solved(B, eta, 2.0 * q / t**2, z * eta, aim - slope * eta)
        if not np.isfinite(change).all():
            break
        turn = aim / eta - z - (z / eta) * change
        eta = eta + _step(s, B, eta, change, aim, float((slope - aim / eta) @ change)) * change
        z = z + _room(z, turn) * turn
    return lower, found


def _solved(B: csr_array, eta: Array, bend: Array, more: Array, right: Array) -> Array:
    """(diag(η) Bᵀ diag(bend) B diag(η) + diag(more))⁻¹ right: steps relative to η, so that scales do not matter."""
    if len(eta) <= FEW:
        E = B.toarray() * eta
        H = (E * bend[:, None]).T @ E
        H.flat[:: len(eta) + 1] += more + RIDGE * H.diagonal() + 1e-200
        return np.linalg.solve(H, right)
    from greedyhull.kernels.lapack import splu

    scaled = B @ diags_array(eta)
    matrix = scaled.T @ (diags_array(bend) @ scaled)
    return np.asarray(splu((matrix + diags_array(more + RIDGE * matrix.diagonal() + 1e-200)).tocsc()).solve(right))


def _room(v: Array, change: Array) -> float:
    """How far v may go and stay positive, at most 1."""
    falling = change < 0.0
    return min(1.0, 0.995 * float((v[falling] / -change[falling]).min(initial=np.inf)))


def _step(s: Array, B: csr_array, eta: Array, change: Array, aim: float, slope: float) -> float:
    """A step along which the barrier function falls."""

    def barrier(e: Array) -> float:
        return float((s / (B @ e)).sum() + e.sum() - aim * np.log(e).sum())

    step, here = _room(eta, change), barrier(eta)
    while step > 1e-6 and barrier(eta + step * change) > here + 1e-4 * step * slope + 1e-14 * abs(here):
        step *= 0.5
    return step
