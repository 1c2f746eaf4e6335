"""What all looks share: when they are due, which point they are about, and how they survive a resume."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Protocol

import numpy as np

from greedyhull.errors import check
from greedyhull.errors.given import shown
from greedyhull.objectives.coarse import coarse_of, gradient_errors
from greedyhull.objectives.gradient_error import error_slack
from greedyhull.objectives.ridged import without_ridge
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.looks.choice import choice_of
from greedyhull.solvers.parts.looks.timing import Looks
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.types import Array, AtomSet, Objective, State
from greedyhull.types.attributes import lacks


class Look(Protocol):
    """The frozen configuration: how a point is certified, and at which steps (``every``; None: as the work grows)."""

    averages: ClassVar[bool]  # whether it certifies a mean of the points, which needs unbiased estimates of the gradient

    @property
    def every(self) -> int | None: ...
    def start(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Looking: ...


class Looking(ABC):
    """A look at work in one solve. Solvers keep it as a part of the memory and need two lines:

        if look.due(k, source.spent):
            yield look(w, also)

    and, where the look may be about points of the past, ``look.seen(g, x, eta)`` at every step. A look is due at its own
    times, and whenever the driver asks for a point because the run must end. It draws no random number of the run
    and only glances at its oracle, so that a run takes the same way however often it is looked at.
    """

    def __init__(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory, cost: float, every: int | None) -> None:
        self.f, self.S, self.w, self.memory = f, S, w, memory
        self.oracle, self.choice = memory.oracle(S), choice_of(f, memory)
        self.timer = Looks(cost, every)
        self.taken, self.done, self.count = -1, 0.0, 0  # the step of the look that is being taken, if one is; those before it
        self.spent = 0.0

    def due(self, k: int, spent: float = 0.0) -> bool:
        """Whether to look at step k, when ``spent`` terms have been asked for."""
        self.spent = spent
        if self.taken == k:  # the run was saved while this look was taken, and begins the iteration again
            return True
        done = spent if self.timer.every is None else k
        if self.taken >= 0:
            if self.timer.due(self.done):
                self.timer.passed(self.done)
            self.taken, self.count = -1, self.count + 1
        if not self.timer.due(done):
            if not self.memory.requested(k):
                return False
            self.memory.arrays["looked_early"] = np.array(k)  # for a run that is resumed here
        self.taken, self.done = k, float(done)
        self.w.views.pop(without_ridge(self.f), None)  # an image of all n terms, left by an earlier look: moves would carry it
        return True

    @abstractmethod
    def __call__(self, w: Iterate, also: Any = None) -> Progress:
        """The point with its bound."""

    def coarse_slack(self, g: Array) -> float:
        """What an error of g because of its dtype may hide; 0 where a user's gradients are float64."""
        seen = coarse_of(self.f)
        return 0.0 if seen is None else error_slack(gradient_errors(seen, g), self.S)

    def seen(self, g: Array, x: Array, eta: float, weight: float = 1.0, spread: float = 2.0) -> None:
        """At x the gradient was estimated as g, with that ``spread`` (`Estimate`); a step η follows.

        ``weight`` is that of x in a mean of the points.
        """
        self.choice.seen(x, eta)

    def state(self) -> State:
        return {**self.timer.state(), **self.choice.state(), "taken": np.array([self.taken, self.done, self.count])}

    def restore(self, state: State) -> None:
        self.timer.restore(state)
        self.choice.restore(state)
        taken, self.done, count = (float(x) for x in state["taken"])
        self.taken, self.count = int(taken), int(count)


def at_steps(look: Look, every: int | None) -> Look:
    """The look, at multiples of ``every`` if that is given: what solvers do with the short cut of that name."""
    make = f" Make one: {look.__name__}()." if isinstance(look, type) else ""
    check(not lacks(look, "start"), lambda: f"look={shown(look)} was given; a look such as FullGap(), MinibatchGap(1000) or "
                                            f"Regret() is wanted.{make}")
    return look if every is None else replace(look, every=every)  # type: ignore[type-var]  # a look is a frozen dataclass


def spent_on(delta: float, count: int) -> float:
    """How likely the next of many tests may be to fail after ``count`` others, δ/(j(j + 1)): in all the sum is δ.

    >>> sum(spent_on(0.1, j) for j in range(1000)) < 0.1
    True
    """
    return delta / ((count + 1.0) * (count + 2.0))
