"""How far a symmetric Q is from convex: λ ≥ 0 such that Q + λI is positive semidefinite, up to what can be measured.

½wᵀQw lies below its tangents by at most ½λ‖u − w‖², so that gaps hold with ½λD² added. Matrices that are semidefinite on
paper have eigenvalues of about −eps·‖Q‖ once they are stored; λ tells how many, and the error of telling counts as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.kernels.checks import is_definite, square_facts
from greedyhull.kernels.core import REFERENCES
from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.designs.sparse import SparseDesign
from greedyhull.points.columns import column
from greedyhull.types import Array, Design

EPS = float(np.finfo(np.float64).eps)
FEW = 64  # up to this size the core factorises
SMALL = 200  # up to this size eigenvalues are computed
LARGE = 2000  # up to this size Q is factorised, in d³/3 steps
TINY, LIFT = 1e-280, 2.0**600  # products of numbers below the first may vanish; times the second, which is exact, they do not


def entries(design: Design) -> Array | None:
    """The entries of a design in float64, if they are stored and not too many; few are asked of an operator."""
    if isinstance(design, DenseDesign) and design.n <= LARGE:
        return np.asarray(design.X, dtype=np.float64)
    if isinstance(design, SparseDesign) and design.n <= LARGE:
        return np.asarray(design.by_column.toarray(), dtype=np.float64)
    return np.stack([column(design, j) for j in range(design.n)]).astype(np.float64) if design.n <= SMALL else None


class Facts(NamedTuple):
    """Whether Q = Qᵀ; whether it is dominant, so that no eigenvalue of a symmetric Q is negative; maxᵢ Σⱼ |Qᵢⱼ|."""

    symmetric: bool
    dominant: bool
    widest: float


def facts_of(Q: Array) -> Facts:
    """What one pass over a square matrix tells; of one in Fortran order, its transpose is looked at."""
    return Facts(*square_facts(np.ascontiguousarray(Q.T if Q.flags.f_contiguous else Q)))


def diagonal(design: Design) -> Array | None:
    """Q's diagonal where Q is stored: no entry of a semidefinite one is negative, whatever its size."""
    if isinstance(design, DenseDesign):
        return np.asarray(design.X.diagonal(), dtype=np.float64)
    return np.asarray(design.by_column.diagonal(), dtype=np.float64) if isinstance(design, SparseDesign) else None


def concavity(Q: Array, facts: Facts) -> tuple[float, float]:
    """λ, and the size of Q's eigenvalues that it is to be compared with."""
    d, widest = len(Q), facts.widest
    if facts.dominant:
        return 0.0, widest
    empty = Q.diagonal() == 0.0
    if empty.any():  # a coordinate that Q does not see has the eigenvalue 0, exactly
        seen = (~empty | Q.any(axis=1)).nonzero()[0]
        if len(seen) < d:
            return concavity(np.ascontiguousarray(Q[np.ix_(seen, seen)]), facts)
    if widest < TINY:
        sag, top = concavity(Q * LIFT, facts._replace(widest=widest * LIFT))
        return float(np.nextafter(sag / LIFT, np.inf)) if sag else 0.0, top / LIFT
    if d <= SMALL and _definite(Q, -(d + 8) * EPS * widest):  # as most are; a factor costs a tenth of eigenvalues
        return 0.0, widest
    if d > SMALL:
        top = _top(Q, widest)
        error = (d + 8) * EPS * top
        if _definite(Q, -error):
            return 0.0, top
        if _definite(Q, error):
            return 2.0 * error, top
    eigenvalues = np.linalg.eigvalsh(Q)
    top = float(np.abs(eigenvalues).max())
    return max(0.0, (d + 8) * EPS * top - float(eigenvalues[0])), top


def _top(Q: Array, widest: float) -> float:
    """‖Q‖₂, from above by norms and from below by powers; what these leave open is met by a factor of two."""
    x = np.random.default_rng(0).standard_normal(len(Q))
    length = 0.0
    for _ in range(10):
        x = Q @ (x / max(float(np.linalg.norm(x)), 1e-300))
        length = float(np.linalg.norm(x))
    return min(2.0 * length, float(np.linalg.norm(Q)), widest)


def _definite(Q: Array, shift: float) -> bool:
    """Whether Q + shift·I has a Cholesky factor; LAPACK's is the faster one from some size on."""
    if len(Q) <= FEW:
        return is_definite(np.ascontiguousarray(Q.T if Q.flags.f_contiguous else Q), shift)
    return bool(REFERENCES["is_definite"](Q, shift))
