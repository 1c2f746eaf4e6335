"""Objectives without targets: quadratic(Q, b), log_likelihood(P), log_det(X), trace_inverse(X), function(...)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from greedyhull.atoms.arguments import whole_shape
from greedyhull.errors import check
from greedyhull.kernels.core import public
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs import design
from greedyhull.objectives.designs.stored import in_place_of
from greedyhull.objectives.information import LogDet, TraceInverse
from greedyhull.objectives.losses.smooth import NegativeLog, levelled
from greedyhull.objectives.quadratic import FactoredForm, QuadraticForm
from greedyhull.objectives.ridge import model, over_shards, shares_of
from greedyhull.points.aligned import alike, by_label, keep, labels_of, square
from greedyhull.types import Array, Shape


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

    See Also
    --------
    least_squares : ½wᵀXᵀXw/n without forming XᵀX.

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


@over_shards(instead="It is infinite where a row has the likelihood 0, and its certificate asks of each row whether rounding "
                     "alone keeps it from that; sums over shards do not tell. Give P as one matrix, or a sample of its rows.")


@by_label("P", "sample_weight")
@public
def log_likelihood(P: Any, *, sample_weight: Any = None, l2: float = 0.0) -> Composite:
    """Negative mean log-likelihood of a mixture, f(w) = −mean log (Pw)ᵢ.

    Over a `Simplex` its minimiser is the maximum-likelihood estimate of mixture weights, or the log-optimal portfolio. f is
    infinite where some (Pw)ᵢ is zero; runs start at the centre of the set and never step onto that boundary.

    Parameters
    ----------
    P : array_like, sparse matrix or linear operator of shape (n, d)
        Non-negative entries: the density of component j at sample i, or the price relative of asset j on day i. No row may
        be zero.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights sᵢ; the mean becomes Σ sᵢℓᵢ / Σ sᵢ. All samples count alike by default.
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖w‖² to f; at least 0.

    Returns
    -------
    Composite
        The objective.

    See Also
    --------
    poisson : For counts whose means depend on features.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.log_likelihood(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> gh.minimize(f, gh.Simplex(2), stop=gh.Gap(1e-9)).x.round(4)
    array([0.6667, 0.3333])
    """
    A = design(P, "P")
    p = shares_of(A, sample_weight)
    taken = in_place_of(A, p)
    A = A if taken is None else A.rows(taken)
    low, largest = A.extremes() if A.stored else (np.zeros(A.n), A.matvec(np.ones(A.domain)))
    check(bool((low >= 0).all()), "P has negative entries; likelihoods (or price relatives) of at least 0 are wanted.")
    empty = int(np.count_nonzero((largest == 0.0) & (p > 0.0 if taken is not None else True)))
    check(empty == 0, f"{empty} rows of P are zero everywhere: no mixture gives them a positive likelihood, and the "
                      "objective is infinite. Drop those rows or widen the grid.")
    A, logs = levelled(A)
    return model(A, NegativeLog(logs, p), False, "log_likelihood", l2)


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

    See Also
    --------
    trace_inverse : The criterion of A-optimal designs.

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

    See Also
    --------
    log_det : The criterion of D-optimal designs.

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

    See Also
    --------
    finite_sum : A mean of n terms, for stochastic solvers.
    expectation : An expectation that can only be sampled.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.function(lambda w: 0.25 * (w**4).sum(), lambda w: w**3, 3, hessian_product=lambda w, v: 3 * w**2 * v)
    >>> gh.minimize(f, gh.Simplex(3), gh.Corrective(), stop=gh.Gap(1e-12)).x.round(6)
    array([0.333333, 0.333333, 0.333333])
    """
    return BlackBox(value, gradient, whole_shape(shape), smoothness, convex, scale, hessian_product)
