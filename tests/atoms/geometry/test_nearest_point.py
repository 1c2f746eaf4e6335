"""Membership by search: what the oracle proves of a point, at any scale, whatever it errs by."""

import numpy as np
import pytest
from scipy.optimize import nnls

import greedyhull as gh
from greedyhull.atoms.geometry import STEPS, nearest_point
from greedyhull.points.shapes import Basis, Dense
from greedyhull.types import Answer

RNG = np.random.default_rng(7)
V = RNG.standard_normal((40, 6))


class Own(gh.AtomSet):
    """A user's set: an argmin, and nothing else."""

    def __init__(self, S):
        self.S, self.shape, self.asked = S, S.shape, 0

    def argmin(self, g):
        self.asked += 1
        return self.S.argmin(g)


def distance(V, x):
    """The distance of x from the hull of the rows of V, by non-negative least squares with a heavy row for Σα = 1."""
    size = max(np.abs(V).max(), np.abs(x).max())
    A = np.vstack([(V - x).T / size, 1e4 * np.ones(len(V))])
    alpha = nnls(A, np.append(np.zeros(len(x)), 1e4), maxiter=10_000)[0]
    alpha /= alpha.sum()
    return float(np.linalg.norm(alpha @ V - x))


def inside(rng, m=40):
    return rng.dirichlet(np.full(m, 0.5)) @ V


@pytest.mark.parametrize("scale", [1e-200, 1e-120, 1e-8, 1.0, 1e8, 1e149])
@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_points_are_told_apart_at_every_scale(scale, shift):
    S, rng = Own(gh.Vertices(scale * (V + shift))), np.random.default_rng(0)
    for _ in range(5):
        x = scale * (inside(rng) + shift)
        out = scale * (2.0 * V[rng.integers(40)] + shift)
        assert S.contains(x) and not S.excludes(x)
        assert not S.contains(out) and S.excludes(out)
        w = S.decompose(x)
        assert np.abs(w.array() - x).max() <= 1e-6 * scale * (1.0 + shift)
        assert (w.weights > 0.0).all() and abs(w.weights.sum() - 1.0) <= 1e-12 and len(w) <= 40
        with pytest.raises(gh.GreedyhullError, match="none that is near"):
            S.decompose(out)


@pytest.mark.parametrize("inner", [gh.L2Ball(8, 2.0), gh.L1Ball(8, 2.0), gh.Box(-np.ones(8), np.arange(8.0)), gh.Simplex(8),
                                   gh.CappedSimplex(8, 2.0), gh.Vertices(V)], ids=repr)
def test_the_search_agrees_with_the_formula_and_is_short(inner):
    S, rng, centre = Own(inner), np.random.default_rng(1), inner.centre().array()
    for _ in range(10):
        g = rng.standard_normal(inner.shape)
        atom = np.zeros(inner.shape)
        inner.atom(g).add_to(atom, 1.0)
        for share in (0.5, 1.0, 1.0 + 1e-5, 1.5):
            x, S.asked = centre + share * (atom - centre), 0
            assert S.contains(x) == (share <= 1.0) and S.excludes(x) == (share > 1.0)
            assert S.asked <= 2 * (STEPS + 3)


def test_bounds_on_the_distance_are_true_and_found():
    rng, S = np.random.default_rng(2), gh.Vertices(V)
    for _ in range(20):
        x = 3.0 * rng.standard_normal(6)
        true, size = distance(V, x), 4.0
        if true < 1e-3:
            continue
        found = nearest_point(S, x, size, 0.0, 0.999 * true / size)
        assert found.lower * size <= true * (1.0 + 1e-7) and found.kind == "always"
        assert found.lower * size > 0.999 * true
        assert found.distance * size >= true * (1.0 - 1e-7)


def erring(slack, kind="always", wrong=False):
    """The square [−1, 1]², whose oracle is off by up to ``slack``, and says so unless ``wrong``."""

    class Erring(gh.AtomSet):
        shape = (2,)

        def argmin(self, g):
            return -np.sign(g) * (1.0 - slack)

        def oracle(self, rng):
            outer = self

            class Told(type(super().oracle(rng))):
                def argmin(self, g, tol=0.0, enough=-np.inf):
                    off = 0.0 if wrong else slack * float(np.abs(g).sum())
                    return Answer(Dense(outer.argmin(g)), off, kind)

            return Told(self)

    return Erring()


def test_what_an_oracle_may_err_by_leaves_membership_open():
    x = np.array([0.95, 0.95])
    assert not erring(0.1).contains(x) and not erring(0.1).excludes(x), "it may be inside, for all that is known"
    assert erring(0.1).excludes(np.array([1.2, 0.0]))
    assert erring(0.1, wrong=True).excludes(x), "an oracle is believed"


@pytest.mark.parametrize("kind", ["probability", "estimate", "expectation"])
def test_only_proofs_exclude(kind):
    out = np.array([3.0, 0.0])
    assert erring(0.0).excludes(out)
    assert not erring(0.0, kind).excludes(out) and not erring(0.0, kind).contains(out)


def test_atoms_are_owned_to_the_last_digits():
    S = Own(gh.Vertices(V))
    for row in V[:8]:
        outward = row * (1.0 + 1e-12)
        corner = np.allclose(S.S.matrix[int((V @ -row).argmin())], row)
        assert S.owns(Dense(row.copy()))
        assert not corner or not S.owns(Dense(outward))
    ball = Own(gh.L2Ball(3, 2.0))
    assert ball.owns(Basis(1, 2.0)) and not ball.owns(Basis(1, 2.0 * (1.0 + 1e-9)))


@pytest.mark.parametrize("x", [np.zeros(3), np.array([-0.0, 0.0, 0.0])])
def test_a_set_of_the_origin_alone(x):
    S = Own(gh.Vertices(np.zeros((1, 3))))
    assert S.contains(x) and not S.excludes(x) and len(S.decompose(x)) == 1
    assert not S.contains(x + 1e-200) and S.excludes(x + 1e-200)


@pytest.mark.parametrize("S", [Own(gh.L1Ball(3, 1.0)), gh.Vertices(np.eye(3))], ids=["search", "rows"])
@pytest.mark.parametrize("size", [1e155, 1e300, 1.7e308])
def test_points_at_the_end_of_the_range_are_outside(S, size):
    x = np.array([size, -size, size])
    assert not S.contains(x) and S.excludes(x)


def test_one_coordinate_and_points_given_twice():
    S = Own(gh.Vertices(np.array([[-1.0], [2.0], [2.0], [-1.0]])))
    assert all(S.contains(np.array([t])) for t in (-1.0, 0.0, 0.3, 2.0))
    assert not any(S.contains(np.array([t])) for t in (-1.001, 2.001))


def test_points_of_any_shape():
    def sign(G):
        return -np.sign(G)

    S = gh.oracle(sign, (3, 4))
    X = RNG.uniform(-1.0, 1.0, (3, 4))
    assert S.contains(X) and np.abs(S.decompose(X).array() - X).max() <= 1e-6
    assert S.excludes(X + 3.0)
