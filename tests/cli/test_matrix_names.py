"""Problem files whose points are matrices: triples, several targets, classes, over each set of matrices."""

import json

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.cli import run

RATINGS = """
[data]
file = "ratings.csv"
row = "user"
column = "film"
value = "stars"

[objective]
loss = "completion"

[set]
kind = "nuclear_ball"
radius = 6.0

[stop]
relative = 1e-6

[output]
folder = "out"
"""
SEVERAL = """
[data]
file = "table.csv"
targets = ["b", "y"]

[objective]
loss = "multitask"

[set]
kind = "l1_ball"
radius = 1.0

[stop]
relative = 1e-8

[output]
folder = "out"
report = false
"""


@pytest.fixture
def ratings(tmp_path):
    users, films = np.array(["ann", "bob", "cy"]), np.array(["alien", "brazil"])
    stars = np.array([[5.0, 1.0], [4.0, 2.0], [1.0, 5.0]])
    places = [(0, 0), (0, 1), (1, 0), (2, 1)]
    lines = [f"{users[i]},{films[j]},{stars[i, j]},{1 + i}" for i, j in places]
    (tmp_path / "ratings.csv").write_text("\n".join(["user,film,stars,weight", *lines]) + "\n")
    i, j = np.array(places).T
    return i, j, stars[i, j]


@pytest.fixture
def solved(problem, tmp_path, capsys):
    def solve(text, *changes, code=0):
        path = problem(*changes, text=text)
        assert run(["solve", path, "--json"]) == code, capsys.readouterr().err
        document = json.loads(capsys.readouterr().out)
        assert run(["certify", path, document["files"]["solution"], "--gap", "1e-3", "--quiet"]) == 0
        with np.load(document["files"]["solution"]) as file:
            return dict(file), document

    return solve


def test_triples_make_a_matrix(solved, ratings):
    arrays, document = solved(RATINGS)
    best = gh.minimize(gh.completion(*ratings, (3, 2)), gh.NuclearBall((3, 2), 6.0), stop=gh.Relative(1e-6))
    assert document["certificate"]["value"] == pytest.approx(best.value, abs=1e-4)
    np.testing.assert_allclose(arrays["U"] * arrays["sigma"] @ arrays["V"].T, best.x, atol=1e-2)
    assert "atoms_data" not in arrays and gh.load(document["files"]["solution"]).point.entries([0], [1]).shape == (1,)


@pytest.mark.parametrize("kind", ["l1_ball", "group_l1_ball\"\nby = \"rows"])
def test_triples_over_budgets_of_entries_and_rows(solved, ratings, kind):
    arrays, document = solved(RATINGS, ("nuclear_ball", kind), ('loss = "completion"',
                              'loss = "completion"\nentry_loss = "huber"\ndelta = 2.0\nsample_weight = "weight"'))
    assert arrays["point"].shape == (3, 2) and document["converged"]


def test_whole_numbers_may_have_a_shape(solved, tmp_path):
    (tmp_path / "ratings.csv").write_text("user,film,stars\n0,1,2.0\n3,0,1.0\n")
    arrays, _ = solved(RATINGS, ("nuclear_ball", "l1_ball"), ('loss = "completion"', 'loss = "completion"\nshape = [5, 4]'))
    assert arrays["point"].shape == (5, 4) and arrays["point"][3, 0] == pytest.approx(1.0, abs=1e-3)


def test_several_targets(solved, table):
    X, y = table
    arrays, _ = solved(SEVERAL)
    f = gh.multitask(X[:, [0, 2]], np.column_stack([X[:, 1], y]))
    best = gh.minimize(f, gh.L1Ball((2, 2), 1.0), stop=gh.Relative(1e-8))
    np.testing.assert_allclose(arrays["point"], best.x, atol=1e-5)


def test_classes_over_a_budget_with_intercepts(solved, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 2)).round(4)
    kinds = np.array(["ash", "elm", "oak"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    (tmp_path / "table.csv").write_text("\n".join(["a,b,y", *(f"{p},{q},{k}" for (p, q), k in zip(X, kinds, strict=True))]))
    arrays, document = solved(SEVERAL, ('targets = ["b", "y"]', 'target = "y"'),
                              ('"multitask"', '"multinomial"\nintercept = true'))
    assert arrays["point"].shape == (2, 3) and arrays["intercept"].shape == (3,) and len(document["intercept"]) == 3


@pytest.mark.parametrize(("text", "changes", "said"), [
    (RATINGS, [('row = "user"\n', "")], "data.row: it is missing"),
    (RATINGS, [('value = "stars"', 'value = "user"')], "holds words"),
    (RATINGS, [('row = "user"', 'row = "usr"')], "user"),
    (RATINGS, [('value = "stars"', 'value = "stars"\ntarget = "stars"')], "value is wanted in its place"),
    (RATINGS, [('loss = "completion"', 'loss = "completion"\nshape = [5, 4]')], "leave shape out"),
    (RATINGS, [('loss = "completion"', 'loss = "completion"\nentry_loss = "cubic"')], "squared"),
    (RATINGS, [("nuclear_ball", "group_l1_ball")], "'rows' or 'columns' is wanted"),
    (RATINGS, [("nuclear_ball", "simplex"), ("radius", "total")], "shape"),
    (SEVERAL, [('targets = ["b", "y"]', 'target = "y"')], "targets, a list of columns"),
    (SEVERAL, [('["b", "y"]', '["b", "b"]')], "listed twice"),
    (SEVERAL, [('["b", "y"]', '["b", "z"]')], '"z" was given'),
    (SEVERAL, [('["b", "y"]', '["b", "y"]\nfeatures = ["b"]')], "cannot be a feature"),
    (SEVERAL, [('"multitask"', '"least_squares"')], "only multitask has several targets"),
    (SEVERAL, [('targets = ["b", "y"]', 'target = "y"\nrow = "a"'), ('"multitask"', '"least_squares"')], "only completion"),
    (SEVERAL, [("l1_ball", "nuclear_ball\"\nshape = [4, 4]\n#\"")], "shape"),
])
def test_what_is_wrong_is_said(problem, ratings, capsys, text, changes, said):
    assert run(["solve", problem(*changes, text=text)]) == 2
    assert said in capsys.readouterr().err
