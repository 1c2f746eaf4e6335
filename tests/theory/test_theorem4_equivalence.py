"""Theorem 4: Jones atoms are nearly FW atoms and conversely, for η > 0; pruning."""

import numpy as np
import pytest

from greedyhull.errors import GreedyhullError
from greedyhull.theory import fw_to_jones, jones_to_fw, prune


def triangle(quadratic, M, alpha, beta):
    """f(x, y) = (M/2) x² - αx - βy over the corners 0, e_1, e_2; its curvature is M."""
    S = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    return quadratic("triangle", np.diag([M, 0.0]), np.array([alpha, beta]), S)


def test_errors_carry_over_both_ways(problem):
    rng = np.random.default_rng(15)
    for eta, eps in rng.uniform(0.01, 1, (60, 2)):
        w = problem.random_point(rng)
        scores, ahead = problem.scores(w), problem.ahead(w, eta)
        fw_errors, jones_errors = scores - scores.min(), (ahead - ahead.min()) / eta
        is_jones, is_fw = jones_errors <= eps, fw_errors <= eps
        assert np.all(fw_errors[is_jones] <= jones_to_fw(eps, eta, problem.M) + 1e-10)
        assert np.all(jones_errors[is_fw] <= fw_to_jones(eps, eta, problem.M) + 1e-10)


@pytest.mark.parametrize("M, eta", [(2.0, 0.5), (3.0, 1.0), (8.0, 0.125)])
def test_both_constants_are_tight(quadratic, M, eta):
    w = np.zeros(2)
    a = triangle(quadratic, M, alpha=5 + M * eta / 2, beta=5.0)
    assert M == a.M
    ahead, scores = a.ahead(w, eta), a.scores(w)
    assert ahead[2] == ahead.min()  # e_2 is an exact Jones atom
    assert scores[2] - scores.min() == jones_to_fw(0.0, eta, M) == M * eta / 2
    b = triangle(quadratic, M, alpha=5.0, beta=5.0)
    ahead, scores = b.ahead(w, eta), b.scores(w)
    assert scores[1] == scores.min()  # e_1 is an exact FW atom
    assert (ahead[1] - ahead.min()) / eta == fw_to_jones(0.0, eta, M) == M * eta / 2


def test_printed_part_a_fails_at_step_zero(quadratic):
    """At η = 0 all atoms are exact Jones atoms, so their FW errors would have to be 0 + M·0/2 = 0; they are not."""
    f = triangle(quadratic, 2.0, alpha=1.0, beta=3.0)
    w = np.zeros(2)
    assert np.all(f.ahead(w, 0.0) == f.ahead(w, 0.0).min())
    assert f.scores(w).max() - f.scores(w).min() == 3.0
    best = np.array([0.0, 1.0])  # even at the optimum
    assert f.gap(best) == 0.0
    assert f.scores(best).max() - f.scores(best).min() == 3.0
    for convert in (jones_to_fw, fw_to_jones):
        with pytest.raises(GreedyhullError, match="step in"):
            convert(0.0, 0.0, 2.0)


@pytest.mark.parametrize("eta", [1.0, 0.3, 0.05, 0.002])
def test_pruning_never_loses_a_jones_atom(problem, eta):
    rng = np.random.default_rng(16)
    for _ in range(40):
        w = problem.random_point(rng)
        ahead = problem.ahead(w, eta)
        assert prune(problem.scores(w), eta, problem.M)[int(ahead.argmin())]
        good = ahead <= ahead.min() + eta * 0.1
        assert np.all(prune(problem.scores(w), eta, problem.M, eps=0.1)[good])


def test_pruning_keeps_few_atoms_when_steps_are_short(quadratic):
    rng = np.random.default_rng(17)
    A = rng.normal(size=(30, 10)) / 5
    f = quadratic("many", A.T @ A, rng.normal(size=10), rng.normal(size=(300, 10)))
    w = f.random_point(rng)
    kept = [int(prune(f.scores(w), eta, f.M).sum()) for eta in (1.0, 0.1, 0.01, 1e-9)]
    assert kept == sorted(kept, reverse=True)
    assert kept[0] > 50 and kept[2] < 10 and kept[3] == 1


def test_pruning_of_a_linear_f_keeps_the_ties():
    assert prune([1.0, 0.5, 0.5], eta=0.5, M=0.0).tolist() == [False, True, True]


@pytest.mark.parametrize("scores", [[], [np.nan, 1.0], [np.inf]])
def test_pruning_refuses_scores_it_cannot_compare(scores):
    with pytest.raises(GreedyhullError, match="scores"):
        prune(scores, eta=0.5, M=1.0)
