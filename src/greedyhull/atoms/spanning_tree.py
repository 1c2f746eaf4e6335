"""Spanning trees of a graph, and their mixtures."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.atoms.combinatorial import EPS, Combinatorial
from greedyhull.atoms.graph import edges_of
from greedyhull.atoms.sizes import Sizes
from greedyhull.errors import check
from greedyhull.points.arrays import locked
from greedyhull.types import Array, Index


class SpanningTree(Combinatorial):
    """Mixtures of the spanning trees of a graph; a point has one entry for each edge.

    Its atoms are the trees, with 1 at their edges. The best one for g is found by Kruskal's algorithm, which only compares
    entries of g, so that its answer is exact.

    Parameters
    ----------
    edges : array_like of int, of shape (m, 2)
        The edges, as pairs of nodes. The graph is undirected; parallel edges are allowed.
    nodes : int
        The number of nodes, numbered from 0.

    See Also
    --------
    PathPolytope : Paths from one node to another.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.SpanningTree([(0, 1), (1, 2), (2, 0)], 3)
    >>> S.argmin(np.array([1.0, 3.0, 2.0])).places
    array([0, 2])
    """

    def __init__(self, edges: Any, nodes: int) -> None:
        pairs, self.nodes = edges_of(edges, nodes)
        self.edges, self.shape = locked(pairs), (len(pairs),)
        reached = len(self._tree(np.zeros(len(pairs))))
        check(reached == self.nodes - 1, f"The graph is not connected: its edges join {self.nodes} nodes into "
                                         f"{self.nodes - reached} parts. Add edges, or leave out nodes that have none.")

    def __repr__(self) -> str:
        return f"SpanningTree({self.shape[0]} edges, {self.nodes} nodes)"

    def _tree(self, c: Array) -> Index:
        """The edges of a least spanning forest; edges of equal cost in the order in which they were given."""
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import minimum_spanning_tree

        order = np.argsort(c, kind="stable")
        low, high = self.edges[order].min(axis=1), self.edges[order].max(axis=1)
        _, first = np.unique(low * self.nodes + high, return_index=True)  # of parallel edges the cheapest
        ranks = first + 1.0  # compared in place of costs: SciPy takes a cost of 0 for no edge
        graph = csr_matrix((ranks, (low[first], high[first])), shape=(self.nodes, self.nodes))
        return np.sort(order[np.asarray(minimum_spanning_tree(graph).data, dtype=np.intp) - 1])

    def solved(self, c: Array) -> tuple[Index, float]:
        """The tree; no tree costs less than it, up to the rounding of its own sum."""
        tree = self._tree(c)
        return tree, float(c[tree].sum()) - len(tree) * EPS * float(np.abs(c[tree]).sum())

    def exchanges(self, c: Array, places: Index, m: int) -> list[Index]:
        """Edges that are not in the tree, the cheapest first, each in place of the dearest on the way between its ends."""
        others = np.setdiff1d(np.argsort(c, kind="stable")[: 2 * (m + len(places))], places)
        others = others[np.argsort(c[others], kind="stable")][: max(m, 0)]
        parent, edge, depth = self._rooted(places)
        found = []
        for e in others.tolist():
            u, v = self.edges[e].tolist()
            way = []
            while u != v:
                if depth[u] < depth[v]:
                    u, v = v, u
                way.append(edge[u])
                u = parent[u]
            out = max(way, key=lambda k: c[k])
            found.append(np.append(places[places != out], e))
        return found

    def _rooted(self, places: Index) -> tuple[list[int], list[int], list[int]]:
        """Parent, edge to it, and depth of each node of the tree, with node 0 as its root."""
        near: list[list[tuple[int, int]]] = [[] for _ in range(self.nodes)]
        for e in places.tolist():
            u, v = self.edges[e].tolist()
            near[u].append((v, e))
            near[v].append((u, e))
        parent, edge, depth = [-1] * self.nodes, [-1] * self.nodes, [0] * self.nodes
        wait = [0]
        while wait:
            u = wait.pop()
            for v, e in near[u]:
                if e != edge[u]:
                    parent[v], edge[v], depth[v] = u, e, depth[u] + 1
                    wait.append(v)
        return parent, edge, depth

    def max_abs(self, c: Array) -> float:
        """From above: the nodes − 1 largest entries."""
        c, k = np.broadcast_to(np.asarray(c, dtype=np.float64), self.shape), self.nodes - 1
        return float(np.partition(c, len(c) - k)[len(c) - k :].sum()) if k else 0.0

    def sizes(self) -> Sizes:
        """From above: trees that share as few edges as there can be."""
        k = self.nodes - 1
        apart = 2.0 * min(k, self.shape[0] - k)
        return Sizes.of(np.sqrt(apart), min(np.sqrt(apart), np.sqrt(k)), "upper bound")
