"""Greedyhull: minimise a convex function over the convex hull of a set of atoms, one atom at a time."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from greedyhull.atoms.base import AtomSet
from greedyhull.atoms.box import Box
from greedyhull.atoms.cached import Cached
from greedyhull.atoms.capped_simplex import CappedSimplex
from greedyhull.atoms.from_function import oracle
from greedyhull.atoms.inexact import Inexact
from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.l2_ball import L2Ball
from greedyhull.atoms.linf_ball import LinfBall
from greedyhull.atoms.shapes import Basis, Dense, Sparse
from greedyhull.atoms.simplex import Simplex
from greedyhull.atoms.vertices import Vertices
from greedyhull.certificate import Certificate, certify
from greedyhull.errors import GreedyhullError, GreedyhullWarning
from greedyhull.finite_sum import finite_sum
from greedyhull.minimize import minimize
from greedyhull.path import path
from greedyhull.problems import (
    absolute,
    epsilon_insensitive,
    function,
    hinge,
    huber,
    least_squares,
    log_likelihood,
    logistic,
    lp_loss,
    poisson,
    quadratic,
    quantile,
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
from greedyhull.steps import Backtracking, Capped, Constant, Exact, LogAdaptive, OpenLoop, Power, Short
from greedyhull.stop import Callback, Gap, Iterations, Relative, RelativeToStart, Seconds, Stalled

if TYPE_CHECKING:
    from greedyhull.growing import Growing
    from greedyhull.looks import FullGap, MinibatchGap, Regret
    from greedyhull.online import Online
    from greedyhull.regularizers import SquaredNorm
    from greedyhull.report.compare import compare
    from greedyhull.solvers.lu_freund import LuFreund
    from greedyhull.solvers.moreau_frank_wolfe import MoreauFrankWolfe
    from greedyhull.solvers.regularized_stochastic_frank_wolfe import RegularizedStochasticFrankWolfe
    from greedyhull.solvers.smoothed import Smoothed
    from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
    from greedyhull.solvers.stochastic_jones import StochasticJones
    from greedyhull.solvers.storc import Storc
    from greedyhull.stream import expectation
    from greedyhull.weights import Fading, Steady, Unweighted

__version__ = "0.1.0"

__all__ = [
    "Aggregated", "AtomSet", "Backtracking", "Basis", "BlendedPairwise", "Box", "Cached", "Callback", "Capped",
    "CappedSimplex", "Certificate", "Constant", "Corrective", "Dense", "Exact", "Fading", "FrankWolfe", "FullGap", "Gap",
    "GreedyhullError", "GreedyhullWarning", "Growing", "Inexact", "Iterations", "Jones", "L1Ball", "L2Ball", "LinfBall",
    "LogAdaptive", "LuFreund", "MinibatchGap", "Mixed", "MoreauFrankWolfe", "Online", "OpenLoop", "PairwiseJones", "Power",
    "Regret", "RegularizedStochasticFrankWolfe", "Relative", "RelativeToStart", "Seconds", "Short", "Simplex", "Smoothed",
    "Solution", "Sparse", "SquaredNorm", "Stalled", "Steady", "StochasticFrankWolfe", "StochasticJones", "Storc", "Unweighted",
    "Vertices",
    "absolute", "certify", "compare", "constant", "epsilon_insensitive", "expectation", "finite_sum", "function", "harmonic",
    "hinge", "huber", "least_squares", "linear", "log_likelihood", "logistic", "lp_loss", "minimize", "of_gap", "oracle",
    "path", "poisson", "power", "quadratic", "quantile", "squared_hinge", "zero",
]

# What not every program needs is loaded when it is first asked for, so that the import stays quick.
_LATER = {
    "Fading": "weights",
    "FullGap": "looks",
    "Growing": "growing",
    "LuFreund": "solvers.lu_freund",
    "MinibatchGap": "looks",
    "MoreauFrankWolfe": "solvers.moreau_frank_wolfe",
    "Online": "online",
    "Regret": "looks",
    "RegularizedStochasticFrankWolfe": "solvers.regularized_stochastic_frank_wolfe",
    "Smoothed": "solvers.smoothed",
    "SquaredNorm": "regularizers",
    "Steady": "weights",
    "StochasticFrankWolfe": "solvers.stochastic_frank_wolfe",
    "StochasticJones": "solvers.stochastic_jones",
    "Storc": "solvers.storc",
    "Unweighted": "weights",
    "compare": "report.compare",
    "expectation": "stream",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        from greedyhull.hints import missing

        raise AttributeError(missing(name, __all__))
    value = globals()[name] = getattr(import_module(f"greedyhull.{_LATER[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
