"""Every example runs, small, in a process of its own, opens with the question it answers and ends with a figure."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SMALL = {"forecast_weights": ["20"], "jones_against_frank_wolfe": ["40", "figure.svg"], "l1_budget_logistic": ["3"],
         "mixture_weights": ["80"], "own_set": ["30"], "portfolio_weights": ["60"]}


def test_there_are_examples():
    assert len(EXAMPLES) >= 12
    assert {example.stem for example in EXAMPLES} >= set(SMALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_opens_with_its_question(example):
    title, underline = ast.get_docstring(ast.parse(example.read_text(encoding="utf-8"))).split("\n\n")[0].splitlines()
    assert title.endswith("?")
    assert underline == "=" * len(title)  # as the gallery wants it


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_ends_with_its_answer_in_a_figure(example):
    last = example.read_text(encoding="utf-8").split("# %%\n")[-1]
    assert last.startswith("# The answer") and last.endswith("plt.show()\n")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(example, tmp_path):
    done = subprocess.run([sys.executable, str(example), *SMALL.get(example.stem, [])], cwd=tmp_path, text=True, timeout=300,
                          capture_output=True, encoding="utf-8",
                          env={**os.environ, "MPLBACKEND": "Agg", "PYTHONIOENCODING": "utf-8",
                               "PYTHONWARNINGS": "ignore:FigureCanvasAgg"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "Warning" not in done.stderr
