"""Sets whose atoms an algorithm finds: spanning trees, permutation matrices, permutations of numbers."""

from __future__ import annotations

from functools import lru_cache
from math import fsum, prod
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import dimension, edges_of, numbers, scaled
from greedyhull.atoms.base import AtomSet, OracleBase, Sizes
from greedyhull.atoms.box import room_above
from greedyhull.atoms.geometry import CHUNK, row_blocks
from greedyhull.atoms.neighbours import Remembered, lowest
from greedyhull.atoms.regions import RowsRegion
from greedyhull.errors import GreedyhullError, check
from greedyhull.kernels.polyhedral_qp import Polyhedron
from greedyhull.points.arrays import length, locked
from greedyhull.points.blocks import under
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Dense, DenseBlock, Sparse, SparseBlock
from greedyhull.theory import Constant
from greedyhull.types import Answer, Array, Atom, Design, Index, Shortlist, State

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
        # one structure beside the best one: more of them save rounds, and cost more than these in reweighting
        block = self.S._sorted(g, [places, *(self.S.exchanges(c, places, 1) if m > 1 else [])])
        found = self.seen.kept_best(block, g, m, self.asked)
        return Shortlist(found, _slack(found[0].dot(g), lower, shift))

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        c, shift = scaled(g)
        places, lower = self.S.solved(c)
        self.asked += 1
        atom = ones(places)
        return Answer(atom, _slack(atom.dot(g), lower, shift))

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
        near: list[list[tuple[int, int]]] = [[] for _ in range(self.nodes)]
        for e in places.tolist():
            u, v = self.edges[e].tolist()
            near[u].append((v, e))
            near[v].append((u, e))
        parent, edge, depth = [-1] * self.nodes, [-1] * self.nodes, [0] * self.nodes  # of the tree, with node 0 as its root
        wait, found = [0], []
        while wait:
            u = wait.pop()
            for v, e in near[u]:
                if e != edge[u]:
                    parent[v], edge[v], depth[v] = u, e, depth[u] + 1
                    wait.append(v)
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

    def max_abs(self, c: Array) -> float:
        """From above: the nodes − 1 largest entries."""
        c, k = np.broadcast_to(np.asarray(c, dtype=np.float64), self.shape), self.nodes - 1
        return float(np.partition(c, len(c) - k)[len(c) - k :].sum()) if k else 0.0

    def sizes(self) -> Sizes:
        """From above: trees that share as few edges as there can be."""
        k = self.nodes - 1
        apart = 2.0 * min(k, self.shape[0] - k)
        return Sizes.of(np.sqrt(apart), min(np.sqrt(apart), np.sqrt(k)), "upper bound")


@lru_cache(maxsize=4)
def birkhoff_region(n: int) -> RowsRegion:
    """The region of all doubly stochastic matrices of n rows; it is never changed."""
    even = np.full(n * n, 1.0 / n)
    return RowsRegion(polyhedron(n), (np.zeros(n * n), np.ones(n * n)), even, least_assignment, first=even)


def least_assignment(g: Array) -> float:
    """The least ⟨g, P⟩ over permutations."""
    G = g.reshape(round(g.size**0.5), -1)
    return float(np.take_along_axis(G, _assignment(G)[:, None], axis=1).sum())


def polyhedron(n: int) -> Polyhedron:
    """Bounds, the sums of all rows, and of all columns but the last, whose sum follows."""
    one = np.ones((1, n))
    A = np.concatenate([np.kron(np.eye(n), one), np.kron(one, np.eye(n))])[:-1]
    return Polyhedron(np.zeros(n * n), np.ones(n * n), A, np.ones(len(A)), np.ones(len(A)))


ZERO = 1e-12  # entries of a point below this count as 0


