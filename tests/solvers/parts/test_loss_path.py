"""Paths of smooth losses in the core: every point is in its ball and as good as its gap says."""

import numpy as np
import pytest
import scipy.sparse as sp

import greedyhull as gh
from greedyhull.atoms.positive_l1_ball import PositiveL1Ball
from greedyhull.kernels.core import core
from greedyhull.solvers.parts.loss_path import loss_path

pytestmark = pytest.mark.skipif(core is None, reason="there is no compiled core")
RADII = np.array([0.05, 0.4, 0.4, 1.5, 6.0])
LOSSES = {"logistic": gh.logistic, "huber": gh.huber, "poisson": gh.poisson, "squared": gh.least_squares}


def problem(loss, form, rng, **settings):
    X = rng.standard_normal((40, 12)) * (rng.random((40, 12)) < 0.5)
    z = X[:, 0] - 2.0 * X[:, 3] + rng.standard_normal(40)
    y = np.where(z > 0, 1.0, -1.0) if loss == "logistic" else np.round(np.exp(0.3 * z)) if loss == "poisson" else z
    return LOSSES[loss](form(X), y, **settings)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csc_array])
def test_points_are_as_good_as_they_say(loss, intercept, positive, form):
    rng = np.random.default_rng(0)
    f, weights = problem(loss, form, rng, intercept=intercept), rng.uniform(0.5, 2.0, 12)
    kind = PositiveL1Ball if positive else gh.L1Ball
    W, gaps, intercepts = loss_path(f, kind(12, 1.0, weights=weights)).walk(RADII, 1e-6)
    for r, w, gap, b in zip(RADII, W, gaps, intercepts, strict=True):
        S = kind(12, float(r), weights=weights)
        proved = gh.certify(f, S, w)
        assert S.contains(w) and gap <= 1e-6
        assert proved.gap <= gap + 1e-9
        alone = gh.minimize(f, S, stop=gh.Gap(1e-8))
        assert abs(alone.value - proved.value) <= gap + 1e-8 and b == pytest.approx(alone.intercept, abs=0.02)


def test_a_stage_tells_value_gap_and_price():
    f = problem("logistic", np.asarray, np.random.default_rng(1))
    value, gap, price = loss_path(f, gh.L1Ball(12, 1.0)).to(2.0, 1e-8)
    alone = gh.minimize(f, gh.L1Ball(12, 2.0), stop=gh.Gap(1e-9))
    assert gap <= 1e-8
    assert value == pytest.approx(alone.value, abs=2e-8) and price == pytest.approx(alone.price, rel=1e-3)


def test_a_gap_that_cannot_be_reached_is_told():
    f = problem("logistic", np.asarray, np.random.default_rng(2))
    _, gaps, _ = loss_path(f, gh.L1Ball(12, 1.0)).walk(RADII, 0.0)
    assert (gaps < 1e-9).all() and (gaps >= 0.0).all()


def test_what_the_core_does_not_follow_is_left_to_others():
    X, y = np.eye(3), np.array([1.0, -1.0, 1.0])
    assert loss_path(gh.hinge(X, y), gh.L1Ball(3, 1.0)) is None
    assert loss_path(gh.logistic(X, y, l2=0.1), gh.L1Ball(3, 1.0)) is None
    assert loss_path(gh.logistic(X, y), gh.Simplex(3)) is None


@pytest.mark.parametrize("radii", [[0.0], [-1.0], [np.nan]])
def test_the_door_refuses_what_is_no_radius(radii):
    path = loss_path(gh.logistic(np.eye(3), np.array([1.0, -1.0, 1.0])), gh.L1Ball(3, 1.0))
    with pytest.raises(ValueError, match="positive"):
        path.walk(np.array(radii), 1e-6)
