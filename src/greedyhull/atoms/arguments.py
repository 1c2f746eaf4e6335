"""Checks of what a set is given: numbers, shapes, points, groups, graphs."""

from __future__ import annotations

from functools import cached_property
from math import frexp
from typing import Any

import numpy as np

from greedyhull.atoms.neighbours import all_finite
from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.points.arrays import masked
from greedyhull.types import Array, Index, Shape, lacks

HUGE = 1e150  # squares of larger numbers overflow
LONGEST = 2**40  # coordinates: a vector of them takes eight terabytes


def array_of(w: Any) -> Array:
    """The coordinates of an iterate, an atom or an array."""
    if type(w) is not np.ndarray and not lacks(w, "array") and callable(w.array):
        return np.asarray(w.array())
    check(not masked(w), "The point has masked entries, which stand for no number.")
    try:
        found = np.asarray(w)
        check(found.dtype.kind in "biuf", lambda: f"The point {shown(w)} was given; an array of real numbers is wanted.")
    except (TypeError, ValueError) as error:
        if isinstance(error, GreedyhullError):
            raise
        raise GreedyhullError(f"The point is a {type(w).__name__} that is no array; an array, an iterate or the point of a "
                              "solution is wanted.") from None
    return found.astype(np.float64, copy=False)


def numbers(values: Any, name: str, ceiling: float = np.inf) -> Array:
    """values as a new array of finite float64 numbers, cut off at ``ceiling``."""
    try:
        plain = not masked(values) and not np.iscomplexobj(values)
        array = np.array(values, dtype=np.float64, order="C") if plain else np.empty(0)
    except (TypeError, ValueError):
        raise GreedyhullError(f"{name} = {shown(values)} was given; numbers are wanted, in rows of equal length.") from None
    check(plain, lambda: f"{name} has masked or complex entries; real numbers are wanted.")
    if ceiling < np.inf:
        array = np.minimum(array, ceiling)
    check(all_finite(array), lambda: f"{name} holds NaN or infinite values; finite numbers are wanted.")
    sizes = np.abs(array)
    check(not array.size or sizes.item(sizes.argmax()) <= HUGE,
          lambda: f"{name} has entries above {HUGE:g}, whose squares overflow. Scale it down.")
    return array


def scaled(g: Array, power: int = 0) -> tuple[Array, int]:
    """g·2^−k, whose largest entry is from 2^(power − 1) to 2^power, and k: no sum overflows or vanishes."""
    g = np.asarray(g, dtype=np.float64)
    check(bool(np.isfinite(g).all()), "The gradient has NaN or infinite entries; finite costs are wanted.")
    k = frexp(float(np.abs(g).max(initial=0.0)))[1] - power
    return np.ldexp(g, -k), k


def is_whole(value: Any, least: int, most: float = np.inf) -> bool:
    """Whether a value is a whole number from ``least`` to ``most``."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(least <= value <= most)


def is_number(value: Any) -> bool:
    """Whether a value is a real number, of Python or NumPy."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def dimension(d: Any) -> int:
    """d as a whole number of coordinates, at least one."""
    given = d.shape if isinstance(d, np.ndarray) and d.ndim == 2 else (0, 0)  # of data in place of their number of columns
    such = f", such as {given[1]}, the number of columns of the data" if given[1] else ""
    check(is_whole(d, 1), lambda: f"A dimension of {shown(d)} was given; a whole number of at least 1 is wanted{such}.")
    check(int(d) <= LONGEST, lambda: f"A dimension of {shown(d)} was given; at most {LONGEST} is wanted, for no gradient is "
                                     "longer than memory.")
    return int(d)


def positive(value: Any, name: str) -> float:
    """value as a positive finite number."""
    # HUGE overflows in float32
    good = is_number(value) and bool(0 < (float(value) if isinstance(value, np.floating) else value) <= HUGE)
    check(good, lambda: f"{name} = {shown(value)} was given; a positive finite number (at most {HUGE:g}) is wanted.")
    return float(value)


def count_of(K: Any, d: int) -> int:
    """K as a whole number of entries, from 1 to d."""
    check(is_whole(K, 1, d),
          lambda: f"K = {shown(K)} was given, the number of entries of an atom in {d} dimensions; a whole number from 1 to "
                  f"{d} is wanted.")
    return int(K)


def whole_shape(shape: Any) -> Shape:
    """A shape as it is written for arrays: a whole number, or several."""
    sizes = np.atleast_1d(np.asarray(shape))
    check(sizes.ndim == 1 and sizes.size > 0 and sizes.dtype.kind in "iu" and bool((sizes > 0).all()),
          lambda: f"shape = {shown(shape)} was given; a positive whole number, or a tuple of them, is wanted.")
    return tuple(sizes.tolist())


