"""``greedyhull fit design``: the design of a known problem, whole numbers, files, and words for wrong input."""

import json

import numpy as np
import pytest

from greedyhull.cli import run


@pytest.fixture
def candidates(tmp_path):
    x = np.linspace(-1.0, 1.0, 21).round(1)
    path = tmp_path / "candidates.csv"
    path.write_text("place,x,square\n" + "".join(f"p{v},{v},{v * v}\n" for v in x))
    return str(path)


def test_a_parabola_is_measured_at_three_places(candidates, tmp_path, capsys):
    out = tmp_path / "design.csv"
    asked = ["--criterion", "A", "--name", "place", "--experiments", "12", "--out", str(out)]
    assert run(["fit", "design", candidates, *asked]) == 0
    said = capsys.readouterr().out
    assert "3 of 21 candidates" in said and "12 experiments" in said
    lines = [line.split(",") for line in out.read_text().splitlines()]
    assert lines[0] == ["candidate", "weight", "experiments"]
    assert {row[0]: int(row[2]) for row in lines[1:]} == {"p-1.0": 3, "p0.0": 6, "p1.0": 3}
    assert run(["fit", "design", candidates, "--exclude", "place", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["criterion"] == "D" and found["efficiency"] > 1 - 1e-6 and len(found["weights"]) == 3


@pytest.mark.parametrize(("more", "said"), [
    (["--criterion", "Z"], "one of D, A, G, I"), (["--name", "gone"], "gone"), (["--experiments", "1"], "at least 3"),
    (["--out", "x.txt"], ".json or .csv"), (["--tol", "-1"], "tol"), ([], "place")])
def test_wrong_input_gets_words(candidates, capsys, more, said):
    beside = [] if not more or "--name" in more else ["--exclude", "place"]
    assert run(["fit", "design", candidates, *beside, *more]) == 2
    err = capsys.readouterr().err
    assert said in err and "Traceback" not in err


def test_candidates_that_do_not_span(tmp_path, capsys):
    path = tmp_path / "flat.csv"
    path.write_text("a,b\n1,2\n2,4\n3,6\n")
    assert run(["fit", "design", str(path), "--no-intercept"]) == 2
    assert "Traceback" not in capsys.readouterr().err
