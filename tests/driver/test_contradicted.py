"""What a run contradicts is named: constants that its gradients exceed, oracles that are beaten, samples of all terms."""

import numpy as np
import pytest

import greedyhull as gh

rng = np.random.default_rng(0)
Q = np.diag([1.0, 2.0, 5.0])
C = np.array([2.0, -1.0, 0.5])


def test_a_lipschitz_that_gradients_exceed_is_named():
    A = rng.standard_normal((500, 3))

    def made(L):
        return gh.finite_sum(lambda w, i: 0.5 * float(((A[i] @ w) ** 2).mean()), lambda w, i: A[i].T @ (A[i] @ w) / len(i),
                             500, 3, lipschitz=L)

    solver = gh.StochasticFrankWolfe(look=gh.MinibatchGap(50))
    with pytest.raises(gh.GreedyhullError, match=r"lipschitz must be at least .*; got 0.01"):
        gh.minimize(made(0.01), gh.L1Ball(3, 1.0), solver, stop=gh.Iterations(20))
    s = gh.minimize(made(float((A**2).sum(axis=1).max())), gh.L1Ball(3, 1.0), solver, stop=gh.Iterations(20))
    assert s.certificate.kind == "probability"


def test_an_oracle_that_returns_the_second_best_atom_is_not_said_to_leave_the_set():
    atoms = rng.standard_normal((12, 3))
    S = gh.oracle(lambda g: atoms[np.argsort(atoms @ g)[1]], 3, bound=10.0)
    with pytest.raises(gh.GreedyhullError) as error:
        gh.minimize(gh.quadratic(Q, C), S, check=True)
    assert "outside" not in str(error.value) and "argmin" in str(error.value)
    gh.minimize(gh.quadratic(Q, C), gh.oracle(lambda g: atoms[np.argmin(atoms @ g)], 3, bound=10.0), check=True)


def test_a_sample_of_all_terms_is_told():
    f = gh.logistic(rng.uniform(-1, 1, (900, 3)), rng.random(900) < 0.5)

    def solved(look):
        return gh.minimize(f, gh.L1Ball(3, 1.0), gh.StochasticFrankWolfe(look=look), stop=gh.Iterations(20))

    whole, part, full = solved(gh.MinibatchGap()), solved(gh.MinibatchGap(100)), solved(gh.FullGap())
    assert whole.certificate.kind == "always" and "would have held all 900 terms" in whole.reason
    assert part.certificate.kind == "probability" and "all 900" not in part.reason + full.reason


def test_a_cost_vector_is_no_schedule():
    with pytest.raises(gh.GreedyhullError, match=r"schedule of batch sizes\. A linear objective is function"):
        gh.linear(np.ones(3))


def test_a_learner_is_restored_from_its_own_state_only():
    learner = gh.Online(gh.Simplex(2))
    for state in ({}, None, {"x": np.zeros(2)}):
        with pytest.raises(gh.GreedyhullError, match="must be what"):
            learner.restore(state)
    with pytest.raises(gh.GreedyhullError, match="other shapes"):
        gh.Online(gh.Simplex(3)).restore(learner.state())
    gh.Online(gh.Simplex(2)).restore(learner.state())
