"""Lu and Freund's method: the rule itself, O(1/k) in the long run, honest at every look."""

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.solvers.gradients import Root
from greedyhull.solvers.parts.schedules import linear
from greedyhull.testing import check_solver, small_problems

RNG = np.random.default_rng(5)
N, D = 24, 5
X = RNG.standard_normal((N, D))
Y = X[:, 0] - 0.4 * X[:, 1] + 0.3 * RNG.standard_normal(N)
LABELS = np.where(Y > 0, 1.0, -1.0)
BALL = gh.L1Ball(D, 1.2)


def by_hand(b, steps, seed):
    """The rule for least squares over the l1 ball, with the indices that the run draws."""
    from greedyhull.objectives.minibatches import Sampler

    sampler, m = Sampler(N, np.random.Generator(np.random.PCG64(seed))), N / b
    x, s = np.zeros(D), np.zeros(N)
    alpha = (s - Y) / N
    for t in range(steps):
        r = X.T @ alpha
        j = int(np.abs(r).argmax())
        v = np.zeros(D)
        v[j] = -1.2 * np.sign(r[j])
        batch, beta = sampler.distinct(b), 2 * m / (2 * m + t + 1)
        s[batch] = (1 - beta) * s[batch] + beta * (X[batch] @ v)
        alpha[batch] = (s[batch] - Y[batch]) / N
        x += 2 * (2 * m + t) / ((t + 1) * (4 * m + t)) * (v - x)
    return x


@pytest.mark.parametrize("b", [1, 4])
def test_it_is_the_rule(b):
    s = gh.minimize(gh.least_squares(X, Y), BALL, gh.LuFreund(b), stop=gh.Iterations(61), seed=8)
    assert s.iterations == 61
    np.testing.assert_allclose(s.point.array(), by_hand(b, 60, 8), atol=1e-12)


def test_the_error_falls_like_one_over_k():
    """Beyond k = 100n, where its constant has faded: twice the steps, at most about half the error."""
    f = gh.logistic(X[:12], LABELS[:12])
    least = gh.minimize(f, BALL, stop=gh.Gap(1e-10)).certificate.lower
    traces = [gh.minimize(f, BALL, gh.LuFreund(2, every=600), stop=gh.Iterations(2400), seed=seed).trace for seed in range(3)]
    k = traces[0]["iteration"][1:]
    errors = np.mean([t["value"][1:] for t in traces], axis=0) - least
    assert k[1] == 100 * 12
    scaled = k * errors
    assert scaled[3] <= 1.5 * scaled[1] + 1e-9 and errors[3] <= 0.01 * (np.log(2) - least)


def test_sparse_and_dense_data_go_the_same_way():
    Z = np.where(np.abs(X) > 0.8, X, 0.0)
    runs = [gh.minimize(gh.logistic(data, LABELS), BALL, gh.LuFreund(3), stop=gh.Iterations(50))
            for data in (Z, sparse.csr_array(Z))]
    np.testing.assert_allclose(runs[0].point.array(), runs[1].point.array(), atol=1e-12)


def test_whole_batches_are_exact_and_cost_a_pass():
    seen = []
    gh.minimize(gh.least_squares(X, Y), BALL, gh.LuFreund(1000, every=1), stop=gh.Iterations(4),
                watch=lambda event: seen.append(event.also["spent"]))
    assert seen == [0, 2 * N, 3 * N, 4 * N]


def test_it_keeps_the_promises_of_solvers():
    chosen = [p for p in small_problems() if p.name in ("least_squares over L1Ball", "logistic over Simplex",
                                                        "least_squares over L2Ball", "quadratic over Simplex")]
    assert check_solver(gh.LuFreund(2, every=3), chosen, iterations=18) == ["quadratic over Simplex"]


def test_refusals_name_the_way_out():
    for f, said in ((gh.least_squares(X, Y, intercept=True), "constant column"), (gh.quadratic(X.T @ X), "finite_sum"),
                    (gh.hinge(X, LABELS), "kinks")):
        with pytest.raises(gh.GreedyhullError, match=said):
            gh.minimize(f, BALL, gh.LuFreund(), stop=gh.Iterations(3))
    for bad in ({"batch": 0}, {"batch": linear()}, {"look": gh.Regret()}, {"every": 0}):
        with pytest.raises(gh.GreedyhullError):
            gh.LuFreund(**bad)
    assert gh.LuFreund(Root(0.5)).batch.of(100) == 10
