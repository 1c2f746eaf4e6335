"""Graph matching: bounds hold and small optima are met by brute force, hidden permutations are found, words for bad input."""

from itertools import permutations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import quadratic_assignment

import greedyhull as gh
from greedyhull.apps import graph_matching
from greedyhull.apps.graph_matching import alignment, improved, mismatch


def cost(A, B, p):
    return float((A * B[np.ix_(p, p)]).sum())


def test_small_problems_against_all_permutations():
    met = 0
    for seed in range(16):
        rng = np.random.default_rng(seed)
        n, scale, maximize = int(rng.integers(1, 6)), 10.0 ** rng.integers(-100, 100), bool(seed % 2)
        A, B = scale * rng.standard_normal((n, n)), rng.integers(-3, 4, (n, n))
        values = [cost(A, B, np.array(p)) for p in permutations(range(n))]
        found, sign = graph_matching(A, B, maximize=maximize), -1.0 if maximize else 1.0
        best = max(values) if maximize else min(values)
        assert sorted(found.permutation) == list(range(n))
        assert found.value == (found.values.max() if maximize else found.values.min())
        for same in (cost(A, B, found.permutation), (A * (found.matrix @ B @ found.matrix.T)).sum()):
            np.testing.assert_allclose(found.value, same, rtol=1e-9, atol=1e-12 * scale)
        assert sign * found.bound <= sign * best + 1e-13 * scale
        met += sign * found.value <= sign * best + 1e-9 * scale
    assert met >= 14  # a stationary point is not always a minimum


def test_it_is_stationary_and_says_so():
    rng = np.random.default_rng(1)
    found = graph_matching(rng.random((9, 9)), rng.random((9, 9)), starts=1)
    assert found.certificate.kind == "stationary" and found.certificate.lower == -np.inf and found.solution.converged
    assert "stationary" in repr(found) and "one start" in repr(found) and not found.optimal
    exact = gh.certify(found.solution.objective, gh.Birkhoff(9), found.solution.point)
    assert exact.kind == "stationary" and exact.gap <= 1e-3


def test_optimal_is_said_only_with_a_proof():
    path = np.diag(np.ones(5), 1)
    found = graph_matching(path, path.T, maximize=True)
    assert found.optimal and found.value == 5.0 and "optimal" in repr(found)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        A, B = (rng.random((2, 5, 5)) < 0.4).astype(float)
        found = graph_matching(A, B, starts=1)
        best = min(cost(A, B, np.array(p)) for p in permutations(range(5)))
        assert found.bound <= best <= found.value and (not found.optimal or found.value == best)


def test_a_hidden_permutation_of_a_graph_is_found():
    rng = np.random.default_rng(3)
    upper = np.triu((rng.random((30, 30)) < 0.3).astype(float), 1)
    A, hidden = upper + upper.T, rng.permutation(30)
    B = A[np.ix_(hidden, hidden)]
    found = graph_matching(sparse.csr_array(A), sparse.csc_matrix(B), maximize=True)
    np.testing.assert_array_equal(hidden[found.permutation], np.arange(30))


def test_graphs_that_are_nearly_alike_are_matched():
    rng, n = np.random.default_rng(1), 40
    upper = np.triu(rng.random((n, n)) < 0.4, 1)
    changed = np.triu(rng.random((n, n)) < 0.06, 1)
    (A, C), hidden = (M + M.T for M in (upper.astype(float), (upper ^ changed).astype(float))), rng.permutation(n)
    found = graph_matching(A, C[np.ix_(hidden, hidden)], maximize=True, starts=2)
    np.testing.assert_array_equal(hidden[found.permutation], np.arange(n))
    assert quadratic_assignment(A, C[np.ix_(hidden, hidden)], options={"maximize": True}).fun < found.value


