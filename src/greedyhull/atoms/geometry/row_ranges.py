"""What a set asks of a design's rows: their largest entries, their norms, their products with atoms.

Everything is read in float64, a chunk of columns (or rows) at a time, so that no second copy of dense data is made;
sparse data stay sparse.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from greedyhull.points.arrays import compact, dense, is_sparse
from greedyhull.points.columns import columns as images
from greedyhull.types import Array, Design, Index
from greedyhull.types.kinds import stored

CHUNK = 4_000_000  # entries that are read at once


def columns(design: Design) -> Iterator[tuple[Index, Any]]:
    """The columns of the design, in order: index arrays J and A[:, J] in float64, dense or CSC.

    >>> from greedyhull.objectives.designs import design
    >>> [(J.tolist(), block.shape) for J, block in columns(design(np.eye(3)))]
    [([0, 1, 2], (3, 3))]
    """
    (d,) = design.domain
    known = stored(design)
    sparse = known is not None and is_sparse(images(known, np.arange(1), np.ones(1)))
    width = d if sparse else max(1, CHUNK // design.n)
    for start in range(0, d, width):
        J = np.arange(start, min(start + width, d))
        yield J, some_columns(design, J)


def some_columns(design: Design, J: Index) -> Any:
    """A[:, J] in float64, CSC where the design has sparse columns, else dense."""
    return compact(images(design, J, np.ones(len(J)))).astype(np.float64, copy=False)


def in_full(block: Any) -> Array:
    """A matrix of SciPy, or an array, as an array in float64."""
    return dense(block).astype(np.float64, copy=False)


def row_blocks(design: Design, chunk: int = CHUNK) -> Iterator[tuple[Index, Array]]:
    """The rows of a design of vectors, some at a time: index arrays I and A[I, :], dense in float64."""
    (d,) = design.domain
    step = max(1, chunk // d)
    for start in range(0, design.n, step):
        I = np.arange(start, min(start + step, design.n))
        yield I, in_full(some_columns(design.rows(I), np.arange(d)))


def rows(design: Design) -> Iterator[Array]:
    """Every row of the design as an array in the shape of its domain."""
    if len(design.domain) == 1:
        for _, block in row_blocks(design):
            yield from block
        return
    for i in range(design.n):
        yield np.asarray(design.rows(np.array([i])).adjoint(np.ones(1)), dtype=np.float64)


def row_extremes(design: Design, scales: Array | None = None) -> tuple[Array, Array]:
    """The least and the largest entry of every row of A diag(scales)."""
    known = stored(design)
    if scales is None and known is not None:
        low, high = known.extremes()
        return low.astype(np.float64), high.astype(np.float64)
    low, high = np.full(design.n, np.inf), np.full(design.n, -np.inf)
    for J, block in columns(design):
        scaled = block if scales is None else block * scales[None, J]
        ends = scaled.min(axis=1), scaled.max(axis=1)
        least, most = (in_full(end).ravel() for end in ends)
        low, high = np.minimum(low, least), np.maximum(high, most)
    return low, high


def row_norms(design: Design) -> Array:
    """‖aᵢ‖₂ of every row; one whose squares overflow or vanish is taken relative to its largest entry."""
    with np.errstate(over="ignore"):
        squares = _row_squares(design, np.ones(design.n))
    odd = ~((squares > 1e-280) & (squares < np.inf))
    if not odd.any():
        return np.sqrt(squares)
    low, high = row_extremes(design)
    largest = np.maximum(-low, high)
    sizes = np.where(odd & (largest > 0.0), np.maximum(largest, 1e-290), 1.0)  # one over a smaller one overflows
    return sizes * np.sqrt(_row_squares(design, sizes))


def _row_squares(design: Design, sizes: Array) -> Array:
    """Σⱼ (aᵢⱼ/sizesᵢ)² of every row."""
    squares, plain = np.zeros(design.n), bool(np.all(sizes == 1.0))
    for _, block in columns(design):
        part = block if plain else block / sizes[:, None]
        squares += np.asarray((part * part).sum(axis=1)).ravel()
    return squares


def row_spans(design: Design, widths: Array) -> Array:
    """Σⱼ |aᵢⱼ| widthsⱼ of every row."""
    total = np.zeros(design.n)
    for J, block in columns(design):
        total += np.asarray(abs(block) @ widths[J]).ravel()
    return total


def products(design: Design, V: Any) -> Array:
    """A Vᵀ for points in the rows of V, dense or CSR."""
    total = np.zeros((design.n, V.shape[0]))
    for J, block in columns(design):
        total += in_full(block @ V[:, J].T)
    return total
