"""Steps, tolerances and batch sizes of all steps of a run at once: arrays for the library's own schedules.

What a user's schedule gives is asked step by step, as the solver did.
"""

from __future__ import annotations

import numpy as np

from greedyhull.solvers.gradients.base import Size, size
from greedyhull.solvers.parts.batch_sizes import Grown
from greedyhull.solvers.parts.rules import APriori
from greedyhull.solvers.parts.schedules import ConstantSchedule, Harmonic, Linear, PowerSchedule
from greedyhull.solvers.parts.steps import Constant, LogAdaptive, OpenLoop, Power
from greedyhull.types import Array, Schedule


def steps_of(rule: APriori, T: int) -> Array:
    """η_1, …, η_T: the rule at 0, …, T − 1.

    >>> steps_of(OpenLoop(), 3)
    array([1.        , 0.66666667, 0.5       ])
    """
    k = np.arange(float(T))
    if type(rule) is OpenLoop:
        return np.asarray(rule.ell / (k + rule.ell))
    if type(rule) is Power:
        return np.asarray((k + 1.0) ** -rule.p)
    if type(rule) is Constant:
        return np.full(T, float(rule.eta))
    if type(rule) is LogAdaptive:
        ell = 2.0 + np.log(k + 1.0)
        return np.asarray(ell / (k + ell))
    return np.array([float(rule.at(j)) for j in range(T)])


def tolerances_of(schedule: Schedule, T: int) -> Array:
    """ε_1, …, ε_T, where no gap is asked for: the schedule at 0, …, T − 1."""
    k = np.arange(float(T))
    if type(schedule) is ConstantSchedule:
        return np.full(T, schedule.value)
    if type(schedule) is Harmonic:
        return np.asarray(2.0 * schedule.scale / (k + 2.0))
    if type(schedule) is PowerSchedule:
        return np.asarray(schedule.scale * (k + 1.0) ** -schedule.p)
    return np.array([float(schedule(j, None)) for j in range(T)])


def sizes_of(batch: Size, eta: Array, n: int | None) -> Array:
    """b_1, …, b_T, infinite where the batch is all of the n terms."""
    k = np.arange(1.0, len(eta) + 1.0)
    if type(batch) is Linear:
        b = np.ceil(np.maximum(1.0, batch.scale * k))
    elif type(batch) is Grown:
        b = np.ceil(np.maximum(1.0, (batch.scale / eta) ** 2))
    elif not callable(batch):
        b = np.full(len(eta), float(size(batch, 1, n)))
    else:
        b = np.array([float(size(batch, j, n)) for j in range(1, len(eta) + 1)])
    return np.where(b >= (np.inf if n is None else n), np.inf, b)
