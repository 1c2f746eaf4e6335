"""Newton steps over a nuclear ball for small matrices: each minimises a quadratic model over the ball, by splitting.

The ball is met by the model itself, so that the rank is whatever the optimum wants, and steps are as few as Newton steps are.
A Hessian serves the next step, too, where its step made the gap much smaller.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from greedyhull.atoms.geometry.splitting import descend_model
from greedyhull.kernels.matrix_models import LocalModel
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.types import Array, ModelledMatrix

STEPS = 15
ANEW = 0.125  # of the last gap: a Hessian after whose step more is left is made anew
SHARES = (1.0, 0.1, 0.01, 0.001)  # of the mean of the eigenvalues: the ρ that are tried
INNER = 0.1  # of the gap: how exactly a model is minimised
HALF = 0.5  # of the gap that is asked for: what is left for rounding
NEAR = 1e-2  # of the first gap, where none is asked for
ROUGH = 1e-6  # of the slope of f along the radius: gaps below are not seen in single precision
DECREASE, TRIES = 0.25, 12  # of what a slope promises, and how often a step is halved
INSIDE = 0.5  # of the radius: points with a smaller norm are well inside
RIDGE = 1e-15  # of the trace: what is added to a Hessian, which is singular
FLAT = 1e-15  # of the value: what rounding may add


class _Look(NamedTuple):
    """What is seen at a matrix: value, gradient, the gap, and how steep f is along the radius."""

    x: Array
    value: float
    g: Array
    gap: float
    steep: float


def descend_newton(f: ModelledMatrix, x: Array, radius: float, wanted: float) -> Array | None:
    """From x to a matrix of nuclear norm ≤ radius, up to rounding, where f is smaller; None where none was found.

    ``wanted`` is the gap that is asked for, 0 where none is. Steps begin at zero where that is no worse: there the Hessian
    costs little.
    """
    here, model, last = _begin(f, x, radius), None, np.inf
    aim = max(HALF * wanted, 0.0 if wanted else NEAR * here.gap)
    for _ in range(STEPS):
        if not aim < here.gap < np.inf:
            break
        if model is None or here.gap > ANEW * last:
            model = f.model(CoordinateIterate(here.x))
        last, rough = here.gap, INNER * here.gap > ROUGH * (here.steep + abs(here.value))
        found = _stepped(f, model, here, radius, np.float32) if rough else None
        found = _stepped(f, model, here, radius, np.float64) if found is None else found
        if found is None:
            break
        here = _looked(f, found, radius)
    return None if here.x is x or not here.gap < np.inf else here.x


def _begin(f: ModelledMatrix, x: Array, radius: float) -> _Look:
    here = _looked(f, x, radius)
    zero = _looked(f, np.zeros_like(x), radius) if here.gap > abs(here.value) else here
    return zero if zero.gap < here.gap else here


def _looked(f: ModelledMatrix, x: Array, radius: float) -> _Look:
    at = CoordinateIterate(x)
    value, g = f.value(at), np.asarray(f.gradient(at), dtype=np.float64)
    if not (np.isfinite(value) and np.isfinite(g).all()):
        return _Look(x, value, g, np.inf, np.inf)
    steep = radius * float(np.linalg.norm(g, 2))
    return _Look(x, value, g, float(np.vdot(g, x)) + steep, steep)


def _stepped(f: ModelledMatrix, model: LocalModel, here: _Look, radius: float, kind: Any) -> Array | None:
    """Where a step toward the minimum of the model leads, shortened until f falls as its slope promises; None where it does
    not fall at all, or the model is of no use."""
    target = _free(model, here, radius)
    target = _inside(_nearest(model, here, radius, kind), radius) if target is None else target
    far = target - here.x
    slope, step = float(np.vdot(here.g, far)), 1.0
    for _ in range(TRIES if slope < 0.0 and np.isfinite(far).all() else 0):
        point = target if step == 1.0 else here.x + step * far
        if f.value(CoordinateIterate(point)) <= here.value + DECREASE * step * slope + FLAT * abs(here.value):
            return point
        step *= 0.5
    return None


def _nearest(model: LocalModel, here: _Look, radius: float, kind: Any) -> Array:
    """Where the model is nearly least over the ball; with a smaller ρ where steps were too many, as they are where some
    eigenvalues are tiny."""
    x = here.x
    for share in SHARES:
        found = descend_model(model.at(here.x.astype(kind), here.g, share), x, radius, INNER * here.gap)
        if found is None or not found.gap < np.inf:
            break
        x = found.low.A @ found.low.V.T
        if found.gap <= INNER * here.gap:
            break
    return x


def _free(model: LocalModel, here: _Look, radius: float) -> Array | None:
    """The minimum of the model over all matrices, if it is in the ball; looked for where x is well inside.

    In a ball that is far too large the Hessian has tiny eigenvalues, and splitting would take many steps. At zero it has not.
    """
    if not 0.0 < _norm(here.x) < INSIDE * radius:
        return None
    H = model.hessian(np.dtype(np.float64))
    shifted = H + RIDGE * float(np.trace(H)) * np.eye(len(H))
    try:
        far = np.linalg.solve(shifted, -here.g.T.ravel()).reshape(here.x.shape[::-1]).T
    except np.linalg.LinAlgError:
        return None
    target = here.x + far
    return target if np.isfinite(target).all() and _norm(target) <= radius else None


def _norm(x: Array) -> float:
    return float(np.linalg.svd(x, compute_uv=False).sum())


def _inside(x: Array, radius: float) -> Array:
    """x without what rounding in single precision added to its nuclear norm, which may hide that f falls."""
    if not np.isfinite(x).all():
        return x
    norm = _norm(x)
    return x if norm <= radius else x * (radius / norm)
