"""The simplex and the capped simplex."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedyhull import Gap, GreedyhullError, Iterations, least_squares, minimize, quadratic
from greedyhull.atoms.simplex import BoundedSimplex, CappedSimplex, Simplex
from greedyhull.testing import check_atoms

SETS = [Simplex(4), Simplex(1, 2.0), Simplex(3, 1e-9), Simplex(3, 1e9), CappedSimplex(4, 2.0), CappedSimplex(1),
        CappedSimplex(2, 1e9)]


def atoms_of(S):
    return np.stack([np.eye(S.shape[0])[S[j].index] * S[j].scale for j in range(len(S))])


@pytest.mark.parametrize("S", SETS, ids=repr)
def test_keeps_its_promises(S):
    check_atoms(S, minimum=lambda g: float((atoms_of(S) @ g).min()), trials=8)


@pytest.mark.parametrize("S", SETS, ids=repr)
def test_constants_are_exact(S, brute, rng):
    V, d = atoms_of(S), S.shape[0]
    B = rng.standard_normal((d, d))
    assert S.diameter == pytest.approx(np.sqrt(brute.farthest(V)))
    assert S.circumradius == pytest.approx(brute.enclosing(V), rel=1e-5)
    M = quadratic(B @ B.T).curvature(S)
    assert M.status == "exact" and float(M) == pytest.approx(brute.farthest(V, B @ B.T), rel=1e-9)
    assert S.max_abs(np.arange(d) + 1.0) == pytest.approx((np.abs(V) @ (np.arange(d) + 1.0)).max())


@given(g=st.lists(st.sampled_from([0.0, 1.0, -1.0, 2.0, 1e-300, -1e300]), min_size=1, max_size=6), m=st.integers(1, 8),
       kind=st.sampled_from([Simplex, CappedSimplex]))
def test_best_atoms_in_order(g, m, kind):
    g = np.array(g)
    S = kind(len(g), 2.0)
    block = S.best(g, m)
    np.testing.assert_array_equal(block.dots(g), np.sort(S.scores(g))[: min(m, len(S))])
    assert S.argmin(g).dot(g) == S.scores(g).min()


def test_contains():
    assert Simplex(2).contains([0.5, 0.5]) and not Simplex(2).contains([0.5, 0.4]) and not Simplex(2).contains([1.5, -0.5])
    assert CappedSimplex(2).contains([0.5, 0.4]) and not CappedSimplex(2).contains([0.7, 0.4])
    assert not Simplex(2).contains([0.5, np.nan]) and not Simplex(2).contains([1.0])


def test_decompose_refuses_what_is_outside():
    for S in (Simplex(2), CappedSimplex(2)):
        with pytest.raises(GreedyhullError, match="outside"):
            S.decompose(np.array([2.0, 0.0]))
        with pytest.raises(GreedyhullError, match="shape"):
            S.decompose(np.array([1.0]))


def test_upper_makes_a_bounded_simplex():
    S = Simplex(3, upper=0.6)
    assert isinstance(S, BoundedSimplex) and not isinstance(S, Simplex) and not hasattr(S, "scores")
    assert repr(S) == "Simplex(3, total=1, upper=0.6)"
    for T in (Simplex(3, 2.0), S, CappedSimplex(2)):
        for other in (pickle.loads(pickle.dumps(T)), copy.deepcopy(T)):
            assert type(other) is type(T) and repr(other) == repr(T) and other.total == T.total


@pytest.mark.parametrize("S", [Simplex(6, 2.0), CappedSimplex(6, 2.0)], ids=repr)
def test_price_is_the_derivative_of_the_minimum(S, rng):
    """−⟨∇f, w⟩/total: the hull scales with total, w = total·u, so that d f*/d total = ⟨∇f(w), u⟩."""
    f = least_squares(rng.standard_normal((8, 6)), rng.standard_normal(8) + 3.0)
    h, stop = 1e-4, Gap(1e-10) | Iterations(5000)
    lower, here, upper = (minimize(f, S.rescaled(S.total + step), stop=stop) for step in (-h, 0.0, h))
    assert here.price == pytest.approx(-(upper.value - lower.value) / (2 * h), abs=1e-6)


@pytest.mark.parametrize("kind", [Simplex, CappedSimplex])
@pytest.mark.parametrize(("args", "said"), [((0,), "dimension"), ((3, 0.0), "total"), ((3, -1), "total"), ((3, np.nan), "t")])
def test_bad_input(kind, args, said):
    with pytest.raises(GreedyhullError, match=said):
        kind(*args)


def test_a_class_with_another_constructor_is_rescaled_as_the_set_it_derives_from():
    class Weights(CappedSimplex):
        def __init__(self):
            super().__init__(3)

    S = Weights().rescaled(2.0)
    assert type(S) is CappedSimplex and S.total == 2.0 and S.shape == (3,)
