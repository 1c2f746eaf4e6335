"""The gaps: their weighted mean, hence the least of them, is at most (6M + 12c)/(K + 3)."""

import numpy as np
import pytest

from greedyhull.theory import gap_rate


@pytest.mark.parametrize("family", ["fw", "jones"])
@pytest.mark.parametrize("c", [0.0, 0.5, 5.0])
def test_weighted_mean_of_the_gaps_obeys_the_rate(problem, play, family, c):
    K = 120
    k = np.arange(1, K + 1)
    gaps = play(problem, K, family, c=c).gaps[1:]
    mean = np.cumsum((k + 1) * gaps) / np.cumsum(k + 1)
    assert np.all(mean <= gap_rate(problem.M, c, k) + 1e-10)
    assert np.all(np.minimum.accumulate(gaps) <= gap_rate(problem.M, c, k) + 1e-10)


def test_gaps_go_up_and_down(quadratic, play):
    """Why the promise is on the mean and the least: with two atoms and f = x²/2 - 0.3x a gap doubles an earlier one."""
    f = quadratic("segment", np.eye(1), np.array([0.3]), np.array([[0.0], [1.0]]))
    gaps = play(f, 400).gaps[1:]
    k = np.arange(1, 401)
    assert np.any(gaps > np.minimum.accumulate(gaps) * 2)
    assert np.all(np.minimum.accumulate(gaps) <= gap_rate(f.M, 0.0, k))


def test_the_constant():
    assert gap_rate(4.0, 0.5, 97) == pytest.approx((6 * 4.0 + 12 * 0.5) / 100)
    assert gap_rate(1.0, 0.0, np.array([1, 3])) == pytest.approx([6 / 4, 6 / 6])
