"""The K-sparse polytope as its coordinates see it: bounds, and an l1 budget."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from greedyhull.atoms.scores import top
from greedyhull.kernels.l1_box_qp import FULL, l1_box_gap, l1_price, nearest_sparse, solve_l1_box_qp
from greedyhull.types import Array, Frame, Index
from greedyhull.types.override import KeepsRegion, KeepsSection, override

AHEAD = 1  # times K coordinates are let in while the budget lasts, and as many again as there are
LEAST = 20  # and so many at least


@dataclass(slots=True, eq=False)
class SparseRegion(KeepsRegion):
    """|x| ≤ bound with ‖x‖₁ ≤ K·bound."""

    K: int
    bound: float
    middle: Array | None = None

    @property
    def budget(self) -> float:
        return self.K * self.bound

    @override
    def moved(self, c: float, v: Array) -> SparseRegion | None:
        return None if v.any() or c == 0.0 else SparseRegion(self.K, abs(c) * self.bound)

    @override
    def nearest(self, x: Array) -> Array:
        return nearest_sparse(x, self.bound, self.budget)

    @override
    def begin(self, d: int) -> Array:
        return np.zeros(d)

    def _price(self, g: Array, x: Array) -> float:
        """What one more unit of the budget is worth; nothing, where some is left."""
        left = float(np.abs(x).sum()) < self.budget * (1.0 - FULL)
        return 0.0 if left else l1_price(g, self.bound, self.budget)

    @override
    def free(self, g: Array, x: Array) -> Index:
        """Those between their bounds, those at a bound that should leave it, and of those at zero the steepest."""
        price, on = self._price(g, x), x != 0.0
        inward = np.where(x > 0.0, g, -g) + price > 0.0
        free = on & ((np.abs(x) < self.bound) | inward)
        sizes = np.where(on, 0.0, np.abs(g))
        wanted = sizes >= price if price > 0.0 else sizes > 0.0
        many = max(AHEAD * self.K, LEAST, int(on.sum()))
        steep = top(sizes, many) if many < len(g) else np.arange(len(g))
        free[steep[(wanted & ~on)[steep]]] = True
        return np.flatnonzero(free)

    @override
    def shares(self, g: Array, x: Array) -> Array:
        price = self._price(g, x)
        shares: Array = g * x + price * np.abs(x) + self.bound * np.maximum(np.abs(g) - price, 0.0)
        return shares

    @override
    def section(self, frame: Frame, x: Array) -> SparseSection:
        rest = x.copy()
        frame.write(rest, np.zeros(len(frame)))
        used = float(np.abs(rest).sum())
        return SparseSection(self.bound, max(self.budget - used, float(np.abs(frame.read(x)).sum())))


@dataclass(slots=True, eq=False)
class SparseSection(KeepsSection):
    """|y| ≤ bound with ‖y‖₁ ≤ budget."""

    bound: float
    budget: float

    @override
    def gap(self, grad: Array, y: Array) -> float:
        return l1_box_gap(grad, y, self.bound, self.budget)

    @override
    def slope(self, grad: Array, y: Array, target: Array) -> float:
        """Relative to the price of the budget, which may be large compared with what it is about."""
        price = l1_price(grad, self.bound, self.budget)
        signs = np.where((target > 0.0) | ((target == 0.0) & (y > 0.0)), 1.0, -1.0)
        return float((grad + price * signs).dot(target - y)) - price * float(signs.dot(target) - signs.dot(y))

    @override
    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        return solve_l1_box_qp(H, grad, y, self.bound, self.budget, tol)
