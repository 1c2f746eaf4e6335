"""Parquet files: a shard a row group, columns by name; nulls, words and files that disagree are named."""

import pickle
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from warnings import catch_warnings, simplefilter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import greedyhull as gh
from greedyhull.data import arrow as columnar

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
feather = pytest.importorskip("pyarrow.feather", reason="pyarrow is not installed")


def write(path, columns, **options):
    pq.write_table(pa.table(columns), path, **options)


def test_a_shard_is_a_row_group(folder, rows):
    rows.write(folder / "a.parquet", group=5)
    data = gh.shards("a.parquet", target="y")
    assert data.count == 5 and data.names == ["a", "b", "c", "d", "s"] and data.name(3) == "a.parquet, row group 3"
    assert np.array_equal(data.load(3).X[:, :4], rows.X[15:20])


def test_files_without_rows_and_empty_row_groups(folder, whole):
    schema = pa.schema([("a", pa.float64()), ("y", pa.int32())])
    pq.write_table(schema.empty_table(), folder / "a-0.parquet")
    with pq.ParquetWriter(folder / "a-1.parquet", schema) as writer:
        for n in (2, 0, 1):
            writer.write_table(pa.table({"a": np.arange(float(n)), "y": np.arange(n, dtype=np.int32)}), row_group_size=5)
    with pq.ParquetWriter(folder / "a-2.parquet", schema):
        pass
    X, y, _ = whole(gh.shards("a-*.parquet", target="y"))
    assert X.tolist() == [[0.0], [1.0], [0.0]] and y.tolist() == [0.0, 1.0, 0.0]


def test_the_order_of_columns_may_differ_and_only_some_are_read(folder, rows, whole):
    rows.write(folder / "a-0.parquet", slice(0, 10))
    rows.write(folder / "a-1.parquet", slice(10, 23), order=["s", "d", "y", "a", "c", "b"])
    for features in (["a", "b", "c", "d"], ["c", "a"], [2, 0], [-3, 0]):
        data = gh.shards("a-*.parquet", target="y", features=features, sample_weight="s")
        named = ["abcd".index(one) if isinstance(one, str) else one % 6 for one in features]
        assert np.array_equal(whole(data)[0], rows.X[:, named]) and data.names == [rows.names[j] for j in named]


@pytest.mark.parametrize("kind, "
                         "wanted", [("int8", "f8"), ("uint64", "f8"), ("bool_", "f8"), ("float16", "f8"), ("float32", "f4"),
                                          ("float64", "f8")])
def test_types_of_numbers(folder, kind, wanted):
    write(folder / "a.parquet", {"a": np.array([0, 1, 1]).astype(kind), "y": [True, False, True]})
    shard = gh.shards("a.parquet", target="y").load(0)
    assert shard.X.dtype == wanted and shard.X.tolist() == [[0.0], [1.0], [1.0]] and shard.y.tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("type_", ["decimal128(12, 2)", "decimal256(50, 2)", "decimal32(6, 2)", "decimal64(9, 2)"])
@pytest.mark.parametrize("coded", [False, True])
def test_decimals_are_numbers(folder, type_, coded):
    name, digits = type_[:-1].split("(")
    if not hasattr(pa, name) or (coded and name in ("decimal32", "decimal64")):
        pytest.skip("this pyarrow has no such type, or no dictionary of it")
    column = pa.array([Decimal("0.10"), Decimal("-123.45")], getattr(pa, name)(*map(int, digits.split(","))))
    column = column.dictionary_encode() if coded else column
    write(folder / "a.parquet", {"a": column, "b": np.array([1, 2], dtype=np.float32), "y": column})
    shard = gh.shards("a.parquet", target="y", sample_weight="b").load(0)
    assert shard.X.dtype == "f8" and shard.X.tolist() == [[0.1], [-123.45]] and shard.y.tolist() == [0.1, -123.45]


def test_a_null_among_the_values_of_a_dictionary_is_a_null(folder):
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array([1.5, None]))
    feather.write_feather(pa.table({"a": column, "y": [1.0, 2.0, 3.0]}), str(folder / "a.arrow"), compression="uncompressed")
    with pytest.raises(gh.GreedyhullError, match="A null stands in column a"):
        gh.shards("a.arrow", target="y").load(0)


@pytest.mark.parametrize("column", [[date(2020, 1, 1)], [datetime(2020, 1, 1)], [timedelta(1)], [time(1)], [[1.0]], [{"q": 1}],
                                    [b"x"], [None]])
