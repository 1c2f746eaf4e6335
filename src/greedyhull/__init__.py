"""Greedyhull: minimise a convex function over the convex hull of a set of atoms, one atom at a time."""

from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.box import Box
from greedyhull.atoms.cached import Cached
from greedyhull.atoms.capped_simplex import CappedSimplex
from greedyhull.atoms.inexact import Inexact
from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.l2_ball import L2Ball
from greedyhull.atoms.linf_ball import LinfBall
from greedyhull.atoms.shapes import Basis, Dense, Sparse
from greedyhull.atoms.simplex import Simplex
from greedyhull.atoms.vertices import Vertices
from greedyhull.certificate import Certificate, certify
from greedyhull.errors import GreedyhullError
from greedyhull.finite_sum import finite_sum
from greedyhull.minimize import minimize
from greedyhull.problems import (
    function,
    huber,
    least_squares,
    log_likelihood,
    logistic,
    lp_loss,
    poisson,
    quadratic,
    squared_hinge,
)
from greedyhull.schedules import constant, harmonic, linear, of_gap, power, zero
from greedyhull.solution import Solution
from greedyhull.solvers.aggregated import Aggregated
from greedyhull.solvers.blended_pairwise import BlendedPairwise
from greedyhull.solvers.corrective import Corrective
from greedyhull.solvers.frank_wolfe import FrankWolfe
from greedyhull.solvers.jones import Jones
from greedyhull.solvers.mixed import Mixed
from greedyhull.solvers.pairwise_jones import PairwiseJones
from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
from greedyhull.steps import Backtracking, Constant, Exact, LogAdaptive, OpenLoop, Power, Short
from greedyhull.stop import Callback, Gap, Iterations, Relative, Seconds, Stalled

__version__ = "0.1.0"

__all__ = [
    "Aggregated", "AtomSet", "Backtracking", "Basis", "BlendedPairwise", "Box", "Cached", "Callback", "CappedSimplex",
    "Certificate", "Constant", "Corrective", "Dense", "Exact", "FrankWolfe", "Gap", "GreedyhullError", "Inexact",
    "Iterations", "Jones", "L1Ball", "L2Ball", "LinfBall", "LogAdaptive", "Mixed", "OpenLoop", "PairwiseJones", "Power",
    "Relative", "Seconds", "Short", "Simplex", "Solution", "Sparse", "Stalled", "StochasticFrankWolfe", "Vertices",
    "certify", "constant", "finite_sum", "function", "harmonic", "huber", "least_squares", "linear", "log_likelihood",
    "logistic", "lp_loss", "minimize", "of_gap", "poisson", "power", "quadratic", "squared_hinge", "zero",
]
