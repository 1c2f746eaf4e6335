"""Quadratics over weights under caps on groups: the core, the reference, and the conditions of optimality."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_grouped_filling import drawn

from greedyhull.kernels import group_qp as home
from greedyhull.kernels.core import REFERENCES
from greedyhull.kernels.group_qp import grouped_gap, solve_grouped_qp


@pytest.fixture(params=["core", "reference"])
def kernel(request, monkeypatch):
    if request.param == "reference":
        monkeypatch.setattr(home, "grouped_qp", REFERENCES["grouped_qp"])


def problem(seed, d, rank):
    rng = np.random.default_rng(seed)
    _, x, high, of, room, total = drawn(rng, d)
    B = rng.standard_normal((rank, d))
    return B.T @ B, 3.0 * rng.standard_normal(d), x, high, of, room, total


@pytest.mark.parametrize("rank", [0, 1, 30])
@pytest.mark.parametrize("d", [1, 2, 7, 40])
def test_the_gap_is_closed(d, rank, kernel):
    for seed in range(12):
        H, c, x, high, of, room, total = problem(100 * d + seed, d, rank)
        if total == 0.0:
            continue
        first = grouped_gap(c, x, high, of, room)
        found = solve_grouped_qp(H, c, x, high, of, room, 1e-9 * first)
        assert ((found >= 0.0) & (found <= high)).all() and found.sum() == pytest.approx(total, abs=1e-11 * total)
        assert (np.bincount(of, found, len(room)) <= room + 1e-10 * total).all()
        move = found - x
        assert c @ move + 0.5 * move @ H @ move <= 1e-12 * first
        assert grouped_gap(c + H @ move, found, high, of, room) <= 1e-6 * first + 1e-12


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), d=st.integers(1, 30))
def test_core_and_reference_agree(seed, d):
    H, c, x, high, of, room, total = problem(seed, d, d + 3)
    if total == 0.0:
        return
    first = grouped_gap(c, x, high, of, room)
    one, other = solve_grouped_qp(H, c, x, high, of, room, 1e-12 * first), x.copy()
    REFERENCES["grouped_qp"](H, c, other, high, of, room, 1e-12 * first)
    values = [c @ (y - x) + 0.5 * (y - x) @ H @ (y - x) for y in (one, other)]
    assert values[0] == pytest.approx(values[1], abs=1e-8 * first + 1e-12)


def test_what_does_not_fit_is_refused(kernel):
    if home.grouped_qp is REFERENCES["grouped_qp"]:
        return
    of = np.array([0, 5])
    with pytest.raises(ValueError, match="shapes differ"):
        home.grouped_qp(np.eye(2), np.zeros(2), np.ones(2), np.ones(2), of, np.ones(1), 1e-9)


@pytest.mark.parametrize("groups, rooms", [([0] * 6, [1.0]), ([0, 0, 1, 1, 1, 2], [0.5, 0.25, 0.25]),
                                           ([0, 1, 2, 0, 1, 2], [1 / 3] * 3), ([0, 0, 1, 1, 2, 2], [0.5, 0.5, 0.0])])
@pytest.mark.parametrize("rank", [1, 3, 8])
def test_caps_that_just_sum_to_the_total_leave_a_choice_within_groups(groups, rooms, rank, kernel):
    rng = np.random.default_rng(rank)
    of, room = np.array(groups), np.array(rooms)
    for _ in range(10):
        B = rng.standard_normal((rank, 6)) * rng.integers(0, 2, 6)
        x = (room / np.bincount(of, minlength=len(room)))[of]
        c = B.T @ (B @ x - 3.0 * rng.standard_normal(rank)) + (rank == 1) * rng.standard_normal(6)
        found = solve_grouped_qp(B.T @ B, c, x, np.ones(6), of, room, 1e-10)
        grad = c + B.T @ (B @ (found - x))
        least = sum(room[k] * grad[of == k].min() for k in range(len(room)))  # every group has to hold its cap
        assert grad @ found - least <= 1e-5
        assert (found >= 0.0).all() and np.allclose(np.bincount(of, found), room, rtol=0.0, atol=1e-10)
