"""Quadratics by factors: the same function as with the matrix, honest, and resumed bit by bit."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.linalg import aslinearoperator

import greedyhull as gh
from greedyhull.testing import check_objective

RNG = np.random.default_rng(0)
F, D, B = RNG.standard_normal((4, 30)), RNG.random(30), RNG.standard_normal(30)
Q = F.T @ F + np.diag(D)
GROUPS = np.arange(30) % 5


def sets():
    return [gh.Simplex(30), gh.L1Ball(30, 2.0), gh.Box(np.full(30, -1.0), np.ones(30)), gh.L2Ball(30, 1.5),
            gh.GroupedSimplex(GROUPS, upper=0.2, group_upper=0.3), gh.KSparse(30, 3, 1.0), gh.HyperSimplex(30, 4)]


@pytest.mark.parametrize("S", sets(), ids=lambda S: type(S).__name__)
@pytest.mark.parametrize("given", [F, csr_array(F), aslinearoperator(F), F.astype(np.float32)],
                         ids=["dense", "sparse", "operator", "single"])
def test_the_same_minimum_as_with_the_matrix(S, given):
    s = gh.minimize(gh.quadratic(D, B, factors=given), S, stop=gh.Gap(1e-7) | gh.Iterations(3000))
    exact = F.astype(np.float32).astype(float) if given is not F and getattr(given, "dtype", None) == np.float32 else F
    t = gh.minimize(gh.quadratic(exact.T @ exact + np.diag(D), B), S, stop=gh.Gap(1e-9) | gh.Iterations(5000))
    assert s.converged and s.value == pytest.approx(t.value, abs=2e-7)
    assert s.certificate.lower <= t.value + 1e-12


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(), gh.Jones()], ids=repr)
def test_every_solver_takes_it(solver):
    s = gh.minimize(gh.quadratic(D, B, factors=F), gh.Simplex(30), solver, stop=gh.Gap(1e-3) | gh.Iterations(5000))
    assert s.converged


def test_it_keeps_the_promises_of_an_objective():
    check_objective(gh.quadratic(D, B, factors=F), gh.Simplex(30))


def test_more_factors_than_coordinates_and_none_of_the_diagonal():
    X = np.random.default_rng(1).standard_normal((200, 6))
    s = gh.minimize(gh.quadratic(factors=X), gh.Simplex(6), stop=gh.Gap(1e-9))
    t = gh.minimize(gh.quadratic(X.T @ X), gh.Simplex(6), stop=gh.Gap(1e-9))
    np.testing.assert_allclose(s.x, t.x, atol=1e-6)


def test_the_hessian_on_coordinates_is_that_of_the_matrix():
    f = gh.quadratic(D, B, factors=F)
    index, others = np.array([3, 1, 7]), np.array([1, 2])
    np.testing.assert_allclose(f.design.block(index, others), Q[np.ix_(index, others)], atol=1e-12)
    np.testing.assert_allclose(f.design.block(index, index), Q[np.ix_(index, index)], atol=1e-12)
    np.testing.assert_allclose(f.design.energies(1.0), (Q**2).sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(f.design.columns(index, np.ones(3)).toarray(), Q[:, index], atol=1e-12)


@pytest.mark.parametrize("scale", [1e-150, 1e-60, 1e60, 1e74])
def test_scales_from_tiny_to_huge(scale):
    S = gh.GroupedSimplex(GROUPS, upper=0.2, group_upper=0.3)
    s = gh.minimize(gh.quadratic(scale * (scale * D), scale * (scale * B), factors=scale * F), S, stop=gh.Relative(1e-6))
    t = gh.minimize(gh.quadratic(Q, B), S, stop=gh.Relative(1e-8))
    assert s.converged and s.value / scale / scale == pytest.approx(t.value, rel=2e-6)


def test_a_run_goes_on_bit_by_bit(tmp_path):
    f, S, stop = gh.quadratic(D, factors=F), gh.GroupedSimplex(GROUPS, upper=0.06, group_upper=0.3), gh.Gap(1e-10)
    whole = gh.minimize(f, S, stop=stop)
    gh.minimize(f, S, stop=gh.Iterations(1), checkpoint=tmp_path / "run")
    again = gh.minimize(f, S, stop=stop, resume=tmp_path / "run")
    assert np.array_equal(again.x, whole.x) and again.value == whole.value and again.gap == whole.gap


@pytest.mark.parametrize(("given", "words"), [
    ({"Q": np.eye(3), "factors": np.ones((2, 3))}, "diagonal"),
    ({"Q": [-1.0, 0.0, 1.0], "factors": np.ones((2, 3))}, "at least 0"),
    ({}, "Q = None was given; a square matrix, or factors=F"), ({"Q": [1.0, 2.0], "factors": np.ones((2, 3))}, "3 numbers"),
    ({"factors": np.ones(3)}, "factors"),
    ({"factors": [[np.nan, 1.0]]}, "NaN"), ({"b": [1.0], "factors": np.ones((2, 3))}, "b has")])
def test_bad_input_gets_words(given, words):
    with pytest.raises(gh.GreedyhullError, match=words):
        gh.quadratic(**given)


@pytest.mark.parametrize("seed", range(30))
def test_rounding_covers_what_a_longer_arithmetic_says(seed):
    """Value and slope towards atoms, with factors of many scales that cancel, beside 80-bit numbers."""
    rng = np.random.default_rng(seed)
    k, d = int(rng.integers(1, 30)), int(rng.integers(1, 40))
    F = rng.standard_normal((k, d)) * 10.0 ** rng.uniform(-4, 4, (k, 1))
    F[:, d // 2:] = -F[:, : d - d // 2] * (1.0 + 1e-9)  # Fw nearly cancels
    D, b, r = rng.random(d) * 10.0 ** rng.uniform(-6, 6), rng.standard_normal(d), 10.0 ** rng.uniform(-3, 3)
    f, S = gh.quadratic(D, b, factors=F), gh.L1Ball(d, r)
    s = gh.minimize(f, S, stop=gh.Iterations(3))
    w, wide = s.x.astype(np.longdouble), F.astype(np.longdouble)
    z = wide.T @ (wide @ w) + D * w
    value, gap = w @ z / 2 - b @ w, (z - b) @ w + np.longdouble(r) * np.abs(z - b).max()
    assert abs(value - s.value) <= f.rounding(s.point, S)
    assert s.gap is not None and value - s.certificate.lower <= gap + 2 * f.rounding(s.point, S)
    assert s.certificate.lower <= value
