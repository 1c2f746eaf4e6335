"""The public objectives of vectors, from least_squares to quadratic, log_likelihood, log_det and function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import whole_shape
from greedyhull.errors import check
from greedyhull.kernels.core import public
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs.stored import design, in_place_of
from greedyhull.objectives.information import LogDet, TraceInverse
from greedyhull.objectives.losses.base import number, positive_number, shares
from greedyhull.objectives.losses.piecewise import Absolute, EpsilonInsensitive, Hinge, Quantile
from greedyhull.objectives.losses.smooth import Huber, Logistic, NegativeLog, Poisson, Power, Squared, SquaredHinge, levelled
from greedyhull.objectives.quadratic import FactoredForm, QuadraticForm
from greedyhull.objectives.ridge import composed, from_data, of_data
from greedyhull.points.aligned import alike, keep, labels_of, square
from greedyhull.types import Array, Shape


@from_data("X", "y", "sample_weight")
def least_squares(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Least squares, f(w) = 1/(2n) ‖Xw − y‖².

    {X, targets}
    {options}

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(3), np.array([2.0, 1.0, 0.0]))
    >>> f
    least_squares(n=3, d=3)
    >>> gh.minimize(f, gh.L1Ball(3, radius=1)).x
    array([1., 0., 0.])
    """
    return of_data("least_squares", Squared, X, y, sample_weight, intercept, l2)