class Birkhoff(Combinatorial):
    """Doubly stochastic matrices, {W ≥ 0 : all rows and columns sum to 1}.

    Its atoms are the n! permutation matrices. The best one for G is an assignment of least cost (SciPy's
    ``linear_sum_assignment``), and dual potentials prove how good it is, rounding included.

    Parameters
    ----------
    n : int
        The number of rows, and of columns.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> S = gh.Birkhoff(2)
    >>> S.argmin(np.array([[3.0, 1.0], [1.0, 2.0]])).places
    array([1, 2])
    """

    _spreads = True

    def __init__(self, n: int) -> None:
        self.shape = (dimension(n), int(n))

    def __repr__(self) -> str:
        return f"Birkhoff({self.shape[0]})"

    def _region(self) -> RowsRegion | None:
        # rows up to which Newton steps solve for all entries together; more would keep 2n³ zeros and ones
        return birkhoff_region(self.shape[0]) if self.shape[0] <= 100 else None

    def solved(self, c: Array) -> tuple[Index, float]:
        """The assignment, and Σᵢ minⱼ(cᵢⱼ − vⱼ) + Σⱼ vⱼ, which is a bound for any v."""
        columns = _assignment(c)
        v = _potentials(c, columns)
        lower = fsum([*np.min(c - v, axis=1).tolist(), *v.tolist()])
        off = 2.0 * EPS * float((np.abs(c).max(axis=1) + np.abs(v).max()).sum()) + EPS * abs(lower)
        return self._places(columns), lower - off

    def _places(self, columns: Index) -> Index:
        return np.arange(self.shape[0]) * self.shape[0] + columns

    def exchanges(self, c: Array, places: Index, m: int) -> list[Index]:
        """The cheapest swaps of two rows."""
        n = self.shape[0]
        columns = places % n
        across = c[:, columns]  # row i in the column of row k
        own = np.diagonal(across)
        i, k = np.triu_indices(n, 1)
        chosen = lowest((across + across.T)[i, k] - (own[i] + own[k]), m) if m > 0 and n > 1 else np.zeros(0, dtype=np.intp)
        found = []
        for s in chosen.tolist():
            swapped = columns.copy()
            swapped[[i[s], k[s]]] = columns[[k[s], i[s]]]
            found.append(self._places(swapped))
        return found

    def within(self, w: Array, g: Array) -> Atom:
        """The worst atom, of largest ⟨g, ·⟩, of the smallest face that holds w: permutations where w is not 0."""
        try:
            return ones(self._places(_assignment(np.where(w > ZERO, -np.asarray(g, dtype=np.float64), np.inf))))
        except ValueError:
            raise GreedyhullError(f"within(w, g) was asked of {self!r} for a w with no permutation in it; a point of the set "
                                  "is wanted.") from None

    def room(self, w: Array, v: Array) -> float:
        return room_above(w, v, 0.0, ZERO)

    def centre(self) -> Iterate:
        n = self.shape[0]
        turns = [ones(self._places((np.arange(n) + k) % n)) for k in range(n)]
        return Iterate(SparseBlock(n * n, turns), np.full(n, 1.0 / n), self.shape)

    def start(self, rng: np.random.Generator) -> Atom:
        return ones(self._places(np.arange(self.shape[0])))

    def _holds(self, x: Array, tol: float) -> bool:
        sums = np.concatenate([x.sum(axis=0), x.sum(axis=1)])
        return bool((x >= -tol).all() and (np.abs(sums - 1.0) <= max(tol, self.shape[0] * EPS)).all())

    def decompose(self, w: Array) -> Iterate:
        """By Birkhoff's theorem: again and again, take out a permutation where nothing is 0, with its least entry."""
        left, n = np.maximum(self._inside(w), 0.0), self.shape[0]
        atoms: list[Sparse] = []
        weights: list[float] = []
        while sum(weights) < 1.0 - 1e-13:
            try:
                columns = _assignment(np.where(left > 1e-15, -left, np.inf))
            except ValueError:  # what is left is rounding
                break
            weight = float(left[np.arange(n), columns].min())
            left[np.arange(n), columns] -= weight
            atoms.append(ones(self._places(columns)))
            weights.append(weight)
        check(sum(weights) > 1.0 - 1e-6, lambda: f"{self!r} cannot write the array as a mixture of permutations.")
        return Iterate(SparseBlock(n * n, atoms), np.array(weights) / sum(weights), self.shape).merged()

    def max_abs(self, c: Array) -> float:
        """From above: the largest entry of each row, or of each column."""
        c = np.broadcast_to(c, self.shape)
        return float(min(c.max(axis=0).sum(), c.max(axis=1).sum()))

    def sizes(self) -> Sizes:
        """D = √(2n), between permutations that share no place; r_S = √(n − 1) around the centre."""
        n = self.shape[0]
        return Sizes.of(np.sqrt(2.0 * n) if n > 1 else 0.0, np.sqrt(n - 1.0))

    def radius_around(self, x: Array) -> Constant:
        columns = _assignment(x)
        square = self.shape[0] + float((x * x).sum()) - 2.0 * float(x[np.arange(len(columns)), columns].sum())
        return Constant(float(np.sqrt(max(square, 0.0))), "exact", "R")


def _assignment(c: Array) -> Index:
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(c)[1], dtype=np.intp)


def _potentials(c: Array, columns: Index) -> Array:
    """v with cᵢⱼ − vⱼ least at the assigned column of each row: shortest ways of exchanges, by rounds of Bellman and Ford."""
    n = len(columns)
    ways = c - c[np.arange(n), columns][:, None]
    v = np.zeros(n)
    for _ in range(n):
        better = np.minimum(v, (v[columns][:, None] + ways).min(axis=0))
        if (better >= v - 4.0 * EPS).all():
            break
        v = better
    return v


