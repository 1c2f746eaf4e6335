"""Sets and objectives of matrices as a problem file names them: their shape comes from the data."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

import greedyhull as gh
from greedyhull.errors import check
from greedyhull.types import Shape


def l1_ball(d: int, radius: float, weights: Any = None, domain: Shape = (0,)) -> gh.L1Ball:
    """Vectors, or matrices of the shape of the data's."""
    return gh.L1Ball(d if len(domain) == 1 else domain, radius, weights=weights)


def group_l1_ball(radius: float, groups: Any = None, by: Literal["rows", "columns"] | None = None,
                  domain: Shape = (0,)) -> gh.GroupL1Ball:
    """Groups of coordinates, or of the entries of matrices; ``by`` rows or columns."""
    check((groups is None) != (by is None), "groups, one for each coordinate, or by = 'rows' or 'columns' is wanted.")
    matrix = len(domain) == 2
    check(matrix or by is None, lambda: f"by = {by!r} was given, and points are vectors; groups, one for each coordinate, are "
                                        "wanted.")
    return gh.GroupL1Ball(by if groups is None else groups, radius, shape=domain if matrix else None)


def nuclear_ball(radius: float, shape: Any = None, domain: Shape = (0,)) -> gh.NuclearBall:
    """Matrices of the shape of the data's, or of the one that is given."""
    _need_matrices(domain)
    return gh.NuclearBall(domain if shape is None else shape, radius)


def spectrahedron(n: int | None = None, trace: float = 1.0, domain: Shape = (0,)) -> gh.Spectrahedron:
    """Matrices with as many rows as the data's, or as are given."""
    _need_matrices(domain)
    return gh.Spectrahedron(domain[0] if n is None else n, trace)


def _need_matrices(domain: Shape) -> None:
    check(len(domain) == 2, "Points of this problem are vectors, and the set holds matrices. Use completion, multitask or "
                            "multinomial, or a set of vectors.")


def completion(rows: Any, cols: Any, values: Any, shape: Any = None,
               entry_loss: Literal["squared", "logistic", "huber"] | None = None, sample_weight: Any = None,
               delta: float = 1.0) -> Any:
    """Entries at places that are whole numbers from 0, if a shape is given; else at labels, numbered in sorted order."""
    if shape is None:
        (names, i), (others, j) = (np.unique(labels, return_inverse=True) for labels in (rows, cols))
        rows, cols, shape = i.ravel(), j.ravel(), (len(names), len(others))
    else:
        check(all(np.asarray(places).dtype.kind in "biuf" for places in (rows, cols)),
              "shape was given, and the rows or columns of the entries are words; leave shape out, and they are numbered.")
    return gh.completion(rows, cols, values, shape, loss=entry_loss or "squared", sample_weight=sample_weight, delta=delta)
