"""The latent group norm: both bounds are proved here once more, by the definition, and they meet."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedyhull.kernels.group_qp import latent_norm

SEEDS = st.integers(0, 2**32 - 1)


def drawn(rng, d=None):
    """Random groups that overlap and leave no coordinate out, as places and starts."""
    d = int(rng.integers(1, 40)) if d is None else d
    lists = [rng.permutation(d)[: int(rng.integers(1, min(d, 9) + 1))] for _ in range(int(rng.integers(1, 20)))]
    left = np.setdiff1d(np.arange(d), np.concatenate(lists))
    lists += [left] if len(left) else []
    lists = [np.sort(one) for one in lists]
    return lists, np.concatenate(lists), np.concatenate([[0], np.cumsum([len(one) for one in lists])])


@given(SEEDS)
def test_the_bounds_meet_and_the_split_proves_the_upper_one(seed):
    rng = np.random.default_rng(seed)
    lists, places, starts = drawn(rng)
    d = int(places.max()) + 1
    x = rng.standard_normal(d) * (rng.random(d) < rng.choice([0.2, 1.0])) * 10.0 ** rng.uniform(-rng.choice([0, 8, 100]), 0, d)
    x *= float(rng.choice([1.0, 1e-150, 1e200]))
    found = latent_norm(x, places, starts)
    assert found.upper * (1 - 1e-11) <= found.lower <= found.upper * (1 + 1e-13)
    parts = np.split(found.split, starts[1:-1])
    summed, size = np.zeros(d), float(np.abs(x).max()) or 1.0
    for one, part in zip(lists, parts, strict=True):
        summed[one] += part
    np.testing.assert_allclose(summed, x, rtol=1e-14, atol=0.0)
    assert sum(float(np.linalg.norm(part / size)) for part in parts) * size <= found.upper * (1 + 1e-13)


@given(SEEDS)
def test_no_feasible_form_is_above_and_no_other_split_below(seed):
    rng = np.random.default_rng(seed)
    lists, places, starts = drawn(rng, 6)
    x = rng.standard_normal(6)
    found = latent_norm(x, places, starts)
    for _ in range(20):
        u = rng.standard_normal(6) + 2.0 * np.sign(x)
        assert u @ x / max(np.linalg.norm(u[one]) for one in lists) <= found.upper * (1 + 1e-12)
        shares = rng.random(len(places))
        shares /= np.bincount(places, weights=shares)[places]
        split = np.split(shares * x[places], starts[1:-1])
        assert sum(np.linalg.norm(part) for part in split) >= found.lower * (1 - 1e-12)


def test_many_groups_a_chain():
    """Sparse equations: each group shares half of its coordinates with the next one."""
    lists = [np.arange(5 * k, 5 * k + 10) for k in range(400)]
    places, starts = np.concatenate(lists), np.arange(0, 4001, 10)
    found = latent_norm(np.random.default_rng(0).standard_normal(2005), places, starts)
    assert found.upper == pytest.approx(found.lower, rel=1e-12)


def test_a_limit_ends_the_search_on_its_side():
    _, places, starts = drawn(np.random.default_rng(3), 12)
    x = np.random.default_rng(4).standard_normal(12)
    norm = latent_norm(x, places, starts).upper
    assert latent_norm(x, places, starts, 1.5 * norm).upper <= 1.5 * norm
    assert latent_norm(x, places, starts, norm / 1.5).lower > norm / 1.5
    nothing = latent_norm(np.zeros(12), places, starts)
    assert nothing.lower == nothing.upper == 0.0 and not nothing.split.any()
