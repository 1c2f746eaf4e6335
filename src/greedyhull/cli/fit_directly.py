"""Weights in a given set, by `minimize` itself: what the estimators do, without the time that importing scikit-learn takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from warnings import warn

import numpy as np

from greedyhull.atoms.l1_ball import L1Ball
from greedyhull.atoms.simplex import Simplex
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Iterations, Relative, Stalled
from greedyhull.errors import GreedyhullWarning
from greedyhull.objectives import by_name
from greedyhull.objectives.responses import multinomial
from greedyhull.types import Array, AtomSet, Objective, Shards

LOSSES: dict[str, Callable[..., Any]] = {
    "squared": by_name.least_squares, "huber": by_name.huber, "absolute": by_name.absolute, "quantile": by_name.quantile,
    "poisson": by_name.poisson, "logistic": by_name.logistic, "squared_hinge": by_name.squared_hinge, "hinge": by_name.hinge}
STILL = 300  # iterations without improvement after which only rounding is left


def direct(kind: str, options: Mapping[str, Any]) -> bool:
    """Whether the set is known before the fit, so that one solve, or one for each class, is all there is to do."""
    return kind == "simplex" or (kind == "l1" and "radius" in options and not options.get("standardize"))


class Fitted:
    """The weights with their certificates; its attributes are those of an estimator after its fit."""

    def __init__(self, kind: str, task: str, options: Mapping[str, Any]) -> None:
        self.kind, self.task, self.options = kind, task, dict(options)
        if kind == "l1":
            self.radius_ = float(options["radius"])

    def fit(self, X: Any, y: Array, sample_weight: Array | None = None) -> None:
        """Find the weights: of two classes the second has label +1; more are one problem, or each is fitted against the
        others, as the estimators do."""
        X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
        if self.kind == "l1" and self.task == "classification" and self.options.get("loss", "logistic") == "logistic":
            self.classes_, labels = np.unique(y, return_inverse=True)
            if len(self.classes_) > 2:
                self._fit_together(X, labels, sample_weight)
                return
        targets = [y.astype(np.float64)] if self.task == "regression" else self._signs(y)
        S = self._atoms(X.shape[1])
        self._keep([self._solved(self._objective(X, target, sample_weight), S) for target in targets], X.dtype)

    def fit_shards(self, data: Shards) -> int:
        """Find the weights from shards, whose labels are −1 and +1, or 0 and 1; how many rows there are."""
        loss, shape, intercept = self._loss()
        f = LOSSES[loss](data, **shape, intercept=intercept)
        if self.task == "classification":
            self.classes_ = np.array([0.0 if f.facts.zero_one else -1.0, 1.0])
        self._keep([self._solved(f, self._atoms(data.d))], np.dtype(np.float64))
        return int(f.n)

    def _keep(self, solutions: list[Any], dtype: Any) -> None:
        weights = np.vstack([s.point.array() for s in solutions]).astype(dtype)
        several = len(solutions) > 1
        self.weights_ = weights if several else weights[0]
        intercepts = np.array([s.intercept for s in solutions]).astype(dtype)
        self.intercept_: Any = intercepts if self.task == "classification" else intercepts[0]
        self.solution_: Any = solutions if several else solutions[0]
        self.certificate_: Any = [s.certificate for s in solutions] if several else solutions[0].certificate

    def _fit_together(self, X: Any, labels: Array, s: Array | None) -> None:
        """One problem for all classes."""
        f = multinomial(X, labels, sample_weight=s, intercept=self.options.get("fit_intercept", True))
        solution = self._solved(f, L1Ball(f.domain, radius=self.radius_))
        self.weights_ = solution.point.array().T.astype(X.dtype)
        self.intercept_ = np.broadcast_to(np.asarray(solution.intercept), len(self.weights_)).astype(X.dtype)
        self.solution_, self.certificate_ = solution, solution.certificate

    def _signs(self, y: Array) -> list[Array]:
        self.classes_, labels = np.unique(y, return_inverse=True)
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return [np.where(labels == c, 1.0, -1.0) for c in positive]

    def _atoms(self, d: int) -> AtomSet:
        if self.kind == "l1":
            return L1Ball(d, radius=self.radius_)
        return Simplex(d, float(self.options.get("total", 1.0)), upper=self.options.get("upper"))

    def _objective(self, X: Any, y: Array, s: Array | None) -> Objective:
        loss, shape, intercept = self._loss()
        f: Objective = LOSSES[loss](X, y, **shape, sample_weight=s, intercept=intercept)
        return f

    def _loss(self) -> tuple[str, dict[str, float], bool]:
        """The loss by name, its own numbers, and whether there is an intercept."""
        loss = self.options.get("loss", "squared" if self.task == "regression" else "logistic")
        shape = {"huber": {"delta": self.options.get("delta", 1.0)}, "quantile": {"q": self.options.get("quantile", 0.5)}}
        return loss, shape.get(loss, {}), self.options.get("fit_intercept", self.kind == "l1" or self.task == "classification")

    def _solved(self, f: Objective, S: AtomSet) -> Any:
        stop = Relative(float(self.options["tol"])) | Iterations(int(self.options["max_iter"])) | Stalled(STILL)
        s = minimize(f, S, stop=stop)
        if not s.converged:
            warn(f"{s.reason} The answer is certified to a gap of {s.certificate.gap:.3g} all the same.", GreedyhullWarning,
                 stacklevel=2)
        return s
