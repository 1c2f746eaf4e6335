"""STORC: epochs, their targets, the inner problem, and what is promised of every solver."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.objectives.minibatches import source_of
from greedyhull.solvers.storc import Sliding, proximal
from greedyhull.testing import check_solver, small_problems

RNG = np.random.default_rng(7)
N, D = 400, 4
X = RNG.standard_normal((N, D))
Y = X[:, 0] - 0.4 * X[:, 1] + 0.5 * RNG.standard_normal(N)
F, BALL = gh.least_squares(X, Y), gh.L1Ball(D, 0.8)
L = float((X**2).sum(axis=1).max())
LD2 = L * 1.6**2


def least(f, S):
    return gh.minimize(f, S, stop=gh.Gap(1e-11) | gh.Iterations(3000)).certificate.lower


@pytest.mark.parametrize("solver, runs", [(gh.Storc(every=1), 1), (gh.Storc(0.004, every=1), 12),
                                          (gh.Storc.interior(0.004, every=1), 12)], ids=["proved", "few terms", "interior"])
def test_epochs_reach_their_targets(solver, runs):
    """E f(y) − min f ≤ LD²/2^{t+1} after epoch t; before the first, LD²/2."""
    f_star, errors = least(F, BALL), {}
    for seed in range(runs):
        last = {}

        def watch(event, last=last):
            if event.iteration > 1:
                last.setdefault(event.also["epoch"], event.value)  # the first look after an epoch is at its end

        gh.minimize(F, BALL, solver, stop=gh.Iterations(46), watch=watch, seed=seed)
        for t, value in last.items():
            errors.setdefault(t, []).append(value - f_star)
    assert set(errors) >= {0, 1, 2, 3}
    for t, found in errors.items():
        spread = np.std(found, ddof=1) / np.sqrt(runs) if runs > 1 else 0.0
        assert np.mean(found) <= LD2 / 2 ** (t + 1) + 3 * spread


def test_strongly_convex_epochs_are_of_one_length():
    hessian = X.T @ X / N
    kappa = L / float(np.linalg.eigvalsh(hessian)[0])
    solver = gh.Storc(0.002, condition=kappa, every=1)
    assert solver.length(1) == solver.length(7) == int(np.ceil(np.sqrt(32 * kappa)))
    s = gh.minimize(F, BALL, solver, stop=gh.Iterations(4 * solver.length(1)))
    assert s.value - least(F, BALL) <= LD2 / 2**4


def test_the_multiplier_saves_terms():
    spent = []
    for multiplier in (1.0, 0.002):
        gh.minimize(F, BALL, gh.Storc(multiplier, every=30), stop=gh.Iterations(30),
                    watch=lambda event: spent.append(event.also["spent"]))
    assert spent[0] == spent[2] == 0 and spent[3] < 0.5 * spent[1]


def test_a_warm_start_is_kept():
    start = gh.minimize(F, BALL, stop=gh.Gap(1e-4)).point.array()
    values = []
    gh.minimize(F, BALL, gh.Storc(every=1), start=start, stop=gh.Iterations(3), watch=lambda event: values.append(event.value))
    assert values[1] <= values[0] + 1e-3


def test_the_inner_problem_is_solved_to_its_tolerance():
    S, g, x = gh.Simplex(6), RNG.standard_normal(6), np.full(6, 1 / 6)
    for tol in (1e-1, 1e-3):
        u = proximal(g, 2.0, x, S.oracle(np.random.default_rng(0)), tol, 100_000)
        slope = g + 2.0 * (u - x)
        assert slope @ u - slope.min() <= tol and abs(u.sum() - 1) < 1e-12 and u.min() >= 0


def test_it_keeps_the_promises_of_solvers():
    chosen = [p for p in small_problems() if p.name in ("least_squares over L1Ball", "logistic over Simplex",
                                                        "least_squares over L2Ball", "quadratic over Simplex")]
    assert check_solver(gh.Storc(0.01, every=3), chosen, iterations=18) == ["quadratic over Simplex"]


def test_a_sum_of_one_s_own_and_constants_of_one_s_own():
    def value(w, i):
        return 0.5 * float(((X[i] @ w - Y[i]) ** 2).mean())

    def gradient(w, i):
        return X[i].T @ (X[i] @ w - Y[i]) / len(i)

    f = gh.finite_sum(value, gradient, N, D)
    known = gh.Storc(0.01, smoothness=L, slope=10.0)
    mine, model = (gh.minimize(g, BALL, known, stop=gh.Iterations(30)) for g in (f, F))
    np.testing.assert_allclose(mine.point.array(), model.point.array(), atol=1e-10)
    assert gh.minimize(f, BALL, gh.Storc(0.01), stop=gh.Iterations(30)).value - least(F, BALL) < 0.1


def test_refusals():
    with pytest.raises(gh.GreedyhullError, match="smoothness="):
        gh.minimize(gh.poisson(X, np.ones(N)), BALL, gh.Storc(), stop=gh.Iterations(3))
    for bad in ({"multiplier": 0.0}, {"condition": 0.5}, {"smoothness": -1.0}, {"slope": 0.0}, {"look": gh.Regret()}):
        with pytest.raises(gh.GreedyhullError):
            gh.Storc(**bad)


def test_batches_and_epochs_without_end_are_all_of_the_data():
    """G/(LD) and 2^t may overflow, the number of terms may not."""
    f = gh.least_squares(np.random.default_rng(0).standard_normal((9, 3)), np.ones(9))
    for solver in (gh.Storc(smoothness=1e-300, slope=1e300), gh.Storc(multiplier=1e308), gh.Storc(condition=1.0)):
        s = gh.minimize(f, gh.Simplex(3), solver, stop=gh.Iterations(12))
        assert gh.Simplex(3).contains(s.point) and s.gap is not None
    late = gh.Storc(condition=1.0)
    at = Sliding(np.full(3, 1 / 3))
    at.epoch, at.length, at.left, at.full = 2000, 6, 6, np.zeros(3)
    S, rng = gh.Simplex(3), np.random.default_rng(0)
    assert 0.0 < late._step(at, source_of(f, rng), S.oracle(rng), late.constants(f, S)) <= 1.0


def test_the_named_method_takes_the_settings_of_the_class():
    given = {"smoothness": 2.0, "slope": 3.0, "every": 7, "look": gh.MinibatchGap(50)}
    assert gh.Storc.interior(0.5, **given) == gh.Storc(0.5, batches=(346.0, 0.0), **given)
    assert gh.Storc.interior() == gh.Storc(batches=(346.0, 0.0))
    with pytest.raises(gh.GreedyhullError, match=r"smoothness must be positive.* got -1\.0"):
        gh.Storc.interior(smoothness=-1.0)
