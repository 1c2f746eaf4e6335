"""Attributes that do not exist: the error says what was probably meant, and nothing else changes."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.errors import ALIASES, suggesting

SOLVED = gh.minimize(gh.least_squares(np.eye(3), np.array([2.0, 1.0, 0.0])), gh.L1Ball(3, radius=1.0))
SETS = [gh.Simplex(3), gh.Simplex(3, upper=0.5), gh.CappedSimplex(3), gh.L1Ball(3, 1.0), gh.L2Ball(3, 1.0),
        gh.LinfBall(3, 1.0), gh.Box(np.zeros(3), 1.0), gh.Vertices(np.eye(3)), gh.oracle(np.sign, 3), gh.Cached(gh.Simplex(3)),
        gh.Inexact(gh.Simplex(3), 0.1)]


def said(it: object, name: str) -> str:
    with pytest.raises(AttributeError) as caught:
        getattr(it, name)
    return str(caught.value)


@pytest.mark.parametrize("it, name, meant", [
    (SOLVED, "fun", "value"), (SOLVED, "coef_", "x"), (SOLVED, "weight", "x, or point.weights for the weights of the atoms"),
    (SOLVED, "nit", "iterations"), (SOLVED, "lower", "certificate.lower"), (SOLVED, "valuex", "value"),
    (SOLVED, "plott", "plot"), (SOLVED.certificate, "upper", "value"), (SOLVED.certificate, "lowr", "lower"),
    (SOLVED.certificate, "dual_gap", "gap"),
    (gh.L1Ball(3, 1.0), "radious", "radius"), (gh.L1Ball(3, 1.0), "r", "radius"), (gh.Simplex(3), "dim", "shape"),
    (gh.Vertices(np.eye(3)), "lmo", "argmin"), (gh.Box(np.zeros(3), 1.0), "upperr", "upper"),
    (gh.Cached(gh.L1Ball(3, 1.0)), "radious", "radius"),
])
def test_it_says_what_was_meant(it: object, name: str, meant: str) -> None:
    assert said(it, name).endswith(f"object has no attribute {name!r}. Did you mean {meant}?")


@pytest.mark.parametrize("it, place", [(SOLVED, "Solution"), (SOLVED.certificate, "Certificate"),
                                       (gh.L1Ball(3, 1.0), "AtomSet")])
def test_what_is_meant_is_there_and_what_is_not_meant_is_not(it: Any, place: str) -> None:
    for meant, names in ALIASES[place].items():
        first, _, rest = meant.partition(",")[0].partition(".")
        there = getattr(it, first)
        assert not rest or hasattr(there, rest)
        assert not any(hasattr(it, name) for name in names.split())


@pytest.mark.parametrize("it", [SOLVED, SOLVED.certificate, *SETS], ids=lambda it: repr(it)[:30])
def test_everything_else_is_as_before(it: Any) -> None:
    assert not hasattr(it, "quux") and getattr(it, "quux", 7) == 7 and said(it, "quux").endswith("has no attribute 'quux'")
    assert not hasattr(it, "__quux__") and not hasattr(it, "_quux")
    assert repr(copy.copy(it)) == repr(copy.deepcopy(it)) == repr(it)
    assert repr(pickle.loads(pickle.dumps(it))) == repr(it)
    empty = object.__new__(type(it))  # as pickle makes it, before it is filled
    assert not hasattr(empty, "quux")


def test_errors_of_properties_are_their_own() -> None:
    @suggesting("Solution")
    class Broken:
        @property
        def value(self) -> Any:
            return self.inner  # type: ignore[attr-defined]

    assert said(Broken(), "value") == "'Broken' object has no attribute 'inner'"
    assert said(Broken(), "fun").endswith("Did you mean value?")


def test_sets_of_users_say_it_too() -> None:
    class Own(gh.AtomSet):
        shape = (3,)
        speed = 1.0

        def argmin(self, g: np.ndarray) -> np.ndarray:
            return -np.sign(g)

    assert said(Own(), "sped").endswith("Did you mean speed?") and said(Own(), "lmo").endswith("Did you mean argmin?")


def test_python_does_not_suggest_once_more() -> None:
    done = subprocess.run([sys.executable, "-c", "import greedyhull as gh; gh.L1Ball(3, 1.0).radious"], capture_output=True,
                          text=True)
    assert done.stderr.count("id you mean") == 1


NEEDED: dict[Any, tuple[Any, ...]] = {gh.Simplex: (3,), gh.CappedSimplex: (3,), gh.L1Ball: (3, 1.0), gh.L2Ball: (3, 1.0),
                                      gh.LinfBall: (3, 1.0), gh.Box: ([0.0], 1.0), gh.Vertices: (np.eye(3),),
                                      gh.Cached: (gh.Simplex(3),), gh.Inexact: (gh.Simplex(3),)}


def noted(call: Callable[[], Any]) -> str:
    with pytest.raises(TypeError) as caught:
        call()
    return " ".join(getattr(caught.value, "__notes__", []))


@pytest.mark.parametrize("cls", NEEDED, ids=lambda cls: cls.__name__)
def test_every_set_names_the_arguments_that_it_takes(cls: Any) -> None:
    assert cls(*NEEDED[cls]) is not None
    assert noted(lambda: cls(*NEEDED[cls], quux=1)).startswith(f"There is no quux here. {cls.__name__} takes ")


@pytest.mark.parametrize("call, words", [
    (lambda: gh.L1Ball(3, r=1.0), "Did you mean radius=?"), (lambda: gh.L1Ball(3, raduis=1.0), "Did you mean radius=?"),
    (lambda: gh.L2Ball(3, 1.0, center=0), "Did you mean centre=?"), (lambda: gh.Simplex(n=3), "Did you mean d=?"),
    (lambda: gh.Simplex(3, cap=0.5), "Did you mean upper=?"), (lambda: gh.Box(lb=[0.0], ub=1.0), "Did you mean lower=?"),
    (lambda: gh.Vertices(points=np.eye(3)), "Did you mean matrix=?"), (lambda: gh.L1Ball(3, 1.0, [1.0]), "L1Ball takes d="),
    (lambda: gh.L1Ball(3, 1.0, tol=1e-6), "It is an argument of gh.minimize: stop=gh.Relative(1e-06)"),
    (lambda: gh.oracle(fnn=np.sign, shape=3), "Did you mean fn=?"), (lambda: gh.Gap(tol=1e-6), "Did you mean absolute=?"),
    (lambda: gh.Relative(rtol=1e-6), "Did you mean r=?"), (lambda: gh.Iterations(n=9), "Did you mean k=?"),
    (lambda: gh.Seconds(limit=3), "Did you mean t=?"), (lambda: gh.Stalled(patience=3), "Did you mean k=?"),
    (lambda: gh.Callback(func=len), "Did you mean fn=?"), (lambda: gh.RelativeToStart(tol=0.1), "Did you mean r=?"),
    (lambda: gh.finite_sum(len, len, 3, 3, smothness=1.0), "Did you mean smoothness=?"),
    (lambda: gh.expectation(max, 3, lipshitz=1.0), "Did you mean lipschitz=?"),
    (lambda: gh.compare([SOLVED], label=["a"]), "Did you mean labels=?"),
])
def test_arguments_of_sets_stops_and_objectives(call: Callable[[], Any], words: str) -> None:
    assert words in noted(call)
