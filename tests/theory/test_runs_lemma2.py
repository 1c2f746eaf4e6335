"""The library's own runs obey Lemma 2 at every iteration, with their recorded steps and slacks; and Theorem 1."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.theory import limit, recursion, remaining

RNG = np.random.default_rng(2)
A, Y = RNG.normal(size=(20, 7)), RNG.normal(size=20)
PROBLEMS = {
    "least squares, l1 ball": (gh.least_squares(A, Y), gh.L1Ball(7, 1.0)),
    "logistic, l1 ball": (gh.logistic(A, np.sign(Y)), gh.L1Ball(7, 3.0)),
    "quadratic, simplex": (gh.quadratic(A.T @ A, A.T @ Y), gh.Simplex(7)),
}
RULES = [gh.Exact(), gh.Short(), gh.Backtracking(), gh.OpenLoop(), gh.OpenLoop(4), gh.LogAdaptive(), gh.Power(0.5),
         gh.Power(1.0), gh.Constant(0.2)]
problems = pytest.mark.parametrize("f, S", PROBLEMS.values(), ids=PROBLEMS)


def optimum(f, S):
    return gh.minimize(f, S, gh.Corrective(), stop=gh.Gap(1e-12) | gh.Iterations(100)).certificate.lower


@problems
@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("solver", [gh.FrankWolfe, gh.BlendedPairwise])
def test_errors_stay_below_the_recursion(f, S, rule, solver):
    run = gh.minimize(f, S, solver(rule), stop=gh.Iterations(60)).trace
    E = recursion(float(f.curvature(S)), run.step[:-1], run.slack[:-1], run.gap[0])
    assert np.all(run.value - optimum(f, S) <= E + 1e-10)
    assert np.all(run.gap <= E + 1e-10), "and so does the certified gap, which keeps the best lower bound"


@problems
def test_a_backtracking_run_certifies_itself(f, S):
    solution = gh.minimize(f, S, gh.FrankWolfe(gh.Backtracking()), stop=gh.Iterations(60))
    E = recursion(solution.curvature, solution.trace.step[:-1], 0.0, solution.trace.gap[0])
    assert np.all(solution.trace.value - optimum(f, S) <= E + 1e-10)


@problems
@pytest.mark.parametrize("eta", [0.3, 0.03])
def test_constant_steps_end_near_their_level(f, S, eta):
    M, K = float(f.curvature(S)), 400
    run = gh.minimize(f, S, gh.FrankWolfe(gh.Constant(eta)), stop=gh.Iterations(K)).trace
    level = limit(eta, 0.0, M)
    errors = run.value - optimum(f, S)
    left = np.array([remaining(run.step[:k]) for k in range(K + 1)])
    assert np.all(errors <= level + left * max(run.gap[0] - level, 0) + 1e-10)
    assert errors[K // 2 :].max() <= level * (1 + 1e-6)


@pytest.mark.skipif(not hasattr(gh, "Inexact"), reason="no inexact oracle yet")
@problems
def test_vanishing_tolerances_suffice_for_convergence(f, S):
    """Theorem 1 asks for ε_k → 0 only: here ε_k/η_k → ∞."""
    solver = gh.FrankWolfe(gh.OpenLoop(), tolerance=gh.power(0.3, scale=0.5))
    run = gh.minimize(f, gh.Inexact(S), solver, stop=gh.Iterations(3000)).trace
    errors = run.value - optimum(f, S)
    E = recursion(float(f.curvature(S)), run.step[:-1], run.slack[:-1], run.gap[0])
    assert np.all(errors <= E + 1e-10)
    assert errors[-1] <= 0.1 * errors[:10].max()
