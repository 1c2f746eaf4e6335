"""Classification whose radius is chosen by cross-validation, over any set that has one."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils.parallel import Parallel, delayed

from greedyhull.driver.solution import Solution
from greedyhull.estimators.budget_set import price_of
from greedyhull.estimators.callbacks import checked
from greedyhull.estimators.cv_choice import Chosen, affordable, left_out
from greedyhull.estimators.cv_paths import Paths, grid, radii_of
from greedyhull.estimators.described import CHOSEN, described
from greedyhull.estimators.linear_classifier import LinearClassifier
from greedyhull.estimators.over_shards import refuse_shards
from greedyhull.estimators.split import folds_of, splits_of
from greedyhull.types import Array


class ChosenClassifier(Chosen, LinearClassifier):
    """A radius for classes, which all of them share: `fit`, and the paths that it follows."""

    @checked
    @described(CHOSEN)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """
        Choose the radius, then find the coefficients on all data.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_samples,)
            Class labels: numbers, strings or booleans.
        {sample_weight, groups}

        Returns
        -------
        {self}

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.model_selection import GroupKFold
        >>> from greedyhull.estimators import L1BudgetClassifierCV
        >>> X, groups = np.random.default_rng(0).standard_normal((30, 4)), np.arange(30) // 5
        >>> model = L1BudgetClassifierCV(radii=5, cv=GroupKFold(3)).fit(X, X[:, 0] > 0, groups=groups)
        >>> model.cv_losses_.shape
        (5, 3)
        """
        refuse_shards(X)
        return self._fit(X, y, sample_weight, groups)

    def _searched(self, X: Any, signs: list[Array], labels: Array, s: Array | None, starts: list[Array | None],
                  groups: Any) -> list[Solution]:
        S = self._atoms(X, s)
        splits = splits_of(check_cv(self.cv, labels, classifier=True), X, labels, groups)
        folds = folds_of(splits, len(labels), s, (labels, self.classes_))
        problems = [self._problem(X, sign, s) for sign in signs]
        self.radii_ = radii_of(self.radii, lambda count: grid(max(affordable(f, S, float(self.eps)) for f in problems), count))
        paths = [Paths(X, sign, s, S, self._problem) for sign in signs]
        found = Parallel(n_jobs=self.n_jobs)(delayed(one.on)(train, self.radii_) for one in paths for train, _ in folds)
        losses, m = np.zeros((len(self.radii_), len(folds))), len(folds)
        for k, sign in enumerate(signs):
            losses += left_out(found[k * m : (k + 1) * m], X, sign, s, folds, self._problem)
        self.radius_ = self._choose(self.radii_, losses)
        self.coefs_path_ = np.concatenate([one.on(None, self.radii_).coefs for one in paths], axis=1)
        chosen = [self._solve(f, S.rescaled(self.radius_)) for f in problems]
        self.price_ = price_of(chosen[0]) if len(chosen) == 1 else [price_of(s) for s in chosen]
        return chosen
