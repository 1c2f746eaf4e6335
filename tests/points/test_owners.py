"""Points with several owners: whose each atom is survives all that is done to a point."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.checks import check_point
from greedyhull.points.blocks import block_from, block_state
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.points.owners import Joint, Owned, OwnedBlock, vertices
from greedyhull.points.shapes import Basis, BasisBlock, Dense, Sparse
from greedyhull.points.validate import as_atom
from greedyhull.points.views import Coordinates
from greedyhull.types import SetTraits

g = np.array([3.0, 1.0, 2.0, -5.0, 7.0])


def vertex(i, j):
    return Joint((Basis(i, 1.0), Basis(j, 2.0)))


def point():
    """¼e₀ + ¾e₁ of the first owner, ¼·2e₃ + ½·2e₄ + ¼·2e₂ of the second."""
    w = Iterate.at(vertex(0, 3), (5,))
    w.move(w.toward(vertex(1, 4)), 0.5)
    w.move(w.toward(vertex(1, 4)), 0.0)
    w.move(w.toward(vertex(1, 2)), 0.5)
    return w


def test_a_vertex_is_the_sum_of_its_parts():
    d = Joint((Basis(4, 2.0), Basis(1, 1.0)), (1, 0))
    x = np.zeros(5)
    d.add_to(x, 2.0)
    assert x.tolist() == [0.0, 2.0, 0.0, 0.0, 4.0] and d.dot(g) == 15.0
    assert d.key == vertex(1, 4).key and d.parts[0] == Basis(1, 1.0) and d.owners == (0, 1)


@pytest.mark.parametrize("parts, owners", [((), ()), ((Basis(0, 1.0),), (1,)), ((Basis(0, 1.0), Basis(1, 1.0)), (0, 0)),
                                           ((Basis(0, 1.0), Basis(1, 1.0)), (0,)), ((Basis(0, 1.0),), (0.0,)),
                                           ((Basis(0, 1.0), Basis(1, 1.0)), (False, True))])
def test_vertices_that_are_none(parts, owners):
    with pytest.raises(gh.GreedyhullError, match="one part for each of the owners"):
        Joint(parts, owners)


@pytest.mark.parametrize("parts, owners, words", [((vertex(0, 3), Basis(0, 1.0)), (0, 1), "owners itself"),
                                                  ((Owned(Basis(0, 1.0), 0),), (0,), "owners itself"),
                                                  (Basis(0, 1.0), (0,), "a tuple of atoms"),
                                                  ((Basis(0, 1.0),), 0, "a tuple of atoms")])
def test_parts_that_are_none(parts, owners, words):
    with pytest.raises(gh.GreedyhullError, match=words):
        Joint(parts, owners)


@pytest.mark.parametrize("part", [Basis(9, 1.0), Basis(0, np.nan), Dense(np.ones(4)), np.full(5, np.inf), Sparse([7], [1.0])],
                         ids=repr)
def test_parts_are_checked_as_atoms_are(part):
    with pytest.raises(gh.GreedyhullError, match="An oracle returned"):
        as_atom(Joint((Basis(0, 1.0), part)), (5,))


def test_parts_come_in_one_shape_and_without_the_names_of_other_sets():
    d = as_atom(Joint((Basis(0, 1.0), Dense(np.arange(5.0), name=3))), (5,))
    assert all(isinstance(part, Dense) and part.name is None for part in d.parts)


def test_weights_sum_to_one_for_each_owner():
    w = point()
    assert w.totals.tolist() == [1.0, 1.0] and w.array().tolist() == [0.25, 0.75, 1.0, 0.5, 0.5]
    assert sorted(zip(w.owners.tolist(), w.weights.tolist(), strict=True)) == [(0, 0.25), (0, 0.75), (1, 0.25), (1, 0.25),
                                                                              (1, 0.5)]


def test_the_origin_of_two_owners_is_two_atoms():
    w = Iterate.at(Joint((Basis(0, 0.0), Basis(0, -0.0))), (5,))
    assert len(w) == 2 and len(w.copy().merged()) == 2
    w.move(w.toward(vertex(0, 3)), 0.5)
    assert len(w) == 4 and w.totals.tolist() == [1.0, 1.0]


def test_the_farthest_pair_is_of_one_owner():
    worst, best = point().farthest(g)
    assert (worst.atom.key, best.atom.key) == ((1, (4, 2.0)), (1, (3, 2.0))) and worst.score - best.score == 24.0
    plain = Iterate(BasisBlock(5, [0, 3, 4], [1.0] * 3), np.ones(3) / 3, (5,))
    worst, best = plain.farthest(g)
    assert (worst, best) == (plain.worst(g), plain.best(g))


def test_weight_moves_within_an_owner_only():
    w = point()
    worst, best = w.farthest(g)
    w.move(w.between(worst, best.atom), worst.weight)
    assert w.totals.tolist() == [1.0, 1.0] and w.find(Owned(Basis(4, 2.0), 1)) is None
    w.move(w.between(w.worst(g), vertex(1, 4)), 0.1)  # to the part of the same owner
    assert w.totals == pytest.approx([1.0, 1.0])
    other = w.best(g) if w.best(g).atom.owner != w.worst(g).atom.owner else w.farthest(-g)[0]
    for wrong in (lambda: w.between(other, Owned(Basis(0, 1.0), 1 - other.atom.owner)), lambda: w.away_from(other),
                  lambda: w.toward(Joint((Basis(0, 1.0),))), lambda: w.toward(vertex(0, 3), owner=2),
                  lambda: w.toward(Owned(Basis(0, 1.0), 0), owner=1)):
        with pytest.raises(gh.GreedyhullError):
            wrong()
    with pytest.raises(gh.GreedyhullError, match="nobody said whose it is"):
        w.move(w.toward(Basis(0, 1.0)), 0.5)


@pytest.mark.parametrize("step", [0.0, 0.3, 1.0])
def test_one_owner_moves_alone(step):
    w = point()
    view, x = w.view("x", Coordinates), w.array()
    w.move(w.toward(Basis(0, 2.0), owner=1), step)
    assert w.totals == pytest.approx([1.0, 1.0])
    x[:2] += 0.0
    x[2:] *= 1.0 - step
    x[0] += 2.0 * step
    np.testing.assert_allclose(w.array(), x, atol=1e-15)
    np.testing.assert_allclose(view.x, x, atol=1e-15)
    assert (len(w) == 3) == (step == 1.0)
    plain = Iterate.at(Basis(0, 1.0), (5,))
    with pytest.raises(gh.GreedyhullError, match="which has one owner"):
        plain.toward(Basis(1, 1.0), owner=1)
    with pytest.raises(gh.GreedyhullError, match="Begin at a vertex"):
        plain.toward(vertex(0, 3))


def test_owners_survive_copies_states_and_other_shapes():
    w = point()
    for again in (w.copy(), Iterate.restored(w.state()), Iterate(w.block.unnamed(), w.weights, w.shape)):
        assert np.array_equal(again.owners, w.owners) and list(again.block.keys) == list(w.block.keys)
        assert np.array_equal(again.weights, w.weights)
    other = Iterate.at(vertex(2, 3), (5,))
    other.become(w)
    assert np.array_equal(other.owners, w.owners) and np.array_equal(other.array(), w.array())
    w.move(w.toward(Joint((Dense(np.eye(5)[0]), Dense(2 * np.eye(5)[3])))), 0.5)  # in a wider block, the same atoms
    assert w.totals.tolist() == [1.0, 1.0] and len(w) == 5


def test_twins_are_merged_within_an_owner():
    block = OwnedBlock(BasisBlock(5, [0, 0, 0, 1], [1.0] * 4), [0, 1, 0, 1])
    w = Iterate(block, np.array([0.5, 0.25, 0.5, 0.75]), (5,)).merged()
    assert w.owners.tolist() == [0, 1, 1] and w.weights.tolist() == [1.0, 0.25, 0.75]


def test_refreshing_makes_the_weights_of_each_owner_sum_to_one():
    w = point()
    w.weights[:] *= np.where(w.owners == 0, 0.9, 1.2)
    w.refresh()
    np.testing.assert_allclose(w.totals, [1.0, 1.0], atol=1e-15)


def test_coordinates_stay_between_those_of_the_parts():
    """Moved back and forth, a coordinate that no atom takes below 1 is never a hair below."""
    ends = [(np.array([1.0, 0.0]), np.array([0.0, 1 / 3])), (np.array([1.0 + 1e-3, 0.0]), np.array([0.0, 0.7]))]
    w = Iterate.at(Joint(tuple(map(Dense, ends[0]))), (2,))
    view = w.view("x", Coordinates)
    for k in range(200):
        w.move(w.toward(Joint(tuple(map(Dense, ends[k % 2])))), 0.3 + 0.001 * k)
        assert view.x[0] >= 1.0 and 1 / 3 <= view.x[1] <= 0.7
        np.testing.assert_allclose(view.x, w.array(), atol=1e-13)
    mixed = Iterate.at(Joint((Dense(np.ones(2)), Dense(np.ones(2)))), (2,))  # of a sum: both parts in the same places
    view = mixed.view("x", Coordinates)
    mixed.move(mixed.toward(Dense(np.zeros(2)), owner=0), 1.0)
    mixed.move(mixed.toward(Dense(np.full(2, 5.0)), owner=1), 1.0)
    assert view.x.tolist() == [5.0, 5.0]


def test_a_point_kept_by_coordinates_takes_a_vertex_for_an_atom():
    w = CoordinateIterate(np.zeros(5))
    w.move(w.toward(vertex(0, 3)), 0.5)
    assert w.array().tolist() == [0.5, 0.0, 0.0, 1.0, 0.0] and w.owners is None


def test_vertices_cover_all_atoms():
    w = point()
    seen = {part.key for d in vertices(w.block) for part in d.owned}
    assert seen == set(w.block.keys) and len(list(vertices(w.block))) == 3
    assert [d.key for d in vertices(BasisBlock(5, [0, 1], [1.0, 1.0]))] == [(0, 1.0), (1, 1.0)]


@pytest.mark.parametrize("owners", [[0], [0, -1], [0.0, 1.0], [[0, 1]], None, ["a", "b"]], ids=repr)
def test_owners_that_are_none(owners):
    with pytest.raises(gh.GreedyhullError, match="a whole number of at least 0 for each"):
        OwnedBlock(BasisBlock(5, [0, 1], [1.0, 1.0]), owners)


def test_blocks_are_saved_with_their_owners():
    block = OwnedBlock(BasisBlock(5, [0, 0], [0.0, 0.0]), [1, 0])
    again = block_from(block_state(block))
    assert isinstance(again, OwnedBlock) and list(again.keys) == [(1, (0, 0.0)), (0, (0, 0.0))]
    with pytest.raises(gh.GreedyhullError, match="owners once more"):
        OwnedBlock(block, [0, 1])
    with pytest.raises(gh.GreedyhullError, match="Say whose they are"):
        block.extend(BasisBlock(5, [0], [1.0]))


class Claims(gh.Simplex):
    """Says how many owners it has; a point of it is never looked at."""

    def __init__(self, owners):
        super().__init__(5)
        self.owners = owners

    @property
    def traits(self):
        return SetTraits(owners=self.owners)

    def contains_quickly(self, w):
        return None


@pytest.mark.parametrize("change, words", [(lambda w: w.weights * np.where(w.owners == 1, 0.9, 1.0),
                                            r"weights of owner 1 sum to 0\.9"),
                                           (lambda w: w.weights + 0.1 * (np.where(w.owners == 1, 2, -3) / 6),
                                            "weights of owner . sum to"),
                                           (lambda w: np.where(w.owners == 1, np.nan, w.weights), "NaN")])
def test_the_guard_looks_at_every_owner(change, words):
    w = point()
    check_point(w, Claims(2), gh.FrankWolfe(), 1)
    with pytest.raises(gh.GreedyhullError, match=words):
        check_point(Iterate(w.block, change(w), w.shape), Claims(2), gh.FrankWolfe(), 1)


def test_the_guard_counts_owners():
    w = point()
    first = (w.owners == 0).nonzero()[0]
    lost = Iterate(w.block.take(first), w.weights[first], w.shape)
    for owners, at in ((3, w), (1, w), (2, lost), (2, Iterate.at(Basis(0, 1.0), (5,)))):
        with pytest.raises(gh.GreedyhullError, match=f"the set says owners = {owners}"):
            check_point(at, Claims(owners), gh.FrankWolfe(), 1)
