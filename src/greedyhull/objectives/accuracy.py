"""What limits the accuracy of f: scale, rounding, gradient errors, distance from convexity."""

from __future__ import annotations

from math import inf, isfinite
from numbers import Real
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from greedyhull.errors import check
from greedyhull.kernels._core import is_definite, square_facts
from greedyhull.objectives.designs.derived import FactoredDesign
from greedyhull.objectives.designs.stored import DenseDesign, SparseDesign
from greedyhull.objectives.limits import coarse_of, gradient_errors
from greedyhull.points.arrays import column, masked
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, AtomSet, Design, Objective, lacks

if TYPE_CHECKING:
    from greedyhull.objectives.quadratic import QuadraticForm
    from greedyhull.points.iterate import Iterate


def share(gap: float, whole: float) -> float:
    """gap / whole; 0/0 is 0, and an infinite gap is an infinite share of anything."""
    if gap == inf:
        return inf
    return gap / whole if whole > 0.0 else (0.0 if gap <= 0.0 else inf)


def of_what(floor: float) -> str:
    """What a relative gap is relative to, in words."""
    return f"of max(|value|, {floor:.4g})" if floor > 0.0 else "of the value"


def given_scale(scale: float | None) -> float:
    """The ``scale=`` of an objective that has none by itself: 0 where none was given."""
    check(scale is None or (isinstance(scale, Real) and scale >= 0 and isfinite(scale)),
          f"scale={scale!r} was given; a value of f that counts as large, of at least 0, or None is wanted.")
    return 0.0 if scale is None else float(scale)


EPS = float(np.finfo(np.float64).eps)


def gradient_slack(f: Objective, w: Iterate, S: AtomSet) -> float:
    """2·max_abs(e) where the gradient of f at w is inexact by at most e; 0 where it is exact.

    Where ``S.sized`` is False it is an estimate, as `max_abs` is.
    """
    if f.traits.exact_gradient:
        seen = coarse_of(f, w)
        return 0.0 if seen is None else error_slack(gradient_errors(seen, as_array(f.gradient(w), S.shape)), S)
    check(not lacks(f, "gradient_error"), lambda: f"{f!r} says exact_gradient=False, but has no gradient_error(w). Write one: "
                                                 "a bound on the error of each entry of the gradient at w.")
    told, error = f.gradient_error(w), np.asarray(np.nan)
    try:
        given = np.asanyarray(told)
        if given.dtype.kind in "biuf" and not masked(given):
            error = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):  # a ragged list
        pass
    check(error.shape in ((), S.shape) and bool(np.isfinite(error).all()) and bool((error >= 0.0).all()),
          lambda: f"gradient_error(w) of {f!r} returned {told!r}; a finite number of at least 0 is wanted, or an array of "
                  f"them of shape {S.shape}: a bound on the error of each entry of the gradient.")
    slack = error_slack(error, S)
    check(slack < np.inf, lambda: f"gradient_error(w) of {f!r} is up to {error.max():g}, so large that the error of ⟨∇f(w), ·⟩"
                                  f" over {S!r} overflows. Nothing can be certified there.")
    return slack


def error_slack(error: Array, S: AtomSet) -> float:
    """2·max_abs(error), rounded up."""
    most = np.zeros(S.shape)  # an array of its own, which a user's set may write on
    most[...] = error
    return float(2.0 * S.max_abs(most) * (1.0 + EPS * (error.size + most.size + 16.0)))


def form_rounding(f: QuadraticForm, w: Iterate, size: float, linear: float) -> float:
    """An allowance for value − lower bound at w, whose image was computed from its coordinates; infinite where none is known.

    ``size`` and ``linear`` are max ‖·‖₁ and max ⟨|b|, ·⟩ over the set.
    """
    x = w.absolute().ravel()
    index = x.nonzero()[0]
    many = max(len(w), len(index)) if w.keeps_atoms else len(x)
    largest, design = np.inf, f.design  # maxᵢ Σⱼ |Qᵢⱼ| xⱼ
    if isinstance(design, DenseDesign):
        largest = float((x[index] @ np.abs(design.X[index])).max())  # Q is symmetric, and rows are read faster
    elif isinstance(design, SparseDesign):
        largest = float((abs(design.by_column[:, index]) @ x[index]).max())
    z, g = f.at(w).z, f.gradient(w)
    seen = float(np.abs(z).max()) + 2.0 * float(np.abs(g).max())
    # a quarter more: for products of errors, and for rounding of the bound itself
    return 1.25 * EPS * (many + 16) * (size * (1.25 * largest + 0.5 * seen) + 0.5 * linear)


