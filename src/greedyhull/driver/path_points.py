"""Solutions of a path of least squares, made from what the compiled core says of its points."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from greedyhull.driver.batch.together import aim_of
from greedyhull.driver.certificate import Certificate
from greedyhull.driver.solution import Solution
from greedyhull.driver.stop import Stop
from greedyhull.driver.trace import Trace
from greedyhull.objectives.composite import EPS, Composite
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.solvers.corrective import Corrective
from greedyhull.solvers.parts.ahead import Aim
from greedyhull.solvers.parts.progress import Event
from greedyhull.solvers.parts.square_path import SquareStarts, square_starts
from greedyhull.types import Array, AtomSet, Objective

PART = 0.8  # of the gap that is asked for, to which the core solves: the rest is for rounding
FINEST = 1e-12  # the least relative gap that it is asked for
TIMES = 8.0  # products of two sums make up value and gap, with room to spare
RANGE = 1e50  # sizes whose squares neither overflow nor vanish


class PathPoints:
    """What is the same for all points of a path: the objective, how large images are, and what is asked for.

    With ‖·‖ the norm weighted as the loss is, value and gap are sums of products of z = Aw and y with columns of A and with
    each other, each computed from the data. Their rounding is below TIMES·κ·(R + ‖y‖)², where R bounds ‖z‖ over the ball and
    κ = eps·(2n + terms + 64) is what sums over rows, atoms and again rows can lose.
    """

    def __init__(self, f: Composite, S: AtomSet, starts: SquareStarts, stop: Stop, aim: Aim, seed: int) -> None:
        self.f, self.starts, self.stop, self.aim, self.seed = f, starts, stop, aim, seed
        p, y = np.asarray(f.exact.p, dtype=np.float64), np.asarray(f.exact.y, dtype=np.float64)
        self.reach = float(np.sqrt(p.max())) * f.precise().image_bound(S)  # of the ball of radius one
        self.size = float(np.sqrt(np.sum(p * y * y)))
        self.choice = f"{f!r} was followed over growing radii in the compiled core."
        self.scale, self.rows = float(f.scale), f.design.n

    def solution(self, S: AtomSet, radius: float, x: Array) -> Solution | None:
        """The solution at the point where the core stands, if it meets what is asked for."""
        value, gap = self.starts.value, self.starts.gap
        terms, far = int(np.count_nonzero(x)), radius * self.reach + self.size
        if not 1.0 / RANGE < far < RANGE:
            return None
        gap += TIMES * EPS * (2 * self.rows + terms + 64) * far * far
        if not self.aim.absolute >= gap and not self.aim.relative * max(abs(value), self.floor) >= gap:
            return None
        seconds = perf_counter() - self.starts.began
        point = CoordinateIterate(x)
        point.decompose = S.decompose
        reason = self.stop.claim(Event(1, seconds, value, gap, value - gap, point, value, scale=self.scale))
        if reason is None:
            return None
        trace = Trace()
        trace.rows.append((1, seconds, value, gap, terms, 1, 1, 1.0, 0.0, gap))
        return Solution(point, Certificate(value, gap, value - gap), reason.words, True, 1, seconds, trace,
                        Corrective(), self.f, S, choice=self.choice, stop=self.stop, seed=self.seed)

    @property
    def floor(self) -> float:
        return self.scale if self.aim.floor is None else self.aim.floor


def followed(f: Objective, S: AtomSet, stop: Stop, seed: int, *, whole: bool) -> tuple[SquareStarts | None, PathPoints | None]:
    """What the core does for a path over S, the ball of radius one: starts, and with ``whole`` solutions.

    Solutions need a stop that asks for a gap, and for nothing else that a run would have to see.
    """
    aim = aim_of(stop) if whole else None
    if aim is None or not isinstance(f, Composite):
        return square_starts(f, S), None
    share = max(aim.relative, aim.absolute / f.scale if f.scale > 0.0 else 0.0)
    starts = square_starts(f, S, max(PART * share, FINEST))
    return starts, None if starts is None else PathPoints(f, S, starts, stop, aim, seed)
