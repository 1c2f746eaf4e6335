"""A mean, and a bias for each row and column of a matrix that is known at some places: what is fitted before factors are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from greedyhull.types import Array, Index

SWEEPS = 20
SHRUNK = 1.0  # entries of value zero that each bias is fitted with besides its own: few entries do not tell much


class Biases(NamedTuple):
    """W_ij is about mean + rows_i + cols_j."""

    mean: float
    rows: Array
    cols: Array

    def at(self, i: Index, j: Index) -> Array:
        """At pairs of places; −1 stands for a row or a column that is not known."""
        return np.asarray(self.mean + np.where(i >= 0, self.rows[i], 0.0) + np.where(j >= 0, self.cols[j], 0.0))


def fitted_biases(i: Index, j: Index, v: Array, shape: tuple[int, int]) -> Biases:
    """Least squares with a little ridge, by turns.

    >>> b = fitted_biases(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([1.0, 2.0, 3.0, 4.0]), (2, 2))
    >>> b.mean, bool(b.rows[0] < 0 < b.rows[1])
    (2.5, True)
    """
    mean, rows, cols = float(v.mean()), np.zeros(shape[0]), np.zeros(shape[1])
    many = [np.bincount(at, minlength=size) + SHRUNK for at, size in ((i, shape[0]), (j, shape[1]))]
    for _ in range(SWEEPS):
        rows = np.bincount(i, weights=v - mean - cols[j], minlength=shape[0]) / many[0]
        cols = np.bincount(j, weights=v - mean - rows[i], minlength=shape[1]) / many[1]
    return Biases(mean, rows, cols)


def no_biases(shape: tuple[int, int]) -> Biases:
    """All zero."""
    return Biases(0.0, np.zeros(shape[0]), np.zeros(shape[1]))
