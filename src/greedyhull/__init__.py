"""Greedyhull: minimise a convex function over the convex hull of a set of atoms, one atom at a time.

Each solution has a certificate: its value is within the reported gap of the minimum, rounding errors included.

>>> import numpy as np, greedyhull as gh
>>> X, y = np.eye(2), np.array([3.0, 1.0])
>>> s = gh.minimize(gh.least_squares(X, y), gh.L1Ball(2, radius=1))
>>> s.x, s.gap < 1e-6
(array([1., 0.]), True)

``help(gh.minimize)`` and so on describe the public names, with examples:

Solve
    minimize, batch (many problems), path (many radii), certify (a point from elsewhere), compare (several runs), Online
    (losses one by one)
What comes back
    Solution, Solutions, Certificate; load (a solution from a file)
Objectives, from data
    least_squares, logistic, squared_hinge, huber, poisson, lp_loss, log_likelihood; nonsmooth: hinge, absolute,
    quantile, epsilon_insensitive; of matrices: completion, multitask, multinomial
Objectives, from functions
    quadratic, function, finite_sum, expectation; of designs of experiments: log_det, trace_inverse
Data
    shards (files larger than memory, in place of X and y)
Sets
    Simplex, GroupedSimplex, CappedSimplex, HyperSimplex, L1Ball, L2Ball, LinfBall, LpBall, Box, KSparse, KSupport,
    GroupL1Ball, TotalVariationBall, Permutahedron, NuclearBall, Spectrahedron, LinearProgram, Birkhoff, Transport,
    PathPolytope, SpanningTree, Vertices (given points), oracle (a function that minimises linear functions); around
    another set: Cached, Inexact, Scaled, Translated; from several: Product, Sum
Stops
    Gap, Relative, RelativeToStart, Iterations, Seconds, Stalled, Callback; | and & combine them
Solvers
    Corrective, BlendedPairwise, FrankWolfe, Jones, PairwiseJones, Mixed, Aggregated, AwayStep, Pairwise,
    DecompositionInvariant, BlockCoordinate; for nonsmooth f Smoothed,
    MoreauFrankWolfe; by samples StochasticFrankWolfe, StochasticJones, VarianceReducedJones, Storc, LuFreund,
    RegularizedStochasticFrankWolfe
Step sizes
    Exact, Short, Backtracking, OpenLoop, LogAdaptive, Power, Constant, Capped
Tolerances of the oracle, also in gh.schedules
    zero, constant, harmonic, power, linear, of_gap
Settings of stochastic solvers
    FullGap, MinibatchGap, Regret (certificates); Growing (batch sizes); Fading, Steady, Unweighted (averages of
    gradients); SquaredNorm (a regularizer)
Sets of your own
    AtomSet, and the atoms Basis, Sparse, Dense, RankOne
Who computes over shards
    processes (on this machine), cluster (Dask)
Errors
    GreedyhullError, GreedyhullWarning

Modules, loaded on first use: ``gh.estimators`` (scikit-learn), ``gh.apps`` (whole jobs), ``gh.gradients`` (gradient
estimators), ``gh.theory`` (rates), ``gh.testing`` (checks for your own pieces), ``gh.extend`` (what extensions import),
``gh.schedules`` (tolerances and batch sizes), ``gh.report``, ``gh.experiments``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from greedyhull import apps as apps
    from greedyhull import estimators as estimators
    from greedyhull import experiments as experiments
    from greedyhull import extend as extend
    from greedyhull import report as report
    from greedyhull import schedules as schedules
    from greedyhull import testing as testing
    from greedyhull import theory as theory
    from greedyhull.atoms.base import AtomSet
    from greedyhull.atoms.box import Box, L2Ball, LinfBall, LpBall
    from greedyhull.atoms.combinatorial import Birkhoff, Permutahedron, SpanningTree
    from greedyhull.atoms.grouped_simplex import GroupedSimplex
    from greedyhull.atoms.joined import Product, Sum
    from greedyhull.atoms.l1_ball import L1Ball, TotalVariationBall
    from greedyhull.atoms.linear_program import LinearProgram, Transport
    from greedyhull.atoms.mapped import Scaled, Translated
    from greedyhull.atoms.nuclear_ball import NuclearBall
    from greedyhull.atoms.path_polytope import PathPolytope
    from greedyhull.atoms.simplex import CappedSimplex, HyperSimplex, Simplex
    from greedyhull.atoms.sparse_balls import GroupL1Ball, KSparse, KSupport
    from greedyhull.atoms.spectrahedron import Spectrahedron
    from greedyhull.atoms.vertices import Vertices
    from greedyhull.atoms.wrapped import Cached, Inexact, oracle
    from greedyhull.data.shards import shards
    from greedyhull.driver.batch.call import batch
    from greedyhull.driver.batch.solutions import Solutions
    from greedyhull.driver.certificate import Certificate, certify
    from greedyhull.driver.path import path
    from greedyhull.driver.run import minimize
    from greedyhull.driver.solution import Solution
    from greedyhull.driver.solution_file import load
    from greedyhull.driver.stop import Callback, Gap, Iterations, Relative, RelativeToStart, Seconds, Stalled
    from greedyhull.errors import GreedyhullError, GreedyhullWarning
    from greedyhull.objectives.black_box import finite_sum
    from greedyhull.objectives.by_name import (
        absolute,
        epsilon_insensitive,
        function,
        hinge,
        huber,
        least_squares,
        log_det,
        log_likelihood,
        logistic,
        lp_loss,
        poisson,
        quadratic,
        quantile,
        squared_hinge,
        trace_inverse,
    )
    from greedyhull.objectives.responses import completion, multinomial, multitask
    from greedyhull.objectives.stream import expectation
    from greedyhull.points.shapes import Basis, Dense, RankOne, Sparse
    from greedyhull.remote.cluster import cluster
    from greedyhull.remote.executors import processes
    from greedyhull.report.compare import compare
    from greedyhull.solvers import gradients as gradients
    from greedyhull.solvers.aggregated import Aggregated
    from greedyhull.solvers.block_coordinate import BlockCoordinate
    from greedyhull.solvers.corrective import Corrective
    from greedyhull.solvers.frank_wolfe import FrankWolfe
    from greedyhull.solvers.jones import Jones, Mixed, PairwiseJones
    from greedyhull.solvers.lu_freund import LuFreund
    from greedyhull.solvers.moreau_frank_wolfe import MoreauFrankWolfe
    from greedyhull.solvers.online import Online
    from greedyhull.solvers.pairwise import AwayStep, BlendedPairwise, DecompositionInvariant, Pairwise
    from greedyhull.solvers.parts.gap_evaluation import FullGap, MinibatchGap, Regret
    from greedyhull.solvers.parts.schedules import Growing, constant, harmonic, linear, of_gap, power, zero
    from greedyhull.solvers.parts.steps import Backtracking, Capped, Constant, Exact, LogAdaptive, OpenLoop, Power, Short
    from greedyhull.solvers.regularized_stochastic_frank_wolfe import (
        Fading,
        RegularizedStochasticFrankWolfe,
        SquaredNorm,
        Steady,
        Unweighted,
    )
    from greedyhull.solvers.smoothed import Smoothed
    from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
    from greedyhull.solvers.stochastic_jones import StochasticJones, VarianceReducedJones
    from greedyhull.solvers.storc import Storc

__version__ = "0.2.0"

__all__ = [
    "Aggregated", "AtomSet", "AwayStep", "Backtracking", "Basis", "Birkhoff", "BlendedPairwise", "BlockCoordinate", "Box",
    "Cached", "Callback", "Capped", "CappedSimplex", "Certificate", "Constant", "Corrective", "DecompositionInvariant",
    "Dense", "Exact", "Fading", "FrankWolfe", "FullGap", "Gap", "GreedyhullError", "GreedyhullWarning", "GroupL1Ball",
    "GroupedSimplex", "Growing", "HyperSimplex", "Inexact", "Iterations", "Jones", "KSparse", "KSupport", "L1Ball", "L2Ball",
    "LinearProgram", "LinfBall", "LogAdaptive", "LpBall", "LuFreund", "MinibatchGap", "Mixed", "MoreauFrankWolfe",
    "NuclearBall", "Online", "OpenLoop", "Pairwise", "PairwiseJones", "PathPolytope", "Permutahedron", "Power", "Product",
    "RankOne", "Regret", "RegularizedStochasticFrankWolfe", "Relative", "RelativeToStart", "Scaled", "Seconds", "Short",
    "Simplex", "Smoothed", "Solution", "Solutions", "SpanningTree", "Sparse", "Spectrahedron", "SquaredNorm", "Stalled",
    "Steady", "StochasticFrankWolfe", "StochasticJones", "Storc", "Sum", "TotalVariationBall", "Translated", "Transport",
    "Unweighted", "VarianceReducedJones", "Vertices",
    "absolute", "batch", "certify", "cluster", "compare", "completion", "constant", "epsilon_insensitive", "expectation",
    "finite_sum", "function", "harmonic", "hinge", "huber", "least_squares", "linear", "load", "log_det", "log_likelihood",
    "logistic", "lp_loss", "minimize", "multinomial", "multitask", "of_gap", "oracle", "path", "poisson", "power", "processes",
    "quadratic", "quantile", "shards", "squared_hinge", "trace_inverse", "zero",
]

# Names are imported on first use, so that a program loads only what it uses.
_LATER = {name: module for module, names in {
    "atoms.base": "AtomSet",
    "atoms.box": "Box L2Ball LinfBall LpBall",
    "atoms.combinatorial": "Birkhoff Permutahedron SpanningTree",
    "atoms.grouped_simplex": "GroupedSimplex",
    "atoms.joined": "Product Sum",
    "atoms.l1_ball": "L1Ball TotalVariationBall",
    "atoms.linear_program": "LinearProgram Transport",
    "atoms.mapped": "Scaled Translated",
    "atoms.nuclear_ball": "NuclearBall",
    "atoms.path_polytope": "PathPolytope",
    "atoms.simplex": "CappedSimplex HyperSimplex Simplex",
    "atoms.sparse_balls": "GroupL1Ball KSparse KSupport",
    "atoms.spectrahedron": "Spectrahedron",
    "atoms.vertices": "Vertices",
    "atoms.wrapped": "Cached Inexact oracle",
    "data.shards": "shards",
    "driver.batch.call": "batch",
    "driver.batch.solutions": "Solutions",
    "driver.certificate": "Certificate certify",
    "driver.run": "minimize",
    "driver.path": "path",
    "driver.solution": "Solution",
    "driver.solution_file": "load",
    "driver.stop": "Callback Gap Iterations Relative RelativeToStart Seconds Stalled",
    "errors": "GreedyhullError GreedyhullWarning",
    "objectives.black_box": "finite_sum",
    "objectives.by_name": "absolute epsilon_insensitive function hinge huber least_squares log_det "
        "log_likelihood logistic lp_loss poisson quadratic quantile squared_hinge trace_inverse",
    "objectives.responses": "completion multinomial multitask",
    "objectives.stream": "expectation",
    "points.shapes": "Basis Dense RankOne Sparse",
    "remote.cluster": "cluster",
    "remote.executors": "processes",
    "report.compare": "compare",
    "solvers.aggregated": "Aggregated",
    "solvers.block_coordinate": "BlockCoordinate",
    "solvers.corrective": "Corrective",
    "solvers.frank_wolfe": "FrankWolfe",
    "solvers.jones": "Jones Mixed PairwiseJones",
    "solvers.lu_freund": "LuFreund",
    "solvers.moreau_frank_wolfe": "MoreauFrankWolfe",
    "solvers.online": "Online",
    "solvers.pairwise": "AwayStep BlendedPairwise DecompositionInvariant Pairwise",
    "solvers.parts.gap_evaluation": "FullGap MinibatchGap Regret",
    "solvers.parts.schedules": "Growing constant harmonic linear of_gap power zero",
    "solvers.parts.steps": "Backtracking Capped Constant Exact LogAdaptive OpenLoop Power Short",
    "solvers.regularized_stochastic_frank_wolfe": "Fading RegularizedStochasticFrankWolfe SquaredNorm Steady Unweighted",
    "solvers.smoothed": "Smoothed",
    "solvers.stochastic_frank_wolfe": "StochasticFrankWolfe",
    "solvers.stochastic_jones": "StochasticJones VarianceReducedJones",
    "solvers.storc": "Storc",
}.items() for name in names.split()}
_INNER = ("atoms", "driver", "errors", "kernels", "objectives", "points", "solvers", "types")  # gh.errors, say


def _later(name: str) -> Any:
    """Import a public name or module on its first use."""
    from greedyhull.errors import ROOMS, missing

    if name in ROOMS or name in _INNER:
        try:
            return import_module("greedyhull.solvers.gradients" if name == "gradients" else f"greedyhull.{name}")
        except ImportError as error:  # an optional dependency is missing; to hasattr, that is no attribute
            raise AttributeError(str(error), name=name, obj=None) from error
    if name not in _LATER:
        raise AttributeError(missing(name, __all__), name=name, obj=None)  # with the module, Python would suggest once more
    value = globals()[name] = getattr(import_module(f"greedyhull.{_LATER[name]}"), name)
    return value


if not TYPE_CHECKING:  # so that type checkers report names that do not exist
    __getattr__ = _later
    for _name in ("minimize", "least_squares", "L1Ball", "Corrective"):  # what a solve loads, so that the first is no slower
        _later(_name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
