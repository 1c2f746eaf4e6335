"""Steps that look: e_k <= 2M/(k + 3), and a good start is kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedyhull.errors import GreedyhullError
from greedyhull.theory import line_search_rate, rate, warm_start_index, warm_start_rate

K = 60
k = np.arange(K + 1)
ADAPTIVE = [("fw", "short"), ("fw", "search"), ("joint", "search")]


@pytest.mark.parametrize("family, rule", ADAPTIVE)
def test_line_search_rate(problem, play, family, rule):
    run = play(problem, K, family, rule=rule)
    assert np.all(run.errors[1:] <= line_search_rate(problem.M, k[1:]) + 1e-10)


@given(st.floats(0.1, 10), st.floats(0, 50))
def test_model_recursion_obeys_the_rate_from_any_start(M, e0):
    """The errors of the best model step with the smallest gap that duality admits, g = e."""
    e = e0
    for n in range(1, 60):
        eta = min(1.0, e / M)
        e = e - eta * e + M / 2 * eta**2
        assert e <= line_search_rate(M, n) * (1 + 1e-12)
        if e0 <= M and e0 > 1e-6:
            assert e <= warm_start_rate(M, e0, n) * (1 + 1e-9)


@pytest.mark.parametrize("family, rule", ADAPTIVE)
def test_warm_start_is_kept(problem, play, family, rule):
    near = play(problem, 30, rule="search").points[-1]
    run = play(problem, K, family, rule=rule, start=near)
    if 1e-9 < run.errors[0] <= problem.M:
        assert np.all(run.errors <= warm_start_rate(problem.M, run.errors[0], k) + 1e-10)
    else:  # already optimal, or a linear f, where M = 0: nothing may be lost
        assert np.all(run.errors <= run.errors[0] + 1e-10)


def test_warm_start_rate_begins_at_the_start():
    assert warm_start_rate(4.0, 0.1, 0) == pytest.approx(0.1)
    assert warm_start_rate(4.0, 4.0, 7) == pytest.approx(8 / 9)


@pytest.mark.parametrize("family", ["fw", "jones"])
@pytest.mark.parametrize("c", [0.0, 0.3])
def test_open_loop_counter_begun_late_keeps_the_start(problem, play, family, c):
    B = problem.M / 2 + c
    start = play(problem, 20, rule="search").points[-1]
    e0 = max(play(problem, 0, start=start).errors[0], 1e-3 * B, 1e-9)
    first = warm_start_index(problem.M, c, e0)
    run = play(problem, K, family, eta=lambda j: 2 / (first + j + 2), c=c, start=start)
    assert np.all(run.errors <= 4 * B / (first + k + 2) + 1e-10)


def test_open_loop_begun_at_zero_throws_a_good_start_away(quadratic, play):
    f = quadratic("simplex", 2 * np.eye(6), np.zeros(6), np.eye(6))
    start = np.full(6, 1 / 6) + 0.01 * (np.eye(6)[0] - 1 / 6)
    e0 = play(f, 0, start=start).errors[0]
    assert play(f, 1, start=start).errors[1] > 1000 * e0
    first = warm_start_index(f.M, 0.0, e0)
    late = play(f, 20, eta=lambda j: 2 / (first + j + 2), start=start)
    assert late.errors.max() <= 4 * (f.M / 2) / (first + 2)


def test_warm_start_index_is_the_largest_that_covers_the_start():
    for e0 in (0.01, 0.37, 1.0, 2.0, 100.0):
        first = warm_start_index(4.0, 0.5, e0)
        covered = 4 * 2.5 / (first + 2)
        assert first == 0 or covered >= e0 > 4 * 2.5 / (first + 3)
    assert warm_start_index(4.0, 0.5, 100.0) == 0
    assert rate(4.0, 0.5, 1) < 100.0


def test_refusals_name_the_remedy():
    with pytest.raises(GreedyhullError, match="line_search_rate"):
        warm_start_rate(1.0, 2.0, 3)
    with pytest.raises(GreedyhullError, match="e0 is 0"):
        warm_start_rate(1.0, 0, 3)
    with pytest.raises(GreedyhullError, match="e0 is 0"):
        warm_start_index(1.0, 0.0, 0)