def matrix_shape(shape: Any) -> tuple[int, int]:
    """The shape of a matrix: two positive whole numbers."""
    given = shape if isinstance(shape, (tuple, list)) or (isinstance(shape, np.ndarray) and shape.ndim == 1) else ()
    if isinstance(shape, np.ndarray) and len(given) and shape.dtype.kind == "f" and bool((shape == np.floor(shape)).all()):
        given = shape.astype(np.int64)  # as numbers in a file are read
    good = len(given) == 2 and all(is_whole(k, 1) for k in given)
    check(good, lambda: f"shape = {shown(shape)} was given; two positive whole numbers, (rows, columns), are wanted.")
    return int(given[0]), int(given[1])


def edges_of(edges: Any, nodes: Any) -> tuple[Index, int]:
    """Edges as an array of pairs of nodes 0, …, nodes − 1, none from a node to itself."""
    check(is_whole(nodes, 1),
          lambda: f"nodes = {shown(nodes)} was given; the number of nodes, a whole number of at least 1, is wanted. Nodes are "
                  "numbered from 0; np.unique(edges, return_inverse=True) numbers their names.")
    n = int(nodes)
    check(n <= LONGEST, lambda: f"nodes = {shown(nodes)} was given; at most {LONGEST} are wanted, for no dimension is larger "
                                "than memory.")
    try:
        pairs = np.array(edges)
    except ValueError:
        raise GreedyhullError(f"edges = {shown(edges)} was given; pairs of nodes are wanted.") from None
    check(pairs.ndim == 2 and pairs.shape[1:] == (2,) and len(pairs) > 0 and pairs.dtype.kind in "iu",
          lambda: f"edges = {shown(edges)} was given; an array of shape (m, 2) with a pair of nodes, whole numbers, for each "
                  "edge is wanted.")
    out = np.flatnonzero(((pairs < 0) | (pairs >= n)).any(axis=1))
    check(not len(out), lambda: f"Edge {out[0]}, {tuple(pairs[out[0]].tolist())}, names a node out of range; nodes are "
                                f"numbered from 0 to {n - 1}.")
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    check(not len(loops), lambda: f"Edge {loops[0]} goes from node {pairs[loops[0], 0]} to itself; leave it out.")
    return pairs.astype(np.intp), n


def node_of(node: Any, nodes: int, name: str) -> int:
    """A node by its number."""
    check(is_whole(node, 0, nodes - 1),
          lambda: f"{name} = {shown(node)} was given; the number of a node, from 0 to {nodes - 1}, is wanted.")
    return int(node)


def labelled(groups: Any) -> tuple[Array, Index]:
    """The different labels in sorted order, and the number of each coordinate's label among them."""
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
    """Groups of the coordinates 0 … d − 1; ``shares`` is one over the number of groups that a coordinate is in."""

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
        """‖x_group‖₂ for every group, of a vector or of the rows of a matrix, without overflow or underflow."""
        rows = np.atleast_2d(x if shares is None else x * shares)[:, self.places]
        largest = np.maximum.reduceat(np.abs(rows), self.starts[:-1], axis=1)
        sizes = np.where(largest > 0.0, largest, 1.0)
        scaled = rows / np.repeat(sizes, np.diff(self.starts), axis=1)
        norms = largest * np.sqrt(np.add.reduceat(scaled * scaled, self.starts[:-1], axis=1))
        return np.asarray(norms if np.ndim(x) == 2 else norms[0])


def _members(k: int, given: Any) -> Index:
    members = np.asarray(given)
    check(members.size > 0 and members.dtype.kind in "iu" and bool(((members >= 0) & (members < 2**62)).all()),
          lambda: f"Group {k} is {shown(given)}; the numbers of its coordinates, from 0 on, are wanted.")
    single = np.unique(members).astype(np.intp)
    check(len(single) == members.size, lambda: f"Group {k} names a coordinate twice: {shown(given)}.")
    return single


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
        lists = [_members(k, one) for k, one in enumerate(groups)]
        named = np.unique(np.concatenate(lists))
        missing = int(np.argmax(np.append(named != np.arange(len(named)), True)))  # the first that is not named
        check(missing == len(named), lambda: f"Coordinate {missing} is in no group, so that it could only be zero. Give each "
                                             "coordinate a group, one of its own if need be.")
        return Groups(lists, len(named))
    labels, of = labelled(groups)
    by = np.argsort(of, kind="stable")
    return Groups(np.split(by, np.cumsum(np.bincount(of, minlength=len(labels)))[:-1]), len(of))


def grouped_entries(groups: Any, shape: Any = None) -> tuple[Groups, Shape]:
    """Groups as `grouped` takes them, or of the entries of matrices, and the shape of the points."""
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

