"""One oracle call by dimension, beside the same linear program in HiGHS."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack, identity, kron, vstack

import greedyhull as gh
from benchmarks.tables import Table
from benchmarks.timing import best

SIZES = (1_000, 10_000, 100_000, 1_000_000)
LARGEST = 10_000  # coordinates of a linear program
DRIFTS = 20  # costs, each near the last


def tables(repeats: int, only: tuple[str, ...] = ()) -> Iterator[Table]:
    table = Table("polytopes_oracles", "One oracle call: milliseconds",
                  ["set", *[f"d = {d:.0e}" for d in SIZES], "exponent", "linprog, d = 1e3", "linprog, d = 1e4",
                   "ratio, d = 1e3"],
                  notes=["The exponent is that of d in the time from 1e4 to 1e6. The linear program of the permutahedron has "
                         "d² variables, that of trees a flow to each node: their times and ratios are for d = 100 in place of "
                         "1e3."])
    for name, (make, program) in ORACLES.items():
        if not only or any(word in name for word in only):
            table.rows.append([name, *_row(make, program, repeats)])
    yield table
    if not only:
        yield _drifting()


def _drifting() -> Table:
    """A linear program whose costs drift, as gradients of a run do, beside one that is solved anew each time."""
    table = Table("polytopes_drift", "LinearProgram with caps on 11 groups and on weights, costs that drift: ms a call",
                  ["variables", "ours", "linprog", "linprog / ours"],
                  notes=[f"The mean of {DRIFTS} calls after the first; ours keeps the basis, and proves each answer."])
    for d in (500, 2000, 5000):
        A, ones = csr_array((np.ones(d), (np.arange(d) % 11, np.arange(d)))), np.ones((1, d))
        S = gh.LinearProgram(A, np.full(11, 0.15), ones, [1.0], bounds=(0, 0.05))
        rng = np.random.default_rng(0)
        oracle, g = S.oracle(rng), rng.standard_normal(d)
        oracle.argmin(g)
        costs = g + 0.03 * np.cumsum(rng.standard_normal((DRIFTS, d)), axis=0)
        begin = time.process_time()
        for cost in costs:
            oracle.argmin(cost)
        between = time.process_time()
        for cost in costs:
            linprog(cost, A_ub=A, b_ub=np.full(11, 0.15), A_eq=ones, b_eq=[1.0], bounds=(0, 0.05))
        ours, theirs = ((b - a) * 1e3 / DRIFTS for a, b in ((begin, between), (between, time.process_time())))
        table.rows.append([d, ours, theirs, theirs / ours])
    return table


def _row(make: Callable[[int], Any], program: Callable[[Any, Any], Any], repeats: int) -> list[object]:
    rng, times = np.random.default_rng(0), []
    for d in SIZES:
        S, g = make(d), rng.standard_normal(d)
        times.append(1e3 * best(lambda S=S, g=g: S.argmin(g), max(repeats, 5)))
    exponent = float(np.polyfit(np.log(SIZES[1:]), np.log(times[1:]), 1)[0])
    large = program in (_orders, _trees)
    small = 100 if large else SIZES[0]
    theirs: list[float | None] = []
    for d in (LARGEST, small):
        S, g = make(d), rng.standard_normal(d)
        theirs.insert(0, None if d > small and large else 1e3 * best(lambda S=S, g=g: program(S, g), 1))
    ours = 1e3 * best(lambda: S.argmin(g), max(repeats, 5))
    return [*times, exponent, *theirs, float(theirs[0] or 0.0) / ours]


def _sparse(S: Any, g: Any) -> Any:
    """w = u − v."""
    return linprog(np.concatenate([g, -g]), A_ub=np.ones((1, 2 * len(g))), b_ub=[S.K * S.radius], bounds=(0, S.radius))


def _filled(S: Any, g: Any) -> Any:
    return linprog(g, A_eq=np.ones((1, len(g))), b_eq=[S.total], bounds=(0, S.total / S.K))


def _grouped(S: Any, g: Any) -> Any:
    d = len(g)
    A = csr_array((np.ones(d), (np.arange(d) % len(S.labels), np.arange(d))), shape=(len(S.labels), d))
    return linprog(g, A_ub=A, b_ub=S.group_upper, A_eq=np.ones((1, d)), b_eq=[S.total], bounds=(0, float(S.upper)))


def _orders(S: Any, g: Any) -> Any:
    """Doubly stochastic matrices."""
    d, ones = len(g), np.ones((1, len(g)))
    A = hstack([kron(identity(d), ones).T, kron(ones, identity(d)).T]).T
    return linprog(np.outer(g, S.v).ravel(), A_eq=A, b_eq=np.ones(2 * d), bounds=(0, None))


def _variation(S: Any, g: Any) -> Any:
    return _sparse(_Budget(S.radius), np.cumsum(g[::-1])[::-1])


def _graph(d: int) -> gh.SpanningTree:
    """A ring with chords: 2 edges a node."""
    nodes = d // 2
    ring = np.arange(nodes)
    chords = np.random.default_rng(0).permutation(nodes)
    chords = np.where(chords == ring, (ring + 2) % nodes, chords)
    heads = np.concatenate([(ring + 1) % nodes, chords])
    return gh.SpanningTree(np.column_stack([np.tile(ring, 2), heads]), nodes)


def _trees(S: Any, g: Any) -> Any:
    """An arborescence from node 0: a unit of flow to each other node, along arcs that the tree has."""
    edges, n, d = S.edges, S.nodes, len(g)
    arcs = np.concatenate([edges, edges[:, ::-1]])
    m, k = 2 * d, n - 1
    out = csr_array((np.repeat([1.0, -1.0], m), (arcs.T.ravel(), np.tile(np.arange(m), 2))), shape=(n, m))
    flows, needs = kron(identity(k), out), np.zeros((k, n))
    needs[:, 0], needs[np.arange(k), np.arange(1, n)] = 1.0, -1.0
    A_eq = csr_array(vstack([hstack([csr_array((k * n, m)), flows]), hstack([np.ones((1, m)), csr_array((1, k * m))])]))
    A_ub = csr_array(hstack([kron(-np.ones((k, 1)), identity(m)), identity(k * m)]))
    return linprog(np.concatenate([g, g, np.zeros(k * m)]), A_ub=A_ub, b_ub=np.zeros(k * m), A_eq=A_eq,
                   b_eq=np.append(needs.ravel(), n - 1.0), bounds=(0, 1))


class _Budget:
    """An l1 ball, as `_sparse` asks for it."""

    def __init__(self, radius: float) -> None:
        self.K, self.radius = 1, radius


ORACLES: dict[str, tuple[Callable[[int], Any], Callable[[Any, Any], Any]]] = {
    "KSparse, K = d/100": (lambda d: gh.KSparse(d, max(d // 100, 1), 1.0), _sparse),
    "HyperSimplex, K = d/100": (lambda d: gh.HyperSimplex(d, max(d // 100, 1)), _filled),
    "GroupedSimplex, 11 groups": (lambda d: gh.GroupedSimplex(np.arange(d) % 11, upper=20.0 / d, group_upper=0.2), _grouped),
    "TotalVariationBall": (lambda d: gh.TotalVariationBall(d, 1.0), _variation),
    "Permutahedron": (lambda d: gh.Permutahedron(np.arange(float(d))), _orders),
    "SpanningTree, 2 edges a node": (_graph, _trees),
}
