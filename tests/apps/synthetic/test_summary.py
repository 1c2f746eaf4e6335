"""A result in words: one line at a prompt, a few when printed, and units and periods as their table calls them."""

import datetime

import numpy as np
import pytest

from greedyhull.apps import synthetic_control
from greedyhull.apps.synthetic import named, since

rng = np.random.default_rng(3)
Y = 20 + rng.standard_normal((12, 5)).cumsum(axis=0)
TOWNS = {name: Y[:, j] for j, name in enumerate(["Ada", "Bern", "Cork", "Delft", "Erfurt"])}


def test_a_result_is_shown_in_one_line_and_printed_in_a_few():
    s = synthetic_control(TOWNS, "Ada", 8)
    assert repr(s).startswith("SyntheticControl(Ada, mean effect ") and "\n" not in repr(s) and len(repr(s)) < 150
    rows = dict(row.split(maxsplit=1) for row in str(s).splitlines())
    assert list(rows) == ["treated", "donors", "effect", "RMSPE", "p-value", "fit"]
    assert rows["effect"].startswith(f"{s.effect[8:].mean():.4g} on average") and rows["treated"] == "Ada, from 8 on"
    assert rows["p-value"] == f"{s.p_value:.3f} from 4 placebos; it cannot be below 0.200"
    assert "half the mean squared error" in rows["fit"] and f"{s.pre_rmspe**2 / 2:.6g}" in rows["fit"]
    assert float(rows["fit"].split()[1]) == pytest.approx(np.mean(s.effect[:8] ** 2) / 2, rel=1e-5)


def test_what_was_not_computed_is_not_shown():
    s = synthetic_control(TOWNS, "Ada", 8, placebos=False, predictors=Y[:2])
    assert "p-value" not in str(s) + repr(s) and "predictors" in str(s)
    for without in s.leave_one_out().values():
        assert "p-value" not in str(without) and "mean squared error" not in str(without)  # the loss is that of predictors


def test_units_and_periods_are_called_as_in_the_table():
    assert named(synthetic_control(Y, 2, 8, placebos=False)) == "unit 2"
    days = [datetime.date(1990, month, 1) for month in range(1, 13)]
    assert since(synthetic_control({"month": days, **TOWNS}, "Ada", "1990-09", time="month", placebos=False)) == "1990-09-01"
    years = [1990.0 + i for i in range(12)]
    assert since(synthetic_control({"year": years, **TOWNS}, "Ada", 1998, time="year", placebos=False)) == "1998"
