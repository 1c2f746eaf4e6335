"""Paths and flows: every graph against all of its paths."""

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import greedyhull as gh
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Sparse, SparseBlock
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


PAIRS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda e: e[0] != e[1]), min_size=1, max_size=14)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(PAIRS, st.permutations(range(6)), st.sampled_from(["positive", "zeros", "signs"]), st.integers(0, 1000))
@example([(0, 1), (1, 2), (2, 1)], [0, 1, 2, 3, 4, 5], "positive", 0)  # two-way streets: a dead end behind the target,
@example([(1, 0), (0, 1), (0, 2)], [0, 2, 1, 3, 4, 5], "positive", 0)  # behind the source,
@example([(0, 1), (1, 2), (2, 1), (1, 3)], [0, 3, 1, 2, 4, 5], "zeros", 0)  # and on the way
def test_any_graph_against_all_its_paths(edges: list[tuple[int, int]], ends: list[int], costs: str, seed: int) -> None:
    rng, paths = np.random.default_rng(seed), all_paths(edges, ends[0], ends[1])
    if not len(paths):
        with pytest.raises(gh.GreedyhullError, match="No path leads"):
            gh.PathPolytope(edges, 6, ends[0], ends[1])
        return
    S = gh.PathPolytope(edges, 6, ends[0], ends[1])
    c = {"positive": rng.random(len(edges)), "zeros": rng.integers(0, 2, len(edges)) / 10,
         "signs": rng.integers(-3, 4, len(edges)) / 10}[costs]
    try:
        found = S.oracle(rng).best(c, 4)
    except gh.GreedyhullError as error:
        assert "negative in length" in str(error) and costs == "signs"
        return
    least = (paths @ c).min()
    assert found.atoms.dots(c)[0] - found.slack <= least + 1e-15 and found.atoms.dots(c)[0] <= least + 1e-12
    rows = {tuple(np.bincount(found.atoms[i].places, minlength=len(edges))) for i in range(len(found.atoms))}
    assert rows <= {tuple(path.astype(int)) for path in paths}
    x = rng.dirichlet(np.ones(len(paths))) @ paths
    assert S.contains(x) and np.abs(S.decompose(x).array() - x).max() < 1e-6
    assert S.max_abs(np.ones(len(edges))) >= paths.sum(axis=1).max()


def test_a_cycle_that_is_negative_by_rounding_alone_is_none() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        k = int(rng.integers(2, 7))
        edges = [(0, 1), *((i, i % k + 1) for i in range(1, k + 1)), (k, k + 1), (0, k)]
        c = rng.standard_normal(len(edges))
        c[k] = -c[1:k].sum() - rng.integers(-4, 5) * 2.0**-54
        paths, answer = all_paths(edges, 0, k + 1), gh.PathPolytope(edges, k + 2, 0, k + 1).oracle().argmin(c)
        least = (paths @ c).min()
        assert answer.atom.dot(c) - answer.slack <= least + 1e-15 and answer.slack < 1e-12


def test_flows_are_points_and_are_written_in_paths() -> None:
    rng = np.random.default_rng(2)
    S, paths = gh.PathPolytope(DAG, 6, 0, 4), all_paths(DAG, 0, 4)
    for _ in range(20):
        x = rng.dirichlet(np.ones(len(paths))) @ paths
        assert S.contains(x) and np.abs(S.decompose(x).array() - x).max() < 1e-12
        x[0] += 1e-3
        assert not S.contains(x)


def hull_holds(paths: Array, x: Array) -> bool:
    """Whether x is a mixture of these paths, by a linear program of its own."""
    rows = np.vstack([paths.T, np.ones(len(paths))])
    return bool(linprog(np.zeros(len(paths)), A_eq=rows, b_eq=np.append(x, 1.0)).status == 0)


def test_with_cycles_a_flow_is_a_point_only_if_it_is_a_mixture_of_paths() -> None:
    rng, both = np.random.default_rng(3), [0, 0]
    for _ in range(40):
        n = int(rng.integers(3, 6))
        edges = [(i, j) for i in range(n) for j in range(n) if i != j and (rng.random() < 0.7 or (i, j) == (0, n - 1))]
        S, paths = gh.PathPolytope(edges, n, 0, n - 1), all_paths(edges, 0, n - 1)
        for _ in range(4):
            some = rng.choice(len(paths), size=min(len(paths), 3), replace=False)
            x = rng.dirichlet(np.ones(len(some))) @ paths[some]
            assert S.contains(x) and not S.excludes(x) and np.abs(S.decompose(x).array() - x).max() < 1e-6
            i, j = sorted(rng.choice(np.arange(1, n - 1), 2, replace=False).tolist()) if n > 3 else (0, 0)
            if (i, j) in edges and (j, i) in edges:
                x[[edges.index((i, j)), edges.index((j, i))]] += 0.3  # a flow still, with a circulation
                inside = hull_holds(paths, x)
                assert S.contains(x) == inside and S.excludes(x) != inside
                both[inside] += 1
    assert min(both) > 0


def test_a_circulation_beside_a_path_is_not_certified() -> None:
    S = gh.PathPolytope(RING, 5, 0, 4)
    x = np.zeros(len(RING))
    x[[0, 4, 7]] = 1.0
    f = gh.least_squares(np.eye(len(RING)), np.full(len(RING), -1.0))
    assert S.contains(x) and gh.certify(f, S, x).value > 0.0
    x[[1, 2]] = 0.5
    assert not S.contains(x) and S.excludes(x)
    with pytest.raises(gh.GreedyhullError, match="outside"):
        gh.certify(f, S, x)
    lying = Iterate.at(Sparse(np.arange(8), x), (8,))
    for point in (lying, Iterate(SparseBlock(8, [Sparse(np.array([0, 4, 7]), np.ones(3))]), np.array([2.0]), (8,))):
        with pytest.raises(gh.GreedyhullError):
            gh.certify(f, S, point)


def test_mixtures_of_a_run_are_points_however_many_paths_there_are() -> None:
    n = 12
    edges = [(i, j) for i in range(n) for j in range(n) if i != j]  # nearly ten million paths
    S = gh.PathPolytope(edges, n, 0, n - 1)
    ways = [np.array([edges.index(e) for e in zip([0, *p], [*p, n - 1], strict=True)]) for p in
            (np.random.default_rng(k).permutation(np.arange(1, n - 1)).tolist() for k in range(5))]
    block = SparseBlock(len(edges), [Sparse(np.sort(way), np.ones(n - 1)) for way in ways])
    w = Iterate(block, np.full(5, 0.2), (len(edges),))
    assert S.contains(w) and not S.excludes(w) and S.contains_quickly(w)
    assert not S.excludes(w.array())  # it may not be found, but is not refused for certain
    f = gh.least_squares(np.eye(len(edges)), np.full(len(edges), -1.0))
    assert gh.certify(f, S, w).gap >= 0.0 and gh.minimize(f, S, stop=gh.Relative(1e-6)).converged
    back = Sparse(np.sort(np.array([edges.index(e) for e in [(0, n - 1), (n - 1, 1), (1, n - 1)]])), np.ones(3))
    assert not S.contains(Iterate.at(back, (len(edges),)))  # it goes on from its end


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
    (([("a", "b")], ["a", "b"], "a", "b"), r"nodes = \['a', 'b'\] was given"),
    (([(0, 1)], 2.0, 0, 1), "nodes = 2.0 was given"),
])
def test_bad_input_gets_words(given: tuple[Any, int, int, int], words: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=words):
        gh.PathPolytope(*given)
