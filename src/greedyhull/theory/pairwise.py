"""Pairwise Jones contracts in every step: its rate, and the widths of a few polytopes that the rate is made of.

f is L-smooth (its gradient is L-Lipschitz on the hull) and μ-strongly convex, D is the diameter of the atoms and δ their
pyramidal width (Lacoste-Julien and Jaggi), which equals the facial distance (Peña and Rodríguez): the least distance of a
proper face from the hull of the atoms that are not on it. κ = μδ²/(LD²) ≤ 1. docs/theory.md has the proof.

For f(w) = h(Aw), least squares for instance, a step depends on the atoms only through their images As. So μ and L may be
those of h, and δ and D those of the images, whether or not columns of A depend on each other.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from greedyhull.errors import check
from greedyhull.theory.arguments import Array, K, above_zero, at_least, count, counts, like, number, numbers


def pairwise_jones_rate(kappa: float, atoms: K) -> K:
    """Share of the error that a step of pairwise Jones removes at least: e_{k+1} <= (1 - κ/(2a(2 + κ))) e_k.

    It holds at every step, from any start, with an exact oracle; no step is left out, those that drop an atom included.
    Proof idea: either atoms of little weight carry a share κ/(2 + κ) of the error, and dropping one of them is enough; or
    they may be left aside, and the swap that the pyramidal width speaks of has room to be made.

    Parameters
    ----------
    kappa : float
        κ = μδ²/(LD²), or less; at most one. A choice of swap that is best to within a tenth of the decrease has 0.9 times
        this share.
    atoms : int or array
        Number a of atoms in w_k.

    Returns
    -------
    float or array
        κ/(2a(2 + κ)), at least κ/(6a).

    Examples
    --------
    >>> pairwise_jones_rate(kappa=1.0, atoms=2)
    0.08333333333333333
    """
    check(0 < number("kappa", kappa) <= 1, f"kappa is {kappa}, but κ = μδ²/(LD²) lies in (0, 1]. Pass lower bounds for μ, δ "
                                           "and upper bounds for L, D.")
    return like(atoms, kappa / (2 * counts(atoms, first=1) * (2 + kappa)))


def pairwise_jones_error(kappa: float, atoms: npt.ArrayLike, e0: float) -> Array:
    """Bounds on e_0, …, e_K of pairwise Jones from the numbers a_0, …, a_{K-1} of atoms that its points had.

    Parameters
    ----------
    kappa : float
        κ = μδ²/(LD²), or less.
    atoms : array
        a_k, one for each step. Where they are not known, min{a_0 + k, number of atoms in S} is an upper bound.
    e0 : float
        Error of the start, or its gap.

    Returns
    -------
    array
        e_0 times the product of 1 - κ/(2a_k(2 + κ)).

    Examples
    --------
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

    Parameters
    ----------
    atoms : int
        Number of atoms in S.

    Returns
    -------
    float
        3·|S|!, infinite where that is beyond floating point.

    Examples
    --------
    >>> swap_steps(4)
    72.0
    """
    n = count("atoms", atoms, first=1)
    return 3.0 * math.factorial(n) if n <= 170 else math.inf


def simplex_width(n: int, total: float = 1.0) -> float:
    """Pyramidal width of the simplex of n corners: 2/√n for even n, 2/√(n - 1/n) for odd n, times the total.

    The distance of the centres of two opposite faces with half of the corners each.

    Parameters
    ----------
    n : int
        Number of corners, at least two.
    total : float, default 1.0
        Sum of the coordinates.

    Returns
    -------
    float
        Its pyramidal width.

    Examples
    --------
    >>> simplex_width(4), simplex_width(2) ** 2
    (1.0, 2.0000000000000004)
    """
    above_zero(total=total)
    half = count("n", n, first=2) // 2
    return total * math.sqrt(1 / half + 1 / (n - half))


def box_width(sides: npt.ArrayLike) -> float:
    """Pyramidal width of a box: (Σ 1/sideⱼ²)^-1/2, the distance of a corner from the hull of the others; 1/√n for the cube.

    Parameters
    ----------
    sides : array
        Lengths of the sides, all above zero.

    Returns
    -------
    float
        Its pyramidal width.

    Examples
    --------
    >>> box_width([1.0] * 4)
    0.5
    """
    lengths = _lengths("sides", sides)
    return float(lengths.min() / math.sqrt(_squares(lengths)))


def l1_width(radii: npt.ArrayLike) -> float:
    """Pyramidal width of the hull of ±rⱼeⱼ: (Σ 1/rⱼ²)^-1/2 over all but the largest rⱼ; 1/√(n - 1) for the l1 ball.

    A face with n - 1 of the coordinates against the hull of the other atoms, in which 0 lies. In one dimension, 2r.

    Parameters
    ----------
    radii : array
        How far the atoms lie out along each coordinate.

    Returns
    -------
    float
        Its pyramidal width.

    Examples
    --------
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
