"""Wrong problem files are refused with all of their errors, each with its line, its key and what is wanted."""

import re

import numpy as np
import pytest

from greedyhull.cli import run

WRONG = """
sede = 1
[data]
file = "tabel.csv"
features = 3
[objective]
loss = "least_square"
[set]
kind = "l1_ball"
radis = 2.0
[solver]
name = "frank_wolfe"
step = {name = "power", q = 2}
tolerance = "none"
[stop]
relative = -1
iterations = 1.5
[output]
report = "yes"
"""


@pytest.fixture
def refused(problem, capsys):
    """The complaint about a file: how many errors it announces, and its lines."""

    def refuse(*changes, **options):
        assert run(["solve", problem(*changes, **options)]) == 2
        out, err = capsys.readouterr()
        assert out == "" and "Traceback" not in err
        head, *faults = err.rstrip("\n").split("\n")
        assert re.fullmatch(r"greedyhull: .*problem\.toml has (an error|\d+ errors):", head), err
        assert head.endswith(f" {len(faults)} errors:" if len(faults) > 1 else " an error:")
        return [fault.strip() for fault in faults]

    return refuse


def test_all_errors_at_once_in_the_order_of_the_file(refused):
    faults = refused(text=WRONG)
    expected = [
        (2, "sede", 'Did you mean "seed"?'),
        (3, "data.target", "it is missing; the name or the number of a column is wanted"),
        (4, "data.file", "There is no file"), (5, "data.features", "3 was given; a list is wanted."),
        (7, "objective.loss", 'Did you mean "least_squares"?'),
        (10, "set.radis", 'is not a key of l1_ball; one of kind, radius, weights is wanted. Did you mean "radius"?'),
        (13, "solver.step.p", "it is missing; a number is wanted."), (13, "solver.step.q", "one of name, p is wanted"),
        (14, "solver.tolerance", '"none" was given; a number, or one of constant, harmonic,'),
        (16, "stop.relative", "-1 was given; a number of at least 0 is wanted."),
        (17, "stop.iterations", "1.5 was given; a whole number is wanted."),
        (19, "output.report", '"yes" was given; true or false is wanted.')]
    assert len(faults) == len(expected)
    for fault, (line, key, words) in zip(faults, expected, strict=True):
        assert fault.startswith(f"line {line}, {key}: ") and words in fault, fault


@pytest.mark.parametrize("given", ["[1, 1]", "[]", "1.5", "true", "{a = 1}", "2020-01-01"])
def test_columns_of_other_types_get_one_complaint_each(refused, given):
    faults = refused(('"least_squares"', f'"least_squares"\nsample_weight = {given}'),
                     ('target = "y"', f'target = {given}\nfeatures = [{given}]'))
    assert [fault.partition(":")[0].partition(", ")[2] for fault in faults] == [
        "data.target", "data.features.0", "objective.sample_weight"]
    assert all(fault.endswith("was given; the name or the number of a column is wanted.") for fault in faults)


def test_a_misspelt_name_hides_nothing_else_of_its_table(refused):
    faults = refused(
        ('"least_squares"', '"hubr"\ndelta = -1'), ('"l1_ball"\nradius = 1.5', '"l1_bal"\nradius = -2\nwieghts = 3'),
        ("[stop]", '[solver]\nname = "frank_wolf"\nstep = {name = "powr", p = "x"}\ntolerance = "harmonc"\nseed = 1\n'
                   "[stop]"))
    for key, words in {"objective.loss": '"huber"?', "objective.delta": "-1 was given", "set.kind": '"l1_ball"?',
                       "set.radius": "-2 was given", "set.wieghts": 'Did you mean "weights"?', "solver.name": '"frank_wolfe"?',
                       "solver.step.name": '"power"?', "solver.step.p": '"x" was given; a number',
                       "solver.tolerance": '"harmonic"?', "solver.seed": "is not a key of frank_wolfe"}.items():
        assert sum(f", {key}: " in fault and words in fault for fault in faults) == 1, (key, faults)
    assert len(faults) == 10


