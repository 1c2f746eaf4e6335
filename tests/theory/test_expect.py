"""Atoms right on average: the rate, and how far the paper's two examples are from the condition."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import theory
from greedyhull.errors import GreedyhullError


@pytest.mark.parametrize("k, signs", [(1, [1]), (2, [1, 1]), (3, [1, -1, 1])], ids=str)
def test_first_example(k, signs):
    """w_k = Y_k x/(2√2) and the mean atom is 0: the violation is |Y_k| where the objective is the mean of squares."""
    f, S, x = gh.least_squares(np.ones((2, 2)), [1.0, -1.0]), gh.L2Ball(2, 0.5), np.ones(2)
    Y = 0.0
    for i, sign in enumerate(signs):
        Y += 2 / (i + 2) * (sign - Y)
    eta = 2 / (k + 2)
    got = theory.expect_violation(f, S, Y * x / (2 * np.sqrt(2)), eta)
    assert 2 * got * eta == pytest.approx(abs(Y))  # least_squares has ½ before each square


def test_first_example_is_worst_at_the_end_of_the_segment():
    f, S = gh.least_squares(np.ones((2, 2)), [1.0, -1.0]), gh.L2Ball(2, 0.5)
    worst = max(2 * theory.expect_violation(f, S, Y * np.ones(2) / np.sqrt(8), 1.0) for Y in np.linspace(-1, 1, 21))
    assert worst == pytest.approx(1.0)  # 2 for the sum of the squares, and not 4√2


@pytest.mark.parametrize("r", [0.2, 0.5, 0.9])
def test_second_example(r):
    """The mean atom is (0, 2r/3) everywhere; at that point the violation is r(4 - 2r)/9."""
    half = np.sqrt(0.75)
    X, y = np.array([[0.0, 1.0], [-half, -0.5], [half, -0.5]]), np.array([1.0, -1.0, -1.0])
    f, S = gh.least_squares(X, y), gh.L2Ball(2, r)
    w = np.array([0.0, 2 * r / 3])
    assert 2 * theory.expect_violation(f, S, w, 0.1) * 0.1 == pytest.approx(r * (4 - 2 * r) / 9)
    at = gh.minimize(f, S, start=w, stop=gh.Iterations(1)).point
    assert theory.expect_violation(f, S, at, 1.0) > 0


def test_condition_holds_where_all_terms_agree():
    f = gh.least_squares(np.eye(3), np.array([1.0, 0.0, 0.0]))
    one = gh.least_squares(np.tile([1.0, 2.0, 3.0], (4, 1)), np.full(4, 5.0))
    assert theory.expect_violation(one, gh.Simplex(3), np.array([0.5, 0.5, 0.0]), 0.5) == 0.0
    assert theory.expect_violation(f, gh.Simplex(3), np.eye(3)[1], 0.5) >= 0.0


def test_rate_is_theorem_2_and_tight_in_c():
    """f = w on [0, 1] and d_k = 2cη_k or 0 with equal chance: E e_k is the exact form."""
    c, K, runs, rng = 0.3, 30, 4000, np.random.default_rng(0)
    w = np.zeros(runs)
    for k in range(K):
        eta = 2 / (k + 2)
        w = (1 - eta) * w + eta * 2 * c * eta * rng.integers(2, size=runs)
    exact = theory.expect_rate(0.0, c, K, exact=True)
    assert w.mean() == pytest.approx(exact, abs=4 * w.std() / np.sqrt(runs))
    assert exact <= theory.expect_rate(0.0, c, K) == theory.rate(0.0, c, K)


def test_refusals():
    with pytest.raises(GreedyhullError, match="not a sum of finitely many terms"):
        theory.expect_violation(gh.quadratic(np.eye(2)), gh.Simplex(2), np.array([1.0, 0.0]), 0.5)
    with pytest.raises(GreedyhullError, match="measured in steps"):
        theory.expect_violation(gh.least_squares(np.eye(2), [1.0, 0.0]), gh.Simplex(2), np.array([1.0, 0.0]), 0.0)
