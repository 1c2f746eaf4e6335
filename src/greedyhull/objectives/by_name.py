"""The objectives by name: least_squares(X, y), logistic(X, y), quadratic(Q, b), log_likelihood(P), function(...)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import whole_shape
from greedyhull.errors import check
from greedyhull.errors.hints import hinting
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs import design
from greedyhull.objectives.designs.counted import in_place_of
from greedyhull.objectives.losses.absolute import Absolute
from greedyhull.objectives.losses.base import Separable, shares, signs, vector
from greedyhull.objectives.losses.epsilon_insensitive import EpsilonInsensitive
from greedyhull.objectives.losses.hinge import Hinge
from greedyhull.objectives.losses.huber import Huber
from greedyhull.objectives.losses.logistic import Logistic
from greedyhull.objectives.losses.negative_log import NegativeLog, levelled
from greedyhull.objectives.losses.poisson import Poisson
from greedyhull.objectives.losses.power import Power
from greedyhull.objectives.losses.quantile import Quantile
from greedyhull.objectives.losses.squared import Squared
from greedyhull.objectives.losses.squared_hinge import SquaredHinge
from greedyhull.objectives.quadratic import QuadraticForm
from greedyhull.types import Array, Design, Shape
from greedyhull.types.kinds import stored


@hinting
def least_squares(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False) -> Composite:
    """f(w) = 1/(2n) ‖Xw − y‖²; X dense, CSR or CSC.

    >>> least_squares(np.eye(3), np.ones(3))
    least_squares(n=3, d=3)
    """
    A = design(X)
    return _model(A, Squared(_targets(A, y), _shares(A, sample_weight)), intercept, "least_squares")


@hinting
def logistic(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False) -> Composite:
    """f(w) = mean log(1 + exp(−yᵢ xᵢ·w)) with labels −1/+1 or 0/1."""
    A = design(X)
    p = _shares(A, sample_weight)
    return _model(A, Logistic(_labels(A, y, p, intercept), p), intercept, "logistic")


@hinting
def squared_hinge(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False) -> Composite:
    """f(w) = mean ½(1 − yᵢ xᵢ·w)₊² with labels −1/+1 or 0/1."""
    A = design(X)
    p = _shares(A, sample_weight)
    return _model(A, SquaredHinge(_labels(A, y, p, intercept), p), intercept, "squared_hinge")


@hinting
def huber(X: Any, y: Any, delta: float = 1.0, *, sample_weight: Any = None, intercept: bool = False) -> Composite:
    """f(w) = mean of ½r² for |r| ≤ delta and delta·|r| − ½delta² beyond, r = xᵢ·w − yᵢ."""
    check(0.0 < _number(delta, "delta") < np.inf, f"delta = {delta!r} was given; a positive number is wanted.")
    A = design(X)
    return _model(A, Huber(_targets(A, y), _shares(A, sample_weight), float(delta)), intercept, "huber")


@hinting
def poisson(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False) -> Composite:
    """f(w) = mean e^{zᵢ} − yᵢzᵢ with z = Xw and counts y ≥ 0."""
    A = design(X)
    counts, p = _targets(A, y), _shares(A, sample_weight)
    check(bool((counts >= 0).all()), "y has negative entries; a Poisson model wants counts, y ≥ 0.")
    check(not intercept or float((p * counts).sum()) > 0, "All counts are zero: the best intercept is −∞. "
                                                          "Leave the intercept out.")
    return _model(A, Poisson(counts, p), intercept, "poisson")


@hinting
def lp_loss(X: Any, y: Any, p: float, *, sample_weight: Any = None, intercept: bool = False) -> Composite:
    """f(w) = mean |xᵢ·w − yᵢ|^p / p with p > 1; for p < 2 its curvature is infinite, so no rate is promised."""
    check(1.0 < _number(p, "p") < np.inf, f"p = {p!r} was given; p > 1 is wanted. For p = 1 the loss has no gradient at zero.")
    A = design(X)
    return _model(A, Power(_targets(A, y), _shares(A, sample_weight), float(p)), intercept, "lp_loss")


@hinting
def hinge(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False) -> Composite:
    """f(w) = mean (1 − yᵢ xᵢ·w)₊ with labels −1/+1 or 0/1; it has kinks: `Smoothed` minimises it."""
    A = design(X)
    p = _shares(A, sample_weight)
    return _model(A, Hinge(_labels(A, y, p, intercept), p), intercept, "hinge")


@hinting
def absolute(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False) -> Composite:
    """f(w) = mean |xᵢ·w − yᵢ|; it has kinks: `Smoothed` minimises it."""
    A = design(X)
    return _model(A, Absolute(_targets(A, y), _shares(A, sample_weight)), intercept, "absolute")


@hinting
def quantile(X: Any, y: Any, q: float, *, sample_weight: Any = None, intercept: bool = False) -> Composite:
    """f(w) = mean max{q(yᵢ − zᵢ), (1 − q)(zᵢ − yᵢ)} with z = Xw: the q-quantile of y given x; it has kinks."""
    check(0.0 < _number(q, "q") < 1.0, f"q = {q!r} was given; a number between 0 and 1 is wanted, such as 0.5 for the median.")
    A = design(X)
    return _model(A, Quantile(_targets(A, y), _shares(A, sample_weight), float(q)), intercept, "quantile")


@hinting
def epsilon_insensitive(X: Any, y: Any, epsilon: float, *, sample_weight: Any = None, intercept: bool = False) -> Composite:
    """f(w) = mean (|xᵢ·w − yᵢ| − epsilon)₊; it has kinks: `Smoothed` minimises it."""
    check(0.0 <= _number(epsilon, "epsilon") < np.inf, f"epsilon = {epsilon!r} was given; a number of at least 0 is wanted.")
    A = design(X)
    loss = EpsilonInsensitive(_targets(A, y), _shares(A, sample_weight), float(epsilon))
    return _model(A, loss, intercept, "epsilon_insensitive")


@hinting
def quadratic(Q: Any, b: Any = None, *, scale: float | None = None) -> QuadraticForm:
    """f(w) = ½wᵀQw − bᵀw, Q symmetric positive semidefinite: dense, sparse or a linear operator.

    Q of up to 2000 rows (200 for an operator) is tested; what its least eigenvalue is below zero counts in every gap. That a
    larger one is semidefinite is a promise of yours, on which the gap rests.
    ``scale`` is a value of f that counts as large: what `Relative` takes where values go to zero.
    """
    return QuadraticForm(Q, b, scale)


@hinting
def log_likelihood(P: Any, *, sample_weight: Any = None) -> Composite:
    """f(w) = −mean log (Pw)ᵢ with P ≥ 0: mixtures (Pᵢⱼ the density of component j at sample i), log-optimal portfolios."""
    A = design(P)
    p = _shares(A, sample_weight)
    taken = in_place_of(A, p)
    A = A if taken is None else A.rows(taken)
    known = stored(A)
    low, largest = (np.zeros(A.n), A.matvec(np.ones(A.domain))) if known is None else known.extremes()
    check(bool((low >= 0).all()), "P has negative entries; likelihoods (or price relatives) of at least 0 are wanted.")
    empty = int(np.count_nonzero((largest == 0.0) & (p > 0.0 if taken is not None else True)))
    check(empty == 0, f"{empty} rows of P are zero everywhere: no mixture gives them a positive likelihood, and the "
                      "objective is infinite. Drop those rows or widen the grid.")
    A, logs = levelled(A)
    return _model(A, NegativeLog(logs, p), False, "log_likelihood")


@hinting
def function(value: Callable[[Array], float], gradient: Callable[[Array], Array], shape: Shape | int, *,
             smoothness: float | None = None, convex: bool = True, scale: float | None = None,
             hessian_product: Callable[[Array, Array], Array] | None = None) -> BlackBox:
    """A black box: value(w) and gradient(w) on arrays of that shape; ``smoothness`` L if ∇f is L-Lipschitz.

    ``convex=False`` says that it is not convex; its gaps are then measures of stationarity and bound no error.
    ``scale`` is a value of f that counts as large: what `Relative` takes where values go to zero.
    ``hessian_product(w, v)`` is ∇²f(w)v: with it `Corrective` reweights many atoms at once, by Newton steps. It steers, and
    no certificate rests on it.

    >>> f = function(lambda w: 0.25 * (w**4).sum(), lambda w: w**3, 3, hessian_product=lambda w, v: 3 * w**2 * v)
    >>> import greedyhull as gh
    >>> gh.minimize(f, gh.Simplex(3), gh.Corrective(), stop=gh.Gap(1e-12)).point.array().round(6)
    array([0.333333, 0.333333, 0.333333])
    """
    return BlackBox(value, gradient, whole_shape(shape), smoothness, convex, scale, hessian_product)


def _model(A: Design, exact: Separable, intercept: bool, name: str) -> Composite:
    """φ∘A; where the data are float32, the loss is kept in float64 too, for the certificate."""
    taken = in_place_of(A, exact.p, exact.y)
    if taken is not None:
        A, exact.y = A.rows(taken), exact.y[taken]
    with np.errstate(over="ignore"):
        loss = exact.cast(A.dtype)
    check(bool(np.isfinite(loss.y).all()), lambda: f"y has entries of up to {np.abs(exact.y).max():.3g}, too large for "
          "float32, in which X is given. Give X in float64, or scale y down.")
    if intercept:
        return Composite(A, loss.profiled(), name, exact.profiled())
    return Composite(A, loss, name, exact)


def _number(value: Any, name: str) -> float:
    array = np.asarray(value)
    check(array.ndim == 0 and array.dtype.kind in "biuf", f"{name} = {value!r} was given; a number is wanted.")
    return float(array)


def _targets(A: Design, y: Any) -> Array:
    return vector(y, A.n, "y")


def _labels(A: Design, y: Any, p: Array | float, intercept: bool) -> Array:
    labels = signs(y, A.n)
    seen = labels if isinstance(p, float) else labels[p > 0.0]
    check(not intercept or len(np.unique(seen)) == 2, "y holds one class only: the best intercept is infinite. "
          "Give samples of both classes, with positive weight, or leave the intercept out.")
    return labels


def _shares(A: Design, sample_weight: Any) -> Array | float:
    return shares(sample_weight, A.n)