def test_columns_that_are_neither_numbers_nor_words_are_named(folder, column):
    write(folder / "a.parquet", {"a": [1.0], "odd": pa.array(column), "t": ["x"], "y": [1.0]})
    with pytest.warns(gh.GreedyhullWarning, match=r"^a\.parquet has columns that are neither .*: odd \([^)]*\)\. "):
        assert gh.shards("a.parquet", target="y").names == ["a"]
    with catch_warnings():
        simplefilter("error")
        gh.shards("a.parquet", target="y", features=["a"])


def test_columns_of_words_are_left_out_unless_they_are_named(folder, refused):
    write(folder / "a.parquet", {"a": [1.0], "t": ["x"], "k": pa.array(["u"]).dictionary_encode(),
                                 "l": [[1, 2]], "r": [{"q": 1}], "y": [1]})
    data = gh.shards("a.parquet", target="y")
    assert data.names == ["a"] and data.load(0).X.tolist() == [[1.0]]
    for name, words in (("t", "t (string)"), ("k", "k (categorical)"), ("l", "l (list<element: int64>)"), ("r", "r "
              "(struct<q: int64>)")):
        assert f"The feature {words} of a.parquet cannot be used" in refused("a.parquet", target="y", features=["a", name])
        assert "The target" in refused("a.parquet", target=name)
        assert "The column of weights" in refused("a.parquet", target="y", sample_weight=name, features=["a"])


def test_a_name_with_a_point_is_a_name(folder):
    write(folder / "a.parquet", {"r": [{"q": 7}], "r.q": [1.0], "y": [2.0]})
    data = gh.shards("a.parquet", target="y")
    assert data.names == ["r.q"] and data.load(0).X.tolist() == [[1.0]]


@pytest.mark.parametrize("columns, options, words", [
    ({"a": [1.0, 2.0, None], "y": [1, 2, 3]}, {}, "A null stands in column a, row 2 of a.parquet"),
    ({"a": [1.0, 2.0, 3.0], "y": [1, None, 3]}, {}, "A null stands in column y, row 1 of a.parquet"),
    ({"a": [1.0, float("nan"), 3.0], "y": [1, 2, 3]}, {}, "NaN stands in column a, row 1 of a.parquet"),
    ({"a": [1.0, 2.0], "y": [1.0, float("inf")]}, {}, "an infinite number stands in column y, row 1"),
    ({"a": [1.0], "clicked": [1]}, {"target": "clickd"}, "There is no column clickd in a.parquet, which target names. Did "
                                                         "you mean clicked?"),
    ({"a": [1.0], "y": [1]}, {"target": None}, "target is missing; the column to predict is wanted, one of a, y."),
    ({"a": [1.0], "y": [1]}, {"target": 2}, "a.parquet has 2 columns"), ({"a": [1.0], "y": ["no"]}, {}, "The target y "
              "(string) of a.parquet"),
    ({"a": [1.0], "y": [1], "w": [-2]}, {"sample_weight": "w"}, "-2.0 stands in column w, row 0 of a.parquet"),
    ({"a": [1.0], "y": [1]}, {"sample_weight": "y"}, "target and sample_weight are both y"),
    ({"a": [1.0], "y": [1]}, {"features": ["a", "a"]}, "The feature a is listed twice"), ({"y": [1]}, {}, "no columns of "
              "numbers besides"),
    ({"a": [1.0], "y": [1]}, {"features": ["y"]}, "y is the "
                                                  "target"),
    ({"a": pa.array([None], pa.null()), "y": [1]}, {"features": ["a"]}, "a (null)"),
])
def test_what_is_wrong_is_said(folder, refused, columns, options, words):
    write(folder / "a.parquet", columns, row_group_size=1)
    assert words in refused("a.parquet", **{"target": "y", **options})


@pytest.mark.parametrize("other, words", [
    ({"a": [1.0], "c": [1.0], "y": [1]}, "only a-0.parquet has b, and only a-1.parquet has c. a-0.parquet has a, b, y; "
                                         "a-1.parquet has a, c, y."),
    ({"a": [1.0], "b": [1.0], "c": [2], "y": [1]}, "only a-1.parquet has c"), ({"a": [1.0], "b": [1.0]}, "only a-0.parquet "
              "has y"),
    ({"a": [1.0], "b": ["x"], "y": [1]}, "The files disagree on the type of b: it is double in a-0.parquet and string in "
                                         "a-1.parquet."),
])
def test_files_that_disagree(folder, refused, other, words):
    write(folder / "a-0.parquet", {"a": [1.0], "b": [2.0], "y": [1]})
    write(folder / "a-1.parquet", other)
    assert words in refused("a-*.parquet", target="y")