class Permutahedron(AtomSet):
    """Hull of all permutations of the entries of v: rankings, and mixtures of rankings.

    An atom gives the largest entry of v to the least entry of g, the next to the next: one sort. A point belongs to it if
    it has the same sum as v and its k largest entries sum to at most those of v, for every k.

    Parameters
    ----------
    v : array_like of shape (d,)
        The numbers, in any order; some may be equal.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.Permutahedron([1, 2, 3]).argmin(np.array([0.5, -1.0, 0.0])).array
    array([1., 3., 2.])
    """

    dense_atoms = True

    def __init__(self, v: Any) -> None:
        given = numbers(v, "v")
        check(given.ndim == 1 and given.size > 0, f"v has shape {given.shape}; a vector of at least one number is wanted.")
        self.v = np.sort(given)[::-1].copy() + 0.0  # the largest first; −0.0 is 0.0
        self.v.flags.writeable = False
        self.shape = (len(self.v),)
        self._sums = np.cumsum(self.v)
        self._size = float(np.abs(self.v).max())

    def __repr__(self) -> str:
        return f"Permutahedron({self.shape[0]} numbers from {self.v[-1]:g} to {self.v[0]:g})"

    def _placed(self, order: Index) -> Array:
        """The largest number at the first of these places, the next at the next."""
        x = np.empty(self.shape)
        x[order] = self.v
        return x

    def argmin(self, g: Array) -> Dense:
        return Dense(self._placed(np.argsort(g, kind="stable")))

    def best(self, g: Array, m: int) -> DenseBlock:
        """The best order, and those that exchange two neighbours in it, the cheapest first."""
        order = np.argsort(g, kind="stable")
        drops, rises = self.v[:-1] - self.v[1:], np.diff(np.asarray(g, dtype=np.float64)[order])
        able = np.flatnonzero(drops > 0.0)
        chosen = able[lowest((drops * rises)[able], m - 1)] if m > 1 and len(able) else able[:0]
        rows = np.repeat(self._placed(order)[None, :], 1 + len(chosen), axis=0)
        for row, k in zip(rows[1:], chosen.tolist(), strict=True):
            row[order[k]], row[order[k + 1]] = self.v[k + 1], self.v[k]
        return DenseBlock(rows, self.shape)

    def centre(self) -> Iterate:
        """The mean of the numbers everywhere, by turning them round; of many, the middle of an order and its reverse."""
        d = self.shape[0]
        # numbers; the centre of more of them is written in two atoms, not in as many as there are numbers
        rows = np.stack([self.v, self.v[::-1]] if d > 512 else [np.roll(self.v, k) for k in range(d)])
        return Iterate(DenseBlock(rows, self.shape), np.full(len(rows), 1.0 / len(rows)), self.shape).merged()

    def _holds(self, x: Array, tol: float) -> bool:
        sums = np.cumsum(np.sort(x)[::-1])
        near = tol * max(self._size, 1e-300) * len(x) + 1e-15 * self._size * len(x)
        return bool((sums <= self._sums + near).all()) and abs(float(sums[-1] - self._sums[-1])) <= near

    def decompose(self, w: Array) -> Iterate:
        """About d vertices at most: each has the order of the rest, and the largest weight that leaves a point of the set."""
        y, mass = self._inside(w) + 0.0, 1.0
        near = 1e-15 * self._size * len(y)
        rows, weights = [], []
        for _ in range(4 * len(y)):
            vertex = self._placed(np.argsort(-y, kind="stable"))
            weight = self._most_of(vertex, y, mass, near)
            if weight > 0.0:
                rows.append(vertex)
                weights.append(weight)
            y, mass = y - weight * vertex, mass - weight
            if mass <= 1e-15:
                break
        return Iterate(DenseBlock(np.stack(rows), self.shape), np.array(weights) / sum(weights), self.shape).merged()

    def _most_of(self, vertex: Array, y: Array, mass: float, near: float) -> float:
        """The largest weight for which y − weight·vertex is a point of (mass − weight) times the set, by Newton steps."""
        weight = mass
        for _ in range(4 * len(y)):
            left = y - weight * vertex
            order = np.argsort(-left, kind="stable")
            over = np.cumsum(left[order]) - (mass - weight) * self._sums
            k = int(over[:-1].argmax()) if len(over) > 1 else 0
            if len(over) == 1 or over[k] <= near:
                return weight
            room = float(self._sums[k] - vertex[order[: k + 1]].sum())
            if room <= near:
                return weight
            smaller = (mass * float(self._sums[k]) - float(y[order[: k + 1]].sum())) / room
            if not smaller < weight:
                return weight
            weight = max(smaller, 0.0)
        return weight

    def max_abs(self, c: Array) -> float:
        return float(np.sort(np.abs(self.v)).dot(np.sort(c)))

    def sizes(self) -> Sizes:
        """All vertices are as far from the mean of the numbers as v is, and farthest from v is its reverse."""
        return Sizes.of(length(self.v - self.v[::-1]), length(self.v - self.v.mean()))

    def radius_around(self, x: Array) -> Constant:
        return Constant(length(self._placed(np.argsort(x, kind="stable")) - x), "exact", "R")

    def row_ranges(self, design: Design) -> tuple[Array, Array]:
        low, high = np.zeros(design.n), np.zeros(design.n)
        for I, block in row_blocks(design, CHUNK // 4):
            ascending = np.sort(block, axis=1)
            low[I], high[I] = ascending @ self.v, ascending @ self.v[::-1]
        return low, high
