"""Labels: equal ones are found, whatever type they have; what cannot be compared is not equal."""

import datetime

import numpy as np
import pytest

from greedyhull.apps.synthetic_panel import check_ordered, in_order, missing, place
from greedyhull.errors import GreedyhullError


@pytest.mark.parametrize(("label", "labels", "at"), [
    (1989, [1988.0, 1989.0], 1), (np.float64(1989.0), [1988, 1989], 1), (np.str_("b"), ["a", "b"], 1),
    ((1, 2), [(0, 0), (1, 2)], 1),
    ("1990-02", [datetime.date(1990, 1, 1), datetime.date(1990, 2, 1)], 1), ("1990", [np.datetime64("1990-03")], 0)])
def test_equal_labels_are_found(label, labels, at):
    assert place(label, labels, "t0", "a period") == at


@pytest.mark.parametrize("label", ["", np.zeros(2), float("nan"), None, [], "1989"], ids=repr)
def test_what_is_not_there_is_refused(label):
    with pytest.raises(GreedyhullError, match="t0="):
        place(label, [1988, 1989, datetime.date(1990, 1, 1)], "t0", "a period")


def test_missing_labels_are_told_from_others():
    assert missing(None) and missing(float("nan")) and missing(np.datetime64("NaT"))
    assert not missing("") and not missing(0)


def test_text_may_come_in_the_order_in_which_it_sorts():
    assert in_order(["1990Q1", "1990Q2", "1990Q1"], "quarter") == ["1990Q1", "1990Q2"]
    with pytest.raises(GreedyhullError, match="not clear"):
        in_order(["Q2", "Q1"], "quarter")
    check_ordered(["Jan", "Feb"])  # the order of rows counts
    with pytest.raises(GreedyhullError, match="1 follows 2"):
        check_ordered([2, 1])


def test_text_that_begins_a_number_is_not_its_date():
    months = [datetime.date(1989, month, 1) for month in range(1, 13)]
    assert place("1989-10", months, "t0", "a period") == 9
    for label in ("1989-1", "198", "1"):  # October begins with "1989-1"
        with pytest.raises(GreedyhullError, match=r"'1989-01-01', '1989-02-01', '1989-03-01', …, '1989-12-01'"):
            place(label, months, "t0", "a period")


def test_dates_and_periods_of_pandas_are_found_in_every_form_of_a_date():
    pd = pytest.importorskip("pandas")
    days = pd.date_range("1988-01-01", periods=3, freq="YS")
    for label in (1989, "1989", "1989-01", "1989-01-01 00:00", pd.Period("1989-01"),
                  datetime.date(1989, 1, 1), np.datetime64("1989-01-01"), days[1]):
        assert place(label, list(days), "t0", "a period") == 1
        assert "00:" in str(label) or place(label, list(days.date), "t0", "a period") == 1
        assert place(label, list(days.tz_localize("Europe/Paris")), "t0", "a period") == 1
    quarters = list(pd.period_range("1988Q1", periods=8, freq="Q"))
    assert [place(label, quarters, "t0", "a period") for label in ("1989Q2", "1989", 1989, quarters[6])] == [5, 4, 4, 6]


@pytest.mark.parametrize(("label", "labels", "meant"), [
    ("1989", [1988, 1989], "1989, a number"), ("1989", [1988.0, 1989.0], "1989, a number"),
    (1989, ["1988", "1989"], "'1989', as text"),
    ("Texs", ["Ohio", "Texas"], "'Texas'")])
def test_a_suggestion_is_not_what_was_given(label, labels, meant):
    with pytest.raises(GreedyhullError) as caught:
        place(label, labels, "t0", "a period")
    assert str(caught.value).endswith(f" Did you mean {meant}?")
