"""One door from the other: what an oracle gets for writing argmin or best."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.atoms.base import OracleBase
from greedyhull.types import Answer, Floor, Shortlist

S, G = gh.Simplex(3), np.array([2.0, -1.0, 0.5])


class First(OracleBase):
    def argmin(self, g, tol=0.0, enough=-np.inf):
        return Answer(gh.Basis(0, 1.0), float(g[0] - g.min()) + tol, "probability", 0.125)


class Best(OracleBase):
    def best(self, g, m=1, *, tol=0.0, enough=-np.inf):
        return Shortlist(S.best(g, m), tol, "probability", 0.125)


class Pair(OracleBase):
    """It answers with a pair of an array and its slack."""

    def argmin(self, g, tol=0.0, enough=-np.inf):
        return np.eye(3)[0], 3.0


def test_best_from_argmin():
    found = First().best(G, 5, tol=0.25)
    assert len(found.atoms) == 1 and found.atoms[0] == gh.Basis(0, 1.0) and found[1:4] == (3.25, "probability", 0.125)
    assert First().floor(G) == Floor(-1.0, "probability", 0.125)


def test_argmin_from_best():
    assert Best().argmin(G, tol=0.25) == Answer(gh.Basis(1, 1.0), 0.25, "probability", 0.125)
    assert Best().floor(G) == Floor(-1.0, "probability", 0.125)


def test_pairs_are_understood():
    assert Pair().best(G).slack == 3.0 and Pair().floor(G) == Floor(-1.0)
    assert isinstance(Pair(), OracleBase) and Pair().state() == {}


def test_one_of_the_two_is_wanted():
    with pytest.raises(gh.GreedyhullError, match="neither an argmin nor a best"):
        type("Nothing", (OracleBase,), {})


@pytest.mark.parametrize("made", [None, 3, object(), gh.Simplex(3)], ids=lambda made: type(made).__name__)
def test_what_is_no_oracle_is_refused_in_the_name_of_the_set(made):
    class Broken(gh.Simplex):
        def oracle(self, rng):
            return made

    with pytest.raises(gh.GreedyhullError, match=r"oracle\(rng\) of Broken.* got a .* Derive it from OracleBase"):
        gh.minimize(gh.quadratic(np.eye(3)), Broken(3))


@pytest.mark.parametrize("wrapped", [gh.Cached(S), gh.Inexact(S, 0.25), gh.oracle(lambda g: (np.eye(3)[1], 0.5), 3)], ids=repr)
def test_floors_of_the_library_s_oracles_lie_below(wrapped, rng):
    oracle = wrapped.oracle(rng)
    assert -1.75 <= oracle.floor(G).lower <= -1.0 and oracle.best(G, 2, tol=0.1, enough=0.0).kind == "always"
