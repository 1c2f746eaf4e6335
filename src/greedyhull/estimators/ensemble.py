"""Weights for an ensemble of models: non-negative, sum to one, certified where the loss is convex."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _clone_parametrized
from sklearn.model_selection import check_cv
from sklearn.utils import check_consistent_length
from sklearn.utils._param_validation import Interval, InvalidParameterError, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from greedyhull.atoms.simplex import Simplex
from greedyhull.driver.certificate import Certificate, certify
from greedyhull.driver.solution import Solution
from greedyhull.driver.trace import Trace
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check
from greedyhull.estimators.base import FLOATS, Certified, bounded
from greedyhull.estimators.caller import caller_level
from greedyhull.estimators.cardinality import best_few
from greedyhull.estimators.labelled import by_column
from greedyhull.estimators.models import Named, named
from greedyhull.estimators.out_of_fold import Ask, check_models, out_of_fold, refitted
from greedyhull.estimators.scorers import meant
from greedyhull.estimators.selection import improved, selected
from greedyhull.estimators.split import folds_of
from greedyhull.objectives.composite import Composite
from greedyhull.types import Array, Index, LinearModel

COMMON: dict[str, list[Any]] = {"models": [list, tuple, None], "cv": ["cv_object", StrOptions({"prefit"})],
                                "max_models": [None, Interval(Integral, 1, None, closed="left")]}


class Ensemble(Certified):
    """What both ensembles share: the weights are found for the models' predictions, whoever made these."""

    loss: str | Callable[..., Any]
    models: Any
    cv: Any
    max_models: int | None
    asks: ClassVar[str]  # the method of models that says what the weights are for
    scorers: ClassVar[dict[str, str]]  # names of scikit-learn's scorers, and the losses they stand for
    certificate_: Certificate
    solution_: Solution  # where the loss has a name
    trace_: Trace
    models_: list[Named] | None

    def __sklearn_clone__(self) -> Any:
        """A clone has the same models: without cv they are fitted, and would be no use otherwise; with it they are cloned."""
        clone = _clone_parametrized(self)
        clone.models = self.models
        return clone

    def _validate_params(self) -> None:
        """As scikit-learn does; of a loss that is not known it is also said which one may be meant."""
        try:
            super()._validate_params()
        except InvalidParameterError as error:
            known = [one.options for one in self._parameter_constraints["loss"] if isinstance(one, StrOptions)]
            names = sorted(set().union(*known))
            if not isinstance(self.loss, str) or self.loss in names:
                raise
            raise InvalidParameterError(f"{error} {meant(self.loss, names)}") from None

    def _loss(self) -> str | Callable[..., Any]:
        """The loss; where it has the name of a scorer, the one that this stands for."""
        return self.scorers.get(self.loss, self.loss) if isinstance(self.loss, str) else self.loss

    def _fitted_here(self) -> bool:
        return self.cv is not None and not (isinstance(self.cv, str) and self.cv == "prefit")

    def _given(self, X: Any, y: Any, **how: Any) -> tuple[Any, Any]:
        """Predictions as an array of numbers; data for ``models`` as they are, for only these know what they want."""
        if self.models is None:
            if self._fitted_here():
                warnings.warn("cv was given without models and has no effect: the columns of X are taken for out-of-fold "
                              "predictions. Give models to have these made.", GreedyhullWarning, stacklevel=caller_level())
            X, y = validate_data(self, X, y, dtype=FLOATS, **how)
            bounded(X, "X", X.dtype)
            self.model_names_, self.models_ = self._feature_names(), None
            return X, y
        y = validate_data(self, "no_validation", y, **how)
        X, _ = validate_data(self, X, y, skip_check_array=True)
        check_consistent_length(X, y)
        self.models_ = named(self.models, self.asks)
        self.model_names_ = [name for name, _ in self.models_]
        return X, y

    def _out_of_fold(self, X: Any, y: Array, s: Array | None, ask: Ask, classes: tuple[Array, Array] | None = None
                     ) -> tuple[Index, Array]:
        """What clones of the models predict for rows they were not fitted with; then the models are fitted with all."""
        assert self.models_ is not None
        check_models(self.models_, s)
        splitter = check_cv(self.cv, y, classifier=classes is not None)
        try:
            splits = list(splitter.split(X, y))
        except ValueError as error:
            check("groups" not in str(error), f"cv={self.cv!r} needs groups, which fit does not take. Give the folds "
                                              "themselves: cv=list(splitter.split(X, y, groups)).")
            raise
        rows, said = out_of_fold(self.models_, folds_of(splits, len(y), s, classes), X, y, s, ask)
        self.models_ = refitted(self.models_, X, y, s)
        return rows, said

    def _new(self, X: Any) -> Any:
        """Data to predict, checked as those of the fit were."""
        check_is_fitted(self)
        if self.models_ is None:
            return validate_data(self, by_column(self, X), reset=False, dtype=FLOATS)
        return validate_data(self, by_column(self, X), reset=False, skip_check_array=True)

    def _names(self) -> list[str] | None:
        return self.model_names_

    def _measured(self, y: Array, s: Array | None, z: Array) -> float:
        """The loss, a function, of the ensemble's predictions."""
        how, given = ({}, "") if s is None else ({"sample_weight": s}, ", sample_weight=...")
        try:
            assert callable(self.loss)
            value = np.asarray(self.loss(y, z, **how))
        except TypeError as error:
            raise GreedyhullError(f"loss, {self.loss!r}, cannot be called as loss(y, prediction{given}): {error}. Give a "
                                  "function that can.") from error
        check(value.size == 1 and value.dtype.kind in "biuf", lambda: f"loss, {self.loss!r}, answered {value!r}; a number, "
                                                                      "the lower the better, is wanted.")
        return float(value.item())

    def _weigh(self, f: Composite | None, metric: Callable[[Array], float] | None, P: Array, dtype: Any) -> None:
        """Find ``weights_``: by f where the loss is convex, else by the metric on the rows of ``P``."""
        m = len(P) if f is None else f.domain[0]
        most = m if self.max_models is None else min(int(self.max_models), m)
        if f is not None:
            solution = self._solve(f, Simplex(m))
            w = solution.point.array()
            self._keep([solution], dtype)
            if np.count_nonzero(w) > most:
                w = best_few(f, w, most, lambda g, S: self._solve(g, S).point.array())
                value, lower = float(certify(f, Simplex(m), w).value or 0.0), solution.certificate.lower
                self.dual_gap_ = value - lower  # to the least loss with any number of models
                self.certificate_ = Certificate(value, self.dual_gap_, lower, solution.certificate.kind)
        else:
            assert metric is not None
            rounds = min(int(self.max_iter), 100)
            w, value = improved(P, metric, *selected(P, metric, rounds, most), rounds, most)
            self.certificate_, self.dual_gap_ = Certificate(value, None, -np.inf, "estimate"), np.inf
            self.n_iter_ = rounds
            for name in ("solution_", "trace_"):  # of a fit before this one, with another loss
                self.__dict__.pop(name, None)
        self.weights_ = self.coef_ = w.astype(dtype)
        self.n_models_ = int(np.count_nonzero(w))

    def _attributes(self, w: Any, f: LinearModel) -> dict[str, Any]:
        return {"weights_": w.array(), "coef_": w.array()}
