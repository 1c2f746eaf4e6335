"""Arguments and names that are not there: the error says which ones are, and signatures stay as they are."""

import inspect
import pydoc
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.errors import ALIASES, APPS, ESTIMATORS, ROOMS, hinting

f, S = gh.least_squares(np.eye(3), np.ones(3)), gh.Simplex(3)


def noted(call: Any) -> str:
    with pytest.raises(TypeError) as caught:
        call()
    return " ".join(getattr(caught.value, "__notes__", []))


@pytest.mark.parametrize("given, words", [
    ({"tol": 1e-4}, "There is no tol here. Give stop=gh.Relative(0.0001) for a relative gap, stop=gh.Gap(0.0001)"),
    ({"gap": 1e-4}, "stop=gh.Gap(0.0001)"),
    ({"max_iter": 50}, "stop=gh.Iterations(50)"),
    ({"maxiter": None}, "stop=gh.Iterations(...)"),
    ({"timeout": 3}, "stop=gh.Seconds(3)"),
    ({"callback": print}, "watch=..."),
    ({"random_state": 7}, "seed=7"),
    ({"verbose": True}, "progress=True"),
    ({"x0": np.ones(3)}, "start=..."),
    ({"w0": 0}, "start=0"),
    ({"init": 0}, "start=0"),
    ({"method": "fw"}, "solver=gh.FrankWolfe()"),
    ({"algorithm": "fw"}, "solver=gh.FrankWolfe()"),
    ({"strat": 0}, "Did you mean start=?"),
    ({"Seed": 0}, "Did you mean seed=?"),
    ({"check_point": "a"}, "Did you mean checkpoint=?"),
])
def test_minimize_says_what_was_meant(given: dict[str, Any], words: str) -> None:
    assert words in noted(lambda: gh.minimize(f, S, **given))


@pytest.mark.parametrize("call, words", [
    (lambda: gh.minimize(f, S, gh.Jones(), np.ones(3)), "Only f, S, solver can be given by position; give the others "),
    (lambda: gh.path(f, gh.L1Ball(3, 1.0), [1.0], tol=1e-3), "stop=gh.Relative(0.001)"),  # type: ignore[call-arg]
    (lambda: gh.path(f, gh.L1Ball(3, 1.0), radius=[1.0]), "Did you mean radii=?"),  # type: ignore[call-arg]
    (lambda: gh.certify(f, S, np.ones(3), tl=1.0), "Did you mean tol=?"),  # type: ignore[call-arg]
    (lambda: gh.least_squares(np.eye(3), np.ones(3), weights=1), "sample_weight=1"),  # type: ignore[call-arg]
    (lambda: gh.logistic(np.eye(3), np.ones(3), fit_intercept=True), "intercept=True"),  # type: ignore[call-arg]
    (lambda: gh.huber(np.eye(3), np.ones(3), dleta=2.0), "Did you mean delta=?"),  # type: ignore[call-arg]
    (lambda: gh.function(sum, jac=sum, shape=3), "gradient=..."),  # type: ignore[call-arg]
])
def test_other_functions_do_too(call: Any, words: str) -> None:
    assert words in noted(call)


def test_errors_from_within_are_left_alone() -> None:
    def watch(event: Any) -> None:
        raise TypeError("mine")

    assert noted(lambda: gh.minimize(f, S, watch=watch)) == ""
    assert noted(lambda: gh.minimize(f)) == ""  # type: ignore[call-arg]


def test_an_argument_that_resembles_none_is_answered_with_those_that_there_are() -> None:
    assert noted(lambda: gh.minimize(f, S, nonsense=1)).startswith(  # type: ignore[call-arg]
        "There is no nonsense here. The arguments are f=, S=, solver=, start=, stop=")


def test_signatures_and_names_are_those_of_the_function() -> None:
    assert list(inspect.signature(gh.minimize).parameters) == [
        "f", "S", "solver", "start", "stop", "watch", "seed", "progress", "check", "checkpoint", "resume", "threads"]
    assert gh.minimize.__name__ == "minimize" and gh.minimize.__module__ == "greedyhull.driver.run"
    assert inspect.getfile(inspect.unwrap(gh.minimize)).endswith("run.py")

    def plain(a: int, /, b: int = 2, *, c: int = 3) -> int:
        return a + b + c

    assert inspect.signature(hinting(plain)) == inspect.signature(plain) and hinting(plain)(1, c=5) == 8


def test_a_caution_still_names_the_line_that_called() -> None:
    A = np.random.default_rng(0).standard_normal((20, 3))
    with pytest.warns(gh.GreedyhullWarning) as caught:
        gh.minimize(gh.absolute(A, np.ones(20)), S, gh.Jones(), stop=gh.Iterations(3))
    assert caught[0].filename == __file__


