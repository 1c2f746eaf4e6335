"""Small problems whose minima are known by other means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.testing.expect import atom_array
from greedyhull.types import Array, AtomSet, Objective

Value = Callable[[Array], float]
Gradient = Callable[[Array], Array]


def ball_minimum(d: int, radius: float, value: Value, gradient: Gradient) -> float:
    """The least value found over a Euclidean ball: SLSQP, then projected gradient steps, halved until they help."""
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


def set_minimum(S: AtomSet, value: Value, gradient: Gradient) -> float:
    """The same over the hull of S by its oracle alone, whose atoms are gathered until none helps."""
    rng = np.random.default_rng(0)
    oracle, draws = S.oracle(rng), rng.standard_normal((2 * int(np.prod(S.shape)), *S.shape))
    atoms = [atom_array(oracle.argmin(g).atom, S.shape).ravel() for g in draws]
    vertices = np.unique(np.stack([*atoms, S.centre().array().ravel()]), axis=0)

    def flat(x: Array) -> float:
        return value(x.reshape(S.shape))

    def slope(x: Array) -> Array:
        return gradient(x.reshape(S.shape)).ravel()

    weights, best = np.full(len(vertices), 1.0 / len(vertices)), np.inf
    for _ in range(30):
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
        found = slsqp(lambda a: np.nan_to_num(value(_inside(a) @ vertices), nan=1e30, posinf=1e30), weights,
                      jac=lambda a: vertices @ gradient(_inside(a) @ vertices), method="SLSQP",
                      bounds=[(0.0, 1.0)] * len(weights), constraints=[total], options={"maxiter": 500, "ftol": 1e-16})
    candidate = _inside(np.asarray(found.x))
    return candidate if value(candidate @ vertices) <= value(weights @ vertices) else weights


def _inside(weights: Array) -> Array:
    weights = np.maximum(np.nan_to_num(weights), 0.0)
    return weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1.0 / len(weights))


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

    @cached_property
    def single(self) -> Problem:
        """The problem that float32 data pose: the same data rounded to float32, in float64."""
        assert self.make is not None
        rounded = tuple(x.astype(np.float32).astype(np.float64) for x in self.data)
        return Problem(f"{self.name} in float32", self.make(*rounded), self.S, reference=self.reference, data=rounded)


@cache
def small_problems() -> tuple[Problem, ...]:
    """The problems `check_solver` uses: every objective and set here in at least one, five coordinates each."""
    rng, sides = np.random.default_rng(7), np.random.default_rng(3)
    low, high, points = -sides.random(D), sides.random(D), sides.standard_normal((8, D))
    sets = {type(S).__name__: S for S in (gh.L1Ball(D, 1.5), gh.Simplex(D), gh.CappedSimplex(D, 2.0), gh.LinfBall(D, 0.4),
                                          gh.Box(low, high), gh.Vertices(points), gh.L2Ball(D, 0.8))}
    ball: Reference = partial(ball_minimum, D, 0.8)  # over a round set the general search has few digits
    X, y = rng.standard_normal((9, D)), rng.standard_normal(9)
    counts = np.round(np.abs(3 * y))
    pairs: list[tuple[str, _Model, str]] = []
    pairs += [("least_squares", _least_squares(X, y), name) for name in sets]
    pairs += [("least_squares, a vertex is best", _least_squares(X, 4 * X[:, 1]), name) for name in ("L1Ball", "Simplex")]
    pairs += [("least_squares, f* = 0", _least_squares(X, X @ np.full(D, 0.2)), name) for name in ("L1Ball", "Simplex")]
    pairs += [("logistic", _named("logistic", X, np.sign(y)), name) for name in ("L1Ball", "Simplex", "L2Ball")]
    pairs += [("quadratic", _quadratic(X), name) for name in ("Simplex", "L1Ball", "Box")]
    pairs += [("log_likelihood", _log_likelihood(rng.random((9, D)) + 0.01), "Simplex"),
              ("log_likelihood with zeros", _log_likelihood(_with_zeros(rng)), "Simplex"),
              ("huber", _named("huber", X, 2 * y), "L1Ball"), ("poisson", _named("poisson", X, counts), "L1Ball"),
              ("poisson", _named("poisson", X, counts), "CappedSimplex"),
              ("squared_hinge", _named("squared_hinge", X, np.sign(y)), "Simplex"),
              ("lp_loss, p = 3", _named("lp_loss", X, y, p=3.0), "L1Ball"),
              ("lp_loss, p = 1.5", _named("lp_loss", X, y, p=1.5), "Simplex"), ("function", _function(X), "Simplex"),
              ("function", _function(X), "L2Ball"), ("function without smoothness", _entropy(), "Simplex"),
              ("least_squares, intercept", _least_squares(X, y + 3, intercept=True), "L1Ball"),
              ("logistic, intercept", _logistic_with_intercept(X, np.sign(y)), "L1Ball"),
              ("least_squares, ridge", _with_ridge(_least_squares(X, y, intercept=True), 0.3), "Simplex"),
              ("logistic, ridge", _with_ridge(_named("logistic", X, np.sign(y)), 0.3), "Vertices")]
    return tuple(Problem(f"{what} over {name}", model.make(*model.data), sets[name], model.value, model.gradient,
                         ball if name == "L2Ball" else None, model.data, model.make) for what, model, name in pairs)


def _with_zeros(rng: np.random.Generator) -> Array:
    """Likelihoods of which a third are zero, none of them in a row that is zero everywhere."""
    P = rng.random((9, D)) * (rng.random((9, D)) < 0.65)
    P[np.arange(9), np.arange(9) % D] = 0.5
    return P


# --- the formulas, independent of those in the library -----------------------------------------------------------

LOSSES: dict[str, tuple[Callable[..., Array], Callable[..., Array]]] = {  # ℓ(z, y) and its derivative
    "logistic": (lambda z, y: np.logaddexp(0, -y * z), lambda z, y: -y / (1 + np.exp(y * z))),
    "huber": (lambda z, y: np.where(np.abs(z - y) <= 1, 0.5 * (z - y) ** 2, np.abs(z - y) - 0.5),
              lambda z, y: np.clip(z - y, -1, 1)),
    "poisson": (lambda z, y: np.exp(z) - y * z, lambda z, y: np.exp(z) - y),
    "squared_hinge": (lambda z, y: 0.5 * np.maximum(1 - y * z, 0) ** 2, lambda z, y: -y * np.maximum(1 - y * z, 0)),
    "lp_loss": (lambda z, y, p: np.abs(z - y) ** p / p, lambda z, y, p: np.sign(z - y) * np.abs(z - y) ** (p - 1)),
}


@dataclass(frozen=True)
class _Model:
    value: Value
    gradient: Gradient
    make: Callable[..., Any]
    data: tuple[Array, ...]


def _mean(terms: Callable[..., Array], slopes: Callable[..., Array], make: Callable[..., Any], *data: Array) -> _Model:
    """The mean of ℓ(z, y) over the samples, z = Xw; ``terms`` and ``slopes`` are ℓ and ℓ'."""
    X, *y = data
    return _Model(lambda w: float(terms(X @ w, *y).mean()), lambda w: X.T @ slopes(X @ w, *y) / len(X), make, data)