def test_a_misspelt_key_or_table_hides_nothing_either(refused):
    faults = refused(("[objective]\nloss", '[objectve]\nintercpt = "yes"\nloss'), ("radius = 1.5", "raduis = -2"),
                     ("[stop]\ngap = 1e-8", "[stopp]\nsecond = -1"), ('[output]\nfolder = "out"', "[outputs]\nfolder = 3"))
    for key, words in {"objectve": '"objective"?', "objective.intercpt": '"intercept"?', "set.raduis": '"radius"?',
                       "objective.intercept": '"yes" was given', "set.radius": "-2 was given", "stopp": '"stop"?',
                       "stop.second": '"seconds"?', "stop.seconds": "-1 was given", "outputs": '"output"?',
                       "output.folder": "3 was given"}.items():
        assert sum(f", {key}: " in fault and words in fault for fault in faults) == 1, (key, faults)
    assert len(faults) == 10 and all(fault.startswith("line ") for fault in faults)
    assert not any("is missing" in fault for fault in faults)


def test_what_is_wrong_with_the_data_stands_beside_what_is_wrong_with_the_file(refused, tmp_path):
    faults = refused(('target = "y"', 'target = "z"\nfeatures = ["a", "q"]'), ("radius = 1.5", "radius = -1"),
                     ("gap = 1e-8", "gap = -1"), ("[stop]", '[solver]\nname = "jones"\nstep = "short"\n[stop]'))
    keys = [fault.split(": ")[0].split(", ")[1] for fault in faults]
    assert keys == ["data.target", "data.features", "set.radius", "solver", "stop.gap"]
    (tmp_path / "table.csv").write_text("a,b,y\n1,2,3\n4,five,6\n")
    faults = refused(('"least_squares"', '"hubr"\ndelta = 2'), ("gap = 1e-8", "gap = -1"))
    assert len(faults) == 3 and "five" in faults[0] and "huber" in faults[1] and "stop.gap" in faults[2]


@pytest.mark.parametrize("solver", [
    'name = "mixed"\nsolvers = ["frank_wolf", {name = "jonse", step = 3}]', 'name = "qqq"\nstep = 3', 'name = 3\nstep = 3',
    'name = "mixed"\nsolvers = "frank_wolf"'])
def test_misspelt_names_in_odd_places_end(refused, solver):
    assert any("solver" in fault for fault in refused(("[stop]", f"[solver]\n{solver}\n[stop]")))


def test_faults_of_columns_and_solver_together(refused):
    faults = refused(('target = "y"', 'target = "z"\nfeatures = ["a", "q"]'),
                     ('"least_squares"', '"least_squares"\nsample_weight = 9'),
                     ("[stop]", '[solver]\nname = "corrective"\nbatch = 0\n[stop]'))
    keys = [fault.split(": ")[0].split(", ")[1] for fault in faults]
    assert keys == ["data.target", "data.features", "objective.sample_weight", "solver"]
    assert "one of a, b, c, y is wanted" in faults[0] and "batch and steps of Corrective must be" in faults[3]


