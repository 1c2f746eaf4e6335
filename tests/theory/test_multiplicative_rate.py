"""An oracle that finds a share δ of the gap, surely or on average."""

import numpy as np
import pytest

from greedyhull.errors import GreedyhullError
from greedyhull.theory import multiplicative_rate, rate


@pytest.mark.parametrize("delta", [0.2, 0.6, 1.0])
@pytest.mark.parametrize("c", [0.0, 0.5])
def test_worst_atom_with_a_share_of_the_gap(problem, f_star, delta, c):
    w = problem.S[0]
    e0 = problem.value(w) - f_star(problem)
    for k in range(100):
        assert problem.value(w) - f_star(problem) <= multiplicative_rate(problem.M, c, delta, e0, k) + 1e-10
        eta = 2 / (delta * k + 2)
        found = problem.gradient(w) @ w - problem.scores(w)
        good = found >= delta * problem.gap(w) - c * eta
        d = problem.S[int(np.where(good, problem.ahead(w, eta), -np.inf).argmax())]
        w = (1 - eta) * w + eta * d


def test_a_random_part_of_the_atoms_finds_its_share_on_average(problem, f_star):
    """Each atom is looked at with probability δ; the step is taken only if it goes down the slope."""
    rng, delta, K, runs = np.random.default_rng(14), 0.4, 25, 40
    e0 = problem.value(problem.S[0]) - f_star(problem)
    errors = np.empty((runs, K + 1))
    for run in errors:
        w = problem.S[0]
        for k in range(K + 1):
            run[k] = problem.value(w) - f_star(problem)
            scores = np.where(rng.random(len(problem.S)) < delta, problem.scores(w), np.inf)
            if scores.min() < problem.gradient(w) @ w:
                w = w + 2 / (delta * k + 2) * (problem.S[int(scores.argmin())] - w)
    spread = 3 * errors.std(axis=0) / np.sqrt(runs)
    promised = multiplicative_rate(problem.M, 0.0, delta, e0, np.arange(K + 1))
    assert np.all(errors.mean(axis=0) <= promised + spread + 1e-10)


def test_the_whole_gap_gives_theorem_2():
    k = np.arange(1, 30)
    assert multiplicative_rate(2.0, 0.5, 1.0, 0.0, k) == pytest.approx(rate(2.0, 0.5, k))
    assert multiplicative_rate(2.0, 0.5, 0.5, 40.0, 0) == 40.0


@pytest.mark.parametrize("delta", [0.0, -1.0, 1.5, np.nan])
def test_a_share_outside_its_range_is_refused(delta):
    with pytest.raises(GreedyhullError, match="share of the gap"):
        multiplicative_rate(1.0, 0.0, delta, 1.0, 3)
