"""Optimal designs: the known ones are found, efficiencies are proved, exact designs are rounded well."""

from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.apps import optimal_design

x = np.linspace(-1.0, 1.0, 41)
QUADRATIC = np.column_stack([np.ones(41), x, x**2])
RANDOM = np.random.default_rng(3).standard_normal((60, 4))
CRITERIA: Any = ["D", "A", "G", "I"]


def criterion(kind: str, X: Any, w: Any) -> float:
    """By the definition."""
    C = np.linalg.inv((X * w[:, None]).T @ X)
    variances = np.einsum("ij,jk,ik->i", X, C, X)
    return float({"D": np.log(np.linalg.det(C)), "A": np.trace(C), "G": variances.max(), "I": variances.mean()}[kind])


def efficiency(kind: str, X: Any, w: Any, best: float) -> float:
    value = criterion(kind, X, w)
    return float(np.exp((best - value) / X.shape[1])) if kind == "D" else best / value


@pytest.mark.parametrize("kind, weights", [("D", [1 / 3] * 3), ("G", [1 / 3] * 3), ("A", [0.25, 0.5, 0.25])])
def test_designs_of_quadratic_regression(kind: Any, weights: list[float]) -> None:
    found = optimal_design(QUADRATIC, kind, names=x.round(2))
    assert list(found.support) == ["-1.0", "0.0", "1.0"]
    np.testing.assert_allclose(list(found.support.values()), weights, atol=1e-4)
    assert f"Design({kind}, 3 of 41 candidates: -1.0 0." in repr(found) and found.efficiency >= 1 - 2e-8


def test_the_d_optimal_design_of_a_cubic_is_guests() -> None:
    """−1, 1 and ±1/√5, the zeros of (1 − x²)P₃′, with equal weights."""
    at = np.sort(np.append(x, [-(5**-0.5), 5**-0.5]))
    found = optimal_design(np.vander(at, 4), names=at)
    assert list(found.support) == [str(v) for v in (-1.0, -(5**-0.5), 5**-0.5, 1.0)]
    np.testing.assert_allclose(list(found.support.values()), 0.25, atol=1e-4)


@pytest.mark.parametrize("kind", CRITERIA)
@pytest.mark.parametrize("X", [QUADRATIC, RANDOM, RANDOM * [1e-3, 1.0, 1e5, 7.0]], ids=["quadratic", "random", "scaled"])
def test_values_gaps_and_efficiencies_are_honest(kind: Any, X: Any) -> None:
    rough, fine = optimal_design(X, kind, tol=0.05), optimal_design(X, kind, tol=1e-9)
    best = criterion(kind, X, fine.weights)
    assert fine.value == pytest.approx(best, rel=1e-6) and fine.efficiency >= 1 - 1e-7
    assert rough.value == pytest.approx(criterion(kind, X, rough.weights), rel=1e-6)
    assert rough.value - best <= rough.gap * (1 + 1e-6) + 1e-7 * abs(best)
    assert rough.efficiency <= efficiency(kind, X, rough.weights, best) + 1e-8
    even = efficiency(kind, X, np.full(len(X), 1 / len(X)), best)
    assert even - 1e-6 <= fine.efficiency_of(np.ones(len(X))) <= even + 1e-9
    assert abs(fine.weights.sum() - 1.0) < 1e-12 and (fine.weights >= 0.0).all()


@pytest.mark.parametrize("kind", ["D", "G", "I"])
def test_units_do_not_matter(kind: Any) -> None:
    plain, scaled = optimal_design(RANDOM, kind), optimal_design(RANDOM * [1e-180, 1.0, 1e200, 3.0], kind)
    np.testing.assert_allclose(plain.weights, scaled.weights, atol=1e-3)
    assert scaled.efficiency >= 1 - 1e-7


@pytest.mark.parametrize("kind", CRITERIA)
@pytest.mark.parametrize("n", [5, 6, 7, 50])
def test_rounding_is_efficient(kind: Any, n: int) -> None:
    found = optimal_design(QUADRATIC, kind)
    counts, s = found.round(n), len(found.support)
    assert counts.sum() == n and counts.dtype == np.int64 and not counts[found.weights == 0.0].any()
    assert found.efficiency_of(counts) >= (1 - s / n) * found.efficiency - 1e-12


def test_six_experiments_are_the_best_six() -> None:
    """Every exact design on seven candidates, by hand."""
    X = QUADRATIC[::6][:7]
    found = optimal_design(X)
    every = [np.bincount(chosen, minlength=7) for chosen in combinations_with_replacement(range(7), 6)]
    best = max(np.linalg.det((X * counts[:, None]).T @ X) for counts in every)
    counts = found.round(6)
    assert np.linalg.det((X * counts[:, None]).T @ X) >= 0.99 * best


def test_singular_designs_are_worth_nothing() -> None:
    found = optimal_design(QUADRATIC)
    assert found.efficiency_of(np.eye(41)[0]) == 0.0


@pytest.mark.parametrize("call, words", [
    (lambda: optimal_design(np.column_stack([x, 2 * x])), "span 1 of 2 directions"),
    (lambda: optimal_design([[1.0, np.nan]]), r"optimal_design\(X\) was given no matrix"),
    (lambda: optimal_design(QUADRATIC, "E"), "one of D, A, G, I"),  # type: ignore[arg-type]
    (lambda: optimal_design(QUADRATIC, names=["a"]), "41 different names"),
    (lambda: optimal_design(QUADRATIC, names=["a"] * 41), "41 different names"),
    (lambda: optimal_design(QUADRATIC, tol=0.0), "between 0 and 1"),
    (lambda: optimal_design(QUADRATIC).round(2), "at least 3"),
    (lambda: optimal_design(QUADRATIC).round(5.5), "at least 3"),  # type: ignore[arg-type]
    (lambda: optimal_design(QUADRATIC).efficiency_of([1.0]), "41 numbers"),
    (lambda: optimal_design(QUADRATIC).efficiency_of(-np.ones(41)), "41 numbers ≥ 0"),
])
def test_what_cannot_be_is_said(call: Any, words: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=words):
        call()


@pytest.mark.parametrize("kind", CRITERIA)
def test_one_candidate_and_one_parameter(kind: Any) -> None:
    found = optimal_design([[2.0]], kind)
    assert found.support == {"0": 1.0} and found.round(3).tolist() == [3]
    assert found.value == pytest.approx({"D": -np.log(4.0), "A": 0.25, "G": 1.0, "I": 1.0}[kind])
