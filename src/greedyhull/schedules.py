"""Sequences over the iterations: tolerances of an oracle, batch sizes, weights.

>>> from greedyhull import schedules
>>> [schedules.harmonic(0.5)(k) for k in (0, 2)]
[0.5, 0.25]
"""

from greedyhull.solvers.parts.schedules import Growing, constant, harmonic, linear, of_gap, power, zero

__all__ = ["Growing", "constant", "harmonic", "linear", "of_gap", "power", "zero"]
