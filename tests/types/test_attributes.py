"""Which attributes an object has."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.types import lacks


@pytest.mark.parametrize(("thing", "name", "there"), [
    (gh.FrankWolfe(), "run", True), (gh.FrankWolfe(), "tolerance", True), (gh.FrankWolfe(), "needs", True),
    (gh.FrankWolfe(), "mover", False), (gh.FrankWolfe(), "estimator", False), (gh.Smoothed(), "solver", True),
    (gh.FrankWolfe, "run", False), (gh.Simplex(2), "shape", True), (gh.Simplex(2), "shap", False), (None, "run", False),
    (np.ones(2), "dot", True), (3.5, "real", True), ("abc", "argmin", False), (object(), "__class__", True),
])
def test_what_an_object_lacks(thing, name, there):
    assert (lacks(thing, name) == []) is there


def test_a_class_derived_from_one_of_the_library_is_a_users():
    class Warm(gh.FrankWolfe):
        pass

    assert Warm().first is None
    Warm.first = lambda self, f, S: f.start(S, None)
    s = gh.minimize(gh.quadratic(np.eye(2)), gh.Simplex(2), Warm(), stop=gh.Iterations(2))
    assert s.gap >= 0.0


def test_objects_of_the_library_that_find_attributes_are_asked():
    s = gh.minimize(gh.quadratic(np.eye(2)), gh.Simplex(2))
    assert lacks(s.trace, "gap", "gaps") == ["gaps"] and lacks(s, "x", "y") == ["y"]
