"""Panels: the same answer from every form of a table, and a sentence for each way in which a table can be wrong."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.apps import synthetic_control

YEARS = list(range(1990, 2002))
UNITS = ["Ada", "Bern", "Cork", "Delft", "Erfurt"]
COLUMNS = {"unit": "place", "time": "year", "outcome": "sales"}


def wide_array():
    rng = np.random.default_rng(5)
    Y = 50 + rng.standard_normal((12, 2)).cumsum(axis=0) @ rng.uniform(0, 1, (2, 5)) + 0.1 * rng.standard_normal((12, 5))
    Y[:, 0] = Y[:, 1:] @ [0.5, 0.3, 0.2, 0.0]
    Y[8:, 0] += 3.0
    return Y


def long_columns(Y=None):
    Y = wide_array() if Y is None else Y
    return {"place": [unit for _ in YEARS for unit in UNITS], "year": [year for year in YEARS for _ in UNITS],
            "sales": Y.ravel().tolist()}


def same(s, t):
    order = [s.names.index(name) for name in t.names] if s.names != t.names else slice(None)
    np.testing.assert_allclose(s.weights[order], t.weights, atol=1e-7)
    np.testing.assert_allclose(s.effect, t.effect, atol=1e-6)


def test_every_form_of_a_table_has_the_same_answer():
    pd = pytest.importorskip("pandas")
    Y, columns = wide_array(), long_columns()
    wide = pd.DataFrame(Y, index=pd.Index(YEARS, name="year"), columns=UNITS)
    expected = synthetic_control(wide, "Ada", 1998)
    np.testing.assert_allclose(expected.weights, synthetic_control(Y, 0, 8).weights)
    long = pd.DataFrame(columns)
    for frame in (columns, long, long.sample(frac=1.0, random_state=1), long.assign(place=long.place.astype("category"))):
        s = synthetic_control(frame, "Ada", 1998, **COLUMNS)
        assert s.periods == YEARS and s.p_value == expected.p_value and s.unit == "Ada"
        same(s, expected)
    same(synthetic_control(wide.reset_index(), "Ada", 1998, time="year"), expected)
    by_name = {"year": YEARS, **{unit: Y[:, j] for j, unit in enumerate(UNITS)}}
    same(synthetic_control(by_name, "Ada", 1998, time="year"), expected)


def test_polars_frames_are_read_too():
    pl = pytest.importorskip("polars")
    s = synthetic_control(pl.DataFrame(long_columns()), "Ada", 1998, **COLUMNS)
    np.testing.assert_allclose(s.weights, synthetic_control(wide_array(), 0, 8).weights)


def test_dates_are_sorted_and_found_by_text():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(long_columns())
    frame["year"] = pd.to_datetime(frame["year"].astype(str) + "-07-01")
    for t0 in ("1998", "1998-07", "1998-07-01", pd.Timestamp("1998-07-01")):
        assert synthetic_control(frame.iloc[::-1], "Ada", t0, placebos=False, **COLUMNS).start == 8


def test_only_the_named_donors_get_weight_and_need_be_complete():
    columns = long_columns()
    columns["sales"][columns["place"].index("Erfurt")] = None
    with pytest.raises(gh.GreedyhullError, match=r"NaN .* unit 'Erfurt' in the period 1990"):
        synthetic_control(columns, "Ada", 1998, **COLUMNS)
    s = synthetic_control(columns, "Ada", 1998, donors=["Delft", "Bern"], **COLUMNS)
    assert s.names == ["Delft", "Bern"] and s.placebos.shape == (12, 2)
    Y = wide_array()
    Y[0, 4] = np.nan
    np.testing.assert_allclose(s.weights, synthetic_control(Y, 0, 8, donors=[3, 1]).weights)


def without(columns, i):
    return {name: [*column[:i], *column[i + 1:]] for name, column in columns.items()}


def twice(columns, i):
    return {name: [*column, column[i]] for name, column in columns.items()}


def put(columns, name, i, entry):
    return {**columns, name: [*columns[name][:i], entry, *columns[name][i + 1:]]}


@pytest.mark.parametrize(("spoil", "words"), [
    (lambda c: without(c, 7), "unit 'Cork' and the period 1991 Y has no row; a balanced panel"),
    (lambda c: twice(c, 7), "unit 'Cork' and the period 1991 Y has several rows"),
    (lambda c: put(c, "sales", 7, float("nan")), "NaN or infinite values, first for the unit 'Cork' in the period 1991"),
    (lambda c: put(c, "sales", 7, None), "first for the unit 'Cork' in the period 1991"),
    (lambda c: put(c, "sales", 7, float("inf")), "first for the unit 'Cork' in the period 1991"),
    (lambda c: put(c, "sales", 7, "n/a"), "column 'sales' of Y holds text such as 'n/a'"),
    (lambda c: put(c, "sales", 7, "12.5"), "column 'sales' of Y holds text such as '12.5'"),
    (lambda c: put(c, "sales", 7, 1j), "column 'sales' of Y holds 1j"),
    (lambda c: put(c, "sales", 7, 1e200), r"as large as 1e\+200"),
    (lambda c: {**c, "sales": [1e-200 * x for x in c["sales"]]}, "their squares vanish"),
    (lambda c: put(c, "place", 7, None), "column 'place' of Y has missing values"),
    (lambda c: put(c, "year", 7, None), "column 'year' of Y has missing values"),
    (lambda c: put(c, "year", 7, "1991"), "column 'year' cannot be sorted"),
    (lambda c: {**c, "year": [{1990: "Jan", 1991: "Feb"}.get(y, str(y)) for y in c["year"]]}, "order in time is not clear"),
    (lambda c: {name: column[:0] for name, column in c.items()}, "no units"),
    (lambda c: {"place": ["Ada"], "year": [1998], "sales": [1.0]}, "one unit only"),
    (lambda c: {"place": ["Ada", "Bern"], "year": [1998] * 2, "sales": [1.0, 2.0]}, "before the treatment")],
    ids=lambda value: value if isinstance(value, str) else "")
def test_what_is_wrong_with_a_long_table_is_said(spoil, words):
    with pytest.raises(gh.GreedyhullError, match=words):
        synthetic_control(spoil(long_columns()), "Ada", 1998, **COLUMNS)


@pytest.mark.parametrize(("change", "words"), [
    ({"treated": "Corc"}, "treated='Corc' .* Did you mean 'Cork'"), ({"treated": None}, "treated=None"),
    ({"treated": np.zeros(2)}, "treated=array"),
    ({"t0": 1997.5}, "t0=1997.5 .* 1990, 1991, 1992, …, 2001"), ({"t0": 1990}, "before the treatment"),
    ({"unit": "plac"}, "unit='plac' .* Did you mean 'place'"),
    ({"outcome": "price"}, "outcome='price' .* 'place', 'year', 'sales'"),
    ({"outcome": None}, "all three columns"), ({"time": None}, "all three columns"),
    ({"donors": []}, "donors is empty"), ({"donors": "Bern"}, "a list of units"),
    ({"donors": ["Bern", "Rome"]}, "donor='Rome'"),
    ({"donors": ["Bern", "Bern"]}, "more than once"), ({"donors": ["Ada", "Bern"]}, "among the donors")])
def test_mistaken_labels_are_named(change, words):
    with pytest.raises(gh.GreedyhullError, match=words):
        synthetic_control(long_columns(), **{"treated": "Ada", "t0": 1998, **COLUMNS, **change})


def test_a_long_table_without_names_of_columns_is_recognised():
    with pytest.raises(gh.GreedyhullError, match=r"treated='Ada' .* long table, an entry of its column unit="):
        synthetic_control(long_columns(), "Ada", 1998)


def test_names_of_columns_need_a_frame():
    with pytest.raises(gh.GreedyhullError, match="got a ndarray"):
        synthetic_control(wide_array(), 0, 8, **COLUMNS)
    with pytest.raises(gh.GreedyhullError, match="Y is no data frame"):
        synthetic_control(wide_array(), 0, 8, time="year")


def test_what_is_wrong_with_a_wide_table_is_said():
    pd = pytest.importorskip("pandas")
    wide = pd.DataFrame(wide_array(), index=YEARS, columns=UNITS)
    for table, words in ((wide[::-1], "not in order of time"), (pd.concat([wide, wide]), "period 1990 more than once"),
                         (wide.rename(columns={"Cork": "Bern"}), "unit 'Bern' more than once"),
                         (wide.astype({"Cork": str}), "column 'Cork' of Y holds text .* name its columns: unit=")):
        with pytest.raises(gh.GreedyhullError, match=words):
            synthetic_control(table, "Ada", 1998)


@pytest.mark.parametrize(("Y", "words"), [
    ([[1.0, 2.0], [3.0]], "Y"), (np.zeros(3), r"shape \(3,\)"), (np.zeros((0, 3)), "no rows"), (np.zeros((3, 0)), "no units"),
    ([["1", "2"], ["3", "4"]], "text"), (np.zeros((3, 1)), "one unit only"), (np.array([["a", "b"]] * 3), "text such as 'a'"),
    (np.ma.masked_equal(np.arange(6.0).reshape(3, 2), 3.0), "NaN .* unit 1 in the period 1")], ids=str)
def test_what_is_no_table_is_refused(Y, words):
    with pytest.raises(gh.GreedyhullError, match=words):
        synthetic_control(Y, 0, 1)


def test_units_and_periods_may_be_levels_of_an_index():
    pd = pytest.importorskip("pandas")
    long = pd.DataFrame(long_columns())
    expected = synthetic_control(long, "Ada", 1998, **COLUMNS)
    for levels in (["place", "year"], ["year", "place"], ["year"]):
        same(synthetic_control(long.set_index(levels), "Ada", 1998, **COLUMNS), expected)
    with pytest.raises(gh.GreedyhullError, match=r"'sales', 'place', 'year'\. Did you mean 'place'"):
        synthetic_control(long.set_index(["place", "year"]), "Ada", 1998, **{**COLUMNS, "unit": "Place"})
    with pytest.raises(gh.GreedyhullError, match=r"Y\.reset_index\(\)"):
        synthetic_control(long.set_index(["place", "year"])["sales"], "Ada", 1998, **COLUMNS)


def test_units_in_rows_are_recognised():
    pd = pytest.importorskip("pandas")
    with pytest.raises(gh.GreedyhullError, match=r"treated='Ada' is a row of Y.* Give Y\.T"):
        synthetic_control(pd.DataFrame(wide_array(), index=YEARS, columns=UNITS).T, "Ada", 1998)


@pytest.mark.parametrize("years", [YEARS, [str(year) for year in YEARS]], ids=["numbers", "text"])
def test_a_column_of_periods_is_no_donor(years):
    columns = {"Year": years, **dict(zip(UNITS, wide_array().T, strict=True))}
    with pytest.raises(gh.GreedyhullError, match=r"column 'Year' of Y seems to hold periods.* Give time='Year'"):
        synthetic_control(columns, "Ada", 8)
    assert synthetic_control(columns, "Ada", 8, donors=["Bern", "Cork"]).names == ["Bern", "Cork"]
