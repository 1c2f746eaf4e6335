"""The mean of the iterates, kept along the way, equals the mean of the recorded ones."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.points.coordinate_iterate import Average, CoordinateIterate
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Basis, Dense


@pytest.mark.parametrize("first", [0.0, 1.0])
@pytest.mark.parametrize("coordinates", [False, True])
def test_average_of_recorded_points(first, coordinates):
    rng = np.random.default_rng(0)
    w = Iterate.at(Basis(0, 1.0), (6,))
    w = CoordinateIterate(w.array()) if coordinates else w
    mean = w.view("mean", lambda: Average(w, first))
    points, weights = [w.array()], [first]
    for k in range(1, 60):
        step = 1.0 if k in (7, 30) else float(rng.uniform(0, 0.9))
        atom = Basis(int(rng.integers(6)), 1.0) if k % 3 else Dense(rng.dirichlet(np.ones(6)))
        w.move(w.toward(atom), step)
        weight = 0.0 if k % 5 == 0 and k > 1 else float(k)
        mean.include(weight)
        points.append(w.array())
        weights.append(weight)
        np.testing.assert_allclose(mean.array(), np.average(points, axis=0, weights=weights), atol=1e-12)


def test_average_follows_pairwise_and_away_moves():
    w = Iterate.at(Basis(0, 1.0), (3,))
    mean = w.view("mean", lambda: Average(w, 1.0))
    points = [w.array()]
    g = np.array([3.0, 2.0, 1.0])
    for atom in (Basis(1, 1.0), Basis(2, 1.0)):
        w.move(w.toward(atom), 0.4)
        mean.include(1.0)
        points.append(w.array())
    for move in (w.between(w.worst(g), Basis(2, 1.0)), w.away_from(w.worst(g))):
        w.move(move, 0.1)
        mean.include(1.0)
        points.append(w.array())
    np.testing.assert_allclose(mean.array(), np.mean(points, axis=0), atol=1e-13)


def test_average_survives_a_saved_state():
    w = Iterate.at(Basis(0, 1.0), (3,))
    mean = w.view("mean", lambda: Average(w, 1.0))
    w.move(w.toward(Basis(1, 1.0)), 0.3)
    mean.include(2.0)
    again = Iterate.restored(w.state())
    other = again.view("mean", lambda: Average(again, 1.0))
    for x, m in ((w, mean), (again, other)):
        x.move(x.toward(Basis(2, 1.0)), 0.25)
        m.include(3.0)
    assert np.array_equal(mean.array(), other.array())
    assert gh.Simplex(3).contains(mean.array())
