"""What targets, labels and weights may be."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.losses.base import shares, signs, vector


def test_labels_in_any_of_their_forms() -> None:
    wanted = [-1.0, 1.0, 1.0]
    for labels in ([0, 1, 1], [-1, 1, 1], [False, True, True], np.array([0.0, 1.0, 1.0]), np.array([[0], [1], [1]])):
        assert signs(labels, 3).tolist() == wanted
    assert signs([1, 1], 2).tolist() == [1.0, 1.0] and signs([0, 0], 2).tolist() == [-1.0, -1.0]


def test_weights_are_shares() -> None:
    assert shares(None, 4) == 0.25 and np.allclose(shares([1, 3], 2), [0.25, 0.75])
    assert np.allclose(shares([1e-300, 1e-300], 2), 0.5)


def test_a_column_is_a_vector() -> None:
    assert vector(np.ones((3, 1)), 3, "y").shape == (3,) and vector([1, 2], 2, "y").dtype == np.float64
    with pytest.raises(gh.GreedyhullError, match="y has shape"):
        vector(np.ones((3, 2)), 3, "y")


def test_targets_are_not_changed_and_not_shared() -> None:
    X, y, s = np.eye(3), np.array([1, 0, 1]), np.array([1.0, 2.0, 3.0])
    kept = X.copy(), y.copy(), s.copy()
    for make in (gh.least_squares, gh.logistic, gh.squared_hinge, gh.huber, gh.poisson):
        f = make(X, y, sample_weight=s)
        gh.minimize(f, gh.L1Ball(3, 1.0), stop=gh.Iterations(5))
    assert all(np.array_equal(a, b) for a, b in zip(kept, (X, y, s), strict=True))


def test_a_weight_of_zero_takes_a_row_away() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((6, 3)), rng.standard_normal(6)
    s = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    a, b = gh.least_squares(X, y, sample_weight=s), gh.least_squares(X[s > 0], y[s > 0])
    w = gh.Simplex(3).centre()
    assert a.value(w) == pytest.approx(b.value(w)) and np.allclose(a.gradient(w), b.gradient(w))
