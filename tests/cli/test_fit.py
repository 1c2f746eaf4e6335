"""``greedyhull fit``: weights by name, what is proved of them, and the files they are written to."""

import csv
import json

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.cli import run

pytest.importorskip("sklearn")


@pytest.fixture
def fit(tmp_path, table, capsys):
    """Run a fit of table.csv; the JSON document."""

    def call(kind, *options, file="table.csv", code=0):
        assert run(["fit", kind, str(tmp_path / file), *options, "--json"]) == code, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return call


def test_an_l1_budget(fit, table):
    X, y = table
    document = fit("l1", "--target", "y", "--radius", "1.5")
    best = gh.minimize(gh.least_squares(X, y, intercept=True), gh.L1Ball(3, radius=1.5), stop=gh.Gap(1e-10))
    weights = best.point.array()
    assert document["weights"] == pytest.approx(dict(zip("abc", weights, strict=True)), abs=1e-2)
    assert list(document["weights"]) == sorted(document["weights"], key=lambda name: -abs(document["weights"][name]))
    assert document["certificate"]["value"] - best.value <= document["certificate"]["gap"]
    assert document["task"] == "regression" and document["converged"] and document["radius"] == 1.5


def test_a_budget_by_cross_validation_and_by_its_price(fit):
    chosen = fit("l1", "--target", "y", "--folds", "4")
    assert 2.5 < chosen["radius"] < 3.5
    priced = fit("l1", "--target", "-1", "--alpha", "0.2")
    assert set(priced["weights"]) <= {"a", "b", "c"} and priced["converged"]


def test_a_simplex(fit, table):
    X, y = table
    document = fit("simplex", "--target", "y", "--features", "a,c", "--total", "2", "--upper", "1.5", "--loss", "absolute")
    w = np.array([document["weights"].get(name, 0.0) for name in "ac"])
    assert gh.certify(gh.absolute(X[:, [0, 2]], y), gh.Simplex(2, 2.0, upper=1.5), w, tol=1e-6).gap <= 1e-4


def test_an_ensemble_of_models(fit, tmp_path):
    rng = np.random.default_rng(1)
    y = rng.standard_normal(40)
    noise = 0.3 * rng.standard_normal((40, 3))
    np.savez(tmp_path / "oof.npz", X=y[:, None] + noise * [1, 1, 9], y=y, names=["tree", "net", "bad"])
    document = fit("ensemble", "--max-models", "2", file="oof.npz")
    assert sum(document["weights"].values()) == pytest.approx(1.0) and document["weights"]["bad"] == 0.0


def test_an_ensemble_for_three_classes_names_its_models(fit, tmp_path, capsys):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 30)
    good = np.where(np.eye(3)[y] > 0, 0.8, 0.1)
    bad = rng.dirichlet(np.ones(3), 30)
    names = [f"{model}_{k}" for model in ("good", "bad") for k in range(3)]
    rows = [",".join([*map(str, row), "xyz"[k]]) for row, k in zip(np.hstack([good, bad]), y, strict=True)]
    (tmp_path / "oof.csv").write_text("\n".join([",".join([*names, "kind"]), *rows]))
    document = fit("ensemble", "--target", "kind", file="oof.csv")
    assert document["weights"]["good"] > 0.9 and document["classes"] == ["x", "y", "z"]


