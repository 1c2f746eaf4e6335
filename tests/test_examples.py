"""Every example runs, small, in a process of its own, and opens with the question it answers."""

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
    assert len(EXAMPLES) >= 4
    assert {example.stem for example in EXAMPLES} >= set(SMALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_opens_with_its_question(example):
    words = ast.get_docstring(ast.parse(example.read_text(encoding="utf-8")))
    assert words.split("\n\n")[0].endswith("?")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(example, tmp_path):
    done = subprocess.run([sys.executable, str(example), *SMALL.get(example.stem, [])], cwd=tmp_path, text=True, timeout=300,
                          capture_output=True, encoding="utf-8",
                          env={**os.environ, "MPLBACKEND": "Agg", "PYTHONIOENCODING": "utf-8"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "Warning" not in done.stderr
