"""What is matched: outcomes, outcomes up to a constant, or predictors, whose columns are found by name."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.apps import synthetic_control


@pytest.fixture
def table():
    rng = np.random.default_rng(11)
    Y = rng.standard_normal((24, 3)).cumsum(axis=0) @ rng.uniform(0, 1, (3, 8)) + 0.02 * rng.standard_normal((24, 8))
    Y[:, 0] = Y[:, 1:] @ np.r_[0.6, 0.4, np.zeros(5)]
    return Y


def test_an_intercept_matches_the_course_and_not_the_level(table):
    table[:, 0] += 100.0
    table[16:, 0] += 2.0
    s = synthetic_control(table, 0, 16, intercept=True)
    assert s.intercept == pytest.approx(100.0, abs=0.1)
    assert s.effect[16:].mean() == pytest.approx(2.0, abs=0.1) and abs(s.effect[:16].mean()) < 1e-9
    assert abs(synthetic_control(table, 0, 16, placebos=False).effect[:16]).min() > 50.0
    np.testing.assert_allclose(s.placebos[:16].mean(axis=0), 0.0, atol=1e-9)


def test_the_certificate_with_an_intercept_is_that_of_demeaned_outcomes(table):
    table[:, 0] += 10.0
    s = synthetic_control(table, 0, 16, intercept=True, placebos=False)
    D = table[:16] - table[:16].mean(axis=0)
    direct = gh.minimize(gh.least_squares(D[:, 1:], D[:, 0]), gh.Simplex(7), stop=gh.Relative(1e-10) | gh.Stalled(300))
    assert s.certificate.value == pytest.approx(direct.value, abs=1e-8)


def test_predictors_in_a_frame_are_found_by_the_names_of_units(table):
    pd = pytest.importorskip("pandas")
    units = list("abcdefgh")
    frame = pd.DataFrame(table, columns=units)
    P = pd.DataFrame(np.vstack([table[:8].mean(axis=0), table[8:16].mean(axis=0), table[3]]), columns=units)
    expected = synthetic_control(table, 0, 16, predictors=P.to_numpy(), placebos=False)
    for given in (P, P[units[::-1]], P.assign(other=1.0)):
        s = synthetic_control(frame, "a", 16, predictors=given, placebos=False)
        np.testing.assert_allclose(s.weights, expected.weights, atol=1e-8)
    with pytest.raises(gh.GreedyhullError, match=r"unit='c' .* a column of predictors"):
        synthetic_control(frame, "a", 16, predictors=P.drop(columns="c"))
    some = synthetic_control(frame, "a", 16, predictors=P.drop(columns="c"), donors=list("bde"), placebos=False)
    of_array = synthetic_control(table, 0, 16, predictors=P.to_numpy(), donors=[1, 3, 4], placebos=False)
    assert of_array.certificate.value == pytest.approx(some.certificate.value, rel=1e-9)


def test_one_period_is_not_matched_with_an_intercept(table):
    with pytest.raises(gh.GreedyhullError, match="any weights"):
        synthetic_control(table, 0, 1, intercept=True)
    assert synthetic_control(table, 0, 1).start == 1


def long(table, extra):
    T, N = table.shape
    return {"unit": np.tile(np.arange(N), T), "time": np.repeat(np.arange(T), N), "y": table.ravel(), "x": extra.ravel()}


HOW = {"unit": "unit", "time": "time", "outcome": "y"}


def test_named_predictors_are_means_before_the_treatment(table):
    extra = np.random.default_rng(1).uniform(1, 2, table.shape)
    extra[::2] = np.nan
    P = np.vstack([np.nanmean(extra[:16], axis=0), table[:16].mean(axis=0)])
    s = synthetic_control(long(table, extra), 0, 16, predictors=["x", "y"], placebos=False, **HOW)
    direct = synthetic_control(table, 0, 16, predictors=P, placebos=False)
    assert s.certificate.value == pytest.approx(direct.certificate.value, abs=1e-10)
    extra[16:] = 1e6  # what comes later does not count
    later = synthetic_control(long(table, extra), 0, 16, predictors=["x", "y"], placebos=False, **HOW)
    np.testing.assert_array_equal(later.weights, s.weights)
    extra[:16, 3] = np.nan
    with pytest.raises(gh.GreedyhullError, match=r"predictor 'x' is missing .* unit 3"):
        synthetic_control(long(table, extra), 0, 16, predictors=["x"], **HOW)
    with pytest.raises(gh.GreedyhullError, match="predictor='z'"):
        synthetic_control(long(table, extra), 0, 16, predictors="z", **HOW)
    with pytest.raises(gh.GreedyhullError, match="long table"):
        synthetic_control(table, 0, 16, predictors=["x"])


@pytest.mark.parametrize("scale", [1e-130, 1e-60, 1e60, 1e140])
def test_predictors_of_any_scale_have_the_same_weights(table, scale):
    P = np.vstack([table[:8].mean(axis=0), table[8:16].mean(axis=0), table[3]])
    expected = synthetic_control(table, 0, 16, predictors=P, placebos=False)
    s = synthetic_control(table, 0, 16, predictors=P * np.array([[scale], [1.0], [1.0 / scale]]), placebos=False)
    assert s.certificate.value == pytest.approx(expected.certificate.value, abs=1e-9)


@pytest.mark.parametrize(("how", "words"), [
    ({"importance": [1.0]}, "without predictors"), ({"predictors": np.ones((1, 8)), "importance": [0.0]}, "not all zero"),
    ({"predictors": np.ones((1, 8)), "importance": [np.nan]}, "not all zero"), ({"predictors": np.ones((0, 8))}, "shape"),
    ({"predictors": np.ones((1, 8)), "importance": {"a": 1.0}}, "importance holds"),
    ({"predictors": []}, "shape"), ({"predictors": np.full((1, 8), "a")}, "text")])
def test_mistaken_predictors_are_named(table, how, words):
    with pytest.raises(gh.GreedyhullError, match=words):
        synthetic_control(table, 0, 16, **how)


@pytest.mark.parametrize("scale", [1e-130, 1e-20, 1e100])
def test_outcomes_of_any_scale_have_the_same_ratio(table, scale):
    table[16:, 0] += 1.0
    table[:, 0] += 0.1 * np.random.default_rng(0).standard_normal(24)
    s, t = synthetic_control(table, 0, 16), synthetic_control(scale * table, 0, 16)
    assert t.ratio == pytest.approx(s.ratio, rel=1e-4) and t.p_value == s.p_value
