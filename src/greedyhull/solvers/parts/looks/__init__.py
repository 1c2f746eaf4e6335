"""When a stochastic solver has its point certified, and how: one kind of look a file.

>>> FullGap(every=100), MinibatchGap(500).delta, Regret().averages
(FullGap(every=100), 0.05, True)
"""

from greedyhull.solvers.parts.looks.base import Look, Looking, at_steps
from greedyhull.solvers.parts.looks.full import FullGap
from greedyhull.solvers.parts.looks.minibatch import MinibatchGap
from greedyhull.solvers.parts.looks.regret import Regret
from greedyhull.solvers.parts.looks.timing import Looks

__all__ = ["FullGap", "Look", "Looking", "Looks", "MinibatchGap", "Regret", "at_steps"]
