"""A set with shape and argmin alone: the kit judges it by its own answers, quickly, and finds what is wrong."""

from time import process_time

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.testing import check_atoms


class Ellipsoid(gh.AtomSet):
    """{w : wᵀA⁻¹w ≤ 1}."""

    def __init__(self, A):
        self.A, self.shape = A, (len(A),)

    def argmin(self, g):
        assert np.isfinite(g).all()
        v = self.A @ (g if g.any() else np.ones(self.shape))
        return -v / np.sqrt(v @ np.linalg.solve(self.A, v))


class Tilted(Ellipsoid):
    """Its atoms are points of the set, and not the best ones."""

    def argmin(self, g):
        return super().argmin(g * np.linspace(1.0, 0.9, len(g)))


class Bulging(Ellipsoid):
    """Its atoms lie outside where the first entry of g is positive."""

    def argmin(self, g):
        return (1.1 if g[0] > 0 else 1.0) * super().argmin(g)


class Elsewhere(Ellipsoid):
    """A start that is no point of the set."""

    def start(self, rng):
        return gh.Dense(np.full(self.shape, 50.0))


def matrix(d):
    B = np.random.default_rng(d).standard_normal((d, d))
    return B @ B.T + np.eye(d)


@pytest.mark.parametrize("d", [1, 2, 6, 20])
def test_an_ellipsoid_of_two_members_passes_in_time(d):
    began = process_time()
    check_atoms(Ellipsoid(matrix(d)))
    assert process_time() - began < 2.0


def test_so_it_does_wrapped_moved_and_in_a_product():
    S = Ellipsoid(matrix(3))
    for T in (gh.Cached(S), gh.Scaled(S, -2.0), gh.Translated(S, np.ones(3)), gh.Product(S, gh.Simplex(2))):
        check_atoms(T)


@pytest.mark.parametrize("kind, words", [(Tilted, "its argmin is wrong"), (Bulging, "its argmin is wrong"),
                                         (Elsewhere, "a point of its hull has")])
def test_wrong_ones_are_found(kind, words):
    with pytest.raises(AssertionError, match=words):
        check_atoms(kind(matrix(4)))


def test_a_minimum_that_is_given_is_the_judge():
    A = matrix(3)
    check_atoms(Ellipsoid(A), minimum=lambda g: -np.sqrt(g @ A @ g))
    with pytest.raises(AssertionError, match="which it does not contain"):
        check_atoms(Ellipsoid(1.1 * A), minimum=lambda g: -np.sqrt(g @ A @ g))
