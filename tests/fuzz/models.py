"""Random objectives: each with its formula in extended precision, written down apart from the library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull.types import Array
from tests.fuzz import exact as formulas
from tests.fuzz.data import matrix, plain, sample_weights, stored
from tests.fuzz.draws import Rng, chance, pick, scale, size
from tests.fuzz.exact import LD, Exact, Formula, with_ridge

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Model:
    """f as the library makes it, and as it really is. ``again`` makes it anew from other data, for changed problems."""

    kind: str
    f: Any
    d: int
    exact: Callable[[Array], Exact]
    words: str
    n: int = 0  # how many terms the sum has; 0 where it is none
    smooth: bool = True
    correctable: bool = True
    own: float = 0.0  # rounding of the functions that make up a black box, in units of the terms' size: theirs to answer for
    parts: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Kind:
    """A loss by name: how the library makes it from X, y, and its formula."""

    make: Callable[..., Any]
    formula: Formula
    labels: str = "real"
    correctable: bool = True


def _kinds(rng: Rng) -> dict[str, Kind]:
    p, delta = pick(rng, (1.5, 3.0, 4.0)), pick(rng, (1.0, 0.1, 10.0))
    q, epsilon = pick(rng, (0.5, 0.1, 0.9)), pick(rng, (0.0, 0.1, 1.0))
    return {
        "least_squares": Kind(gh.least_squares, Formula(formulas.squared)),
        "logistic": Kind(gh.logistic, Formula(formulas.logistic), "signs"),
        "squared_hinge": Kind(gh.squared_hinge, Formula(formulas.squared_hinge), "signs"),
        "huber": Kind(lambda X, y, **kw: gh.huber(X, y, delta, **kw), Formula(formulas.huber(delta))),
        "poisson": Kind(gh.poisson, Formula(formulas.poisson), "counts"),
        f"lp_loss {p:g}": Kind(lambda X, y, **kw: gh.lp_loss(X, y, p, **kw), Formula(formulas.power(p)), correctable=p >= 2),
        "hinge": Kind(gh.hinge, Formula(formulas.hinge, True), "signs"),
        "absolute": Kind(gh.absolute, Formula(formulas.absolute, True)),
        "quantile": Kind(lambda X, y, **kw: gh.quantile(X, y, q, **kw), Formula(formulas.quantile(q), True)),
        "epsilon_insensitive": Kind(lambda X, y, **kw: gh.epsilon_insensitive(X, y, epsilon, **kw),
                                    Formula(formulas.epsilon_insensitive(epsilon), True, epsilon)),
    }


def linear_model(rng: Rng, d: int, some: Array) -> Model:
    """A loss of a linear model, with weights, an intercept and a ridge now and then."""
    kinds = _kinds(rng)
    name = pick(rng, list(kinds), [4.0, *[1.0] * (len(kinds) - 1)])
    n = size(rng)
    X, storage = stored(rng, matrix(rng, n, d))
    y = targets(rng, plain(X).astype(np.float64), kinds[name].labels, some)
    s, intercept = sample_weights(rng, n), chance(rng, 0.4)
    return assembled(name, kinds[name], X, y, s, intercept, storage, ridge(rng))


def ridge(rng: Rng) -> float:
    """l2: zero mostly, drawn apart so that the other draws of a case stay what they are without it."""
    apart = rng.spawn(1)[0]
    return float(10.0 ** apart.uniform(-3, 1)) * scale(apart) if chance(apart, 0.25) else 0.0


def assembled(name: str, kind: Kind, X: Any, y: Array, s: Array | None, intercept: bool, storage: str, l2: float) -> Model:
    """The model of these data. Making it may be refused, so that it is made when it is asked for."""
    A, n = plain(X), len(y)
    p = np.full(n, LD(1) / n) if s is None else s.astype(LD) / s.astype(LD).sum()
    labels = y.astype(LD)
    if kind.labels == "signs" and set(np.unique(y)) <= {0.0, 1.0}:
        labels = 2 * labels - 1

    def exact(x: Array) -> Exact:
        return with_ridge(kind.formula.at(A @ x, np.abs(A) @ np.abs(x), labels, p, intercept), x, l2)

    more = f"{', weights' if s is not None else ''}{', intercept' if intercept else ''}{f', l2={l2:g}' if l2 else ''}"
    words = f"{name}(X {n}x{A.shape[1]} {storage}{more})"
    f = kind.make(X, y, sample_weight=s, intercept=intercept, l2=l2)
    return Model(name, f, A.shape[1], exact, words, n, not kind.formula.kinked, kind.correctable,
                 parts=(name, kind, X, y, s, intercept, storage, l2))


def targets(rng: Rng, X: Array, labels: str, some: Array) -> Array:
    """y: random, constant, zero, or what a point of the set says, up to a constant; labels and counts where wanted."""
    n = len(X)
    if labels == "signs":
        up = rng.random(n) < 0.5
        return np.where(up, 1.0, 0.0 if chance(rng, 0.3) else -1.0)
    if labels == "counts":
        return rng.integers(0, 6, n).astype(np.float64)
    how = pick(rng, ("random", "constant", "zero", "planted", "shifted"), (5, 1.5, 0.5, 1.5, 2))
    if how in ("planted", "shifted"):
        shares = rng.dirichlet(np.full(len(some), pick(rng, (1.0, 0.05))))
        with np.errstate(all="ignore"):
            y = X @ (shares @ some)
            return np.asarray(y + rng.standard_normal() * (1.0 + np.abs(y).max()) if how == "shifted" else y)
    y = np.zeros(n)
    if how != "zero":
        y += rng.standard_normal(n) if how == "random" else rng.standard_normal()
    return np.asarray(y * (float(np.abs(X).max()) if chance(rng, 0.5) else 1.0) * scale(rng))


def log_likelihood(rng: Rng, d: int) -> Model:
    """Mixtures and portfolios."""
    n = size(rng)
    P = rng.random((n, d)) * (rng.random((n, d)) < pick(rng, (1.0, 0.7))) * scale(rng)
    P[np.arange(n), np.arange(n) % d] += 0.5
    X, storage = stored(rng, P)
    s, A = sample_weights(rng, n), plain(X)
    p = np.full(n, LD(1) / n) if s is None else s.astype(LD) / s.astype(LD).sum()
    formula, l2 = Formula(formulas.negative_log), ridge(rng)

    def exact(x: Array) -> Exact:
        return with_ridge(formula.at(A @ x, A @ np.abs(x), np.zeros(n, LD), p, False), x, l2)

    words = f"log_likelihood(P {n}x{d} {storage}{', weights' if s is not None else ''}{f', l2={l2:g}' if l2 else ''})"
    return Model("log_likelihood", gh.log_likelihood(X, sample_weight=s, l2=l2), d, exact, words, n)


def quadratic(rng: Rng, d: int) -> Model:
    """½wᵀQw − bᵀw; Q of full rank, of low rank, zero, or with one eigenvalue slightly below zero."""
    rank = d if chance(rng, 0.6) else int(rng.integers(0, d + 1))
    G = rng.standard_normal((d, rank)) * 10.0 ** rng.uniform(-3, 3, rank)
    how = "definite"
    Q = G @ G.T
    if chance(rng, 0.3):
        v = rng.standard_normal(d)
        v /= np.linalg.norm(v)
        G -= np.outer(v, v @ G)
        Q, how = G @ G.T, "indefinite"
        Q -= float(10.0 ** rng.uniform(-15, -5)) * max(float(np.abs(Q).max()), 1e-3) * np.outer(v, v)
    Q = 0.5 * (Q + Q.T) * scale(rng)
    X, storage = stored(rng, Q)
    b = None if chance(rng, 0.2) else rng.standard_normal(d) * (float(np.abs(Q).max()) if chance(rng, 0.5) else scale(rng))
    if how == "indefinite" and chance(rng, 0.7):
        b = Q @ (G @ rng.standard_normal(rank)) if chance(rng, 0.5) else None  # nothing pulls along the curve that bends down
    A, c = plain(X), np.zeros(d, LD) if b is None else b.astype(LD)

    def exact(x: Array) -> Exact:
        value = x @ (A @ x) / 2 - c @ x
        size = LD(np.abs(x) @ (np.abs(A) @ np.abs(x)) + np.abs(c) @ np.abs(x))
        return Exact(LD(value), size, size)

    return Model("quadratic", gh.quadratic(X, b), d, exact, f"quadratic(Q {d}x{d} {storage}, {how}, rank {rank})")


def factored(rng: Rng, d: int) -> Model:
    """½‖Fw‖² + ½Σ Dⱼwⱼ² − bᵀw: few factors or many, of any size, and a diagonal with zeros, one number, or none."""
    F, storage = stored(rng, matrix(rng, size(rng), d))
    top = float(np.abs(plain(F)).max(initial=0.0)) ** 2
    how = pick(rng, ("diagonal", "number", "none"), (6, 1, 2))
    D = rng.random(d) * (rng.random(d) < 0.8) * (top if chance(rng, 0.6) else scale(rng)) * float(10.0 ** rng.uniform(-6, 1))
    D = {"diagonal": D, "number": np.full(d, float(D.max())), "none": np.zeros(d)}[how]
    given: Any = {"diagonal": D, "number": float(D[0]), "none": None}[how]
    b = None if chance(rng, 0.2) else rng.standard_normal(d) * (top if chance(rng, 0.5) else scale(rng))
    A, E, c = plain(F).astype(LD), D.astype(LD), np.zeros(d, LD) if b is None else b.astype(LD)

    def exact(x: Array) -> Exact:
        z, reach = A @ x, np.abs(A) @ np.abs(x)
        value = (z @ z + E @ (x * x)) / 2 - c @ x
        terms = LD(reach @ reach + E @ (x * x) + np.abs(c) @ np.abs(x))
        return Exact(LD(value), terms, terms)

    words = f"quadratic(factors {A.shape[0]}x{d} {storage}, {how})"
    return Model("factored", gh.quadratic(given, b, factors=F), d, exact, words)


def black_box(rng: Rng, d: int) -> Model:
    """Squares or log Σ exp as two functions of an array, or as a mean of terms."""
    n = size(rng)
    X, y = matrix(rng, n, d), rng.standard_normal(n)
    terms = pick(rng, ("squares", "softmax", "sum"))
    A, target = X.astype(LD), y.astype(LD)
    if terms == "softmax":
        return _softmax(rng, X, A)
    formula, p = Formula(formulas.squared), np.full(n, LD(1) / n)

    def exact(x: Array) -> Exact:
        return formula.at(A @ x, np.abs(A) @ np.abs(x), target, p, False)

    L = float(np.linalg.norm(X, 2) ** 2) / n if chance(rng, 0.5) else None
    smoothness = L if L is None or L > 0 else None
    words = f"{'finite_sum' if terms == 'sum' else 'function'}(squares, {n}x{d}, smoothness={smoothness})"
    if chance(rng, 0.3):
        return _single(rng, Model("function in float32", None, d, exact, words, correctable=False), X, y)
    if terms == "sum":
        f: Any = gh.finite_sum(lambda w, i: 0.5 * float(((X[i] @ w - y[i]) ** 2).mean()),
                               lambda w, i: X[i].T @ (X[i] @ w - y[i]) / len(i), n, d, smoothness=smoothness)
    else:
        f = gh.function(lambda w: 0.5 * float(((X @ w - y) ** 2).mean()), lambda w: X.T @ (X @ w - y) / n, d,
                        smoothness=smoothness)
    own = 8.0 * EPS * (n + d + 16)
    return Model("finite_sum" if terms == "sum" else "function", f, d, exact, words, n if terms == "sum" else 0,
                 correctable=False, own=own)


def _single(rng: Rng, model: Model, X: Array, y: Array) -> Model:
    """The same squares, computed in float32; value or gradient may be cast before they are returned."""
    with np.errstate(all="ignore"):
        A, b, half = X.astype(np.float32), y.astype(np.float32), np.float32(0.5)
    cast = pick(rng, ("neither", "value", "gradient"))

    def value(w: Array) -> Any:
        with np.errstate(all="ignore"):  # float32 ends at 1e38
            r = A @ w.astype(np.float32) - b
            found = half * (r * r).mean(dtype=np.float32)
        return float(found) if cast == "value" else found

    def gradient(w: Array) -> Array:
        with np.errstate(all="ignore"):
            found = A.T @ (A @ w.astype(np.float32) - b) / np.float32(len(b))
        return found.astype(np.float64) if cast == "gradient" else found

    f = gh.function(value, gradient, model.d)
    return replace(model, f=f, words=f"{model.words} in float32, {cast} cast")


def _softmax(rng: Rng, X: Array, A: Array) -> Model:
    n, d = X.shape

    def value(w: Array) -> float:
        z = X @ w
        return float(np.log(np.exp(z - z.max()).sum()) + z.max())

    def gradient(w: Array) -> Array:
        z = X @ w
        e = np.exp(z - z.max())
        return np.asarray(X.T @ (e / e.sum()))

    def exact(x: Array) -> Exact:
        z = A @ x
        size = LD((np.abs(A) @ np.abs(x)).max() + np.abs(z).max() + 1)
        return Exact(LD(np.log(np.exp(z - z.max()).sum()) + z.max()), size, size)

    L = float(np.linalg.norm(X, 2) ** 2)
    smoothness = L if chance(rng, 0.5) and L > 0 else None
    f = gh.function(value, gradient, d, smoothness=smoothness)
    return Model("function", f, d, exact, f"function(softmax, {n}x{d}, smoothness={smoothness})", correctable=False,
                 own=8.0 * EPS * (n + d + 16))


def draw_model(rng: Rng, d: int, some: Array) -> Model:
    """Any of them; ``some`` are points of the set it is minimised over."""
    make = pick(rng, (None, log_likelihood, quadratic, factored, black_box), (6, 0.7, 1.4, 0.8, 1.3))
    return linear_model(rng, d, some) if make is None else make(rng, d)