@pytest.mark.parametrize("name, words", [
    ("SimplexRegressor", "it is in greedyhull.estimators: from greedyhull.estimators import SimplexRegressor"),
    ("SimplexRegresor", "Did you mean greedyhull.estimators.SimplexRegressor?"),
    ("FrankWolf", "Did you mean FrankWolfe?"),
    ("frankwolfe", "Did you mean FrankWolfe?"),
    ("frank_wolfe", "Did you mean FrankWolfe?"),
    ("l1_ball", "Did you mean L1Ball?"),
    ("LeastSquares", "least_squares"),
    ("minimise", "Did you mean minimize?"),
    ("StochasticFrankWolf", "Did you mean StochasticFrankWolfe?"),
    ("Lasso", "least_squares(X, y) over L1Ball(d, radius), or greedyhull.estimators.L1BudgetRegressor"),
    ("solve", "Use minimize."),
    ("lasso", "greedyhull.estimators.L1BudgetRegressor"),
    ("L1", "Use L1Ball."),
    ("Ball", "L1Ball, L2Ball or LinfBall"),
    ("fw", "Use FrankWolfe."),
    ("logistic_regression", "logistic(X, y)"),
    ("Line_Search", "Use Exact."),
    ("lmo", "Use oracle."),
    ("synthetic_control", "it is in greedyhull.apps: from greedyhull.apps import synthetic_control"),
])
def test_names_that_are_elsewhere_or_misspelt(name: str, words: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(gh, name)
    assert str(caught.value).startswith(f"module 'greedyhull' has no attribute {name!r}") and words in str(caught.value)
    assert not hasattr(gh, name)


@pytest.mark.parametrize("name", ["__wrapped__", "_private", "quux", "Chordal", "shelf"])
def test_names_that_nobody_knows(name: str) -> None:
    with pytest.raises(AttributeError, match=f"^module 'greedyhull' has no attribute '{name}'$"):
        getattr(gh, name)


def test_what_is_said_to_be_elsewhere_is_there() -> None:
    apps, estimators = pytest.importorskip("greedyhull.apps"), pytest.importorskip("greedyhull.estimators")
    assert set(ESTIMATORS) == set(estimators.__all__) and set(APPS) == set(apps.__all__)
    named = {word for words in ALIASES["greedyhull"] for word in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", words)}
    named -= {"greedyhull", "estimators", "X", "y", "d", "radius", "over", "or", "fn", "shape"}
    assert named <= {*gh.__all__, *estimators.__all__}


def test_modules_are_loaded_when_they_are_first_asked_for() -> None:
    ask = ("import sys, greedyhull as gh; dir(gh); print('sklearn' in sys.modules)\n"
           f"for room in {ROOMS}: assert getattr(gh, room).__name__.endswith('.' + room)\n"
           "print('sklearn' in sys.modules)")
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["False", "True"], done.stderr


def test_a_module_that_lacks_what_it_needs_says_so_and_is_no_attribute() -> None:
    ask = ("import importlib.util as u; found = u.find_spec; "
           "u.find_spec = lambda name, *more: None if name == 'sklearn' else found(name, *more); "
           "import greedyhull as gh; print(hasattr(gh, 'estimators')); gh.estimators")
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, timeout=120)
    last = done.stderr.strip().splitlines()[-1]
    assert done.stdout.strip() == "False" and last.startswith("AttributeError: greedyhull.estimators needs scikit-learn")


def test_help_begins_with_all_public_names_and_dir_has_no_others() -> None:
    words = set(re.findall(r"[A-Za-z_0-9]+", gh.__doc__ or ""))
    assert set(gh.__all__) <= words and {f"gh.{room}" for room in ROOMS} <= set(re.findall(r"gh\.\w+", gh.__doc__ or ""))
    assert dir(gh) == sorted([*gh.__all__, "__version__"])
    assert pydoc.plain(pydoc.render_doc(gh)).index("minimize, batch (many problems), path") < 1500


def test_python_does_not_suggest_once_more() -> None:
    done = subprocess.run([sys.executable, "-c", "import greedyhull as gh; gh.FrankWolf"], capture_output=True, text=True)
    assert done.stderr.count("id you mean") == 1


# --- black boxes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("returned, words", [
    ((1.0, np.ones(3)), "value(w) returned 2 things; return the value alone"),
    ((1.0,), "value(w) returned 1 things"),
    (None, "value(w) returned a NoneType. One number is wanted."),
    (np.ones(3), "an array of shape (3,)"),
    ("1.0", "a str"),
    (1j, "a complex"),
    ([1.0], "a list"),
    ([[1.0], [1.0, 2.0]], "a list"),
])
def test_a_value_is_one_number(returned: Any, words: str) -> None:
    with pytest.raises(gh.GreedyhullError) as caught:
        gh.minimize(gh.function(lambda w: returned, lambda w: w, 3), S)
    assert words in str(caught.value) and "One number is wanted" in str(caught.value)


@pytest.mark.parametrize("kind", [float, np.float32, np.array, lambda v: np.array([v]), lambda v: np.array([[v]])])
def test_numbers_of_many_kinds_are_values(kind: Any) -> None:
    s = gh.minimize(gh.function(lambda w: kind(float(w @ w)), lambda w: 2 * w, 3), S, stop=gh.Gap(1e-3))
    assert s.converged and s.value == pytest.approx(1 / 3, abs=1e-3)


@pytest.mark.parametrize("returned", [(np.ones(3), 1), None, "ab", np.ones(3) * 1j, [[1.0], [1.0, 2.0]], np.ones(2)])
def test_a_gradient_is_one_array(returned: Any) -> None:
    with pytest.raises(gh.GreedyhullError, match=r"^gradient\(w\) returned .* wanted\.$"):
        gh.minimize(gh.function(lambda w: 1.0, lambda w: returned, 3), S)
