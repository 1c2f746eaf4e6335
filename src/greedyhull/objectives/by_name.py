"""The objectives by name: least_squares(X, y), logistic(X, y), quadratic(Q, b), log_likelihood(P), function(...)."""

from greedyhull.objectives.kinked_by_name import absolute, epsilon_insensitive, hinge, quantile
from greedyhull.objectives.smooth_by_name import (
    huber,
    least_squares,
    logistic,
    lp_loss,
    poisson,
    squared_hinge,
)
from greedyhull.objectives.without_targets import function, log_det, log_likelihood, quadratic, trace_inverse

__all__ = [
    "absolute", "epsilon_insensitive", "function", "hinge", "huber", "least_squares", "log_det",
    "log_likelihood", "logistic", "lp_loss", "poisson", "quadratic", "quantile", "squared_hinge",
    "trace_inverse",
]
