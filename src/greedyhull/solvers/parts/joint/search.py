"""The joint choice for any convex f: best-first branch and bound over lines, with a proved error.

Every candidate is a convex line h(η) = f(w + ηv) on [0, cap] whose slope h'(0) is known at once. Its tangent bounds it
from below, and so do the tangents where it has been looked at. The line with the lowest bound is looked at next; when
no bound is below the best value − tolerance, that tolerance is the proved error.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush

import numpy as np

from greedyhull.points.direction import Direction
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.joint.bracket import Bracket
from greedyhull.solvers.parts.joint.choice import Choice, searched
from greedyhull.types import Answer, Array, AtomSet, Finite, Line, Objective

KEPT = 16  # how many lines are kept at hand: each holds an image, and most are looked at once
EXACT = 1e-9  # what counts as exact, relative to the decrease


class Lines:
    """The lines that have been looked at; they hold images, so only so many are kept."""

    def __init__(self, f: Objective, w: Iterate, make: Callable[[int], Direction]) -> None:
        self.f, self.w, self.make = f, w, make
        self.kept: dict[int, tuple[Direction, Line]] = {}

    def __call__(self, j: int) -> tuple[Direction, Line]:
        if j not in self.kept:
            if len(self.kept) >= KEPT:
                self.kept.clear()
            move = self.make(j)
            self.kept[j] = (move, self.f.along(self.w, move))
        return self.kept[j]


def search(f: Objective, w: Iterate, slopes: Array, caps: Array, make: Callable[[int], Direction], first: Choice,
           tol: float = 0.0, share: float = EXACT) -> Choice:
    """The best (η, candidate), to within ``tol`` or a ``share`` of the decrease; ``first`` is a choice at hand.

    Candidate j is the move ``make(j)``, with slope ``slopes[j]`` at 0 and followed up to ``caps[j]``.
    """
    start, best, lines = f.value(w), first, Lines(f, w, make)
    noise = 8.0 * float(np.finfo(np.float64).eps) * abs(start)

    def level() -> float:
        return float(best.value - max(tol, share * (start - best.value), noise))

    roots = start + slopes * caps
    open_ = np.flatnonzero((roots < level()) & (slopes < 0.0))
    settled = float(np.delete(roots, open_).min(initial=np.inf))  # the lowest bound of all lines that are done with
    heap = [(float(roots[j]), j) for j in open_.tolist()]
    heapify(heap)
    brackets: dict[int, Bracket] = {}
    while heap and heap[0][0] < level():
        _, j = heappop(heap)
        move, line = lines(j)
        if j not in brackets:
            brackets[j] = Bracket(start, float(slopes[j]), float(caps[j]))
            brackets[j].limited(line.limit)
        bracket = brackets[j]
        x = bracket.next(level())
        seen = line.probe((x,))
        value, slope = float(seen.values[0]), float(seen.slopes[0])
        bracket.cut(x, value, slope)
        if value < best.value:
            best = Choice(move, x, value)
        bound = bracket.bound()
        if bound < level() and not bracket.spent():
            heappush(heap, (bound, j))
        else:
            settled = min(settled, bound)
            del brackets[j]
    if best is not first:
        polished = searched(f, w, best.move)
        best = polished if polished.value < best.value else best
    least = min(settled, heap[0][0] if heap else np.inf)
    return best._replace(error=max(best.value - least, 0.0) + noise)


def search_at(f: Objective, w: Iterate, slopes: Array, make: Callable[[int], Direction], eta: float, first: Choice,
              tol: float = 0.0) -> Choice:
    """The best candidate at the step η, to within ``tol``. One look settles a candidate, and most need none: the tangent
    excludes all whose Frank-Wolfe error exceeds Mη/2 (Theorem 4), without anybody knowing M."""
    start, best = f.value(w), first
    noise = 8.0 * float(np.finfo(np.float64).eps) * abs(start)
    roots = start + eta * slopes
    open_ = np.flatnonzero(roots < best.value - max(tol, noise))
    least = float(np.delete(roots, open_).min(initial=np.inf))
    for j in open_[np.argsort(roots[open_], kind="stable")].tolist():
        if roots[j] >= best.value - max(tol, noise):
            least = min(least, float(roots[j]))
            break
        move = make(j)
        line = f.along(w, move)
        value = line.value(eta) if eta < line.limit else np.inf
        least = min(least, value)
        if value < best.value:
            best = Choice(move, eta, value)
    return best._replace(error=max(best.value - least, 0.0) + noise)


class BranchAndBound:
    """The joint choice over the listed atoms of S, for any convex f."""

    def __init__(self, f: Objective, S: Finite) -> None:
        self.f, self.S = f, S

    def _slopes(self, w: Iterate) -> Array:
        return np.asarray(self.S.scores(as_array(self.f.gradient(w))) - self.f.gradient_dot(w), dtype=np.float64)

    def jointly(self, w: Iterate, answer: Answer, tol: float) -> Choice:
        """min over η in [0, 1] and all atoms; the Frank-Wolfe step with line search is where it begins."""
        slopes, first = self._slopes(w), searched(self.f, w, w.toward(answer.atom))
        found = search(self.f, w, slopes, np.ones(len(slopes)), lambda j: w.toward(self.S[j]), first, tol)
        return found._replace(error=found.error + self.f.rounding(w, self.S))

    def at(self, w: Iterate, answer: Answer, eta: float, tol: float) -> Choice:
        """min over all atoms at the step η."""
        toward = w.toward(answer.atom)
        first = Choice(toward, eta, self.f.along(w, toward).value(eta))
        found = search_at(self.f, w, self._slopes(w), lambda j: w.toward(self.S[j]), eta, first, tol)
        return found._replace(error=found.error + self.f.rounding(w, self.S))


class Vertex:
    """The oracle's atom, where atoms cannot be listed: an (M/2)-Jones oracle (Theorem 4).

    Convexity bounds its error without M: no atom leads below f(w) − η·gap.
    """

    def __init__(self, f: Objective, S: AtomSet) -> None:
        self.f, self.S = f, S

    def _gap(self, w: Iterate, answer: Answer) -> float:
        return float(self.f.gradient_dot(w) - answer.atom.dot(self.f.gradient(w)) + answer.slack + self.f.rounding(w, self.S))

    def jointly(self, w: Iterate, answer: Answer, tol: float) -> Choice:
        """Line search toward the oracle's atom."""
        found = searched(self.f, w, w.toward(answer.atom))
        return found._replace(error=max(found.value - self.f.value(w) + self._gap(w, answer), 0.0))

    def at(self, w: Iterate, answer: Answer, eta: float, tol: float) -> Choice:
        """The step η toward the oracle's atom."""
        move = w.toward(answer.atom)
        value = self.f.along(w, move).value(eta)
        return Choice(move, eta, value, max(value - self.f.value(w) + eta * self._gap(w, answer), 0.0))
