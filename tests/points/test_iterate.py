"""Points as atoms and weights: moves keep weights a distribution, views follow, states come back."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import greedyhull as gh
from greedyhull.points.coordinate_iterate import CoordinateIterate, restored
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Basis, BasisBlock, Dense, Sparse
from greedyhull.points.views import Coordinates

D = 4
SHAPES: dict[str, list[Any]] = {
    "basis": [Basis(i, s) for i in range(D) for s in (1.5, -1.5)],
    "sparse": [Sparse(np.array([i, j]), np.array([1.0, -0.5])) for i in range(D) for j in range(i + 1, D)],
    "dense": [Dense(np.random.default_rng(i).standard_normal(D)) for i in range(6)],
    "mixed": [
        Basis(0, 1.0),
        Basis(2, -1.0),
        Sparse(np.array([1, 3]), np.array([2.0, 1.0])),
        Dense(np.arange(4.0)),
        Basis(1, 1.0),
    ],
}


def array(atom: Any) -> Any:
    x = np.zeros(D)
    atom.add_to(x, 1.0)
    return x


@given(data=st.data(), kind=st.sampled_from(sorted(SHAPES)))
def test_any_moves_keep_a_distribution_and_the_coordinates(data: st.DataObject, kind: str) -> None:
    atoms = SHAPES[kind]
    w = Iterate.at(atoms[0], (D,))
    x = array(atoms[0])
    view = w.view("coordinates", Coordinates)
    for _ in range(data.draw(st.integers(1, 12))):
        g = np.array([data.draw(st.floats(-2, 2)) for _ in range(D)])
        how = data.draw(st.sampled_from(["toward", "away", "pairwise"]))
        d, worst = atoms[data.draw(st.integers(0, len(atoms) - 1))], w.worst(g)
        if how == "toward" or len(w) < 2:
            move, v = w.toward(d), array(d) - x
        elif how == "away":
            move, v = w.away_from(worst), x - array(worst.atom)
        else:
            move, v = w.between(worst, d), array(d) - array(worst.atom)
        step = data.draw(st.sampled_from([0.0, 0.3, 1.0])) * min(move.max_step, 1e3)
        w.move(move, step)
        x = x + step * v
        size = 1 + np.abs(x).max() + step * np.abs(v).max()
        assert (w.weights > 0).all() and w.weights.sum() == pytest.approx(1, abs=1e-9)
        assert np.allclose(w.array(), x, atol=1e-9 * size) and np.allclose(view.x, x, atol=1e-9 * size)
        assert len({w.block.key_of(w.block[i]) for i in range(len(w))}) == len(w) == len(w.weights)
        assert w.dot(g) == pytest.approx(float(w.array() @ g), abs=1e-9 * size)


def test_best_and_worst_are_the_least_and_the_largest_score() -> None:
    w = gh.Simplex(4).centre()
    g = np.array([3.0, -1.0, 2.0, 0.0])
    assert (w.best(g).atom, w.best(g).score) == (Basis(1, 1.0), -1.0)
    assert (w.worst(g).atom, w.worst(g).weight) == (Basis(0, 1.0), 0.25)


def test_scores_are_not_those_of_an_earlier_point_or_gradient() -> None:
    w = gh.Simplex(3).centre()
    g = np.array([3.0, -1.0, 2.0])
    before = w.dot(g)
    w.move(w.toward(Basis(1, 1.0)), 1.0)
    assert before == pytest.approx(4 / 3) and w.dot(g) == -1.0 and w.dot(2 * g) == -2.0


def test_an_away_step_to_the_end_lets_the_atom_go() -> None:
    w = gh.Simplex(3).centre()
    worst = w.worst(np.array([0.0, 1.0, 0.0]))
    move = w.away_from(worst)
    w.move(move, move.max_step)
    assert len(w) == 2 and np.allclose(w.array(), [0.5, 0.0, 0.5])


def test_a_whole_step_leaves_one_atom() -> None:
    w = gh.Simplex(3).centre()
    w.move(w.toward(Basis(2, 1.0)), 1.0)
    assert len(w) == 1 and w.weights.tolist() == [1.0]


def test_a_reweighting_drops_what_it_brings_to_zero() -> None:
    w = gh.Simplex(3).centre()
    block = w.block.take(np.arange(3))
    w.move(w.reweighting(block, w.weights.copy(), np.array([2 / 3, -1 / 3, -1 / 3])), 1.0)
    assert len(w) == 1 and np.allclose(w.array(), [1.0, 0.0, 0.0])


def test_an_iterate_wants_a_weight_for_each_atom() -> None:
    with pytest.raises(gh.GreedyhullError, match="2 atoms and 3 weights"):
        Iterate(BasisBlock(3, [0, 1], [1.0, 1.0]), np.ones(3) / 3, (3,))


def test_a_copy_is_independent() -> None:
    w = gh.Simplex(3).centre()
    copy = w.copy()
    copy.move(copy.toward(Basis(0, 1.0)), 0.5)
    assert np.allclose(w.array(), 1 / 3) and copy.views == {}


@pytest.mark.parametrize("kind", SHAPES)
def test_a_state_comes_back(kind: str) -> None:
    w = Iterate.at(SHAPES[kind][0], (D,))
    for i, d in enumerate(SHAPES[kind]):
        w.move(w.toward(d), 1 / (i + 2))
    again = restored(w.state())
    assert np.array_equal(again.array(), w.array()) and np.array_equal(again.weights, w.weights)
    assert list(again.block.keys) == list(w.block.keys)


def drifted(hairs: int = 4000) -> Iterate:
    """A point whose weights no longer sum to one: each hair that is taken exactly from one atom is rounded up by another."""
    w = Iterate(BasisBlock(3, [0, 1, 2], [1.0, 1.0, 1.0]), np.array([0.5, 0.25, 0.25]), (3,))
    for _ in range(hairs):
        w.move(w.between(w.worst(np.array([0.0, 1.0, 0.0])), Basis(0, 1.0)), 0.75 * 2.0**-53)
    assert abs(w.weights.sum() - 1) > 1e-14 * hairs / 400
    return w


def test_refreshing_makes_weights_sum_to_one_and_views_exact() -> None:
    f, w = gh.least_squares(np.eye(3), np.ones(3)), drifted()
    f.value(w)
    creep = w.between(w.worst(np.array([0.0, 1.0, 0.0])), Basis(0, 1.0))
    w.move(creep, 1e-3)
    shares = w.weights / w.weights.sum()
    w.refresh()
    assert abs(w.weights.sum() - 1) <= 2.0**-52 and np.allclose(w.weights, shares, rtol=1e-15, atol=0)
    assert f.at(w).moves == 0 and np.array_equal(f.at(w).z, w.array())


def test_refreshing_lets_weights_that_underflowed_go() -> None:
    w = Iterate(BasisBlock(3, [0, 1, 2], [1.0, 1.0, 1.0]), np.array([0.5, 0.0, 0.5]), (3,))
    w.refresh()
    assert len(w) == 2 and w.weights.tolist() == [0.5, 0.5] and w.array().tolist() == [0.5, 0.0, 0.5]


# --- coordinates only ---------------------------------------------------------------------------------------------


def test_a_point_by_its_coordinates_moves_and_comes_back() -> None:
    w = CoordinateIterate(np.array([1.0, 0.0]))
    w.move(w.toward(Dense(np.array([0.0, 1.0]))), 0.25)
    assert w.array().tolist() == [0.75, 0.25] and w.dot(np.array([1.0, 2.0])) == 1.25
    again = restored(w.state())
    assert isinstance(again, CoordinateIterate) and again.array().tolist() == [0.75, 0.25]
    assert len(w) == 1 and "shape (2,)" in repr(w)


@pytest.mark.parametrize("what", ["atoms", "weights"])
def test_atoms_that_were_not_kept_are_asked_for_in_vain(what: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=f"The {what} of this point were not kept.*BlendedPairwise"):
        getattr(CoordinateIterate(np.ones(2)), what)


def test_the_users_array_is_not_the_iterate() -> None:
    x = np.array([1.0, 0.0])
    w = CoordinateIterate(x)
    w.move(w.toward(Dense(np.array([0.0, 1.0]))), 0.5)
    assert x.tolist() == [1.0, 0.0]


def test_coordinates_stay_in_the_box_of_the_atoms() -> None:
    """0.1 + 0.2 − 0.3 is not zero; a coordinate of the simplex is."""
    w = gh.Simplex(3).decompose(np.array([0.7, 0.1, 0.2]))
    view = w.view("coordinates", Coordinates)
    for _ in range(50):
        worst = w.worst(np.array([0.0, 1.0, 2.0]))
        w.move(w.between(worst, Basis(0, 1.0)), worst.weight)
        w.move(w.toward(Basis(1, 1.0)), 0.1)
        w.move(w.toward(Basis(2, 1.0)), 0.3)
        assert view.x.min() >= 0.0 and view.x.max() <= 1.0


def test_atoms_that_a_wider_shape_cannot_tell_apart_become_one():
    w = Iterate.at(Basis(0, 0.0), (3,))
    w.move(w.toward(Basis(2, 0.0)), 0.5)  # zero, by another name
    w.move(w.toward(Basis(1, 1.0)), 0.5)
    w.move(w.toward(Dense(np.array([1.0, 1.0, 1.0]))), 0.5)
    assert len(w) == 3 == len(set(w.block.keys)) and w.weights.sum() == pytest.approx(1.0)
    assert np.allclose(w.array(), [0.5, 0.75, 0.5])


def test_a_point_that_takes_atoms_over_moves_and_is_refreshed_as_any_other() -> None:
    w = Iterate.at(Basis(0, 1.0), (D,))
    w.hold(BasisBlock(D, [1, 3], [2.0, -2.0]), np.array([0.25, 0.75]))
    assert w.array().tolist() == [0.0, 0.5, 0.0, -1.5] and w.find(Basis(3, -2.0)) == 1
    w.move(w.toward(Basis(1, 2.0)), 0.5)
    w.refresh()
    assert w.array().tolist() == [0.0, 1.25, 0.0, -0.75] and len(w) == 2
