"""What is proved of Jones' choice: constants, pairwise steps, variance reduction."""

import math
from collections.abc import Mapping
from typing import Any, SupportsFloat

import numpy as np
import numpy.typing as npt

from greedyhull.errors import check
from greedyhull.theory.bound import Array, K, above_zero, at_least, constant, count, counts, curvature, like, number, numbers
from greedyhull.theory.rates import line_search_rate, rate
from greedyhull.theory.stochastic import Along, following

__all__ = ["box_width", "expected_jones_error", "joint_jones_rate", "jones_rate", "l1_width", "mean_jones_rate",
           "pairwise_jones_error", "pairwise_jones_rate", "simplex_width", "swap_steps", "variance_reduced_jones_rate"]


def jones_rate(V: float, c: float, k: K, exact: bool = False) -> K:
    """Error of a c-Jones method with η_k = 2/(k + 2): e_k <= (2V + 4c)/(k + 2) for k >= 1.

    The joint choice of step and atom, up to 4c/(k + 2)² on f, has it too. If V is only known to be large, `rate` with the
    curvature M may be smaller; both hold.

    >>> jones_rate(V=1.0, c=0.0, k=98)
    0.02
    """
    return rate(V, c, k, exact)


def joint_jones_rate(V: float, k: K) -> K:
    """Error of Jones' joint choice of step and atom, exact: e_k <= 2V/(k + 3) for k >= 1, from any start.

    Proof: the minimum over η in [0, 1] of (1 - η)e + (V/2)η² is at most V/2, and e - e²/(2V) where e <= V.

    >>> joint_jones_rate(V=2.0, k=37)
    0.1
    """
    return line_search_rate(V, k)


def mean_jones_rate(V: float, c: float, k: K) -> K:
    """Error of Jones on a quadratic whose gradient vanishes at x*, with η_k = 1/(k + 1): e_k <= (V/2 + c)/k for k >= 1.

    The points are plain means of k atoms. Proof: then f(y) - f* = (1 - η)²e, so (k + 1)²e_{k+1} <= k²e_k + V/2 + c.
    Attained at k = 1 on the simplex with f = ½‖w - centre‖².

    >>> mean_jones_rate(V=1.0, c=0.0, k=50)
    0.01
    """
    at_least(0, c=c)
    return like(k, (curvature(V) / 2 + c) / counts(k, first=1))


def pairwise_jones_rate(kappa: float, atoms: K) -> K:
    """Share of the error that a step of pairwise Jones removes at least: e_{k+1} <= (1 - κ/(2a(2 + κ))) e_k.

    It holds at every step, from any start, with an exact oracle; no step is left out, those that drop an atom included.
    Proof idea: either atoms of little weight carry a share κ/(2 + κ) of the error, and dropping one of them is enough; or
    they may be left aside, and the swap that the pyramidal width speaks of has room to be made.

    >>> pairwise_jones_rate(kappa=1.0, atoms=2)
    0.08333333333333333
    """
    check(0 < number("kappa", kappa) <= 1, f"kappa is {kappa}, but κ = μδ²/(LD²) lies in (0, 1]. Pass lower bounds for μ, δ "
                                           "and upper bounds for L, D.")
    return like(atoms, kappa / (2 * counts(atoms, first=1) * (2 + kappa)))


def pairwise_jones_error(kappa: float, atoms: npt.ArrayLike, e0: float) -> Array:
    """Bounds on e_0, …, e_K of pairwise Jones from the numbers a_0, …, a_{K-1} of atoms that its points had.

    >>> pairwise_jones_error(kappa=1.0, atoms=[1, 2], e0=6.0)
    array([6.        , 5.        , 4.58333333])
    """
    at_least(0, e0=e0)
    many = np.atleast_1d(numbers("atoms", atoms))
    check(many.ndim == 1, f"atoms has shape {many.shape}; wanted is one row, a_0, …, a_(K-1). Pass one run at a time.")
    left = 1 - pairwise_jones_rate(kappa, many)
    return np.asarray(e0 * np.concatenate([[1.0], np.cumprod(left)]))


def swap_steps(atoms: int) -> float:
    """Swap steps that the published bound of pairwise Frank-Wolfe allows for each step that makes progress: 3·|S|!.

    Lacoste-Julien and Jaggi, as published: of k steps at least k/(3|S|! + 1) lower the error by a constant factor. Pairwise
    Jones has no such steps to count. This compares two bounds; runs of pairwise Frank-Wolfe make few swap steps.

    >>> swap_steps(4)
    72.0
    """
    n = count("atoms", atoms, first=1)
    return 3.0 * math.factorial(n) if n <= 170 else math.inf


