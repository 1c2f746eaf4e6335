"""What the names in a problem file stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isqrt
from pathlib import Path
from typing import Any, Literal

import numpy as np

import greedyhull as gh
from greedyhull.errors import check
from greedyhull.solvers import gradients
from greedyhull.types import Array, AtomSet, Shape


def l1_ball(d: int, radius: float, weights: Any = None, domain: Shape = (0,)) -> gh.L1Ball:
    """Vectors, or matrices of the shape of the data's."""
    return gh.L1Ball(d if len(domain) == 1 else domain, radius, weights=weights)


def group_l1_ball(radius: float, groups: Any = None, by: Literal["rows", "columns"] | None = None,
                  domain: Shape = (0,)) -> gh.GroupL1Ball:
    """Groups of coordinates, or of the entries of matrices; ``by`` rows or columns."""
    check((groups is None) != (by is None), "groups, one for each coordinate, or by = 'rows' or 'columns' is wanted.")
    matrix = len(domain) == 2
    check(matrix or by is None, lambda: f"by = {by!r} was given, and points are vectors; groups, one for each coordinate, are "
                                        "wanted.")
    return gh.GroupL1Ball(by if groups is None else groups, radius, shape=domain if matrix else None)


def nuclear_ball(radius: float, shape: Any = None, domain: Shape = (0,)) -> gh.NuclearBall:
    """Matrices of the shape of the data's, or of the one that is given."""
    _need_matrices(domain)
    return gh.NuclearBall(domain if shape is None else shape, radius)


def spectrahedron(n: int | None = None, trace: float = 1.0, domain: Shape = (0,)) -> gh.Spectrahedron:
    """Matrices with as many rows as the data's, or as are given."""
    _need_matrices(domain)
    return gh.Spectrahedron(domain[0] if n is None else n, trace)


def _need_matrices(domain: Shape) -> None:
    check(len(domain) == 2, "Points of this problem are vectors, and the set holds matrices. Use completion, multitask or "
                            "multinomial, or a set of vectors.")


def completion(rows: Any, cols: Any, values: Any, shape: Any = None,
               entry_loss: Literal["squared", "logistic", "huber"] | None = None, sample_weight: Any = None,
               delta: float = 1.0) -> Any:
    """Entries at places that are whole numbers from 0, if a shape is given; else at labels, numbered in sorted order."""
    if shape is None:
        (names, i), (others, j) = (np.unique(labels, return_inverse=True) for labels in (rows, cols))
        rows, cols, shape = i.ravel(), j.ravel(), (len(names), len(others))
    else:
        check(all(np.asarray(places).dtype.kind in "biuf" for places in (rows, cols)),
              "shape was given, and the rows or columns of the entries are words; leave shape out, and they are numbered.")
    return gh.completion(rows, cols, values, shape, loss=entry_loss or "squared", sample_weight=sample_weight, delta=delta)


Names = Mapping[str, Callable[..., Any]]
MOST = 1_000_000  # sets of a product


def box(d: int, lower: Any, upper: Any) -> gh.Box:
    """A box whose sides are vectors, or one number for all coordinates."""
    return gh.Box(_each(lower, d, "lower"), _each(upper, d, "upper"))


def linear_program(d: int, A_ub: Any = None, b_ub: Any = None, A_eq: Any = None, b_eq: Any = None, lower: Any = 0.0,
                   upper: Any = None, names: list[str] | None = None, file: Path | None = None) -> gh.LinearProgram:
    """Rows, each a list or a row of a file, and bounds, vectors or one number for all coordinates; or a file in MPS format."""
    if file is not None:
        given = [x is not None for x in (A_ub, b_ub, A_eq, b_eq, upper, names)]
        check(not any(given) and np.ndim(lower) == 0 and lower == 0.0, f"file = {file.name!r} was given together with rows, "
              "bounds or names; the file has all of them. Leave the others out.")
        return gh.LinearProgram.read(file)
    for name, A in (("A_ub", A_ub), ("A_eq", A_eq)):
        hint = " Is it transposed?" if np.shape(A)[:1] == (d,) else ""
        check(A is None or np.shape(A)[-1:] == (d,),
              f"{name} must have {d} columns, one for each column of the data; got shape {np.shape(A)}.{hint}")
    ends = np.array([_each(lower, d, "lower"), _each(np.inf if upper is None else upper, d, "upper")])
    return gh.LinearProgram(A_ub, b_ub, A_eq, b_eq, bounds=ends.T, names=names)


def _each(given: Any, d: int, name: str) -> Array:
    check(np.shape(given) in ((), (d,)),
          f"{name} must be one number, or {d} numbers, one for each column of the data; got shape {np.shape(given)}.")
    return np.full(d, given)


def path_polytope(edges: Any, nodes: int, source: int, target: int) -> gh.PathPolytope:
    """Paths along edges, which are rows (tail, head) of a file."""
    return gh.PathPolytope(_whole_numbers(edges), nodes, source, target)


