"""Infinite curvature makes every bound refuse; odd numbers are named; constants and bounds say what they are."""

import doctest
import importlib
import inspect
import pkgutil

import numpy as np
import pytest

from greedyhull import theory
from greedyhull.errors import GreedyhullError
from greedyhull.theory import Bound, Constant

BOUNDS = {
    "recursion": lambda M: theory.recursion(M, [0.5], 0.0, 1.0),
    "limit": lambda M: theory.limit(0.5, 0.1, M),
    "rate": lambda M: theory.rate(M, 0.0, 3),
    "exact rate": lambda M: theory.rate(M, 0.0, 3, exact=True),
    "zhang": lambda M: theory.zhang(M, 0.0, 3),
    "aggregate_rate": lambda M: theory.aggregate_rate(M, 0.0, 3),
    "gap_rate": lambda M: theory.gap_rate(M, 0.0, 3),
    "line_search_rate": lambda M: theory.line_search_rate(M, 3),
    "warm_start_rate": lambda M: theory.warm_start_rate(M, 0.1, 3),
    "warm_start_index": lambda M: theory.warm_start_index(M, 0.0, 0.1),
    "multiplicative_rate": lambda M: theory.multiplicative_rate(M, 0.0, 0.5, 1.0, 3),
    "interior_rate": lambda M: theory.interior_rate(M, 0.0, 0.5, 3),
    "linear_rate": lambda M: theory.linear_rate(M, 0.1, 0.1, 1.0, 3),
    "jones_to_fw": lambda M: theory.jones_to_fw(0.0, 0.5, M),
    "fw_to_jones": lambda M: theory.fw_to_jones(0.0, 0.5, M),
    "prune": lambda M: theory.prune([0.0, 1.0], 0.5, M),
    "expect_rate": lambda M: theory.expect_rate(M, 0.0, 3),
    "asj": lambda M: theory.asj(theory.LastIterate(), 3, M=M, sigma=1.0, r_S=1.0),
    "asfw": lambda M: theory.asfw(theory.FixedHorizon(), 3, M=M, sigma=1.0, r_S=1.0, e1=1.0),
    "asfw_gap": lambda M: theory.asfw_gap(theory.AnytimeAverage(), 3, M=M, sigma=1.0, r_S=1.0, e1=1.0),
    "asfw_line_search": lambda M: theory.asfw_line_search(theory.LastIterate(), 3, M=1.0, M_mean=M, sigma=1.0, r_S=1.0),
    "storm_rate": lambda M: theory.storm_rate(M, 1.0, 1.0, 1.0, 1, 3),
}


@pytest.mark.parametrize("bound", BOUNDS.values(), ids=list(BOUNDS))
def test_curvature_must_be_finite(bound):
    with pytest.raises(GreedyhullError, match=r"infinite.*needs a finite one.*smooth the objective"):
        bound(np.inf)
    for wrong in (np.nan, -1.0):
        with pytest.raises(GreedyhullError, match="finite number >= 0"):
            bound(wrong)
    assert np.all(np.isfinite(bound(1.0)))


@pytest.mark.parametrize("call", [theory.rate, theory.zhang, theory.aggregate_rate, theory.gap_rate])
def test_counts_and_tolerances_are_checked(call):
    for k in (0, -1, 1.5, np.nan, np.inf, np.array([1, 0])):
        with pytest.raises(GreedyhullError, match="whole numbers k >= 1"):
            call(1.0, 0.0, k)
    for c in (-1.0, np.nan, np.inf):
        with pytest.raises(GreedyhullError, match="c is"):
            call(1.0, c, 3)
    assert call(1.0, 0.0, np.array([], dtype=int)).size == 0


def test_constants_say_how_they_were_found():
    M = Constant(4.0, "upper bound", "M")
    assert repr(M) == "M = 4 (upper bound)"
    assert float(M) == 4.0
    with pytest.raises(GreedyhullError, match="one of"):
        Constant(4.0, "guessed", "M")
    with pytest.raises(GreedyhullError, match="nan"):
        Constant(np.nan, "exact", "M")


