"""Solutions that the core's path gives: certified with their rounding, whatever the data are."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

import greedyhull as gh
from greedyhull.atoms.simplex import PositiveL1Ball

RADII = [0.3, 5.0, 1.0, 40.0]


def problem(n, d, form, **settings):
    rng = np.random.default_rng(n + d)
    X = rng.standard_normal((n, d))
    return gh.least_squares(form(X), X[:, 0] - X[:, d // 2] + 0.5 * rng.standard_normal(n), **settings)


@pytest.mark.parametrize("shape", [(60, 8), (12, 30), (1, 5), (20, 1)])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csr_array, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("tol", [1e-4, 1e-6])
def test_values_are_within_their_gaps_of_what_runs_find(shape, form, intercept, tol):
    f = problem(*shape, form, intercept=intercept)
    for kind in (gh.L1Ball, PositiveL1Ball):
        for r, s in zip(RADII, gh.path(f, kind(shape[1], 1.0), RADII, stop=gh.Relative(tol)), strict=True):
            alone = gh.minimize(f, kind(shape[1], r), stop=gh.Relative(1e-9) | gh.Iterations(2000))
            assert s.converged and s.atom_set.radius == r and s.atom_set.contains(s.x)
            assert s.certificate.lower <= alone.value and s.value <= alone.value + s.gap + 1e-12 * f.scale
            assert s.gap <= tol * max(abs(s.value), f.scale)
            assert s.value == pytest.approx(gh.certify(f, s.atom_set, s.x).value, abs=s.gap)


def exact(X, y, w, r):
    """Value and Frank-Wolfe gap over the ball of radius r in rational numbers."""
    X = [list(map(Fraction, row)) for row in X.tolist()]
    y, w = list(map(Fraction, y.tolist())), list(map(Fraction, w.tolist()))
    e = [sum(a * b for a, b in zip(row, w, strict=True)) - t for row, t in zip(X, y, strict=True)]
    g = [sum(e[i] * X[i][j] for i in range(len(y))) / len(y) for j in range(len(w))]
    gap = sum(a * b for a, b in zip(g, w, strict=True)) + Fraction(r) * max(abs(x) for x in g)
    return sum(x * x for x in e) / (2 * len(y)), gap


@pytest.mark.parametrize("shape", [(40, 6), (8, 20)])
@pytest.mark.parametrize("offset", [0.0, 30.0, 1e6])
def test_rounding_is_part_of_the_gap(shape, offset):
    """In rational numbers the point is as good as it says: by its Frank-Wolfe gap, or because its loss is no larger."""
    rng, radii, checked = np.random.default_rng(0), [1e-6, 1e-3, 0.5, 3.0], 0
    X, y = rng.standard_normal(shape) + offset, rng.standard_normal(shape[0])
    found = gh.path(gh.least_squares(X, y), gh.L1Ball(shape[1], 1.0), radii, stop=gh.Relative(1e-4) | gh.Iterations(500))
    for r, s in zip(radii, found, strict=True):
        if "growing radii" in s.choice:  # others are certified by the driver
            value, gap = exact(X, y, s.x, r)
            assert value - min(gap, value) >= Fraction(s.value) - Fraction(s.gap)
            assert abs(value - Fraction(s.value)) <= s.gap
            checked += 1
    assert checked >= 1


def test_a_path_is_made_without_runs(monkeypatch):
    from greedyhull.driver import path as home

    monkeypatch.setattr(home, "minimize", None)
    found = gh.path(problem(60, 8, np.asarray), gh.L1Ball(8, 1.0), RADII)
    assert [s.atom_set.radius for s in found] == RADII and all(s.converged for s in found)
    assert "requested" in found[0].reason and found[0].choice and found[0].price > found[1].price
    assert sum(found[1].point.weights) == pytest.approx(1.0)


@pytest.mark.parametrize("settings", [{"stop": gh.Iterations(3)}, {"solver": gh.BlendedPairwise()}, {"progress": True}])
def test_what_only_a_run_can_give_is_given_by_runs(settings):
    found = gh.path(problem(60, 8, np.asarray), gh.L1Ball(8, 1.0), [0.5, 1.0], **settings)
    assert all(len(s.trace.rows) >= 1 and "growing radii" not in s.choice for s in found)


@pytest.mark.parametrize("size", [1e-200, 1e-30, 1e30, 1e150])
def test_sizes_out_of_range_are_left_to_runs_or_certified(size):
    X, y = np.random.default_rng(1).standard_normal((30, 5)), np.random.default_rng(2).standard_normal(30) * size
    stop = gh.Relative(1e-6) | gh.Iterations(200)
    for s in gh.path(gh.least_squares(X, y), gh.L1Ball(5, 1.0), [0.1 * size, size], stop=stop):
        assert gh.certify(s.objective, s.atom_set, s.x).lower <= s.value and s.gap >= 0.0
