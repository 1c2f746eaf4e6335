"""The group l1 ball as its coordinates see it: whole groups, and a budget for the sum of their norms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedyhull.atoms.labels import Groups
from greedyhull.atoms.scores import top
from greedyhull.kernels.group_ball_qp import solve_group_qp
from greedyhull.types import Array, Frame, Index
from greedyhull.types.override import KeepsRegion, KeepsSection, override

AHEAD = 80  # coordinates in groups at zero that are let in together, the steepest; or as many groups as there are already
MOST = 2000  # coordinates of the groups that are solved for together
FULL = 1e-9  # of the budget: what is left of it counts as nothing


@dataclass(slots=True, eq=False)
class GroupBallRegion(KeepsRegion):
    """Σ over disjoint groups of ‖x_group‖₂ ≤ radius; ``of`` has the group of each coordinate."""

    groups: Groups
    of: Index
    radius: float
    middle: Array | None = None

    @override
    def begin(self, d: int) -> Array:
        return np.zeros(d)

    @override
    def nearest(self, x: Array) -> Array:
        """Norms fall by one threshold, directions stay."""
        norms = self.groups.norms(x)
        if float(norms.sum()) <= self.radius:
            return x
        down = np.sort(norms)[::-1]
        cuts = (np.cumsum(down) - self.radius) / np.arange(1, len(down) + 1)
        cut = float(cuts[int((down > cuts).nonzero()[0][-1])])
        return np.asarray(x * np.where(norms > cut, 1.0 - cut / np.where(norms > 0.0, norms, 1.0), 0.0)[self.of])

    @override
    def free(self, g: Array, x: Array) -> Index:
        """The groups that are not zero, and of those at zero the steepest that are worth more than the budget's price."""
        norms, slopes = self.groups.norms(x), self.groups.norms(g)
        on = norms > 0.0
        left = float(norms.sum()) < self.radius * (1.0 - FULL)
        price = 0.0 if left else -float(g.dot(x)) / self.radius
        worth = np.where(on | (slopes <= max(price, 0.0)), 0.0, slopes)
        chosen = on.copy()
        chosen[top(worth, max(1 + AHEAD * len(norms) // len(x), int(on.sum())))] = True
        chosen &= on | (worth > 0.0)
        sizes = np.diff(self.groups.starts)
        if int(sizes[chosen].sum()) > MOST:  # of too many the steepest
            order = np.argsort(np.where(chosen, -slopes, np.inf), kind="stable")
            chosen[order[np.cumsum(sizes[order]) > max(MOST, sizes[order[0]])]] = False
        return chosen[self.of].nonzero()[0]

    @override
    def shares(self, g: Array, x: Array) -> Array:
        """What each coordinate's group promises: on a curved set the gap is no sum over coordinates."""
        return np.asarray(self.groups.norms(g)[self.of])

    @override
    def section(self, frame: Frame, x: Array) -> GroupSection:
        of = frame.read(self.of)
        rest = self.groups.norms(x)
        inside = float(rest[np.unique(of)].sum())
        rest[of] = 0.0
        return GroupSection(of, max(self.radius - float(rest.sum()), inside))

    @override
    def moved(self, c: float, v: Array) -> GroupBallRegion | None:
        return None if v.any() or c == 0.0 else GroupBallRegion(self.groups, self.of, abs(c) * self.radius)


@dataclass(slots=True, eq=False)
class GroupSection(KeepsSection):
    """Σ over groups of ‖y_group‖₂ ≤ budget; ``of`` has the group of each coordinate."""

    of: Index
    budget: float

    def _norms(self, y: Array) -> Array:
        size = float(np.abs(y).max(initial=0.0)) or 1.0
        return np.asarray(size * np.sqrt(np.bincount(self.of, (y / size) ** 2)))

    @override
    def gap(self, grad: Array, y: Array) -> float:
        return float(grad.dot(y)) + self.budget * float(self._norms(grad).max())

    @override
    def slope(self, grad: Array, y: Array, target: Array) -> float:
        """Relative to the price of the budget, which may be large compared with what it is about."""
        price, before, after = float(self._norms(grad).max()), self._norms(y), self._norms(target)
        worth = np.bincount(self.of, grad * target) + price * after - np.bincount(self.of, grad * y) - price * before
        return float(worth.sum()) - price * float(after.sum() - before.sum())

    @override
    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        if self.budget <= 0.0:
            return y.copy()
        return solve_group_qp(H, grad, y, self.of, self.budget, tol)
