"""What `check_atoms` says first, and that it says so where it asked with the gradient zero."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.testing import check_atoms


class Ball(gh.AtomSet):
    """The unit ball, which fails in the ways its tests choose."""

    shape, bound = (3,), 1.0

    def __init__(self, at_zero=None, sign=-1.0):
        self.at_zero, self.sign = at_zero, sign

    def argmin(self, g):
        if not g.any():
            return self.at_zero()
        return self.sign * g / np.linalg.norm(g)

    def _holds(self, x, tol):
        return float(np.linalg.norm(x)) <= 1.0 + tol


class Named(Ball):
    """The same with a repr."""

    def __repr__(self):
        return "Named()"


def fails(S):
    with pytest.raises(AssertionError) as found:
        check_atoms(S, minimum=lambda g: -float(np.linalg.norm(g)))
    return str(found.value)


def right():
    return np.array([1.0, 0.0, 0.0])


def test_a_set_needs_no_repr_of_its_own():
    assert "its argmin is wrong" in fails(Ball(right, sign=1.0))
    for S in (Ball(right), Named(right)):
        check_atoms(S, minimum=lambda g: -float(np.linalg.norm(g)))


@pytest.mark.parametrize("at_zero, words", [
    (lambda: np.full(3, np.nan), "NaN"), (lambda: np.zeros(3) / 0, "RuntimeWarning"), (lambda: 1 / 0, "ZeroDivisionError"),
    (lambda: np.full(3, 2.0), "entry of size 2"), (lambda: None, "GreedyhullError")])
def test_the_zero_gradient_is_announced(at_zero, words):
    said = fails(Named(at_zero))
    assert words in said and "asked with the gradient zero, for which every atom is best" in said


def test_another_gradient_is_not():
    assert "zero" not in fails(Named(right, sign=1.0)) and "gradient zero" not in fails(Ball(right, sign=1.0))
