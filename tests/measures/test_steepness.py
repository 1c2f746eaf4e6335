"""How steep terms are: bounds for linear models, estimates from some terms otherwise."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.atoms.base import AtomSet
from greedyhull.measures.terms import steepness

RNG = np.random.default_rng(6)
X, Y = RNG.standard_normal((25, 3)), RNG.standard_normal(25)


@pytest.mark.parametrize("S", [gh.L2Ball(3, 2.0), gh.L1Ball(3, 2.0), gh.Simplex(3)], ids=repr)
def test_bounds_cover_what_terms_do(S):
    for f in (gh.absolute(X, Y), gh.hinge(X, np.sign(Y)), gh.least_squares(X, Y)):
        found = steepness(f, S, np.zeros(3))
        assert found.L.status == "upper bound"
        for _ in range(5):
            x = np.zeros(3)
            S.argmin(RNG.standard_normal(3)).add_to(x, 1.0)
            g = np.array([f.batch(np.array([i])).gradient(x) for i in range(25)])
            widths = np.array([S.argmin(-v).dot(v) - S.argmin(v).dot(v) for v in g])
            assert np.sqrt((g**2).sum(axis=1).mean()) <= float(found.L) * (1 + 1e-12)
            assert 0.5 * np.sqrt((widths**2).mean()) <= found.V * (1 + 1e-12)


def test_on_the_l2_ball_both_say_the_same():
    f = gh.absolute(X, Y)
    found = steepness(f, gh.L2Ball(3, 2.0), np.zeros(3))
    assert abs(found.V - 2.0 * float(found.L)) <= 1e-12
    assert steepness(f, gh.L1Ball(3, 2.0), np.zeros(3)).V < found.V


def test_estimates_are_called_so():
    own = gh.finite_sum(lambda w, i: 0.0, lambda w, i: X[i].T @ np.sign(X[i] @ w - Y[i]) / len(i), 25, 3)
    S = gh.L1Ball(3, 2.0)
    found, model = steepness(own, S, np.zeros(3)), steepness(gh.absolute(X, Y), S, np.zeros(3))
    assert found.L.status == "estimated"
    assert abs(float(found.L) - float(model.L)) + abs(found.V - model.V) <= 1e-12


def test_sets_without_a_formula_are_not_asked_for_every_row():
    class Plain(AtomSet):
        shape, asked = (3,), 0

        def argmin(self, g):
            self.asked += 1
            return gh.Simplex(3).argmin(g)

    long = np.tile(X, (20, 1))
    S = Plain()
    found = steepness(gh.absolute(long, np.tile(Y, 20)), S, np.zeros(3))
    assert found.L.status == "estimated" and S.asked <= 64
    assert 0.5 * float(steepness(gh.absolute(X, Y), gh.Simplex(3), np.zeros(3)).L) <= float(found.L)


def test_streams_are_sampled():
    class One:
        def value(self, w):
            return 0.0

        def gradient(self, w):
            return np.array([3.0, 4.0])

    found = steepness(gh.expectation(lambda size, rng: One(), 2), gh.L1Ball(2, 2.0), np.zeros(2))
    assert abs(float(found.L) - 5.0) + abs(found.V - 8.0) <= 1e-12
