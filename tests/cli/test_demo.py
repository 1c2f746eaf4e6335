"""``greedyhull demo``: a page, words that agree with the solution, and errors that are sentences."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.cli import run


def greedyhull(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "greedyhull", *arguments], capture_output=True, text=True, timeout=120,
                          encoding="utf-8", **options)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    return greedyhull("demo", cwd=folder), folder / "greedyhull-demo.html"


def test_it_works(demo):
    done, page = demo
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert page.exists()


def test_it_says_what_was_solved_how_well_with_what_and_why_it_stopped(demo):
    said = " ".join(demo[0].stdout.split())
    for part in ("569 biopsies with 30 measurements", "sum to at most 5", "no feasible point can be lower by more than",
                 "of the 30 measurements: -2.3", "worst radius", "The certified relative gap", "The price of the budget is",
                 "that were kept for testing", "greedyhull-demo.html"):
        assert part in said
    assert len(re.findall(r"iteration +\d+ +loss", said)) >= 3


def test_the_question_comes_first_then_the_answer_then_the_proof(demo):
    said = demo[0].stdout
    order = ["Which measurements", "The answer", "worst radius", "kept for testing", "How it was found", "iteration",
             "What is proved", "no feasible point", "The report"]
    places = [said.index(part) for part in order]
    assert places[0] == 0 and places == sorted(places)


def test_its_relative_gaps_have_one_meaning_and_say_which(demo):
    told = re.search(r"The certified relative gap (\S+ of max\(\|value\|, [\d.]+\))", " ".join(demo[0].stdout.split()))
    page = " ".join(demo[1].read_text(encoding="utf-8").split())
    assert told is not None and page.count(told[1]) == 1 and page.count("relative gap") == 2  # the reason, and the table


def test_what_it_says_is_true(demo):
    from greedyhull.cli.builtin import biopsies

    data = biopsies()
    f, S = gh.logistic(data.X, data.y, intercept=True), gh.L1Ball(30, radius=5.0)
    best = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Gap(1e-10))
    said = " ".join(demo[0].stdout.split())
    value, gap = map(float, re.search(r"The value is ([\d.]+), and no feasible point can be lower by more than ([\d.e-]+)",
                                      said).groups())
    assert -1e-8 <= value - best.value <= gap + 1e-8
    assert float(re.search(r"price of the budget is ([\d.]+)", said)[1]) == pytest.approx(best.price, rel=0.01)
    more = gh.minimize(f, gh.L1Ball(30, radius=5.05), gh.BlendedPairwise(), stop=gh.Gap(1e-10))
    assert (best.value - more.value) / 0.05 == pytest.approx(best.price, rel=0.02)  # what a price means


def test_its_data_are_scikit_learn_s():
    from sklearn.datasets import load_breast_cancer

    from greedyhull.cli.builtin import biopsies

    data, bunch = biopsies(), load_breast_cancer()
    held = np.arange(len(bunch.target)) % 3 == 2
    train = bunch.data[~held]
    assert ((train - train.mean(axis=0)) / train.std(axis=0) == data.X).all() and data.names == bunch.feature_names.tolist()
    assert (data.y == bunch.target[~held]).all() and (data.y_test == bunch.target[held]).all()
    assert (data.X_test == (bunch.data[held] - train.mean(axis=0)) / train.std(axis=0)).all()


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tags, self.loads = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in {"meta", "br", "link", "img"}:
            self.open.append(tag)
        self.loads += [value for name, value in attributes if name == "src" or (name == "href" and tag == "link")]

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_loads_nothing(demo):
    html = demo[1].read_text(encoding="utf-8")
    page = Page()
    page.feed(html)
    assert page.open == []
    assert page.tags.count("svg") >= 2 and page.tags.count("h1") == 1
    assert page.loads == [] and "@import" not in html and "script" not in page.tags
    assert "prefers-color-scheme: dark" in html and 'name="viewport"' in html
    assert "worst concave points" in html and "var(--main)" in html and "#0102" not in html
    assert len(html) < 200_000


def test_quiet_prints_nothing(tmp_path, capsys):
    assert run(["demo", "--quiet", "--budget", "2", "--out", str(tmp_path / "page.html")]) == 0
    assert capsys.readouterr() == ("", "")
    assert "sum to at most 2" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_version_and_help(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"greedyhull {gh.__version__}\n"
    for arguments in (["--help"], []):
        assert run(arguments) == 0
        assert "demo" in capsys.readouterr().out


@pytest.mark.parametrize("arguments, sentence", [
    (["frobnicate"], 'There is no command "greedyhull frobnicate". Its commands are demo, solve,'),
    (["slove"], 'There is no command "greedyhull slove". Did you mean "greedyhull solve"?'),
    (["lasso"], 'Did you mean "greedyhull fit l1"?'),
    (["problem.toml"], 'Name the command first, as in "greedyhull solve problem.toml".'),
    (["help"], 'Give "greedyhull --help".'),
    (["fit"], "greedyhull fit needs a command: simplex, l1, ensemble, portfolio, design or completion."),
    (["demo", "--nonsense"], "greedyhull demo has no option --nonsense."),
    (["demo", "--bugdet", "3"], "greedyhull demo has no option --bugdet. Did you mean --budget?"),
    (["solve", "--quite"], "Did you mean --quiet?"),
    (["demo", "--budget", "much"], "--budget must be a number."),
    (["paper", "--seed", "1.5"], "--seed must be a whole number."),
    (["solve"], "Missing argument 'PROBLEM.toml'."),
    (["demo", "--budget", "-1"], "A budget of -1 was given; a positive number is wanted."),
    (["demo", "--budget", "nan"], "A budget of nan was given; a positive number is wanted."),
    (["demo", "--out", "no/such/folder/page.html"], "does not exist. Create it first."),
    (["demo", "--out", "."], "is a folder; the name of a file is wanted."),
])
def test_bad_usage_is_one_sentence_and_exit_code_two(arguments, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("greedyhull: ") and sentence in err and err.endswith(".\n") and err.count("\n") == 1


def test_missing_extras_are_named_with_the_remedy(capsys, monkeypatch, tmp_path):
    from importlib.util import find_spec

    there = lambda name: None if name == "sklearn" else find_spec(name)
    monkeypatch.setattr("greedyhull.report.sentences.find_spec", there)
    assert run(["demo", "--out", str(tmp_path / "page.html")]) == 1
    assert capsys.readouterr().err == ("greedyhull: The demo needs scikit-learn, which is not installed. "
                                       'In the checkout: pip install -e ".[demo]".\n')


def test_help_imports_nothing_heavy():
    code = ("import sys; from greedyhull.cli import run; run(['--help']); "
            "print([m for m in ('sklearn', 'matplotlib', 'pandas', 'jinja2') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env={**os.environ})
    assert done.stdout.endswith("[]\n"), done.stdout + done.stderr
