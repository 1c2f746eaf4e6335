"""Spanning trees, against all of them."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.testing import check_atoms

Array = np.ndarray[Any, Any]


def all_trees(edges: list[tuple[int, int]], nodes: int) -> Array:
    """Sets of nodes − 1 edges whose incidence matrix has full rank."""
    incidence = np.array([np.eye(nodes)[u] - np.eye(nodes)[v] for u, v in edges])
    rank = np.linalg.matrix_rank
    chosen = [list(c) for c in combinations(range(len(edges)), nodes - 1) if rank(incidence[list(c)]) == nodes - 1]
    return np.array([np.bincount(c, minlength=len(edges)) for c in chosen], dtype=float)


@pytest.mark.parametrize("edges, nodes", [
    ([(0, 1), (1, 2), (2, 0), (2, 3), (3, 1), (0, 3)], 4), ([(0, 1), (1, 0), (1, 2)], 3), ([(1, 0)], 2),
])
def test_trees_are_the_best_ones(edges: list[tuple[int, int]], nodes: int) -> None:
    check_atoms(gh.SpanningTree(edges, nodes), vertices=all_trees(edges, nodes))


def test_random_graphs_with_ties_against_all_their_trees() -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        n = int(rng.integers(2, 6))
        edges = [(i, i + 1) for i in range(n - 1)] + [(i, j) for i in range(n) for j in range(i) if rng.random() < 0.4]
        S, trees = gh.SpanningTree(edges, n), all_trees(edges, n)
        for g in (rng.standard_normal(len(edges)), rng.integers(-1, 2, len(edges)).astype(float), np.full(len(edges), -0.0)):
            found = S.oracle(rng).best(g, 4)
            assert abs(found.atoms.dots(g)[0] - (trees @ g).min()) < 1e-13
            rows = {tuple(np.bincount(found.atoms[i].places, minlength=len(edges))) for i in range(len(found.atoms))}
            assert rows <= {tuple(t.astype(int)) for t in trees} and len(rows) == len(found.atoms)


def test_a_projection() -> None:
    edges = [(i, j) for i in range(6) for j in range(i)]
    f = gh.least_squares(np.eye(15), np.random.default_rng(1).random(15))
    assert gh.minimize(f, gh.SpanningTree(edges, 6), stop=gh.Gap(1e-9)).converged


@pytest.mark.parametrize("given, words", [
    (([(0, 1), (2, 3)], 4), "not connected: its edges join 4 nodes into 2 parts"), (([(0, 4)], 3), "out of range"),
    (([(0, 0)], 1), "to itself"), (([], 2), "shape"), (([(0, 1)], 0), "whole number"),
])
def test_bad_input_gets_words(given: tuple[Any, int], words: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=words):
        gh.SpanningTree(*given)
