"""What rounding can do to the gap of a quadratic at a point, from the entries of Q that the point meets.

Let w have m coordinates and E = maxᵢ Σⱼ |Qᵢⱼ||wⱼ|, and u = eps/2. An entry of z = Qw that was computed from w is off by at
most (m + 3)u·E. In value − lower bound it counts ½ times by the value and twice by the gap, each times the size of the set;
the sums ⟨w, z⟩, ⟨w, b⟩ and ⟨w, z − b⟩ add (m + 8)u times the sizes of their terms. So does ⟨v, z − b⟩ for the best
atom v, with its own number of coordinates: one, where w keeps atoms of one coordinate each; up to d, where it keeps none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.designs.sparse import SparseDesign
from greedyhull.types import Array, Design

if TYPE_CHECKING:
    from greedyhull.objectives.quadratic import QuadraticForm
    from greedyhull.points.iterate import Iterate

EPS = float(np.finfo(np.float64).eps)


def form_rounding(f: QuadraticForm, w: Iterate, size: float, linear: float) -> float:
    """An allowance for value − lower bound at w, whose image was computed from its coordinates; infinite where none is known.

    ``size`` and ``linear`` are max ‖·‖₁ and max ⟨|b|, ·⟩ over the set.
    """
    x = w.absolute().ravel()
    index = x.nonzero()[0]
    many = max(len(w), len(index)) if w.keeps_atoms else len(x)
    largest = _largest(f.design, index, x[index])
    z, g = f.at(w).z, f.gradient(w)
    seen = float(np.abs(z).max()) + 2.0 * float(np.abs(g).max())
    # a quarter more: for products of errors, and for rounding of the bound itself
    return 1.25 * EPS * (many + 16) * (size * (1.25 * largest + 0.5 * seen) + 0.5 * linear)


def _largest(design: Design, index: Array, x: Array) -> float:
    """maxᵢ Σⱼ |Qᵢⱼ| xⱼ over the columns j of ``index``."""
    if isinstance(design, DenseDesign):
        return float((x @ np.abs(design.X[index])).max())  # Q is symmetric, and rows are read faster
    if isinstance(design, SparseDesign):
        return float((abs(design.by_column[:, index]) @ x).max())
    return float(np.inf)
