"""Regression whose radius is chosen by cross-validation, over any set that has one."""

from __future__ import annotations

from typing import Any, Self

from sklearn.model_selection import check_cv
from sklearn.utils.parallel import Parallel, delayed

from greedyhull.estimators.base import weights_of
from greedyhull.estimators.budget_set import price_of
from greedyhull.estimators.callbacks import begin, checked, end
from greedyhull.estimators.cv_choice import Chosen, affordable, constant, left_out
from greedyhull.estimators.cv_paths import Line, Paths, first_price, grid, radii_of
from greedyhull.estimators.described import CHOSEN, described
from greedyhull.estimators.linear import LinearRegressor
from greedyhull.estimators.over_shards import refuse_shards
from greedyhull.estimators.split import Fold, folds_of, splits_of
from greedyhull.types import Array, AtomSet, LinearModel


class ChosenRegressor(Chosen, LinearRegressor):
    """A radius for numbers: `fit`, and the paths that it follows."""

    @checked
    @described(CHOSEN)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """
        Choose the radius, then find the coefficients on all data.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Target values.
        {sample_weight, groups}

        Returns
        -------
        {self}

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
        refuse_shards(X)
        X, y = self._given(X, y, y_numeric=True)
        begin(self, X, y)
        s = weights_of(sample_weight, X)
        S = self._atoms(X, s)
        folds = folds_of(splits_of(check_cv(self.cv), X, y, groups), len(y), s)
        f, radii = self._problem(X, y, s), self.radii
        if (self.fit_intercept and constant(y, s)) or first_price(f, S) == 0.0:  # no budget is worth anything
            radii = radii_of(radii, lambda count: grid(1.0, count))
        whole, losses = self._walked(X, y, s, S, folds, radii, f)
        self.radius_ = self._choose(self.radii_, losses)
        self.coefs_path_ = whole.coefs
        solution = self._solve(f, S.rescaled(self.radius_))  # cold, so that it does not depend on how rough the path is
        self.price_ = price_of(solution)
        for name, value in self._attributes(solution.point, f, X.dtype).items():
            setattr(self, name, value)
        self._keep([solution], X.dtype)
        end(self, X, y)
        return self

    def _walked(self, X: Any, y: Array, s: Array | None, S: AtomSet, folds: list[Fold], radii: Any, f: LinearModel
                ) -> tuple[Line, Array]:
        """The path on all data and the losses (radius, fold): by the core or the driver, for any loss and set."""
        paths = Paths(X, y, s, S, self._problem)
        self.radii_ = radii_of(radii, lambda count: grid(affordable(f, S, float(self.eps)), count))
        found = Parallel(n_jobs=self.n_jobs)(delayed(paths.on)(train, self.radii_) for train, _ in folds)
        return paths.on(None, self.radii_), left_out(found, X, y, s, folds, self._problem)
