"""What chance explains: exact variances of quadratic functions of sums, and the room that they leave a mean."""

import itertools

import numpy as np
import pytest

from greedyhull.experiments import asfw_eg_a, asfw_eg_b, asj_eg
from greedyhull.experiments.counterexamples import bernstein, variance_of_quadratic


@pytest.mark.parametrize("seed", range(5))
def test_the_variance_is_that_of_all_outcomes(seed):
    rng = np.random.default_rng(seed)
    A, g, z = rng.standard_normal((2, 2)), rng.standard_normal(2), rng.standard_normal((3, 2))
    p, c = rng.dirichlet(np.ones(3)), rng.uniform(0.0, 1.0, 4)
    H, z = A + A.T, z - p @ z
    outcomes, chances = [], []
    for drawn in itertools.product(range(3), repeat=4):
        N = c @ z[list(drawn)]
        outcomes.append(g @ N + 0.5 * N @ H @ N)
        chances.append(p[list(drawn)].prod())
    mean = np.dot(chances, outcomes)
    assert variance_of_quadratic(H, g, z, p, c) == pytest.approx(np.dot(chances, (outcomes - mean) ** 2), rel=1e-10)


def test_the_room_covers_a_skewed_number_that_standard_errors_do_not():
    """1 with probability 1/100, of 16 runs mostly none: the standard error is then zero, and the room is not."""
    q, runs = 0.01, 16
    room = bernstein(q * (1.0 - q), 1.0, runs)
    beyond = sum(np.prod([(runs - i) / (i + 1) for i in range(m)]) * q**m * (1.0 - q) ** (runs - m)
                 for m in range(runs + 1) if abs(m / runs - q) > room)
    assert beyond <= 1e-6 and room < 1.0


@pytest.mark.parametrize("seed", [6, 9, 14])
def test_runs_agree_with_their_expectation_whatever_the_seed(seed):
    skewed = asj_eg((0.5, 0.25, 0.25), k=5, runs=16, seed=seed)
    assert skewed.last.agrees and skewed.average.agrees
    assert asfw_eg_a(5, seed, runs=16).agrees and asfw_eg_b(0.5, (1.0, 0.5), k=5, runs=16, seed=seed).agrees
