"""The figure: named axes, and a scale that shows the effect whatever a placebo does."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.apps import synthetic_control
from greedyhull.apps.synthetic import limits, positions

pytest.importorskip("matplotlib").use("Agg")


@pytest.fixture
def columns():
    rng = np.random.default_rng(3)
    Y = rng.standard_normal((30, 3)).cumsum(axis=0) @ rng.uniform(0, 1, (3, 10)) + 0.05 * rng.standard_normal((30, 10))
    Y[:, 0] = Y[:, 1:] @ np.r_[0.5, 0.3, 0.2, np.zeros(6)] + 0.05 * rng.standard_normal(30)
    Y[20:, 0] += 2.0
    Y[:, 9] = 1e6 * rng.standard_normal(30)
    return {"town": [f"u{i}" for i in range(10)] * 30, "year": np.repeat(np.arange(1980, 2010), 10), "rent": Y.ravel()}


HOW = {"unit": "town", "time": "year", "outcome": "rent"}


def test_axes_are_named_and_a_wild_placebo_does_not_flatten_the_effect(columns):
    s = synthetic_control(columns, "u0", 2000, **HOW)
    top, bottom = s.plot()
    assert top.get_ylabel() == "rent" and bottom.get_xlabel() == "year" and "effect" in bottom.get_ylabel()
    assert "u0" in top.get_title() and "9 placebos (" in bottom.get_title() and "beyond" in bottom.get_title()
    low, high = bottom.get_ylim()
    assert low < s.effect.min() and s.effect.max() < high < 100
    names = [text.get_text() for text in bottom.get_legend().get_texts()]
    assert names == ["placebos", "u0", "treatment begins"]


def test_only_placebos_that_count_are_drawn(columns):
    s = synthetic_control(columns, "u0", 2000, max_pre_mspe=1e4, **HOW)
    bottom = s.plot()[1]
    assert not s.kept[-1] and f"and {s.kept.sum()} placebos" in bottom.get_title()
    assert len(bottom.lines) == s.kept.sum() + 3


def test_given_axes_are_used_and_must_be_two(columns):
    import matplotlib.pyplot as plt

    s = synthetic_control(columns, "u0", 2000, placebos=False, **HOW)
    axes = plt.subplots(1, 2)[1]
    assert s.plot(axes)[0] is axes[0] and s.plot(list(axes))[1] is axes[1]
    with pytest.raises(gh.GreedyhullError, match="a pair of axes"):
        s.plot(axes[0])


def test_labels_that_are_no_numbers_stand_one_after_another(columns):
    columns["year"] = [f"{year} AD" for year in columns["year"]]
    bottom = synthetic_control(columns, "u0", "2000 AD", placebos=False, **HOW).plot()[1]
    assert bottom.get_xticklabels()[0].get_text() == "1980 AD"
    assert positions([1990, 1991.5]) == [1990, 1991.5] and positions(["b", "a"]).tolist() == [0, 1]


def test_limits_hold_the_effect_and_most_placebos():
    low, high = limits(np.array([0.0, -3.0]), np.zeros((2, 0)))
    assert low < -3.0 and high == -low
    assert limits(np.zeros(2), np.zeros((2, 0))) == (-1.0, 1.0)
    assert limits(np.array([1.0, 1.0]), np.array([[1.0, 1e9], [2.0, 0.0]]))[1] < 3.0  # one of two is wild
    assert limits(np.array([1.0]), np.arange(1.0, 101.0)[None])[1] > 75.0


def test_a_unit_without_a_name_is_called_by_its_number(columns):
    s = synthetic_control(np.reshape(columns["rent"], (30, 10)), 2, 20, placebos=False)
    assert s.plot()[0].get_title() == "Unit 2 and its synthetic control"
