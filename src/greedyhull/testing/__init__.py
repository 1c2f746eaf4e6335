"""The conformance kit: what a set, a loss, an objective, a design, a step rule and a solver promise, as checks.

Each check takes one object, plays with it, and raises `AssertionError` with words that say which promise was broken,
by what and by how much. They test promises and never look inside, so they hold for your own pieces as for ours.

================================  =====================================================================================
``check_atoms(S)``                the oracle's atoms lie in the set and nothing beats them; sizes and constants are bounds
``check_loss(loss or factory)``   convex, gradient and curvature agree with differences, lines and bounds are honest
``check_objective(f, S)``         the same for a whole objective on a set, with its views and its curvature constant
``check_design(A)``               every product agrees with the matrix
``check_step(rule)``              steps stay on the line, and decrease where the rule says so
``check_solver(solver)``          every certificate is true, every point feasible, runs repeat and resume bit by bit
================================  =====================================================================================

>>> import greedyhull as gh
>>> check_atoms(gh.Simplex(3))
>>> check_step(gh.Exact())
"""

from greedyhull.testing.atoms import check_atoms
from greedyhull.testing.losses import check_loss
from greedyhull.testing.objectives import check_design, check_objective
from greedyhull.testing.problems import Problem, kinked_problems, small_problems
from greedyhull.testing.solvers import check_solver, check_step

__all__ = [
    "Problem",
    "check_atoms",
    "check_design",
    "check_loss",
    "check_objective",
    "check_solver",
    "check_step",
    "kinked_problems",
    "small_problems",
]
