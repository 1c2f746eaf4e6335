"""Minima by other means: SciPy's SLSQP on the weights of atoms, no solver of ours involved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.testing.expect import atom_array
from greedyhull.types import Array, AtomSet

Value = Callable[[Array], float]
Gradient = Callable[[Array], Array]


def hull_minimum(vertices: Array, value: Value, gradient: Gradient) -> float:
    """The least value found over the hull of the rows of ``vertices``: a point of the hull attains it."""
    weights = np.full(len(vertices), 1.0 / len(vertices))
    best = value(weights @ vertices)
    for _ in range(3):  # a restart at the point it stopped at takes SLSQP a few digits further
        weights = _slsqp(value, gradient, vertices, weights)
        weights = _polished(value, gradient, vertices, weights)
        before, best = best, min(best, value(weights @ vertices))
        if before - best <= 1e-15 * abs(best):
            break
    return float(best)


def ball_minimum(d: int, radius: float, value: Value, gradient: Gradient) -> float:
    """The same over a Euclidean ball: SLSQP, then projected gradient steps, halved until they help."""
    from scipy import optimize

    def inside(x: Array) -> Array:
        return x * min(1.0, radius / max(float(np.linalg.norm(x)), 1e-300))

    slsqp: Any = optimize.minimize
    room: Any = {"type": "ineq", "fun": lambda x: radius**2 - x @ x, "jac": lambda x: -2 * x}
    x = inside(slsqp(value, np.zeros(d), jac=gradient, method="SLSQP", constraints=[room], options={"ftol": 1e-16}).x)
    here, step = value(x), 1.0
    while step > 1e-12:
        trial = inside(x - step * gradient(x))
        if value(trial) < here:
            x, here, step = trial, value(trial), 1.5 * step
        else:
            step *= 0.5
    return float(here)


def set_minimum(S: AtomSet, value: Value, gradient: Gradient, *, rounds: int = 30) -> float:
    """The same where only the oracle is known: its atoms are gathered until none helps."""
    rng = np.random.default_rng(0)
    oracle = S.oracle(rng)
    atoms = [
        atom_array(oracle.argmin(rng.standard_normal(S.shape)).atom, S.shape).ravel() for _ in range(2 * int(np.prod(S.shape)))
    ]
    vertices = np.unique(np.stack([*atoms, S.centre().array().ravel()]), axis=0)

    def flat(x: Array) -> float:
        return value(x.reshape(S.shape))

    def slope(x: Array) -> Array:
        return gradient(x.reshape(S.shape)).ravel()

    weights, best = np.full(len(vertices), 1.0 / len(vertices)), np.inf
    for _ in range(rounds):
        weights = _slsqp(flat, slope, vertices, weights)
        x = weights @ vertices
        before, best = best, min(best, flat(x))
        g = slope(x)
        d = atom_array(oracle.argmin(g.reshape(S.shape)).atom, S.shape).ravel()
        if g @ (x - d) <= 1e-13 * (abs(best) + 1e-3) or before - best <= 1e-15 * abs(best):
            break
        keep = weights > 0
        vertices, weights = np.vstack([vertices[keep], d]), np.append(weights[keep], 0.0)
    return float(best)


def _slsqp(value: Value, gradient: Gradient, vertices: Array, weights: Array) -> Array:
    from scipy import optimize

    slsqp: Any = optimize.minimize
    total: Any = {"type": "eq", "fun": lambda a: a.sum() - 1.0, "jac": lambda a: np.ones(len(a))}
    with np.errstate(all="ignore"):
        found = slsqp(
            lambda a: _plain(value(_inside(a) @ vertices)),
            weights,
            jac=lambda a: vertices @ gradient(_inside(a) @ vertices),
            method="SLSQP",
            bounds=[(0.0, 1.0)] * len(weights),
            constraints=[total],
            options={"maxiter": 500, "ftol": 1e-16},
        )
    candidate = _inside(np.asarray(found.x))
    return candidate if value(candidate @ vertices) <= value(weights @ vertices) else weights


def _plain(value: float) -> float:
    return value if np.isfinite(value) else 1e30


def _inside(weights: Array) -> Array:
    weights = np.maximum(np.nan_to_num(weights), 0.0)
    return weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1.0 / len(weights))


def _polished(value: Value, gradient: Gradient, vertices: Array, weights: Array) -> Array:
    """Golden-section searches from the worst vertex in use to the best one, while that helps."""
    from scipy.optimize import minimize_scalar

    weights, here = weights.copy(), value(weights @ vertices)
    for _ in range(200):
        scores = vertices @ gradient(weights @ vertices)
        used = np.flatnonzero(weights > 0)
        worst, best = used[scores[used].argmax()], int(scores.argmin())
        if scores[worst] - scores[best] <= 1e-13 * (abs(here) + 1e-12):
            break
        x, v, top = weights @ vertices, vertices[best] - vertices[worst], float(weights[worst])
        step = float(
            minimize_scalar(
                lambda s, x=x, v=v: _plain(value(x + s * v)), bounds=(0.0, top), method="bounded", options={"xatol": 1e-15}
            ).x
        )
        trial = weights.copy()
        trial[worst], trial[best] = top - step, trial[best] + step
        ahead = value(trial @ vertices)
        if not ahead < here:
            break
        weights, here = trial, ahead
    return weights
