"""Quadratics: Q is tested once, and what its eigenvalues are below zero is part of every gap."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

import greedyhull as gh


def exactly(Q: Any, x: Any) -> Fraction:
    w = [Fraction(float(v)) for v in x]
    return sum((Fraction(float(q)) * a * b for row, a in zip(Q, w, strict=True) for q, b in zip(row, w, strict=True)),
               Fraction(0)) / 2


@pytest.mark.parametrize("kind", [np.asarray, sparse.csc_array, aslinearoperator], ids=["dense", "sparse", "operator"])
@pytest.mark.parametrize("dent", [9e-11, 1e-13])
def test_a_dent_that_is_not_refused_is_in_the_gap(kind: Any, dent: float) -> None:
    Q, S = np.diag([1.0, -dent]), gh.LinfBall(2, 1e6)
    s = gh.minimize(gh.quadratic(kind(Q)), S, start=np.zeros(2), stop=gh.Iterations(5))
    assert exactly(Q, s.point.array()) - exactly(Q, [0.0, 1e6]) <= Fraction(s.gap)


@pytest.mark.parametrize("d", [60, 300])
def test_a_dent_of_any_direction_is_measured(d: int) -> None:
    rng = np.random.default_rng(0)
    U = np.linalg.qr(rng.standard_normal((d, d)))[0]
    Q = (U * np.append(-1e-11, np.linspace(0.5, 1.0, d - 1))) @ U.T
    f = gh.quadratic(0.5 * (Q + Q.T))
    assert f.concavity is not None and 1e-11 <= f.concavity <= 2e-11
    with pytest.raises(gh.GreedyhullError, match="semidefinite"):
        gh.quadratic(0.5 * (Q + Q.T) - 1e-9 * np.eye(d))


@pytest.mark.parametrize("d", [60, 300])
def test_ordinary_matrices_lose_nothing_that_matters(d: int) -> None:
    rng = np.random.default_rng(0)
    A = rng.standard_normal((2 * d, d))
    assert gh.quadratic(A.T @ A).concavity == 0.0
    low = A[:5].T @ A[:5]
    f = gh.quadratic(low, low @ rng.random(d) / d)
    assert f.concavity is not None and 0.0 < f.concavity <= 1e-11 * np.linalg.norm(low, 2)
    assert gh.minimize(f, gh.Simplex(d), stop=gh.RelativeToStart(1e-9) | gh.Iterations(500)).converged
    assert gh.quadratic(np.diag(np.arange(float(d)))).concavity == 0.0


def test_float32_gram_matrices_are_solved_with_an_honest_gap() -> None:
    for seed in range(50):
        A = np.random.default_rng(seed).standard_normal((3, 8)).astype(np.float32)
        Q = A.T @ A
        s = gh.minimize(gh.quadratic(Q), gh.Simplex(8), stop=gh.Relative(1e-6) | gh.Iterations(200))
        assert s.gap >= -np.linalg.eigvalsh(Q.astype(np.float64))[0]
        assert gh.certify(gh.quadratic(Q), gh.Simplex(8), s.point).gap == pytest.approx(s.gap, rel=0.5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csc_array], ids=["dense", "sparse"])
def test_a_hair_off_symmetry_is_taken_off(kind: Any, dtype: Any) -> None:
    """½wᵀQw depends on (Q + Qᵀ)/2 only, and so must its gradient."""
    Q = np.diag(np.arange(1.0, 9.0)).astype(dtype)
    hair = 1e-10 if dtype == np.float64 else 1e-6
    Q[0, 7], Q[7, 0] = 1.0, 1.0 + hair
    f, S = gh.quadratic(kind(Q)), gh.Simplex(8)
    g = f.gradient(S.decompose(np.eye(8)[7]))
    assert g[0] == pytest.approx(0.5 * (float(Q[0, 7]) + float(Q[7, 0])), rel=1e-15)
    Q[7, 0] = 2.0
    with pytest.raises(gh.GreedyhullError, match="not symmetric"):
        gh.quadratic(kind(Q))


@pytest.mark.parametrize("scale", [1e-200, 1e-150, 1e140])
def test_allowances_follow_the_scale_of_the_data(scale: float) -> None:
    rng = np.random.default_rng(0)
    A = rng.standard_normal((20, 6))
    plain, scaled = gh.quadratic(A.T @ A), gh.quadratic(scale * (A.T @ A))
    S = gh.Simplex(6)
    w = S.centre()
    assert scaled.rounding(w, S) == pytest.approx(scale * plain.rounding(w, S), rel=1e-6)


def test_what_a_large_matrix_hides_shows_on_the_way() -> None:
    """Beyond the size that is tested, convexity is a promise; moves still look."""
    d = 2500
    Q = sparse.eye_array(d, format="csc")
    assert gh.quadratic(Q).concavity is None
    Q = Q.tolil()
    Q[0, 1] = Q[1, 0] = 3.0
    with pytest.raises(gh.GreedyhullError, match="bends down"):
        gh.minimize(gh.quadratic(Q.tocsc(), 5.0 * np.eye(d)[1]), gh.Simplex(d), gh.FrankWolfe(), start=np.eye(d)[0])


def test_the_optimum_at_zero_is_exact() -> None:
    s = gh.minimize(gh.quadratic(np.diag([2.0, 1.0])), gh.L1Ball(2, 1.0), stop=gh.Relative(1e-9))
    assert s.converged and s.value == 0.0 and s.gap == 0.0


@pytest.mark.parametrize("Q, edge", [([[1, 2], [2, 3]], (0.6, -0.4)), ([[1000, 1001], [1001, 1001]], (0.5, -0.5))],
                         ids=["far", "near"])
@pytest.mark.parametrize("S", [gh.L2Ball(2, radius=1e100), gh.L1Ball(2, radius=1e150)], ids=["l2", "l1"])
def test_an_indefinite_matrix_of_the_smallest_numbers_is_not_taken_for_a_semidefinite_one(Q: Any, edge: Any, S: Any) -> None:
    """Its least eigenvalue is not a float; the set is so large that its curve is."""
    tiny = 5e-324 * np.array(Q)
    s = gh.minimize(gh.quadratic(tiny), S, stop=gh.Iterations(20))
    below = exactly(tiny, S.radius * np.array(edge))
    assert below < 0 and exactly(tiny, s.x) - below <= Fraction(s.gap)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csc_array], ids=["dense", "sparse"])
def test_a_large_matrix_with_a_negative_diagonal_entry_is_refused(kind: Any) -> None:
    Q = np.eye(2001)
    Q[7, 7] = -3.0
    with pytest.raises(gh.GreedyhullError, match=r"not positive semidefinite.*-3"):
        gh.quadratic(kind(Q))


@pytest.mark.parametrize("S", [lambda d: gh.Box(np.full(d, -1.0), 1.0), lambda d: gh.LinfBall(d, 1.0)],
                         ids=["Box", "LinfBall"])
@pytest.mark.parametrize("d", [10_000, 100_000])
def test_the_sum_over_a_full_vertex_is_counted_at_an_empty_point(S, d):
    """0.1 is no number of binary digits: the sum of d of them is off by far more than a few last places."""
    from fractions import Fraction

    from scipy.sparse import csc_array

    c = gh.certify(gh.quadratic(csc_array((d, d)), np.full(d, 0.1)), S(d), np.zeros(d))
    assert Fraction(c.value) - Fraction(c.gap) <= -d * Fraction(0.1) and Fraction(c.lower) <= -d * Fraction(0.1)
