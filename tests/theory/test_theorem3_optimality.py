"""Theorem 3, corrected: no steps in [0, 1] make e_{k+1} = (1 - η) e_k + C η² fall faster than a/(k + 2)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedyhull.theory import greedy_recursion, greedy_step, rate, recursion, recursion_lower

units, sizes = st.floats(0, 1), st.floats(0.01, 100)


@given(sizes, sizes, st.lists(units, max_size=40))
def test_no_steps_in_the_unit_interval_beat_it(e0, C, eta):
    errors = recursion(2 * C, eta, 0.0, e0)
    k = np.arange(len(errors))
    assert np.all(errors >= recursion_lower(e0, C, k) * (1 - 1e-12))
    assert np.all(errors >= greedy_recursion(e0, C, len(eta)) * (1 - 1e-12))


@given(sizes, sizes)
def test_the_greedy_policy_stays_above_it_from_any_start(e0, C):
    k = np.arange(200)
    assert np.all(greedy_recursion(e0, C, 199) >= recursion_lower(e0, C, k) * (1 - 1e-12))


@pytest.mark.parametrize("C", [0.5, 1.0, 7.0])
def test_the_constant_is_attained(C):
    """From e_0 = 4C/3 the greedy policy meets a/(k + 2), a = 8C/3, at k = 0 and 1: no larger a is possible."""
    errors = greedy_recursion(4 * C / 3, C, 1)
    assert errors == pytest.approx(np.array([recursion_lower(4 * C / 3, C, j) for j in (0, 1)]), rel=1e-14)


def test_the_constant_is_at_least_twice_the_printed_one():
    for e0, C in [(0.1, 1.0), (1.0, 1.0), (2.0, 1.0)]:
        assert recursion_lower(e0, C, 10) >= 2 * min(e0, C) / 12


def test_printed_without_a_range_of_steps_it_is_false():
    """C = 1, e_0 = 2, steps -1 and 2.5: the error becomes negative, below any a/(k + 2)."""
    e, C = 2.0, 1.0
    for eta in (-1.0, 2.5):
        e = (1 - eta) * e + C * eta**2
    assert e == -1.25
    assert e < min(2.0, C) / 4  # the printed bound at k = 2


@given(st.floats(0.01, 2), st.floats(1, 10))
def test_printed_minimiser_is_not_the_minimiser(e, C):
    """e/(4C) is printed; e/(2C) is right, and gives the value e (1 - e/(4C)) that is printed beside it."""

    def following(eta):
        return (1 - eta) * e + C * eta**2

    assert greedy_step(e, C) == e / (2 * C)
    assert following(e / (2 * C)) == pytest.approx(e * (1 - e / (4 * C)))
    assert following(e / (4 * C)) == pytest.approx(following(e / (2 * C)) + e**2 / (16 * C))


@given(sizes, sizes)
def test_greedy_step_beats_a_grid(e, C):
    eta = np.linspace(0, 1, 101)
    step = greedy_step(e, C)
    assert (1 - step) * e + C * step**2 <= ((1 - eta) * e + C * eta**2).min() * (1 + 1e-12)


def test_open_loop_is_optimal_in_the_limit():
    K, C = 50_000, 0.7
    assert greedy_recursion(1.0, C, K)[-1] * K == pytest.approx(4 * C, rel=1e-3)
    assert rate(2 * C, 0.0, K, exact=True) * K == pytest.approx(4 * C, rel=1e-3)


def test_without_curvature_one_step_suffices():
    assert greedy_recursion(3.0, 0.0, 2) == pytest.approx([3.0, 0.0, 0.0])
    assert recursion_lower(3.0, 0.0, 5) == 0.0
