"""Small problems whose minima are known by other means: what solvers are tried on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import product
from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.testing.reference import Gradient, Value, ball_minimum, hull_minimum, set_minimum
from greedyhull.types import Array, AtomSet, Objective

Reference = Callable[[Value, Gradient], float]  # the least value over a set, found by other means
D = 5  # coordinates of the small problems


@dataclass(frozen=True, eq=False)
class Problem:
    """f over S. ``value`` and ``gradient`` are plain formulas on arrays, from f itself if they are left out; ``reference``
    minimises them over the set; ``data`` are the arrays f was made from, and ``make`` makes it from others of their kind
    (sparse, float32)."""

    name: str
    f: Objective
    S: AtomSet
    value: Value | None = None
    gradient: Gradient | None = None
    reference: Reference | None = field(default=None, repr=False)
    data: tuple[Array, ...] = field(default=(), repr=False)
    make: Callable[..., Any] | None = field(default=None, repr=False)

    @cached_property
    def minimum(self) -> float:
        """The least value that SciPy finds; the true minimum is never above it."""
        value = self.value or (lambda x: float(self.f.value(CoordinateIterate(x))))
        gradient = self.gradient or (lambda x: np.asarray(self.f.gradient(CoordinateIterate(x)), dtype=np.float64))
        return (self.reference or partial(set_minimum, self.S))(value, gradient)

    def stored(self, how: Callable[[Array], Any]) -> Any:
        """f made anew from its data, the matrix stored as ``how`` says."""
        assert self.make is not None
        return self.make(how(self.data[0]), *self.data[1:])

    @cached_property
    def single(self) -> Problem:
        """The problem that float32 data pose: the same data rounded to float32, in float64."""
        assert self.make is not None
        rounded = tuple(x.astype(np.float32).astype(np.float64) for x in self.data)
        return Problem(f"{self.name} in float32", self.make(*rounded), self.S, reference=self.reference, data=rounded)


def as_problem(given: Any) -> Problem:
    """A problem, or a pair (f, S) made one."""
    if isinstance(given, Problem):
        return given
    f, S = given
    return Problem(f"{f!r} over {S!r}", f, S)


@cache
def small_problems() -> tuple[Problem, ...]:
    """The problems `check_solver` uses: every objective and set here in at least one, five coordinates each."""
    sets, rng = _sets(), np.random.default_rng(7)
    X, y = rng.standard_normal((9, D)), rng.standard_normal(9)
    pairs: list[tuple[str, _Model, str]] = []
    pairs += [("least_squares", _least_squares(X, y), name) for name in sets]
    pairs += [("least_squares, a vertex is best", _least_squares(X, 4 * X[:, 1]), name) for name in ("L1Ball", "Simplex")]
    pairs += [("least_squares, f* = 0", _least_squares(X, X @ np.full(D, 0.2)), name) for name in ("L1Ball", "Simplex")]
    pairs += [("logistic", _logistic(X, np.sign(y)), name) for name in ("L1Ball", "Simplex", "L2Ball")]
    pairs += [("quadratic", _quadratic(X), name) for name in ("Simplex", "L1Ball", "Box")]
    pairs += [("log_likelihood", _log_likelihood(rng.random((9, D)) + 0.01), "Simplex"),
              ("log_likelihood with zeros", _log_likelihood(_with_zeros(rng)), "Simplex"),
              ("huber", _huber(X, 2 * y), "L1Ball"), ("poisson", _poisson(X, np.round(np.abs(3 * y))), "L1Ball"),
              ("poisson", _poisson(X, np.round(np.abs(3 * y))), "CappedSimplex"),
              ("squared_hinge", _squared_hinge(X, np.sign(y)), "Simplex"), ("lp_loss, p = 3", _lp_loss(X, y, 3.0), "L1Ball"),
              ("lp_loss, p = 1.5", _lp_loss(X, y, 1.5), "Simplex"), ("function", _function(X), "Simplex"),
              ("function", _function(X), "L2Ball"), ("function without smoothness", _entropy(), "Simplex"),
              ("least_squares, intercept", _least_squares(X, y + 3, intercept=True), "L1Ball"),
              ("logistic, intercept", _logistic_with_intercept(X, np.sign(y)), "L1Ball"),
              ("least_squares, ridge", _with_ridge(_least_squares(X, y, intercept=True), 0.3), "Simplex"),
              ("logistic, ridge", _with_ridge(_logistic(X, np.sign(y)), 0.3), "Vertices")]
    return tuple(model.over(f"{what} over {name}", *sets[name]) for what, model, name in pairs)


def _sets() -> dict[str, tuple[Any, Reference]]:
    """The sets that are there, each with the means to find minima over it."""
    rng = np.random.default_rng(3)
    unit, corners = np.eye(D), np.array(list(product((-1.0, 1.0), repeat=D)))
    low, high, points = -rng.random(D), rng.random(D), rng.standard_normal((8, D))

    def hull(vertices: Array) -> Reference:
        return partial(hull_minimum, vertices)

    return {
        "L1Ball": (gh.L1Ball(D, 1.5), hull(1.5 * np.vstack([unit, -unit]))),
        "Simplex": (gh.Simplex(D), hull(unit)),
        "CappedSimplex": (gh.CappedSimplex(D, 2.0), hull(2.0 * np.vstack([unit, np.zeros(D)]))),
        "LinfBall": (gh.LinfBall(D, 0.4), hull(0.4 * corners)),
        "Box": (gh.Box(low, high), hull(np.where(corners > 0, high, low))),
        "Vertices": (gh.Vertices(points), hull(points)),
        "L2Ball": (gh.L2Ball(D, 0.8), partial(ball_minimum, D, 0.8)),
    }


def _with_zeros(rng: np.random.Generator) -> Array:
    """Likelihoods of which a third are zero, none of them in a row that is zero everywhere."""
    P = rng.random((9, D)) * (rng.random((9, D)) < 0.65)
    P[np.arange(9), np.arange(9) % D] = 0.5
    return P


# --- the formulas, written out once more -------------------------------------------------------------------------


@dataclass(frozen=True)
class _Model:
    value: Value
    gradient: Gradient
    make: Callable[..., Any]
    data: tuple[Array, ...]

    def over(self, name: str, S: AtomSet, reference: Reference) -> Problem:
        return Problem(name, self.make(*self.data), S, self.value, self.gradient, reference, self.data, self.make)


def _least_squares(X: Array, y: Array, *, intercept: bool = False) -> _Model:
    def residual(w: Array) -> Array:
        r = X @ w - y
        return r - r.mean() if intercept else r

    n = len(y)
    return _Model(lambda w: float(residual(w) @ residual(w)) / (2 * n), lambda w: X.T @ residual(w) / n,
                  lambda X, y, **more: gh.least_squares(X, y, intercept=intercept, **more), (X, y))


def _with_ridge(model: _Model, l2: float) -> _Model:
    return _Model(lambda w: model.value(w) + 0.5 * l2 * float(w @ w), lambda w: model.gradient(w) + l2 * w,
                  partial(model.make, l2=l2), model.data)


def _logistic(X: Array, y: Array) -> _Model:
    n = len(y)
    return _Model(
        lambda w: float(np.logaddexp(0, -y * (X @ w)).mean()),
        lambda w: -X.T @ (y / (1 + np.exp(y * (X @ w)))) / n,
        gh.logistic,
        (X, y),
    )


def _logistic_with_intercept(X: Array, y: Array) -> _Model:
    from scipy.optimize import brentq

    def shifted(w: Array) -> Array:
        z = X @ w
        b = brentq(lambda b: float((y / (1 + np.exp(y * (z + b)))).sum()), -50.0, 50.0, xtol=1e-15)
        return np.asarray(z + b)

    return _Model(
        lambda w: float(np.logaddexp(0, -y * shifted(w)).mean()),
        lambda w: -X.T @ (y / (1 + np.exp(y * shifted(w)))) / len(y),
        lambda X, y: gh.logistic(X, y, intercept=True),
        (X, y),
    )


def _quadratic(X: Array) -> _Model:
    Q, b = X.T @ X / len(X), np.linspace(-1, 1, X.shape[1])
    return _Model(lambda w: float(0.5 * w @ Q @ w - b @ w), lambda w: Q @ w - b, gh.quadratic, (Q, b))


def _log_likelihood(P: Array) -> _Model:
    def value(w: Array) -> float:
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(-np.log(P @ w).mean())

    def gradient(w: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(-P.T @ (1 / (P @ w)) / len(P))

    return _Model(value, gradient, gh.log_likelihood, (P,))


def _huber(X: Array, y: Array) -> _Model:
    def value(w: Array) -> float:
        r = np.abs(X @ w - y)
        return float(np.where(r <= 1, 0.5 * r * r, r - 0.5).mean())

    return _Model(value, lambda w: X.T @ np.clip(X @ w - y, -1, 1) / len(y), gh.huber, (X, y))


def _poisson(X: Array, y: Array) -> _Model:
    return _Model(
        lambda w: float((np.exp(X @ w) - y * (X @ w)).mean()), lambda w: X.T @ (np.exp(X @ w) - y) / len(y), gh.poisson, (X, y)
    )


def _squared_hinge(X: Array, y: Array) -> _Model:
    return _Model(
        lambda w: float((0.5 * np.maximum(1 - y * (X @ w), 0) ** 2).mean()),
        lambda w: -X.T @ (y * np.maximum(1 - y * (X @ w), 0)) / len(y),
        gh.squared_hinge,
        (X, y),
    )


def _lp_loss(X: Array, y: Array, p: float) -> _Model:
    return _Model(
        lambda w: float((np.abs(X @ w - y) ** p / p).mean()),
        lambda w: X.T @ (np.sign(X @ w - y) * np.abs(X @ w - y) ** (p - 1)) / len(y),
        lambda X, y: gh.lp_loss(X, y, p),
        (X, y),
    )


def _function(X: Array) -> _Model:
    """log Σ exp(Xw), a black box that is 1-smooth in Xw."""
    def value(w: Array) -> float:
        return float(np.log(np.exp(X @ w).sum()))

    def gradient(w: Array) -> Array:
        e = np.exp(X @ w)
        return np.asarray(X.T @ (e / e.sum()))

    return _Model(value, gradient, lambda: gh.function(value, gradient, D, smoothness=float(np.linalg.norm(X, 2) ** 2)), ())


def _entropy() -> _Model:
    """Σ (w + 0.1) log (w + 0.1) − c·w: smooth on the simplex only, and nobody says how smooth."""
    c = np.linspace(-1, 1, D)

    def value(w: Array) -> float:
        return float((w + 0.1) @ np.log(w + 0.1) - c @ w)

    def gradient(w: Array) -> Array:
        return np.asarray(np.log(w + 0.1) + 1 - c)

    return _Model(value, gradient, lambda: gh.function(value, gradient, D), ())
