"""Weights with bounds, a sum and caps on groups: levels, gaps and nearest points, against linear programs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from greedyhull.kernels._core import grouped_levels, grouped_vertex
from greedyhull.kernels.group_qp import grouped_gap, nearest_grouped


def drawn(rng, d, ties=False):
    """grad, a point, bounds, groups, caps and total; the point is a mixture of two vertices."""
    m = int(rng.integers(1, 5))
    of, high, room = rng.integers(0, m, d), rng.random(d) * (rng.random(d) < 0.9), rng.random(m) * d / m
    grad = rng.integers(-2, 3, d).astype(float) if ties else rng.standard_normal(d)
    most = float(np.minimum(np.bincount(of, high, m), room).sum())
    total = rng.uniform(0.05, 0.99) * most
    x = np.mean([vertex(rng.standard_normal(d), high, of, room, total) for _ in range(2)], axis=0)
    return grad, x, high, of, room, total


def vertex(grad, high, of, room, total):
    places, entries, x = np.zeros(len(grad), dtype=np.intp), np.zeros(len(grad)), np.zeros(len(grad))
    many = grouped_vertex(grad, high, of, room, total, 0.0, places, entries)
    assert many >= 0
    x[places[:many]] = entries[:many]
    return x


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), d=st.integers(1, 12), ties=st.booleans())
def test_the_gap_is_that_of_a_linear_program(seed, d, ties):
    grad, x, high, of, room, total = drawn(np.random.default_rng(seed), d, ties)
    if total == 0.0:
        return
    A = (of == np.arange(len(room))[:, None]).astype(float)
    bounds = list(zip(np.zeros(d), high, strict=True))
    program = linprog(grad, A_ub=A, b_ub=room, A_eq=np.ones((1, d)), b_eq=[total], bounds=bounds)
    assert grouped_gap(grad, x, high, of, room) == pytest.approx(grad @ x - program.fun, abs=1e-7 * (1.0 + np.abs(grad).sum()))
    assert grad @ vertex(grad, high, of, room, total) == pytest.approx(program.fun, abs=1e-7)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**9), d=st.integers(1, 12), spread=st.floats(0.0, 3.0))
def test_the_nearest_point_satisfies_its_inequality(seed, d, spread):
    """y is nearest to x if ⟨y − x, z − y⟩ ≥ 0 for every z of the set: if the gap of y − x at y is zero."""
    rng = np.random.default_rng(seed)
    _, _, high, of, room, total = drawn(rng, d)
    x = 10.0**spread * rng.standard_normal(d)
    y = nearest_grouped(x, high, of, room, total)
    assert ((y >= 0.0) & (y <= high)).all() and y.sum() == pytest.approx(total, abs=1e-11)
    assert (np.bincount(of, y, len(room)) <= room + 1e-11).all()
    assert grouped_gap(y - x, y, high, of, room) <= 1e-8 * (1.0 + np.abs(x).sum())


def test_a_point_that_rounding_moved_keeps_its_zeros():
    rng = np.random.default_rng(1)
    _, x, high, of, room, total = drawn(rng, 40)
    off = x * (1.0 + 1e-15 * rng.standard_normal(40))
    y = nearest_grouped(off, high, of, room, total)
    assert ((y == 0.0) == (x == 0.0)).all() and abs(y.sum() - total) <= 4e-16 * total * 40
    assert np.abs(y - x).max() <= 1e-13


def test_caps_without_room_have_no_vertex():
    given_ = np.zeros(2), np.full(2, 0.4), np.zeros(2, dtype=np.intp), np.ones(1), 1.0, 0.0
    assert grouped_vertex(*given_, np.zeros(2, dtype=np.intp), np.zeros(2)) == -1


def test_a_cap_of_zero_has_the_price_of_what_it_keeps_out():
    g, high, of, room = np.array([3.0, 4.0, 1.0, 2.0]), np.ones(4), np.array([0, 0, 1, 1]), np.array([1.0, 0.0])
    level = np.empty(2)
    assert grouped_levels(g, high, of, room, 1.0, level) == 3.0 and level.tolist() == [3.0, 1.0]
    assert grouped_gap(g, np.array([1.0, 0.0, 0.0, 0.0]), high, of, room) == 0.0
