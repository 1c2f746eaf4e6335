"""Radii chosen by cross-validation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from greedyhull.driver.path import carried
from greedyhull.driver.run import minimize
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Gap, Iterations, Stalled, raise_if_pressed
from greedyhull.errors import check
from greedyhull.estimators.base import Fold, checked, folds_of, splits_of
from greedyhull.estimators.budget import L1Set, floor, origin, price_of
from greedyhull.estimators.cv_paths import (
    ENOUGH,
    Line,
    Paths,
    SquarePaths,
    draw_coefficients,
    first_price,
    grid,
    in_range,
    legend_beside,
    new_axes,
    radii_of,
)
from greedyhull.estimators.described import CHOSEN_CLASSIFIER, CHOSEN_REGRESSOR, described
from greedyhull.estimators.linear import Linear, LinearRegressor, are_shards
from greedyhull.estimators.linear_classifier import LinearClassifier
from greedyhull.solvers.parts.paths import loss_path
from greedyhull.types import Array, AtomSet, LinearModel


class CVMixin(Linear):
    """A radius chosen by cross-validation: `fit`, what it leaves behind, and its figure."""

    radii: Any
    cv: Any
    eps: float
    n_jobs: int | None
    radii_: Array
    cv_losses_: Array
    coefs_path_: Array
    radius_: float
    select: str

    @checked
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose the radius, then find the coefficients on all data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data. float32 is kept; other types become float64.
        y : array-like of shape (n_samples,)
            Target values; for a classifier class labels, which are numbers, strings or booleans.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights sᵢ ≥ 0 of the samples: losses, also those on left-out data, are Σ sᵢ ℓᵢ / Σ sᵢ.
        groups : array-like of shape (n_samples,), default=None
            Groups of the samples, for splitters such as GroupKFold.

        Returns
        -------
        self : object
            The fitted estimator.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.model_selection import GroupKFold
        >>> from greedyhull.estimators import L1BudgetRegressorCV
        >>> X, groups = np.random.default_rng(0).standard_normal((30, 4)), np.arange(30) // 5
        >>> model = L1BudgetRegressorCV(radii=5, cv=GroupKFold(3)).fit(X, X[:, 0], groups=groups)
        >>> model.cv_losses_.shape
        (5, 3)
        """
        check(not are_shards(X), "Cross-validation needs all rows in one place; got shards. Fit several radii.")
        return self._fit(X, y, sample_weight, groups)

    def _searched(self, X: Any, targets: list[Array], labels: Array, s: Array | None, starts: list[Array | None],
                  groups: Any, classes: int = 0) -> list[Solution]:
        """The solutions at the radius chosen, which all problems share; cold, so that paths may be rough."""
        kinds = (labels, self.classes_) if is_classifier(self) else None
        splits = splits_of(check_cv(self.cv, labels, classifier=kinds is not None), X, labels, groups)
        folds = folds_of(splits, len(labels), s, kinds)
        problem = replace(self._problem, classes=classes)
        fs = [problem(X, y, s) for y in targets]
        S, radii = self._atoms(X, s, fs[0].domain), self.radii
        if (kinds is None and self.fit_intercept and constant(labels, s)) or all(first_price(f, S) == 0.0 for f in fs):
            radii = radii_of(radii, lambda count: grid(1.0, count))  # no budget is worth anything
        whole, self.cv_losses_ = self._walked([Paths(X, y, s, S, problem) for y in targets], fs, folds, radii)
        self.radius_ = self._choose()
        self.coefs_path_ = np.concatenate([line.coefs.swapaxes(1, -1).reshape(len(line.coefs), -1) for line in whole], axis=1)
        chosen = [self._solve(f, S.rescaled(self.radius_)) for f in fs]
        self.price_ = price_of(chosen[0]) if len(chosen) == 1 else [price_of(s) for s in chosen]
        return chosen

    def _walked(self, paths: list[Paths], fs: list[LinearModel], folds: list[Fold], radii: Any) -> tuple[list[Line], Array]:
        """Choose ``radii_``; the paths on all data, and the losses (radius, fold)."""
        S = paths[0].S
        self.radii_ = radii_of(radii, lambda count: grid(max(affordable(f, S, float(self.eps)) for f in fs), count))
        found = iter(Parallel(n_jobs=self.n_jobs)(delayed(one.on)(train, self.radii_) for one in paths for train, _ in folds))
        losses = [np.array([one.left_out(next(found), test) for _, test in folds]).T for one in paths]
        return [one.on(None, self.radii_) for one in paths], np.sum(losses, axis=0)

    def _choose(self) -> float:
        """The radius with the least mean loss; by the one-standard-error rule, the least radius within one of that."""
        finite = np.isfinite(self.cv_losses_).all(axis=1)  # predictions far out of range may cost more than a number can tell
        check(bool(finite.any()), "The loss on left-out data is NaN or infinite for every radius. Scale X down.")
        radii, losses = self.radii_[finite], self.cv_losses_[finite]
        means = losses.mean(axis=1)
        best = int(means.argmin())
        if self.select == "one_se":
            best = int(np.flatnonzero(means <= means[best] + standard_errors(losses)[best])[0])
        return float(radii[best])

    def plot_path(self, ax: Any = None) -> Any:
        """Plot the coefficients, and the loss on left-out data, against the radius.

        Parameters
        ----------
        ax : sequence of two matplotlib axes, default=None
            Where to draw: above the coefficients of all classes, below the losses. None makes a new figure.

        Returns
        -------
        ax : sequence of two matplotlib axes
            The axes drawn on.

        Examples
        --------
        >>> import numpy as np
        >>> from greedyhull.estimators import L1BudgetRegressorCV
        >>> X = np.random.default_rng(0).standard_normal((30, 4))
        >>> model = L1BudgetRegressorCV(radii=5).fit(X, X[:, 0])
        >>> top, bottom = model.plot_path()  # doctest: +SKIP
        """
        check_is_fitted(self)
        axes = new_axes(rows=2) if ax is None else ax
        check(np.shape(np.asarray(axes, dtype=object)) == (2,), "ax must be two axes, for the coefficients and the losses.")
        draw_coefficients(axes[0], self.radii_, self.coefs_path_, self._feature_names())
        axes[0].set_title("Coefficients and loss on left-out data against the radius")
        mean = self.cv_losses_.mean(axis=1)
        error = standard_errors(self.cv_losses_)
        axes[1].plot(self.radii_, mean, "k", label="mean over the folds")
        axes[1].fill_between(self.radii_, mean - error, mean + error, color="0.85", label="± one standard error")
        axes[1].set(xlabel="radius", ylabel="loss on left-out data", xscale="log")
        for a in axes:
            a.axvline(self.radius_, color="C3", ls="--", label=f"chosen: {self.radius_:.4g}")
            legend_beside(a)
        return axes


