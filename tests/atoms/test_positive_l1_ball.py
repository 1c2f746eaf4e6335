"""The non-negative l1 ball keeps the promises of a set, weighted or not."""

import numpy as np
import pytest
from scipy.optimize import nnls

import greedyhull as gh
from greedyhull.atoms.simplex import PositiveL1Ball
from greedyhull.testing import check_atoms

WEIGHTS = [None, [0.5, 1.0, 2.0, 4.0]]


@pytest.mark.parametrize("weights", WEIGHTS, ids=["plain", "weighted"])
def test_it_is_the_hull_of_the_origin_and_one_atom_a_coordinate(weights):
    scale = 2.0 / np.asarray(weights or np.ones(4))
    S = PositiveL1Ball(4, 2.0, weights=weights)
    check_atoms(S, vertices=np.vstack([np.diag(scale), np.zeros(4)]))
    assert S.contains(0.25 * scale) and not S.contains(0.26 * scale) and not S.contains(np.array([-0.01, 0, 0, 0]))


def test_one_coordinate_is_a_segment():
    check_atoms(PositiveL1Ball(1, 3.0), vertices=[[3.0], [0.0]])


@pytest.mark.parametrize("weights", WEIGHTS, ids=["plain", "weighted"])
def test_with_room_enough_it_solves_non_negative_least_squares(weights):
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((20, 4)), rng.standard_normal(20)
    s = gh.minimize(gh.least_squares(A, b), PositiveL1Ball(4, 100.0, weights=weights), stop=gh.Gap(1e-12) | gh.Stalled(300))
    np.testing.assert_allclose(s.x, nnls(A, b)[0], atol=1e-6)


@pytest.mark.parametrize("size", [1e-140, 1.0, 1e140])
def test_the_size_of_the_radius_is_no_obstacle(size):
    S = PositiveL1Ball(3, size)
    x = np.array([0.5, 0.0, 0.25]) * size
    assert S.contains(x) and S.gauge(x) == pytest.approx(0.75)
    np.testing.assert_allclose(S.decompose(x).array(), x)
    assert not S.decompose(np.zeros(3)).array().any()


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [np.nan, 1.0]])
def test_weights_that_are_none_are_refused(weights):
    with pytest.raises(gh.GreedyhullError, match="weights"):
        PositiveL1Ball(2, 1.0, weights=weights)


def test_matrices_of_non_negative_entries():
    W = np.arange(1.0, 7.0).reshape(2, 3)
    for S, scale in ((PositiveL1Ball((2, 3), 2.0), 2.0), (PositiveL1Ball((2, 3), 2.0, weights=W), 2.0 / W)):
        check_atoms(S, minimum=lambda G, scale=scale: min(0.0, float((G * scale).min())))
        assert S.rescaled(3.0).shape == (2, 3)
