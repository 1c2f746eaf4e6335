"""The l1 ball, plain and weighted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

import greedyhull as gh
from greedyhull import GreedyhullError, quadratic
from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.testing import check_atoms

WEIGHTS = [1.0, 2.0, 4.0, 0.5]


def atoms_of(S):
    return np.stack([np.eye(S.shape[0])[j % S.shape[0]] * S[j].scale for j in range(len(S))])


SETS = [L1Ball(4, 2.0), L1Ball(4, 2.0, weights=WEIGHTS), L1Ball(1, 3.0), L1Ball(3, 1e-9), L1Ball(3, 1e9)]


@pytest.mark.parametrize("S", SETS, ids=repr)
def test_keeps_its_promises(S):
    check_atoms(S, minimum=lambda g: float((atoms_of(S) @ g).min()), trials=8)


@given(g=st.lists(st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 1e-300, -1e300]), min_size=1, max_size=6), m=st.integers(1, 8))
def test_best_atoms_in_order(g, m):
    g = np.array(g)
    S = L1Ball(len(g), 2.0)
    block = S.best(g, m)
    assert len(block) == min(m, len(S))
    np.testing.assert_array_equal(block.dots(g), np.sort(S.scores(g))[: len(block)])
    assert S.argmin(g).dot(g) == S.scores(g).min() == block.dots(g)[0]


def test_lists_its_atoms_and_stops():
    S = L1Ball(2, 1.0)
    assert [(a.index, a.scale) for a in S] == [(0, 1.0), (1, 1.0), (0, -1.0), (1, -1.0)]
    assert S[-1] == S[3]


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_constants_are_exact(brute, rng, weights):
    S = L1Ball(4, 2.0, weights=weights)
    V = atoms_of(S)
    B = rng.standard_normal((4, 4))
    assert S.diameter == pytest.approx(np.sqrt(brute.farthest(V)))
    assert S.circumradius == pytest.approx(brute.enclosing(V), rel=1e-5)
    M = quadratic(B @ B.T).curvature(S)
    assert M.status == "exact" and float(M) == pytest.approx(brute.farthest(V, B @ B.T))
    c = rng.random(4)
    assert S.max_abs(c) == pytest.approx((np.abs(V) @ c).max())


def test_decomposes_into_few_atoms():
    S = L1Ball(3, 2.0, weights=[1.0, 2.0, 1.0])
    w = S.decompose(np.array([0.5, 0.0, -1.0]))
    np.testing.assert_allclose(w.array(), [0.5, 0.0, -1.0], atol=1e-15)
    assert len(w) == 3 and w.weights.sum() == pytest.approx(1.0)
    with pytest.raises(GreedyhullError, match="outside"):
        S.decompose(np.array([5.0, 0.0, 0.0]))


def test_input_is_copied():
    weights = np.array([1.0, 2.0])
    S = L1Ball(2, 1.0, weights=weights)
    weights[:] = 100.0
    assert S.rescaled(3.0).argmin(np.array([1.0, 1.0])).scale == -3.0


@given(g=st.lists(st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 1e-300, -1e300]), min_size=6, max_size=6), m=st.integers(1, 8))
def test_a_sparse_gradient_is_answered_as_its_matrix_is(g, m):
    G, kept = np.array(g).reshape(2, 3), csr_array(np.array(g).reshape(2, 3))
    S, W = L1Ball((2, 3), 2.0), L1Ball((2, 3), 2.0, weights=np.arange(1.0, 7.0).reshape(2, 3))
    for ball in (S, W):
        block = ball.best(kept, m)
        assert 1 <= len(block) <= m
        np.testing.assert_array_equal(block.dots(kept), ball.best(G, m).dots(G)[: len(block)])
        assert ball.argmin(kept).dot(kept) == block.dots(kept)[0] == ball.scores(G).min()


def test_entries_that_stand_in_a_sparse_gradient_twice_are_summed():
    G = coo_array(([3.0, -3.0, 1.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert L1Ball((2, 2), 1.0).argmin(G).index == 2


def test_a_matrix_is_contained_by_its_entries():
    S = L1Ball((2, 3), 2.0, weights=[[1.0, 1.0, 1.0], [2.0, 1.0, 1.0]])
    inside, outside = np.array([[0.5, 0.0, -0.5], [-0.5, 0.0, 0.0]]), np.array([[0.5, 0.0, -0.5], [-0.6, 0.0, 0.0]])
    w = S.decompose(inside)
    np.testing.assert_allclose(w.array(), inside)
    assert S.contains(w) and S.contains(inside) and not S.contains(outside) and not S.contains(inside.ravel())
    assert not S.rescaled(1.9).contains(w) and S.rescaled(3.0).weights.tolist() == S.weights.tolist()


def test_a_large_matrix_is_never_written_out(monkeypatch):
    from greedyhull.points.iterate import Iterate

    def refused(self):
        raise AssertionError("a dense matrix was asked for")

    rng = np.random.default_rng(0)
    m, k = 30_000, 50  # dense, it would take 7 GB
    rows, cols, values = rng.integers(0, m, k), np.arange(k) * 7, rng.standard_normal(k)
    f, S = gh.completion(rows, cols, values, (m, m)), L1Ball((m, m), 5.0)
    monkeypatch.setattr(Iterate, "array", refused)
    s = gh.minimize(f, S, stop=gh.Relative(1e-8))
    sizes = np.sort(np.abs(values))[::-1]  # by the formula: soft thresholds
    level = max((sizes[: j + 1].sum() - 5.0) / (j + 1) for j in range(k))
    assert s.converged and S.contains(s.point)
    assert s.value == pytest.approx(0.5 * (np.minimum(np.abs(values), level) ** 2).sum(), rel=1e-7)


@pytest.mark.parametrize(("args", "kwargs", "said"), [
    (((2, 0), 1.0), {}, "two positive whole"), (((2, 3, 4), 1.0), {}, "two positive whole"),
    (((2, 2), 1.0), {"weights": [1.0, 2.0, 3.0, 4.0]}, "weights"),
    ((0, 1.0), {}, "dimension"), ((2.5, 1.0), {}, "dimension"), ((True, 1.0), {}, "dimension"),
    ((3, -1.0), {}, "radius"), ((3, 0.0), {}, "radius"), ((3, np.nan), {}, "radius"), ((3, np.inf), {}, "radius"),
    ((3, "a"), {}, "radius"), ((3, 1.0), {"weights": [1, 2]}, "weights"), ((3, 1.0), {"weights": [1, 0, 1]}, "positive"),
    ((3, 1.0), {"weights": [1, np.nan, 1]}, "NaN"), ((3, 1.0), {"weights": "abc"}, "numbers"),
    ((2, 1e100), {"weights": [1e-300, 1.0]}, "scale"),
])
def test_bad_input(args, kwargs, said):
    with pytest.raises(GreedyhullError, match=said):
        L1Ball(*args, **kwargs)
