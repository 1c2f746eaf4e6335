"""Theorem 2: η_k = 2/(k + 2) gives e_k <= (2M + 4c)/(k + 2), and the exact solution of its recursion."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedyhull.theory import rate, recursion

K = 120
k = np.arange(1, K + 1)


def open_loop(count):
    return 2 / (np.arange(count) + 2)


@pytest.mark.parametrize("family", ["fw", "jones"])
@pytest.mark.parametrize("c", [0.0, 0.5, 5.0])
def test_worst_admissible_oracle_obeys_the_rate(problem, play, family, c):
    run = play(problem, K, family, c=c)
    assert np.all(run.errors[1:] <= rate(problem.M, c, k, exact=True) + 1e-10)
    assert np.all(run.errors[1:] <= rate(problem.M, c, k) + 1e-10)


@pytest.mark.parametrize("c", [0.1, 1.0])
def test_a_linear_f_attains_the_exact_rate(c):
    """f(w) = w on [0, 1]; d_k = c η_k is within c η_k of the minimum 0."""
    w, errors = 1.0, []
    for i in range(2000):
        eta = 2 / (i + 2)
        w = (1 - eta) * w + eta * (c * eta)
        errors.append(w)
    n = np.arange(1, 2001)
    assert np.array(errors) == pytest.approx(rate(0.0, c, n, exact=True), rel=1e-12)
    assert errors[-1] / rate(0.0, c, 2000) > 0.99


@given(st.floats(0, 100), st.floats(0, 100), st.integers(1, 400))
def test_the_exact_form_solves_the_recursion(M, c, n):
    eta = open_loop(n)
    assert rate(M, c, n, exact=True) == pytest.approx(recursion(M, eta, c * eta)[-1], rel=1e-10)


@given(st.integers(1, 10**9))
def test_exact_is_below_the_printed_bound_even_with_three_for_two(n):
    assert rate(2.0, 1.0, n, exact=True) <= 8.0 / (n + 3) * (1 + 1e-12) <= rate(2.0, 1.0, n)


@pytest.mark.parametrize("n", [1, 2, 30, 31, 32, 33, 100, 1000])
def test_exact_form_against_fractions(n):
    harmonic = sum(Fraction(1, i) for i in range(1, n + 2))
    assert rate(1.0, 0.5, n, exact=True) == pytest.approx(float(4 * (n + 1 - harmonic) / (n * (n + 1))), rel=1e-14)


@pytest.mark.parametrize("family, rule", [("fw", "short"), ("fw", "search"), ("jones", "search"), ("joint", "search")])
def test_updates_no_worse_than_the_model_obey_the_rate(problem, play, family, rule):
    run = play(problem, 40, family, rule=rule)
    assert np.all(run.errors[1:] <= rate(problem.M, 0.0, k[:40], exact=True) + 1e-10)


def test_families_may_be_mixed(problem, play):
    rng = np.random.default_rng(11)
    w, c = problem.S[0], 0.5
    for i in range(60):
        family, rule = rng.choice(["fw", "jones"]), rng.choice(["open", "search"])
        run = play(problem, 1, family, eta=lambda _, i=i: 2 / (i + 2), c=c, rule=rule, start=w)
        w = run.points[1]
        assert run.errors[1] <= rate(problem.M, c, i + 1) + 1e-10


def test_the_start_does_not_matter(problem, play):
    ends = [play(problem, 5, start=s).errors[-1] for s in problem.S]
    assert max(ends) <= rate(problem.M, 0.0, 5)


def test_a_number_gives_a_float_and_an_array_an_array():
    assert type(rate(1.0, 0.0, 3)) is float
    assert type(rate(1.0, 0.0, 3, exact=True)) is float
    assert rate(1.0, 0.0, np.array([3, 4])) == pytest.approx([2 / 5, 2 / 6])
