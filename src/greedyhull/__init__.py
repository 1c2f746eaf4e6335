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
    least_squares, logistic, squared_hinge, huber, poisson, lp_loss, log_likelihood; with kinks: hinge, absolute,
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
    DecompositionInvariant, BlockCoordinate; for kinks Smoothed,
    MoreauFrankWolfe; by samples StochasticFrankWolfe, StochasticJones, VarianceReducedJones, Storc,
    LuFreund, RegularizedStochasticFrankWolfe
Step sizes
    Exact, Short, Backtracking, OpenLoop, LogAdaptive, Power, Constant, Capped
Tolerances of the oracle
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
``gh.report``, ``gh.experiments``.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    from greedyhull import apps as apps
    from greedyhull import estimators as estimators
    from greedyhull import experiments as experiments
    from greedyhull import extend as extend
    from greedyhull import report as report
    from greedyhull import testing as testing
    from greedyhull import theory as theory
    from greedyhull.solvers import gradients as gradients

__version__ = "0.1.0"

# Every name is loaded when it is first used: a program pays for what it uses, and the command line answers at once. Type
# checkers and editors follow the imports below; at run time `_note` only stores where each name is defined.
_LATER: dict[str, str] = {}
_import = builtins.__import__


def _note(name: str, globals: Any = None, locals: Any = None, fromlist: Sequence[str] = (), level: int = 0) -> Any:
    if globals is not _GLOBALS:  # an import of another module
        return _import(name, globals, locals, fromlist, level)
    _LATER.update(dict.fromkeys(fromlist, name.removeprefix("greedyhull.")))
    return SimpleNamespace(**dict.fromkeys(fromlist))


_GLOBALS = globals()
vars(builtins)["__import__"] = _note
try:
    # isort: off
    from greedyhull.atoms.base import AtomSet as AtomSet
    from greedyhull.atoms.birkhoff import Birkhoff as Birkhoff
    from greedyhull.atoms.bounded_simplex import HyperSimplex as HyperSimplex
    from greedyhull.atoms.box import Box as Box, LinfBall as LinfBall
    from greedyhull.atoms.combinatorial import SpanningTree as SpanningTree
    from greedyhull.atoms.group_l1_ball import GroupL1Ball as GroupL1Ball
    from greedyhull.atoms.grouped_simplex import GroupedSimplex as GroupedSimplex
    from greedyhull.atoms.joined import Product as Product, Sum as Sum
    from greedyhull.atoms.k_sparse import KSparse as KSparse, KSupport as KSupport
    from greedyhull.atoms.l1_ball import L1Ball as L1Ball
    from greedyhull.atoms.linear_program import LinearProgram as LinearProgram, Transport as Transport
    from greedyhull.atoms.lp_ball import L2Ball as L2Ball, LpBall as LpBall
    from greedyhull.atoms.mapped import Scaled as Scaled, Translated as Translated
    from greedyhull.atoms.nuclear_ball import NuclearBall as NuclearBall
    from greedyhull.atoms.path_polytope import PathPolytope as PathPolytope
    from greedyhull.atoms.permutahedron import Permutahedron as Permutahedron
    from greedyhull.atoms.simplex import CappedSimplex as CappedSimplex, Simplex as Simplex
    from greedyhull.atoms.spectrahedron import Spectrahedron as Spectrahedron
    from greedyhull.atoms.total_variation_ball import TotalVariationBall as TotalVariationBall
    from greedyhull.atoms.vertices import Vertices as Vertices
    from greedyhull.atoms.wrapped import Cached as Cached, Inexact as Inexact, oracle as oracle
    from greedyhull.data.shards import shards as shards
    from greedyhull.driver.batch.call import batch as batch
    from greedyhull.driver.batch.solutions import Solutions as Solutions
    from greedyhull.driver.certificate import Certificate as Certificate, certify as certify
    from greedyhull.driver.minimize import minimize as minimize
    from greedyhull.driver.path import path as path
    from greedyhull.driver.solution import Solution as Solution
    from greedyhull.driver.solution_file import load as load
    from greedyhull.driver.stop import (
        Callback as Callback, Gap as Gap, Iterations as Iterations, Relative as Relative, RelativeToStart as RelativeToStart,
        Seconds as Seconds, Stalled as Stalled)
    from greedyhull.errors import GreedyhullError as GreedyhullError, GreedyhullWarning as GreedyhullWarning
    from greedyhull.objectives.black_box import finite_sum as finite_sum
    from greedyhull.objectives.by_name import (
        absolute as absolute, epsilon_insensitive as epsilon_insensitive, function as function, hinge as hinge, huber as huber,
        least_squares as least_squares, log_det as log_det, log_likelihood as log_likelihood, logistic as logistic,
        lp_loss as lp_loss, poisson as poisson, quadratic as quadratic, quantile as quantile, squared_hinge as squared_hinge,
        trace_inverse as trace_inverse)
    from greedyhull.objectives.completion import completion as completion
    from greedyhull.objectives.responses import multinomial as multinomial, multitask as multitask
    from greedyhull.objectives.stream import expectation as expectation
    from greedyhull.points.shapes import Basis as Basis, Dense as Dense, RankOne as RankOne, Sparse as Sparse
    from greedyhull.remote.cluster import cluster as cluster
    from greedyhull.remote.executors import processes as processes
    from greedyhull.report.compare import compare as compare
    from greedyhull.solvers.aggregated import Aggregated as Aggregated
    from greedyhull.solvers.block_coordinate import BlockCoordinate as BlockCoordinate
    from greedyhull.solvers.corrective import Corrective as Corrective
    from greedyhull.solvers.frank_wolfe import FrankWolfe as FrankWolfe
    from greedyhull.solvers.jones import Jones as Jones, Mixed as Mixed, PairwiseJones as PairwiseJones
    from greedyhull.solvers.lu_freund import LuFreund as LuFreund
    from greedyhull.solvers.moreau_frank_wolfe import MoreauFrankWolfe as MoreauFrankWolfe
    from greedyhull.solvers.online import Online as Online
    from greedyhull.solvers.pairwise import (
        AwayStep as AwayStep, BlendedPairwise as BlendedPairwise, DecompositionInvariant as DecompositionInvariant,
        Pairwise as Pairwise)
    from greedyhull.solvers.parts.looks import FullGap as FullGap, MinibatchGap as MinibatchGap, Regret as Regret
    from greedyhull.solvers.parts.schedules import (
        Growing as Growing, constant as constant, harmonic as harmonic, linear as linear, of_gap as of_gap, power as power,
        zero as zero)
    from greedyhull.solvers.parts.steps import (
        Backtracking as Backtracking, Capped as Capped, Constant as Constant, Exact as Exact, LogAdaptive as LogAdaptive,
        OpenLoop as OpenLoop, Power as Power, Short as Short)
    from greedyhull.solvers.regularized_stochastic_frank_wolfe import (
        Fading as Fading, RegularizedStochasticFrankWolfe as RegularizedStochasticFrankWolfe, SquaredNorm as SquaredNorm,
        Steady as Steady, Unweighted as Unweighted)
    from greedyhull.solvers.smoothed import Smoothed as Smoothed
    from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe as StochasticFrankWolfe
    from greedyhull.solvers.stochastic_jones import (
        StochasticJones as StochasticJones, VarianceReducedJones as VarianceReducedJones)
    from greedyhull.solvers.storc import Storc as Storc
    # isort: on
