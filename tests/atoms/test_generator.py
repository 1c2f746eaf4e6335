"""Random numbers for sets: a real generator, made where somebody may draw."""

import pickle

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.atoms.base import IDLE, generator

F = gh.least_squares(np.random.default_rng(0).standard_normal((9, 4)), np.ones(9))


class Drawing(gh.AtomSet):
    """It begins at a random corner of the cross-polytope, and its oracle breaks ties at random."""

    shape, bound = (4,), 1.0

    def __init__(self):
        self.handed = []

    def __repr__(self):
        return "Drawing()"

    def argmin(self, g):
        j = int(np.abs(g).argmax())
        return gh.Basis(j, 1.0 if g[j] <= 0.0 else -1.0)

    def start(self, rng):
        self.handed.append(rng)
        return gh.Basis(int(rng.integers(4)), 1.0)

    def oracle(self, rng):
        self.handed.append(rng)
        return super().oracle(rng)


def test_a_set_that_may_draw_gets_a_generator_of_its_own():
    S = Drawing()
    gh.minimize(F, S, gh.FrankWolfe(), stop=gh.Iterations(2), seed=5)
    assert all(isinstance(rng, np.random.Generator) and rng is not IDLE for rng in S.handed) and len(S.handed) == 2
    assert pickle.loads(pickle.dumps(S.handed[0])).random() == S.handed[0].random()
    assert generator(S, 5, 1).random() == generator(S, 5, 1).random() != generator(S, 6, 1).random()
    assert gh.Cached(S).traits.random and gh.Cached(gh.Simplex(4)).traits.random


@pytest.mark.parametrize("S", [gh.Simplex(4), gh.L1Ball(4, 1.0), gh.Box(np.zeros(4), 1.0), gh.L2Ball(4, 1.0),
                               gh.LinfBall(4, 1.0), gh.CappedSimplex(4), gh.Vertices(np.eye(4)), gh.Simplex(4, upper=0.5),
                               gh.oracle(lambda g: -np.sign(g), 4, bound=1.0)], ids=repr)
def test_the_sets_of_the_library_draw_nothing(S):
    """So they may share one generator, which stays as it is."""
    before = IDLE.bit_generator.state
    assert generator(S, 1) is IDLE
    gh.minimize(F, S, stop=gh.Iterations(5))
    gh.certify(F, S, S.centre())
    assert IDLE.bit_generator.state == before
