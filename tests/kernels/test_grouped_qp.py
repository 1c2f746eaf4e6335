"""Quadratics over weights under caps on groups that leave little choice."""

import numpy as np
import pytest

from greedyhull.kernels import group_qp as home
from greedyhull.kernels.group_qp import solve_grouped_qp


def test_what_does_not_fit_is_refused():
    of = np.array([0, 5])
    with pytest.raises(ValueError, match="shapes differ"):
        home.grouped_qp(np.eye(2), np.zeros(2), np.ones(2), np.ones(2), of, np.ones(1), 1e-9)


@pytest.mark.parametrize("groups, rooms", [([0] * 6, [1.0]), ([0, 0, 1, 1, 1, 2], [0.5, 0.25, 0.25]),
                                           ([0, 1, 2, 0, 1, 2], [1 / 3] * 3), ([0, 0, 1, 1, 2, 2], [0.5, 0.5, 0.0])])
@pytest.mark.parametrize("rank", [1, 3, 8])
def test_caps_that_just_sum_to_the_total_leave_a_choice_within_groups(groups, rooms, rank):
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
