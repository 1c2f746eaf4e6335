"""What targets, labels and weights may be."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array

import greedyhull as gh
from greedyhull.objectives.losses.base import shares, signs, vector


def test_labels_in_any_of_their_forms() -> None:
    wanted = [-1.0, 1.0, 1.0]
    for labels in ([0, 1, 1], [-1, 1, 1], [False, True, True], np.array([0.0, 1.0, 1.0]), np.array([[0], [1], [1]])):
        assert signs(labels, 3).tolist() == wanted
    assert signs([1, 1], 2).tolist() == [1.0, 1.0] and signs([0, 0], 2).tolist() == [-1.0, -1.0]


@pytest.mark.parametrize("labels, named", [([0, 2], r"\[0\.0, 2\.0\]"), ([-1, 0, 1], r"\[-1\.0, 0\.0, 1\.0\]"),
                                           ([0.5, 0.5], r"\[0\.5\]"), (range(7), "4\\.0\\] and more")])
def test_other_labels_are_refused_and_named(labels: Any, named: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=f"y holds the labels .*{named}"):
        signs(list(labels), len(labels))


def test_zeros_of_either_sign_are_one_label() -> None:
    assert signs(np.array([-0.0, 0.0, 1.0]), 3).tolist() == [-1.0, -1.0, 1.0]


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


LOSSES = {"least_squares": gh.least_squares, "logistic": gh.logistic, "squared_hinge": gh.squared_hinge, "huber": gh.huber,
          "poisson": gh.poisson, "absolute": gh.absolute, "hinge": gh.hinge,
          "lp_loss": lambda X, y, **how: gh.lp_loss(X, y, 1.5, **how),
          "quantile": lambda X, y, **how: gh.quantile(X, y, 0.3, **how),
          "epsilon_insensitive": lambda X, y, **how: gh.epsilon_insensitive(X, y, 0.1, **how)}


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, csr_array, csc_array])
@pytest.mark.parametrize("size", [0.0, 1e8, 1e140])
def test_the_size_of_rows_that_do_not_count_does_not_count(name: str, intercept: bool, kind: Any, size: float) -> None:
    rng = np.random.default_rng(0)
    X, y, s = rng.standard_normal((12, 3)), np.arange(12) % 2.0, (np.arange(12) % 4 > 0).astype(float)
    far, labels = np.where(s[:, None] > 0, X, size * X), name in ("logistic", "hinge", "squared_hinge")
    t = y if labels else y + size * (s == 0)
    kept = far.copy(), t.copy()
    f = LOSSES[name](kind(far), t, sample_weight=s, intercept=intercept)
    only = LOSSES[name](X[s > 0], y[s > 0], intercept=intercept)
    S, w = gh.L1Ball(3, 1.0), np.array([0.3, -0.2, 0.1])
    found, wanted = gh.certify(f, S, w), gh.certify(only, S, w)
    assert found.value == pytest.approx(wanted.value, rel=1e-12) and found.gap == pytest.approx(wanted.gap, rel=1e-9)
    v = S.decompose(w)
    assert only.rounding(v, S) * 0.5 <= f.rounding(v, S) <= 4.0 * only.rounding(v, S)
    assert np.array_equal(kept[0], far) and np.array_equal(kept[1], t)


def test_a_weight_that_underflows_counts() -> None:
    p = np.asarray(shares(np.array([1e10, 1e-320, 0.0]), 3))
    assert p[1] > 0.0 and p[2] == 0.0 and p.sum() == 1.0


@pytest.mark.parametrize("kind", [np.asarray, csr_array, csc_array])
@pytest.mark.parametrize("row", [[0.0, 0.0], [-1.0, 2.0], [1e140, 0.0], [1e-300, 1e-300], [0.0, 1.0]])
def test_a_likelihood_that_does_not_count_may_be_anything(kind: Any, row: list[float]) -> None:
    P = np.array([[1.0, 3.0], row, [2.0, 0.5]])
    found = gh.minimize(gh.log_likelihood(kind(P), sample_weight=[1.0, 0.0, 2.0]), gh.Simplex(2), stop=gh.Gap(1e-9))
    wanted = gh.minimize(gh.log_likelihood(P[[0, 2]], sample_weight=[1.0, 2.0]), gh.Simplex(2), stop=gh.Gap(1e-9))
    assert found.converged and found.value == pytest.approx(wanted.value, abs=2e-9)
    with pytest.raises(gh.GreedyhullError, match="1 rows of P are zero"):
        gh.log_likelihood(kind(np.array([[0.0, 0.0], row])), sample_weight=[1.0, 0.0])


def test_a_weight_of_zero_takes_a_row_away() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((6, 3)), rng.standard_normal(6)
    s = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    a, b = gh.least_squares(X, y, sample_weight=s), gh.least_squares(X[s > 0], y[s > 0])
    w = gh.Simplex(3).centre()
    assert a.value(w) == pytest.approx(b.value(w)) and np.allclose(a.gradient(w), b.gradient(w))
