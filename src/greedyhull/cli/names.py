"""What the names in a problem file stand for. A new loss, set or solver is added here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull.solvers import gradients

Names = Mapping[str, Callable[..., Any]]


def box(d: int, lower: Any, upper: Any) -> gh.Box:
    """A box whose sides are vectors, or one number for all coordinates."""
    return gh.Box(*(np.full(d, side) if np.ndim(side) == 0 else side for side in (lower, upper)))


def whole(value: int) -> int:
    """A size that is the same in every step."""
    return value


LOSSES: Names = {function.__name__: function for function in (
    gh.least_squares, gh.logistic, gh.squared_hinge, gh.huber, gh.poisson, gh.lp_loss, gh.hinge, gh.absolute, gh.quantile,
    gh.epsilon_insensitive, gh.multinomial, gh.log_likelihood, gh.quadratic)}
SETS: Names = {"l1_ball": gh.L1Ball, "simplex": gh.Simplex, "capped_simplex": gh.CappedSimplex, "l2_ball": gh.L2Ball,
               "linf_ball": gh.LinfBall, "box": box, "vertices": gh.Vertices, "nuclear_ball": gh.NuclearBall,
               "spectrahedron": gh.Spectrahedron, "cached": gh.Cached, "inexact": gh.Inexact}
SOLVERS: Names = {
    "corrective": gh.Corrective, "blended_pairwise": gh.BlendedPairwise, "frank_wolfe": gh.FrankWolfe, "jones": gh.Jones,
    "pairwise_jones": gh.PairwiseJones, "stochastic_frank_wolfe": gh.StochasticFrankWolfe,
    "stochastic_jones": gh.StochasticJones, "variance_reduced_jones": gh.VarianceReducedJones,
    "storc": gh.Storc, "lu_freund": gh.LuFreund,
    "moreau_frank_wolfe": gh.MoreauFrankWolfe, "regularized_stochastic_frank_wolfe": gh.RegularizedStochasticFrankWolfe,
    "smoothed": gh.Smoothed, "aggregated": gh.Aggregated, "mixed": gh.Mixed}
STEPS: Names = {"exact": gh.Exact, "short": gh.Short, "backtracking": gh.Backtracking, "open_loop": gh.OpenLoop,
                "log_adaptive": gh.LogAdaptive, "power": gh.Power, "constant": gh.Constant, "capped": gh.Capped}
SCHEDULES: Names = {"constant": gh.constant, "harmonic": gh.harmonic, "power": gh.power, "linear": gh.linear,
                    "of_gap": gh.of_gap}
SIZES: Names = {"whole": whole, **SCHEDULES, "root": gradients.Root, "growing": gh.Growing}
LOOKS: Names = {"full_gap": gh.FullGap, "minibatch_gap": gh.MinibatchGap, "regret": gh.Regret}
ESTIMATORS: Names = {"minibatch": gradients.Minibatch, "momentum": gradients.Momentum, "storm": gradients.Storm,
                     "spider": gradients.Spider, "svrg": gradients.Svrg, "saga": gradients.Saga, "dual": gradients.Dual}
WEIGHTS: Names = {"unweighted": gh.Unweighted, "fading": gh.Fading, "steady": gh.Steady}
REGULARIZERS: Names = {"squared_norm": gh.SquaredNorm}

ARGUMENTS: dict[str, Names] = {  # the names that an argument of a solver or a set may have
    **dict.fromkeys(("step", "rule"), STEPS), **dict.fromkeys(("tolerance", "rho", "epsilon"), SCHEDULES),
    **dict.fromkeys(("batch", "epoch", "reset"), SIZES), **dict.fromkeys(("solver", "solvers"), SOLVERS),
    "S": SETS, "look": LOOKS, "estimator": ESTIMATORS, "sigma": WEIGHTS, "regularizer": REGULARIZERS}
SECTIONS: dict[str, Names] = {"objective": LOSSES, "set": SETS, "solver": SOLVERS}
