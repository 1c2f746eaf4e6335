"""The stored reference solutions, seen through our objectives, sets and certificates."""

from problems import Problem, parametrised

import greedyhull as gh

with_solution = parametrised(lambda problem: problem.stored is not None)


@with_solution
def test_reference_solution_has_the_reference_value(problem: Problem) -> None:
    f, S = problem.built
    value = gh.certify(f, S, problem.solution).value
    assert value is not None
    assert abs(value - problem.optimum) <= 1e-9 * abs(problem.optimum)


@with_solution
def test_reference_solution_is_certified_as_optimal(problem: Problem) -> None:
    """To its precision and the rounding allowance, which stays far below what a relative gap of 1e-6 leaves room for."""
    f, S = problem.built
    c = gh.certify(f, S, problem.solution)
    assert c.kind == "always" and c.gap is not None
    assert c.gap <= problem.precision + 1e-7 * abs(problem.optimum)
    assert c.lower <= problem.optimum
