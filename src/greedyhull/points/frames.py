"""A few orthonormal directions along which a point moves: unit vectors, or a span that grows."""

from __future__ import annotations

import numpy as np

from greedyhull.points.shapes import BasisBlock, DenseBlock
from greedyhull.types import Array, Index
from greedyhull.types.override import KeepsFrame, override

NEW = 1e-8  # a vector of which a smaller share lies outside a span adds no direction to it


class Units(KeepsFrame):
    """The unit vectors at ``index``.

    >>> x = np.array([1.0, 2.0, 3.0])
    >>> frame = Units(3, np.array([0, 2]))
    >>> frame.write(x, np.array([7.0, 8.0]))
    >>> x
    array([7., 2., 8.])
    """

    def __init__(self, d: int, index: Index) -> None:
        self.d, self.index = d, index

    @override
    def __len__(self) -> int:
        return len(self.index)

    @property
    @override
    def block(self) -> BasisBlock:
        return BasisBlock(self.d, self.index, np.ones(len(self.index)))

    @override
    def read(self, x: Array) -> Array:
        return np.asarray(x[self.index])

    @override
    def write(self, x: Array, y: Array) -> None:
        x[self.index] = y


class Span(KeepsFrame):
    """The directions that are the rows of a matrix.

    >>> frame = Span(np.zeros((0, 3)))
    >>> grown = frame.beside(np.array([3.0, 0.0, 4.0]))
    >>> grown.rows, len(grown.beside(np.array([6.0, 0.0, 8.0])))
    (array([[0.6, 0. , 0.8]]), 1)
    """

    def __init__(self, rows: Array) -> None:
        self.rows = rows

    @override
    def __len__(self) -> int:
        return len(self.rows)

    @property
    @override
    def block(self) -> DenseBlock:
        return DenseBlock(self.rows.copy(), self.rows.shape[1:])

    @override
    def read(self, x: Array) -> Array:
        return np.asarray(self.rows.dot(x))

    @override
    def write(self, x: Array, y: Array) -> None:
        x += (y - self.rows.dot(x)).dot(self.rows)

    def beside(self, v: Array) -> Span:
        """This span and the direction of v, if v lies outside by more than rounding."""
        largest = float(np.abs(v).max(initial=0.0))
        if not 0.0 < largest < np.inf:
            return self
        rest = v / largest
        norm = float(np.linalg.norm(rest))
        for _ in range(2):  # twice is enough for orthogonality to rounding
            rest = rest / norm
            rest = rest - self.rows.dot(rest).dot(self.rows)
            left = float(np.linalg.norm(rest))
            if left <= NEW:
                return self
            norm = left
        return Span(np.concatenate([self.rows, rest[None, :] / norm]))