SMALL = 200  # up to this size eigenvalues are computed
LARGE = 2000  # up to this size Q is factorised, in d³/3 steps
TINY, LIFT = 1e-280, 2.0**600  # products of numbers below the first may vanish; times the second, which is exact, they do not


def entries(design: Design) -> Array | None:
    """The entries of a design in float64, if they are stored and not too many; few are asked of an operator."""
    if isinstance(design, DenseDesign | SparseDesign) and design.n <= LARGE:
        return np.asarray(design.X if isinstance(design, DenseDesign) else design.by_column.toarray(), dtype=np.float64)
    return np.stack([column(design, j) for j in range(design.n)]).astype(np.float64) if design.n <= SMALL else None


class Facts(NamedTuple):
    """Whether Q = Qᵀ; whether it is dominant, so that no eigenvalue of a symmetric Q is negative; maxᵢ Σⱼ |Qᵢⱼ|."""

    symmetric: bool
    dominant: bool
    widest: float


def facts_of(Q: Array) -> Facts:
    """What one pass over a square matrix tells; of one in Fortran order, its transpose is looked at."""
    return Facts(*square_facts(np.ascontiguousarray(Q.T if Q.flags.f_contiguous else Q)))


def diagonal(design: Design) -> Array | None:
    """Q's diagonal where it is at hand."""
    if isinstance(design, FactoredDesign):
        return design.diagonal()
    Q = design.X if isinstance(design, DenseDesign) else design.by_column if isinstance(design, SparseDesign) else None
    return None if Q is None else np.asarray(Q.diagonal(), dtype=np.float64)


def concavity(Q: Array, facts: Facts) -> tuple[float, float]:
    """λ, and the size of Q's eigenvalues that it is to be compared with."""
    d, widest = len(Q), facts.widest
    if facts.dominant:
        return 0.0, widest
    empty = Q.diagonal() == 0.0
    if empty.any():  # a coordinate that Q does not see has the eigenvalue 0, exactly
        seen = (~empty | Q.any(axis=1)).nonzero()[0]
        if len(seen) < d:
            return concavity(np.ascontiguousarray(Q[np.ix_(seen, seen)]), facts)
    if widest < TINY:
        sag, top = concavity(Q * LIFT, facts._replace(widest=widest * LIFT))
        return float(np.nextafter(sag / LIFT, np.inf)) if sag else 0.0, top / LIFT
    if d <= SMALL and _definite(Q, -(d + 8) * EPS * widest):  # as most are; a factor costs a tenth of eigenvalues
        return 0.0, widest
    if d > SMALL:
        top = _top(Q, widest)
        error = (d + 8) * EPS * top
        if _definite(Q, -error):
            return 0.0, top
        if _definite(Q, error):
            return 2.0 * error, top
    eigenvalues = np.linalg.eigvalsh(Q)
    top = float(np.abs(eigenvalues).max())
    return max(0.0, (d + 8) * EPS * top - float(eigenvalues[0])), top


def _top(Q: Array, widest: float) -> float:
    """‖Q‖₂, from above by norms and from below by powers; what these leave open is met by a factor of two."""
    x = np.random.default_rng(0).standard_normal(len(Q))
    length = 0.0
    for _ in range(10):
        x = Q @ (x / max(float(np.linalg.norm(x)), 1e-300))
        length = float(np.linalg.norm(x))
    return min(2.0 * length, float(np.linalg.norm(Q)), widest)


def _definite(Q: Array, shift: float) -> bool:
    """Whether Q + shift·I has a Cholesky factor; LAPACK's is the faster one from some size on."""
    if len(Q) <= 64:  # up to this size the core factorises
        return is_definite(np.ascontiguousarray(Q.T if Q.flags.f_contiguous else Q), shift)
    shifted = Q.copy()
    shifted.flat[:: len(Q) + 1] += shift
    try:
        np.linalg.cholesky(shifted)
    except np.linalg.LinAlgError:
        return False
    return True