def spanning_tree(edges: Any, nodes: int) -> gh.SpanningTree:
    """Trees of edges, which are rows of a file."""
    return gh.SpanningTree(_whole_numbers(edges), nodes)


def _whole_numbers(edges: Any) -> Any:
    """Numbers of a file as nodes, where they are whole."""
    pairs = np.asarray(edges)
    return pairs.astype(np.int64) if (np.abs(pairs) < 2.0**53).all() and (pairs == np.round(pairs)).all() else pairs


def birkhoff(domain: Shape, n: int | None = None) -> AtomSet:
    """Doubly stochastic matrices, row after row where the columns of a table are their entries."""
    rows = domain[0] if len(domain) == 2 else isqrt(domain[0])
    check(n is not None or len(domain) == 2 or rows * rows == domain[0],
          lambda: f"The data have {domain[0]} columns, which are not the entries of a square matrix; n² of them are wanted.")
    return _flat(gh.Birkhoff(rows if n is None else n), domain)


def transport(domain: Shape, a: Any, b: Any) -> AtomSet:
    """Couplings, row after row where the columns of a table are their entries."""
    return _flat(gh.Transport(a, b), domain)


def _flat(S: AtomSet, domain: Shape) -> AtomSet:
    """A set of matrices, or of their entries in a row where the objective takes vectors."""
    return gh.Product(S) if len(domain) == 1 else S


def product(sets: Any, repeat: int = 1) -> gh.Product:
    """Sets side by side, each with its own number d of columns; all of them again and again, ``repeat`` times."""
    check(1 <= repeat <= MOST, lambda: f"repeat = {repeat} was given; a whole number from 1 to {MOST} is wanted.")
    return gh.Product(*(S for _ in range(repeat) for S in sets))


def minkowski_sum(sets: Any) -> gh.Sum:
    return gh.Sum(*sets)


def quadratic(Q: Any = None, b: Any = None, scale: float | None = None, factors: Any = None) -> Any:
    """A quadratic by its matrix, or by factors and a diagonal, which a text file has in one row or column."""
    diagonal = factors is not None and np.ndim(Q) == 2 and 1 in Q.shape
    return gh.quadratic(Q.ravel() if diagonal else Q, b, scale=scale, factors=factors)


def whole(value: int) -> int:
    """A size that is the same in every step."""
    return value


LOSSES: Names = {function.__name__: function for function in (
    gh.least_squares, gh.logistic, gh.squared_hinge, gh.huber, gh.poisson, gh.lp_loss, gh.hinge, gh.absolute, gh.quantile,
    gh.epsilon_insensitive, gh.multinomial, gh.multitask, completion, gh.log_likelihood, gh.log_det,
    gh.trace_inverse, quadratic)}
SETS: Names = {
    "l1_ball": l1_ball, "simplex": gh.Simplex, "capped_simplex": gh.CappedSimplex, "l2_ball": gh.L2Ball,
    "linf_ball": gh.LinfBall, "lp_ball": gh.LpBall, "box": box, "hyper_simplex": gh.HyperSimplex,
    "grouped_simplex": gh.GroupedSimplex, "k_sparse": gh.KSparse, "k_support": gh.KSupport,
    "group_l1_ball": group_l1_ball, "total_variation_ball": gh.TotalVariationBall,
    "permutahedron": gh.Permutahedron, "linear_program": linear_program, "path_polytope": path_polytope,
    "spanning_tree": spanning_tree, "vertices": gh.Vertices, "cached": gh.Cached, "inexact": gh.Inexact,
    "nuclear_ball": nuclear_ball, "spectrahedron": spectrahedron, "birkhoff": birkhoff,
    "transport": transport, "scaled": gh.Scaled, "translated": gh.Translated, "product": product, "sum": minkowski_sum}
SOLVERS: Names = {
    "corrective": gh.Corrective, "blended_pairwise": gh.BlendedPairwise, "frank_wolfe": gh.FrankWolfe, "jones": gh.Jones,
    "pairwise_jones": gh.PairwiseJones, "stochastic_frank_wolfe": gh.StochasticFrankWolfe,
    "stochastic_jones": gh.StochasticJones, "variance_reduced_jones": gh.VarianceReducedJones,
    "storc": gh.Storc, "lu_freund": gh.LuFreund,
    "moreau_frank_wolfe": gh.MoreauFrankWolfe, "regularized_stochastic_frank_wolfe": gh.RegularizedStochasticFrankWolfe,
    "away_step": gh.AwayStep,
    "pairwise": gh.Pairwise, "decomposition_invariant": gh.DecompositionInvariant, "block_coordinate": gh.BlockCoordinate,
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
    "S": SETS, "sets": SETS, "look": LOOKS, "estimator": ESTIMATORS, "sigma": WEIGHTS, "regularizer": REGULARIZERS}
SECTIONS: dict[str, Names] = {"objective": LOSSES, "set": SETS, "solver": SOLVERS}
