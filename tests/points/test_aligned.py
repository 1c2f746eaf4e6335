"""Labels: what has them is put in one order, and what does not fit is named."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import dok_array

import greedyhull as gh
from greedyhull.points.aligned import alike, kept, labels_of, mapping_of, numbered, ordered, square

X = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]}, index=["u", "v", "w"])


def rows(*things: Any) -> list[Any]:
    return alike(*zip("Xys", things, [0] * 3, strict=False))[1]


@pytest.mark.parametrize(("thing", "along", "labels"), [
    (X, 0, ["u", "v", "w"]), (X, 1, ["a", "b"]), (X, -1, ["a", "b"]), (X["a"], 0, ["u", "v", "w"]), (X["a"], 1, None),
    (X["a"], -1, ["u", "v", "w"]), (pl.DataFrame({"a": [1], "b": [2]}), 1, ["a", "b"]), (pl.DataFrame({"a": [1]}), 0, None),
    (pl.Series([1.0]), 0, None), ({"a": [1.0]}, 1, ["a"]), ({"a": [1.0]}, 0, None), (np.eye(2), 1, None), ("ab", 0, None),
])
def test_labels_of(thing: Any, along: int, labels: list[str] | None) -> None:
    found = labels_of(thing, along)
    assert (None if found is None else list(found)) == labels


def test_arrow_tables_and_designs() -> None:
    arrow = pytest.importorskip("pyarrow")
    assert list(labels_of(arrow.table({"a": [1.0], "b": [2.0]}), 1)) == ["a", "b"]
    assert labels_of(dok_array((2, 2)), 1) is None  # it is a mapping
    assert labels_of(gh.least_squares(np.eye(2), np.ones(2)).design, 1) is None  # it has a method called columns


def test_rows_follow_the_first_that_has_labels() -> None:
    y = pd.Series([10.0, 20.0, 30.0], index=["w", "u", "v"])
    assert list(rows(X, y)[1]) == [20.0, 30.0, 10.0]
    assert list(rows(X.to_numpy(), y, X["a"])[2]) == [3.0, 1.0, 2.0]
    assert rows(X, y.to_numpy())[1] is not None


@pytest.mark.parametrize(("index", "words"), [
    (["u", "v", "z"], "has the unknown 'z' and lacks 'w'"), (["u", "u", "v"], "repeats 'u' and lacks 'w'"),
    ([pd.Timestamp("2020"), "v", "w"], "has the unknown '2020-01-01 00:00:00' and lacks 'u'"),
])
def test_labels_that_do_not_fit_are_named(index: list[Any], words: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=words) as raised:
        rows(X, pd.Series([1.0, 2.0, 3.0], index=index))
    assert "y must have the labels of the rows of X" in str(raised.value) and "y.to_numpy()" in str(raised.value)


def test_repeated_labels_are_fine_in_the_same_order_only() -> None:
    twice = X.set_axis(["u", "u", "v"])
    assert rows(twice, twice["a"])[1] is twice["a"] or list(rows(twice, twice["a"])[1]) == [1.0, 2.0, 3.0]
    with pytest.raises(gh.GreedyhullError, match="repeats 'u'"):
        rows(twice, twice["a"].iloc[::-1])
    with pytest.raises(gh.GreedyhullError, match="lacks 'v'"):
        rows(twice, pd.Series([1.0, 2.0], index=["u", "w"]))


def test_a_counting_index_is_no_label_unless_it_may_be_one() -> None:
    y = pd.Series([1.0, 2.0, 3.0])
    assert rows(X, y)[1] is y and rows(X.reset_index(drop=True), X["a"])[1] is not None
    assert rows(X.set_axis([5, 7, 9]), y)[1] is y
    for one, other in ((X.set_axis([2, 0, 1]), y), (X.reset_index(drop=True), y.set_axis([2, 0, 1]))):
        with pytest.raises(gh.GreedyhullError, match="the same integers in another order"):
            rows(one, other)
    shuffled = y.set_axis([2, 0, 1])
    assert rows(X.to_numpy(), shuffled)[1] is shuffled  # an array has no labels
    assert numbered(pd.RangeIndex(3)) and numbered([0, 1]) and not numbered(["0", "1"]) and not numbered([1, 0])


def test_columns_of_every_kind_of_table_are_reordered() -> None:
    for table in (X, pl.DataFrame(X.to_dict("list")), X.to_dict("list")):
        turned = ordered(table, ["b", "a"], "X", "the assets", 1)
        assert list(labels_of(turned, 1)) == ["b", "a"] and list(turned["b"]) == [4.0, 5.0, 6.0]


def test_rows_of_a_square_matrix_follow_its_columns() -> None:
    Q = pd.DataFrame([[1.0, 2.0], [2.0, 5.0]], index=["a", "b"], columns=["a", "b"])
    want = [[5.0, 2.0], [2.0, 1.0]]
    for given in (Q, Q.iloc[::-1], Q[["b", "a"]], Q.reset_index(drop=True), pl.DataFrame(Q.to_dict("list"))):
        assert np.asarray(square(given, "Q", ["b", "a"], "the assets")).tolist() == want
    assert np.asarray(square(Q.iloc[::-1], "Q")).tolist() == Q.to_numpy().tolist()
    with pytest.raises(gh.GreedyhullError, match="The index of Q must have the labels"):
        square(Q.set_axis(["a", "c"]), "Q")


def test_a_series_becomes_a_mapping_unless_its_index_counts() -> None:
    assert mapping_of(pd.Series([1.0, 2.0], index=["a", "b"]), "caps") == {"a": 1.0, "b": 2.0}
    assert mapping_of(0.5, "caps") == 0.5 and isinstance(mapping_of(pd.Series([1.0]), "caps"), pd.Series)
    with pytest.raises(gh.GreedyhullError, match="caps must have the labels of its entries, each once; it repeats 'a'"):
        mapping_of(pd.Series([1.0, 2.0], index=["a", "a"]), "caps")


def test_objective_and_set_remember_labels_and_must_agree() -> None:
    f, y = gh.least_squares(X, X["a"]), pd.Series([0.4, 0.8], index=["b", "a"])
    assert kept(f) == ("a", "b") and kept(gh.Cached(gh.Simplex(2, upper=y))) == ("b", "a")
    with pytest.raises(gh.GreedyhullError, match="must have the same labels in the same order; got 'a', 'b' and 'b', 'a'"):
        gh.minimize(f, gh.Simplex(2, upper=y))
    with pytest.raises(gh.GreedyhullError, match="the same labels"):
        gh.batch(gh.least_squares, gh.Scaled(gh.L1Ball(2, 1.0, weights=y), 2.0), X=X, Y=X)
    with pytest.raises(gh.GreedyhullError, match="The sets of a sum"):
        gh.Sum(gh.Simplex(2, upper=y), gh.Box(y[["a", "b"]] - 1.0, y))
    assert gh.minimize(f, gh.Simplex(2, upper=y[["a", "b"]])).x.round(6).tolist() == [0.8, 0.2]
