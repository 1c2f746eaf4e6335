"""Where designs begin: non-negative weights of the same sum, no worse than before, near the optimum, for every criterion."""

import numpy as np
import pytest

from greedyhull.apps.optimal_design import nearer_design
from greedyhull.objectives.information import LogDet, MeanVariance, TraceInverse


@pytest.mark.parametrize("make", [LogDet, TraceInverse, MeanVariance])
@pytest.mark.parametrize("n, p", [(3, 3), (8, 1), (60, 3), (400, 6)])
def test_the_gap_is_small_afterwards(make, n, p):
    f = make(np.random.default_rng(n).standard_normal((n, p)))
    x = np.full(n, 2.0 / n)
    y = nearer_design(f, x, 1e-6)
    assert (y >= 0.0).all() and y.sum() == pytest.approx(2.0, rel=1e-12) and f.value_at(y) <= f.value_at(x)
    g = f.gradient_at(y)
    assert g @ y - 2.0 * g.min() <= 1e-5 * abs(g @ y)


def test_a_singular_start_is_left_alone():
    f, x = LogDet(np.eye(3)), np.array([1.0, 0.0, 0.0])
    assert nearer_design(f, x, 1e-6).tolist() == x.tolist()


def test_equal_candidates_and_rows_of_zeros_do_no_harm():
    X = np.repeat(np.random.default_rng(0).standard_normal((10, 2)), 5, axis=0)
    X[7] = 0.0
    y = nearer_design(LogDet(X), np.full(50, 0.02), 1e-8)
    g = LogDet(X).gradient_at(y)
    assert y[7] == 0.0 and -g.min() <= 2.0 * (1.0 + 1e-6)
