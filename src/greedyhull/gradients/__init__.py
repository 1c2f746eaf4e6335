"""Estimates of ∇f from minibatches, one file each: a small object that a stochastic solver asks once a step.

>>> Minibatch(32), Svrg(batch=Root(2 / 3), epoch=Root(1 / 3)).unbiased
(Minibatch(batch=32, replace=True), True)
"""

from greedyhull.gradients.base import Estimate, Estimator, Root
from greedyhull.gradients.dual import Dual
from greedyhull.gradients.minibatch import Minibatch
from greedyhull.gradients.momentum import Momentum
from greedyhull.gradients.saga import Saga
from greedyhull.gradients.spider import Spider
from greedyhull.gradients.storm import Storm
from greedyhull.gradients.svrg import Svrg

__all__ = ["Dual", "Estimate", "Estimator", "Minibatch", "Momentum", "Root", "Saga", "Spider", "Storm", "Svrg"]
