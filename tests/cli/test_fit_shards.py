"""``greedyhull fit`` on patterns, folders and Parquet files: the weights of one table, and words where that cannot be."""

import json

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.cli import run


@pytest.fixture
def parts(tmp_path, table):
    """The table in three CSV files, one of them empty, and as arrays; y is a number, label 0 or 1."""
    X, y = table
    label = (y > 0).astype(float)
    (tmp_path / "data").mkdir()
    for k, part in enumerate((slice(0, 8), slice(8, 8), slice(8, 20))):
        rows = np.column_stack([X[part], y[part], label[part]])
        lines = ["a,b,c,y,label", *(",".join(map(repr, map(float, row))) for row in rows)]
        (tmp_path / "data" / f"part-{k}.csv").write_text("\n".join(lines) + "\n")
        np.save(tmp_path / f"rows-{k}.npy", rows[:, :4])
    return X, y, label


@pytest.fixture
def fit(tmp_path, parts, capsys):
    def call(kind, data, *options, code=0):
        assert run(["fit", kind, str(tmp_path / data), *options, "--json"]) == code, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return call


def test_a_budget_from_shards_is_that_from_one_table(fit, parts):
    X, y, _ = parts
    best = gh.minimize(gh.least_squares(X, y, intercept=True), gh.L1Ball(3, radius=1.5), stop=gh.Gap(1e-10))
    for data, target, names in (("data/part-*.csv", "y", "abc"), ("rows-*.npy", "-1", "012"), ("data", "3", "abc")):
        told = fit("l1", data, "--target", target, "--radius", "1.5", "--features", ",".join(names))
        assert told["weights"] == pytest.approx(dict(zip(names, best.x, strict=True)), abs=1e-3)
        assert (told["samples"], told["columns"], told["task"], told["converged"]) == (20, 3, "regression", True)
        assert told["intercept"] == pytest.approx(best.intercept, abs=1e-3)


def test_two_labels_are_told_apart_and_other_losses_fit(fit, parts):
    X, _, label = parts
    told = fit("l1", "data/part-*.csv", "--target", "label", "--features", "a,b,c", "--radius", "2")
    best = gh.minimize(gh.logistic(X, label, intercept=True), gh.L1Ball(3, radius=2.0), stop=gh.Gap(1e-10))
    assert told["task"] == "classification" and told["classes"] == [0.0, 1.0]
    assert told["weights"] == pytest.approx(dict(zip("abc", best.x, strict=True)), abs=1e-2)
    huber = fit("simplex", "data/part-*.csv", "--target", "y", "--features", "a,b,c", "--loss", "huber", "--delta", "0.5")
    assert sum(huber["weights"].values()) == pytest.approx(1.0)


def test_parquet_files_are_fitted_and_written(tmp_path, parts, capsys):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    X, y, _ = parts
    pq.write_table(pa.table({**{name: X[:, j] for j, name in enumerate("abc")}, "y": y}), tmp_path / "all.parquet",
                   row_group_size=7)
    file = tmp_path / "out.csv"
    assert run(["fit", "l1", str(tmp_path / "all.parquet"), "--target", "y", "--radius", "1", "--out", str(file)]) == 0
    said = capsys.readouterr().out
    assert "3 shards, 3 columns: regression." in said and "20 samples." in said and "This is proved" in said
    assert file.read_text().splitlines()[0] == "name,weight"


@pytest.mark.parametrize(("kind", "data", "options", "words"), [
    ("l1", "data/part-*.csv", ["--target", "y"], "Give a --radius"),
    ("l1", "data/part-*.csv", ["--target", "y", "--radius", "1", "--standardize"], "without --standardize"),
    ("ensemble", "data/part-*.csv", ["--target", "y"], "needs all rows in one table"),
    ("l1", "data/part-*.csv", ["--target", "y", "--radius", "1", "--exclude", "a"], "by --features"),
    ("l1", "data/part-*.csv", ["--target", "y", "--radius", "1", "--format", "csv"], "the format of shards"),
    ("l1", "data/none-*.csv", ["--target", "y", "--radius", "1"], "matches no file"),
    ("l1", "data/part-*.csv", ["--target", "zz", "--radius", "1"], "zz"),
    ("l1", "data/part-*.csv", ["--target", "99", "--radius", "1"], "99"),
    ("l1", "data/part-*.csv", ["--target", "y", "--radius", "1", "--task", "classification"],
     "labels must be -1 and +1, or 0 and 1"),
])
def test_what_does_not_fit_is_said(tmp_path, parts, capsys, kind, data, options, words):
    assert run(["fit", kind, str(tmp_path / data), *options]) in (1, 2)
    assert words in capsys.readouterr().err
