"""``greedyhull fit``: weights by name, what is proved of them, and the files they are written to."""

import csv
import json
import subprocess
import sys
from itertools import pairwise

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


def test_classes_in_words_are_told_apart(fit, tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    kinds = np.array(["red", "green", "blue"])[X.argmax(axis=1)]
    lines = [f"{a};{b};{c};{k}" for (a, b, c), k in zip(X, kinds, strict=True)]
    (tmp_path / "kinds.csv").write_text("\n".join(["r;g;b;kind", *lines]))
    out = tmp_path / "weights.csv"
    together = fit("l1", "--target", "kind", "--radius", "2", file="kinds.csv")
    assert together["certificate"]["kind"] == "always" and len(together["intercept"]) == len(together["weights"]) == 3
    by_one = ["--target", "kind", "--radius", "2", "--loss", "squared_hinge"]
    document = fit("l1", *by_one, "--out", str(out), file="kinds.csv")
    assert {kind: max(w, key=w.get) for kind, w in document["weights"].items()} == {"red": "r", "green": "g", "blue": "b"}
    assert len(document["certificate"]) == len(document["intercept"]) == 3
    rows = list(csv.DictReader(out.open()))
    assert {row["class"] for row in rows} == {"red", "green", "blue"}
    weight = next(row["weight"] for row in rows if row["class"] == "red" and row["name"] == "r")
    assert float(weight) == document["weights"]["red"]["r"]
    assert run(["fit", "l1", str(tmp_path / "kinds.csv"), *by_one]) == 0
    assert "red against the rest" in capsys.readouterr().out
    assert run(["fit", "l1", str(tmp_path / "kinds.csv"), "--target", "kind", "--radius", "2"]) == 0
    said = capsys.readouterr().out
    assert "red" in said and "against" not in said and said.count("This is proved") == 1


def test_words_quiet_and_files(tmp_path, table, capsys):
    call = ["fit", "l1", str(tmp_path / "table.csv"), "--target", "y", "--radius", "1.5"]
    assert run(call) == 0
    said = capsys.readouterr().out
    words = " ".join(said.split())
    assert "20 samples, 3 columns, target y: regression." in words and "This is proved, rounding included" in words
    assert said.index("  c\n") < said.index("  a\n")
    for name in ("w.json", "w.csv"):
        assert run([*call, "--quiet", "--out", str(tmp_path / name)]) == 0
        assert capsys.readouterr() == ("", "")
    document = json.loads((tmp_path / "w.json").read_text())
    rows = {name: float(weight) for name, weight in list(csv.reader((tmp_path / "w.csv").open()))[1:]}
    assert rows == {**document["weights"], "(intercept)": document["intercept"]}


def test_a_gap_that_is_not_reached_is_exit_code_one(fit):
    document = fit("simplex", "--target", "y", "--loss", "huber", "--max-iter", "1", "--tol", "1e-15", code=1)
    assert not document["converged"] and "with a gap of" in document["warnings"][0]


@pytest.mark.parametrize("options, words", [
    (["l1", "table.csv"], "Give --target COLUMN"),
    (["l1", "table.csv", "--target", "z"], '"z" was given; one of a, b, c, y is wanted.'),
    (["l1", "none.csv", "--target", "y"], "There is no file"),
    (["l1", "table.csv", "--target", "y", "--out", "w.xls"], "a name in .json or .csv is wanted"),
    (["l1", "table.csv", "--target", "y", "--task", "ranking"], "one of auto, regression, classification is wanted"),
    (["l1", "table.csv", "--target", "y", "--loss", "cubic"], "--loss cubic was given; for regression one of absolute"),
    (["l1", "table.csv", "--target", "y", "--radius", "1", "--alpha", "2"], "were both given"),
    (["l1", "table.csv", "--target", "y", "--radius", "-1"], "--radius -1.0 was given; a number above 0 is wanted."),
    (["l1", "table.csv", "--target", "y", "--radius", "nan"], "--radius nan was given; a number above 0 is wanted."),
    (["l1", "table.csv", "--target", "y", "--max-iter", "0"], "--max-iter 0 was given; a whole number of at least 1 is"),
    (["l1", "table.csv", "--target", "y", "--folds", "1"], "--folds 1 was given; a whole number of at least 2 is wanted."),
    (["l1", "table.csv", "--target", "y", "--folds", "21"], "--folds 21 needs at least 21 samples; there are 20."),
    (["simplex", "table.csv", "--target", "y", "--loss", "quantile", "--quantile", "1"],
     "--quantile 1.0 was given; a number between 0 and 1 is wanted."),
    (["simplex", "table.csv", "--target", "y", "--delta", "2"],
     "--delta 2.0 was given, but the loss is squared, which does not use it. Add --loss huber"),
    (["l1", "table.csv", "--target", "y", "--loss", "huber", "--quantile", "0.3"], "Add --loss quantile, or leave --quantile"),
    (["l1", "table.csv", "--target", "y", "--task", "classification"], "The target y holds numbers with fractions"),
    (["l1", "table.csv", "--target", "y", "--format", "xls"], "The format xls was given; one of csv, libsvm, npy, npz"),
    (["l1", "table.csv", "--target", "y", "--radius", "1", "--folds", "3"],
     "--radius leaves nothing to cross-validate"),
    (["simplex", "table.csv", "--target", "y", "--features", "a,q"], '"q" was given'),
    (["l1", "table.csv", "--target", "y", "--loss", "absolute", "--alpha", "1"], "the absolute loss is not smooth"),
    (["l1", "table.csv", "--target", "y", "--tol", "-1"], "--tol -1.0 was given; a number of at least 0 is wanted."),
    (["cubic", "table.csv"], 'There is no command "greedyhull fit cubic". Its commands are simplex, l1, ensemble, portfolio, '
                             "design and completion."),
    (["lasso", "table.csv"], 'Did you mean "greedyhull fit l1"?'),
    (["table.csv"], 'Name the command first, as in "greedyhull fit l1 table.csv".'),
    (["l1", "table.csv", "--lambda", "1"], "Did you mean --alpha?"),
    (["l1", "table.csv", "--traget", "y"], "Did you mean --target?"),
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


def test_too_few_samples_for_the_folds(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,y\n1,2\n")
    assert run(["fit", "l1", str(tmp_path / "t.csv"), "--target", "y"]) == 2
    assert "--folds 5 needs at least 5 samples; there are 1." in capsys.readouterr().err
    assert run(["fit", "l1", str(tmp_path / "t.csv"), "--target", "y", "--radius", "1"]) == 0
    assert "1 sample, 1 column, target y: regression." in capsys.readouterr().out


def test_one_class_is_refused_by_its_name(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("a,y\n1,red\n2,red\n")
    assert run(["fit", "l1", str(tmp_path / "t.csv"), "--target", "y"]) == 2
    assert "The target y has only one class, red; two or more are wanted." in capsys.readouterr().err


@pytest.mark.parametrize("kind, options", [
    ("l1", ["--radius", "1", "--quantile", "0.9"]), ("simplex", ["--delta", "2"]), ("l1", ["--quantile", "0.9"]),
    ("l1", ["--loss", "hinge", "--delta", "2"]), ("ensemble", ["--no-intercept"])])
def test_what_a_classifier_does_not_use_is_refused(tmp_path, capsys, kind, options):
    (tmp_path / "t.csv").write_text("a,b,y\n1,0.5,no\n2,0.1,yes\n3,0.4,no\n4,0.2,yes\n")
    assert run(["fit", kind, str(tmp_path / "t.csv"), "--target", "y", *options]) == 2
    said = capsys.readouterr().err
    assert options[-2 if options[-1][0] != "-" else -1] in said and "Leave " in said and "--loss quantile" not in said


@pytest.mark.parametrize("kind, options", [
    ("l1", []), ("l1", ["--loss", "huber", "--delta", "0.5", "--no-intercept"]),
    ("l1", ["--loss", "quantile", "--quantile", "0.3"]),
    ("simplex", []), ("simplex", ["--total", "2", "--upper", "1", "--intercept"]), ("simplex", ["--loss", "absolute"])])
def test_a_fit_without_scikit_learn_is_that_of_the_estimator(fit, table, kind, options):
    X, y = table
    _agrees(fit(kind, "--target", "y", *options, *RADIUS[kind]), "Regressor", kind, options, X, y)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind, options", [("l1", []), ("simplex", ["--loss", "squared_hinge"]), ("l1", ["--loss", "hinge"])])
def test_classes_too(fit, tmp_path, kind, options, classes):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((50, 4)).astype(np.float32)
    y = np.array(["ash", "elm", "oak"])[np.clip(np.rint(X[:, 0] + 0.5), 0, classes - 1).astype(int)]
    np.savez(tmp_path / "t.npz", X=X, y=y)
    _agrees(fit(kind, *options, *RADIUS[kind], file="t.npz"), "Classifier", kind, options, X, y)


RADIUS = {"l1": ["--radius", "1.25"], "simplex": []}


def _agrees(document, task, kind, options, X, y):
    """The fit of the command line and the one of the estimator with these options are as good as each other."""
    from greedyhull import estimators

    words = [*options, *RADIUS[kind]]
    given = {"fit_intercept": "--intercept" in words} if {"--intercept", "--no-intercept"} & set(words) else {}
    for name, value in pairwise(words):
        if name.startswith("--") and not value.startswith("--"):
            given[name.strip("-")] = value if name == "--loss" else float(value)
    m = getattr(estimators, f"{'L1Budget' if kind == 'l1' else 'Simplex'}{task}")(**given).fit(X, y)
    assert document["estimator"] == type(m).__name__
    ours = document["certificate"] if isinstance(document["certificate"], list) else [document["certificate"]]
    theirs = m.certificate_ if isinstance(m.certificate_, list) else [m.certificate_]
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert abs(one["value"] - other.value) <= max(one["gap"], other.gap)
    assert document["intercept"] == pytest.approx(np.asarray(m.intercept_).tolist(), abs=1e-3)


def test_losses_are_those_of_the_estimators():
    from greedyhull import estimators
    from greedyhull.cli.fit import LOSSES
    from greedyhull.cli.fit import OBJECTIVES as DIRECT

    for kind, family in {"simplex": "Simplex", "l1": "L1Budget", "ensemble": "Ensemble"}.items():
        for task, ending in {"regression": "Regressor", "classification": "Classifier"}.items():
            make = getattr(estimators, f"{family}{ending}")
            assert set(LOSSES[kind][task]) == make._parameter_constraints["loss"][0].options
            assert LOSSES[kind][task][0] == make().loss
            assert kind == "ensemble" or set(LOSSES[kind][task]) <= set(DIRECT)


@pytest.mark.parametrize("options, needed", [(["l1"], True), (["ensemble"], True), (["l1", "--alpha", "1"], True),
                                             (["l1", "--radius", "1"], False), (["simplex"], False)])
def test_without_scikit_learn(tmp_path, table, monkeypatch, capsys, options, needed):
    monkeypatch.setattr("greedyhull.cli.fit.find_spec", lambda name: None)
    kind, *others = options
    assert run(["fit", kind, str(tmp_path / "table.csv"), "--target", "y", *others]) == (1 if needed else 0)
    assert ('pip install -e ".[demo]"' in capsys.readouterr().err) == needed


def test_a_plain_fit_imports_no_scikit_learn(tmp_path, table):
    code = (f"import sys; from greedyhull.cli import run; run(['fit', 'l1', {str(tmp_path / 'table.csv')!r}, '--target', 'y', "
            "'--radius', '1', '--quiet']); "
            "print([m for m in ('sklearn', 'pandas', 'matplotlib', 'jinja2', 'scipy.stats') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "[]\n", done.stdout + done.stderr
