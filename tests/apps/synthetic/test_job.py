"""Synthetic control: weights that equal published ones, effects that were put in, placebos that tell chance from effect."""

import os
from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.apps import synthetic_control

DATA = Path(os.environ.get("GREEDYHULL_DATA", Path(__file__).parents[4] / "shared" / "data")) / "synthetic_control"
needs_data = pytest.mark.skipif(not DATA.exists(), reason="no reference data (set GREEDYHULL_DATA)")


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    trend = rng.standard_normal((30, 3)).cumsum(axis=0)
    Y = trend @ rng.uniform(0, 1, (3, 12)) + 0.05 * rng.standard_normal((30, 12))
    Y[:, 0] = Y[:, 1:] @ np.r_[0.5, 0.3, 0.2, np.zeros(8)] + 0.01 * rng.standard_normal(30)
    Y[20:, 0] += 2.0
    return Y


def test_an_effect_that_was_put_in_is_found(table):
    s = synthetic_control(table, 0, 20)
    assert s.effect[20:].mean() == pytest.approx(2.0, abs=0.1)
    assert abs(s.effect[:20]).max() < 0.2
    assert s.p_value == pytest.approx(1 / 12)
    assert s.weights.sum() == pytest.approx(1.0) and (s.weights >= 0).all()
    assert s.certificate.kind == "always" and "2 on average from 20 on" in str(s)


def test_each_placebo_is_the_run_with_another_unit_treated(table):
    s = synthetic_control(table, 0, 20)
    alone = synthetic_control(np.delete(table, 0, axis=1), 4, 20, placebos=False)
    assert s.placebos.shape == (30, 11)
    np.testing.assert_allclose(s.placebos[:, 4], alone.effect, atol=1e-3)


def test_predictors_replace_the_outcomes(table):
    P = np.vstack([table[:20].mean(axis=0), table[10:20].mean(axis=0), table[5]])
    s = synthetic_control(table, 0, 20, predictors=P, importance=[0.5, 0.3, 0.2], placebos=False)
    A = np.sqrt([0.5, 0.3, 0.2])[:, None] * P / P.std(axis=1, ddof=1)[:, None]
    direct = gh.minimize(gh.least_squares(A[:, 1:], A[:, 0]), gh.Simplex(11), stop=gh.Relative(1e-9) | gh.Stalled(300))
    assert s.certificate.value == pytest.approx(direct.value, abs=1e-9)


def test_a_data_frame_is_read_by_its_labels(table):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(table, index=range(1990, 2020), columns=[f"u{i}" for i in range(12)])
    s = synthetic_control(frame, "u0", 2010, placebos=False)
    np.testing.assert_allclose(s.weights, synthetic_control(table, 0, 20, placebos=False).weights)
    assert s.names[0] == "u1" and s.periods[s.start] == 2010
    assert list(s.donors()) == sorted(s.donors(), key=s.donors().get, reverse=True)


def test_the_figure_shows_both_series(table):
    pytest.importorskip("matplotlib").use("Agg")
    top, bottom = synthetic_control(table, 0, 20).plot()
    assert len(top.lines) >= 2 and len(bottom.lines) >= 12


@pytest.mark.parametrize(("change", "words"), [
    ({"treated": 99}, "treated=99"), ({"t0": 99}, "t0=99"), ({"t0": 0}, "before the treatment"),
    ({"predictors": np.ones((2, 3))}, "predictors has shape"),
    ({"predictors": np.ones((2, 12)), "importance": [1.0]}, "importance must be 2 numbers")])
def test_mistakes_are_named(table, change, words):
    with pytest.raises(gh.GreedyhullError, match=words):
        synthetic_control(table, **{"treated": 0, "t0": 20, **change})


def test_a_table_with_holes_is_refused(table):
    table[3, 3] = np.nan
    with pytest.raises(gh.GreedyhullError, match="balanced"):
        synthetic_control(table, 0, 20)


@needs_data
def test_california_has_the_reference_weights():
    pd = pytest.importorskip("pandas")
    long = pd.read_csv(DATA / "smoking_tidysynth.csv")
    s = synthetic_control(long.pivot(index="year", columns="state", values="cigsale"), "California", 1989.0)
    assert s.certificate.value == pytest.approx(1.3718308227443838, abs=1e-7)
    assert s.donors()["Utah"] == pytest.approx(0.3939080236, abs=1e-3)
    assert s.p_value <= 0.1


@needs_data
def test_the_basque_country_has_the_reference_weights():
    pd = pytest.importorskip("pandas")
    long = pd.read_csv(DATA / "basque.csv")
    wide = long[long.regionname != "Spain (Espana)"].pivot(index="year", columns="regionname", values="gdpcap")
    s = synthetic_control(wide, "Basque Country (Pais Vasco)", 1970.0, placebos=False)
    assert s.certificate.value == pytest.approx(0.0028545339355089783, abs=1e-9)


@needs_data
def test_the_basque_inner_problem_has_the_published_weights():
    z = np.load(DATA / "basque_inner_problem.npz", allow_pickle=True)
    P = np.column_stack([z["b"], z["A"]])
    Y = np.vstack([np.zeros(18), np.ones(18)])
    s = synthetic_control(Y, 0, 1, predictors=P, importance=P.std(axis=1, ddof=1) ** 2, placebos=False)
    by_name = dict(zip([str(name) for name in z["donors"]], s.weights, strict=True))
    published = {"Cataluna": 0.850816306, "Madrid (Comunidad De)": 0.149183694}
    for name, share in by_name.items():
        assert share == pytest.approx(published.get(name, 0.0), abs=1e-5)


def test_numbers_too_large_and_gaps_are_told_apart():
    Y = np.arange(12.0).reshape(4, 3)
    with pytest.raises(ValueError, match=r"Y has entries as large as 1e\+200: their squares overflow"):
        synthetic_control(np.where(Y == 5.0, 1e200, Y), 0, 2)
    with pytest.raises(ValueError, match="Y holds NaN"):
        synthetic_control(np.where(Y == 5.0, np.nan, Y), 0, 2)
    for odd, said in ((np.inf, "predictors holds NaN or infinite"), (1e200, "predictors has entries as large")):
        with pytest.raises(ValueError, match=said):
            synthetic_control(Y, 0, 2, predictors=np.array([[1.0, 2.0, odd]]))
