"""L-BFGS for smooth functions of many variables whose evaluations cost about as much as the vectors that it keeps.

A step is a combination of the last gradients and moves. Its coefficients come from the inner products of these (the two loops
of Nocedal 1980, on coefficients). Those of a new move follow from its coefficients, and those of a change of the gradient from
the gradients': so an iteration takes two products with one matrix, in the precision of the point. A line search asks for the
weak Wolfe conditions, and nearly always takes the first step that it tries.

Where values differ by rounding only, slopes tell what they cannot (the approximate conditions of Hager and Zhang 2005), and
the point with the shortest gradient is returned: values say nothing of errors of x below the root of eps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from greedyhull.types import Array

Function = Callable[[Array], tuple[float, Array]]

MEMORY = 5  # moves that are kept
ENOUGH, FLATTER = 1e-4, 0.9  # what a step must do of what its slope promises, and how much flatter f must be after it
LONGER = 4.0  # by how much a step grows that is too short
SHORTER, LONGEST = 0.1, 0.5  # of the step before, where that was too long
TRIALS = 12  # of a line search
SAME = 1e-14  # of f: values that differ by less are the same
SHORTER_BY, PATIENCE = 0.7, 8  # there: times the shortest gradient is progress, and iterations without any end the descent
BENT = 1e-12  # a move whose change of the gradient is less along it says nothing of the curvature


class Reached(NamedTuple):
    """A point, its value and its gradient."""

    x: Array
    value: float
    slope: Array


def descend(function: Function, at: Reached, iterations: int, flat: float, slow: float, steep: float = 1.0) -> Reached:
    """From a point downhill, until a step lowers f by at most ``flat`` of its size; or by at most ``slow`` of what all steps
    did, where the gradient is at most ``steep`` times as long as at first.

    >>> d = np.array([1.0, 10.0, 100.0])
    >>> def function(x):
    ...     return 0.5 * float(d @ (x * x)), d * x
    >>> descend(function, Reached(np.ones(3), *function(np.ones(3))), 50, 0.0, 0.0).value < 1e-12
    True
    """
    first, moves, small = at.value, _Moves(at.x), steep * float(np.linalg.norm(at.slope))
    last, shortest, waited = at, np.inf, 0  # the point to return, and its gradient's length since values are the same
    for _ in range(iterations):
        found = _search(function, at, moves.step(at.slope))
        if found is None:
            break
        moves.add(found.x - at.x, found.slope - at.slope, found.slope)
        fall, at, length = at.value - found.value, found, float(np.linalg.norm(found.slope))
        same = fall <= flat * abs(at.value)
        if not same or length < SHORTER_BY * shortest:
            last, shortest, waited = at, length if same else np.inf, 0
        else:
            waited += 1
        tired = (same or fall <= slow * (first - at.value)) and length <= small
        if tired or waited >= PATIENCE:
            break
    return last


class _Moves:
    """The last moves s and the changes y of the gradient, as rows of one matrix, with their inner products."""

    def __init__(self, x: Array) -> None:
        self.rows = np.zeros((2 * MEMORY, len(x)), x.dtype)  # in row k a move, in row MEMORY + k the change of the gradient
        self.inner = np.zeros((2 * MEMORY, 2 * MEMORY))
        self.order: list[int] = []  # of the moves, the oldest first
        self.dots = np.zeros(2 * MEMORY)  # of the rows with the last gradient
        self.gamma, self.c, self.length = 1.0, np.zeros(2 * MEMORY), 0.0  # the last step: −γg − Σ cₖ rowₖ, and its length

    def add(self, s: Array, y: Array, g: Array) -> None:
        """Keep a move, in the place of the oldest where all are taken; one along which f is not convex is passed over.

        s is a multiple of the last step, and g the gradient after it.
        """
        before, step = self.dots, -self.gamma * self.dots - self.inner @ self.c  # of the rows, with both
        self.dots = self._with(g)
        bent, far, change = float(s.dot(y)), float(np.linalg.norm(s)), float(np.linalg.norm(y))
        if not bent > BENT * far * change:
            return
        k = len(self.order) if len(self.order) < MEMORY else self.order.pop(0)
        self.order.append(k)
        self.rows[k], self.rows[MEMORY + k] = s, y
        times = far / self.length if self.length > 0.0 else 0.0
        moved, changed = times * step, self.dots - before
        moved[k], moved[MEMORY + k], changed[k], changed[MEMORY + k] = far * far, bent, bent, change * change
        self.inner[k] = self.inner[:, k] = moved
        self.inner[MEMORY + k] = self.inner[:, MEMORY + k] = changed
        self.dots[k], self.dots[MEMORY + k] = float(s.dot(g)), float(y.dot(g))

    def _used(self) -> tuple[slice, slice]:
        return slice(0, len(self.order)), slice(MEMORY, MEMORY + len(self.order))

    def _with(self, v: Array) -> Array:
        out = np.zeros(2 * MEMORY)
        for part in self._used():
            out[part] = self.rows[part] @ v
        return out

    def step(self, g: Array) -> Array:
        """−Hg, where H is the estimate of the inverse Hessian and g the gradient that `add` was told last."""
        self.gamma, self.c = self._coefficients()
        out: Array = -g.dtype.type(self.gamma) * g
        for part in self._used():
            out -= self.c[part].astype(g.dtype) @ self.rows[part]
        self.length = float(np.linalg.norm(out))
        return out

    def _coefficients(self) -> tuple[float, Array]:
        c, alpha = np.zeros(2 * MEMORY), np.zeros(MEMORY)
        if not self.order:
            return 1.0, c
        for k in reversed(self.order):
            alpha[k] = (self.dots[k] + float(self.inner[k].dot(c))) / self.inner[k, MEMORY + k]
            c[MEMORY + k] -= alpha[k]
        last = self.order[-1]
        gamma = self.inner[last, MEMORY + last] / self.inner[MEMORY + last, MEMORY + last]
        c *= gamma
        for k in self.order:
            beta = (gamma * self.dots[MEMORY + k] + float(self.inner[MEMORY + k].dot(c))) / self.inner[k, MEMORY + k]
            c[k] += alpha[k] - beta
        return float(gamma), c


def _search(function: Function, at: Reached, step: Array) -> Reached | None:
    """A point along the step that is enough lower, and where f is flatter; None where nothing is lower."""
    slope, t, best = float(at.slope.dot(step)), 1.0, None
    if not slope < 0.0:
        return None
    for _ in range(TRIALS):
        x = at.x + step.dtype.type(t) * step
        value, g = function(x)
        after = float(g.dot(step))
        same = best is None and abs(value - at.value) <= SAME * abs(value)
        if same and FLATTER * slope <= after <= (2.0 * ENOUGH - 1.0) * slope:
            return Reached(x, value, g)
        if value <= at.value + ENOUGH * t * slope and (best is None or value < best.value):
            best = Reached(x, value, g)
            if after >= FLATTER * slope:
                break
            t *= LONGER
        elif best is not None:  # the longer step was too long
            break
        else:
            excess = value - at.value - t * slope  # of the parabola through what is known, the lowest point
            part = -0.5 * t * slope / excess if np.isfinite(excess) and excess > 0.0 else SHORTER
            t *= min(max(part, SHORTER), LONGEST)
    return best