def constant(y: Array, s: Array | None) -> bool:
    """Whether all targets that count are one number, up to rounding."""
    some = y if s is None else y[s > 0.0]
    # units in the last place that equal numbers may differ by
    return bool(np.ptp(some) <= 4 * np.finfo(y.dtype if y.dtype.kind == "f" else np.float64).eps * np.abs(some).max())


def standard_errors(losses: Array) -> Array:
    """Of the mean over folds, for each radius; zero where there is one fold only."""
    folds = losses.shape[1]
    return np.asarray(losses.std(axis=1, ddof=1) / np.sqrt(folds)) if folds > 1 else np.zeros(len(losses))


def affordable(f: LinearModel, S: AtomSet, eps: float) -> float:
    """A radius at which the price has fallen to ``eps`` times that of the first unit, or little of the loss is left."""
    zero, first = origin(S), first_price(f, S)
    loss = float(f.value(zero)) - floor(f)
    if first == 0.0:
        return 1.0
    radius, s, made = in_range(0.1 * loss / first), None, loss_path(f, S.rescaled(1.0))
    stop = Gap(ENOUGH * loss) | Iterations(1000) | Stalled(100)
    for _ in range(60):
        value, gap, price = (np.inf, np.inf, np.inf) if made is None else made.to(radius, ENOUGH * loss)
        if not gap <= ENOUGH * loss:  # not by the core, or not there
            made = None
            s = minimize(f, S.rescaled(radius), start=None if s is None else carried(s, S.rescaled(radius)), stop=stop)
            raise_if_pressed(s.reason)
            value, price = float(s.value or 0.0), float(s.price or 0.0)
        if price <= eps * first or value - floor(f) <= 10.0 * ENOUGH * loss:
            break
        radius = in_range(2.0 * radius)
    return radius


