"""``greedyhull solve`` and ``greedyhull certify``: the files they write, what they say, their exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array, save_npz

import greedyhull as gh
from greedyhull.cli import run

QUADRATIC = """
[objective]
loss = "quadratic"
Q = "Q.npy"
b = [1.0, 0.5]

[set]
kind = "simplex"

[stop]
gap = 1e-9

[output]
report = false
"""


@pytest.fixture
def solved(problem, tmp_path, capsys):
    """Solve with some words of the file changed; the solution's arrays and the JSON document."""

    def solve(*changes, code=0, **options):
        assert run(["solve", problem(*changes, **options), "--json"]) == code, capsys.readouterr().err
        document = json.loads(capsys.readouterr().out)
        with np.load(document["files"]["solution"]) as file:
            return dict(file), document

    return solve


def test_the_files_hold_what_minimize_returns(solved, table, tmp_path):
    arrays, document = solved()
    best = gh.minimize(gh.least_squares(*table), gh.L1Ball(3, radius=1.5), stop=gh.Gap(1e-12))
    assert arrays["point"] == pytest.approx(best.point.array(), abs=1e-4)
    assert float(arrays["value"]) - best.value <= float(arrays["gap"]) <= 1e-8
    assert float(arrays["lower"]) <= best.value and str(arrays["kind"]) == "always" and bool(arrays["converged"])
    assert arrays["names"].tolist() == ["a", "b", "c"]
    assert document["met"] and document["certificate"]["gap"] == float(arrays["gap"])
    assert list(document["weights"]) == ["c", "a"]
    trace = (tmp_path / "out" / "trace.csv").read_text().splitlines()
    assert trace[0].startswith("iteration,seconds,value,gap") and len(trace) == document["iterations"] + 2
    assert "report" not in document["files"]


def test_the_atoms_mix_to_the_point(solved):
    arrays, _ = solved()
    atoms = csr_array((arrays["atoms_data"], arrays["atoms_indices"], arrays["atoms_indptr"]), arrays["atoms_shape"])
    assert arrays["atom_weights"].sum() == pytest.approx(1.0)
    assert arrays["atom_weights"] @ atoms.toarray() == pytest.approx(arrays["point"], abs=1e-12)
    assert np.abs(atoms.toarray()).sum(axis=1) == pytest.approx(1.5)


@pytest.mark.parametrize("changes, objective, S", [
    ([("l1_ball", "l2_ball")], gh.least_squares, lambda: gh.L2Ball(3, 1.5)),
    ([("l1_ball", "linf_ball")], gh.least_squares, lambda: gh.LinfBall(3, 1.5)),
    ([('"least_squares"', '"least_squares"\nl2 = 2')], lambda X, y: gh.least_squares(X, y, l2=2.0), lambda: gh.L1Ball(3, 1.5)),
    ([('"l1_ball"\nradius', '"simplex"\ntotal'), ('"least_squares"', '"huber"\ndelta = 0.5\nintercept = true')],
     lambda X, y: gh.huber(X, y, 0.5, intercept=True), lambda: gh.Simplex(3, 1.5)),
    ([('"l1_ball"\nradius = 1.5', '"box"\nlower = -0.5\nupper = [0.1, 0.2, 0.3]'), ("least_squares", "absolute")],
     gh.absolute, lambda: gh.Box(np.full(3, -0.5), np.array([0.1, 0.2, 0.3]))),
    ([('"l1_ball"\nradius = 1.5', '"vertices"\nmatrix = "atoms.csv"')], gh.least_squares,
     lambda: gh.Vertices(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [1.0, 1.0, 1.0]]))),
    ([('"l1_ball"\nradius = 1.5', '"cached"\nS = {kind = "capped_simplex", total = 0.5}')], gh.least_squares,
     lambda: gh.CappedSimplex(3, 0.5)),
    *[([('"l1_ball"\nradius = 1.5', written)], gh.least_squares, S) for written, S in (
        ('"simplex"\nlower = 0.1\nupper = 0.6', lambda: gh.Simplex(3, lower=0.1, upper=0.6)),
        ('"grouped_simplex"\ngroups = [0, 0, 1]\ngroup_upper = [0.7, 0.5]',
         lambda: gh.GroupedSimplex([0, 0, 1], group_upper=[0.7, 0.5])),
        ('"hyper_simplex"\nK = 2', lambda: gh.HyperSimplex(3, 2)),
        ('"k_sparse"\nK = 2\nradius = 0.5', lambda: gh.KSparse(3, 2, 0.5)),
        ('"k_support"\nK = 2\nradius = 0.5', lambda: gh.KSupport(3, 2, 0.5)),
        ('"group_l1_ball"\ngroups = [0, 1, 1]\nradius = 0.5', lambda: gh.GroupL1Ball([0, 1, 1], 0.5)),
        ('"lp_ball"\np = 3.0\nradius = 0.5', lambda: gh.LpBall(3, 0.5, 3.0)),
        ('"total_variation_ball"\nradius = 0.5', lambda: gh.TotalVariationBall(3, 0.5)),
        ('"permutahedron"\nv = [0, 1, 2]', lambda: gh.Permutahedron([0, 1, 2])))],
], ids=["l2", "linf", "ridge", "simplex", "box", "vertices", "cached", "lower", "grouped", "hyper", "k_sparse", "k_support",
        "groups", "lp", "variation", "orders"])
