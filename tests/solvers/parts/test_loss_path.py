"""Paths of smooth losses in the core: every point is in its ball and as good as its gap says."""

import numpy as np
import pytest
import scipy.sparse as sp

import greedyhull as gh
from greedyhull.atoms.simplex import PositiveL1Ball
from greedyhull.objectives.designs.stored import SparseDesign
from greedyhull.solvers.parts import paths as room
from greedyhull.solvers.parts.paths import loss_path

RADII = np.array([0.05, 0.4, 0.4, 1.5, 6.0])
LOSSES = {"logistic": gh.logistic, "huber": gh.huber, "poisson": gh.poisson, "squared": gh.least_squares}


def problem(loss, form, rng, **settings):
    X = rng.standard_normal((40, 12)) * (rng.random((40, 12)) < 0.25)  # with many more entries it would be dense
    z = X[:, 0] - 2.0 * X[:, 3] + rng.standard_normal(40)
    y = np.where(z > 0, 1.0, -1.0) if loss == "logistic" else np.round(np.exp(0.3 * z)) if loss == "poisson" else z
    return LOSSES[loss](form(X), y, **settings)


def small(X):
    """Sparse single numbers."""
    return sp.csc_array(X.astype(np.float32))


@pytest.fixture
def descent(monkeypatch):
    """Coordinate descent for sparse data of any size."""
    monkeypatch.setattr(room, "FEW", 0)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sp.csc_array, "descent"])
def test_points_are_as_good_as_they_say(loss, intercept, positive, form, monkeypatch):
    if form == "descent":
        monkeypatch.setattr(room, "FEW", 0)
        form = sp.csc_array
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


def in_balls(f, radii, gap):
    """The path, every point of it in its ball and with a gap that is proved."""
    d = f.domain[0]
    assert isinstance(f.design, SparseDesign)
    found = loss_path(f, gh.L1Ball(d, 1.0)).walk(np.array(radii), gap)
    for r, w, reached in zip(radii, found.W, found.gaps, strict=True):
        S = gh.L1Ball(d, float(r))
        assert S.contains(w)
        assert gh.certify(f, S, w).gap <= reached + 1e-9
    return found


@pytest.mark.parametrize("form", [sp.csc_array, small])
def test_descent_copes_with_empty_constant_and_equal_columns(form, descent):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 30)) * (rng.random((60, 30)) < 0.15)
    X[:, 4], X[:, 7], X[:, 9], X[:, 11] = 0.0, 1.0, X[:, 8], -X[:, 8]
    f = gh.logistic(form(X), np.where(X[:, 0] + X[:, 8] + rng.standard_normal(60) > 0, 1.0, -1.0), intercept=True)
    assert (in_balls(f, [0.1, 1.0, 5.0, 40.0, 1e4], 1e-6).gaps <= 1e-6).all()


def test_descent_adds_entries_that_are_stored_twice(descent):
    rng = np.random.default_rng(4)
    rows, columns, data = rng.integers(0, 50, 250), rng.integers(0, 20, 250), rng.standard_normal(250)
    order = np.argsort(columns, kind="stable")
    starts = np.searchsorted(columns[order], np.arange(21))
    X = sp.csc_array((data[order], rows[order], starts), shape=(50, 20))
    y = np.where(rng.standard_normal(50) > 0, 1.0, -1.0)
    twice, dense = (gh.logistic(A, y, intercept=True) for A in (X, X.toarray()))
    for w, gap in zip(*in_balls(twice, [0.5, 2.0], 1e-8)[:2], strict=True):
        assert gap <= 1e-8
        r = float(np.abs(w).sum())
        assert gh.certify(dense, gh.L1Ball(20, 1.001 * r), w).value <= gh.minimize(dense, gh.L1Ball(20, r)).value + 1e-7


@pytest.mark.parametrize("radii", [[3.0, 0.2], [1e4], [1e-6, 1e3]], ids=["falling", "far", "leap"])
def test_descent_gets_to_any_radius_from_any_other(radii, descent):
    f = problem("logistic", sp.csc_array, np.random.default_rng(5), intercept=True)
    assert (in_balls(f, radii, 1e-6).gaps <= 1e-6).all()


def test_descent_that_cannot_get_there_ends(descent):
    f = problem("logistic", sp.csc_array, np.random.default_rng(2))
    gaps = in_balls(f, RADII, 0.0).gaps
    assert (gaps < 1e-9).all() and (gaps >= 0.0).all()


@pytest.mark.parametrize("size", [1e-200, 1e-30, 1e30, 1e150])
def test_descent_tells_no_gap_that_is_not_true_at_any_size(size, descent):
    rng = np.random.default_rng(6)
    X = rng.standard_normal((30, 8)) * (rng.random((30, 8)) < 0.2)
    y = np.where(X[:, 0] + rng.standard_normal(30) > 0, 1.0, -1.0)
    path, plain = (loss_path(gh.logistic(sp.csc_array(c * X), y), gh.L1Ball(8, 1.0)) for c in (size, 1.0))
    value, gap, _ = path.to(2.0 / size, 1e-7)
    assert not gap <= 1e-7 or value == pytest.approx(plain.to(2.0, 1e-9)[0], abs=2e-7)


def test_descent_of_one_class_has_nothing_to_do(descent):
    f = gh.logistic(sp.csc_array(np.eye(4)), np.ones(4))
    assert (in_balls(f, [0.5, 3.0], 1e-8).gaps <= 1e-8).all()
