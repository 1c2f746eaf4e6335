"""``greedyhull fit completion``."""

import csv
import json

import numpy as np
import pytest

from greedyhull.cli import run

pytest.importorskip("sklearn")

rng = np.random.default_rng(0)
RATINGS = [(f"u{i}", f"film {j}", round(3 + float(u * v) + 0.1 * j, 3)) for i, u in enumerate(rng.standard_normal(8))
           for j, v in enumerate(rng.standard_normal(6)) if (i + 2 * j) % 5]
NAMES = ["--row", "user", "--column", "item", "--value", "rating"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "ratings.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("user", "item", "rating"), *RATINGS])
    return path


def call(*args):
    return run(["fit", "completion", *map(str, args)])


def test_it_fits_and_predicts(table, tmp_path, capsys):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("user,item\nu0,film 0\nnobody,film 1\n", encoding="utf-8")
    assert call(table, *NAMES, "--radius", 12, "--predict", pairs, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["converged"] and told["rank"] >= 1 and told["certificate"]["kind"] == "always"
    assert [p[:2] for p in told["predictions"]] == [["u0", "film 0"], ["nobody", "film 1"]]
    assert all(0.0 < p[2] < 7.0 for p in told["predictions"])


def test_predictions_are_written(table, tmp_path):
    out = tmp_path / "out.csv"
    assert call(table, *NAMES, "--radius", 12, "--predict", table, "--out", out) == 0
    rows = list(csv.reader(out.read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["user", "item", "rating"] and len(rows) == len(RATINGS) + 1
    assert np.corrcoef([float(r[2]) for r in rows[1:]], [r[2] for r in RATINGS])[0, 1] > 0.9


def test_a_radius_is_chosen_and_words_are_said(table, capsys):
    assert call(table, *NAMES) == 0
    said = capsys.readouterr().out
    assert "8 rows and 6 columns" in said and "within" in said


@pytest.mark.parametrize("change, said", [(["--row", "users"], "users"), (["--value", "item"], "words"),
                                          (["--radius", "-1"], "radius"), (["--loss", "cubic"], "loss")])
def test_bad_input_gets_words(table, change, said, capsys):
    assert call(table, *NAMES, *change) == 2
    assert said in capsys.readouterr().err
