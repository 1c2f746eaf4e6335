"""Matrices by their factors."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.extend import GreedyhullError, Iterate
from greedyhull.points.blocks import block_from, block_state
from greedyhull.points.factors import apart
from greedyhull.points.shapes import RankOneBlock

rng = np.random.default_rng(2)


def point(m=6, n=5, k=4):
    block = RankOneBlock(rng.standard_normal((k, m)), rng.standard_normal((k, n)), rng.random(k))
    return Iterate(block, np.full(k, 1 / k), (m, n))


def test_factors_and_entries_are_those_of_the_array():
    w = point()
    U, sigma, V = w.factors()
    assert np.abs(U * sigma @ V.T - w.array()).max() < 1e-13 and len(sigma) == 4
    assert w.entries([0, 5, 5], [4, 0, 0]) == pytest.approx(w.array()[[0, 5, 5], [4, 0, 0]])
    assert w.entries([], []).shape == (0,)


def test_a_point_without_factors_has_them_from_its_array():
    w = gh.L2Ball(4, 1.0).centre()
    with pytest.raises(GreedyhullError, match="only a matrix"):
        w.factors()
    with pytest.raises(GreedyhullError, match="only a matrix"):
        w.entries([0], [0])


@pytest.mark.parametrize("rows, cols, said", [([6], [0], "rows holds 6"), ([0], [-1], "cols holds -1"),
                                              ([0, 1], [0], "2 rows"),
                                              ([0.5], [0], "whole numbers"), ([[0]], [0], "whole numbers"),
                                              ([6, 7, 8, 9, 10, 11], [0] * 6, "6, 7, 8, 9, 10 and 1 more")])
def test_places_outside_are_named(rows, cols, said):
    with pytest.raises(GreedyhullError, match=said):
        point().entries(rows, cols)


def test_a_huge_matrix_is_not_written_out():
    w = Iterate(RankOneBlock(np.ones((1, 20000)), np.ones((1, 20000)), np.ones(1)), [1.0], (20000, 20000))
    with pytest.raises(GreedyhullError, match=r"3\.0 GiB"):
        w.array()
    assert w.factors().sigma == pytest.approx([20000.0]) and w.entries([1], [2]) == pytest.approx([1.0])


def test_signs_and_zeros_do_not_change_a_key():
    u, v = np.array([1.0, -0.0]), np.array([0.0, -2.0])
    assert gh.RankOne(u, v).key == gh.RankOne(-u, -v).key == gh.RankOne(u + 0.0, v + 0.0).key
    assert gh.RankOne(u, v).key != gh.RankOne(u, -v).key and gh.RankOne(u, v, 2.0).key != gh.RankOne(u, v).key


def test_a_block_is_saved_grown_and_mixed():
    block = point().block
    again = block_from(block_state(block))
    assert again.keys == block.keys
    more = again.append(block[0]).append(gh.RankOne(np.ones(6), np.ones(5)))
    assert len(more) == 6 and more.keys[4] == block.keys[0] and more.take(np.array([5])).keys == [more.keys[5]]
    mixed = more.append(gh.Dense(np.ones((6, 5))))
    g = rng.standard_normal((6, 5))
    assert mixed.dots(g)[:6] == pytest.approx(more.dots(g)) and mixed.dots(g)[6] == pytest.approx(g.sum())


def test_distances_are_those_of_the_arrays():
    w, x = point(), point()
    off, _ = apart(w, x)
    assert off == pytest.approx(np.linalg.norm(w.array() - x.array())) and apart(w, w)[0] < 1e-14
