"""``greedyhull paper --quick``: every finding holds, the numbers of the theory come out, the page is whole."""

import csv
import math
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from greedyhull.cli import run
from greedyhull.experiments.paper import QUICK, Check, Experiment, Figure, Finding, Series
from greedyhull.experiments.paper.checks import at_least, at_most, equal, fitted
from greedyhull.experiments.paper.page import EXPERIMENTS, MISPRINTS, csv_name, svg, write, write_csv

NAMES = [experiment.name for experiment in EXPERIMENTS]


@pytest.mark.parametrize("name", NAMES)
def test_every_finding_holds(name, findings):
    found = findings(name)
    assert [check for check in found.checks if not check.ok] == []
    assert found.ok and found.verdict.endswith(".")
    assert [check.what for check in found.checks if check.share and check.factor > 1.5 and not check.why] == []
    assert [check.what for check in found.checks if check.idle is not None and check.idle <= 1.0] == []
    if name != "worst_cases":  # which needs PEPit
        assert found.checks and found.figures
    for figure in found.figures:
        assert len({series.name for series in figure.series}) == len(figure.series)
        for series in figure.series:
            assert len(series.x) == len(series.y) > 0
            assert np.isfinite(series.x).all() and np.isfinite(series.y).any(), (figure.name, series.name)
    for table in found.tables:
        assert all(len(row) == len(table.header) for row in table.rows)


def measured(found, words):
    (check,) = [check for check in found.checks if words in check.what]
    return check.measured


@pytest.mark.parametrize("name, words, exact, room", [
    ("theorem2", "over the sharp bound, last step", 1.0, 1e-9),  # a linear f: 4c(k + 1 − H)/(k(k + 1))
    ("theorem3", "greedy steps: least", 1.0, 1e-12),
    ("theorem3", "steps −1 and 2.5", -1.25, 0.0),
    ("theorem4", "(a) on the triangle", 1.0, 1e-12),
    ("theorem4", "(b) on the triangle", 1.0, 1e-12),
    ("one_atom", "Frank-Wolfe with line search", 1.0, 1e-9),
    ("proposition1", "three terms: error of the last point", 0.5, 1e-9),
    ("proposition1", "exactly 0.50625", 0.50625, 1e-12),
    ("proposition1", "exactly 9/640", 9 / 640, 1e-12),
    ("proposition2", "exactly ½", 0.5, 1e-12),
    ("proposition3", "exactly 2/9", 2 / 9, 0.03),
    ("proposition3", "exactly 3/16", 3 / 16, 0.03),
    ("theorem1", "linear on a ball: largest error over the recursion", 1.0, 1e-9),
    ("theorem2", "exact worst case", 1.0, 1e-4),
    ("theorem5", "last iterate at k = 2: expected", 1.0, 2e-4),
    ("complexity", "ARSFW", -0.25, 0.01),
    ("lemma3", "which is attained", 1.0, 1e-12),
])
def test_exact_numbers_come_out(name, words, exact, room, findings):
    assert measured(findings(name), words) == pytest.approx(exact, abs=room)


def test_no_ratio_is_one_by_definition(findings):
    assert measured(findings("theorem3"), "random steps in [0, 1]") > 1.001
    whole = {row[:2]: row[4] for row in findings("lemma2").tables[0].rows}
    assert all(share < 1.0 for (problem, _), share in whole.items() if problem != "linear on a ball")


@pytest.mark.parametrize("name", ["variance_reduction", "jones_constant", "pairwise_contraction"])
def test_what_was_proved_beyond_the_paper_is_checked_where_doing_nothing_fails(name, findings):
    against = [check for check in findings(name).checks if check.share]
    assert len(against) >= 3 and all(check.idle is not None and check.idle > 1.0 for check in against)


def test_the_printed_constant_of_arsfw_is_exceeded_and_the_corrected_one_is_not(findings):
    (table,) = findings("lemma4").tables
    printed, corrected = {row[0]: row[1] for row in table.rows}, [row[2] for row in table.rows]
    assert printed[0.01] > 3.0 and printed[0.05] > 2.0 and max(corrected) <= 1.0


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tags, self.loads, self.ids, self.svgs = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in {"meta", "br", "link", "img"}:
            self.open.append(tag)
        told = dict(attributes)
        self.ids += [told["id"]] if "id" in told and "svg" not in self.open else []
        self.svgs += [0] if tag == "svg" else []
        if tag == "path" and self.svgs:
            self.svgs[-1] += 1
        self.loads += [value for key, value in attributes if key == "src" or (key == "href" and tag in {"link", "a"})]

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in {"meta", "br", "link", "img"}:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="session")
def folder(findings, tmp_path_factory):
    """The whole page, of findings that are there already."""
    target = tmp_path_factory.mktemp("paper") / "page"
    write([(experiment, findings(experiment.name)) for experiment in EXPERIMENTS], target, QUICK, 0)
    return target


