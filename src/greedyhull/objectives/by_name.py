"""The objectives by name: least_squares(X, y), logistic(X, y), quadratic(Q, b), log_likelihood(P), function(...)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from greedyhull.atoms.arguments import whole_shape
from greedyhull.errors import check
from greedyhull.errors.hints import hinting
from greedyhull.objectives.black_box import BlackBox
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs import design
from greedyhull.objectives.designs.counted import in_place_of
from greedyhull.objectives.factored import FactoredForm
from greedyhull.objectives.information import LogDet, TraceInverse
from greedyhull.objectives.losses.absolute import Absolute
from greedyhull.objectives.losses.base import Separable, number, positive_number, shares, signs, vector
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
from greedyhull.objectives.ridged import with_ridge
from greedyhull.objectives.sharded.by_name import over_shards
from greedyhull.types import Array, Design, Shape, Shards
from greedyhull.types.kinds import stored

if TYPE_CHECKING:
    from greedyhull.objectives.sharded.model import ShardedModel


@overload
def least_squares(X: Shards, *, intercept: bool = False, l2: float = 0.0) -> ShardedModel: ...
@overload
def least_squares(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite: ...
@over_shards()
@hinting
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
    return _model(A, Squared(_targets(A, y), _shares(A, sample_weight)), intercept, "least_squares", l2)


@overload
def logistic(X: Shards, *, intercept: bool = False, l2: float = 0.0) -> ShardedModel: ...
@overload
def logistic(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite: ...
@over_shards("labels")
@hinting
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
    p = _shares(A, sample_weight)
    return _model(A, Logistic(_labels(A, y, p, intercept), p), intercept, "logistic", l2)


@overload
def squared_hinge(X: Shards, *, intercept: bool = False, l2: float = 0.0) -> ShardedModel: ...
@overload
def squared_hinge(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite: ...
@over_shards("labels")
@hinting
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
    p = _shares(A, sample_weight)
    return _model(A, SquaredHinge(_labels(A, y, p, intercept), p), intercept, "squared_hinge", l2)


@overload
def huber(X: Shards, *, delta: float = 1.0, intercept: bool = False, l2: float = 0.0) -> ShardedModel: ...
@overload
def huber(X: Any, y: Any, delta: float = 1.0, *, sample_weight: Any = None,
          intercept: bool = False, l2: float = 0.0) -> Composite: ...
@over_shards(numbers=("delta",))
@hinting
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
    return _model(A, Huber(_targets(A, y), _shares(A, sample_weight), float(delta)), intercept, "huber", l2)


@overload
def poisson(X: Shards, *, intercept: bool = False, l2: float = 0.0) -> ShardedModel: ...
@overload
def poisson(X: Any, y: Any, *, sample_weight: Any = None, intercept: bool = False, l2: float = 0.0) -> Composite: ...
@over_shards("counts")
@hinting
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
    counts, p = _targets(A, y), _shares(A, sample_weight)
    check(bool((counts >= 0).all()), "y has negative entries; a Poisson model wants counts, y ≥ 0.")
    check(not intercept or float((p * counts).sum()) > 0, "All counts are zero: the best intercept is −∞. "
                                                          "Leave the intercept out.")
    return _model(A, Poisson(counts, p), intercept, "poisson", l2)


@overload
def lp_loss(X: Shards, *, p: float, intercept: bool = False, l2: float = 0.0) -> ShardedModel: ...
@overload
def lp_loss(X: Any, y: Any, p: float, *, sample_weight: Any = None,
            intercept: bool = False, l2: float = 0.0) -> Composite: ...
@over_shards(numbers=("power",))
@hinting
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
    return _model(A, Power(_targets(A, y), _shares(A, sample_weight), float(p)), intercept, "lp_loss", l2)


@over_shards("labels")
@hinting
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
    p = _shares(A, sample_weight)
    return _model(A, Hinge(_labels(A, y, p, intercept), p), intercept, "hinge", l2)


@over_shards()
@hinting
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
    return _model(A, Absolute(_targets(A, y), _shares(A, sample_weight)), intercept, "absolute", l2)


@over_shards(numbers=("q",))
@hinting
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
    return _model(A, Quantile(_targets(A, y), _shares(A, sample_weight), float(q)), intercept, "quantile", l2)


@over_shards(numbers=("epsilon",))
@hinting
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
    loss = EpsilonInsensitive(_targets(A, y), _shares(A, sample_weight), float(epsilon))
    return _model(A, loss, intercept, "epsilon_insensitive", l2)


@hinting
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
    if factors is not None:
        return FactoredForm(factors, Q, b, scale)
    check(Q is not None, "Q = None was given; a square matrix, or factors=F where Q is FᵀF, is wanted.")
    return QuadraticForm(Q, b, scale)


@over_shards(instead="It is infinite where a row has the likelihood 0, and its certificate asks of each row whether rounding "
                     "alone keeps it from that; sums over shards do not tell. Give P as one matrix, or a sample of its rows.")
@hinting
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
    p = _shares(A, sample_weight)
    taken = in_place_of(A, p)
    A = A if taken is None else A.rows(taken)
    entries = stored(A)
    low, largest = (np.zeros(A.n), A.matvec(np.ones(A.domain))) if entries is None else entries.extremes()
    check(bool((low >= 0).all()), "P has negative entries; likelihoods (or price relatives) of at least 0 are wanted.")
    empty = int(np.count_nonzero((largest == 0.0) & (p > 0.0 if taken is not None else True)))
    check(empty == 0, f"{empty} rows of P are zero everywhere: no mixture gives them a positive likelihood, and the "
                      "objective is infinite. Drop those rows or widen the grid.")
    A, logs = levelled(A)
    return _model(A, NegativeLog(logs, p), False, "log_likelihood", l2)


@hinting
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


def _model(A: Design, exact: Separable, intercept: bool, name: str, l2: float) -> Composite:
    """φ∘A and the ridge, if any; where the data are float32, the loss is kept in float64 too, for the certificate."""
    taken = in_place_of(A, exact.p, exact.y)
    if taken is not None:
        A, exact.y = A.rows(taken), exact.y[taken]
    loss = exact if A.dtype == exact.y.dtype else _rounded(exact, A.dtype)
    f = Composite(A, loss.profiled(), name, exact.profiled()) if intercept else Composite(A, loss, name, exact)
    return with_ridge(f, l2)


def _rounded(exact: Separable, dtype: Any) -> Separable:
    """The loss in the precision of the data."""
    with np.errstate(over="ignore"):
        loss = exact.cast(dtype)
    check(bool(np.isfinite(loss.y).all()), lambda: f"y has entries of up to {np.abs(exact.y).max():.3g}, too large for "
          "float32, in which X is given. Give X in float64, or scale y down.")
    return loss


def _targets(A: Design, y: Any) -> Array:
    return vector(y, A.n, "y")


def _labels(A: Design, y: Any, p: Array | float, intercept: bool) -> Array:
    labels = signs(y, A.n)
    seen = labels if isinstance(p, float) else labels[p > 0.0]
    check(not intercept or bool(seen.min() < seen.max()), "y holds one class only: the best intercept is infinite. "
          "Give samples of both classes, with positive weight, or leave the intercept out.")
    return labels


def _shares(A: Design, sample_weight: Any) -> Array | float:
    return shares(sample_weight, A.n)


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
    return LogDet(X)


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
    return TraceInverse(X)
