"""Numbers that are negative, not a number, empty or of a wrong type are refused in a sentence."""

import warnings

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import theory
from greedyhull.errors import GreedyhullError
from greedyhull.solvers.gradients import Minibatch

NEVER = (-1, -1.5, np.nan, -np.inf, None, "1", 1j, {1}, 10**400, np.datetime64("2020"), [[1], [1, 2]])  # whatever is asked for
MANY = ([], [1, 2], np.array([1.0, 2.0]), np.ones((2, 2)))
KNOWN = {"M": 1.0, "V": 1.0, "sigma": 1.0, "r_S": 1.0}


def expected(call, **given):
    given = {"estimator": Minibatch(2), "eta": [0.5], "constants": KNOWN, "n": 10, "e1": 1.0} | given
    return call(given.pop("estimator"), given.pop("eta"), given.pop("constants"), **given)


ONE = {f"{call.__name__} {name}": lambda x, call=call, name=name: expected(call, **{name: x})
       for call in (theory.expected_error, theory.expected_jones_error) for name in ("n", "e1")}
ONE |= {f"constant {name}": lambda x, name=name: expected(theory.expected_jones_error, constants={**KNOWN, name: x})
        for name in KNOWN}
for _schedule in (theory.GrowingWeights(), theory.LastIterate(), theory.AnytimeAverage(), theory.FixedHorizon(),
                  theory.AsRecorded([0.5] * 3, 2)):
    for _name in ("noise", "bend", "e1"):
        ONE[f"{type(_schedule).__name__} {_name}"] = lambda x, schedule=_schedule, name=_name: schedule.bound(
            **{"noise": 1.0, "bend": 1.0, "e1": 1.0, "t": 3, name: x})
ONE |= {
    "LastIterate p": theory.LastIterate, "swap_steps": theory.swap_steps, "simplex_width": theory.simplex_width,
    "simplex_width total": lambda x: theory.simplex_width(3, x),
    "recursion e0": lambda x: theory.recursion(1.0, [0.5], 0.0, x),
    "asj e1": lambda x: theory.asj(theory.GrowingWeights(), 3, M=1.0, sigma=1.0, r_S=1.0, e1=x),
}
SOME = {
    "expected eta": lambda x: expected(theory.expected_jones_error, eta=x),
    "expected eps": lambda x: expected(theory.expected_jones_error, eps=x),
    "pairwise atoms": lambda x: theory.pairwise_jones_error(0.5, x, 1.0),
    "GrowingWeights t": lambda x: theory.GrowingWeights().bound(1.0, 1.0, 1.0, x),
    "LastIterate t": lambda x: theory.LastIterate().bound(1.0, 1.0, 1.0, x),
    "jones_rate k": lambda x: theory.jones_rate(1.0, 0.0, x), "recursion eps": lambda x: theory.recursion(1.0, [0.5], x, 1.0),
    "batch": lambda x: theory.AsRecorded([0.5] * 3, x).bound(1.0, 1.0, 1.0, 3),
}


def refused(call, x):
    if x is None and call in (ONE["expected_error n"], ONE["expected_jones_error n"]):
        return  # a stream
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(GreedyhullError, match=r"\.$"):
            call(x)


@pytest.mark.parametrize("call", ONE.values(), ids=list(ONE))
def test_one_number_is_checked(call):
    for x in (*NEVER, *MANY):
        refused(call, x)
    assert call is theory.LastIterate or np.all(np.asarray(call(3)) >= 0)


@pytest.mark.parametrize("call", SOME.values(), ids=list(SOME))
def test_several_numbers_are_checked(call):
    assert len(NEVER) > 3
    for x in NEVER:
        refused(call, x)


def test_no_counts_have_no_bounds():
    none = np.array([], dtype=int)
    for schedule in (theory.GrowingWeights(), theory.AnytimeAverage(), theory.LastIterate()):
        assert schedule.bound(1.0, 1.0, 1.0, none).size == 0


def test_numbers_at_the_ends_of_floating_point_warn_nobody():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert theory.GrowingWeights().bound(1e308, 1e308, 1.0, 3) == np.inf
        assert expected(theory.expected_error, constants={**KNOWN, "sigma": 1e308})[-1] == np.inf
        assert theory.l1_width([1e308, 1e308]) == pytest.approx(1e308)


def test_the_variance_of_a_mixture_needs_its_atoms():
    f, S = gh.quadratic(np.eye(2)), gh.Simplex(2)
    for at in (np.array([0.5, 0.5]), [0.5, 0.5], 1, "point", gh.Simplex(3).centre()):
        with pytest.raises(GreedyhullError, match=r"^at "):
            theory.jones_variance(f, S, at)
    for x in (None, 1, "S", np.eye(2), gh.Simplex, gh.Simplex(3)):
        with pytest.raises(GreedyhullError):
            theory.jones_variance(f, x)
        with pytest.raises(GreedyhullError):
            theory.jones_variance(x, S)