finally:
    vars(builtins)["__import__"] = _import
__all__ = sorted(_LATER)
if not TYPE_CHECKING:
    for _name in __all__:
        del _GLOBALS[_name]
_INNER = ("atoms", "driver", "errors", "kernels", "objectives", "points", "solvers", "types")  # gh.errors, say
_MOVED = {"gradients": "solvers.gradients"}  # public modules that stand in a folder


def _later(name: str) -> Any:
    """A public name or module that has not been loaded yet."""
    from greedyhull.errors import ROOMS, missing

    if name in ROOMS or name in _INNER:
        try:
            return import_module(f"greedyhull.{_MOVED.get(name, name)}")
        except ImportError as error:  # what an optional part needs is not installed; to hasattr, that is no attribute
            raise AttributeError(str(error), name=name, obj=None) from error
    if name not in _LATER:
        raise AttributeError(missing(name, __all__), name=name, obj=None)  # with the module, Python would suggest once more
    # the module and the name are those of the table above
    value = globals()[name] = getattr(import_module(f"greedyhull.{_LATER[name]}"), name)
    return value


class _Former:
    """Finds a module under its former path, which older programs import and older pickles name."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self) if name.removeprefix("greedyhull.") in _MOVED else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """An ordinary module, for which the real one is put in place below."""

    def exec_module(self, module: ModuleType) -> None:
        from warnings import warn

        former = module.__name__
        now = f"greedyhull.{_MOVED[former.removeprefix('greedyhull.')]}"
        import_module(now)
        for name in [name for name in sys.modules if name == now or name.startswith(f"{now}.")]:
            sys.modules[former + name.removeprefix(now)] = sys.modules[name]
        warn(f"{former} is now {now}; import it from there.", DeprecationWarning, stacklevel=2)


sys.meta_path.append(_Former())  # asked last, when nobody else knows a module


if not TYPE_CHECKING:  # so that type checkers report names that do not exist
    __getattr__ = _later
    for _name in ("minimize", "least_squares", "L1Ball", "Corrective"):  # what a solve loads, so that the first is no slower
        _later(_name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
