"""Shortest paths from one node: level by level where there are no cycles, else by SciPy."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from greedyhull.atoms.combinatorial import EPS
from greedyhull.errors import GreedyhullError
from greedyhull.types import Array, Index


def joined(edges: Index, nodes: int, source: int, target: int) -> Index:
    """The edges that lie on a way from source to target which meets these two only at its ends."""
    on = np.flatnonzero((edges[:, 1] != source) & (edges[:, 0] != target))  # first: what lies behind either is on no path
    kept = edges[on]
    ahead, back = _reached(kept, nodes, source), _reached(kept[:, ::-1], nodes, target)
    return on[ahead[kept[:, 0]] & back[kept[:, 1]]]


def _reached(edges: Index, nodes: int, first: int) -> Array:
    """Which nodes can be reached from the first."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import breadth_first_order

    graph = csr_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(nodes, nodes))
    seen = np.zeros(nodes, dtype=bool)
    seen[breadth_first_order(graph, first, return_predecessors=False)] = True
    return seen


class Levels:
    """A graph without cycles in order: the level of a node is the most edges on a way to it."""

    def __init__(self, edges: Index, nodes: int, source: int, level: Index) -> None:
        self.nodes, self.source = nodes, source
        self.order = np.lexsort((edges[:, 1], level[edges[:, 1]]))
        tails, heads = edges[self.order, 0], edges[self.order, 1]
        starts = np.flatnonzero(np.concatenate([[True], heads[1:] != heads[:-1]]))  # where the edges into the next node begin
        self.by_level = np.flatnonzero(np.concatenate([[True], np.diff(level[heads]) > 0]))
        self.count, self.groups = len(self.by_level), []
        ends = [*self.by_level[1:].tolist(), len(heads)]
        for a, b in zip(self.by_level.tolist(), ends, strict=True):
            inner = starts[(starts >= a) & (starts < b)]
            self.groups.append((a, b, tails[a:b], inner - a, heads[inner]))

    def least(self, c: Array) -> Array:
        """The least length of a way to each node."""
        far, c = np.full(self.nodes, np.inf), c[self.order]
        far[self.source] = 0.0
        for a, b, tails, inner, heads in self.groups:
            far[heads] = np.minimum.reduceat(far[tails] + c[a:b], inner)
        return far

    def most(self, c: Array) -> float:
        """The sum over the levels of the largest entry of an edge into it."""
        return float(np.maximum.reduceat(c[self.order], self.by_level).sum())


def levels_of(edges: Index, nodes: int, source: int) -> Levels | None:
    """The levels of a graph, or None where it has a cycle. All edges lie on ways from the source."""
    level, waits = np.zeros(nodes, dtype=np.intp), np.bincount(edges[:, 1], minlength=nodes)
    order = np.argsort(edges[:, 0], kind="stable")
    starts = np.searchsorted(edges[order, 0], np.arange(nodes + 1))
    front, passed = np.array([source]), 0
    while len(front):
        out = np.concatenate([order[starts[v] : starts[v + 1]] for v in front.tolist()])
        heads = edges[out, 1]
        np.maximum.at(level, heads, level[edges[out, 0]] + 1)
        np.subtract.at(waits, heads, 1)
        passed += len(out)
        heads = np.unique(heads)
        front = heads[waits[heads] == 0]
    return Levels(edges, nodes, source, level) if passed == len(edges) else None


def distances(edges: Index, c: Array, nodes: int, source: int) -> tuple[Array, Index]:
    """The least length of a way to each node of a graph with cycles, and the node before it on that way.

    An error names the nodes of a cycle of negative length. One that is negative by rounding alone is none: then all edges
    count as longer by what rounding may do.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, dijkstra

    order = np.lexsort((c, edges[:, 1], edges[:, 0]))
    pairs = edges[order]
    first = np.concatenate([[True], (pairs[1:] != pairs[:-1]).any(axis=1)])  # of parallel edges the cheapest
    at = order[first]
    search = dijkstra if (c >= 0.0).all() else bellman_ford
    for more in (0.0, 4.0 * EPS * nodes):
        graph = csr_matrix((c[at] + more, (edges[at, 0], edges[at, 1])), shape=(nodes, nodes))
        with suppress(NegativeCycleError):
            far, before = search(graph, indices=np.array([source]), return_predecessors=True)
            if _leads_back(before[0], source):
                return far[0], before[0]
    cycle = " → ".join(map(str, _cycle(edges, c, nodes)))
    raise GreedyhullError(f"The gradient makes the cycle {cycle} negative in length, so no path is shortest. Give a graph "
                          "without cycles, or costs that are at least 0.")


def _leads_back(before: Index, source: int) -> bool:
    """Whether the nodes before nodes lead to the source, and not round a cycle."""
    at = np.where(before < 0, source, before)
    for _ in range(len(at).bit_length()):  # twice as many steps each time
        at = at[at]
    return bool((at == source).all())


def _cycle(edges: Index, c: Array, nodes: int) -> list[int]:
    """The nodes of a cycle of negative length."""
    far, before = np.zeros(nodes), np.full(nodes, -1)
    last = 0
    for _ in range(nodes + 1):
        ahead = far[edges[:, 0]] + c
        better = np.flatnonzero(ahead < far[edges[:, 1]])
        better = better[np.argsort(-ahead[better], kind="stable")]  # the last to be written is the best
        far[edges[better, 1]], before[edges[better, 1]] = ahead[better], edges[better, 0]
        last = int(edges[better[-1], 1]) if len(better) else last
    for _ in range(nodes):  # back onto the cycle
        last = int(before[last])
    cycle = [last]
    while len(cycle) == 1 or cycle[-1] != last:
        cycle.append(int(before[cycle[-1]]))
    return cycle[::-1]