def test_more_starts_and_swaps_never_hurt():
    rng = np.random.default_rng(4)
    A, B = rng.random((2, 15, 15))
    one, many = graph_matching(A, B, starts=1), graph_matching(A, B, starts=5)
    assert many.values[0] == one.value and many.value <= one.value
    for _ in range(10):
        p = rng.permutation(15)
        better = improved(A, B, p)
        assert cost(A, B, better) <= cost(A, B, p)
        for i in range(15):
            for k in range(i):
                q = better.copy()
                q[[i, k]] = q[[k, i]]
                assert cost(A, B, q) >= cost(A, B, better) - 1e-9
    np.testing.assert_array_equal(graph_matching(A, B, starts=5).permutation, many.permutation)
    assert any(graph_matching(A, B, starts=3, seed=seed).values[2] != one.value for seed in range(3))


def test_the_objective_is_a_parabola_along_lines():
    rng = np.random.default_rng(5)
    A, B = rng.standard_normal((2, 4, 4))
    f, g, S = alignment(A, B), mismatch(A, B), gh.Birkhoff(4)
    w = S.centre()
    move = w.toward(S.argmin(rng.standard_normal((4, 4))))
    line, other = f.along(w, move), g.along(w, move)
    there = w.copy()
    there.move(move, 0.3)
    X = there.array()
    np.testing.assert_allclose(line.value(0.3), np.trace(A @ X @ B.T @ X.T), rtol=1e-10)
    np.testing.assert_allclose(other.value(0.3), 0.5 * ((A @ X + X @ B) ** 2).sum(), rtol=1e-10)


@pytest.mark.parametrize(("A", "B"), [(np.zeros((3, 3)), np.zeros((3, 3))), (np.ones((1, 1)), -np.ones((1, 1))),
                                  (np.eye(3, dtype=bool), np.full((3, 3), 1e-320)), (np.full((3, 3), -0.0), np.eye(3)),
                                  (1e150 * np.eye(3), 1e-150 * np.eye(3))])
def test_odd_matrices(A, B):
    found = graph_matching(A, B)
    assert sorted(found.permutation) == list(range(len(A))) and np.isfinite([found.value, found.bound]).all()


@pytest.mark.parametrize(("given", "said"), [
    ({"A": np.ones((2, 3))}, "square matrix"), ({"A": np.ones((4, 4))}, "4 nodes and B has 3"), ({"A": np.ones(3)}, "shape"),
    ({"A": [[1.0, np.nan, 0.0]] * 3}, "NaN"), ({"A": [["a"] * 3] * 3}, "numbers"), ({"A": [[1.0], [1.0, 2.0]]}, "equal"),
    ({"A": np.zeros((0, 0))}, "square"), ({"starts": 0}, "got 0"), ({"starts": 1.5}, "got 1.5"), ({"tol": 0.0}, "tol"),
    ({"maximize": "yes"}, "maximize"), ({"A": 1e200 * np.ones((3, 3))}, "Scale it down"), ({"tol": float("nan")}, "tol"),
    ({"A": 1j * np.ones((3, 3))}, "complex"), ({"A": np.ma.masked_equal(np.eye(3), 0)}, "masked"), ({"seed": "x"}, "seed")])
def test_bad_input_gets_words(given, said):
    with pytest.raises(gh.GreedyhullError, match=said):
        graph_matching(**{"A": np.eye(3), "B": np.eye(3), **given})


def test_it_is_at_least_as_good_as_one_start_of_scipy():
    rng, ours, theirs = np.random.default_rng(6), 0.0, 0.0
    for _ in range(3):
        A, B = rng.random((2, 12, 12))
        ours, theirs = ours + graph_matching(A, B).value, theirs + quadratic_assignment(A, B).fun
    assert ours <= theirs


def test_large_whole_numbers_are_told_apart():
    A, B = np.diag([2e6, 2e6 + 1, 2e6 + 2]), np.diag([2e6 + 2, 2e6 + 1, 2e6])
    best = max(float((A * B[np.ix_(p, p)]).sum()) for p in map(list, permutations(range(3))))
    for starts in (1, 2, 10):
        found = graph_matching(A, B, maximize=True, starts=starts)
        assert found.value <= best <= found.bound and (not found.optimal or found.value == best)