def simplex_width(n: int, total: float = 1.0) -> float:
    """Pyramidal width of the simplex of n corners: 2/√n for even n, 2/√(n - 1/n) for odd n, times the total.

    The distance of the centres of two opposite faces with half of the corners each.

    >>> simplex_width(4), simplex_width(2) ** 2
    (1.0, 2.0000000000000004)
    """
    above_zero(total=total)
    half = count("n", n, first=2) // 2
    return total * math.sqrt(1 / half + 1 / (n - half))


def box_width(sides: npt.ArrayLike) -> float:
    """Pyramidal width of a box: (Σ 1/sideⱼ²)^-1/2, the distance of a corner from the hull of the others; 1/√n for the cube.

    >>> box_width([1.0] * 4)
    0.5
    """
    lengths = _lengths("sides", sides)
    return float(lengths.min() / math.sqrt(_squares(lengths)))


def l1_width(radii: npt.ArrayLike) -> float:
    """Pyramidal width of the hull of ±rⱼeⱼ: (Σ 1/rⱼ²)^-1/2 over all but the largest rⱼ; 1/√(n - 1) for the l1 ball.

    A face with n - 1 of the coordinates against the hull of the other atoms, in which 0 lies. In one dimension, 2r.

    >>> l1_width([1.0] * 5), l1_width([3.0])
    (0.5, 6.0)
    """
    r = np.sort(_lengths("radii", radii))
    opposite = 2 * (float(r[0]) / math.sqrt(_squares(r)))
    return float(opposite if r.size == 1 else min(opposite, r[0] / math.sqrt(_squares(r[:-1]))))


def _lengths(name: str, given: Any) -> Array:
    values = np.atleast_1d(np.asarray(given))
    check(values.dtype.kind in "iuf" and values.ndim == 1 and values.size > 0
          and bool(np.all((values > 0) & np.isfinite(values))),
          f"{name} is {given!r}, but it must be one finite number > 0 for each coordinate. Pass such numbers.")
    return values.astype(float)


def _squares(lengths: Array) -> float:
    """Σ (least/lⱼ)², which does not overflow."""
    return float(np.sum((lengths.min() / lengths) ** 2))


def variance_reduced_jones_rate(L: float, D: float, k: K, c: float = 0.0) -> K:
    """Variance-reduced Jones with SVRG: E e_k <= 6(LD² + c)/(k + 1) for k >= 2, terms convex and L-smooth on the whole space.

    Snapshots at k = 1, 2, 4, 8, …, batches of at least 16(k + 1) terms from k = 3 on, steps 2/(k + 1), ε_k <= cη_k.
    Proof: with x = k + 1 and C = 6(LD² + c), the variance is at most 4L(e_k + e_s)/b <= 12LC/(xb) for a snapshot s with
    s + 1 >= x/2, so r_S√a <= (D/√2)√(12LC/(16x²)) and η r_S√a <= D√(1.5LC)/x² <= (3LD² + 1.5c)/x². With M <= LD² and
    V <= LD²/2 the rest of the step is at most (3LD² + 4c)/x². The sum is at most C/x², and
    (1 - 2/x)C/x + C/x² <= C/(x + 1). It begins with e_2 <= ¾LD² + c, since the first gradient is exact and the first step 1.

    >>> variance_reduced_jones_rate(L=1.0, D=2.0, k=99)
    0.24
    """
    at_least(0, L=L, D=D, c=c)
    return like(k, 6 * (L * D * D + c) / (counts(k, first=2) + 1))


def expected_jones_error(estimator: object, eta: npt.ArrayLike, constants: Mapping[str, SupportsFloat], *, n: int | None,
                         e1: float, eps: npt.ArrayLike = 0.0) -> Array:
    """Bounds E_1, …, E_{T+1} on the expected errors of variance-reduced Jones with this estimator and steps η_1, …, η_T.

    >>> from greedyhull.solvers.gradients import Minibatch
    >>> expected_jones_error(Minibatch(4), [1.0, 0.5], {"M": 2.0, "V": 1.0, "sigma": 1.0, "r_S": 1.0}, n=100, e1=9.0)
    array([9.   , 2.   , 1.625])
    """
    return following(estimator, Along(doubled(constants), n, e1), eta, eps)


def doubled(constants: Mapping[str, SupportsFloat]) -> dict[str, SupportsFloat]:
    """The constants with M + V in the place of M, which `following` halves."""
    M = constant("M", constants["M"]) if "M" in constants else float("inf")
    return {**constants, "M": M + min(constant("V", constants.get("V", M)), M)}
