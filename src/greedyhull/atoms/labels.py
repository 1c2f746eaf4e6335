"""Groups of coordinates as users give them: one label for each coordinate."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import matrix_shape
from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown
from greedyhull.points.arrays import masked
from greedyhull.types import Array, Index, Shape


def labelled(groups: Any) -> tuple[Array, Index]:
    """The different labels in sorted order, and the number of each coordinate's label among them.

    >>> labels, of = labelled(["b", "a", "b"])
    >>> labels.tolist(), of.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    wanted = "one label for each coordinate, a number or a name, is wanted"
    check(not masked(groups), f"groups has masked entries; {wanted}.")
    try:
        array = np.asarray(groups)
    except (TypeError, ValueError):
        raise GreedyhullError(f"groups = {shown(groups)} was given; {wanted}.") from None
    check(array.ndim == 1 and array.size > 0, lambda: f"groups = {shown(groups)} has shape {array.shape}; {wanted}.")
    check(array.dtype != object or all(label is not None for label in array), f"groups has labels that are None; {wanted}.")
    if array.dtype == object:
        array = np.array([str(label) for label in array]) if len({type(label) for label in array}) > 1 else array
    check(array.dtype.kind != "f" or bool(np.isfinite(array).all()), f"groups has NaN or infinite labels; {wanted}.")
    try:
        labels, of = np.unique(array, return_inverse=True)
    except TypeError:
        raise GreedyhullError(f"groups = {shown(groups)} has labels that cannot be sorted; {wanted}.") from None
    return labels, of.ravel().astype(np.intp)


class Groups:
    """Groups of the coordinates 0 … d − 1: the members of each, one after the other.

    ``shares`` is one over the number of groups that a coordinate is in.
    """

    def __init__(self, lists: list[Index], d: int) -> None:
        self.d, self.places = d, np.concatenate(lists)
        self.starts = np.concatenate([[0], np.cumsum([len(members) for members in lists])])
        counts = np.bincount(self.places, minlength=d)
        self.overlap = bool((counts > 1).any())
        self.shares = 1.0 / np.maximum(counts, 1)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def of(self) -> Index:
        """The group of each coordinate; of several, the last one."""
        found = np.empty(self.d, dtype=np.intp)
        found[self.places] = np.repeat(np.arange(len(self)), np.diff(self.starts))
        return found

    def members(self, k: int) -> Index:
        """The coordinates of group k, ascending."""
        return self.places[self.starts[k] : self.starts[k + 1]]

    def norms(self, x: Array, shares: Array | None = None) -> Array:
        """‖x_group‖₂ for every group, of a vector or of the rows of a matrix, without overflow or underflow.

        >>> grouped([0, 0, 1]).norms(np.array([3e200, 4e200, 1.0]))
        array([5.e+200, 1.e+000])
        """
        rows = np.atleast_2d(x if shares is None else x * shares)[:, self.places]
        largest = np.maximum.reduceat(np.abs(rows), self.starts[:-1], axis=1)
        sizes = np.where(largest > 0.0, largest, 1.0)
        scaled = rows / np.repeat(sizes, np.diff(self.starts), axis=1)
        norms = largest * np.sqrt(np.add.reduceat(scaled * scaled, self.starts[:-1], axis=1))
        return np.asarray(norms if np.ndim(x) == 2 else norms[0])


def grouped(groups: Any) -> Groups:
    """Groups from one label for each coordinate, or from a list with the coordinates of each group.

    >>> [grouped([[0, 2], [1, 2]]).members(k).tolist() for k in range(2)]
    [[0, 2], [1, 2]]
    """
    if isinstance(groups, Groups):
        return groups
    nested = isinstance(groups, (list, tuple)) and len(groups) > 0 and all(
        isinstance(one, (list, tuple, range, np.ndarray)) and np.ndim(one) == 1 for one in groups)
    if nested:
        return _listed(groups)
    labels, of = labelled(groups)
    by = np.argsort(of, kind="stable")
    return Groups(np.split(by, np.cumsum(np.bincount(of, minlength=len(labels)))[:-1]), len(of))


def grouped_entries(groups: Any, shape: Any = None) -> tuple[Groups, Shape]:
    """Groups as `grouped` takes them, or of the entries of matrices, and the shape of the points.

    >>> found, shape = grouped_entries("columns", (2, 3))
    >>> found.members(0), shape
    (array([0, 3]), (2, 3))
    """
    if shape is None and isinstance(groups, np.ndarray) and groups.ndim == 2 and groups.size:
        shape = groups.shape
    if shape is None:
        check(not isinstance(groups, str), lambda: f"groups = {groups!r} was given; with shape=(rows, columns), 'rows' or "
                                                   "'columns' is wanted.")
        found = grouped(groups)
        return found, (found.d,)
    m, n = matrix_shape(shape)
    if isinstance(groups, str):
        check(groups in ("rows", "columns"), lambda: f"groups = {groups!r} was given; 'rows', 'columns' or the group of each "
                                                     "entry is wanted.")
        groups = np.repeat(np.arange(m), n) if groups == "rows" else np.tile(np.arange(n), m)
    elif isinstance(groups, np.ndarray) and groups.ndim == 2:
        check(groups.shape == (m, n), lambda: f"groups has shape {groups.shape} and shape = {(m, n)} was given; the group of "
                                              "each entry is wanted.")
        groups = groups.ravel()
    found = grouped(groups)
    check(found.d == m * n, lambda: f"groups is about {found.d} entries, and matrices of shape {(m, n)} have {m * n}; each "
                                    "entry is wanted in a group.")
    return found, (m, n)


def _listed(groups: Any) -> Groups:
    lists = [_members(k, one) for k, one in enumerate(groups)]
    named = np.unique(np.concatenate(lists))
    missing = int(np.argmax(np.append(named != np.arange(len(named)), True)))  # the first that is not named
    check(missing == len(named), lambda: f"Coordinate {missing} is in no group, so that it could only be zero. Give each "
                                         "coordinate a group, one of its own if need be.")
    return Groups(lists, len(named))


def _members(k: int, given: Any) -> Index:
    """The coordinates of group k, ascending."""
    members = np.asarray(given)
    check(members.size > 0 and members.dtype.kind in "iu" and bool(((members >= 0) & (members < 2**62)).all()),
          lambda: f"Group {k} is {shown(given)}; the numbers of its coordinates, from 0 on, are wanted.")
    single = np.unique(members).astype(np.intp)
    check(len(single) == members.size, lambda: f"Group {k} names a coordinate twice: {shown(given)}.")
    return single
