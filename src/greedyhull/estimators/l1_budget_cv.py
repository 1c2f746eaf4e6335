"""An l1 budget chosen by cross-validation."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.driver.minimize import minimize
from greedyhull.driver.path import carried
from greedyhull.driver.stop import Gap, Iterations, Stalled
from greedyhull.errors import check
from greedyhull.estimators.base import weights_of
from greedyhull.estimators.callbacks import begin, checked, end
from greedyhull.estimators.cv_paths import ENOUGH, Line, Paths, SquarePaths, first_price, grid, in_range, radii_of
from greedyhull.estimators.l1_budget import spreads
from greedyhull.estimators.linear import LinearClassifier, LinearRegressor
from greedyhull.estimators.losses import CLASSIFICATION, REGRESSION
from greedyhull.estimators.penalty import floor
from greedyhull.estimators.split import Fold, folds_of
from greedyhull.types import Array, LinearModel

ROUNDING = 4  # units in the last place that equal numbers may differ by
CHOICE: dict[str, list[Any]] = {"radii": [Interval(Integral, 1, None, closed="left"), "array-like"], "cv": ["cv_object"],
                                "eps": [Interval(Real, 0, 1, closed="neither")], "select": [StrOptions({"best", "one_se"})],
                                "standardize": ["boolean"]}


class Chosen:
    """What a choice by cross-validation leaves behind, and its figure."""

    radii_: Array
    cv_losses_: Array
    coefs_path_: Array
    radius_: float
    select: str
    standardize: bool

    def _atoms(self, X: Any, s: Array | None) -> L1Ball:
        """The ball of radius one, which is scaled to the radii."""
        return L1Ball(X.shape[1], 1.0, weights=spreads(X, s) if self.standardize else None)

    def _choose(self, radii: Array, losses: Array) -> float:
        """The radius with the least mean loss; by the one-standard-error rule, the least radius within one of that."""
        self.radii_, self.cv_losses_ = radii, losses
        finite = np.isfinite(losses).all(axis=1)  # predictions far out of range may cost more than a number can tell
        check(bool(finite.any()), "The loss on left-out data is NaN or infinite for every radius. Give smaller radii, or "
                                  "scale X down.")
        radii, losses = radii[finite], losses[finite]
        means = losses.mean(axis=1)
        best = int(means.argmin())
        if self.select == "one_se":
            best = int(np.flatnonzero(means <= means[best] + standard_errors(losses)[best])[0])
        return float(radii[best])

    def plot_path(self, ax: Any = None) -> Any:
        """Coefficients against the radius, and below them the losses of the folds; returns the axes."""
        check_is_fitted(self)
        import matplotlib.pyplot as plt

        axes = plt.subplots(2, 1, sharex=True, layout="constrained")[1] if ax is None else ax
        axes[0].plot(self.radii_, self.coefs_path_, lw=1)
        axes[0].set_ylabel("coefficients")
        mean = self.cv_losses_.mean(axis=1)
        error = standard_errors(self.cv_losses_)
        axes[1].plot(self.radii_, mean, "k")
        axes[1].fill_between(self.radii_, mean - error, mean + error, color="0.85", label="± one standard error")
        axes[1].set(xlabel="radius", ylabel="loss on left-out data", xscale="log")
        for a in axes:
            a.axvline(self.radius_, color="C3", ls="--", label=f"chosen: {self.radius_:.3g}")
        axes[1].legend()
        return axes


class L1BudgetRegressorCV(Chosen, LinearRegressor):
    """`L1BudgetRegressor` with the radius chosen by cross-validation, from ``radii``: how many, or which.

    ``select`` is "best" (the least loss on left-out data) or "one_se" (the least radius within one standard error of it).
    Paths are warm-started; for the squared loss a radius costs about one product with the data, and all folds share
    one covariance matrix where the columns are few. The chosen model is fitted to ``tol`` on all data, and certified.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 8))
    >>> m = L1BudgetRegressorCV().fit(X, X[:, 0] - X[:, 3] + 0.01 * rng.standard_normal(60))
    >>> bool(1.8 < m.radius_ < 2.3), m.coef_.round(1).tolist()
    (True, [1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**LinearRegressor._parameter_constraints, **CHOICE}

    def __init__(self, *, radii: Any = 50, cv: Any = None, eps: float = 1e-3, select: str = "best", loss: str = "squared",
                 standardize: bool = False, delta: float = 1.0, quantile: float = 0.5, fit_intercept: bool = True,
                 tol: float = 1e-6, max_iter: int = 10_000, random_state: Any = None, verbose: Any = 0) -> None:
        self.radii, self.cv, self.eps, self.select, self.loss, self.standardize = radii, cv, eps, select, loss, standardize
        self.delta, self.quantile, self.fit_intercept, self.tol, self.max_iter = delta, quantile, fit_intercept, tol, max_iter
        self.random_state, self.verbose = random_state, verbose

    @checked
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the radius, then find the coefficients on all data."""
        X, y = self._given(X, y, y_numeric=True)
        begin(self, X, y)
        s = weights_of(sample_weight, X)
        S = self._atoms(X, s)
        folds = folds_of(check_cv(self.cv).split(X, y), len(y), s)
        f, radii = self._problem(X, y, s), self.radii
        if (self.fit_intercept and constant(y, s)) or first_price(f, S) == 0.0:  # no budget is worth anything
            radii = radii_of(radii, lambda count: grid(1.0, count))
        if self.loss == "squared":
            whole, losses = self._squares(X, y, s, S, folds, radii)
        else:
            whole, losses = self._others(X, y, s, S, folds, radii, f)
        self.radius_ = self._choose(self.radii_, losses)
        self.coefs_path_ = whole.coefs
        solution = self._solve(f, S.rescaled(self.radius_))
        self.price_ = solution.price
        for name, value in self._attributes(solution.point, f, X.dtype).items():
            setattr(self, name, value)
        self._keep([solution], X.dtype)
        end(self, X, y)
        return self

    def _problem(self, X: Any, y: Array, s: Array | None) -> Any:
        return REGRESSION[self.loss](X, y, self, sample_weight=s, intercept=self.fit_intercept)

    def _squares(self, X: Any, y: Array, s: Array | None, S: L1Ball, folds: list[Fold], radii: Any) -> tuple[Line, Array]:
        """The path on all data and the losses (radius, fold), by trails."""
        paths = SquarePaths(X, y, s, S, folds, centre=self.fit_intercept)
        self.radii_, whole = paths.chosen(radii, float(self.eps))
        found = [paths.on(i, self.radii_) for i in range(len(folds))]
        return whole, self._losses(found, X, y, s, folds)

    def _others(self, X: Any, y: Array, s: Array | None, S: L1Ball, folds: list[Fold], radii: Any, f: LinearModel
                ) -> tuple[Line, Array]:
        """The same by the driver, for any loss."""
        paths = Paths(X, y, s, S, self._problem)
        self.radii_ = radii_of(radii, lambda count: grid(affordable(f, S, float(self.eps)), count))
        found = [paths.on(train, self.radii_) for train, _ in folds]
        return paths.on(None, self.radii_), self._losses(found, X, y, s, folds)

    def _losses(self, found: list[Line], X: Any, y: Array, s: Array | None, folds: list[Fold]) -> Array:
        return left_out(found, X, y, s, folds, lambda one, t, p: REGRESSION[self.loss](one, t, self, sample_weight=p))


class L1BudgetClassifierCV(Chosen, LinearClassifier):
    """`L1BudgetClassifier` with the radius chosen by cross-validation, one radius for all classes.

    ``radii``, ``cv``, ``eps`` and ``select`` are those of `L1BudgetRegressorCV`; folds keep the shares of the classes.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 5))
    >>> m = L1BudgetClassifierCV(radii=10).fit(X, X[:, 1] + 0.3 * rng.standard_normal(80) > 0)
    >>> int(np.abs(m.coef_).argmax())
    1
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**LinearClassifier._parameter_constraints, **CHOICE}

    def __init__(self, *, radii: Any = 20, cv: Any = None, eps: float = 1e-3, select: str = "best", loss: str = "logistic",
                 standardize: bool = False, fit_intercept: bool = True, tol: float = 1e-6, max_iter: int = 10_000,
                 random_state: Any = None, verbose: Any = 0) -> None:
        self.radii, self.cv, self.eps, self.select, self.loss, self.standardize = radii, cv, eps, select, loss, standardize
        self.fit_intercept, self.tol, self.max_iter = fit_intercept, tol, max_iter
        self.random_state, self.verbose = random_state, verbose

    def _searched(self, X: Any, signs: list[Array], labels: Array, s: Array | None) -> list[Any]:
        S = self._atoms(X, s)
        folds = folds_of(check_cv(self.cv, labels, classifier=True).split(X, labels), len(labels), s, (labels, self.classes_))
        problems = [self._problem(X, sign, s) for sign in signs]
        self.radii_ = radii_of(self.radii, lambda count: grid(max(affordable(f, S, float(self.eps)) for f in problems), count))
        losses, whole = np.zeros((len(self.radii_), len(folds))), []
        for sign in signs:
            paths = Paths(X, sign, s, S, self._problem)
            found = [paths.on(train, self.radii_) for train, _ in folds]
            losses += left_out(found, X, sign, s, folds, lambda one, t, p: CLASSIFICATION[self.loss](one, t, sample_weight=p))
            whole.append(paths.on(None, self.radii_).coefs)
        self.radius_, self.coefs_path_ = self._choose(self.radii_, losses), np.concatenate(whole, axis=1)
        chosen = [self._solve(f, S.rescaled(self.radius_)) for f in problems]
        self.price_ = chosen[0].price if len(chosen) == 1 else [s.price for s in chosen]
        return chosen


