"""Small problems with kinks, for solvers of losses that are not smooth, and their minima by cutting planes."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull.testing.problems import D, Problem
from greedyhull.testing.reference import Gradient, Value
from greedyhull.types import Array


def cutting_minimum(vertices: Array, value: Value, gradient: Gradient) -> float:
    """The least value over the hull of the rows of ``vertices``, for f that is linear between kinks.

    Linear programs find the least point of all tangents seen; each new tangent is a piece of f, and there are finitely many.
    """
    from scipy.optimize import linprog

    weights, best, rows, sides = np.full(len(vertices), 1.0 / len(vertices)), np.inf, [], []
    for _ in range(500):
        x = weights @ vertices
        here, g = value(x), gradient(x)
        best = min(best, here)
        rows.append(np.append(vertices @ g, -1.0))  # α·Vg − t ≤ ⟨g, x⟩ − f(x)
        sides.append(float(g @ x) - here)
        total = np.append(np.ones(len(vertices)), 0.0)[None, :]
        found: Any = linprog(np.append(np.zeros(len(vertices)), 1.0), np.array(rows), np.array(sides), total, [1.0],
                        [(0.0, None)] * len(vertices) + [(None, None)])
        if found.fun >= best - 1e-12 * (1.0 + abs(best)):
            break
        weights = np.maximum(found.x[:-1], 0.0)
        weights /= weights.sum()
    return float(best)


@cache
def kinked_problems() -> tuple[Problem, ...]:
    """Every loss with kinks over polytopes, with weights, intercepts, ties and a minimum of zero among them.

    >>> len({type(problem.f.loss).__name__ for problem in kinked_problems()}) >= 4
    True
    """
    rng = np.random.default_rng(11)
    X, y = rng.standard_normal((9, D)), rng.standard_normal(9)
    labels, weights = np.sign(y), rng.integers(1, 4, 9)
    unit, points = np.eye(D), rng.standard_normal((7, D))
    sets: dict[str, tuple[Any, Array]] = {"L1Ball": (gh.L1Ball(D, 1.5), 1.5 * np.vstack([unit, -unit])),
                                          "Simplex": (gh.Simplex(D), unit), "Vertices": (gh.Vertices(points), points)}
    quantile, tube = partial(gh.quantile, q=0.3), partial(gh.epsilon_insensitive, epsilon=0.4)
    pairs: list[tuple[str, Any, tuple[Array, ...], str]] = [
        *(("absolute", gh.absolute, (X, y), name) for name in sets),
        *(("hinge", gh.hinge, (X, labels), name) for name in sets),
        ("quantile", quantile, (X, y), "L1Ball"), ("epsilon_insensitive", tube, (X, y), "L1Ball"),
        ("absolute of small numbers, with ties", gh.absolute, (np.round(X), np.round(y)), "L1Ball"),
        ("absolute, f* = 0", gh.absolute, (X, X @ np.full(D, 0.2)), "Simplex"),
        ("hinge, weighted", partial(gh.hinge, sample_weight=weights), (X, labels), "L1Ball"),
        ("absolute, intercept", partial(gh.absolute, intercept=True), (X, y + 3.0), "L1Ball"),
        ("hinge, intercept", partial(gh.hinge, intercept=True), (X, labels), "L1Ball"),
        ("epsilon_insensitive, intercept", partial(tube, intercept=True), (X, y - 2.0), "Simplex"),
    ]
    return tuple(Problem(f"{what} over {name}", make(*data), sets[name][0], data=data, make=make,
                         reference=partial(cutting_minimum, sets[name][1])) for what, make, data, name in pairs)
