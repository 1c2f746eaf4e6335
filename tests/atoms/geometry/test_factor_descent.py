"""Descents over factors: how many evaluations they take where the constraint hardly holds, and how far they get."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.atoms import matrix_descent as factor_descent
from greedyhull.atoms.matrix_descent import column_units, descend, descend_symmetric


@pytest.fixture
def evaluations(monkeypatch):
    """How often f was looked at."""
    seen, made = [], factor_descent._Last.__init__

    def counted(self, f, A, B):
        seen.append(A.dtype)
        made(self, f, A, B)

    monkeypatch.setattr(factor_descent._Last, "__init__", counted)
    return seen


def noisy(n, share, noise, seed):
    """Entries of a semidefinite matrix of rank four, not symmetric for their noise, and its trace."""
    rng = np.random.default_rng(seed)
    L = rng.standard_normal((n, 4))
    M = L @ L.T
    i, j = np.divmod(np.flatnonzero(rng.random(n * n) < share), n)
    return gh.completion(i, j, M[i, j] + noise * rng.standard_normal(len(i)), (n, n)), float(np.trace(M))


@pytest.mark.parametrize("n, share", [(30, 0.4), (60, 0.3)])
def test_a_trace_that_hardly_holds_takes_few_evaluations(n, share, evaluations):
    """Without units of their own, columns of small eigenvalues take 60 rounds and 4000 evaluations, and not all of the way."""
    f, trace = noisy(n, share, 0.1, 0)
    s = gh.minimize(f, gh.Spectrahedron(n, 1.2 * trace), stop=gh.Relative(1e-8) | gh.Iterations(12))
    assert s.converged and len(evaluations) < 2500
    assert abs(s.point.dot(f.gradient(s.point))) < 0.01 * f.scale  # ⟨∇f, W⟩/trace is the multiplier


def test_more_than_the_digits_of_the_value(evaluations):
    """A gap of 1e-9 of f, where values of f have about 16 digits and say nothing of errors below 1e-8."""
    rng = np.random.default_rng(0)
    M = rng.standard_normal((170, 3)) @ rng.standard_normal((3, 150))
    i, j = np.divmod(np.flatnonzero(rng.random(170 * 150) < 0.1), 150)
    f = gh.completion(i, j, M[i, j] + 0.3 * rng.standard_normal(len(i)), (170, 150))
    s = gh.minimize(f, gh.NuclearBall((170, 150), 0.8 * np.linalg.norm(M, "nuc")), stop=gh.Relative(1e-9) | gh.Iterations(40))
    assert s.converged and s.gap <= 1e-9 * f.scale


@pytest.mark.parametrize("scale", [1e-140, 1.0, 1e140])
@pytest.mark.parametrize("small", [1.0, 1e-3, 1e-30])
def test_units_are_finite_whatever_the_columns(scale, small):
    rng = np.random.default_rng(1)
    f = gh.completion(*np.divmod(np.arange(12), 3), scale * rng.standard_normal(12), (4, 3))
    A, B = (np.linalg.qr(rng.standard_normal((k, 2)))[0] * np.sqrt([scale, scale * small]) for k in (4, 3))
    units = column_units(np.array([1.0, small]), 0.5, 0.1)
    assert np.isfinite(units).all() and units.max() == 1.0 and units.min() > 0.0
    assert units[1] >= units[0]  # what is smaller bends f less
    found = descend(f, A, B, 2.0 * scale, False, units)
    assert found is not None and float(np.vdot(found[0], found[0]) + np.vdot(found[1], found[1])) <= 4.0 * scale * (1 + 1e-12)


def test_units_that_say_nothing_are_one():
    for bend, spread in ((0.0, 0.0), (-1.0, -1.0), (np.nan, 1.0), (np.inf, 1.0), (0.0, 3.0)):
        assert column_units(np.array([2.0, 1.0]), bend, spread).tolist() == [1.0, 1.0]


def test_one_column_and_a_vanishing_gradient():
    f = gh.completion([0], [0], [1.0], (2, 2))
    assert descend_symmetric(f, np.array([[1.0], [0.0]]), 1.0) is None
    found = descend_symmetric(f, np.array([[0.6], [0.8]]), 1.0)
    assert found is not None and np.abs(found).ravel() == pytest.approx([1.0, 0.0], abs=1e-6)