def test_losses_and_sets_are_those_that_are_named(solved, table, tmp_path, changes, objective, S):
    (tmp_path / "atoms.csv").write_text("1,0,0\n0,0,-1\n1,1,1\n")
    arrays, _ = solved(*changes, ("1e-8", "1e-6"))
    certificate = gh.certify(objective(*table), S(), arrays["point"])
    assert certificate.gap <= 2e-6
    assert certificate.value == pytest.approx(float(arrays["value"]))


def test_a_quadratic_needs_no_data(solved, tmp_path):
    Q = np.array([[2.0, 0.5], [0.5, 1.0]])
    np.save(tmp_path / "Q.npy", Q)
    arrays, _ = solved(text=QUADRATIC)
    assert gh.certify(gh.quadratic(Q, np.array([1.0, 0.5])), gh.Simplex(2), arrays["point"]).gap <= 1e-8


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("kind", ["npy", "csv", "npz"])
def test_a_quadratic_by_its_factors(solved, tmp_path, kind, rows):
    F, D = np.arange(2.0 * rows).reshape(rows, 2) - 1.0, np.array([0.5, 0.25])
    np.save(tmp_path / "Q.npy", D)
    path = tmp_path / f"F.{kind}"
    if kind == "npz":
        save_npz(path, csr_array(F))
    else:
        np.save(path, F) if kind == "npy" else np.savetxt(path, F, delimiter=",")
    arrays, _ = solved(("b =", f'factors = "{path.name}"\nb ='), text=QUADRATIC)
    f = gh.quadratic(F.T @ F + np.diag(D), np.array([1.0, 0.5]))
    assert gh.certify(f, gh.Simplex(2), arrays["point"]).gap <= 1e-8


@pytest.mark.parametrize("solver, kind", [
    ('name = "jones"', "Jones"),
    ('name = "frank_wolfe"\nstep = {name = "power", p = 0.7}\ntolerance = 0.001', "FrankWolfe(step=Power(p=0.7), tolerance=c"),
    ('name = "aggregated"\nsolver = {name = "frank_wolfe", step = "open_loop"}\nevery = 2', "Aggregated(solver=FrankWolfe"),
    ('name = "mixed"\nsolvers = ["frank_wolfe", "jones"]\nchoose = "better"', "Mixed(solvers=(FrankWolfe"),
    ('name = "stochastic_frank_wolfe"\nestimator = {name = "saga", batch = 4}\nstep = "open_loop"', "StochasticFrank"),
    ('name = "variance_reduced_jones"\nestimator = {name = "svrg", batch = {name = "linear", scale = 4.0}}', "VarianceRe"),
    ('name = "stochastic_jones"\nbatch = {name = "linear", scale = 2.0}\nlook = {name = "full_gap", every = 5}', "Stoch"),
    ('name = "storc"\nbatches = [100, 8]', "Storc"),
])
def test_solvers_with_their_arguments(solved, solver, kind):
    _, document = solved(("[stop]", f"[solver]\n{solver}\n\n[stop]"), ("gap = 1e-8", "iterations = 20"))
    assert document["solver"].startswith(kind)
    assert document["met"] and not document["converged"]  # no gap was asked for


def test_columns_weights_and_targets(solved, table, tmp_path):
    X, y = table
    np.save(tmp_path / "other.npy", np.column_stack([X, np.arange(1.0, 21.0)]))
    np.savetxt(tmp_path / "y.txt", y)
    arrays, _ = solved(('"table.csv"\ntarget = "y"', '"other.npy"\ntarget_file = "y.txt"\nfeatures = [0, -2]'),
                       ('"least_squares"', '"least_squares"\nsample_weight = 3'))
    f = gh.least_squares(X[:, [0, 2]], y, sample_weight=np.arange(1.0, 21.0))
    assert gh.certify(f, gh.L1Ball(2, radius=1.5), arrays["point"]).gap <= 1e-7