@from_data("X", "y", "sample_weight")
def logistic(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Logistic loss, f(w) = mean log(1 + exp(−yᵢ xᵢ·w)).

    {X, labels}
    {options}

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.logistic(np.array([[1.0, 0.0], [0.0, 1.0]]), [1, 0])
    >>> gh.minimize(f, gh.L1Ball(2, radius=1)).x.round(4)
    array([ 0.5, -0.5])
    """
    return of_data("logistic", Logistic, X, y, sample_weight, intercept, l2)


@from_data("X", "y", "sample_weight")
def squared_hinge(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Squared hinge loss, f(w) = mean ½(1 − yᵢ xᵢ·w)₊².

    {X, labels}
    {options}

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.squared_hinge(np.array([[1.0, 0.0], [0.0, 1.0]]), [1, -1])
    >>> gh.minimize(f, gh.L1Ball(2, radius=1)).x.round(4)
    array([ 0.5, -0.5])
    """
    return of_data("squared_hinge", SquaredHinge, X, y, sample_weight, intercept, l2)


@from_data("X", "y", "sample_weight")
def huber(X: Any, y: Any, delta: float = 1.0, *, sample_weight: Any = None, intercept: bool = False,
          l2: float = 0.0) -> Composite:
    """Huber loss, the mean of ½r² for |r| ≤ delta and delta·|r| − ½delta² beyond, r = xᵢ·w − yᵢ.

    {X, targets}
    delta : float, default 1.0
        The residual beyond which the loss grows linearly. Make it smaller to reduce the influence of outliers.
    {options}

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.huber(np.ones((4, 1)), [0.0, 0.1, 0.2, 9.0], delta=0.5)
    >>> gh.minimize(f, gh.L1Ball(1, radius=5)).x.round(4)
    array([0.2667])
    """
    return of_data("huber", Huber, X, y, sample_weight, intercept, l2, positive_number(delta, "delta"))


@from_data("X", "y", "sample_weight")
def poisson(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Poisson loss, f(w) = mean e^{zᵢ} − yᵢzᵢ with z = Xw.

    Up to a constant it is the negative log-likelihood of counts whose means are exp(Xw).

    {X, counts}
    {options}

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.poisson(np.ones((3, 1)), [1, 2, 3])
    >>> gh.minimize(f, gh.L1Ball(1, radius=2)).x.round(4)      # log 2
    array([0.6931])
    """
    return of_data("poisson", Poisson, X, y, sample_weight, intercept, l2)


@from_data("X", "y", "sample_weight")
def lp_loss(X: Any, y: Any, p: float, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Power loss, f(w) = mean |xᵢ·w − yᵢ|^p / p.

    For p < 2 the curvature is infinite at residuals of zero, so no rate is promised; certificates hold all the same.

    {X, targets}
    p : float
        The exponent, larger than 1. For p = 1 use `absolute`.
    {options}

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.lp_loss(np.ones((2, 1)), [0.0, 1.0], p=4)
    >>> gh.minimize(f, gh.L1Ball(1, radius=1)).x.round(4)
    array([0.5])
    """
    check(1.0 < number(p, "p") < np.inf, f"p = {p!r} was given; p > 1 is wanted. For p = 1 the loss has no gradient at zero.")
    return of_data("lp_loss", Power, X, y, sample_weight, intercept, l2, float(p))


@from_data("X", "y", "sample_weight")
def hinge(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Hinge loss, f(w) = mean (1 − yᵢ xᵢ·w)₊.

    The loss has kinks, so `minimize` chooses `Smoothed`; `RegularizedStochasticFrankWolfe` works on minibatches.

    {X, labels}
    {options}

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.hinge(np.array([[1.0, 0.0], [0.0, 0.5]]), [1, -1])
    >>> s = gh.minimize(f, gh.L1Ball(2, radius=1), stop=gh.Gap(1e-9))
    >>> print(f"{s.value:.4f}")
    0.5000
    """
    return of_data("hinge", Hinge, X, y, sample_weight, intercept, l2)


@from_data("X", "y", "sample_weight")
def absolute(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Absolute loss, f(w) = mean |xᵢ·w − yᵢ|.

    The loss has kinks, so `minimize` chooses `Smoothed`; `RegularizedStochasticFrankWolfe` works on minibatches.

    {X, targets}
    {options}

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.absolute(np.ones((3, 1)), [0.0, 1.0, 9.0])
    >>> gh.minimize(f, gh.L1Ball(1, radius=5), stop=gh.Gap(1e-9)).x.round(4)      # the median
    array([1.])
    """
    return of_data("absolute", Absolute, X, y, sample_weight, intercept, l2)


@from_data("X", "y", "sample_weight")
def quantile(X: Any, y: Any, q: float, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Quantile loss, f(w) = mean max{q(yᵢ − zᵢ), (1 − q)(zᵢ − yᵢ)} with z = Xw.

    Its minimiser estimates the q-quantile of y given x. The loss has kinks, so `minimize` chooses `Smoothed`;
    `RegularizedStochasticFrankWolfe` works on minibatches.

    {X, targets}
    q : float
        The quantile, between 0 and 1; 0.5 is the median.
    {options}

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.quantile(np.ones((5, 1)), [0.0, 1.0, 2.0, 3.0, 4.0], q=0.7)
    >>> gh.minimize(f, gh.L1Ball(1, radius=5), stop=gh.Gap(1e-9)).x.round(4)
    array([3.])
    """
    check(0.0 < number(q, "q") < 1.0, f"q = {q!r} was given; a number between 0 and 1 is wanted, such as 0.5 for the median.")
    return of_data("quantile", Quantile, X, y, sample_weight, intercept, l2, float(q))


@from_data("X", "y", "sample_weight")
def epsilon_insensitive(X: Any, y: Any, epsilon: float, *, sample_weight: Any = None, intercept: bool = False,
                        l2: float = 0.0) -> Composite:
    """Epsilon-insensitive loss, f(w) = mean (|xᵢ·w − yᵢ| − epsilon)₊.

    The loss has kinks, so `minimize` chooses `Smoothed`; `RegularizedStochasticFrankWolfe` works on minibatches.

    {X, targets}
    epsilon : float
        Residuals up to this size cost nothing; at least 0.
    {options}

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.epsilon_insensitive(np.ones((2, 1)), [0.0, 1.0], epsilon=0.5)
    >>> gh.minimize(f, gh.L1Ball(1, radius=1), stop=gh.Gap(1e-9)).x.round(4)
    array([0.5])
    """
    check(0.0 <= number(epsilon, "epsilon") < np.inf, f"epsilon = {epsilon!r} was given; a number of at least 0 is wanted.")
    return of_data("epsilon_insensitive", EpsilonInsensitive, X, y, sample_weight, intercept, l2, float(epsilon))


@public
def quadratic(Q: Any = None, b: Any = None, *, scale: float | None = None, factors: Any = None) -> QuadraticForm:
    """Quadratic function, f(w) = ½wᵀQw − bᵀw.

    Parameters
    ----------
    Q : array_like, sparse matrix or linear operator of shape (d, d)
        Symmetric and positive semidefinite. With ``factors``, None or the d numbers of a diagonal.
    b : array_like of shape (d,), optional
        The linear part, zero by default.
    scale : float, optional
        A value of f that counts as large. `Relative` measures gaps by max(|value|, scale), so give it where the minimum may
        be zero.
    factors : array_like, sparse matrix or linear operator of shape (k, d), optional
        F of Q = FᵀF + diag(Q): a risk model with k factors, or a sample covariance. No d×d matrix is formed.

    Returns
    -------
    QuadraticForm
        The objective.

    Notes
    -----
    Q of up to 2000 rows (200 for an operator) is tested for semidefiniteness. A small negative eigenvalue, as rounding leaves
    it, is accounted for in every gap. That a larger Q is semidefinite is your promise, and the gap rests on it. With factors Q
    is semidefinite by its form.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> gh.minimize(gh.quadratic(np.diag([1.0, 3.0])), gh.Simplex(2)).x
    array([0.75, 0.25])
    >>> gh.minimize(gh.quadratic([0.0, 2.0], factors=[[1.0, 1.0]]), gh.Simplex(2)).x
    array([1., 0.])
    """
    check(Q is not None or factors is not None, "Q = None was given; a square matrix, or factors=F where Q is FᵀF, is wanted.")
    labels, (factors, Q, b) = alike(("factors", factors, -1), ("Q", Q, -1), ("b", b, -1))
    f = QuadraticForm(square(Q, "Q"), b, scale) if factors is None else FactoredForm(factors, Q, b, scale)
    keep(f, labels)
    return f


@from_data("P", "sample_weight", instead="It is infinite where a row has the likelihood 0, and its certificate asks of each "
           "row whether rounding alone keeps it from that; sums over shards do not tell. Give P as one matrix, or a sample of "
           "its rows.")
def log_likelihood(P: Any, *, sample_weight: Any = None, l2: float = 0.0) -> Composite:
    """Negative mean log-likelihood of a mixture, f(w) = −mean log (Pw)ᵢ.

    Over a `Simplex` its minimiser is the maximum-likelihood estimate of mixture weights, or the log-optimal portfolio. f is
    infinite where some (Pw)ᵢ is zero; runs start at the centre of the set and never step onto that boundary.

    Parameters
    ----------
    P : array_like, sparse matrix or linear operator of shape (n, d)
        Non-negative entries: the density of component j at sample i, or the price relative of asset j on day i. No row may
        be zero.
    {sample_weight}
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖w‖² to f; at least 0.

    {Returns}

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.log_likelihood(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> gh.minimize(f, gh.Simplex(2), stop=gh.Gap(1e-9)).x.round(4)
    array([0.6667, 0.3333])
    """
    A = design(P, "P")
    p = shares(sample_weight, A.n)
    taken = in_place_of(A, p)
    A = A if taken is None else A.rows(taken)
    low, largest = A.extremes() if A.stored else (np.zeros(A.n), A.matvec(np.ones(A.domain)))
    check(bool((low >= 0).all()), "P has negative entries; likelihoods (or price relatives) of at least 0 are wanted.")
    empty = int(np.count_nonzero((largest == 0.0) & (p > 0.0 if taken is not None else True)))
    check(empty == 0, f"{empty} rows of P are zero everywhere: no mixture gives them a positive likelihood, and the "
                      "objective is infinite. Drop those rows or widen the grid.")
    A, logs = levelled(A)
    return composed("log_likelihood", A, NegativeLog(logs, p), False, l2)


def log_det(X: Any) -> LogDet:
    """Criterion of D-optimal designs, f(w) = −log det Σ wᵢxᵢxᵢᵀ.

    Over a `Simplex` its minimiser says how often each candidate experiment is to be made, so that the confidence ellipsoid of
    the parameters has the least volume. f is infinite where the information matrix is singular; runs start inside.

    Parameters
    ----------
    X : array_like of shape (n, p)
        A candidate in each row. Together they must span all p directions.

    Returns
    -------
    objective
        The objective, a function of n weights.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> X = np.column_stack([np.ones(3), [-1.0, 0.0, 1.0]])       # a line, measured at three places
    >>> gh.minimize(gh.log_det(X), gh.Simplex(3), stop=gh.Gap(1e-9)).x.round(4)
    array([0.5, 0. , 0.5])
    """
    f = LogDet(X)
    keep(f, labels_of(X))
    return f


def trace_inverse(X: Any) -> TraceInverse:
    """Criterion of A-optimal designs, f(w) = tr (Σ wᵢxᵢxᵢᵀ)⁻¹.

    Over a `Simplex` its minimiser gives the parameters the least mean variance. f is infinite where the information matrix is
    singular; runs start inside.

    Parameters
    ----------
    X : array_like of shape (n, p)
        A candidate in each row. Together they must span all p directions.

    Returns
    -------
    objective
        The objective, a function of n weights.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> X = np.column_stack([np.ones(3), [-1.0, 0.0, 1.0]])
    >>> gh.minimize(gh.trace_inverse(X), gh.Simplex(3), stop=gh.Gap(1e-9)).x.round(4)
    array([0.5, 0. , 0.5])
    """
    f = TraceInverse(X)
    keep(f, labels_of(X))
    return f


@public
def function(value: Callable[[Array], float], gradient: Callable[[Array], Array], shape: Shape | int, *,
             smoothness: float | None = None, convex: bool = True, scale: float | None = None,
             hessian_product: Callable[[Array, Array], Array] | None = None) -> BlackBox:
    """Objective given by two functions, its value and its gradient.

    Parameters
    ----------
    value : callable
        ``value(w)`` returns f(w) for an array of the given shape. It is called on points of the hull only.
    gradient : callable
        ``gradient(w)`` returns ∇f(w), of the same shape. Certificates rest on it; ``minimize(..., check=True)`` tests it.
    shape : int or tuple of int
        The shape of w.
    smoothness : float, optional
        L, if ∇f is L-Lipschitz on the hull in the Euclidean norm. `Short` steps and the bounds of theory need it;
        certificates do not.
    convex : bool, default True
        False if f is not convex. Gaps then measure stationarity and do not bound the error.
    scale : float, optional
        A value of f that counts as large. `Relative` measures gaps by max(|value|, scale), so give it where the minimum may
        be zero.
    hessian_product : callable, optional
        ``hessian_product(w, v)`` returns ∇²f(w)v. With it `Corrective` reweights many atoms at once by Newton steps. No
        certificate rests on it.

    Returns
    -------
    BlackBox
        The objective.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.function(lambda w: 0.25 * (w**4).sum(), lambda w: w**3, 3, hessian_product=lambda w, v: 3 * w**2 * v)
    >>> gh.minimize(f, gh.Simplex(3), gh.Corrective(), stop=gh.Gap(1e-12)).x.round(6)
    array([0.333333, 0.333333, 0.333333])
    """
    return BlackBox(value, gradient, whole_shape(shape), smoothness, convex, scale, hessian_product)
