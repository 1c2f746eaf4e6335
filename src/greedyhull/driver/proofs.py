"""When an oracle that proposes atoms without a proof is asked for one: seldom, and where it decides.

Such an answer has an infinite slack. Its estimate of the gap steers the solver; a floor of the oracle, which may be dear,
makes it a bound. The run asks at iterations 0, 10, 20, 40, 80, …, so that solvers know a bound now and then; where the
estimate meets the request on the gap, after another half of the iterations so far if the proof did not; and at the end. A
proof that cannot better the bound of the run is not asked for: so a cache, whose answers promise no more than is known,
never is.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from greedyhull.points.entering import KINDS
from greedyhull.solvers.parts.memory import Recorder
from greedyhull.solvers.parts.progress import Event, Progress
from greedyhull.types import Answer

if TYPE_CHECKING:
    from greedyhull.driver.run import Run

NEAR = 0.1  # of the estimate: what a proof may be off by, where a sharper one would take longer; at the start, all of it
LITTLE = 1e-7  # of the value: what the proof at the end may be off by
HALVES = 60  # of the value, down to which a request is compared
FIRST = 10  # iterations from the first proof to the second


class Proofs:
    """The proofs of one run. What they were at this iteration is kept with the state: one that is begun again is the same.

    Only those at set iterations steer the solver. A run that is resumed may have another request than the one that was saved.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.again = 0  # when the next proof for a stop may be
        self.least: float | None = None  # the smallest gap that can be proved, where that does not meet the request

    def on_time(self, p: Progress, value: float, rounding: float) -> Progress:
        """p, with a proof where one is due."""
        memory = self.run.memory
        kept = memory.arrays.get("proofs")
        due, at, *told = (0.0, -1.0) if kept is None else kept.tolist()
        if memory.k == at and p.answer is not None and p.estimate == told[0]:  # begun again after a resume
            answer = p.answer
            atom = answer.atom if isinstance(answer, Answer) else answer.atoms[0]
            return p.proved(Answer(atom, told[1], KINDS[int(told[2])], told[3]))
        if memory.k < due or not self._helps(p, value - memory.guide, rounding):
            return p
        proof = self._ask(p, NEAR * p.estimate if memory.k else p.estimate)
        memory.arrays["proofs"] = np.array([max(2.0 * memory.k, memory.k + FIRST), memory.k, p.estimate, proof.slack,
                                            KINDS.index(proof.kind), proof.delta])
        return p.proved(proof)

    def for_stop(self, p: Progress, event: Event) -> Progress | None:
        """p with a proof, if the request on the gap would be met with the estimate and may be met with the proof."""
        run, off = self.run, self.run.rounding + self.run.gradient_slack
        gap = p.estimate + off
        if run.memory.k < self.again or not self._helps(p, event.gap, off):
            return None
        if not run.stop.met(replace(event, gap=gap, lower=event.value - gap)):
            return None
        self.again = run.memory.k + max(1, run.memory.k // 2)  # if it falls short
        proof = self._ask(p, 0.5 * self._to_spare(event, gap))
        least = self._oracle.sharpest + off
        met = run.stop.met(replace(event, gap=least, lower=event.value - least))  # if the estimate were nothing
        self.least = least if least > off and not met else None
        return p.proved(proof)

    def _to_spare(self, event: Event, gap: float) -> float:
        """What a gap that meets the request may grow by and still meet it, within a factor of two."""
        spare = max(abs(event.value), gap)
        for _ in range(HALVES):
            wider = gap + spare
            if self.run.stop.met(replace(event, gap=wider, lower=event.value - wider)):
                return spare
            spare *= 0.5
        return 0.0

    def at_end(self, p: Progress, event: Event) -> Progress | None:
        """p with a proof, if that can better the bound that the run would end with."""
        if not self._helps(p, event.gap, self.run.rounding + self.run.gradient_slack):
            return None
        return p.proved(self._ask(p, max(NEAR * p.estimate, LITTLE * abs(event.value))))

    def _helps(self, p: Progress, known: float, rounding: float) -> bool:
        """Whether a proof can make the gap less than what is known, and there is an answer to prove."""
        return p.gap == inf and p.estimate + rounding < known and p.answer is not None and self._oracle.gave(p.answer)

    def _ask(self, p: Progress, tol: float) -> Answer:
        assert p.answer is not None
        return self._oracle.proved(p.answer, max(tol, 0.0))

    @property
    def _oracle(self) -> Recorder:
        return self.run.memory.oracle(self.run.S)
