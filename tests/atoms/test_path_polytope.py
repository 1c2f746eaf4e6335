"""Paths and flows: every graph against all of its paths."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.testing import check_atoms

Array = np.ndarray[Any, Any]


def all_paths(edges: list[tuple[int, int]], source: int, target: int) -> Array:
    found = []

    def go(node: int, way: list[int], seen: set[int]) -> None:
        if node == target:
            found.append(np.bincount(way, minlength=len(edges)).astype(float))
            return
        for k, (tail, head) in enumerate(edges):
            if tail == node and head not in seen:
                go(head, [*way, k], seen | {head})

    go(source, [], {source})
    return np.array(found)


DAG = [(0, 1), (1, 3), (0, 2), (2, 3), (1, 2), (0, 3), (0, 3), (3, 4), (5, 3)]  # parallel edges, and edges on no path
RING = [(0, 1), (1, 2), (2, 1), (2, 3), (1, 3), (3, 2), (0, 2), (3, 4)]


@pytest.mark.parametrize("edges, nodes, target", [(DAG, 6, 3), (DAG, 6, 4), ([(0, 1)], 2, 1), ([(0, 1), (0, 1)], 2, 1)])
def test_without_cycles_paths_are_the_best_ones(edges: list[tuple[int, int]], nodes: int, target: int) -> None:
    S = gh.PathPolytope(edges, nodes, 0, target)
    assert S.acyclic
    check_atoms(S, vertices=all_paths(edges, 0, target))


def test_random_graphs_without_cycles_against_all_their_paths() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        n = int(rng.integers(2, 8))
        edges = sorted((i, j) for i in range(n) for j in range(i + 1, n) if rng.random() < 0.6 or (i, j) == (0, n - 1))
        order = rng.permutation(n)  # nodes in no order
        edges = [(int(order[i]), int(order[j])) for i, j in edges]
        S, paths = gh.PathPolytope(edges, n, int(order[0]), int(order[-1])), all_paths(edges, int(order[0]), int(order[-1]))
        for g in (rng.standard_normal(len(edges)), rng.integers(-2, 3, len(edges)).astype(float), np.zeros(len(edges))):
            found = S.oracle(rng).best(g, 5)
            scores = np.sort(paths @ g)
            assert abs(found.atoms.dots(g)[0] - scores[0]) < 1e-12 and found.slack < 1e-13 * n
            rows = [tuple(np.bincount(found.atoms[i].places, minlength=len(edges))) for i in range(len(found.atoms))]
            assert set(rows) <= {tuple(p.astype(int)) for p in paths}


def test_with_cycles_dijkstra_and_bellman_ford_find_the_best_path() -> None:
    rng, paths = np.random.default_rng(1), all_paths(RING, 0, 4)
    S = gh.PathPolytope(RING, 5, 0, 4)
    assert not S.acyclic
    for _ in range(50):
        g = rng.random(len(RING)) * (rng.random(len(RING)) < 0.8)
        potential = rng.standard_normal(5)
        for c in (g, g + [potential[h] - potential[t] for t, h in RING]):  # the second has negative edges, but no such cycle
            if c is not g:
                c = c + 1e-9
            answer = S.oracle(rng).argmin(c)
            least = (paths @ c).min()
            assert abs(answer.atom.dot(c) - least) < 1e-12 and answer.atom.dot(c) - answer.slack <= least + 1e-15


def test_a_negative_cycle_is_refused_by_its_nodes() -> None:
    S = gh.PathPolytope(RING, 5, 0, 4)
    g = np.ones(len(RING))
    g[1], g[2] = 1.0, -1.5
    with pytest.raises(gh.GreedyhullError, match=r"cycle (1 → 2 → 1|2 → 1 → 2) negative"):
        S.argmin(g)


def test_flows_are_points_and_are_written_in_paths() -> None:
    rng = np.random.default_rng(2)
    S, paths = gh.PathPolytope(DAG, 6, 0, 4), all_paths(DAG, 0, 4)
    for _ in range(20):
        x = rng.dirichlet(np.ones(len(paths))) @ paths
        assert S.contains(x) and np.abs(S.decompose(x).array() - x).max() < 1e-12
        x[0] += 1e-3
        assert not S.contains(x)


def test_a_least_squares_flow() -> None:
    grid = [(r * 4 + c, r * 4 + c + 1) for r in range(4) for c in range(3)] + [(r * 4 + c, r * 4 + c + 4) for r in range(3)
                                                                             for c in range(4)]
    target = np.random.default_rng(3).random(len(grid))
    f = gh.least_squares(np.eye(len(grid)), target)
    for solver in (gh.Corrective(), gh.BlendedPairwise()):
        assert gh.minimize(f, gh.PathPolytope(grid, 16, 0, 15), solver, stop=gh.Gap(1e-8)).converged


@pytest.mark.parametrize("given, words", [
    (([(0, 1)], 3, 0, 2), "No path leads from node 0 to node 2"), (([(0, 5)], 3, 0, 2), r"\(0, 5\), names a node out of"),
    (([(0, 1)], 2, 0, 7), "target = 7"), (([(0, 1)], 2, 1, 1), "two different nodes"), (([(1, 1)], 2, 0, 1), "to itself"),
    (([0, 1], 2, 0, 1), "shape"), (([(0.5, 1.0)], 2, 0, 1), "whole numbers"), (([(1, 0)], 2, 0, 1), "wrong way round"),
])
def test_bad_input_gets_words(given: tuple[Any, int, int, int], words: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=words):
        gh.PathPolytope(*given)
