"""The best intercept of each class: where the classes meet their shares, whatever the size of the scores."""

import numpy as np
import pytest
from scipy.optimize import minimize

from greedyhull.kernels._core import find_intercepts, softmax_pieces
from greedyhull.kernels.softmax import class_intercepts

EPS = np.finfo(float).eps


def problem(seed, size):
    """Labels, scores and weights: scores of every class alike, of few features, or far apart with a margin."""
    rng = np.random.default_rng(seed)
    c = int(rng.integers(2, 8))
    n = c + int(rng.integers(0, 30))
    labels = np.r_[np.arange(c), rng.integers(0, c, n - c)]
    p = np.full(n, 1.0 / n) if seed % 2 else rng.random(n) ** 3 + 1e-9
    p = p / p.sum()
    z = [rng.standard_normal((n, c)), rng.standard_normal((n, 4)) @ rng.standard_normal((4, c)),
         np.eye(c)[labels] + 0.1 * rng.standard_normal((n, c))][seed % 3]
    return labels, size * z, p, np.bincount(labels, weights=p, minlength=c)


def missed(labels, z, p, b):
    """How much each class misses its share, and how much is moved between classes."""
    terms, slopes, s = np.empty(len(z)), np.empty_like(z), np.empty_like(z)
    softmax_pieces(labels, z - z.max(axis=1, keepdims=True), b, terms, slopes, s)
    return p @ slopes, p @ np.abs(slopes), p @ terms


@pytest.mark.parametrize("size", [1e-9, 1.0, 10.0, 1e3, 1e8])
def test_classes_meet_their_shares(size):
    for seed in range(12):
        labels, z, p, shares = problem(seed, size)
        b = np.zeros(len(shares))
        find_intercepts(labels, z, p, shares, b)
        off, _, _ = missed(labels, z, p, b)
        assert np.abs(off).max() <= 400.0 * EPS * (1.0 + np.abs(b).max()) * shares.max()
        assert abs(b.sum()) <= 1e-12 * (1.0 + np.abs(b).max())


@pytest.mark.parametrize("seed", range(6))
def test_they_are_those_of_another_solver(seed):
    labels, z, p, shares = problem(seed, 3.0)
    b = np.zeros(len(shares))
    find_intercepts(labels, z, p, shares, b)
    found = minimize(lambda b: missed(labels, z, p, b)[2], np.zeros(len(shares)), tol=1e-13)
    assert missed(labels, z, p, b)[2] <= found.fun + 1e-12
    np.testing.assert_allclose(b, found.x - found.x.mean(), atol=1e-2)


def test_classes_that_are_told_apart_keep_the_digits_of_what_is_left():
    """Where next to nothing is moved between classes, what they miss is nothing beside that, not beside one."""
    labels = np.repeat(np.arange(3), 5)
    z = 40.0 * np.eye(3)[labels] + np.random.default_rng(0).standard_normal((15, 3))
    b = np.zeros(3)
    find_intercepts(labels, z, np.full(15, 1 / 15), np.full(3, 1 / 3), b)
    off, moved, value = missed(labels, z, np.full(15, 1 / 15), b)
    assert 0.0 < value < 1e-14 and np.abs(off).max() <= 1e-12 * moved.max()


def test_many_classes():
    rng = np.random.default_rng(2)
    c = 70
    labels = np.r_[np.arange(c), rng.integers(0, c, 200)]
    z, shares = rng.standard_normal((len(labels), c)), np.bincount(labels, minlength=c) / len(labels)
    b = class_intercepts(labels, z, 1.0 / len(labels), shares)
    off, _, _ = missed(labels, z, np.full(len(labels), 1.0 / len(labels)), b)
    assert np.abs(off).max() <= 1e-14