def test_classes_in_words_are_told_apart_one_by_one(fit, tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    kinds = np.array(["red", "green", "blue"])[X.argmax(axis=1)]
    lines = [f"{a};{b};{c};{k}" for (a, b, c), k in zip(X, kinds, strict=True)]
    (tmp_path / "kinds.csv").write_text("\n".join(["r;g;b;kind", *lines]))
    out = tmp_path / "weights.csv"
    document = fit("l1", "--target", "kind", "--radius", "2", "--out", str(out), file="kinds.csv")
    assert {kind: max(w, key=w.get) for kind, w in document["weights"].items()} == {"red": "r", "green": "g", "blue": "b"}
    assert len(document["certificate"]) == len(document["intercept"]) == 3
    rows = list(csv.DictReader(out.open()))
    assert {row["class"] for row in rows} == {"red", "green", "blue"}
    weight = next(row["weight"] for row in rows if row["class"] == "red" and row["name"] == "r")
    assert float(weight) == document["weights"]["red"]["r"]
    assert run(["fit", "l1", str(tmp_path / "kinds.csv"), "--target", "kind", "--radius", "2"]) == 0
    assert "red against the rest" in capsys.readouterr().out


def test_words_quiet_and_files(tmp_path, table, capsys):
    call = ["fit", "l1", str(tmp_path / "table.csv"), "--target", "y", "--radius", "1.5"]
    assert run(call) == 0
    said = capsys.readouterr().out
    words = " ".join(said.split())
    assert "20 samples, 3 columns, target y: regression." in words and "that is proved, rounding included" in words
    assert said.index("  c\n") < said.index("  a\n")
    for name in ("w.json", "w.csv"):
        assert run([*call, "--quiet", "--out", str(tmp_path / name)]) == 0
        assert capsys.readouterr() == ("", "")
    document = json.loads((tmp_path / "w.json").read_text())
    rows = {name: float(weight) for name, weight in list(csv.reader((tmp_path / "w.csv").open()))[1:]}
    assert rows == {**document["weights"], "(intercept)": document["intercept"]}


def test_a_gap_that_is_not_reached_is_exit_code_one(fit):
    document = fit("simplex", "--target", "y", "--loss", "huber", "--max-iter", "1", "--tol", "1e-15", code=1)
    assert not document["converged"] and "limit of 1 iterations" in document["warnings"][0]


@pytest.mark.parametrize("options, words", [
    (["l1", "table.csv"], "Name their column: --target COLUMN"),
    (["l1", "table.csv", "--target", "z"], '"z" was given; one of a, b, c, y is wanted.'),
    (["l1", "none.csv", "--target", "y"], "There is no file"),
    (["l1", "table.csv", "--target", "y", "--out", "w.xls"], "a name in .json or .csv is wanted"),
    (["l1", "table.csv", "--target", "y", "--task", "ranking"], "one of auto, regression, classification is wanted"),
    (["l1", "table.csv", "--target", "y", "--loss", "cubic"], "--loss cubic was given; for regression one of absolute"),
    (["l1", "table.csv", "--target", "y", "--radius", "1", "--alpha", "2"], "one of them is wanted"),
    (["l1", "table.csv", "--target", "y", "--radius", "-1"], "--radius -1.0 was given; a number above 0.0 is wanted."),
    (["l1", "table.csv", "--target", "y", "--radius", "nan"], "--radius nan was given; a number above 0.0 is wanted."),
    (["l1", "table.csv", "--target", "y", "--max-iter", "0"], "--max-iter 0 was given; a whole number of at least 1 is"),
    (["l1", "table.csv", "--target", "y", "--folds", "1"], "--folds 1 was given; a whole number of at least 2 is wanted."),
    (["l1", "table.csv", "--target", "y", "--folds", "21"], "21 folds want at least as many samples; there are 20."),
    (["simplex", "table.csv", "--target", "y", "--loss", "quantile", "--quantile", "1"],
     "--quantile 1.0 was given; a number above 0.0 and below 1.0 is wanted."),
    (["simplex", "table.csv", "--target", "y", "--delta", "2"], "--delta 2.0 was given, but the loss is squared"),
    (["l1", "table.csv", "--target", "y", "--loss", "huber", "--quantile", "0.3"], "Add --loss quantile, or leave --quantile"),
    (["l1", "table.csv", "--target", "y", "--task", "classification"], "The target y holds numbers with fractions"),
    (["l1", "table.csv", "--target", "y", "--format", "xls"], "The format xls was given; one of csv, libsvm, npy, npz"),
    (["l1", "table.csv", "--target", "y", "--radius", "1", "--folds", "3"], "--folds is not for L1BudgetRegressor"),
    (["simplex", "table.csv", "--target", "y", "--features", "a,q"], '"q" was given'),
    (["cubic", "table.csv"], "No such command 'cubic'"),
])
def test_wrong_use(tmp_path, table, monkeypatch, capsys, options, words):
    monkeypatch.chdir(tmp_path)
    assert run(["fit", *options]) == 2
    out, err = capsys.readouterr()
    assert out.count("\n") <= 2 and words in err and "Traceback" not in err, err


@pytest.mark.parametrize("cells, words", [
    ("1,2,nan", "Column b is NaN or infinite in sample 2"), ("inf,2,3", "Column a is NaN or infinite in sample 2"),
    ("1,nan,2", "The target y is NaN or infinite in 1 samples, the first of them sample 2"),
])
def test_numbers_that_are_none_are_named(tmp_path, capsys, cells, words):
    (tmp_path / "t.csv").write_text(f"a,y,b\n1,2,3\n{cells}\n4,5,7\n")
    assert run(["fit", "l1", str(tmp_path / "t.csv"), "--target", "y", "--radius", "1"]) == 2
    assert words in capsys.readouterr().err


def test_one_class_is_refused_by_its_name(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,y\n1,red\n2,red\n")
    assert run(["fit", "l1", str(tmp_path / "t.csv"), "--target", "y"]) == 2
    assert "The target y has one class only, red; two or more are wanted." in capsys.readouterr().err


def test_without_scikit_learn(tmp_path, table, monkeypatch, capsys):
    monkeypatch.setattr("greedyhull.cli.fit.find_spec", lambda name: None)
    assert run(["fit", "l1", str(tmp_path / "table.csv"), "--target", "y"]) == 1
    assert 'pip install -e ".[demo]"' in capsys.readouterr().err
