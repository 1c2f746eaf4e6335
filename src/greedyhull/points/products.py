"""Inner products of atoms, from what blocks of every shape can do."""

from __future__ import annotations

import numpy as np

from greedyhull.points.shapes import BasisBlock, dense
from greedyhull.types import Array, Block, Shape


def inner_products(rows: Block, cols: Block, shape: Shape) -> Array:
    """⟨aᵢ, bⱼ⟩ for the atoms aᵢ of ``rows`` and bⱼ of ``cols``.

    >>> block = BasisBlock(3, [0, 2, 0], [1.0, 2.0, -3.0])
    >>> inner_products(block, block.take(np.array([0, 1])), (3,))
    array([[ 1.,  0.],
           [ 0.,  4.],
           [-3.,  0.]])
    """
    if isinstance(rows, BasisBlock) and isinstance(cols, BasisBlock):
        same = rows.index[:, None] == cols.index
        return np.where(same, rows.scale[:, None] * cols.scale, 0.0)
    out = np.zeros((len(rows), len(cols)))
    for j in range(len(cols)):
        out[:, j] = rows.dots(dense(cols[j], shape))
    return out


def squares(block: Block, shape: Shape) -> Array:
    """‖dᵢ‖² for the atoms of a block.

    >>> squares(BasisBlock(3, [0, 2], [1.0, -2.0]), (3,))
    array([1., 4.])
    """
    if isinstance(block, BasisBlock):
        return np.asarray(block.scale * block.scale)
    return np.array([float(block[i].dot(dense(block[i], shape))) for i in range(len(block))])
