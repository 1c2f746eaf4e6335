"""Results: frames with names, placebos filtered by their fit, donors left out one by one."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.apps import synthetic_control

DATA = Path(os.environ.get("GREEDYHULL_DATA", Path(__file__).parents[4] / "shared" / "data")) / "synthetic_control"


HOW = {"unit": "town", "time": "year", "outcome": "rent"}


@pytest.fixture
def columns():
    """A long table; the last unit, "wild", is like no other."""
    rng = np.random.default_rng(3)
    Y = rng.standard_normal((30, 3)).cumsum(axis=0) @ rng.uniform(0, 1, (3, 10)) + 0.05 * rng.standard_normal((30, 10))
    Y[:, 0] = Y[:, 1:] @ np.r_[0.5, 0.3, 0.2, np.zeros(6)] + 0.05 * rng.standard_normal(30)
    Y[20:, 0] += 2.0
    Y[:, 9] = 50 * rng.standard_normal(30)
    names = [*(f"u{i}" for i in range(9)), "wild"]
    return {"town": names * 30, "year": np.repeat(np.arange(1980, 2010), 10), "rent": Y.ravel()}


@pytest.fixture
def s(columns):
    return synthetic_control(columns, "u0", 2000, **HOW)


def test_frames_have_the_names_of_the_table(s):
    pytest.importorskip("pandas")
    series, donors, placebos = s.to_frame(), s.donors_frame(), s.placebos_frame()
    assert series.index.name == "year" and list(series.index) == list(range(1980, 2010))
    np.testing.assert_array_equal(series.effect, s.treated - s.synthetic)
    assert donors.index.name == "donor" and set(donors.index) == set(s.names)
    assert donors.weight.is_monotonic_decreasing and donors.weight.sum() == pytest.approx(1.0)
    assert donors.weight["u1"] == s.donors()["u1"]
    assert placebos.ratio.is_monotonic_decreasing and placebos.index[0] == "u0" and placebos.treated.sum() == 1
    assert placebos.loc["u0", "ratio"] == pytest.approx(s.ratio)
    np.testing.assert_allclose(placebos.mspe_ratio, (placebos.post_rmspe / placebos.pre_rmspe) ** 2)
    assert placebos.loc["u3", "pre_rmspe"] == pytest.approx(np.sqrt(np.mean(s.placebos[:20, 2] ** 2)))
    assert (placebos.ratio >= s.ratio).mean() == s.p_value


def test_frames_without_placebos(columns):
    pytest.importorskip("pandas")
    s = synthetic_control(columns, "u0", 2000, **HOW, placebos=False)
    assert list(s.placebos_frame().index) == ["u0"] and np.isnan(s.p_value) and len(s.kept) == 0
    assert "p-value" not in str(s)


def test_frames_need_pandas_and_say_so(s, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"needs pandas.*frame"):
        s.to_frame()


def test_placebos_that_fit_badly_before_do_not_count(s, columns):
    before = np.mean(s.placebos[:20] ** 2, axis=0)
    own = np.mean(s.effect[:20] ** 2)
    assert before[-1] > 100 * own  # the wild one
    few = s.filtered(5.0)
    np.testing.assert_array_equal(few.kept, before <= 5.0 * own)
    assert not few.kept[-1] and few.kept.any()
    assert few.p_value == pytest.approx(1 / (1 + few.kept.sum())) and s.kept.all() and few.filtered(None).kept.all()
    direct = synthetic_control(columns, "u0", 2000, **HOW, max_pre_mspe=5.0)
    assert direct.p_value == few.p_value and f"{few.kept.sum()} placebos" in str(direct)
    assert np.isnan(s.filtered(1e-12).p_value)


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan"), "5", [5]], ids=repr)
def test_limits_that_are_none_are_refused(s, limit):
    with pytest.raises(gh.GreedyhullError, match="max_pre_mspe="):
        s.filtered(limit)


def test_each_donor_is_left_out_once(s, columns):
    results = s.leave_one_out()
    assert set(results) == set(s.donors())
    for donor, without in results.items():
        others = [name for name in s.names if name != donor]
        direct = synthetic_control(columns, "u0", 2000, **HOW, donors=others, placebos=False)
        assert without.names == others and donor not in without.donors()
        assert without.certificate.value == pytest.approx(direct.certificate.value, abs=1e-7)
        assert without.pre_rmspe >= s.pre_rmspe - 1e-6


def test_an_only_donor_cannot_be_left_out():
    s = synthetic_control(np.array([[1.0, 2.0], [1.0, 2.0]]), 0, 1)
    with pytest.raises(gh.GreedyhullError, match="only donor"):
        s.leave_one_out()


@pytest.mark.skipif(not DATA.exists(), reason="no reference data (set GREEDYHULL_DATA)")
def test_california_without_each_of_its_donors_still_smokes_less():
    pd = pytest.importorskip("pandas")
    long = pd.read_csv(DATA / "smoking_tidysynth.csv")
    s = synthetic_control(long, "California", 1989, unit="state", time="year", outcome="cigsale")
    assert s.certificate.value == pytest.approx(1.3718308227443838, abs=1e-7)
    assert s.filtered(2).kept.sum() < s.filtered(20).kept.sum() < 38
    assert all(-25 < without.effect[s.start:].mean() < -14 for without in s.leave_one_out().values())


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_rounding_does_not_rank_units_that_are_fitted_exactly(scale):
    Y = scale * (np.random.default_rng(0).standard_normal((30, 60)).cumsum(axis=0) + 10)
    s = synthetic_control(Y, 0, 3)  # three periods: most units are mixtures of 59 others
    assert s.is_exact and s.exact.sum() > 30 and s.ratio == np.inf
    assert s.p_value >= s.exact.mean() and "cannot be told from zero" in str(s)
    assert s.filtered(5).kept.sum() == s.exact[1:].sum()
    again = synthetic_control(Y[:, [0, *np.random.default_rng(1).permutation(np.arange(1, 60))]], 0, 3)
    assert again.p_value == s.p_value  # the order of donors changes only rounding


def test_exact_fits_are_told_from_close_ones(s, columns):
    assert not s.is_exact and np.isfinite(s.ratio) and "cannot be told" not in str(s)
    assert not any(without.is_exact for without in s.leave_one_out().values())
    copy = {**columns, "rent": np.where(np.array(columns["town"]) == "u0", np.roll(columns["rent"], -1), columns["rent"])}
    assert synthetic_control(copy, "u0", 2000, **HOW).is_exact  # u0 is u1
    by_hand = np.sqrt(np.mean(s.placebos[20:] ** 2, axis=0) / np.mean(s.placebos[:20] ** 2, axis=0))
    assert s.p_value == pytest.approx((1 + (by_hand >= s.ratio).sum()) / 10)
