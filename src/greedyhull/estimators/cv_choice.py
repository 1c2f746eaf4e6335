"""The choice of a radius by cross-validation: the rules, what they leave behind, and its figure."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from greedyhull.driver.minimize import minimize
from greedyhull.driver.path import carried
from greedyhull.driver.reason import raise_if_pressed
from greedyhull.driver.stop import Gap, Iterations, Stalled
from greedyhull.errors import check
from greedyhull.estimators.base import Certified
from greedyhull.estimators.budget_set import Budget, budget
from greedyhull.estimators.cv_paths import ENOUGH, Line, first_price, in_range
from greedyhull.estimators.figures import draw_coefficients, legend_beside, new_axes
from greedyhull.estimators.losses import Posed
from greedyhull.estimators.penalty import floor, origin
from greedyhull.estimators.split import Fold
from greedyhull.solvers.parts.loss_path import loss_path
from greedyhull.types import Array, AtomSet, LinearModel

ROUNDING = 4  # units in the last place that equal numbers may differ by
CHOICE: dict[str, list[Any]] = {"radii": [Interval(Integral, 1, None, closed="left"), "array-like"], "cv": ["cv_object"],
                                "eps": [Interval(Real, 0, 1, closed="neither")], "select": [StrOptions({"best", "one_se"})],
                                "n_jobs": [Integral, None]}
SCALED: dict[str, list[Any]] = {"standardize": ["boolean"], "positive": ["boolean"]}


class Chosen(Certified):
    """What a choice by cross-validation leaves behind, and its figure."""

    radii_: Array
    cv_losses_: Array
    coefs_path_: Array
    radius_: float
    select: str

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
        """
        Plot the coefficients, and the loss on left-out data, against the radius.

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
        check(np.shape(np.asarray(axes, dtype=object)) == (2,), "ax was given; a sequence of two axes is wanted, for the "
                                                                "coefficients and for the losses.")
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


class L1Chosen(Chosen):
    """An l1 budget to choose the radius of."""

    standardize: bool
    positive: bool

    def _atoms(self, X: Any, s: Array | None, classes: int = 0) -> Budget:
        """The ball of radius one, which is scaled to the radii; of matrices with a column for each of ``classes``."""
        return budget(X, s, 1.0, standardize=self.standardize, positive=self.positive, classes=classes)


def left_out(found: list[Line], X: Any, y: Array, s: Array | None, folds: list[Fold], problem: Posed) -> Array:
    """The loss on the rows that each fold leaves out, (radius, fold)."""
    columns, of_scores = [], replace(problem, intercept=False)
    for line, (_, test) in zip(found, folds, strict=True):
        z = line.predict(X[test]).astype(np.float64)
        loss = of_scores(np.ones((len(test), 1)), y[test], None if s is None else s[test]).loss
        columns.append([loss.value(np.ascontiguousarray(z[:, j])) for j in range(z.shape[1])])
    return np.array(columns).T


def constant(y: Array, s: Array | None) -> bool:
    """Whether all targets that count are one number, up to rounding."""
    some = y if s is None else y[s > 0.0]
    return bool(np.ptp(some) <= ROUNDING * np.finfo(y.dtype if y.dtype.kind == "f" else np.float64).eps * np.abs(some).max())


def standard_errors(losses: Array) -> Array:
    """Of the mean over folds, for each radius; zero where there is one fold only."""
    folds = losses.shape[1]
    return np.asarray(losses.std(axis=1, ddof=1) / np.sqrt(folds)) if folds > 1 else np.zeros(len(losses))


def affordable(f: LinearModel, S: AtomSet, eps: float) -> float:
    """A radius at which the price has fallen to ``eps`` times that of the first unit, or little of the loss is left.

    Where not even the first unit is worth anything, it is 1: any radius would do.
    """
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