def _least_squares(X: Array, y: Array, *, intercept: bool = False) -> _Model:
    def residual(z: Array, y: Array) -> Array:
        return z - y - (z - y).mean() if intercept else z - y

    return _mean(lambda z, y: 0.5 * residual(z, y) ** 2, residual, partial(gh.least_squares, intercept=intercept), X, y)


def _with_ridge(model: _Model, l2: float) -> _Model:
    return _Model(lambda w: model.value(w) + 0.5 * l2 * float(w @ w), lambda w: model.gradient(w) + l2 * w,
                  partial(model.make, l2=l2), model.data)


def _named(name: str, X: Array, y: Array, **settings: float) -> _Model:
    terms, slopes = (partial(formula, **settings) for formula in LOSSES[name])
    return _mean(terms, slopes, partial(getattr(gh, name), **settings), X, y)


def _logistic_with_intercept(X: Array, y: Array) -> _Model:
    from scipy.optimize import brentq

    terms, slopes = LOSSES["logistic"]

    def shifted(z: Array, y: Array) -> Array:
        return np.asarray(z + brentq(lambda b: float(slopes(z + b, y).sum()), -50.0, 50.0, xtol=1e-15))

    return _mean(lambda z, y: terms(shifted(z, y), y), lambda z, y: slopes(shifted(z, y), y),
                 partial(gh.logistic, intercept=True), X, y)


