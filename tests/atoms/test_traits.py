"""Traits of a set are those that it has now: they are kept, and made anew once the set is changed."""

import copy
import pickle

import numpy as np

import greedyhull as gh


def test_traits_follow_a_changed_set() -> None:
    S = gh.L1Ball(3, 2.0)
    assert S.traits.radius == 2.0 and S.traits is S.traits
    S.radius = 5.0
    assert S.traits.radius == 5.0
    other = copy.copy(S)
    other.radius = 7.0
    assert other.traits.radius == 7.0 and S.traits.radius == 5.0
    assert pickle.loads(pickle.dumps(S)).traits == S.traits


def test_traits_of_sets_of_others_are_never_kept() -> None:
    class Corners(gh.AtomSet):
        shape = (2,)

        def argmin(self, g: np.ndarray) -> np.ndarray:
            return np.where(g > 0.0, 0.0, 1.0)

    S = Corners()
    assert not S.traits.dense_atoms
    Corners.dense_atoms = True
    assert S.traits.dense_atoms
