"""The mixture of rows nearest to a point, dense and sparse, at any scale."""

import numpy as np
import pytest
import scipy.sparse as sp

import greedyhull as gh
from greedyhull.atoms.geometry import nearest_point

V = np.random.default_rng(5).standard_normal((60, 7))


def nearest(rows, x, near, far):
    """The mixture, its weights, and its distance from x; all relative to the largest entry."""
    size = float(np.abs(rows).max())
    found = nearest_point(gh.Vertices(rows), x, size, near, far)
    return found.point.array() / size, found.point.weights, found.distance


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("scale", [1e-200, 1e-100, 1.0, 1e100, 1e149])
def test_mixtures_are_found_again(make, scale):
    rng = np.random.default_rng(0)
    for _ in range(5):
        x = scale * (rng.dirichlet(np.full(60, 0.3)) @ V)
        u, alpha, off = nearest(make(scale * V), x, 1e-12, 1e-7)
        assert (alpha >= 0.0).all() and alpha.sum() == pytest.approx(1.0, abs=1e-12)
        assert np.abs(u * np.abs(V).max() - x / scale).max() <= 1e-10 and off <= 1e-10


def test_what_is_outside_is_as_far_as_it_is():
    square = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0], [0.3, 0.2]])
    u, _, off = nearest(square, np.array([3.0, 0.5]), 1e-12, np.inf)
    assert off == pytest.approx(2.0) and u == pytest.approx([1.0, 0.5])


def test_a_row_is_itself():
    for j in range(10):
        found = nearest_point(gh.Vertices(V), V[j], 1.0, 1e-12, 1e-7)
        assert found.distance <= 1e-12 and V[j] == pytest.approx(found.point.array(), abs=1e-12)


@pytest.mark.parametrize("scale", [1e-120, 1.0, 1e149])
def test_one_row_and_rows_given_twice(scale):
    one = scale * np.array([[2.0, -1.0]])
    assert nearest(one, scale * np.array([2.0, 0.0]), 0.0, np.inf)[2] == pytest.approx(0.5)
    _, alpha, off = nearest(np.repeat(scale * np.eye(3), 4, axis=0), np.full(3, scale / 3.0), 1e-12, 0.0)
    assert off <= 1e-12 and alpha.sum() == pytest.approx(1.0)


def test_a_set_far_from_the_origin_knows_its_points():
    S = gh.Vertices(1e6 + V)
    x = np.random.default_rng(1).dirichlet(np.ones(60)) @ S.matrix
    assert S.contains(x) and not S.contains(x + 8.0)
    assert np.abs(S.decompose(x).array() - x).max() <= 1e-7
