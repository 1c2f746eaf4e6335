"""Estimates of ∇f from minibatches, one for each step of a stochastic solver.

>>> Minibatch(32), Svrg(batch=Root(2 / 3), epoch=Root(1 / 3)).unbiased
(Minibatch(batch=32, replace=True), True)
"""

from greedyhull.solvers.gradients.base import Estimate, Estimator, Root
from greedyhull.solvers.gradients.momentum import Minibatch, Momentum, Storm
from greedyhull.solvers.gradients.variance_reduced import Dual, Saga, Spider, Svrg

__all__ = ["Dual", "Estimate", "Estimator", "Minibatch", "Momentum", "Root", "Saga", "Spider", "Storm", "Svrg"]
