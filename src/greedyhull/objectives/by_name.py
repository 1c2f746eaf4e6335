"""The public objectives with targets: least_squares, logistic, hinge and the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np

from greedyhull.errors import check
from greedyhull.kernels.core import public
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs import design
from greedyhull.objectives.losses.base import number, positive_number
from greedyhull.objectives.losses.piecewise import Absolute, EpsilonInsensitive, Hinge, Quantile
from greedyhull.objectives.losses.smooth import Huber, Logistic, Poisson, Power, Squared, SquaredHinge
from greedyhull.objectives.ridge import labels, model, over_shards, shares_of, targets
from greedyhull.objectives.without_targets import function, log_det, log_likelihood, quadratic, trace_inverse
from greedyhull.points.aligned import by_label
from greedyhull.types import Shards

if TYPE_CHECKING:
    from greedyhull.remote.model import ShardedModel


@overload
def least_squares(X: Shards, *, intercept: bool = False, l2: float = 0.0) -> ShardedModel: ...
@overload
def least_squares(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite: ...
@over_shards()
@by_label("X", "y", "sample_weight")
@public
def least_squares(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Least squares, f(w) = 1/(2n) ‖Xw − y‖².

    Parameters
    ----------
    X : array_like, sparse matrix or linear operator of shape (n, d)
        One row for each sample. float32 data are iterated in float32 and certified in float64.
    y : array_like of shape (n,)
        Targets.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights sᵢ; the mean becomes Σ sᵢℓᵢ / Σ sᵢ. All samples count alike by default.
    intercept : bool, default False
        Whether to add a free constant to Xw. It is found exactly for every w, is not a coordinate of w, and is returned as
        `Solution.intercept`.
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖w‖² to f; at least 0. The intercept is not penalised.

    Returns
    -------
    Composite
        The objective.

    See Also
    --------
    huber : Less sensitive to outliers.
    quadratic : For a given matrix Q in place of the data.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.least_squares(np.eye(3), np.array([2.0, 1.0, 0.0]))
    >>> f
    least_squares(n=3, d=3)
    >>> gh.minimize(f, gh.L1Ball(3, radius=1)).x
    array([1., 0., 0.])
    """
    A = design(X)
    return model(A, Squared(targets(A, y), shares_of(A, sample_weight)), intercept, "least_squares", l2)