@pytest.mark.parametrize("changes, key, words", [
    ([("radius = 1.5", "radius = -1.5")], "set.radius", "-1.5 was given; a number above 0 is wanted."),
    ([("radius = 1.5", "radius = true")], "set.radius", "true was given; a number is wanted."),
    ([('kind = "l1_ball"\n', "")], "set.kind", "it is missing; one of l1_ball, simplex,"),
    ([('kind = "l1_ball"', 'kind = "l1"')], "set.kind", '"l1" was given; one of l1_ball,'),
    ([("radius = 1.5", 'radius = 1.5\nweights = "none.csv"')], "set.weights", "There is no file"),
    ([("radius = 1.5", "radius = 1.5\nweights = [1.0, 2.0]")], "set", "weights"),
    ([("radius = 1.5", 'radius = 1.5\nweights = [1.0, "x"]')], "set.weights", "a list of numbers"),
    ([("[stop]", '[solver]\nname = "jones"\nstep = {p = 1}\n[stop]')], "solver.step.name", "one of exact, short,"),
    ([("[stop]", '[solver]\nname = "jones"\nstep = "power"\n[stop]')], "solver.step.p", "it is missing; a number is wanted."),
    ([("[stop]", '[solver]\nname = "lu_freund"\nbatch = 1.5\n[stop]')], "solver.batch", "1.5 was given; a whole number"),
    ([("[stop]", '[solver]\nname = "mixed"\nsolvers = [{step = "exact"}]\n[stop]')], "solver.solvers.0.name", "frank_wolfe"),
    ([('[set]\nkind = "l1_ball"\nradius = 1.5', ""), ("[data]", "set = 3\n[data]")], "set", "3 was given; a table is wanted."),
    ([("[stop]\ngap = 1e-8", ""), ("[data]", "stop = 3\n[data]")], "stop", "3 was given; a table is wanted."),
    ([("[data]", "[dat]")], "dat", 'Did you mean "data"?'),
    ([("[data]", "[zzz]")], "data", "the table [data], with a file, is wanted."),
    ([('"l1_ball"', '"L1Ball"')], "set.kind", 'Did you mean "l1_ball"?'),
    ([('"least_squares"', '"mse"')], "objective.loss", 'Did you mean "least_squares"?'),
    ([("gap = 1e-8", "max_iter = 8")], "stop.max_iter", 'Did you mean "iterations"?'),
    ([('"table.csv"', '"table.csv"\nlabel = "y"'), ('target = "y"\n', "")], "data.label", 'Did you mean "target"?'),
    ([('"least_squares"', '"huber"\ndelta = 0')], "objective.delta", "a number above 0"),
    ([('"least_squares"', '"least_squares"\nl2 = -0.5')], "objective.l2", "-0.5 was given; a number of at least 0 is wanted."),
    ([('"least_squares"', '"least_squares"\nl2 = inf')], "objective.l2", "inf was given"),
    ([('"least_squares"', '"least_squares"\nl2 = "much"')], "objective.l2", "a number"),
    ([('"least_squares"', '"least_squares"\nridge = 0.5')], "objective.ridge", 'Did you mean "l2"?'),
    ([('"least_squares"', '"quantile"')], "objective.q", "it is missing; a number is wanted."),
    ([('"least_squares"', '"logistic"')], "data.target", "20 different labels; two are wanted"),
    ([('"least_squares"', '"quadratic"\nQ = "table.csv"')], "data", "takes no data"),
    ([('target = "y"', 'target = "y"\nfeatures = ["a", "a"]')], "data.features", "a is listed twice"),
    ([('target = "y"', 'target = "y"\nfeatures = ["a", "y"]')], "data.features", "y is the target"),
    ([('target = "y"', 'target = "y"\nformat = "xls"')], "data.format", "one of csv, libsvm, npy, npz is wanted."),
    ([('"table.csv"', '"problem.toml"')], "data.file", "does not tell its format"),
    ([("[stop]", '[solver]\nname = "jonse"\n[stop]')], "solver.name", 'Did you mean "jones"?'),
    ([("[stop]", '[solver]\nname = "jones"\nbatch = 3\n[stop]')], "solver.batch", "is not a key of jones; one of name, step,"),
    ([("[stop]", '[solver]\nname = "stochastic_jones"\nbatch = "32"\n[stop]')], "solver.batch", "a whole number, or one of"),
    ([("[stop]", '[solver]\nname = "jones"\nstep = "short"\n[stop]')], "solver", "step of Jones must be Exact()"),
])
def test_one_error(refused, changes, key, words):
    faults = refused(*changes)
    assert any(fault.split(": ")[0].split(", ")[-1] == key and words in fault for fault in faults), faults


def test_a_target_that_is_nowhere_is_one_error(refused, tmp_path, table):
    np.savez(tmp_path / "X.npz", X=table[0])
    (fault,) = refused(('"table.csv"\ntarget = "y"', '"X.npz"'))
    assert fault.startswith("line 2, data.target: it is missing") and "target_file" in fault
    (fault,) = refused(('target = "y"', 'target = "z"'))
    assert fault.startswith("line 4, data.target: ")


@pytest.mark.parametrize("text, words", [("[data\nfile = 3", "is not a TOML file"), ("x = \n[set]", "at line 1")])
def test_files_that_are_not_toml(problem, capsys, text, words):
    assert run(["solve", problem(text=text)]) == 2
    assert words in capsys.readouterr().err


def test_a_file_that_is_not_there(capsys):
    assert run(["solve", "nowhere.toml"]) == 2
    assert capsys.readouterr().err == "greedyhull: There is no problem file nowhere.toml.\n"
