"""Which attributes an object has."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.types import has, lacks


@pytest.mark.parametrize(("thing", "name", "there"), [
    (gh.FrankWolfe(), "run", True), (gh.FrankWolfe(), "tolerance", True), (gh.FrankWolfe(), "needs", True),
    (gh.FrankWolfe(), "cautions", False), (gh.FrankWolfe(), "solver", False), (gh.Smoothed(), "solver", True),
    (gh.FrankWolfe, "run", False), (gh.Simplex(2), "shape", True), (gh.Simplex(2), "shap", False), (None, "run", False),
    (np.ones(2), "dot", True), (3.5, "real", True), ("abc", "argmin", False), (object(), "__class__", True),
])
def test_one_name_is_asked_for_as_several_are(thing, name, there):
    assert has(thing, name) is there is (lacks(thing, name) == [])


def test_attributes_of_users_objects_come_and_go():
    class Mine:
        pass

    thing = Mine()
    assert not has(thing, "first")
    thing.first = 1
    assert has(thing, "first")
    del thing.first
    assert not has(thing, "first")
    Mine.first = 2
    assert has(thing, "first")
    del Mine.first
    assert not has(thing, "first")


def test_a_class_derived_from_one_of_the_library_is_a_users():
    class Warm(gh.FrankWolfe):
        pass

    assert not has(Warm(), "first")
    Warm.first = lambda self, f, S: f.start(S, None)
    assert has(Warm(), "first")
    s = gh.minimize(gh.quadratic(np.eye(2)), gh.Simplex(2), Warm(), stop=gh.Iterations(2))
    assert s.gap >= 0.0


def test_objects_of_the_library_that_find_attributes_are_asked():
    s = gh.minimize(gh.quadratic(np.eye(2)), gh.Simplex(2))
    assert has(s.trace, "gap") and not has(s.trace, "gaps") and has(s, "x") and not has(s, "y")
