"""Criteria of optimal design: the kit, designs known by hand, the multiplicative algorithm, honest gaps where M is bad."""

from fractions import Fraction
from math import log
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.objectives.information import OrthogonalLogDet
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.testing import check_objective

rng = np.random.default_rng(1)
X = rng.standard_normal((30, 3))
BOTH = [gh.log_det, gh.trace_inverse]


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("S", [gh.Simplex(30), gh.Simplex(30, upper=0.2), gh.Vertices(rng.dirichlet(np.ones(30), 9))], ids=str)
def test_they_keep_the_promises_of_an_objective(make: Any, S: Any) -> None:
    check_objective(make(X), S)
    s = gh.minimize(make(X), S, stop=gh.Gap(1e-7))
    assert s.converged and isinstance(s.solver, gh.Corrective)


def test_the_quadratic_on_a_line_is_measured_at_the_ends_and_in_the_middle() -> None:
    t = np.linspace(-1.0, 1.0, 41)
    P = np.column_stack([np.ones(41), t, t**2])
    d, a = (gh.minimize(make(P), gh.Simplex(41), stop=gh.Gap(1e-9)).x for make in BOTH)
    assert d[[0, 20, 40]] == pytest.approx([1 / 3] * 3, abs=1e-4)
    assert a[[0, 20, 40]] == pytest.approx([0.25, 0.5, 0.25], abs=1e-4)


def test_the_multiplicative_algorithm_agrees_and_the_equivalence_theorem_holds() -> None:
    w = np.full(30, 1 / 30)
    for _ in range(20000):
        q = np.einsum("ij,jk,ik->i", X, np.linalg.inv((X * w[:, None]).T @ X), X)
        w = w * q / 3
    s = gh.minimize(gh.log_det(X), gh.Simplex(30), stop=gh.Gap(1e-9))
    best = -np.linalg.slogdet((X * w[:, None]).T @ X)[1]
    assert s.value - s.gap <= best and s.value == pytest.approx(best, abs=1e-6)
    q = np.einsum("ij,jk,ik->i", X, np.linalg.inv((X * s.x[:, None]).T @ X), X)
    assert q.max() <= 3 + 1e-8  # the equivalence theorem


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("bad", [1e-2, 1e-4])
def test_gaps_stay_true_where_the_information_is_badly_conditioned(make: Any, bad: float) -> None:
    Z = X @ np.array([[1.0, 1.0, 0.0], [0.0, bad, 0.0], [0.0, 0.0, 1.0]])
    s = gh.minimize(make(Z), gh.Simplex(30), stop=gh.Relative(1e-9) | gh.Iterations(40))
    inverse = np.linalg.inv(np.array([[1.0, 1.0, 0.0], [0.0, bad, 0.0], [0.0, 0.0, 1.0]]))
    if make is gh.log_det:  # of which the design does not change, and the value by a constant
        known = gh.minimize(gh.log_det(X), gh.Simplex(30), stop=gh.Gap(1e-10))
        assert s.certificate.lower <= known.value - 2 * np.log(bad) + 1e-9
    assert inverse.shape == (3, 3) and np.isfinite(s.value)


def test_a_saved_run_goes_on_bit_by_bit(tmp_path: Any) -> None:
    f, path = gh.log_det(X), tmp_path / "run.npz"
    whole = gh.minimize(f, gh.Simplex(30), gh.Corrective(batch=1), stop=gh.Iterations(5))
    gh.minimize(f, gh.Simplex(30), gh.Corrective(batch=1), stop=gh.Iterations(2), checkpoint=path)
    rest = gh.minimize(f, gh.Simplex(30), gh.Corrective(batch=1), stop=gh.Iterations(5), resume=path)
    assert np.array_equal(rest.x, whole.x)


@pytest.mark.parametrize("make", BOTH)
def test_candidates_that_are_singular_together_are_refused(make: Any) -> None:
    with pytest.raises(gh.GreedyhullError, match="span 2 of 3 directions"):
        make(np.column_stack([X[:, :2], X[:, 0] + X[:, 1]]))
    for wrong in (X[0], [[np.nan, 1.0]], np.zeros((0, 3))):
        with pytest.raises(gh.GreedyhullError, match="a candidate in each row"):
            make(wrong)


def exact_log_det(X: Any, w: Any) -> float:
    """log det Σ wᵢxᵢxᵢᵀ by elimination in rational numbers."""
    rows = [[Fraction(float(entry)) for entry in row] for row in X]
    weights = [Fraction(float(one)) for one in w]
    p = X.shape[1]
    M = [[sum((a * r[i] * r[j] for a, r in zip(weights, rows, strict=True)), Fraction(0)) for j in range(p)] for i in range(p)]
    total = 0.0
    for i in range(p):
        total += log(M[i][i].numerator) - log(M[i][i].denominator)
        for k in range(i + 1, p):
            share = M[k][i] / M[i][i]
            M[k] = [a - share * b for a, b in zip(M[k], M[i], strict=True)]
    return total


@pytest.mark.parametrize("p", [3, 6, 9])
def test_powers_of_a_variable_have_a_determinant_that_is_off_by_no_more_than_its_rounding(p: int) -> None:
    """In differences of two designs the constant cancels; X itself is nearly singular, and what QR loses must be counted."""
    x = np.linspace(0.0, 1.0, 14)
    X = np.vander(x, p)
    f, S = OrthogonalLogDet(X), gh.Simplex(14)
    rng = np.random.default_rng(p)
    designs = [rng.dirichlet(np.ones(14)).round(6) + 1e-3 for _ in range(6)]
    points = [CoordinateIterate(w) for w in designs]
    exact = [-exact_log_det(X, w) for w in designs]
    for point, value in zip(points, exact, strict=True):
        assert np.isfinite(f.rounding(point, S)) and f.value(point) + f.constant == pytest.approx(value, abs=1e-6)
        off = abs((f.value(point) - f.value(points[0])) - (value - exact[0]))
        assert off <= f.rounding(point, S) + f.rounding(points[0], S) + 1e-14 * abs(value)


def test_a_bad_factorisation_makes_rounding_as_large_as_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of Q that is off by 1e-7: what it does to differences of values is counted, whatever made it."""
    X = np.ones((8, 1))
    Q, R = np.linalg.qr(X)
    Q[0] += 1e-7
    monkeypatch.setattr(np.linalg, "qr", lambda given: (Q, R))
    f, S = OrthogonalLogDet(X), gh.Simplex(8)
    most = 0.0
    for seed in range(20):
        designs = np.random.default_rng(seed).dirichlet(np.full(8, 0.3), 2) + 1e-4
        first, second = (CoordinateIterate(w) for w in designs)
        exact = exact_log_det(X, designs[1]) - exact_log_det(X, designs[0])
        off = abs(f.value(first) - f.value(second) - exact)
        assert off <= f.rounding(first, S) + f.rounding(second, S)
        most = max(most, off)
    assert most > 1e-7
