"""A bound below from any prices of the rows: it holds whatever solver they came from.

For x with l ≤ Ax ≤ u and lower ≤ x ≤ upper, and any y,

    ⟨g, x⟩ = ⟨y, Ax⟩ + ⟨g − A'y, x⟩ ≥ Σᵢ min yᵢ[l, u]ᵢ + Σⱼ min (g − A'y)ⱼ[lower, upper]ⱼ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.types import Array

if TYPE_CHECKING:
    from greedyhull.atoms.linear.extent import Extent
    from greedyhull.atoms.linear.rows import Rows

EPS = float(np.finfo(np.float64).eps)
SUMMED = 64.0  # NumPy adds in pairs: the error of a sum is below this times eps times the sum of sizes


def clipped(P: Rows, y: Array) -> Array:
    """y with the signs that its rows allow: none rewards a row for a side that has no end."""
    y = np.where(np.isfinite(y), y, 0.0)
    y = np.where(P.l == -np.inf, np.minimum(y, 0.0), y)
    return np.where(P.u == np.inf, np.maximum(y, 0.0), y)


def dual_bound(P: Rows, extent: Extent, g: Array, y: Array) -> float:
    """A number that ⟨g, x⟩ is nowhere below on the polytope, for any y, all rounding counted.

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
    return float(rows.sum() + columns.sum()) - min(SUMMED, P.m + P.d) * EPS * sizes - extent.max_abs(e) - tiny
