"""Small convex problems over a few atoms, played in plain numpy, with oracles as bad as their tolerance allows."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise f over the hull of the rows of S; its curvature is at most M. ``value`` takes rows of points too."""

    name: str
    value: Callable[[Array], Any]
    gradient: Callable[[Array], Array]
    S: Array
    M: float

    def __repr__(self) -> str:
        return self.name

    def scores(self, w: Array) -> Array:
        return self.S @ self.gradient(w)

    def gap(self, w: Array) -> float:
        return float(self.gradient(w) @ w - self.scores(w).min())

    def ahead(self, w: Array, eta: float) -> Array:
        """f((1 - η) w + η d) for every atom d."""
        ends: Array = self.value((1 - eta) * w + eta * self.S)
        return ends

    def search(self, w: Array, v: Array, most: float = 1.0) -> float:
        """The step in [0, most] along v that minimises f: the root of the slope, by secants that keep it bracketed."""
        low, high = 0.0, most
        down, up = float(self.gradient(w) @ v), float(self.gradient(w + most * v) @ v)
        if down >= 0 or up <= 0:
            return low if down >= 0 else most
        enough = 1e-15 * (up - down)
        for _ in range(60):
            middle = low + (high - low) * down / (down - up)
            slope = float(self.gradient(w + middle * v) @ v)
            if abs(slope) <= enough:
                return middle
            if slope < 0:
                low, down, up = middle, slope, up / 2  # halving the other end keeps the secants from creeping
            else:
                high, up, down = middle, slope, down / 2
        return middle

    def random_point(self, rng: np.random.Generator) -> Array:
        return rng.dirichlet(np.full(len(self.S), 0.3)) @ self.S


@cache
def optimum(problem: Problem) -> float:
    """A lower bound on f*, within 1e-11 of it: value minus gap at the end of a run with away steps."""
    S, weights = problem.S, np.eye(len(problem.S))[0]
    best = -np.inf
    for _ in range(5000):
        w = weights @ S
        scores = problem.scores(w)
        here = problem.gradient(w) @ w
        best = max(best, problem.value(w) - (here - scores.min()))
        if here - scores.min() < 1e-12:
            break
        toward = int(scores.argmin())
        away = int(np.where(weights > 0, scores, -np.inf).argmax())
        if here - scores[toward] >= scores[away] - here:
            change, most = np.eye(len(S))[toward] - weights, 1.0
        else:
            change, most = weights - np.eye(len(S))[away], weights[away] / (1 - weights[away])
        eta = problem.search(w, change @ S, most)
        weights = np.maximum(weights + eta * change, 0)
        weights[away] *= not (eta == most and most < 1 and change[away] < 0)
        weights /= weights.sum()
    assert problem.value(weights @ S) - best < 1e-10, f"no optimum found for {problem}"
    return best


@dataclass(frozen=True, eq=False)
class Run:
    """What happened: the points w_0, ..., w_K, and the values, errors and gaps there."""

    points: Array
    values: Array
    errors: Array
    gaps: Array


def make_quadratic(name: str, H: Array, b: Array, S: Array) -> Problem:
    """f(w) = ½ wᵀHw - bᵀw, with its exact curvature: the largest (s - s')ᵀH(s - s')."""
    apart = S[:, None, :] - S[None, :, :]
    M = float(np.einsum("ijk,kl,ijl->ij", apart, H, apart).max())
    return Problem(name, lambda w: ((w @ H) * w).sum(-1) / 2 - w @ b, lambda w: H @ w - b, S, M)


def make_logistic(name: str, A: Array, S: Array) -> Problem:
    """f(w) = mean log(1 + exp(-a_i·w)); its second derivative is at most 1/4 along every a_i."""
    M = make_quadratic("", A.T @ A / (4 * len(A)), np.zeros(A.shape[1]), S).M
    return Problem(
        name,
        lambda w: np.logaddexp(0, -w @ A.T).mean(-1),
        lambda w: -A.T @ (1 / (1 + np.exp(A @ w))) / len(A),
        S,
        M,
    )


def play_run(
    problem: Problem,
    K: int,
    family: str = "fw",
    eta: Callable[[int], float] = lambda k: 2 / (k + 2),
    c: float = 0.0,
    eps: Callable[[int], float] | None = None,
    rule: str = "open",
    start: Array | None = None,
) -> Run:
    """K steps; the oracle returns the atom that leads to the largest f among all that its tolerance admits.

    family "fw" or "jones" (at step η_k; "joint": over η too, exact); rule "open" takes η_k, "short" the best step of
    the model, "search" the best step of f.
    """
    w = problem.S[0] if start is None else start
    points = [w]
    for k in range(K):
        step, tolerance = eta(k), c * eta(k) if eps is None else eps(k)
        w = _next(problem, w, family, rule, step, tolerance)
        points.append(w)
    values = problem.value(np.array(points))
    return Run(np.array(points), values, values - optimum(problem), np.array([problem.gap(w) for w in points]))


def _next(problem: Problem, w: Array, family: str, rule: str, step: float, tolerance: float) -> Array:
    if family == "joint":
        ends = [w + problem.search(w, d - w) * (d - w) for d in problem.S]
        return min(ends, key=problem.value)
    ahead, scores = problem.ahead(w, step), problem.scores(w)
    good = scores <= scores.min() + tolerance if family == "fw" else ahead <= ahead.min() + step * tolerance
    d = problem.S[int(np.where(good, ahead, -np.inf).argmax())]
    if rule == "short":
        step = float(np.clip(problem.gradient(w) @ (w - d) / problem.M, 0, 1)) if problem.M else 1.0
    elif rule == "search":
        step = problem.search(w, d - w)
    return (1 - step) * w + step * d


def _problems() -> list[Problem]:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(8, 5))
    eye = np.eye(6)
    return [
        make_quadratic("least squares", A.T @ A / 8, A.T @ rng.normal(size=8) / 8, rng.normal(size=(12, 5))),
        make_quadratic("simplex", 2 * eye, np.zeros(6), eye),
        make_quadratic("cross-polytope", np.diag([1.0, 2, 3, 4, 5, 6]), np.full(6, 0.2), np.vstack([eye, -eye])),
        make_quadratic("segment", np.eye(1), np.array([0.3]), np.array([[0.0], [1.0]])),
        make_quadratic("linear", np.zeros((3, 3)), np.array([1.0, 2.0, 3.0]), np.eye(3)),
        make_logistic("logistic", rng.normal(size=(20, 4)), 2 * rng.normal(size=(10, 4))),
    ]


@pytest.fixture(scope="session", params=_problems(), ids=repr)
def problem(request: pytest.FixtureRequest) -> Problem:
    found: Problem = request.param
    return found


@pytest.fixture(scope="session")
def play() -> Callable[..., Run]:
    return play_run


@pytest.fixture(scope="session")
def quadratic() -> Callable[..., Problem]:
    return make_quadratic


@pytest.fixture(scope="session")
def f_star() -> Callable[[Problem], float]:
    return optimum
