"""Zhang's corollary: any point within 4c/(k + 2)² of the joint minimum over steps and atoms keeps the rate."""

import numpy as np
import pytest

from greedyhull.theory import rate, zhang


@pytest.mark.parametrize("c", [0.0, 0.3, 3.0])
def test_worst_admissible_point_obeys_the_rate(problem, play, f_star, c):
    w = problem.S[0]
    for k in range(40):
        least = play(problem, 1, "joint", start=w)
        allowed = least.values[1] + 4 * c / (k + 2) ** 2
        points = [(1 - eta) * w + eta * d for d in problem.S for eta in np.linspace(0, 1, 9)]
        w = max([p for p in points if problem.value(p) <= allowed], key=problem.value, default=least.points[1])
        assert problem.value(w) - f_star(problem) <= zhang(problem.M, c, k + 1, exact=True) + 1e-10


def test_it_is_the_rate_of_theorem_2():
    k = np.arange(1, 50)
    assert zhang(3.0, 0.5, k) == pytest.approx((2 * 3.0 + 4 * 0.5) / (k + 2))
    assert zhang(3.0, 0.5, k, exact=True) == pytest.approx(rate(3.0, 0.5, k, exact=True))
