"""The losses by the names that the estimators take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from greedyhull.objectives.by_name import absolute, hinge, huber, least_squares, logistic, poisson, quantile, squared_hinge
from greedyhull.types import Array

REGRESSION: dict[str, Callable[..., Any]] = {
    "squared": lambda X, y, est, **how: least_squares(X, y, **how),
    "huber": lambda X, y, est, **how: huber(X, y, est.delta, **how),
    "absolute": lambda X, y, est, **how: absolute(X, y, **how),
    "quantile": lambda X, y, est, **how: quantile(X, y, est.quantile, **how),
    "poisson": lambda X, y, est, **how: poisson(X, y, **how),
}
CLASSIFICATION: dict[str, Callable[..., Any]] = {"logistic": logistic, "squared_hinge": squared_hinge, "hinge": hinge}


@dataclass(frozen=True)
class Posed:
    """What makes an objective of data, targets and sample weights: plain values, which other processes can be sent."""

    loss: str
    intercept: bool
    delta: float = 1.0
    quantile: float = 0.5

    def __call__(self, X: Any, y: Array, s: Array | None) -> Any:
        how = {"sample_weight": s, "intercept": self.intercept}
        if self.loss in CLASSIFICATION:
            return CLASSIFICATION[self.loss](X, y, **how)
        return REGRESSION[self.loss](X, y, self, **how)


def mean(loss: str, z: Array) -> Array:
    """What a regression loss predicts where the linear model says z: e^z for counts, z itself for all others."""
    return np.exp(z) if loss == "poisson" else z
