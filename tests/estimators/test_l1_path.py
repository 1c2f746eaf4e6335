"""Trails: least squares over many l1 balls, equal to single solves whatever the data are made of."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import greedyhull as gh
from greedyhull.atoms.l1_ball import PositiveL1Ball
from greedyhull.estimators.l1_path import Covariance, Trail


def forms(X, y, intercept):
    f = gh.least_squares(X, y, intercept=intercept)
    Z, t = (X - X.mean(axis=0), y - y.mean()) if intercept else (X, y)
    return f, [f, gh.least_squares(sp.csr_array(X), y, intercept=intercept),
               Covariance(Z.T @ Z / len(y), Z.T @ t / len(y), 0.5 * float(t @ t) / len(y))]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 30), d=st.integers(1, 40), intercept=st.booleans(), positive=st.booleans())
def test_every_radius_is_solved_to_what_was_asked(seed, n, d, intercept, positive):
    rng = np.random.default_rng(seed)
    X, y, weights = rng.standard_normal((n, d)), rng.standard_normal(n), rng.uniform(0.5, 2.0, d)
    f, all_forms = forms(X, y, intercept)
    for form in all_forms:
        trail = Trail(form, 1.0 / weights, positive=positive)
        for r in (0.1, 0.5, 2.0):
            stage = trail.to(r, 1e-6)
            S = (PositiveL1Ball if positive else gh.L1Ball)(d, r, weights=weights)
            best = gh.minimize(f, S, stop=gh.Relative(1e-9) | gh.Stalled(300))
            assert S.contains(stage.w)
            scale = max(trail.f0, 1e-12)
            assert stage.value == pytest.approx(f.value(S.decompose(stage.w)), abs=1e-9 * scale)
            assert stage.value - best.certificate.lower >= -1e-9 * scale
            assert stage.value - best.value <= stage.gap + 1e-9 * scale
            assert stage.gap <= 2e-6 * max(scale, stage.value)


def test_shrinking_radii_work_too():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 10)), rng.standard_normal(30)
    f, all_forms = forms(X, y, False)
    trail = Trail(all_forms[2], np.ones(10), positive=False)
    values = [trail.to(r, 1e-9).value for r in (2.0, 1.0, 0.5, 1.0, 2.0)]
    assert values == pytest.approx([gh.minimize(f, gh.L1Ball(10, r)).value for r in (2.0, 1.0, 0.5, 1.0, 2.0)], rel=1e-5)


def test_what_is_left_of_a_large_budget_rests():
    trail = Trail(Covariance(np.eye(2), np.array([1.0, 0.5]), 1.0), np.ones(2), positive=False)
    stage = trail.to(10.0, 1e-10)
    np.testing.assert_allclose(stage.w, [1.0, 0.5], atol=1e-4)
    assert trail.rest == pytest.approx(0.85, abs=1e-3)
