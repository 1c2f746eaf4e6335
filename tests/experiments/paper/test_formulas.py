"""Formulas that the page uses, against others: they are no evidence about runs, and not on the page."""

import numpy as np
import pytest

from greedyhull.experiments import asfw_eg_b
from greedyhull.experiments.paper.checks import fitted
from greedyhull.experiments.paper.problems import logit, play
from greedyhull.experiments.paper.propositions import hoeffding
from greedyhull.experiments.paper.stochastic import promised_by_k, promised_by_squares
from greedyhull.solvers.jones import Jones
from greedyhull.solvers.parts.schedules import harmonic
from greedyhull.solvers.parts.steps import OpenLoop
from greedyhull.theory import diverges, greedy_step, interior_rate, remaining


def test_powers_that_the_bounds_promise():
    goal = np.geomspace(1.0, 1e-2, 9) * 3.0
    (terms, calls), (fewer, steps) = promised_by_k(1.0, 2.0, goal), promised_by_squares(1.0, 2.0, goal)
    assert [fitted(1.0 / goal, x) for x in (terms, calls, fewer, steps)] == pytest.approx([4.0, 2.0, 3.0, 1.0], abs=0.1)


@pytest.mark.parametrize("r", [0.3, 0.5, 0.9])
def test_limits_of_the_second_example(r):
    assert asfw_eg_b(r, k=2, runs=2).limit == pytest.approx(r * (8 - 5 * r) / 18)
    for eta in (0.2, 0.5, 1.0):
        got = asfw_eg_b(r, eta, k=40, runs=2)
        assert got.limit == pytest.approx(r * (8 - 5 * r) / 18 + 5 * r * r * eta / (18 * (2 - eta)))
        assert got.exact == pytest.approx(got.limit, abs=1e-3)


def test_steps_by_turns_have_two_limits():
    after = [asfw_eg_b(0.5, (1.0, 0.5), k=k, runs=2) for k in (21, 22)]
    assert [got.exact for got in after] == pytest.approx([2 / 9, 3 / 16]) and np.isnan(after[0].limit)


def test_scheduled_steps_have_the_closed_form():
    k = 17
    assert asfw_eg_b(0.5, k=k, runs=2).exact == pytest.approx(
        0.5 * 5.5 / 18 + 5 * 0.25 / 18 * 2 * (2 * k + 1) / (3 * k * (k + 1)))


def test_what_jones_is_allowed():
    c, steps = 0.3, 50
    allowed = np.array([told["jones_allowed"] for told in play(logit(0), Jones(OpenLoop(), harmonic(c)), steps).also[1:]])
    eta = 2.0 / (np.arange(1.0, steps + 1.0) + 1.0)
    assert allowed == pytest.approx(c * eta**2)


def test_hoeffding_weights():
    k = 14
    x, bound, tail = hoeffding(k)
    assert tail[0] == 1.0 and tail[-1] == pytest.approx(2.0**-13)
    assert bound[-1] == pytest.approx(2 * np.exp(-1 / (2 * (2 * (2 * k + 1) / (3 * k * (k + 1))))))
    assert np.all(tail <= bound) and x[0] == 0.0


def test_small_facts():
    assert greedy_step(1.0, 1.0) == 0.5
    assert diverges(1.0) and not diverges(1.5)
    assert remaining([(j + 2.0) ** -2 for j in range(4000)]) == pytest.approx(0.5, abs=1e-3)
    assert 2.0 / (3.0 * float(interior_rate(1.0, 0.0, 1.0, 1))) == pytest.approx(4.0)
