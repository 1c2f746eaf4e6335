"""The constants that bounds are made of, for one objective over one set."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from greedyhull.atoms.geometry import nearest_point
from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.simplex import Simplex
from greedyhull.atoms.vertices import Vertices
from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.measures.terms import linear_terms, sampled_terms
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.curvature import lost_to_underflow, vanished
from greedyhull.points.arrays import LEAST
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import BasisBlock
from greedyhull.theory import Constant, Constants
from greedyhull.theory.jones import l1_width, simplex_width
from greedyhull.types import Array, AtomSet, Imaged, Objective, imaged, lacks, linear_model, listed


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
        Hw = quadratic.hessian_product(at, quadratic.at(at).z)
        sizes = np.asarray(at.weights) @ quadratic.hessian_diagonal(at, at.block)
        return Constant(max(float(sizes) - float(at.dot(Hw)), 0.0), "exact", "V")
    known = quadratic is not None or linear_model(f) is not None or isinstance(f, BlackBox)
    check(known, f"No Hessian is known that bounds those of {f!r}, so that V has no upper bound here. Use theory.rate with M.")
    M = f.curvature(S)
    V = float(M) - 0.5 * float(M) if float(M) < np.inf else np.inf  # half of the least number above zero would be zero
    if quadratic is not None and len(f.domain) == 1:
        model = linear_model(f)
        lost = vanished(S, f.domain[0] ** 2) if model is None else lost_to_underflow(model, S)
        around = _around_the_centre(quadratic, S) + lost
        # some atom is half the diameter away from any point: a quarter of M, but for rounding
        if around >= (0.2499 * float(M) if M.status == "exact" else LEAST):  # else squares have vanished on the way
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


def _around_the_centre(f: Imaged, S: AtomSet) -> float:
    """max ‖s - v‖²_H for the centre v; infinite where atoms cannot be listed."""
    atoms = listed(S)
    if atoms is None:
        return np.inf
    v = S.centre()
    z = f.at(v).z
    Hv = f.hessian_product(v, z)
    size = max(1, (2**21) // max(len(z), 1))  # entries of images that are held at once
    parts = (np.arange(a, min(a + size, len(atoms))) for a in range(0, len(atoms), size))
    energies = np.concatenate([np.asarray(f.hessian_diagonal(v, atoms.block(part))) for part in parts])
    return float(np.maximum(energies - 2.0 * atoms.scores(Hv) + v.dot(Hv), 0.0).max())


WIDTHS: dict[type, Callable[[Any], float]] = {
    Simplex: lambda S: simplex_width(S.shape[0], S.total),
    L1Ball: lambda S: l1_width(np.broadcast_to(np.asarray(S._scale, dtype=np.float64), S.shape)),
}


def condition(f: Objective, S: AtomSet) -> Constant:
    """1/κ = LD²/(μδ²), μ and L the extreme eigenvalues of the Hessian of a quadratic; rounding makes it larger.

    >>> import greedyhull as gh
    >>> condition(gh.quadratic(np.eye(4)), gh.Simplex(4))
    1/κ = 2 (upper bound)
    """
    quadratic = imaged(f) if f.traits.quadratic else None
    if quadratic is None or len(f.domain) != 1 or f.domain[0] > 500:  # whose eigenvalues would take long
        raise GreedyhullError(f"{f!r} is not a quadratic of at most 500 coordinates, so that its strong convexity is not "
                              "known.")
    check(type(S) in WIDTHS and S.shape[0] > 1, f"The pyramidal width of {S!r} has no formula here: it is known for "
                                                "Simplex(d) and L1Ball(d, radius), d ≥ 2.")
    d = f.domain[0]
    H = np.asarray(quadratic.hessian(S.centre(), BasisBlock(d, np.arange(d), np.ones(d))), dtype=np.float64)
    values = np.linalg.eigvalsh(0.5 * (H + H.T))
    high = float(values[-1])
    low = float(values[0] - 16.0 * d * np.finfo(np.float64).eps * abs(high))  # less what rounding may have added
    check(low > 0.0, f"{f!r} is not strongly convex. Add a ridge, l2=, if it should be.")
    return Constant(high / low * (float(S.diameter) / WIDTHS[type(S)](S)) ** 2 * (1.0 + 1e-12), "upper bound", "1/κ")


def facial_distance(atoms: Array) -> float:
    """The pyramidal width of a few atoms, one a row: the least distance of a proper face from the hull of the other atoms.

    It goes through all subsets, each with a linear program that says whether it is a face; repeated atoms count once.

    >>> round(facial_distance(np.eye(3)), 6)  # 2/√(3 - 1/3)
    1.224745
    """
    V = np.unique(np.asarray(atoms, dtype=np.float64), axis=0)
    check(2 <= len(V) <= 12, f"{len(V)} different atoms were given; between 2 and 12 are wanted: all subsets are tried.")
    least = np.inf
    for number in range(1, 2 ** len(V) - 1):
        on = np.array([number >> i & 1 for i in range(len(V))], dtype=bool)
        if _is_face(V, on):
            differences = (V[on][:, None] - V[~on][None]).reshape(-1, V.shape[1])
            size = float(np.abs(differences).max())
            least = min(least, size * nearest_point(Vertices(differences), np.zeros(V.shape[1]), size, 0.0, np.inf).distance)
    return float(least)


def _is_face(V: Array, on: Array) -> bool:
    """Whether some linear function is least exactly at the atoms that are ``on``."""
    from scipy.optimize import linprog

    size = float(np.abs(V).max())
    rows = np.hstack([V / size, -np.ones((len(V), 1))])
    found = linprog(np.zeros(rows.shape[1]), A_ub=-rows[~on], b_ub=-np.ones(int((~on).sum())), A_eq=rows[on],
                    b_eq=np.zeros(int(on.sum())), bounds=(None, None), method="highs")
    return bool(found.status == 0)


def constants(f: Objective, S: AtomSet, *, seed: int = 0, **given: float) -> Constants:
    """All constants of f over the hull of S: by formula where there is one, else estimated from a few terms at a few points.

    What is ``given``, by name, is taken as an upper bound: for a stream, for terms without formulas.

    >>> import numpy as np, greedyhull as gh
    >>> table = constants(gh.least_squares(np.eye(2), [1.0, 0.0]), gh.L1Ball(2, 1.0))
    >>> table.M, table.r_S, table.sigma
    (M = 2 (exact), r_S = 1 (exact), sigma = 1 (exact))
    """
    unknown = set(given) - set(Constants.names())
    check(not unknown, f"{', '.join(sorted(unknown))} was given; the constants are {', '.join(Constants.names())}.")
    found = {name: Constant(inf, "upper bound", name) for name in Constants.names()}
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is infinite, which is an upper bound too
        found.update(_sizes(S))
        found.update(_terms(f, S, seed))
        try:
            found["M"] = f.curvature(S)
        except GreedyhullError:  # a stream, or a black box of unknown smoothness
            D = float(found["D"])
            for name, smooth in (("M", "L_F"), ("M_mean", "L_max")):  # LD², zero where D is: on one point nothing bends
                L = found[smooth]
                found[name] = Constant(float(L) * D * D if D > 0.0 else 0.0, L.status, name)
    found.update({name: Constant(float(value), "upper bound", name) for name, value in given.items()})
    return Constants(**found)


def _sizes(S: AtomSet) -> dict[str, Constant]:
    try:
        D, r_S = S.sizes()
    except GreedyhullError:
        return {}
    R = S.radius_around(S.centre().array())
    R2, M_Phi = Constant(0.5 * float(R) * float(R), R.status, "R2"), Constant(float(D) * float(D), D.status, "M_Phi")
    return {"D": D, "r_S": r_S, "R2": R2, "rho": Constant(1.0, "exact", "rho"), "M_Phi": M_Phi}


def _terms(f: Objective, S: AtomSet, seed: int) -> dict[str, Constant]:
    if f.traits.intercept and not f.traits.quadratic:  # the best intercept depends on all terms: there are no single ones
        return {}
    model = linear_model(f)
    if model is not None and len(f.domain) == 1:
        return linear_terms(model, S)
    if f.traits.terms == "none":  # no sum, or one of data whose rows nobody can take: nothing is known of single terms
        return {}
    try:
        return sampled_terms(f, S, seed)
    except GreedyhullError:
        if not f.traits.remote:
            raise
        return {}  # whoever could fetch terms is gone by now, as after the `with` block of a crew
