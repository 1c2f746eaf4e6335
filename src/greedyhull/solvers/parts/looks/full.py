"""The full gap, now and then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from greedyhull.errors.hinted import hinted
from greedyhull.objectives.batch import count_of
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.looks.base import Looking
from greedyhull.solvers.parts.looks.gap import full_gap
from greedyhull.solvers.parts.looks.minibatch import MinibatchGap
from greedyhull.solvers.parts.looks.timing import Looks
from greedyhull.solvers.parts.memory import Memory
from greedyhull.solvers.parts.progress import Progress
from greedyhull.types import AtomSet, Objective


@hinted
@dataclass(frozen=True)
class FullGap:
    """max over S of ⟨∇f(w), w − ·⟩ from all n terms of a sum: kind "always".

    It costs a pass. Looks are taken at the start, after every pass, and less and less often; or at steps that are
    multiples of ``every``. A stream has no full gap, and is looked at with `MinibatchGap()`.
    """

    every: int | None = None
    averages: ClassVar[bool] = False

    def __post_init__(self) -> None:
        Looks(1, self.every)

    def start(self, f: Objective, S: AtomSet, w: Iterate, memory: Memory) -> Looking:
        n = count_of(f)
        if n is None:
            return MinibatchGap(every=self.every).start(f, S, w, memory)
        return _Working(f, S, w, memory, n, self.every)


class _Working(Looking):
    def __call__(self, w: Iterate, also: Any = None) -> Progress:
        return full_gap(self.f, self.choice.point(w), self.oracle, also)
