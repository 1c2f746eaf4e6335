"""Unit flows as mixtures of paths, in graphs with cycles.

A unit flow on edges without a cycle is a mixture of paths. With cycles it may be one or not: a path and a circulation beside
it is none. To tell is as hard as to find a longest path, so that paths are listed, as many as can be, and a linear program
says whether the flow is a mixture of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from greedyhull.types import Array, Index

PATHS, STEPS = 2000, 50_000  # the most paths that are listed, and the most edges that are looked at


class Mixture(NamedTuple):
    """Paths, each by its edges, with weights that sum to one, and whether all paths were looked at: where ``ways`` is empty,
    the flow is no mixture, or with ``all`` False, none that was found."""

    ways: list[Index]
    weights: Array
    all: bool


def acyclic(edges: Index, nodes: int) -> bool:
    """Whether a graph has no cycle: each node is strongly connected to itself alone."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    graph = csr_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(nodes, nodes))
    count: Any = connected_components(graph, directed=True, connection="strong", return_labels=False)
    return bool(count == nodes)


def simple_paths(edges: Index, on: Index, source: int, target: int) -> tuple[list[Index], bool]:
    """Paths from source to target along the edges ``on``, none of which meets a node twice, and whether these are all."""
    out: dict[int, list[int]] = {}
    for e in on.tolist():
        out.setdefault(int(edges[e, 0]), []).append(e)
    ways: list[Index] = []
    way: list[int] = []
    met = {source}
    left = [iter(out.get(source, []))]
    for _ in range(STEPS):
        e = next(left[-1], None)
        if e is None:
            left.pop()
            if not left:
                return ways, True
            met.discard(int(edges[way.pop(), 1]))
            continue
        node = int(edges[e, 1])
        if node == target:
            if len(ways) == PATHS:
                return ways, False
            ways.append(np.array([*way, e], dtype=np.intp))
        elif node not in met:
            way.append(e)
            met.add(node)
            left.append(iter(out.get(node, [])))
    return ways, False


def mixed(ways: list[Index], x: Array, near: float) -> Array | None:
    """Weights with which paths give x, each entry up to ``near``; None where there are none."""
    from scipy.optimize import linprog
    from scipy.sparse import csc_array, hstack, vstack

    if not ways:
        return None
    starts = np.cumsum([0, *(len(way) for way in ways)])
    P = csc_array((np.ones(starts[-1]), np.concatenate(ways), starts), shape=(len(x), len(ways)))
    off = csc_array(-np.ones((len(x), 1)))
    rows: Any = csc_array(vstack([hstack([P, off]), hstack([-P, off])]))
    sums = np.append(np.ones(len(ways)), 0.0)[None, :]
    found = linprog(np.append(np.zeros(len(ways)), 1.0), A_ub=rows, b_ub=np.concatenate([x, -x]), A_eq=sums, b_eq=[1.0],
                    bounds=(0, None))
    if found.x is None:
        return None
    weights = np.maximum(found.x[:-1], 0.0)
    weights /= weights.sum()
    return weights if float(np.abs(P @ weights - x).max()) <= near else None


def mixture(edges: Index, on: Index, ends: tuple[int, int], x: Array, near: float) -> Mixture:
    """A flow along the edges ``on`` as a mixture of paths between two nodes, if it is one."""
    ways, all_ = simple_paths(edges, on, *ends)
    weights = mixed(ways, x, near)
    if weights is None:
        return Mixture([], np.zeros(0), all_)
    used = np.flatnonzero(weights > 0.0)
    return Mixture([ways[k] for k in used.tolist()], weights[used], all_)
