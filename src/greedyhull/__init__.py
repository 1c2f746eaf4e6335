"""Greedyhull: minimise a convex function over the convex hull of a set of atoms, one atom at a time."""

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.simplex import Simplex
from greedyhull.certificate import Certificate, certify
from greedyhull.errors import GreedyhullError
from greedyhull.minimize import minimize
from greedyhull.problems import (
    function, huber, least_squares, log_likelihood, logistic, lp_loss, poisson, quadratic, squared_hinge,
)
from greedyhull.schedules import constant, harmonic, of_gap, power, zero
from greedyhull.solution import Solution
from greedyhull.solvers.blended_pairwise import BlendedPairwise
from greedyhull.solvers.corrective import Corrective
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.steps import Backtracking, Constant, Exact, LogAdaptive, OpenLoop, Power, Short
from greedyhull.stop import Callback, Gap, Iterations, Relative, Seconds, Stalled

__version__ = "0.1.0"
