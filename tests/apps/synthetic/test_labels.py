"""Labels: equal ones are found, whatever type they have; what cannot be compared is not equal."""

import datetime

import numpy as np
import pytest

from greedyhull.apps.synthetic.labels import check_ordered, in_order, missing, place
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
