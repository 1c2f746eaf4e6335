"""The hull of given points, dense and sparse."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from greedyhull import GreedyhullError, Iterations, Relative, least_squares, minimize, quadratic
from greedyhull.atoms import vertices as pairs
from greedyhull.atoms.vertices import Vertices, circumradius
from greedyhull.testing import check_atoms

RNG = np.random.default_rng(3)
POINTS = RNG.standard_normal((9, 3))
FEW = np.where(RNG.random((8, 5)) < 0.4, RNG.standard_normal((8, 5)), 0.0)
SETS = [Vertices(POINTS), Vertices(sp.csr_array(FEW)), Vertices(POINTS[:1]), Vertices(1e-9 * POINTS),
        Vertices([[1, 0], [0, 1]]), Vertices(POINTS + 1e5)]


@pytest.mark.parametrize("S", SETS, ids=repr)
def test_keeps_its_promises(S):
    if len(S) > 1:
        check_atoms(S, trials=4)


@pytest.mark.parametrize("S", SETS, ids=repr)
def test_constants_are_exact(S, brute, rng):
    V = S.matrix if S.dense_atoms else S.matrix.toarray()
    B = rng.standard_normal((V.shape[1], V.shape[1]))
    D, r = S.sizes()
    size = np.abs(V - V[0]).max()
    assert D.status == r.status == "exact"
    assert float(D) == pytest.approx(np.sqrt(brute.farthest(V)), rel=1e-6)
    assert float(r) == pytest.approx(brute.enclosing(V - V[0]), abs=1e-5 * size)
    M = quadratic(B @ B.T).curvature(S)
    assert M.status == "exact" and float(M) == pytest.approx(brute.farthest(V, B @ B.T), rel=1e-6)
    c = rng.random(V.shape[1])
    assert S.max_abs(c) == pytest.approx((np.abs(V) @ c).max())


@given(g=st.lists(st.sampled_from([0.0, 1.0, -1.0, 2.0, 1e-300]), min_size=2, max_size=2), m=st.integers(1, 6))
def test_best_atoms_in_order(g, m):
    g, V = np.array(g), np.array([[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [-1.0, 2.0]])
    for S in (Vertices(V), Vertices(sp.csr_array(V))):
        np.testing.assert_array_equal(S.best(g, m).dots(g), np.sort(V @ g)[: min(m, 4)])
        assert S.argmin(g).dot(g) == (V @ g).min()


def test_atoms_have_numbers():
    S = Vertices(POINTS)
    assert S[2].name == 2 and S[-1].name == 8 and len(list(S)) == 9
    assert S.block(np.array([4, 1])).keys == [4, 1]


def test_equal_and_empty_rows():
    V = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    for S in (Vertices(V), Vertices(sp.csr_array(V))):
        np.testing.assert_allclose(S.centre().array(), V.mean(axis=0))
        w = S.decompose(np.array([0.5, 0.25]))
        np.testing.assert_allclose(w.array(), [0.5, 0.25], atol=1e-12)
        assert len(set(w.block.keys)) == len(w)


@pytest.mark.parametrize(("m", "d"), [(300, 8), (20, 60)])
def test_decomposes_points_of_the_hull(m, d, rng):
    V = rng.standard_normal((m, d))
    S = Vertices(V)
    x = rng.dirichlet(np.ones(m)) @ V
    w = S.decompose(x)
    np.testing.assert_allclose(w.array(), x, atol=1e-10)
    assert S.contains(x) and not S.contains(V[0] + 0.1 * (V[0] - V.mean(axis=0)) if m < d else 9 * V[0])
    with pytest.raises(GreedyhullError, match="outside"):
        S.decompose(9 * V[0])
    with pytest.raises(GreedyhullError, match="shape"):
        S.decompose(np.zeros(d + 1))


@pytest.mark.parametrize("sparse", [False, True])
def test_solves_a_regression_on_the_hull(sparse, rng):
    """Over the hull of ±e_j it is the l1 ball."""
    X, y = rng.standard_normal((30, 6)), rng.standard_normal(30)
    V = np.vstack([np.eye(6), -np.eye(6)]) * 0.4
    from greedyhull import L1Ball

    ours = minimize(least_squares(X, y), Vertices(sp.csr_array(V) if sparse else V), stop=Relative(1e-9) | Iterations(3000))
    theirs = minimize(least_squares(X, y), L1Ball(6, 0.4), stop=Relative(1e-9))
    assert ours.value == pytest.approx(theirs.value, rel=1e-7)


def test_diameter_of_many_points_is_pruned_or_bounded(rng, monkeypatch):
    V = rng.standard_normal((1500, 4))
    exact = np.sqrt(max(float(((V[i] - V) ** 2).sum(axis=1).max()) for i in range(len(V))))
    D, status = pairs.farthest_points(V, V)
    assert status == "exact" and np.sqrt(D) == pytest.approx(exact)
    monkeypatch.setattr(pairs, "BUDGET", 1.0)
    shell = V / np.linalg.norm(V, axis=1)[:, None] * (1 + 1e-3 * rng.random((1500, 1)))
    monkeypatch.setattr(pairs, "TILE", 4)
    D, status = pairs.farthest_points(shell, shell)
    assert status == "upper bound" and 1.9 <= np.sqrt(D) <= 2.05


def test_ball_around_many_points(rng):
    V = rng.standard_normal((2000, 6))
    ball = circumradius(V / np.linalg.norm(V, axis=1)[:, None] + 5.0)
    assert ball.status == "exact" and float(ball) == pytest.approx(1.0, rel=2e-2) and float(ball) <= 1.0 + 1e-9
    assert float(circumradius(np.vstack([3 * np.eye(40), np.zeros(40)]))) == pytest.approx(3 * np.sqrt(1 - 1 / 40))


@pytest.mark.parametrize(("matrix", "said"), [
    (np.zeros((0, 3)), "at least one row"), (np.zeros((3, 0)), "one column"), ([1.0, 2.0], "reshape"),
    ([[1.0, np.nan]], "NaN"), ([["a"]], "numbers"), (np.array([[1e200]]), "squares"), (np.array([[np.nan]]), "NaN"),
    (sp.csr_array([[np.inf, 0.0]]), "infinite"),
])
def test_bad_input(matrix, said):
    with pytest.raises(GreedyhullError, match=said):
        Vertices(matrix)


def test_input_is_not_changed():
    V, W = POINTS.copy(), sp.csr_array(FEW.copy())
    for S in (Vertices(V), Vertices(W)):
        minimize(quadratic(np.eye(S.shape[0])), S, stop=Iterations(20))
    assert np.array_equal(V, POINTS) and V.flags.writeable and np.array_equal(W.toarray(), FEW)
    assert not Vertices(V).matrix.flags.writeable
