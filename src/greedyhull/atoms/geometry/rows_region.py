"""A polytope by its rows as its coordinates see it: bounds and rows, which Newton steps keep together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from greedyhull.kernels.rows_products import Quadratic, Rows, rows_by_products
from greedyhull.kernels.rows_qp import Limits, priced_rows_qp, solve_rows_qp
from greedyhull.kernels.rows_systems import Factored, Form
from greedyhull.types import Array, Frame, Index, Region
from greedyhull.types.override import KeepsRegion, KeepsSection, override

AWAY = 1e-5  # of its distance: how exactly the nearest point is found
NEAR = 1e-11  # of a row's size: what a point misses by less is rounding
MANY = 200  # variables from which on systems of few rows pay; those of all variables are the more exact ones
LOOSE = 30.0  # the same for products: a round more goes on from the right face, and costs less than going far at once
FINE = 1e-3  # of the tolerance asked for: two more steps of a solve cost less than another round


@dataclass(slots=True, eq=False)
class RowsRegion(KeepsRegion):
    """low ≤ x ≤ high and l ≤ Ax ≤ u; all points have ends[0] ≤ x ≤ ends[1], which are finite, and ``inside`` is one.

    ``least`` tells the least ⟨g, x⟩. All coordinates are solved for together.
    """

    limits: Limits
    ends: tuple[Array, Array]
    inside: Array
    least: Callable[[Array], float]
    middle: Array | None = None
    _rows: Rows | None = field(default=None, init=False)

    @property
    def rows(self) -> Rows:
        """A by its columns."""
        if self._rows is None:
            self._rows = Rows.of(self.limits.A)
        return self._rows

    @override
    def begin(self, d: int) -> Array | None:
        return None

    @override
    def nearest(self, x: Array) -> Array:
        near = np.clip(x, self.limits.low, self.limits.high) + 0.0
        size = float(np.maximum(np.abs(self.ends[0]), np.abs(self.ends[1])).max())
        activity, off = self.limits.A.dot(near), NEAR * self.limits._replace(low=self.ends[0], high=self.ends[1]).sizes()
        on = bool((activity >= self.limits.l - off).all() and (activity <= self.limits.u + off).all())
        if on and float(np.abs(near - x).max(initial=0.0)) <= NEAR * size:
            return near
        missed = float(np.maximum(activity - self.limits.u, self.limits.l - activity).max(initial=0.0))
        return self.projected(x, near, max(missed, float(np.abs(near - x).max())))

    def projected(self, x: Array, near: Array, off: float) -> Array:
        """The nearest point to x, from ``near``, which is about ``off`` away from the set."""
        one = Quadratic(lambda v: v, near - x, near, lambda g, z: float(g.dot(z)) - self.least(g))
        found = rows_by_products(one, self.limits, self.rows, x.size * (AWAY * off) ** 2)
        if found is not None:
            return found[0]
        flat = Factored(np.ones(x.size), np.zeros((0, x.size)))
        return solve_rows_qp(flat, self.inside - x, self.inside, self.limits, 0.0, self.ends)

    @override
    def free(self, g: Array, x: Array) -> Index:
        return np.arange(x.size)

    @override
    def shares(self, g: Array, x: Array) -> Array:
        """What each coordinate could add where only its ends held."""
        return np.asarray(np.maximum(g * (x - self.ends[0]), g * (x - self.ends[1])))

    @override
    def section(self, frame: Frame, x: Array) -> RowsSection:
        places = frame.read(np.arange(x.size, dtype=np.float64)).astype(np.intp)
        if (places == np.arange(x.size)).all():
            return RowsSection(self.limits, self.ends, places, self.least, self.rows)
        low, high, A, l, u = self.limits
        limits = Limits(low[places], high[places], np.ascontiguousarray(A[:, places]), l, u)
        return RowsSection(limits, (self.ends[0][places], self.ends[1][places]), places, self.least)

    @override
    def moved(self, c: float, v: Array) -> RowsRegion | None:
        if c == 0.0:
            return None
        low, high, A, l, u = self.limits
        flat, turn, least = v.ravel(), (1 if c > 0.0 else -1), self.least
        shift = A.dot(flat)
        low, high = (c * low + flat, c * high + flat)[::turn]
        l, u = (c * l + shift, c * u + shift)[::turn]
        ends = (c * self.ends[0] + flat, c * self.ends[1] + flat)[::turn]
        return RowsRegion(Limits(low, high, A, l, u), (ends[0], ends[1]), c * self.inside + flat,
                          lambda g: abs(c) * least(turn * g) + float(g.dot(flat)))


@dataclass(slots=True, eq=False)
class RowsSection(KeepsSection):
    """All coordinates, in the order of ``places``; ``left`` is the gap that was told last.

    ``rows`` are known where that is their own order, and ``prices`` of the equations once a quadratic was solved.
    """

    limits: Limits
    ends: tuple[Array, Array]
    places: Index
    least: Callable[[Array], float]
    rows: Rows | None = None
    left: float = np.inf
    prices: Array | None = None

    @override
    def gap(self, grad: Array, y: Array) -> float:
        g = np.empty(len(grad))
        g[self.places] = grad
        self.left = float(grad.dot(y)) - self.least(g)
        return self.left

    @override
    def slope(self, grad: Array, y: Array, target: Array) -> float:
        """Relative to prices of the equations, which may be large compared with what it is about."""
        if self.prices is not None:
            prices = self.prices.dot(self.limits.A) if self.rows is None else self.rows.back(self.prices)
            return float((grad - prices).dot(target - y))
        E = self.limits.A[self.limits.l == self.limits.u]
        prices = np.linalg.lstsq(E.T, grad, rcond=None)[0] if len(E) else np.zeros(0)
        return float((grad - prices.dot(E)).dot(target - y))

    @override
    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        return self._solved(_form(H), grad, y, tol)

    def solve_factored(self, D: Array, F: Array, grad: Array, y: Array, tol: float) -> Array:
        """The same for H = diag(D) + FᵀF."""
        d, rows, equations = len(D), len(F) + len(self.limits.l), int((self.limits.l == self.limits.u).sum())
        form = Factored(D, F)
        fewer = rows**3 / 3.0 + d * float(len(F)) ** 2 < d**3 / 3.0 + d**2 * float(equations)
        if fewer and d >= MANY:
            found = self._solved(form, grad, y, tol)
            if (found != y).any():
                return found
        return self._solved(form.square(np.arange(d)), grad, y, tol)

    def solve_by_products(self, product: Callable[[Array], Array], grad: Array, y: Array, tol: float,
                          added: tuple[float, ...] = (0.0,)) -> Array | None:
        """The same for H by v ↦ Hv; None where that leads nowhere. ``added`` are multiples of ½‖x − y‖² that are tried."""
        if self.rows is None:
            return None
        found = rows_by_products(Quadratic(product, grad, y, self._gap_at), self.limits, self.rows, LOOSE * tol, added)
        if found is None:
            return None
        target, prices = found
        self.prices = np.where(self.limits.l == self.limits.u, prices, 0.0)
        return target

    def _gap_at(self, g: Array, x: Array) -> float:
        return float(g.dot(x)) - self.least(g)

    def _solved(self, H: Form, grad: Array, y: Array, tol: float) -> Array:
        """Where rounding keeps the quadratic from being solved any better than it is, y stays: moves would only be noise."""
        found, prices = priced_rows_qp(H, grad, y, self.limits, FINE * tol, self.ends, self.left)
        self.prices = None if prices is None else np.where(self.limits.l == self.limits.u, prices, 0.0)
        return found


@dataclass(frozen=True, eq=False)
class LeastOfAll:
    """The least ⟨g, x⟩ of points side by side: the sum over the parts, which begin at ``starts``."""

    parts: tuple[Callable[[Array], float], ...]
    starts: Index

    def __call__(self, g: Array) -> float:
        return float(sum(least(part) for least, part in zip(self.parts, np.split(g, self.starts[1:]), strict=True)))


def side_by_side(regions: Sequence[Region | None], most: int, entries: int) -> RowsRegion | None:
    """The region of a product whose parts are all given by rows; None where one is not, or where there is too much of it."""
    from greedyhull.kernels.lapack import block_diag

    rows = [region for region in regions if isinstance(region, RowsRegion)]
    sizes = [len(region.inside) for region in rows]
    if len(rows) < len(regions) or sum(sizes) > most or sum(sizes) * sum(len(r.limits.l) for r in rows) > entries:
        return None
    low, high, _, l, u = (np.concatenate(side) if i != 2 else side[0]
                          for i, side in enumerate(zip(*(region.limits for region in rows), strict=True)))
    ends = (np.concatenate([region.ends[0] for region in rows]), np.concatenate([region.ends[1] for region in rows]))
    return RowsRegion(Limits(low, high, block_diag(*(region.limits.A for region in rows)), l, u), ends,
                      np.concatenate([region.inside for region in rows]),
                      LeastOfAll(tuple(region.least for region in rows), np.cumsum([0, *sizes[:-1]])))


def _form(H: Array) -> Form:
    """H as it is, or its diagonal where there is nothing else."""
    diagonal = H.diagonal()
    alone = np.count_nonzero(H) == np.count_nonzero(diagonal) and (diagonal > 0.0).all()
    return Factored(diagonal, np.zeros((0, len(H)))) if alone else H
