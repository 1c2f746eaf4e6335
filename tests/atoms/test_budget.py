"""Sets that are a budget on coordinates: which atoms are theirs, told by two numbers each."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock


@pytest.mark.parametrize("S", [gh.Simplex(3, total=0.3), gh.L1Ball(3, radius=0.3), gh.Simplex(3, total=1e-200)], ids=repr)
@pytest.mark.parametrize("times", [1.0, -1.0, 0.0, -0.0, 0.5, 1.0 + 1e-15, 2.0, np.nan, np.inf])
def test_atoms_that_are_the_sets_own_are_contained(S: Any, times: float) -> None:
    block = BasisBlock(3, [0, 2], [S.radius, times * S.radius])
    if S.has_atoms(block):
        assert all(S.contains(Iterate.at(d, (3,)), 0.0) for d in block)
    assert S.has_atoms(block) == (abs(times) <= 1.0 if isinstance(S, gh.L1Ball) else times == 1.0)


@pytest.mark.parametrize("index", [-1, 3, 1000])
def test_coordinates_that_are_not_there_are_nobodys(index: int) -> None:
    assert not gh.Simplex(3).has_atoms(BasisBlock(3, [index], [1.0]))


def test_other_sets_and_other_sizes_are_left_to_a_closer_look() -> None:
    class Mine(gh.Simplex):
        """It may hold anything."""

    block = BasisBlock(3, [0], [1.0])
    others = (gh.Simplex(4), gh.L2Ball(3, 1.0), gh.L1Ball(3, 1.0, weights=[1.0, 2.0, 3.0]), Mine(3), gh.Vertices(np.eye(3)))
    assert not any(S.has_atoms(block) for S in others)
    assert not gh.Simplex(3).has_atoms(BasisBlock(3, [], []))
