"""Theorem 1, stronger form: limsup e_k <= limsup (ε_k + M η_k/2) if the steps have an infinite sum."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedyhull.errors import GreedyhullError
from greedyhull.theory import diverges, limit, recursion, remaining


@pytest.mark.parametrize("family", ["fw", "jones"])
@pytest.mark.parametrize("eta, eps", [(0.3, 0.0), (0.05, 0.1)])
def test_constant_steps_end_in_the_promised_neighbourhood(problem, play, family, eta, eps):
    K = 250
    run = play(problem, K, family, eta=lambda k: eta, eps=lambda k: eps)
    promised = limit(eta, eps, problem.M)
    assert run.errors[-50:].max() <= promised + remaining([eta] * (K - 50)) * run.errors[0] + 1e-12


@given(st.floats(0.01, 1), st.floats(0, 1), st.floats(0, 10), st.floats(0, 10))
def test_the_limit_is_where_the_recursion_ends(eta, eps, M, e0):
    end = recursion(M, np.full(3000, eta), eps, e0)[-1]
    assert end == pytest.approx(limit(eta, eps, M), abs=1e-9)


@pytest.mark.parametrize("family", ["fw", "jones"])
def test_tolerances_may_vanish_more_slowly_than_steps(problem, play, family):
    """ε_k/η_k tends to infinity here, which the theorem does not forbid: only ε_k -> 0 counts."""

    def eta(k):
        return 1 / (k + 1)

    def eps(k):
        return (k + 1) ** -0.3

    run = play(problem, 300, family, eta=eta, eps=eps)
    k = np.arange(300)
    promised = limit(eta(k), eps(k), problem.M)
    assert promised == pytest.approx(eps(150) + problem.M / 2 * eta(150))
    assert run.errors[-1] <= promised + remaining(eta(k[150:])) * run.errors[150] + 1e-12
    assert limit(eta, eps, problem.M) < 1e-5


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40), st.floats(0, 5), st.floats(0, 9))
def test_the_finite_form(steps, M, e0):
    """e_K <= δ + remaining(η) (e_0 - δ)₊ with δ the largest ε_k + M η_k/2."""
    eta, eps = np.array(steps).T
    delta = (eps + M / 2 * eta).max()
    end = recursion(M, eta, eps, e0)[-1]
    assert end <= delta + remaining(eta) * max(e0 - delta, 0) + 1e-12


def test_summable_steps_break_it():
    """f(w) = w on [0, 1] with exact atoms and η_k = 1/(k + 2)²: half the error stays for ever, and limit() refuses."""
    eta = 1 / (np.arange(5000) + 2.0) ** 2
    w = recursion(0.0, eta, 0.0, e0=1.0)[-1]
    assert w == pytest.approx(0.5, abs=1e-3)
    assert w == remaining(eta)
    with pytest.raises(GreedyhullError, match="finite sum"):
        limit(lambda k: 1 / (k + 2) ** 2, 0.0, M=0.0)
    with pytest.raises(GreedyhullError, match="finite sum"):
        limit(0.0, 0.0, M=0.0)


@pytest.mark.parametrize(
    "steps, answer",
    [
        (0.5, True),
        (1.0, True),
        (1.01, False),
        (lambda k: 2 / (k + 2), True),
        (lambda k: 0.1, True),
        (lambda k: k**-0.99, True),
        (lambda k: k**-1.01, False),
        (lambda k: 1 / (k * log(k)), True),
        (lambda k: 1 / (k * log(k) ** 1.5), False),
        (lambda k: (2 + log(k + 1)) / (k + 2 + log(k + 1)), True),
        (lambda k: 0.0, False),
    ],
)
def test_which_steps_diverge(steps, answer):
    assert diverges(steps) is answer


def test_numbers_records_and_rules_may_be_mixed():
    assert limit(np.array([1.0, 1.0, 0.2, 0.1]), 0.5, M=2.0) == pytest.approx(0.7)
    assert limit(np.array([0.2, 0.1]), np.array([9.0, 0.3]), M=2.0) == pytest.approx(0.4)
    assert limit(np.array([1.0, 1.0, 0.2, 0.1]), lambda k: 1 / (k + 1), M=2.0) == pytest.approx(1 / 3 + 0.2)
    assert limit(lambda k: 2 / (k + 2), 0.25, M=2.0) == pytest.approx(0.25)


@pytest.mark.parametrize(
    "eta, eps, M, says",
    [
        (0.1, 0.1, np.inf, "curvature M is infinite"),
        (0.1, lambda k: log(k), 1.0, "The rule increases"),
        (0.1, lambda k: 1 - 1 / k, 1.0, "The rule increases"),
        (np.array([0.1, 0.2]), np.array([0.1]), 1.0, "common length"),
        (np.array([]), 0.1, 1.0, "common length"),
        (np.array([0.5, 0.5, 0.0, 0.0]), 0.1, 1.0, "finite sum"),
        (1.2, 0.1, 1.0, r"steps lie in \[0, 1\]"),
    ],
)
def test_limit_refuses(eta, eps, M, says):
    with pytest.raises(GreedyhullError, match=says):
        limit(eta, eps, M)
