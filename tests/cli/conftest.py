"""A small table and ways to write problem files about it."""

import numpy as np
import pytest

PROBLEM = """
[data]
file = "table.csv"
target = "y"

[objective]
loss = "least_squares"

[set]
kind = "l1_ball"
radius = 1.5

[stop]
gap = 1e-8

[output]
folder = "out"
report = false
"""


@pytest.fixture
def table(tmp_path):
    """X, y as in tmp_path/table.csv, whose columns are a, b, c, y."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((20, 3)).round(6)
    y = (X @ [1.0, 0.0, -2.0] + 0.1 * rng.standard_normal(20)).round(6)
    lines = ["a,b,c,y", *(",".join(map(repr, map(float, row))) for row in np.column_stack([X, y]))]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    return X, y


@pytest.fixture
def problem(tmp_path, table):
    """A function that writes problem.toml, some words of it replaced, and returns its path as a word."""

    def write(*changes, text=PROBLEM):
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "problem.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write
