"""What the names in a problem file stand for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isqrt
from pathlib import Path
from typing import Any, Literal

import numpy as np

import greedyhull as gh
from greedyhull.errors import check
from greedyhull.solvers import gradients
from greedyhull.types import Array, AtomSet, Shape

Names = Mapping[str, Callable[..., Any]]


def l1_ball(d: int, radius: float, weights: Any = None, domain: Shape = (0,)) -> gh.L1Ball:
    """Vectors, or matrices of the shape of the data's."""
    return gh.L1Ball(d if len(domain) == 1 else domain, radius, weights=weights)


def group_l1_ball(radius: float, groups: Any = None, by: Literal["rows", "columns"] | None = None,
                  domain: Shape = (0,)) -> gh.GroupL1Ball:
    """Groups of coordinates, or of the entries of matrices; ``by`` rows or columns."""
    check((groups is None) != (by is None), "groups, one for each coordinate, or by = 'rows' or 'columns' is wanted.")
    matrix = len(domain) == 2
    check(matrix or by is None, lambda: f"by = {by!r} is for matrices; points are vectors. Give groups.")
    return gh.GroupL1Ball(by if groups is None else groups, radius, shape=domain if matrix else None)


def nuclear_ball(radius: float, shape: Any = None, domain: Shape = (0,)) -> gh.NuclearBall:
    _need_matrices(domain)
    return gh.NuclearBall(domain if shape is None else shape, radius)


def spectrahedron(n: int | None = None, trace: float = 1.0, domain: Shape = (0,)) -> gh.Spectrahedron:
    _need_matrices(domain)
    return gh.Spectrahedron(domain[0] if n is None else n, trace)


def _need_matrices(domain: Shape) -> None:
    check(len(domain) == 2, "The set holds matrices; points of this problem are vectors. Use multitask, or a set of vectors.")


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


def box(d: int, lower: Any, upper: Any) -> gh.Box:
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


def birkhoff(domain: Shape, n: int | None = None) -> AtomSet:
    """Doubly stochastic matrices, row after row where the columns of a table are their entries."""
    rows = domain[0] if len(domain) == 2 else isqrt(domain[0])
    check(n is not None or len(domain) == 2 or rows * rows == domain[0],
          lambda: f"The data have {domain[0]} columns, which are not the entries of a square matrix; n² of them are wanted.")
    S = gh.Birkhoff(rows if n is None else n)
    return gh.Product(S) if len(domain) == 1 else S


def transport(domain: Shape, a: Any, b: Any) -> AtomSet:
    """Couplings, row after row where the columns of a table are their entries."""
    S = gh.Transport(a, b)
    return gh.Product(S) if len(domain) == 1 else S


def product(sets: Any, repeat: int = 1) -> gh.Product:
    """Sets side by side, each with its own number d of columns; all of them again and again, ``repeat`` times."""
    check(1 <= repeat <= 1_000_000, f"repeat = {repeat} was given; a whole number from 1 to 1000000 is wanted.")
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


def by_name(*functions: Callable[..., Any]) -> Names:
    """Classes and functions by their names in small letters: ``k_sparse`` for KSparse."""
    return {re.sub("(?<!^)(?=[A-Z])", "_", function.__name__).lower(): function for function in functions}


LOSSES = by_name(gh.least_squares, gh.logistic, gh.squared_hinge, gh.huber, gh.poisson, gh.lp_loss, gh.hinge, gh.absolute,
                 gh.quantile, gh.epsilon_insensitive, gh.multinomial, gh.multitask, completion, gh.log_likelihood, gh.log_det,
                 gh.trace_inverse, quadratic)
SETS = {**by_name(l1_ball, gh.Simplex, gh.CappedSimplex, gh.L2Ball, gh.LinfBall, gh.LpBall, box, gh.HyperSimplex,
                  gh.GroupedSimplex, gh.KSparse, gh.KSupport, group_l1_ball, gh.TotalVariationBall, gh.Permutahedron,
                  linear_program, gh.PathPolytope, gh.SpanningTree, gh.Vertices, gh.Cached, gh.Inexact, nuclear_ball,
                  spectrahedron, birkhoff, transport, gh.Scaled, gh.Translated, product), "sum": minkowski_sum}
SOLVERS = by_name(gh.Corrective, gh.BlendedPairwise, gh.FrankWolfe, gh.Jones, gh.PairwiseJones, gh.StochasticFrankWolfe,
                  gh.StochasticJones, gh.VarianceReducedJones, gh.Storc, gh.LuFreund, gh.MoreauFrankWolfe,
                  gh.RegularizedStochasticFrankWolfe, gh.AwayStep, gh.Pairwise, gh.DecompositionInvariant, gh.BlockCoordinate,
                  gh.Smoothed, gh.Aggregated, gh.Mixed)
STEPS = by_name(gh.Exact, gh.Short, gh.Backtracking, gh.OpenLoop, gh.LogAdaptive, gh.Power, gh.Constant, gh.Capped)
SCHEDULES = by_name(gh.constant, gh.harmonic, gh.power, gh.linear, gh.of_gap)
SIZES = {**by_name(whole), **SCHEDULES, **by_name(gradients.Root, gh.Growing)}
LOOKS = by_name(gh.FullGap, gh.MinibatchGap, gh.Regret)
ESTIMATORS = by_name(gradients.Minibatch, gradients.Momentum, gradients.Storm, gradients.Spider, gradients.Svrg,
                     gradients.Saga, gradients.Dual)
WEIGHTS = by_name(gh.Unweighted, gh.Fading, gh.Steady)
REGULARIZERS = by_name(gh.SquaredNorm)
