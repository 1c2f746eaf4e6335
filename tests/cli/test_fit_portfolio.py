"""``greedyhull fit portfolio``: from a table of returns to weights, prices and a file."""

import json
from pathlib import Path

import numpy as np
import pytest

from greedyhull.cli import run

pytest.importorskip("highspy")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = np.random.default_rng(0)
    R = 0.01 * rng.standard_normal((60, 4)) * [1.0, 1.1, 2.0, 3.0]
    lines = ["A,B,C,D,index", *(",".join(f"{x:.6f}" for x in [*row, row.mean()]) for row in R)]
    (tmp_path / "returns.csv").write_text("\n".join(lines))
    (tmp_path / "sectors.csv").write_text("asset,group\nA,tech\nB,tech\nC,energy\nD,energy\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_sector_caps_with_their_price(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = "fit portfolio returns.csv --exclude index --groups sectors.csv --group-upper 0.6 --json --out weights.csv"
    assert run(line.split()) == 0
    told = json.loads(capsys.readouterr().out)
    assert abs(told["weights"]["A"] + told["weights"]["B"] - 0.6) < 1e-6 and told["prices"]["group tech"] > 0
    assert (folder / "weights.csv").read_text().startswith("asset,weight\n")


def test_tracking_and_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fit", "portfolio", "returns.csv", "--benchmark", "index"]) == 0
    assert "0.25  D" in capsys.readouterr().out
    for line, words in [("--risk low", "minimum, log or a number"), ("--groups none.csv --group-upper 0.5", "no file"),
                        ("--groups sectors.csv --group-upper 0.1", "at least"), ("--out x.txt", ".json or .csv")]:
        assert run(["fit", "portfolio", "returns.csv", "--exclude", "index", *line.split()]) == 2
        assert words in capsys.readouterr().err.replace("\n", " ")