def left_out(found: list[Line], X: Any, y: Array, s: Array | None, folds: list[Fold], make: Any) -> Array:
    """The loss on the rows that each fold leaves out, (radius, fold); ``make`` gives the loss of some targets."""
    columns = []
    for line, (_, test) in zip(found, folds, strict=True):
        z = line.predict(X[test]).astype(np.float64)
        loss = make(np.ones((len(test), 1)), y[test], None if s is None else s[test]).loss
        columns.append([loss.value(np.ascontiguousarray(z[:, j])) for j in range(z.shape[1])])
    return np.array(columns).T


def constant(y: Array, s: Array | None) -> bool:
    """Whether all targets that count are one number, up to rounding."""
    some = y if s is None else y[s > 0.0]
    return bool(np.ptp(some) <= ROUNDING * np.finfo(y.dtype if y.dtype.kind == "f" else np.float64).eps * np.abs(some).max())


def standard_errors(losses: Array) -> Array:
    """Of the mean over folds, for each radius; zero where there is one fold, which does not tell."""
    folds = losses.shape[1]
    return np.asarray(losses.std(axis=1, ddof=1) / np.sqrt(folds)) if folds > 1 else np.zeros(len(losses))


def affordable(f: LinearModel, S: L1Ball, eps: float) -> float:
    """A radius at which the price has fallen to ``eps`` times that of the first unit, or little of the loss is left.

    Where not even the first unit is worth anything, every radius does: it is 1.
    """
    zero, first = S.centre(), first_price(f, S)
    loss = float(f.value(zero)) - floor(f)
    if first == 0.0:
        return 1.0
    radius, start, stop = in_range(0.1 * loss / first), None, Gap(ENOUGH * loss) | Iterations(1000) | Stalled(100)
    for _ in range(60):
        s = minimize(f, S.rescaled(radius), start=start, stop=stop)
        if float(s.price or 0.0) <= eps * first or float(s.value or 0.0) - floor(f) <= 10.0 * ENOUGH * loss:
            break
        radius = in_range(2.0 * radius)
        start = carried(s, S.rescaled(radius))
    return radius