def test_sparse_data_with_labels_in_words(solved, table, tmp_path):
    X, y = table
    lines = [f"{2 if label > 0 else 1} " + " ".join(f"{j + 1}:{x!r}" for j, x in enumerate(row.tolist()) if x > 0)
             for row, label in zip(X, y, strict=True)]
    (tmp_path / "data.svm").write_text("\n".join(lines))
    changes = [('"table.csv"\ntarget = "y"', '"data.svm"'), ("least_squares", "logistic"), ("1e-8", "1e-6")]
    arrays, _ = solved(*changes)
    assert gh.certify(gh.logistic(np.maximum(X, 0), y > 0), gh.L1Ball(3, radius=1.5), arrays["point"]).gap <= 2e-6
    assert arrays["names"].tolist() == ["1", "2", "3"]
    save_npz(tmp_path / "X.npz", csr_array(np.maximum(X, 0)))
    np.savetxt(tmp_path / "y.txt", np.where(y > 0, 1, 0))
    again, _ = solved(('"data.svm"', '"X.npz"\ntarget_file = "y.txt"'), text=Path(tmp_path / "problem.toml").read_text())
    assert again["point"] == pytest.approx(arrays["point"])


def test_a_limit_that_comes_first_is_exit_code_one(solved):
    arrays, document = solved(("[stop]", '[solver]\nname = "frank_wolfe"\n[stop]'), ("1e-8", "1e-12\niterations = 3"), code=1)
    assert not document["met"] and "limit of 3 iterations" in document["reason"] and not bool(arrays["converged"])


def test_it_says_what_is_proved_and_quiet_says_nothing(problem, capsys, tmp_path):
    file = problem(("report = false", ""), ("[data]", 'title = "Three weights"\n[data]'))
    assert run(["solve", file]) == 0
    said, err = capsys.readouterr()
    assert "no feasible point can be lower by more than" in " ".join(said.split()) and "solution.npz" in said and err == ""
    assert "Three weights" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert run(["solve", file, "--quiet", "--out", str(tmp_path / "else")]) == 0
    assert capsys.readouterr() == ("", "")
    assert (tmp_path / "else" / "solution.npz").exists()


def test_cautions_are_notes(problem, capsys):
    file = problem(("[stop]", '[solver]\nname = "jones"\n[stop]'), ("least_squares", "absolute"),
                   ("gap = 1e-8", "iterations = 3"))
    assert run(["solve", file, "--json"]) == 0
    out, err = capsys.readouterr()
    assert "has kinks" in json.loads(out)["warnings"][0] and err == ""


def test_certify_any_point(problem, table, tmp_path, capsys):
    file = problem()
    f, S = gh.least_squares(*table), gh.L1Ball(3, radius=1.5)
    w = np.array([0.5, 0.0, -1.0])
    np.save(tmp_path / "w.npy", w)
    np.savez(tmp_path / "w.npz", point=w, other=np.zeros(2))
    (tmp_path / "w.txt").write_text("0.5\n0\n-1\n")
    gap = gh.certify(f, S, w).gap
    for name in ("w.npy", "w.npz", "w.txt"):
        assert run(["certify", file, str(tmp_path / name), "--json", "--gap", str(1.01 * gap)]) == 0
        assert json.loads(capsys.readouterr().out)["certificate"]["gap"] == pytest.approx(gap)
    assert run(["certify", file, str(tmp_path / "w.npy"), "--gap", str(0.99 * gap)]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "is proved, rounding included" in said and "is above the" in said
    assert run(["certify", file, str(tmp_path / "w.npy"), "--quiet"]) == 1  # the file asks for 1e-8
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("w, sentence", [([2, 0, 0], "lies outside"), ([0, 0], "has shape (2,)"), ([0, np.nan, 0], "NaN")])
def test_points_that_cannot_be_certified(problem, tmp_path, capsys, w, sentence):
    np.save(tmp_path / "w.npy", np.array(w))
    assert run(["certify", problem(), str(tmp_path / "w.npy")]) == 2
    out, err = capsys.readouterr()
    assert out == "" and sentence in err


def test_the_installed_script(problem, tmp_path):
    script = Path(sys.executable).with_name("greedyhull")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "greedyhull"]
    file = problem()
    solve = subprocess.run([*command, "solve", file, "--json"], capture_output=True, text=True, timeout=120)
    assert solve.returncode == 0, solve.stderr
    solution = json.loads(solve.stdout)["files"]["solution"]
    done = subprocess.run([*command, "certify", file, solution, "--gap", "0"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stderr
    assert done.stderr == "" and "is above the 0 that --gap asks for" in done.stdout
