"""The simplex with f = ‖w‖²: k + 1 atoms cannot go below 1/(k + 1)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedyhull.theory import line_search_rate, one_atom_lower

n = 30


@pytest.mark.parametrize("family, rule", [("fw", "search"), ("fw", "short"), ("joint", "search")])
def test_line_search_attains_it(quadratic, play, family, rule):
    f = quadratic("simplex", 2 * np.eye(n), np.zeros(n), np.eye(n))
    run = play(f, n - 1, family, rule=rule)
    k = np.arange(n)
    if rule == "search":
        assert run.values == pytest.approx(one_atom_lower(k), abs=1e-12)
    assert np.all(run.values >= one_atom_lower(k) - 1e-12)


@given(st.lists(st.floats(1e-3, 1), min_size=1, max_size=20))
def test_no_mixture_of_few_corners_is_below_it(weights):
    w = np.array(weights) / np.sum(weights)
    assert w @ w >= one_atom_lower(len(weights) - 1) * (1 - 1e-12)


def test_upper_and_lower_bounds_have_the_same_order():
    """M = 4 here, so the promise 2M/(k + 3) is within a factor 8 of what is possible in high dimension."""
    k = np.arange(1, 1000)
    assert np.all(one_atom_lower(k) <= line_search_rate(4.0, k))
    assert np.all(line_search_rate(4.0, k) <= 8 * one_atom_lower(k))
