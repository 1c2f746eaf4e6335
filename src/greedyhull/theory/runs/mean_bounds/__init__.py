"""Which bounds hold in expectation for a finished stochastic run, with their numbers.

What such a run leaves behind are its configuration, the number of its steps and a gap now and then: steps and batches
are known in advance, so every statement is computed from them and from the constants of the problem (`theory.constants`),
and refused where its conditions do not hold for each step that was taken. All are about means over the random draws; a
single run may be worse. Solvers name the statements that are about them in ``theorems``.
"""

from greedyhull.theory.runs.mean_bounds.arsfw import ARSFW
from greedyhull.theory.runs.mean_bounds.asfw import ASFW
from greedyhull.theory.runs.mean_bounds.asj import ASJ

__all__ = ["ARSFW", "ASFW", "ASJ"]
