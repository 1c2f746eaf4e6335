"""The shapes that atoms come in, singly and in blocks.

`Basis` is c·e_j, `Sparse` a vector with few entries, `Dense` an array, `RankOne` a matrix c·uvᵀ. A block keeps many
atoms of one shape in growing arrays; a block that is given an atom of a wider shape becomes a block of that shape.

>>> import numpy as np
>>> block = Basis(2, 1.5).block(4).append(Basis(0, -1.0))
>>> block.dots(np.array([1.0, 0.0, 2.0, 0.0]))
array([ 3., -1.])
"""

from greedyhull.points.shapes.basis import Basis, BasisBlock
from greedyhull.points.shapes.dense import Dense, DenseBlock, dense, widened
from greedyhull.points.shapes.rank_one import RankOne, RankOneBlock
from greedyhull.points.shapes.sparse import Sparse, SparseBlock

__all__ = ["Basis", "BasisBlock", "Dense", "DenseBlock", "RankOne", "RankOneBlock", "Sparse", "SparseBlock", "dense",
           "widened"]