def test_a_bound_holds_always_unless_a_constant_was_estimated():
    M, c = Constant(4.0, "exact", "M"), Constant(0.5, "upper bound", "c")
    sigma = Constant(1.0, "estimated", "sigma")
    formula = "(2M + 4c)/(k + 2)"
    sure = Bound("Theorem 2 (rate)", theory.rate(float(M), float(c), 98), (M, c), formula)
    assert sure.holds == "always"
    assert repr(sure) == "Theorem 2 (rate): (2M + 4c)/(k + 2) = 0.1, always; M = 4 (exact), c = 0.5 (upper bound)"
    unsure = Bound("noisy", 0.1, (M, sigma), formula)
    assert unsure.holds == "estimate"
    assert "estimate" in repr(unsure)
    assert Bound("no constants", 0.1, (), "1/(k + 1)").holds == "always"


def test_a_bound_refuses_an_infinite_constant():
    with pytest.raises(GreedyhullError, match=r"M = inf \(exact\).*finite constants"):
        Bound("Theorem 2 (rate)", np.inf, (Constant(np.inf, "exact", "M"),), "(2M + 4c)/(k + 2)")
    with pytest.raises(GreedyhullError, match="nan"):
        Bound("Theorem 2 (rate)", np.nan, (), "(2M + 4c)/(k + 2)")


@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(theory.__path__)])
def test_examples_in_the_docstrings_are_true(name):
    module = importlib.import_module(f"greedyhull.theory.{name}")
    assert doctest.testmod(module).failed == 0


ODD = [0.0, 1.0, 3, np.inf, -1.0, np.nan, 5e-324, 1e-200, 1e200, 1e308]
NUMERIC = ["aggregate_rate", "arsfw_K", "arsfw_K_printed", "arsfw_along", "arsfw_rate1", "arsfw_rate1_printed",
           "arsfw_recursion", "diverges", "fw_to_jones", "gap_rate", "greedy_step", "interior_rate", "jones_to_fw",
           "late_start_rate", "lazy_regret", "lazy_regret_printed", "line_search_rate", "linear_rate", "momentum_rate",
           "multiplicative_rate", "one_atom_lower", "online_cg_rate", "rate", "spider_gap", "spider_rate", "storc_rate",
           "storm_rate", "svfw_gap", "svrf_epoch_rate", "svrf_rate", "warm_start_index", "warm_start_rate",
           "without_replacement", "zhang"]


@pytest.mark.parametrize("name", NUMERIC)
def test_odd_numbers_are_answered_or_refused_in_words(name):
    """Zeros, infinities, numbers whose squares overflow or vanish: an answer that is no NaN, or a sentence."""
    function, rng = getattr(theory, name), np.random.default_rng(0)
    names = [p.name for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    answered = 0
    for _ in range(150):
        values = [ODD[i] for i in rng.integers(len(ODD), size=len(names))]
        try:
            found = function(**dict(zip(names, values, strict=True)))
        except GreedyhullError as error:
            assert len(str(error).split()) > 4
            continue
        answered += 1
        assert not np.any(np.isnan(np.asarray(found, dtype=float)))
    assert answered or name.startswith("arsfw_rate1") or len(names) > 3


@pytest.mark.parametrize("call", [
    lambda: theory.asj(theory.AnytimeAverage(), 1e15, M=1.0, sigma=1.0, r_S=1.0),
    lambda: theory.greedy_recursion(1.0, 1.0, 10**12),
    lambda: theory.BetterSchedule(1e-200).batch(1e200, 3),
    lambda: theory.FixedHorizon(1e200).bound(1.0, 1.0, 1.0, 3),
    lambda: theory.arsfw_along([0.5], [1.0, 2.0], 1.0, rho=1.0, M_Phi=1.0, R2=1.0),
    lambda: theory.arsfw_rate1([], c=1.0, L=1.0, rho=1.0, M_Phi=1.0, R2=1.0),
    lambda: theory.warm_start_index(1e308, 0.0, 5e-324)])
def test_what_cannot_be_computed_is_refused_in_words(call):
    with pytest.raises(GreedyhullError):
        call()


def test_overflow_on_the_way_does_not_spoil_a_bound():
    assert theory.warm_start_rate(1e308, 3.0, 2**52) == pytest.approx(3.0)
    assert theory.spider_rate(1e308, 0.0, 9) == theory.svrf_rate(1e308, 0.0, 9) == 0.0
    assert theory.without_replacement(2.0, np.inf, 3) == 2.0
    assert theory.momentum_rate(0.0, 1e-200, 1e200, 0.0, 1) == pytest.approx(8.0 / 9 ** (1 / 3))
