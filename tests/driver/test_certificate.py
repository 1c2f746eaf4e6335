"""Certificates of any point, whoever found it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize as scipy_minimize
from scipy.optimize import nnls

import greedyhull as gh
from greedyhull.points.iterate import Iterate
from greedyhull.testing import Problem, small_problems
from greedyhull.testing.expect import mixture

PROBLEMS = small_problems()


@settings(max_examples=60)
@given(st.sampled_from(PROBLEMS), st.integers(0, 10**6))
def test_the_certificate_of_any_point_is_true(problem: Problem, seed: int) -> None:
    rng = np.random.default_rng(seed)
    w = mixture(problem.S, rng, w=problem.f.start(problem.S, rng))
    for point in (w, w.array()):
        c = gh.certify(problem.f, problem.S, point)
        assert c.value is not None and c.gap is not None and c.kind == "always" and c.delta == 0.0
        assert c.lower <= problem.minimum + 1e-14 * (1 + abs(problem.minimum))
        assert c.gap == pytest.approx(c.value - c.lower, abs=1e-12) and c.gap >= 0
        if problem.value is not None:
            assert c.value == pytest.approx(problem.value(w.array()))


def test_a_point_of_scipy_is_certified() -> None:
    """nnls with a heavy row that asks for Σw = 1, the classic trick, and SLSQP."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 8)), rng.standard_normal(30)
    f, S = gh.least_squares(X, y), gh.Simplex(8)
    w, _ = nnls(np.vstack([X, 1e4 * np.ones(8)]), np.append(y, 1e4))
    c = gh.certify(f, S, w, tol=1e-6)
    assert c.gap is not None and c.gap < 1e-5
    slsqp: Any = scipy_minimize
    found = slsqp(
        lambda w: ((X @ w - y) ** 2).mean() / 2,
        np.full(8, 1 / 8),
        jac=lambda w: X.T @ (X @ w - y) / 30,
        bounds=[(0, 1)] * 8,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    ours = gh.minimize(f, S, stop=gh.Gap(1e-10))
    c = gh.certify(f, S, found.x, tol=1e-6)
    assert c.gap is not None and c.gap < 1e-6 and abs(found.fun - (ours.value or 0.0)) < 1e-7


def test_lists_and_solutions_points_are_points() -> None:
    f, S = gh.least_squares(np.eye(2), np.array([1.0, 0.0])), gh.Simplex(2)
    assert gh.certify(f, S, [1.0, 0.0]).value == 0.0
    s = gh.minimize(f, S)
    assert gh.certify(f, S, s.point).gap == pytest.approx(s.gap, abs=1e-12)


def test_certifying_leaves_the_point_alone() -> None:
    f, S = gh.least_squares(np.eye(3), np.ones(3)), gh.Simplex(3)
    w = S.centre()
    x = np.array([0.2, 0.3, 0.5])
    gh.certify(f, S, w)
    gh.certify(f, S, x)
    assert w.views == {} and x.tolist() == [0.2, 0.3, 0.5]


@pytest.mark.parametrize("off", [-5e-10, 5e-10])
def test_an_iterate_whose_weights_have_drifted_is_certified_as_the_point_that_it_stands_for(off: float) -> None:
    """Weights sum to one only up to rounding; the certificate is about a point of the hull."""
    f, S = gh.least_squares(np.eye(3), np.array([9.0, 1.0, 0.0])), gh.Simplex(3)
    weights = np.array([0.5, 0.3, 0.2])
    w = Iterate(S.centre().block, weights * (1 + off), (3,))
    c, true = gh.certify(f, S, w), gh.certify(f, S, weights)
    assert c.value == pytest.approx(true.value, rel=1e-14) and c.gap == pytest.approx(true.gap, rel=1e-13)
    assert w.weights.sum() == pytest.approx(1 + off, abs=1e-15)  # the caller's is left alone


def test_tol_says_how_far_outside_is_near_enough() -> None:
    f, S = gh.least_squares(np.eye(3), np.ones(3)), gh.Simplex(3)
    x = np.full(3, 1 / 3) * (1 + 1e-6)
    with pytest.raises(gh.GreedyhullError, match="outside"):
        gh.certify(f, S, x)
    assert gh.certify(f, S, x, tol=1e-5).gap is not None


def test_float32_data_are_certified_in_float64() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 6)).astype(np.float32), rng.standard_normal(50)
    S = gh.L1Ball(6, 1.0)
    w = np.full(6, 1 / 6)
    single, double = gh.certify(gh.least_squares(X, y), S, w), gh.certify(gh.least_squares(X.astype(np.float64), y), S, w)
    assert single.value == pytest.approx(double.value, rel=1e-14) and single.gap == pytest.approx(double.gap, rel=1e-9)


def test_a_value_that_is_not_finite_is_refused() -> None:
    f = gh.log_likelihood(np.eye(3))
    with pytest.raises(gh.GreedyhullError, match="finite value"):
        gh.certify(f, gh.Simplex(3), np.array([1.0, 0.0, 0.0]))
    g: Any = gh.function(lambda w: 0.0, lambda w: np.full(3, np.nan), 3)
    with pytest.raises(gh.GreedyhullError, match=r"gradient .* NaN"):
        gh.certify(g, gh.Simplex(3), np.array([1.0, 0.0, 0.0]))


def test_a_certificate_reads_as_a_sentence() -> None:
    assert str(gh.Certificate(1.5, 1e-3, 1.499)) == "The value 1.5 is within 0.001 of the minimum, always."
    assert "with probability at least 0.95" in str(gh.Certificate(1.5, 1e-3, 1.499, "probability", 0.05))
    assert "stream" in str(gh.Certificate(None, None, 0.5, "expectation"))


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e6, 1e12])
def test_certificates_are_true_at_any_scale(scale: float) -> None:
    """Rounding is relative: the same problem in other units has the same relative gap."""
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((20, 5)), rng.standard_normal(20)
    f, S = gh.least_squares(scale * X, scale * y), gh.L1Ball(5, 0.7)
    s = gh.minimize(f, S, gh.Corrective(), stop=gh.Relative(1e-10) | gh.Iterations(50))
    unit = gh.minimize(gh.least_squares(X, y), S, gh.Corrective(), stop=gh.Relative(1e-12) | gh.Iterations(50))
    assert s.converged and (s.certificate.lower / scale**2) <= (unit.value or 0.0) * (1 + 1e-13)
    assert (s.value or 0.0) / scale**2 == pytest.approx(unit.value, rel=1e-9)


def test_a_zero_optimum_has_no_positive_lower_bound() -> None:
    """Where y = Xw, min f = 0 up to the rounding of y: no bound may claim more."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        X = rng.standard_normal((15, 4))
        f, S = gh.least_squares(X, X @ np.full(4, 0.25)), gh.Simplex(4)
        for solver in (gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective()):
            s = gh.minimize(f, S, solver, stop=gh.Gap(1e-14) | gh.Iterations(60))
            assert s.certificate.lower <= 1e-31