@overload
def logistic(X: Shards, *, intercept: bool = False, l2: float = 0.0) -> ShardedModel: ...
@overload
def logistic(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite: ...
@over_shards("labels")
@by_label("X", "y", "sample_weight")
@public
def logistic(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Logistic loss, f(w) = mean log(1 + exp(−yᵢ xᵢ·w)).

    Parameters
    ----------
    X : array_like, sparse matrix or linear operator of shape (n, d)
        One row for each sample. float32 data are iterated in float32 and certified in float64.
    y : array_like of shape (n,)
        Labels, −1 and +1 or 0 and 1.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights sᵢ; the mean becomes Σ sᵢℓᵢ / Σ sᵢ. All samples count alike by default.
    intercept : bool, default False
        Whether to add a free constant to Xw. It is found exactly for every w, is not a coordinate of w, and is returned as
        `Solution.intercept`.
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖w‖² to f; at least 0. The intercept is not penalised.

    Returns
    -------
    Composite
        The objective.

    See Also
    --------
    squared_hinge : A smooth loss that is zero beyond the margin.
    hinge : The loss of support vector machines.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.logistic(np.array([[1.0, 0.0], [0.0, 1.0]]), [1, 0])
    >>> gh.minimize(f, gh.L1Ball(2, radius=1)).x.round(4)
    array([ 0.5, -0.5])
    """
    A = design(X)
    p = shares_of(A, sample_weight)
    return model(A, Logistic(labels(A, y, p, intercept), p), intercept, "logistic", l2)


@overload
def squared_hinge(X: Shards, *, intercept: bool = False, l2: float = 0.0) -> ShardedModel: ...
@overload
def squared_hinge(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite: ...
@over_shards("labels")
@by_label("X", "y", "sample_weight")
@public
def squared_hinge(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Squared hinge loss, f(w) = mean ½(1 − yᵢ xᵢ·w)₊².

    Parameters
    ----------
    X : array_like, sparse matrix or linear operator of shape (n, d)
        One row for each sample. float32 data are iterated in float32 and certified in float64.
    y : array_like of shape (n,)
        Labels, −1 and +1 or 0 and 1.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights sᵢ; the mean becomes Σ sᵢℓᵢ / Σ sᵢ. All samples count alike by default.
    intercept : bool, default False
        Whether to add a free constant to Xw. It is found exactly for every w, is not a coordinate of w, and is returned as
        `Solution.intercept`.
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖w‖² to f; at least 0. The intercept is not penalised.

    Returns
    -------
    Composite
        The objective.

    See Also
    --------
    hinge : Without the square; not smooth.
    logistic : Gives probabilities.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.squared_hinge(np.array([[1.0, 0.0], [0.0, 1.0]]), [1, -1])
    >>> gh.minimize(f, gh.L1Ball(2, radius=1)).x.round(4)
    array([ 0.5, -0.5])
    """
    A = design(X)
    p = shares_of(A, sample_weight)
    return model(A, SquaredHinge(labels(A, y, p, intercept), p), intercept, "squared_hinge", l2)


@overload
def huber(X: Shards, *, delta: float = 1.0, intercept: bool = False, l2: float = 0.0) -> ShardedModel: ...
@overload
def huber(X: Any, y: Any, delta: float = 1.0, *, sample_weight: Any = None,
          intercept: bool = False, l2: float = 0.0) -> Composite: ...
@over_shards(numbers=("delta",))
@by_label("X", "y", "sample_weight")
@public
def huber(X: Any, y: Any, delta: float = 1.0, *, sample_weight: Any = None, intercept: bool = False,
          l2: float = 0.0) -> Composite:
    """Huber loss, the mean of ½r² for |r| ≤ delta and delta·|r| − ½delta² beyond, r = xᵢ·w − yᵢ.

    Parameters
    ----------
    X : array_like, sparse matrix or linear operator of shape (n, d)
        One row for each sample. float32 data are iterated in float32 and certified in float64.
    y : array_like of shape (n,)
        Targets.
    delta : float, default 1.0
        The residual beyond which the loss grows linearly. Make it smaller to reduce the influence of outliers.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights sᵢ; the mean becomes Σ sᵢℓᵢ / Σ sᵢ. All samples count alike by default.
    intercept : bool, default False
        Whether to add a free constant to Xw. It is found exactly for every w, is not a coordinate of w, and is returned as
        `Solution.intercept`.
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖w‖² to f; at least 0. The intercept is not penalised.

    Returns
    -------
    Composite
        The objective.

    See Also
    --------
    least_squares : The limit for large delta.
    absolute : Up to a factor, the limit for small delta.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.huber(np.ones((4, 1)), [0.0, 0.1, 0.2, 9.0], delta=0.5)
    >>> gh.minimize(f, gh.L1Ball(1, radius=5)).x.round(4)
    array([0.2667])
    """
    delta = positive_number(delta, "delta")
    A = design(X)
    return model(A, Huber(targets(A, y), shares_of(A, sample_weight), float(delta)), intercept, "huber", l2)


@overload
def poisson(X: Shards, *, intercept: bool = False, l2: float = 0.0) -> ShardedModel: ...
@overload
def poisson(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite: ...
@over_shards("counts")
@by_label("X", "y", "sample_weight")
@public
def poisson(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Poisson loss, f(w) = mean e^{zᵢ} − yᵢzᵢ with z = Xw.

    Up to a constant it is the negative log-likelihood of counts whose means are exp(Xw).

    Parameters
    ----------
    X : array_like, sparse matrix or linear operator of shape (n, d)
        One row for each sample. float32 data are iterated in float32 and certified in float64.
    y : array_like of shape (n,)
        Counts, at least 0.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights sᵢ; the mean becomes Σ sᵢℓᵢ / Σ sᵢ. All samples count alike by default.
    intercept : bool, default False
        Whether to add a free constant to Xw. It is found exactly for every w, is not a coordinate of w, and is returned as
        `Solution.intercept`.
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖w‖² to f; at least 0. The intercept is not penalised.

    Returns
    -------
    Composite
        The objective.

    See Also
    --------
    log_likelihood : For mixtures of given densities.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.poisson(np.ones((3, 1)), [1, 2, 3])
    >>> gh.minimize(f, gh.L1Ball(1, radius=2)).x.round(4)      # log 2
    array([0.6931])
    """
    A = design(X)
    counts, p = targets(A, y), shares_of(A, sample_weight)
    check(bool((counts >= 0).all()), "y has negative entries; a Poisson model wants counts, y ≥ 0.")
    check(not intercept or float((p * counts).sum()) > 0, "All counts are zero: the best intercept is −∞. "
                                                          "Leave the intercept out.")
    return model(A, Poisson(counts, p), intercept, "poisson", l2)


@overload
def lp_loss(X: Shards, *, p: float, intercept: bool = False, l2: float = 0.0) -> ShardedModel: ...
@overload
def lp_loss(X: Any, y: Any, p: float, *, sample_weight: Any = None,
            intercept: bool = False, l2: float = 0.0) -> Composite: ...
@over_shards(numbers=("power",))
@by_label("X", "y", "sample_weight")
@public
def lp_loss(X: Any, y: Any, p: float, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Power loss, f(w) = mean |xᵢ·w − yᵢ|^p / p.

    For p < 2 the curvature is infinite at residuals of zero, so no rate is promised; certificates hold all the same.

    Parameters
    ----------
    X : array_like, sparse matrix or linear operator of shape (n, d)
        One row for each sample. float32 data are iterated in float32 and certified in float64.
    y : array_like of shape (n,)
        Targets.
    p : float
        The exponent, larger than 1. For p = 1 use `absolute`.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights sᵢ; the mean becomes Σ sᵢℓᵢ / Σ sᵢ. All samples count alike by default.
    intercept : bool, default False
        Whether to add a free constant to Xw. It is found exactly for every w, is not a coordinate of w, and is returned as
        `Solution.intercept`.
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖w‖² to f; at least 0. The intercept is not penalised.

    Returns
    -------
    Composite
        The objective.

    See Also
    --------
    least_squares : The case p = 2.
    absolute : The case p = 1.
    huber : Robust and of finite curvature.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.lp_loss(np.ones((2, 1)), [0.0, 1.0], p=4)
    >>> gh.minimize(f, gh.L1Ball(1, radius=1)).x.round(4)
    array([0.5])
    """
    check(1.0 < number(p, "p") < np.inf, f"p = {p!r} was given; p > 1 is wanted. For p = 1 the loss has no gradient at zero.")
    A = design(X)
    return model(A, Power(targets(A, y), shares_of(A, sample_weight), float(p)), intercept, "lp_loss", l2)


@over_shards("labels")
@by_label("X", "y", "sample_weight")
@public
def hinge(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Hinge loss, f(w) = mean (1 − yᵢ xᵢ·w)₊.

    The loss has kinks, so `minimize` chooses `Smoothed`; `RegularizedStochasticFrankWolfe` works on minibatches.

    Parameters
    ----------
    X : array_like, sparse matrix or linear operator of shape (n, d)
        One row for each sample. float32 data are iterated in float32 and certified in float64.
    y : array_like of shape (n,)
        Labels, −1 and +1 or 0 and 1.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights sᵢ; the mean becomes Σ sᵢℓᵢ / Σ sᵢ. All samples count alike by default.
    intercept : bool, default False
        Whether to add a free constant to Xw. It is found exactly for every w, is not a coordinate of w, and is returned as
        `Solution.intercept`.
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖w‖² to f; at least 0. The intercept is not penalised.

    Returns
    -------
    Composite
        The objective.

    See Also
    --------
    squared_hinge : A smooth variant.
    logistic : Smooth, and gives probabilities.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.hinge(np.array([[1.0, 0.0], [0.0, 0.5]]), [1, -1])
    >>> s = gh.minimize(f, gh.L1Ball(2, radius=1), stop=gh.Gap(1e-9))
    >>> print(f"{s.value:.4f}")
    0.5000
    """
    A = design(X)
    p = shares_of(A, sample_weight)
    return model(A, Hinge(labels(A, y, p, intercept), p), intercept, "hinge", l2)


@over_shards()
@by_label("X", "y", "sample_weight")
@public
def absolute(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Absolute loss, f(w) = mean |xᵢ·w − yᵢ|.

    The loss has kinks, so `minimize` chooses `Smoothed`; `RegularizedStochasticFrankWolfe` works on minibatches.

    Parameters
    ----------
    X : array_like, sparse matrix or linear operator of shape (n, d)
        One row for each sample. float32 data are iterated in float32 and certified in float64.
    y : array_like of shape (n,)
        Targets.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights sᵢ; the mean becomes Σ sᵢℓᵢ / Σ sᵢ. All samples count alike by default.
    intercept : bool, default False
        Whether to add a free constant to Xw. It is found exactly for every w, is not a coordinate of w, and is returned as
        `Solution.intercept`.
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖w‖² to f; at least 0. The intercept is not penalised.

    Returns
    -------
    Composite
        The objective.

    See Also
    --------
    quantile : Other quantiles than the median.
    huber : Smooth and robust.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.absolute(np.ones((3, 1)), [0.0, 1.0, 9.0])
    >>> gh.minimize(f, gh.L1Ball(1, radius=5), stop=gh.Gap(1e-9)).x.round(4)      # the median
    array([1.])
    """
    A = design(X)
    return model(A, Absolute(targets(A, y), shares_of(A, sample_weight)), intercept, "absolute", l2)


@over_shards(numbers=("q",))
@by_label("X", "y", "sample_weight")
@public
def quantile(X: Any, y: Any, q: float, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite:
    """Quantile loss, f(w) = mean max{q(yᵢ − zᵢ), (1 − q)(zᵢ − yᵢ)} with z = Xw.

    Its minimiser estimates the q-quantile of y given x. The loss has kinks, so `minimize` chooses `Smoothed`;
    `RegularizedStochasticFrankWolfe` works on minibatches.

    Parameters
    ----------
    X : array_like, sparse matrix or linear operator of shape (n, d)
        One row for each sample. float32 data are iterated in float32 and certified in float64.
    y : array_like of shape (n,)
        Targets.
    q : float
        The quantile, between 0 and 1; 0.5 is the median.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights sᵢ; the mean becomes Σ sᵢℓᵢ / Σ sᵢ. All samples count alike by default.
    intercept : bool, default False
        Whether to add a free constant to Xw. It is found exactly for every w, is not a coordinate of w, and is returned as
        `Solution.intercept`.
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖w‖² to f; at least 0. The intercept is not penalised.

    Returns
    -------
    Composite
        The objective.

    See Also
    --------
    absolute : Twice the loss for q = 0.5.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.quantile(np.ones((5, 1)), [0.0, 1.0, 2.0, 3.0, 4.0], q=0.7)
    >>> gh.minimize(f, gh.L1Ball(1, radius=5), stop=gh.Gap(1e-9)).x.round(4)
    array([3.])
    """
    check(0.0 < number(q, "q") < 1.0, f"q = {q!r} was given; a number between 0 and 1 is wanted, such as 0.5 for the median.")
    A = design(X)
    return model(A, Quantile(targets(A, y), shares_of(A, sample_weight), float(q)), intercept, "quantile", l2)


@over_shards(numbers=("epsilon",))
@by_label("X", "y", "sample_weight")
@public
def epsilon_insensitive(X: Any, y: Any, epsilon: float, *, sample_weight: Any = None, intercept: bool = False,
                        l2: float = 0.0) -> Composite:
    """Epsilon-insensitive loss, f(w) = mean (|xᵢ·w − yᵢ| − epsilon)₊.

    The loss has kinks, so `minimize` chooses `Smoothed`; `RegularizedStochasticFrankWolfe` works on minibatches.

    Parameters
    ----------
    X : array_like, sparse matrix or linear operator of shape (n, d)
        One row for each sample. float32 data are iterated in float32 and certified in float64.
    y : array_like of shape (n,)
        Targets.
    epsilon : float
        Residuals up to this size cost nothing; at least 0.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights sᵢ; the mean becomes Σ sᵢℓᵢ / Σ sᵢ. All samples count alike by default.
    intercept : bool, default False
        Whether to add a free constant to Xw. It is found exactly for every w, is not a coordinate of w, and is returned as
        `Solution.intercept`.
    l2 : float, default 0.0
        Adds the ridge (l2/2)‖w‖² to f; at least 0. The intercept is not penalised.

    Returns
    -------
    Composite
        The objective.

    See Also
    --------
    absolute : The case epsilon = 0.
    huber : Smooth, and quadratic near zero.

    Examples
    --------
    >>> import numpy as np, greedyhull as gh
    >>> f = gh.epsilon_insensitive(np.ones((2, 1)), [0.0, 1.0], epsilon=0.5)
    >>> gh.minimize(f, gh.L1Ball(1, radius=1), stop=gh.Gap(1e-9)).x.round(4)
    array([0.5])
    """
    check(0.0 <= number(epsilon, "epsilon") < np.inf, f"epsilon = {epsilon!r} was given; a number of at least 0 is wanted.")
    A = design(X)
    loss = EpsilonInsensitive(targets(A, y), shares_of(A, sample_weight), float(epsilon))
    return model(A, loss, intercept, "epsilon_insensitive", l2)


__all__ = [
    "absolute", "epsilon_insensitive", "function", "hinge", "huber", "least_squares", "log_det",
    "log_likelihood", "logistic", "lp_loss", "poisson", "quadratic", "quantile", "squared_hinge",
    "trace_inverse",
]
