"""Several runs side by side."""

import numpy as np
import pytest

import greedyhull as gh


def test_the_table_has_what_the_runs_found(runs):
    both = [runs["always"], runs["chosen"]]
    table = gh.compare(both)
    assert table.head == ("run", "value", "gap", "kind", "iterations", "seconds", "atoms", "error at most")
    for row, run in zip(table.rows, both, strict=True):
        assert row[1:5] == (f"{run.value:.10g}", f"{run.gap:.3g}", "always", str(run.iterations))
        assert row[6] == str(len(run.point))
        assert float(row[7]) <= float(row[2]) * 1.01 + 1e-15
    assert table.lower == max(run.certificate.lower for run in both)


def test_bounds_are_not_carried_over_to_another_problem(runs):
    table = gh.compare([runs["always"], runs["vertices"]])
    assert table.lower == -np.inf and len(table.head) == 7


def test_bounds_that_need_not_hold_are_not_carried_over(runs):
    s = runs["probability"]
    other = gh.minimize(s.objective, s.atom_set, gh.FrankWolfe(), stop=gh.Iterations(5))
    assert gh.compare([s, other]).lower == other.certificate.lower


def test_runs_are_named_by_what_tells_them_apart(runs):
    names = [row[0] for row in gh.compare([runs["always"], runs["open loop"], runs["chosen"], runs["always"]]).rows]
    assert names == ["FrankWolfe(step=Exact()) #1", "FrankWolfe(step=OpenLoop(ell=2.0))", "Corrective",
                     "FrankWolfe(step=Exact()) #2"]
    assert [row[0] for row in gh.compare([runs["always"], runs["stream"]], labels=["a", "b"]).rows] == ["a", "b"]


def test_a_page_with_the_same_axes(runs, tmp_path):
    page = tmp_path / "both.html"
    table = gh.compare([runs["always"], runs["stream"], runs["stationary"]], page, labels=["<one>", "$two$", "three"])
    html = page.read_text(encoding="utf-8")
    assert html.count("<svg") >= 3 and "&lt;one&gt;" in html and "<one>" not in html
    assert all(str(run.certificate) in html for _, run in table.runs)


def test_printed_and_in_a_notebook(runs):
    table = gh.compare([runs["always"], runs["stream"]])
    lines = str(table).splitlines()
    assert repr(table) == str(table) and len(lines) == 3 and lines[0].startswith("run ") and "unknown" in lines[2]
    assert table._repr_html_().count("<tr>") == 3


def test_what_cannot_be_compared_is_refused(runs):
    with pytest.raises(gh.GreedyhullError, match="solutions is empty"):
        gh.compare([])
    with pytest.raises(gh.GreedyhullError, match="no Solution"):
        gh.compare([runs["always"], 3.0])
    with pytest.raises(gh.GreedyhullError, match="1 labels were given for 2 solutions"):
        gh.compare([runs["always"], runs["chosen"]], labels=["a"])
