"""The pyramidal width δ of a polytope, and LD²/(μδ²) of a quadratic over it: what pairwise Jones contracts by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.atoms.geometry.nearest_mixture import nearest_mixture
from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.simplex import Simplex
from greedyhull.errors import GreedyhullError, check
from greedyhull.points.shapes import BasisBlock
from greedyhull.theory import Constant
from greedyhull.theory.pairwise import l1_width, simplex_width
from greedyhull.types import Array, AtomSet, Imaged, Objective
from greedyhull.types.kinds import imaged

FEW = 12  # atoms of which all subsets are tried
MOST = 500  # columns for which the eigenvalues of a Hessian are computed
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
    if quadratic is None or len(f.domain) != 1 or f.domain[0] > MOST:
        raise GreedyhullError(f"{f!r} is not a quadratic of at most {MOST} coordinates, so that its strong convexity is not "
                              "known.")
    check(type(S) in WIDTHS and S.shape[0] > 1, f"The pyramidal width of {S!r} has no formula here: it is known for "
                                                "Simplex(d) and L1Ball(d, radius), d ≥ 2.")
    low, high = _ends(quadratic, S)
    check(low > 0.0, f"{f!r} is not strongly convex. Add a ridge, l2=, if it should be.")
    return Constant(high / low * (float(S.diameter) / WIDTHS[type(S)](S)) ** 2 * (1.0 + 1e-12), "upper bound", "1/κ")


def _ends(f: Imaged, S: AtomSet) -> tuple[float, float]:
    """The least eigenvalue of the Hessian, less what rounding may have added, and the largest."""
    d = f.domain[0]
    units = BasisBlock(d, np.arange(d), np.ones(d))
    H = np.asarray(f.hessian(S.centre(), units), dtype=np.float64)
    values = np.linalg.eigvalsh(0.5 * (H + H.T))
    return float(values[0] - 16.0 * d * np.finfo(np.float64).eps * abs(values[-1])), float(values[-1])


def facial_distance(atoms: Array) -> float:
    """The pyramidal width of a few atoms, one a row: the least distance of a proper face from the hull of the other atoms.

    It goes through all subsets, each with a linear program that says whether it is a face; repeated atoms count once.

    >>> round(facial_distance(np.eye(3)), 6)  # 2/√(3 - 1/3)
    1.224745
    """
    V = np.unique(np.asarray(atoms, dtype=np.float64), axis=0)
    check(2 <= len(V) <= FEW, f"{len(V)} different atoms were given; between 2 and {FEW} are wanted: all subsets are tried.")
    least = np.inf
    for number in range(1, 2 ** len(V) - 1):
        on = np.array([number >> i & 1 for i in range(len(V))], dtype=bool)
        if _is_face(V, on):
            differences = (V[on][:, None] - V[~on][None]).reshape(-1, V.shape[1])
            least = min(least, nearest_mixture(differences, np.zeros(V.shape[1]), 0.0, np.inf)[1])
    return float(least)


def _is_face(V: Array, on: Array) -> bool:
    """Whether some linear function is least exactly at the atoms that are ``on``."""
    from scipy.optimize import linprog

    size = float(np.abs(V).max())
    rows = np.hstack([V / size, -np.ones((len(V), 1))])
    found = linprog(np.zeros(rows.shape[1]), A_ub=-rows[~on], b_ub=-np.ones(int((~on).sum())), A_eq=rows[on],
                    b_eq=np.zeros(int(on.sum())), bounds=(None, None), method="highs")
    return bool(found.status == 0)