@described(CHOSEN_REGRESSOR)
class L1BudgetRegressorCV(L1Set, CVMixin, LinearRegressor):
    """Linear regression with an l1 budget chosen by cross-validation.

    Paths over the radii are warm-started. The model with the chosen radius is fitted to ``tol`` on all data, and certified.

    Parameters
    ----------
    radii : int or array-like of shape (n_radii,), default=50
        How many radii to try, or which.
    {cv, eps, select, loss, standardize, positive, delta, quantile, fit_intercept, n_jobs, tol, max_iter, random_state}
    {verbose}

    Attributes
    ----------
    {radii_, cv_losses_, coefs_path_, coef_, weights_, intercept_, radius_, price_, dual_gap_, fitted}

    Notes
    -----
    For the squared loss a radius costs about one product with the data, and all folds share one covariance matrix where the
    columns are few. Other losses follow `greedyhull.path`.

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import L1BudgetRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 8))
    >>> model = L1BudgetRegressorCV().fit(X, X[:, 0] - X[:, 3] + 0.01 * rng.standard_normal(60))
    >>> bool(1.8 < model.radius_ < 2.3), model.coef_.round(1).tolist()
    (True, [1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0])
    """

    def __init__(self, *, radii: Any = 50, cv: Any = None, eps: float = 1e-3, select: str = "best", loss: str = "squared",
                 standardize: bool = False, positive: bool = False, delta: float = 1.0, quantile: float = 0.5,
                 fit_intercept: bool = True, n_jobs: int | None = None, tol: float = 1e-6, max_iter: int = 10_000,
                 random_state: Any = None, verbose: Any = 0) -> None:
        self._store(locals())

    def _walked(self, paths: list[Paths], fs: list[LinearModel], folds: list[Fold], radii: Any) -> tuple[list[Line], Array]:
        """Squares by their covariance or the core's path; other losses, and numbers out of range, as for any set."""
        if self.loss != "squared":
            return super()._walked(paths, fs, folds, radii)
        squares = SquarePaths(paths[0], folds, centre=self.fit_intercept, positive=self.positive)
        self.radii_, whole = squares.chosen(radii, float(self.eps))
        found = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(squares.on)(i, self.radii_) for i in range(len(folds)))
        if not all(np.isfinite(line.coefs).all() for line in (whole, *found)):
            return super()._walked(paths, fs, folds, self.radii_)
        return [whole], np.array([squares.left_out(i, line) for i, line in enumerate(found)]).T


@described(CHOSEN_CLASSIFIER)
class L1BudgetClassifierCV(L1Set, CVMixin, LinearClassifier):
    """Linear classification with an l1 budget chosen by cross-validation.

    Several classes are one problem with ``loss="logistic"``, and have one budget together; with other losses they are fitted
    one against the rest, each with the same radius. Folds keep the shares of the classes, unless ``cv`` says otherwise. The
    model with the chosen radius is fitted to ``tol`` on all data, and certified.

    Parameters
    ----------
    {radii, cv, eps, select, loss, standardize, positive, fit_intercept, class_weight, n_jobs, tol, max_iter, random_state}
    {verbose}

    Attributes
    ----------
    {radii_, cv_losses_, coefs_path_, coef_, weights_, intercept_, radius_, price_, dual_gap_, fitted}

    Examples
    --------
    >>> import numpy as np
    >>> from greedyhull.estimators import L1BudgetClassifierCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 5))
    >>> model = L1BudgetClassifierCV(radii=10).fit(X, X[:, 1] + 0.3 * rng.standard_normal(80) > 0)
    >>> int(np.abs(model.coef_).argmax())
    1
    """

    _one_problem = True

    def __init__(self, *, radii: Any = 20, cv: Any = None, eps: float = 1e-3, select: str = "best", loss: str = "logistic",
                 standardize: bool = False, positive: bool = False, fit_intercept: bool = True,
                 class_weight: dict[Any, float] | str | None = None, n_jobs: int | None = None, tol: float = 1e-6,
                 max_iter: int = 10_000, random_state: Any = None, verbose: Any = 0) -> None:
        self._store(locals())