def test_numbers_of_other_types_agree(folder, whole):
    write(folder / "a-0.parquet", {"a": pa.array([1.0], pa.float32()), "y": [1]})
    write(folder / "a-1.parquet", {"a": [2], "y": [1.5], "t": ["x"]})
    data = gh.shards("a-*.parquet", target="y")
    assert whole(data)[0].tolist() == [[1.0], [2.0]] and data.load(0).X.dtype == np.float64


def test_two_columns_of_one_name(folder, refused):
    table = pa.Table.from_arrays([pa.array([1.0])] * 3, names=["a", "a", "y"])
    pq.write_table(table, folder / "a.parquet")
    assert "a.parquet" in refused("a.parquet", target="y")


def test_more_rows_than_fit_are_refused_before_they_are_read(folder, refused, monkeypatch):
    """Equal numbers pack into next to nothing."""
    write(folder / "a.parquet", {"a": np.zeros(10**6), "y": np.zeros(10**6)})
    assert (folder / "a.parquet").stat().st_size < 20_000
    monkeypatch.setattr(columnar, "memory", lambda: 10**6)
    assert "a.parquet says it has 1000000 rows in one part" in refused("a.parquet", target="y")


def test_a_large_row_group_is_cut_into_parts(folder, whole, monkeypatch):
    from greedyhull.data import arrow as parquet

    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((1000, 2)), rng.standard_normal(1000)
    write(folder / "a.parquet", {"a": X[:, 0], "b": X[:, 1], "y": y}, row_group_size=600)
    monkeypatch.setattr(parquet, "LARGE", 8 * 4 * 250)
    monkeypatch.setattr(parquet, "AT_ONCE", 37)
    data = gh.shards(str(folder / "a.parquet"), target="y")
    assert data.count == 5 and [len(data.load(k)) for k in range(5)] == [200, 200, 200, 200, 200]
    assert np.array_equal(whole(data)[0], X) and np.array_equal(whole(data)[1], y)
    assert data.name(1).endswith("a.parquet, row group 0, rows 200 to 399") and len({data.mark(k) for k in range(5)}) == 5
    assert np.array_equal(pickle.loads(pickle.dumps(data)).load(4).y, y[800:])


def test_a_fault_in_a_part_is_named_by_its_row_in_the_file(folder, refused, monkeypatch):
    from greedyhull.data import arrow as parquet

    a = np.ones(100)
    a[73] = np.nan
    write(folder / "a.parquet", {"a": a, "y": np.ones(100)})
    monkeypatch.setattr(parquet, "LARGE", 8 * 3 * 30)
    data = gh.shards(str(folder / "a.parquet"), target="y")
    with pytest.raises(gh.GreedyhullError, match=r"row 73 of .*a.parquet"):
        [data.load(k) for k in range(data.count)]
    monkeypatch.setattr(parquet, "MOST", 3)
    assert "row_group_size=" in refused("a.parquet", target="y")


def test_without_pyarrow_the_command_is_told(folder, rows, refused, monkeypatch):
    import importlib

    rows.write(folder / "a.parquet")
    monkeypatch.setattr(importlib, "import_module", lambda name: (_ for _ in ()).throw(ImportError(name)))
    said = refused("a.parquet", target="y")
    assert 'need pyarrow, which is not installed. In the checkout: pip install -e ".[cluster]"' in said


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), ending=st.sampled_from(["parquet", "arrow", "npz", "npy"]))
def test_damaged_bytes_are_refused_or_read(folder, rows, seed, ending):
    """Whole files with a few bytes changed or cut off: nothing but our own errors, and finite rows of the right shape."""
    path, rng = folder / f"a.{ending}", np.random.default_rng(seed)
    rows.write(path)
    damaged = bytearray(path.read_bytes())
    for place in rng.integers(len(damaged), size=1 + seed % 4):
        damaged[place] = rng.integers(256)
    path.write_bytes(damaged[: len(damaged) if seed % 3 else rng.integers(len(damaged))])
    try:
        data = gh.shards(f"a.{ending}", target=-2 if ending == "npy" else "y")
        found = [data.load(k) for k in range(data.count)]
    except gh.GreedyhullError as error:
        assert "a." in str(error)
    else:
        assert all(shard.X.shape == (len(shard.y), data.d) and np.isfinite(shard.X).all() for shard in found)
