"""Every solver on every real problem: what is returned is as good as its certificate says, however short the run."""

from typing import Any

import pytest
from problems import Problem, named, parametrised

import greedyhull as gh

SOLVERS = {
    "FrankWolfe-Exact": lambda: gh.FrankWolfe(gh.Exact()),
    "FrankWolfe-OpenLoop": lambda: gh.FrankWolfe(gh.OpenLoop()),
    "BlendedPairwise": lambda: gh.BlendedPairwise(),
    "Corrective": lambda: named("Corrective")(),
    "Jones": lambda: named("Jones")(),
    "PairwiseJones": lambda: named("PairwiseJones")(),
    "Mixed": lambda: named("Mixed")(),
}


def check_honest(problem: Problem, solution: gh.Solution) -> None:
    """lower ≤ min f ≤ value for the returned point, as it is known from outside."""
    c = solution.certificate
    assert c.kind == "always" and c.value is not None and c.gap is not None
    tiny = 1e-13 * abs(problem.optimum) + 1e-15  # the reference's own last digits; logarithms near 0 have an absolute error
    assert c.value - problem.optimum <= c.gap + tiny
    assert c.value >= problem.optimum - problem.precision - tiny
    again = gh.certify(solution.objective, solution.atom_set, solution.point.array())
    assert again.value is not None
    assert abs(again.value - c.value) <= 1e-10 * max(abs(c.value), abs(problem.optimum))


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
@parametrised(lambda problem: not problem.big)
def test_a_short_run_is_honest(problem: Problem, solver: Any) -> None:
    f, S = problem.built
    check_honest(problem, gh.minimize(f, S, solver(), stop=gh.Iterations(60) | gh.Seconds(0.3)))


@parametrised()
def test_default_solver_reaches_one_in_a_million(problem: Problem) -> None:
    f, S = problem.built
    solution = gh.minimize(f, S, stop=gh.Relative(1e-6) | gh.Seconds(60))
    check_honest(problem, solution)
    assert solution.converged, f"{problem}: {solution.reason}"