def _quadratic(X: Array) -> _Model:
    Q, b = X.T @ X / len(X), np.linspace(-1, 1, X.shape[1])
    return _Model(lambda w: float(0.5 * w @ Q @ w - b @ w), lambda w: Q @ w - b, gh.quadratic, (Q, b))


def _log_likelihood(P: Array) -> _Model:
    quiet = np.errstate(divide="ignore", invalid="ignore")
    return _mean(quiet(lambda z: -np.log(z)), quiet(lambda z: -1 / z), gh.log_likelihood, P)


def _function(X: Array) -> _Model:
    """log Σ exp(Xw), a black box that is 1-smooth in Xw."""
    def value(w: Array) -> float:
        return float(np.log(np.exp(X @ w).sum()))

    def gradient(w: Array) -> Array:
        e = np.exp(X @ w)
        return np.asarray(X.T @ (e / e.sum()))

    return _Model(value, gradient, lambda: gh.function(value, gradient, D, smoothness=float(np.linalg.norm(X, 2) ** 2)), ())


def _entropy() -> _Model:
    """Σ (w + 0.1) log (w + 0.1) − c·w: smooth on the simplex only, without a stated smoothness."""
    c = np.linspace(-1, 1, D)

    def value(w: Array) -> float:
        return float((w + 0.1) @ np.log(w + 0.1) - c @ w)

    def gradient(w: Array) -> Array:
        return np.asarray(np.log(w + 0.1) + 1 - c)

    return _Model(value, gradient, lambda: gh.function(value, gradient, D), ())


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
    """Every loss with kinks over polytopes, with weights, intercepts, ties and a minimum of zero among them."""
    rng = np.random.default_rng(11)
    X, y = rng.standard_normal((9, D)), rng.standard_normal(9)
    labels, weights = np.sign(y), rng.integers(1, 4, 9)
    unit, points = np.eye(D), rng.standard_normal((7, D))
    sets: dict[str, tuple[Any, Array]] = {"L1Ball": (gh.L1Ball(D, 1.5), 1.5 * np.vstack([unit, -unit])),
                                          "Simplex": (gh.Simplex(D), unit), "Vertices": (gh.Vertices(points), points)}
    quantile, tube = partial(gh.quantile, q=0.3), partial(gh.epsilon_insensitive, epsilon=0.4)
    pairs: list[tuple[str, Any, tuple[Array, ...], str]] = [*(("absolute", gh.absolute, (X, y), name) for name in sets),
        *(("hinge", gh.hinge, (X, labels), name) for name in sets), ("quantile", quantile, (X, y), "L1Ball"),
        ("epsilon_insensitive", tube, (X, y), "L1Ball"),
        ("absolute of small numbers, with ties", gh.absolute, (np.round(X), np.round(y)), "L1Ball"),
        ("absolute, f* = 0", gh.absolute, (X, X @ np.full(D, 0.2)), "Simplex"),
        ("hinge, weighted", partial(gh.hinge, sample_weight=weights), (X, labels), "L1Ball"),
        ("absolute, intercept", partial(gh.absolute, intercept=True), (X, y + 3.0), "L1Ball"),
        ("hinge, intercept", partial(gh.hinge, intercept=True), (X, labels), "L1Ball"),
        ("epsilon_insensitive, intercept", partial(tube, intercept=True), (X, y - 2.0), "Simplex")]
    return tuple(Problem(f"{what} over {name}", make(*data), sets[name][0], data=data, make=make,
                         reference=partial(cutting_minimum, sets[name][1])) for what, make, data, name in pairs)
