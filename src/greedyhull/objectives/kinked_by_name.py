"""Losses with kinks of linear models: hinge(X, y), absolute(X, y), quantile(X, y, q), epsilon_insensitive(X, y, epsilon)."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.errors import check
from greedyhull.kernels.threads import public
from greedyhull.objectives.composite import Composite
from greedyhull.objectives.designs import design
from greedyhull.objectives.labelled import by_label
from greedyhull.objectives.loss_model import labels, model, shares_of, targets
from greedyhull.objectives.losses.absolute import Absolute
from greedyhull.objectives.losses.base import number
from greedyhull.objectives.losses.epsilon_insensitive import EpsilonInsensitive
from greedyhull.objectives.losses.hinge import Hinge
from greedyhull.objectives.losses.quantile import Quantile
from greedyhull.objectives.sharded.by_name import over_shards


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
