"""Sets in problem files: those made of others, of matrices, from graphs and from models of linear programs; and wrong ones."""

import json
from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.cli import run
from greedyhull.cli.problem import load

MPS = """NAME model
ROWS
 N  cost
 L  cap
 E  all
COLUMNS
    a  cap  1.0  all  1.0
    b  cap  1.0  all  1.0
    c  all  1.0
RHS
    RHS  cap  0.25  all  1.0
ENDATA
"""


def with_set(text):
    return ('kind = "l1_ball"\nradius = 1.5', text)


@pytest.fixture
def wide(tmp_path):
    """tmp_path/table.csv with four columns and a target."""
    rng = np.random.default_rng(0)
    table = rng.standard_normal((12, 5))
    np.savetxt(tmp_path / "table.csv", table, delimiter=",", header="a,b,c,d,y", comments="")
    return table


@pytest.mark.parametrize("text, made", [
    ('kind = "product"\nsets = [{kind = "simplex", d = 1}, {kind = "l1_ball", d = 2, radius = 2.0}]',
     gh.Product(gh.Simplex(1), gh.L1Ball(2, 2.0))),
    ('kind = "product"\nrepeat = 3\nsets = [{kind = "simplex", d = 1, total = 0.5}]', gh.Product(*[gh.Simplex(1, 0.5)] * 3)),
    ('kind = "product"\nsets = [{kind = "scaled", c = 2.0, S = {kind = "simplex", d = 2}}, {kind = "box", d = 1, lower = 0.0, '
     'upper = 1.0}]', gh.Product(gh.Scaled(gh.Simplex(2), 2.0), gh.Box([0.0], [1.0]))),
    ('kind = "sum"\nsets = [{kind = "l1_ball", radius = 0.5}, {kind = "linf_ball", radius = 0.1}]',
     gh.Sum(gh.L1Ball(3, 0.5), gh.LinfBall(3, 0.1))),
    ('kind = "scaled"\nc = -2.0\nS = {kind = "sum", sets = [{kind = "simplex"}, {kind = "l2_ball", radius = 0.1}]}',
     gh.Scaled(gh.Sum(gh.Simplex(3), gh.L2Ball(3, 0.1)), -2.0)),
    ('kind = "translated"\nv = [0.0, 1.0, 0.0]\nS = {kind = "product", sets = [{kind = "simplex", d = 3}]}',
     gh.Translated(gh.Product(gh.Simplex(3)), [0.0, 1.0, 0.0])),
    ('kind = "cached"\nS = {kind = "translated", v = [1.0, 1.0, 1.0], S = {kind = "simplex"}}',
     gh.Translated(gh.Simplex(3), np.ones(3))),
    ('kind = "path_polytope"\nedges = "edges.csv"\nnodes = 3\nsource = 0\ntarget = 2',
     gh.PathPolytope([[0, 1], [1, 2], [0, 2]], 3, 0, 2)),
    ('kind = "spanning_tree"\nedges = "edges.csv"\nnodes = 3', gh.SpanningTree([[0, 1], [1, 2], [0, 2]], 3)),
    ('kind = "vertices"\nmatrix = "row.csv"', gh.Vertices([[1.0, 2.0, 3.0]])),
    ('kind = "box"\nlower = 0.0\nupper = "row.csv"', gh.Box(np.zeros(3), [1.0, 2.0, 3.0])),
    ('kind = "group_l1_ball"\nradius = 1.0\ngroups = [[0, 1], [1, 2]]', gh.GroupL1Ball([[0, 1], [1, 2]], 1.0)),
    ('kind = "group_l1_ball"\nradius = 1.0\ngroups = [0, 1, 1]', gh.GroupL1Ball([0, 1, 1], 1.0)),
])
def test_sets_made_of_others_and_of_graphs(problem, tmp_path, text, made):
    (tmp_path / "edges.csv").write_text("from,to\n0,1\n1,2\n0,2\n")
    (tmp_path / "row.csv").write_text("1,2,3\n")
    S = load(Path(problem(with_set(text)))).S
    S = S.S if isinstance(S, gh.Cached) else S
    assert repr(S) == repr(made) and S.shape == made.shape == (3,)
    for g in np.random.default_rng(0).standard_normal((5, 3)):
        assert S.atom(g).dot(g) == made.atom(g).dot(g)
    assert run(["solve", problem(with_set(text)), "--quiet"]) == 0


