"""The curvature M: against its definition on random points, and against all pairs of atoms."""

import numpy as np
import pytest
import scipy.sparse as sp

import greedyhull as gh
from greedyhull.atoms import geometry as module
from greedyhull.atoms import vertices as pairs
from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.box import Box, L2Ball, LinfBall
from greedyhull.atoms.simplex import CappedSimplex
from greedyhull.atoms.vertices import Vertices
from greedyhull.objectives.designs import design
from greedyhull.points.shapes import Dense

D, N = 4, 12
RNG = np.random.default_rng(1)
X = RNG.standard_normal((N, D)) + 0.5
Y, LABELS, COUNTS, WEIGHT = RNG.standard_normal(N), np.tile([1, -1], N // 2), RNG.integers(0, 4, N), RNG.random(N) + 0.1
V = RNG.standard_normal((7, D))

SETS = [gh.L1Ball(D, 0.8), gh.L1Ball(D, 1.0, weights=[1.0, 2.0, 0.5, 1.5]), gh.Simplex(D, 1.5), gh.Simplex(D, upper=0.4),
        CappedSimplex(D, 1.2), L2Ball(D, 0.7), L2Ball(D, 0.5, centre=[1.0, 0.0, -1.0, 0.5]), LinfBall(D, 0.5),
        Box([0.0, -1.0, 0.3, 0.0], [0.5, 0.2, 0.3, 1.0]), Vertices(V), Vertices(sp.csr_array(np.where(V > 0, V, 0.0)))]
LOSSES = {
    "squares": lambda A: gh.least_squares(A, Y),
    "weighted": lambda A: gh.least_squares(A, Y, sample_weight=WEIGHT),
    "intercept": lambda A: gh.least_squares(A, Y, sample_weight=WEIGHT, intercept=True),
    "logistic": lambda A: gh.logistic(A, LABELS),
    "logistic weighted": lambda A: gh.logistic(3 * A, LABELS, sample_weight=WEIGHT),
    "logistic intercept": lambda A: gh.logistic(A, LABELS, intercept=True),
    "hinge": lambda A: gh.squared_hinge(A, LABELS),
    "huber": lambda A: gh.huber(A, Y, 0.5),
    "huber intercept": lambda A: gh.huber(A, Y, 0.5, intercept=True),
    "poisson": lambda A: gh.poisson(A, COUNTS),
    "poisson intercept": lambda A: gh.poisson(A, COUNTS, intercept=True),
    "cubes": lambda A: gh.lp_loss(A, Y, 3.0),
}


class Bare(AtomSet):
    """A set that knows its shape and its oracle, nothing else: the corners of a cube."""

    def __init__(self, d):
        self.shape = (d,)

    def argmin(self, g):
        return Dense(np.where(g > 0, -1.0, 1.0))


@pytest.mark.parametrize("S", SETS, ids=repr)
@pytest.mark.parametrize("loss", LOSSES)
def test_nothing_bends_more(loss, S, brute, rng):
    f = LOSSES[loss](X)
    M, seen = f.curvature(S), brute.bending(f, S, rng)
    assert np.isfinite(float(M)) and seen <= float(M) * (1 + 1e-7) + 1e-9
    assert M.status == "upper bound" or f.quadratic
    if f.quadratic and M.status == "exact":
        assert seen >= 0.2 * float(M)


def corners(S):
    """Atoms that include all extreme points, or the ones that matter for a quadratic."""
    if hasattr(S, "scores"):
        return np.stack([sum_atom(S[j], D) for j in range(len(S))])
    grid = 1.0 - 2.0 * ((np.arange(2**D)[:, None] >> np.arange(D)) & 1)
    return np.stack([sum_atom(S.argmin(g), D) for g in grid])


def sum_atom(atom, d):
    x = np.zeros(d)
    atom.add_to(x, 1.0)
    return x


@pytest.mark.parametrize("S", [S for S in SETS if not isinstance(S, L2Ball) and "upper" not in repr(S)], ids=repr)
@pytest.mark.parametrize("kind", ["dense", "sparse", "float32", "operator"])
def test_quadratics_are_exact(S, kind, brute):
    Q = X.T @ X / N
    if kind == "operator":
        from scipy.sparse.linalg import aslinearoperator

        f, H = gh.quadratic(aslinearoperator(Q)), Q
    else:
        A = {"dense": X, "sparse": sp.csr_array(X), "float32": X.astype(np.float32)}[kind]
        f, H = gh.least_squares(A, Y, sample_weight=WEIGHT), np.asarray(X.T @ np.diag(WEIGHT / WEIGHT.sum()) @ X)
    M = f.curvature(S)
    close = 1e-6 if kind == "float32" else 1e-10
    assert M.status == "exact" and float(M) == pytest.approx(brute.farthest(corners(S), H), rel=close)


@pytest.mark.parametrize("sparse", [False, True])
def test_an_intercept_centres_the_columns(sparse, brute):
    A = X + np.array([0.0, 100.0, 0.0, -3.0])
    p = WEIGHT / WEIGHT.sum()
    B = A - p @ A
    H = B.T @ np.diag(p) @ B
    f = gh.least_squares(sp.csc_array(A) if sparse else A, Y, sample_weight=WEIGHT, intercept=True)
    for S in (gh.L1Ball(D, 2.0), gh.Simplex(D), Vertices(V)):
        assert float(f.curvature(S)) == pytest.approx(brute.farthest(corners(S), H), rel=1e-9)
    assert float(f.curvature(L2Ball(D, 1.0))) == pytest.approx(4 * np.linalg.eigvalsh(H)[-1], rel=1e-9)


@pytest.mark.parametrize("S", SETS, ids=repr)
@pytest.mark.parametrize("kind", ["dense", "sparse", "float32"])
def test_row_ranges(kind, S):
    A = {"dense": X, "sparse": sp.csc_array(np.where(X > 0, X, 0.0)), "float32": X.astype(np.float32)}[kind]
    low, high = S.row_ranges(design(A))
    rows = np.asarray(A.toarray() if sp.issparse(A) else A, dtype=np.float64)
    for i, a in enumerate(rows):
        assert low[i] == pytest.approx(S.argmin(a).dot(a), rel=1e-9, abs=1e-12)
        assert high[i] == pytest.approx(S.argmin(-a).dot(a), rel=1e-9, abs=1e-12)
    np.testing.assert_allclose(AtomSet.row_ranges(S, design(A)), (low, high), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("S", SETS, ids=repr)
@pytest.mark.parametrize("loss", ["squares", "intercept", "logistic"])
@pytest.mark.parametrize("sparse", [False, True])
def test_large_problems_fall_back_on_upper_bounds(loss, S, sparse, brute, rng, monkeypatch):
    A = sp.csc_array(X) if sparse else X
    f = LOSSES[loss](A)
    exact = float(f.curvature(S))
    monkeypatch.setattr(module, "SMALL", 1)
    monkeypatch.setattr(module, "EIGEN", 1)
    monkeypatch.setattr(pairs, "TILE", 1)
    monkeypatch.setattr(pairs, "WIDE", 1)
    M = f.curvature(S)
    assert exact * (1 - 1e-9) <= float(M) <= 10 * exact
    monkeypatch.setattr(pairs, "BUDGET", 0.0)
    assert exact * (1 - 1e-9) <= float(f.curvature(S)) <= 10 * exact
    Q = gh.quadratic(sp.csc_array(X.T @ X) if sparse else X.T @ X)
    assert float(Q.curvature(S)) >= brute.bending(Q, S, rng, 20) * (1 - 1e-7)


def test_more_features_than_samples_use_the_smaller_side(monkeypatch):
    A = RNG.standard_normal((6, 40))
    f = gh.least_squares(A, np.zeros(6), intercept=True)
    monkeypatch.setattr(module, "EIGEN", 10)
    M = f.curvature(L2Ball(40, 1.0))
    assert M.status == "exact" and float(M) == pytest.approx(4 * np.linalg.norm(A - A.mean(axis=0), 2) ** 2 / 6)


def test_infinite_curvature_is_said():
    for f, S in [(gh.lp_loss(X, Y, 1.5), gh.L1Ball(D, 1.0)), (gh.log_likelihood(np.eye(D)), gh.Simplex(D))]:
        assert float(f.curvature(S)) == np.inf
    f = gh.log_likelihood(np.eye(D) + 0.5)
    M = f.curvature(gh.Simplex(D))
    assert M.status == "upper bound" and float(M) <= np.mean((1.5 / 0.5 - 1) ** 2) * (1 + 1e-12)
    huge = gh.poisson(np.full((2, D), 800.0), [1, 1])
    assert float(huge.curvature(gh.L1Ball(D, 1.0))) == np.inf


def test_rows_that_do_not_matter_do_not_make_it_infinite():
    P = np.array([[0.5, 0.5], [0.0, 1.0]])
    f = gh.log_likelihood(P, sample_weight=[1.0, 0.0])
    assert float(f.curvature(gh.Simplex(2))) == 0.0


def test_a_set_without_formulas_has_bounds(brute, rng):
    S, f = Bare(D), gh.logistic(X, LABELS)
    Dm, r = S.sizes()
    assert (Dm.status, float(Dm), float(r)) == ("upper bound", pytest.approx(2 * np.sqrt(D)), pytest.approx(np.sqrt(D)))
    assert float(f.curvature(S)) >= brute.bending(f, S, rng)
    assert S.max_abs(np.arange(D) + 1.0) >= 10.0 and not S.sized
    assert S.contains(np.full(D, 0.3)) and not S.contains(np.full(D, 1.1)) and not S.contains(np.full(D, np.inf))
    assert S.contains(S.centre())


def test_a_set_without_formulas_and_many_coordinates_refuses():
    with pytest.raises(gh.GreedyhullError, match="sizes"):
        Bare(5000).diameter  # noqa: B018


def test_black_boxes_use_the_diameter():
    f = gh.function(lambda w: float(w @ w), lambda w: 2 * w, (D,), smoothness=2.0)
    for S in SETS:
        assert float(f.curvature(S)) == pytest.approx(2.0 * S.diameter**2)