def test_the_page_is_whole_and_loads_nothing(folder, findings):
    html = (folder / "index.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(html)
    assert page.open == []
    assert [name for name in page.ids if name in {*NAMES, "misprints"}] == [*NAMES, "misprints"]
    figures = [figure for name in NAMES for figure in findings(name).figures]
    assert len(page.svgs) == len(figures) and min(page.svgs) >= 5, page.svgs
    assert "script" not in page.tags and "@import" not in html and "//" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", html)
    assert all(link.startswith("#") or (folder / link).is_file() for link in page.loads)
    assert "prefers-color-scheme: dark" in html and 'name="viewport"' in html
    assert "#0102" not in html and "var(--main)" in html and "✗" not in html
    assert not re.search(r">\s*nan\s*<", html)
    for misprint in MISPRINTS:
        assert misprint.kind in html
    assert len(html) < 3_000_000


def test_every_figure_has_its_data(folder, findings):
    expected = set()
    for name in NAMES:
        for figure in findings(name).figures:
            path = folder / csv_name(name, figure.name)
            expected.add(path.name)
            with path.open(encoding="utf-8", newline="") as file:
                header, *rows = csv.reader(file)
            assert header == ["series", "style", figure.x, figure.y]
            assert len(rows) == sum(len(series.x) for series in figure.series)
            assert all(math.isfinite(float(row[2])) and (float(row[3]) or True) for row in rows)
    assert {path.name for path in folder.iterdir()} == {*expected, "index.html"}


def test_every_statement_of_the_paper_is_there():
    places = " ".join(experiment.place for experiment in EXPERIMENTS)
    wanted = ["Algorithm 1", "Assumptions", "Corollary", "Remark after Theorem 2", "Remark after Proposition 3", "Conclusion"]
    wanted += [f"{kind} {i + 1}" for kind, count in (("Lemma", 4), ("Theorem", 6), ("Proposition", 3)) for i in range(count)]
    assert [place for place in wanted if place not in places] == []
    assert len(set(NAMES)) == len(NAMES)


def test_the_same_seed_gives_the_same_numbers(findings):
    for name in ("lemma3", "interior"):
        again = EXPERIMENTS[NAMES.index(name)].run(QUICK, 0)
        assert again.checks == findings(name).checks and again.tables == findings(name).tables
        assert [svg(figure) for figure in again.figures] == [svg(figure) for figure in findings(name).figures]


def test_worst_cases_say_how_to_install_what_they_need(monkeypatch):
    monkeypatch.setattr("greedyhull.experiments.paper.jones.find_spec", lambda name: None)
    found = EXPERIMENTS[NAMES.index("worst_cases")].run(QUICK, 0)
    assert found.ok and 'pip install -e ".[paper]"' in found.verdict and not found.figures


def test_the_command_writes_the_page(tmp_path, capsys):
    assert run(["paper", "--quick", "--only", "theorem3", "--only", "lemma3", "--out", str(tmp_path / "page")]) == 0
    out, err = capsys.readouterr()
    assert "holds  Theorem 3" in out and "2 of 2 findings hold" in out and err == ""
    files = sorted(path.name for path in (tmp_path / "page").iterdir())
    assert files == ["index.html", "lemma3_regret.csv", "theorem3_recursion.csv"]
    assert run(["paper", "--quick", "--only", "theorem3", "--quiet", "--out", str(tmp_path / "page")]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_finding_that_fails_is_said_and_shown(tmp_path, capsys, monkeypatch):
    failed = Finding("No.", (at_most("one", 2.0, 1.0),))
    bad = Experiment("bad", "Theorem 0", "False", "A.", "B.", "C?", lambda scale, seed: failed)
    monkeypatch.setattr("greedyhull.experiments.paper.page.EXPERIMENTS", (bad,))
    assert run(["paper", "--out", str(tmp_path / "page")]) == 1
    assert "FAILS  Theorem 0" in capsys.readouterr().out
    assert "✗ Fails." in (tmp_path / "page" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("arguments, sentence", [
    (["paper", "--only", "theorem9"], "--only theorem9 was given; one of oracles"),
    (["paper", "--out", "no/such/page"], "does not exist. Create it first."),
    (["paper", "--out", "file"], "is a file; the name of a folder is wanted."),
    (["paper", "--seed", "-1"], "--seed -1 was given"),
])
def test_bad_usage_is_one_sentence(arguments, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and sentence in err and err.count("\n") == 1


def test_missing_extras_are_named_with_the_remedy(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("greedyhull.report.sentences.find_spec", lambda name: None)
    assert run(["paper", "--out", str(tmp_path / "page")]) == 1
    assert 'needs Jinja2 and matplotlib, which are not installed. In the checkout: pip install -e ".[paper]".' in \
        capsys.readouterr().err


def test_checks_compare_as_they_say():
    assert at_most("", 1.0, 1.0).ok and not at_most("", 1.1, 1.0).ok and at_most("", 1.1, 1.0, 0.2).ok
    assert at_least("", 1.0, 1.0).ok and not at_least("", 0.9, 1.0).ok and at_least("", 0.9, 1.0, 0.2).ok
    assert equal("", 1.05, 1.0, 0.1).ok and not equal("", 1.2, 1.0, 0.1).ok
    assert not Check("", math.nan, "≤", 1.0).ok and not Check("", math.inf, "≥", 1.0).ok


def test_powers_are_fitted_on_the_later_half():
    x = np.geomspace(1, 1e4, 50)
    assert fitted(x, np.where(x < 100, 1.0, 1e4 / x**2)) == pytest.approx(-2.0)
    assert math.isnan(fitted([1.0, 2.0], [0.0, 0.0]))


def test_figures_keep_their_shape(tmp_path):
    x = np.arange(1.0, 1e4)
    figure = Figure("f", "t", "x", "y", (Series("a", x, x), Series("b $", np.ones(2), np.ones(2), "dots")))
    text = svg(figure)
    assert text.startswith("<svg") and text.count("<path") > 3 and len(text) < 60_000 and "b $" in text
    write_csv(figure, tmp_path / "f.csv")
    assert len((tmp_path / "f.csv").read_text(encoding="utf-8").splitlines()) == 1 + 9999 + 2


def test_help_stays_light():
    code = ("import sys; from greedyhull.cli import run; run(['paper', '--help']); "
            "print([m for m in ('matplotlib', 'jinja2', 'PEPit', 'greedyhull.experiments.paper') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.endswith("[]\n"), done.stdout + done.stderr