@pytest.mark.parametrize("text, made", [('kind = "birkhoff"', gh.Birkhoff(2)),
                                        ('kind = "transport"\na = [0.5, 0.5]\nb = [0.25, 0.75]',
                                         gh.Transport([0.5, 0.5], [0.25, 0.75]))])
def test_columns_are_the_entries_of_a_matrix(problem, wide, capsys, text, made):
    pytest.importorskip("highspy")
    assert run(["solve", problem(with_set(text)), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    X, y = wide[:, :4], wide[:, 4]
    f = gh.least_squares(X, y)
    s = gh.minimize(f, gh.Product(made), stop=gh.Gap(1e-9))
    assert found["certificate"]["value"] == pytest.approx(s.value, abs=1e-6)


def test_a_model_beside_the_problem_file(problem, tmp_path, capsys):
    pytest.importorskip("highspy")
    (tmp_path / "model.mps").write_text(MPS)
    assert run(["solve", problem(with_set('kind = "linear_program"\nfile = "model.mps"')), "--quiet"]) == 0
    x = np.load(tmp_path / "out" / "solution.npz")["point"]
    assert x[:2].sum() <= 0.25 + 1e-9 and x.sum() == pytest.approx(1.0) and x.min() >= -1e-12
    (tmp_path / "model.mps").write_text("nothing of this kind")
    assert run(["solve", problem(with_set('kind = "linear_program"\nfile = "model.mps"'))]) == 2
    assert "HiGHS cannot read" in capsys.readouterr().err


def test_rows_by_name_have_prices(problem, capsys):
    pytest.importorskip("highspy")
    text = with_set('kind = "linear_program"\nA_ub = [[1, 1, 0]]\nb_ub = [0.3]\nA_eq = [[1, 1, 1]]\nb_eq = [1]\n'
                    'names = ["cap", "sum"]')
    assert run(["solve", problem(text), "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["prices"]) == ["cap", "sum"]
    assert run(["solve", problem(text)]) == 0
    assert "one more unit of a right-hand side: cap" in " ".join(capsys.readouterr().out.split())
    assert run(["solve", problem((text[0], text[1].replace(', "sum"', "")))]) == 2
    assert "names has 1 entries" in capsys.readouterr().err


@pytest.mark.parametrize("loss", ["log_det", "trace_inverse"])
def test_designs_have_a_weight_for_each_row_of_the_table(problem, table, capsys, loss):
    asked = [('target = "y"', 'exclude = ["y"]'), ("least_squares", loss), with_set('kind = "simplex"')]
    assert run(["solve", problem(*asked), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    s = gh.minimize(getattr(gh, loss)(table[0]), gh.Simplex(20), stop=gh.Gap(1e-8))
    assert found["certificate"]["value"] == pytest.approx(s.value, abs=1e-7)
    assert all(name.startswith("w[") for name in found["weights"])


@pytest.mark.parametrize("text, key, said", [
    ('kind = "product"\nsets = []', "set", "no set"),
    ('kind = "product"', "set.sets", "it is missing"),
    ('kind = "product"\nsets = {kind = "simplex"}', "set.sets", "a list is wanted"),
    ('kind = "product"\nsets = [{kind = "simplex"}]', "set.sets.0.d", "it is missing; a whole number is wanted."),
    ('kind = "product"\nsets = [{kind = "simplx", d = 3}]', "set.sets.0.kind", 'Did you mean "simplex"?'),
    ('kind = "product"\nsets = [{kind = "simplex", d = 2}]', "set", "shape (3,)"),
    ('kind = "product"\nsets = [{kind = "simplex", d = -1}]', "set", "-1"),
    ('kind = "product"\nsets = [{kind = "simplex", d = 3, totl = 1.0}]', "set.sets.0.totl", 'Did you mean "total"?'),
    ('kind = "product"\nsets = [{d = 3}]', "set.sets.0.kind", "one of l1_ball, simplex"),
    ('kind = "product"\nrepeat = 0\nsets = [{kind = "simplex", d = 3}]', "set", "repeat = 0"),
    ('kind = "product"\nrepeat = 99999999999\nsets = [{kind = "simplex", d = 3}]', "set", "repeat = 99999999999"),
    ('kind = "sum"\nsets = [{kind = "simplex", d = 3}]', "set.sets.0.d", "is not a key of simplex"),
    ('kind = "sum"\nsets = [3]', "set.sets.0", "a table is wanted"),
    ('kind = "sum"\nsets = [{kind = "simplex"}, {kind = "vertices", matrix = [[1.0, 2.0]]}]', "set", "of one shape"),
    ('kind = "scaled"\nc = 0.0\nS = {kind = "simplex"}', "set", "other than 0"),
    ('kind = "birkhoff"', "set", "3 columns, which are not the entries of a square matrix"),
    ('kind = "birkhoff"\nn = 2', "set", "shape (3,)"),
    ('kind = "transport"\na = [1.0]\nb = [0.5, 0.6, 0.1]', "set", "the same positive total"),
    ('kind = "linear_program"\nfile = "gone.mps"', "set.file", "There is no file"),
    ('kind = "linear_program"\nfile = "table.csv"\nupper = 1.0', "set", "together with rows, bounds or names"),
    ('kind = "linear_program"\nfile = 3', "set.file", "a word in quotation marks"),
    ('kind = "path_polytope"\nedges = [[0, 1]]\nnodes = 2\nsource = 1\ntarget = 0', "set", "No path"),
    ('kind = "path_polytope"\nedges = [[0.5, 1], [1, 2]]\nnodes = 3\nsource = 0\ntarget = 2', "set", "whole numbers"),
    ('kind = "path_polytope"\nedges = [[1e300, 1], [1, 2]]\nnodes = 3\nsource = 0\ntarget = 2', "set", ""),
    ('kind = "spanning_tree"\nedges = [[0, nan], [1, 2]]\nnodes = 3', "set", "whole numbers"),
    ('kind = "spanning_tree"\nedges = "table.csv"\nnodes = 3', "set", ""),
    ('kind = "path_polytope"\nedges = [0, 1]\nnodes = 2\nsource = 0\ntarget = 1', "set", "shape (m, 2)"),
    ('kind = "linear_program"\nA_ub = [[1, 0], [1, 1], [0, 1]]\nb_ub = [1, 1]\nupper = 1.0', "set", "Is it transposed?"),
    ('kind = "linear_program"\nA_ub = "column.csv"\nb_ub = [1]\nupper = 1.0', "set", "got shape (3, 1). Is it transposed?"),
    ('kind = "linear_program"\nA_eq = [1, 1, 1, 1, 1, 1]\nb_eq = [1, 1]', "set", "A_eq must have 3 columns"),
    ('kind = "linear_program"\nA_ub = [[1, 1]]\nb_ub = [1]', "set", "A_ub must have 3 columns, one for each column of the "
                                                                    "data; got shape (1, 2)."),
    ('kind = "linear_program"\nA_ub = [[[1, 1, 1]]]\nb_ub = [1]', "set", "a matrix and a vector"),
    ('kind = "linear_program"\nupper = [0.5]', "set", "upper must be one number, or 3 numbers"),
    ('kind = "linear_program"\nupper = 1.0\nlower = [0, 0]', "set", "lower must be one number, or 3 numbers"),
    ('kind = "linear_program"\nupper = [[1], [1], [1]]', "set", "got shape (3, 1)"),
    ('kind = "box"\nlower = [0]\nupper = 1.0', "set", "lower must be one number, or 3 numbers"),
    ('kind = "box"\nlower = 0.0\nupper = ["1", "1", "1"]', "set.upper", "a list of numbers"),
    ('kind = "box"\nlower = 0.0\nupper = [true, true, true]', "set.upper", "a list of numbers"),
    (f'kind = "box"\nlower = 0.0\nupper = [1{400 * "0"}, 1, 1]', "set.upper", "a list of numbers"),
    ('kind = "vertices"\nmatrix = [1, 0, 0]', "set", "one atom in each row"),
    ('kind = "group_l1_ball"\nradius = 1.0\ngroups = [[0, 1], [1]]', "set", "shape (3,)"),
])
def test_wrong_sets_get_words(problem, tmp_path, capsys, text, key, said):
    (tmp_path / "column.csv").write_text("1\n1\n1\n")
    assert run(["solve", problem(with_set(text))]) == 2
    err = capsys.readouterr().err
    assert "Traceback" not in err and "internal" not in err
    assert f", {key}: " in err and said in err, err
