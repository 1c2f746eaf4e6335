"""A run ends by writing its point in fewer atoms where the set knows how; what comes back is never taken on trust."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.finish import sparsified
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Basis, Dense

rng = np.random.default_rng(0)
X, y = rng.standard_normal((12, 5)), rng.standard_normal(12)
F = gh.least_squares(X, y)


class Ball(gh.AtomSet):
    """The unit ball: each of its points lies between two opposite atoms."""

    shape, bound = (5,), 1.0

    def __init__(self, spoil=None):
        self.spoil, self.asked = spoil, 0

    def __repr__(self):
        return "Ball()"

    def argmin(self, g):
        size = np.linalg.norm(g)
        return Dense(-g / size if size else np.eye(5)[0])

    def _holds(self, x, tol):
        return float(np.linalg.norm(x)) <= 1.0 + tol

    def compressed(self, block, weights, tol):
        self.asked += 1
        x = np.zeros(5)
        block.add_to(x, weights)
        size = float(np.linalg.norm(x))
        u = x / size if size else np.eye(5)[0]
        two, alpha = Dense(u).block(5).append(Dense(-u)), 0.5 + 0.5 * size
        return (two, np.array([alpha, 1.0 - alpha])) if self.spoil is None else self.spoil(two, alpha)


class Plain(Ball):
    """The same ball, whose points stay as they are."""

    def compressed(self, block, weights, tol):
        return block, weights


def solve(S, stop, solver=None):
    return gh.minimize(F, S, solver or gh.BlendedPairwise(), stop=stop)


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective()], ids=repr)
@pytest.mark.parametrize("stop", [gh.Gap(1e-6), gh.Iterations(12)], ids=repr)
def test_the_same_point_in_two_atoms(solver, stop):
    many, few = solve(Plain(), stop, solver), solve(Ball(), stop, solver)
    assert len(few.point) == 2 < len(many.point) and few.trace.atoms[-1] == 2
    assert np.linalg.norm(few.point.array() - many.point.array()) <= 1e-12
    assert few.converged == many.converged and few.iterations == many.iterations
    assert few.value == pytest.approx(many.value, abs=1e-12)
    again = gh.certify(F, Ball(), few.point)
    assert few.certificate.value == again.value and few.gap <= again.gap + 1e-15  # a certificate of this very point
    best = solve(Plain(), gh.Gap(1e-9), gh.Corrective())
    assert few.value - best.certificate.lower <= few.gap + 1e-9


def test_the_set_is_asked_once_as_the_run_ends():
    S = Ball()
    solve(S, gh.Gap(1e-6))
    assert S.asked == 1


def test_a_set_in_another_set_is_asked():
    assert len(solve(gh.Cached(Ball()), gh.Gap(1e-6)).point) == 2


def test_what_is_saved_is_the_run_and_not_its_summary(tmp_path):
    gh.minimize(F, Ball(), gh.BlendedPairwise(), stop=gh.Iterations(10), checkpoint=tmp_path / "r.npz")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        s = gh.minimize(F, Ball(), gh.BlendedPairwise(), stop=gh.Iterations(20), resume=tmp_path / "r.npz")
    whole = gh.minimize(F, Ball(), gh.BlendedPairwise(), stop=gh.Iterations(20))
    assert np.array_equal(s.point.array(), whole.point.array())


SPOILT = {
    "elsewhere": lambda two, a: (two, np.array([a - 1e-6, 1.0 - a + 1e-6])),
    "below zero": lambda two, a: (two, np.array([a + 2.0, -1.0 - a])),
    "not to one": lambda two, a: (two, np.array([a, 1.0 - a]) * 1.001),
    "NaN or infinite": lambda two, a: (two, np.array([np.nan, 1.0])),
    "one weight for each": lambda two, a: (two, np.ones(1)),
    "ValueError": lambda two, a: (two.take(np.arange(0)), np.zeros(0)),
    "TypeError": lambda two, a: None,
    "ZeroDivisionError": lambda two, a: 1 / 0,
    "away": lambda two, a: (Dense(np.full(5, 3.0)).block(5), np.ones(1)),
}


@pytest.mark.parametrize("name", SPOILT)
def test_what_is_not_the_same_point_is_left_with_a_warning(name):
    with pytest.warns(gh.GreedyhullWarning, match="Ball.* was left: .*(away|" + name + ")"):
        s = solve(Ball(SPOILT[name]), gh.Gap(1e-6))
    want = solve(Plain(), gh.Gap(1e-6))
    assert s.converged and len(s.point) == len(want.point) and s.value == want.value and s.gap == want.gap


def test_a_set_that_writes_on_what_it_is_given_spoils_nothing():
    class Writes(Ball):
        def compressed(self, block, weights, tol):
            block.append(Dense(np.zeros(5)))
            block.matrix[:], weights[:] = 7.0, 7.0
            return block.take(np.arange(1)), np.ones(1)

    with pytest.warns(gh.GreedyhullWarning, match="was left") as said:
        s = solve(Writes(), gh.Gap(1e-6))
    want = solve(Plain(), gh.Gap(1e-6))
    assert np.array_equal(s.point.array(), want.point.array()) and s.gap == want.gap
    assert Path(said[0].filename).name == Path(__file__).name  # the line that called minimize


def test_atoms_outside_the_set_are_not_taken():
    """Two points beyond the ball can have a mixture inside."""
    def far(two, alpha):
        x = (2 * alpha - 1) * two.matrix[0]
        return Dense(x + 2.0 * np.eye(5)[0]).block(5).append(Dense(x - 2.0 * np.eye(5)[0])), np.array([0.5, 0.5])

    with pytest.warns(gh.GreedyhullWarning, match="was left"):
        s = solve(Ball(far), gh.Gap(1e-6))
    assert len(s.point) > 2 and s.converged


def test_odd_points():
    S, e = Ball(), np.eye(5)[0]
    zero = Iterate(Dense(e).block(5).append(Dense(-e)).append(Basis(1, 1.0)), np.array([0.5, 0.5, 0.0]), (5,))
    fewer = sparsified(zero, S)
    assert fewer is not None and not fewer.array().any() and len(fewer) == 2
    assert sparsified(Iterate.at(Dense(np.eye(5)[0]), (5,)), S) is None  # one atom stays
    assert sparsified(Iterate.at(Basis(0, 1.0), (3,)), gh.L1Ball(3, 1.0)) is None
