"""The sampler: uniform, different where asked, and the same whether batches are drawn one by one or many at once."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greedyhull.errors import GreedyhullError
from greedyhull.objectives.minibatches import FEW, Sampler


def sampler(n, seed=0):
    return Sampler(n, np.random.default_rng(seed))


@given(st.integers(1, 400), st.lists(st.integers(1, 90), min_size=1, max_size=12), st.sampled_from(
    [(False,), (True,), (False, True), (True, False, True)]), st.integers(0, 9))
@settings(max_examples=60, deadline=None)
def test_many_batches_at_once_are_the_ones_of_single_draws(n, sizes, different, seed):
    one, many = sampler(n, seed), sampler(n, seed)
    sizes = [min(b, n) for b in sizes]
    wanted = np.concatenate([(one.distinct if part else one.draw)(b) for b in sizes for part in different])
    np.testing.assert_array_equal(many.successive(np.array(sizes), different), wanted)
    assert one.rng.bit_generator.state == many.rng.bit_generator.state


@pytest.mark.parametrize("n, b", [(7, 7), (64, 64), (200, FEW), (200, FEW + 1), (200, 200), (5, 9)])
def test_distinct_terms_are_distinct(n, b):
    for seed in range(20):
        drawn = sampler(n, seed).distinct(b)
        assert len(set(drawn.tolist())) == len(drawn) == min(b, n) and drawn.min() >= 0 and drawn.max() < n


def test_every_subset_is_as_likely():
    drawn, s, runs = {}, sampler(6), 20000
    for _ in range(runs):
        key = tuple(sorted(s.distinct(3).tolist()))
        drawn[key] = drawn.get(key, 0) + 1
    expected = runs / 20
    assert set(drawn) == set(combinations(range(6), 3))
    assert sum((c - expected) ** 2 / expected for c in drawn.values()) < 45  # χ² with 19 degrees of freedom: 0.1 % above 43.8


def test_an_empty_batch_is_refused():
    for draw in (sampler(4).draw, sampler(4).distinct):
        with pytest.raises(GreedyhullError, match="at least one is wanted"):
            draw(0)
