"""The columns of any design: those it has, else products with unit vectors, one each.

Columns are numbered as the entries of a point in C order, so that they are the images of `Basis` atoms.
"""

from __future__ import annotations

from math import prod
from typing import Any, cast

import numpy as np

from greedyhull.types import Array, Columns, Design, Index
from greedyhull.types.kinds import columned


def column(A: Design, j: int) -> Array:
    """A e_j."""
    if A.has_columns:
        return cast(Columns, A).column(j)  # not by `columned`: it is asked in every step
    return _image(A, np.array([j]), np.ones(1))


def columns(A: Design, index: Index, scales: Array) -> Any:
    """The images of scalesᵢ e_j for j = indexᵢ, as columns."""
    known = columned(A)
    if known is not None:
        return known.columns(index, scales)
    images = [s * column(A, j) for j, s in zip(index.tolist(), scales.tolist(), strict=True)]
    return np.stack(images).T if images else np.zeros((A.n, 0), dtype=A.dtype)


def combine(A: Design, index: Index, c: Array) -> Array:
    """A Σ cᵢ e_j for j = indexᵢ."""
    known = columned(A)
    return _image(A, index, c) if known is None else known.combine(index, c)


def energies(A: Design, weights: Array | float) -> Array:
    """Σᵢ weightsᵢ aᵢⱼ² for every column j."""
    known = columned(A)
    if known is not None:
        return known.energies(weights)
    squares = (column(A, j).astype(np.float64) ** 2 for j in range(prod(A.domain)))
    return np.array([float(np.sum(weights * square)) for square in squares])


def gram(A: Design, Z: Any, Z2: Any = None, weights: Array | None = None) -> Array:
    """Zᵀ diag(weights) Z2 for images Z and Z2 under A; Z2 is Z where it is None."""
    known = columned(A)
    if known is not None:
        return known.gram(Z, Z2, weights)
    right = Z if Z2 is None else Z2
    return np.asarray(Z.T.dot(right if weights is None else right * weights[:, None]))


def _image(A: Design, index: Index, c: Array) -> Array:
    """A Σ cᵢ e_j by one product."""
    w = np.zeros(prod(A.domain))
    np.add.at(w, index, c)
    return A.matvec(w.reshape(A.domain))
