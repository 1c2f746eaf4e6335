"""Sets whose atoms are 0/1 structures found by an algorithm, and spanning trees."""

from __future__ import annotations

from math import frexp, prod
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import edges_of
from greedyhull.atoms.base import AtomSet, OracleBase, Sizes
from greedyhull.atoms.neighbours import Remembered
from greedyhull.errors import check
from greedyhull.points.arrays import locked
from greedyhull.points.blocks import under
from greedyhull.points.shapes import Sparse, SparseBlock
from greedyhull.types import Answer, Array, Index, Shortlist, State

EPS = float(np.finfo(np.float64).eps)


class Combinatorial(AtomSet):
    """A set of 0/1 vectors with an algorithm that finds the best one and proves it."""

    def solved(self, c: Array) -> tuple[Index, float]:
        """The places of the best structure for costs c of size at most 1, and a number that none is below, with rounding."""
        raise NotImplementedError

    def exchanges(self, c: Array, places: Index, m: int) -> list[Index]:
        """Up to m structures that differ from the best one by an exchange, cheap ones first."""
        return []

    def oracle(self, rng: np.random.Generator | None = None) -> CombinatorialOracle:
        return CombinatorialOracle(self)

    def argmin(self, g: Array) -> Sparse:
        return ones(self.solved(scaled(g)[0])[0])

    def best(self, g: Array, m: int) -> SparseBlock:
        c = scaled(g)[0]
        places = self.solved(c)[0]
        return self._sorted(g, [places, *self.exchanges(c, places, m - 1)][:m])

    def _sorted(self, g: Array, structures: list[Index]) -> SparseBlock:
        atoms = {atom.key: atom for atom in map(ones, structures)}
        block = SparseBlock(prod(self.shape), list(atoms.values()))
        return block.take(np.argsort(block.dots(g), kind="stable"))


class CombinatorialOracle(OracleBase):
    """One run of the algorithm for each question; earlier answers are its state."""

    def __init__(self, S: Combinatorial) -> None:
        self.S, self.seen, self.asked = S, Remembered(300), 0  # answers that are remembered

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        c, shift = scaled(g)
        places, lower = self.S.solved(c)
        self.asked += 1
        block = SparseBlock(g.size, [ones(places)])
        if m > 1:
            # structure beside the best one in an answer: more of them save rounds, and cost more than these in reweighting
            block = self.S._sorted(g, [places, *self.S.exchanges(c, places, min(m - 1, 1))])
        found = self.seen.kept_best(block, g, m, self.asked)
        return Shortlist(found, _slack(found[0].dot(g), lower, shift))

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        """The best structure alone, which is not remembered: who asks for one at a time does not ask for earlier ones."""
        c, shift = scaled(g)
        places, lower = self.S.solved(c)
        self.asked += 1
        atom = ones(places)
        score = atom.dot(g)
        return Answer(atom, _slack(score, lower, shift))

    def state(self) -> State:
        return {"asked": np.array(self.asked), **{f"seen.{name}": array for name, array in self.seen.state().items()}}

    def restore(self, state: State) -> None:
        self.asked = int(state["asked"])
        self.seen.restore(under("seen", state))


def _slack(score: float, lower: float, shift: int) -> float:
    """How far a structure of this score is from the bound of the scaled costs, rounding included."""
    floor = float(np.nextafter(np.ldexp(lower, shift), -np.inf))
    return max(score - floor, 0.0) + 2.0 * EPS * abs(score)


def ones(places: Index) -> Sparse:
    """The atom with 1 at these places."""
    places = np.sort(np.asarray(places, dtype=np.intp))
    return Sparse(places, np.ones(len(places)))


def scaled(g: Array) -> tuple[Array, int]:
    """g times a power of two, its largest entry between ½ and 1, and that power: nothing overflows or vanishes."""
    g = np.asarray(g, dtype=np.float64)
    check(bool(np.isfinite(g).all()), "The gradient has NaN or infinite entries; finite costs are wanted.")
    shift = frexp(float(np.abs(g).max(initial=0.0)))[1]
    return np.ldexp(g, -shift), shift


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
