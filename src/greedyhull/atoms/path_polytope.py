"""Paths from one node of a graph to another, and their mixtures."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from greedyhull.atoms.arguments import array_of, edges_of, node_of
from greedyhull.atoms.base import NEAR, SAME, Sizes
from greedyhull.atoms.combinatorial import EPS, Combinatorial, ones
from greedyhull.errors import GreedyhullError, check
from greedyhull.points.arrays import locked
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Sparse, SparseBlock
from greedyhull.types import Array, Atom, Index


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
    """The least length of a way to each node of a graph with cycles, and the node before it on that way."""
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
            back = np.where(before[0] < 0, source, before[0])
            for _ in range(nodes.bit_length()):  # twice as many steps each time
                back = back[back]
            if (back == source).all():  # the nodes before nodes lead to the source, and not round a cycle
                return far[0], before[0]
    cycle = " → ".join(map(str, _cycle(edges, c, nodes)))
    raise GreedyhullError(f"The gradient makes the cycle {cycle} negative in length, so no path is shortest. Give a graph "
                          "without cycles, or costs that are at least 0.")


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


class Mixture(NamedTuple):
    """Paths by their edges, none where no mixture was found; weights that sum to one; and whether all paths were tried."""

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
    for _ in range(50_000):  # the most edges that are looked at
        e = next(left[-1], None)
        if e is None:
            left.pop()
            if not left:
                return ways, True
            met.discard(int(edges[way.pop(), 1]))
            continue
        node = int(edges[e, 1])
        if node == target:
            if len(ways) == 2000:  # the most paths that are listed
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


class PathPolytope(Combinatorial):
    """Unit flows from one node of a directed graph to another; a point has one entry for each edge.

    Its atoms are the paths, with 1 at their edges. No path meets a node twice: a path with a circulation is no point of the
    set. A shortest path for g is found by dynamic programming in a graph without cycles, else by Dijkstra's algorithm where
    g ≥ 0 and by that of Bellman and Ford otherwise. A cycle of negative length raises an error.

    Parameters
    ----------
    edges : array_like of int, of shape (m, 2)
        The edges (tail, head).
    nodes : int
        The number of nodes, numbered from 0.
    source : int
        Where the paths begin.
    target : int
        Where they end.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.PathPolytope([(0, 1), (1, 3), (0, 2), (2, 3)], 4, source=0, target=3)
    >>> S.argmin(np.array([1.0, 1.0, 2.0, -1.0])).places
    array([2, 3])
    """

    def __init__(self, edges: Any, nodes: int, source: int, target: int) -> None:
        pairs, self.nodes = edges_of(edges, nodes)
        self.source, self.target = node_of(source, self.nodes, "source"), node_of(target, self.nodes, "target")
        check(self.source != self.target, f"source and target are both {self.source}; two different nodes are wanted.")
        self.edges, self.shape = locked(pairs), (len(pairs),)
        self._used = joined(pairs, self.nodes, self.source, self.target)
        check(len(self._used) > 0, f"No path leads from node {self.source} to node {self.target}. Edges are (tail, head); are "
                                   "some the wrong way round?")
        self._levels: Levels | None = levels_of(pairs[self._used], self.nodes, self.source)
        self._longest = min(self.nodes - 1, len(self._used)) if self._levels is None else self._levels.count
        self._into = {int(v): self._used[pairs[self._used, 1] == v] for v in np.unique(pairs[self._used, 1])}

    def __repr__(self) -> str:
        return f"PathPolytope({self.shape[0]} edges, {self.nodes} nodes, {self.source} to {self.target})"

    @property
    def acyclic(self) -> bool:
        """Whether no path meets a cycle."""
        return self._levels is not None

    def _lengths(self, c: Array) -> tuple[Array, Index | None]:
        """The least length of a path to each node, infinite where none leads; in a graph with cycles also the node before."""
        used = self._used
        if self._levels is not None:
            return self._levels.least(c[used]), None
        return distances(self.edges[used], c[used], self.nodes, self.source)

    def _way(self, c: Array, far: Array, before: Index | None, node: int) -> Index:
        """The edges of a shortest path to a node, found backwards."""
        way: list[int] = []
        while node != self.source:
            into = self._into[node]
            if before is not None:  # by lengths alone one might turn round on a cycle of length 0
                into = into[self.edges[into, 0] == before[node]]
            e = int(into[(far[self.edges[into, 0]] + c[into]).argmin()])
            way.append(e)
            node = int(self.edges[e, 0])
        return np.array(way[::-1], dtype=np.intp)

    def solved(self, c: Array) -> tuple[Index, float]:
        """The path and a bound: π(target) and, for each edge, the least reduced length g − (π(head) − π(tail))."""
        far, before = self._lengths(c)
        tail, head = far[self.edges[self._used, 0]], far[self.edges[self._used, 1]]
        own = c[self._used]
        reduced = own - (head - tail) - 4.0 * EPS * (np.abs(own) + np.abs(head) + np.abs(tail))
        lower = float(far[self.target]) + self._longest * min(float(reduced.min()), 0.0)
        return self._way(c, far, before, self.target), lower

    def exchanges(self, c: Array, places: Index, m: int) -> list[Index]:
        """Paths that come into a node of the best one by another edge, those with the least detour first."""
        (far, before), found = self._lengths(c), []
        nodes = self.edges[places, 1]
        into = [self._into[int(v)] for v in nodes]
        ends = np.repeat(np.arange(len(nodes)), [len(edges) for edges in into])
        edges = np.concatenate(into)
        detour = c[edges] + far[self.edges[edges, 0]] - far[self.edges[edges, 1]]
        order = np.flatnonzero(edges != places[ends])
        for k in order[np.argsort(detour[order], kind="stable")][: max(m, 0)].tolist():
            e, after = int(edges[k]), places[ends[k] + 1 :]
            way = np.concatenate([self._way(c, far, before, int(self.edges[e, 0])), [e], after]).astype(np.intp)
            if self.acyclic or len(set(self.edges[way, 1].tolist()) | {self.source}) == len(way) + 1:
                found.append(way)
        return found

    def contains(self, w: Any, tol: float = 1e-9) -> bool:
        return self._by_atoms(w) or self._has(array_of(w), tol)

    def excludes(self, w: Any, tol: float = 1e-9) -> bool:
        """Whether the point certainly lies outside: no unit flow, or no mixture of paths after all of them were listed."""
        x = array_of(w)
        if self._by_atoms(w):
            return False
        if x.shape != self.shape or not np.isfinite(x).all() or not self._flows(x, tol):
            return True
        found = self._mixture(x, tol)
        return found is not None and not found.ways and found.all

    def _by_atoms(self, w: Any) -> bool:
        """Whether w is kept as atoms that are paths, with weights of a mixture."""
        if self.acyclic or not isinstance(w, Iterate) or not w.keeps_atoms or w.shape != self.shape:
            return False
        good = bool((w.weights >= 0.0).all()) and abs(float(w.weights.sum()) - 1.0) <= 1e-9
        return good and all(self._is_path(w.block[i]) for i in range(len(w)))

    def _is_path(self, d: Atom) -> bool:
        if not isinstance(d, Sparse) or not len(d.places) or not (d.entries == 1.0).all():
            return False
        steps = dict(self.edges[d.places].tolist())
        node, last = self.source, self.target not in steps
        for _ in range(len(d.places)):
            node = steps.pop(node, -1)
        return last and node == self.target and not steps

    def _holds(self, x: Array, tol: float) -> bool:
        if not self._flows(x, tol):
            return False
        found = self._mixture(x, tol)
        return found is None or len(found.ways) > 0

    @property
    def resolution(self) -> float:
        """Where flows may run round cycles, that of the linear program that looks for a mixture."""
        return SAME if self.acyclic else NEAR

    def _near(self, x: Array, tol: float) -> float:
        return max(tol, 4.0 * EPS) * max(1.0, float(np.abs(x).max()))

    def _mixture(self, x: Array, tol: float) -> Mixture | None:
        """A unit flow as paths where it runs round cycles; None where it does not, and so is a mixture."""
        near = self._near(x, tol)
        on = np.flatnonzero(x > near)
        if self.acyclic or acyclic(self.edges[on], self.nodes):
            return None
        ways, all_ = simple_paths(self.edges, on, self.source, self.target)
        weights = mixed(ways, x, max(2.0 * near, NEAR))
        if weights is None:
            return Mixture([], np.zeros(0), all_)
        used = np.flatnonzero(weights > 0.0)
        return Mixture([ways[k] for k in used.tolist()], weights[used], all_)

    def _flows(self, x: Array, tol: float) -> bool:
        """Whether x is a unit flow on edges that lie on paths."""
        near = self._near(x, tol)
        net = np.bincount(self.edges[:, 1], weights=x, minlength=self.nodes) - np.bincount(
            self.edges[:, 0], weights=x, minlength=self.nodes)
        net[self.source] += 1.0
        net[self.target] -= 1.0
        idle = np.ones(len(x), dtype=bool)
        idle[self._used] = False
        return bool((x >= -near).all() and (np.abs(net) <= near).all() and (x[idle] <= near).all() and (x <= 1.0 + near).all())

    def decompose(self, w: Array) -> Iterate:
        """Take out paths along the edges with the largest flow; where it runs round cycles, solve a linear program."""
        x = self._inside(w)
        found = self._mixture(x, 1e-9)
        if found is not None:
            return Iterate(SparseBlock(self.shape[0], [ones(way) for way in found.ways]), found.weights, self.shape)
        left = np.maximum(x, 0.0)
        atoms, weights, total = [], [], 0.0
        outof = {int(v): self._used[self.edges[self._used, 0] == v] for v in np.unique(self.edges[self._used, 0])}
        while total < 1.0 - 1e-13:
            way: list[int] = []
            node = self.source
            while node != self.target and len(way) <= self._longest:
                e = int(outof[node][left[outof[node]].argmax()])
                way.append(e)
                node = int(self.edges[e, 1])
            least = float(left[way].min())
            if least <= 1e-15 or node != self.target:
                break
            left[way] -= least
            total += least
            atoms.append(ones(np.array(way)))
            weights.append(least)
        check(total > 1.0 - 1e-6, lambda: f"{self!r} cannot write the array as a mixture of paths.")
        return Iterate(SparseBlock(self.shape[0], atoms), np.array(weights) / total, self.shape).merged()

    def max_abs(self, c: Array) -> float:
        """From above: a path enters each node at most once, and without cycles one node of each level."""
        c = np.broadcast_to(np.asarray(c, dtype=np.float64), self.shape)[self._used]
        if self._levels is not None:
            return self._levels.most(c)
        most = np.zeros(self.nodes)
        np.maximum.at(most, self.edges[self._used, 1], c)
        return float(most.sum())

    def sizes(self) -> Sizes:
        apart = 2.0 * min(self._longest, len(self._used) / 2)
        return Sizes.of(np.sqrt(apart), min(np.sqrt(apart), np.sqrt(self._longest)), "upper bound")
