"""Estimates of ∇f from minibatches, one file each: a small object that a stochastic solver asks once a step.

>>> Minibatch(32), Svrg(batch=Root(2 / 3), epoch=Root(1 / 3)).unbiased
(Minibatch(batch=32, replace=True), True)
"""

from greedyhull.solvers.gradients.base import Estimate, Estimator, Root
from greedyhull.solvers.gradients.dual import Dual
from greedyhull.solvers.gradients.minibatch import Minibatch
from greedyhull.solvers.gradients.momentum import Momentum
from greedyhull.solvers.gradients.saga import Saga
from greedyhull.solvers.gradients.spider import Spider
from greedyhull.solvers.gradients.storm import Storm
from greedyhull.solvers.gradients.svrg import Svrg

__all__ = ["Dual", "Estimate", "Estimator", "Minibatch", "Momentum", "Root", "Saga", "Spider", "Storm", "Svrg"]
