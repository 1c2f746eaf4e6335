"""V, how much the atoms of a minimiser vary: the constant of Jones' own rate (`theory.jones_rate`)."""

from __future__ import annotations

import numpy as np

from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import shown
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.curvature import lost_to_underflow, vanished
from greedyhull.points.iterate import Iterate
from greedyhull.points.lengths import LEAST
from greedyhull.theory import Constant
from greedyhull.types import AtomSet, Imaged, Objective
from greedyhull.types.attributes import lacks
from greedyhull.types.kinds import imaged, linear_model, listed

FARTHEST = 0.2499  # some atom is half the diameter away from any point: a quarter of M, but for rounding
MOST = 2**21  # entries of images that are held at once


def jones_variance(f: Objective, S: AtomSet, at: Iterate | None = None) -> Constant:
    """V = Σ λ_s ‖s - x‖²_H of the mixture ``at``, or an upper bound for every mixture of atoms of S.

    The upper bound is M/2, where M = max ‖s - t‖²_H was computed from an H that bounds all Hessians of f; for quadratics over
    listed atoms also max ‖s - v‖²_H, v the centre of S. Proof: V is half the mean of ‖s - t‖²_H over pairs of atoms, and at
    most the mean of ‖s - v‖²_H for any v.

    Parameters
    ----------
    f : objective
        What is minimised. The variance of a given mixture needs a quadratic.
    S : set of atoms
        The set it is minimised over.
    at : Iterate, optional
        A point with its atoms and weights, such as ``solution.point`` of a run with a small gap. For `theory.jones_rate` it
        need not be a minimiser: the bound then holds for f(w_k) - f(at).

    Returns
    -------
    Constant
        "exact" for the mixture that was given, else "upper bound".

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f, S = gh.quadratic(np.eye(4)), gh.Simplex(4)
    >>> jones_variance(f, S), jones_variance(f, S, gh.minimize(f, S, stop=gh.Gap(1e-12)).point)
    (V = 0.75 (upper bound), V = 0.75 (exact))
    """
    _check(f, S, at)
    quadratic = imaged(f) if f.traits.quadratic else None
    if at is not None:
        if quadratic is None:
            raise GreedyhullError(f"{f!r} is not a quadratic, so that the variance of a mixture has no one Hessian. Leave at= "
                                  "out for an upper bound.")
        return Constant(_variance(quadratic, at), "exact", "V")
    known = quadratic is not None or linear_model(f) is not None or isinstance(f, BlackBox)
    check(known, f"No Hessian is known that bounds those of {f!r}, so that V has no upper bound here. Use theory.rate with M.")
    M = f.curvature(S)
    V = float(M) - 0.5 * float(M) if float(M) < np.inf else np.inf  # half of the least number above zero would be zero
    if quadratic is not None and len(f.domain) == 1:
        model = linear_model(f)
        lost = vanished(S, f.domain[0] ** 2) if model is None else lost_to_underflow(model, S)
        around = _around_the_centre(quadratic, S) + lost
        if around >= (FARTHEST * float(M) if M.status == "exact" else LEAST):  # else squares have vanished on the way
            V = min(V, around)
    return Constant(V, "upper bound", "V")


def _check(f: Objective, S: AtomSet, at: Iterate | None) -> None:
    check(not lacks(f, "traits", "domain", "curvature"), f"f is {shown(f)}; an objective such as least_squares(X, y) or "
          "quadratic(Q, b) is wanted.")
    check(not lacks(S, "shape", "curvature"), f"S is {shown(S)}; a set such as Simplex(d) or Vertices(matrix) is wanted.")
    check(f.domain == S.shape, f"The objective takes points of shape {f.domain}, and {S!r} holds atoms of shape {S.shape}. "
          "Give a set of that shape.")
    if at is not None:
        check(isinstance(at, Iterate), f"at is {shown(at)}; a point with its atoms and weights is wanted, since the variance "
              "depends on the mixture and not on its coordinates alone. Give the point of a run, solution.point.")
        check(at.shape == S.shape, f"at has shape {at.shape}, and {S!r} holds atoms of shape {S.shape}. Give a point "
              "of its hull.")
        check(at.keeps_atoms, "The point has coordinates and no atoms. Give the point of a solver that keeps them.")


def _variance(f: Imaged, w: Iterate) -> float:
    """Σ λ_s sᵀHs - xᵀHx."""
    Hw = f.hessian_product(w, f.at(w).z)
    return max(float(np.asarray(w.weights) @ f.hessian_diagonal(w, w.block)) - float(w.dot(Hw)), 0.0)


def _around_the_centre(f: Imaged, S: AtomSet) -> float:
    """max ‖s - v‖²_H for the centre v; infinite where atoms cannot be listed."""
    atoms = listed(S)
    if atoms is None:
        return np.inf
    v = S.centre()
    z = f.at(v).z
    Hv = f.hessian_product(v, z)
    size = max(1, MOST // max(len(z), 1))
    parts = (np.arange(a, min(a + size, len(atoms))) for a in range(0, len(atoms), size))
    energies = np.concatenate([np.asarray(f.hessian_diagonal(v, atoms.block(part))) for part in parts])
    return float(np.maximum(energies - 2.0 * atoms.scores(Hv) + v.dot(Hv), 0.0).max())
