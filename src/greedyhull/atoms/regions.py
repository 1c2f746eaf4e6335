"""Sets in coordinates, for Newton steps: boxes, balls, bounded simplices, polytopes by rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from greedyhull.kernels import bounded_qp as qp
from greedyhull.kernels.polyhedral_interior import Factored, Hessian
from greedyhull.kernels.polyhedral_products import Quadratic, Rows, rows_by_products
from greedyhull.kernels.polyhedral_qp import Polyhedron, priced_rows_qp, solve_rows_qp
from greedyhull.types import Array, Frame, Index, Region


class CoordinateSet:
    """A convex set in coordinates, or its section by a subspace (frame) through one of its points; all arrays are flat."""

    __slots__ = ()
    middle: Array | None = None  # if any turn about it maps the set to itself: sections may have any directions
    if TYPE_CHECKING:
        def nearest(self, x: Array) -> Array: ...
        def shares(self, g: Array, x: Array) -> Array: ...  # what each coordinate adds to the duality gap
        def section(self, frame: Frame, x: Array) -> CoordinateSet: ...  # in the coordinates y of the frame
        def gap(self, grad: Array, y: Array) -> float: ...  # ⟨grad, y⟩ less its least value
        def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array: ...  # the QP's minimiser, to a gap of tol

    def begin(self, d: int) -> Array | None:
        """Return where a run goes at first if f is lower there; None: it stays."""
        return self.nearest(np.zeros(d))

    def free(self, g: Array, x: Array) -> Index:
        """Return the coordinates in which a function with gradient g can fall."""
        return np.arange(x.size)

    def level(self, grad: Array) -> Any:
        """Return the part of the gradient that the equations balance, which may be large compared with the rest."""
        return 0.0

    def slope(self, grad: Array, y: Array, target: Array) -> float:
        """Return ⟨grad, target − y⟩."""
        return float((grad - self.level(grad)).dot(target - y))

    def moved(self, c: float, v: Array) -> Any:
        """Return the set of all c·x + v; None where it has no name."""
        return None

    def solve_few_rows(self, form: Factored, few: bool, grad: Array, y: Array, tol: float) -> Array:
        """Solve for H = diag(D) + FᵀF by systems of few rows where that pays and leads anywhere, else of all variables."""
        if few and len(y) >= 200:  # variables from which on it pays; systems of all variables are the more exact ones
            found = self._solved(form, grad, y, tol)
            if (found != y).any():
                return found
        return self._solved(form.square(np.arange(len(y))), grad, y, tol)

    def _solved(self, H: Hessian, grad: Array, y: Array, tol: float) -> Array:
        raise NotImplementedError


def with_steepest(on: Array, costs: Array, many: int) -> Index:
    """Return the coordinates that are ``on``, and the ``many`` whose finite costs are least."""
    if many < len(costs):
        steep = np.argpartition(costs, many)[:many]
        on[steep[costs[steep] < np.inf]] = True
        return on.nonzero()[0]
    return (on | (costs < np.inf)).nonzero()[0]


@dataclass(slots=True, eq=False)
class BoxRegion(CoordinateSet):
    """low ≤ x ≤ high."""

    low: Array
    high: Array

    def nearest(self, x: Array) -> Array:
        return np.clip(x, self.low, self.high)

    def free(self, g: Array, x: Array) -> Index:
        return qp.free_coordinates(g, x, self.low, self.high)

    def shares(self, g: Array, x: Array) -> Array:
        return qp.gap_shares(g, x, self.low, self.high)

    def section(self, frame: Frame, x: Array) -> BoxRegion:
        return BoxRegion(frame.read(self.low), frame.read(self.high))

    def moved(self, c: float, v: Array) -> BoxRegion:
        ends = c * self.low + v.ravel(), c * self.high + v.ravel()
        return BoxRegion(*(ends if c > 0.0 else ends[::-1]))

    def gap(self, grad: Array, y: Array) -> float:
        return float(self.shares(grad, y).sum())

    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        return qp.solve_box_qp(H, grad, y, self.low, self.high, tol)

    def solve_factored(self, D: Array, F: Array, grad: Array, y: Array, tol: float) -> Array:
        """The same for H = diag(D) + FᵀF: systems have a row for each row of F."""
        none = Polyhedron(self.low, self.high, np.zeros((0, len(y))), np.zeros(0), np.zeros(0))
        return solve_rows_qp(Factored(D, F), grad, y, none, tol)


@dataclass(slots=True, eq=False)
class CappedSimplexRegion(CoordinateSet):
    """0 ≤ x − low ≤ high with the sum total: a box, once the multiplier of the sum is subtracted from the gradient."""

    high: Array
    total: float
    low: Array | None = None  # None: zero

    def _above(self, x: Array) -> Array:
        return x if self.low is None else np.clip(x - self.low, 0.0, self.high)

    def nearest(self, x: Array) -> Array:
        if self.low is None:
            return qp.project_capped_simplex(x, self.high, self.total)
        return qp.project_capped_simplex(x - self.low, self.high, self.total) + self.low

    def free(self, g: Array, x: Array) -> Index:
        """Those with a gradient of exactly the threshold are free too: the last one to be filled is among them."""
        slopes, v = g - qp.threshold(g, self.high, self.total), self._above(x)
        up, down = (slopes <= 0.0) & (v < self.high), (slopes >= 0.0) & (v > 0.0)
        return ((up | down | ((v > 0.0) & (v < self.high))) & (self.high > 0.0)).nonzero()[0]

    def shares(self, g: Array, x: Array) -> Array:
        return qp.gap_shares(g - qp.threshold(g, self.high, self.total), self._above(x), np.zeros_like(x), self.high)

    def section(self, frame: Frame, x: Array) -> CappedSimplexRegion:
        found = CappedSimplexRegion(frame.read(self.high), 0.0, None if self.low is None else frame.read(self.low))
        found.total = float(found._above(frame.read(x)).sum())
        return found

    def moved(self, c: float, v: Array) -> CappedSimplexRegion | None:
        if c <= 0.0:
            return None
        low = v.ravel().astype(np.float64) if self.low is None else c * self.low + v.ravel()
        return CappedSimplexRegion(c * self.high, c * self.total, low if low.any() else None)

    def gap(self, grad: Array, y: Array) -> float:
        return qp.sum_gap(grad, self._above(y), self.high)

    def level(self, grad: Array) -> float:
        return qp.threshold(grad, self.high, self.total)

    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        found = qp.solve_sum_qp(H, grad, self._above(y), self.high, tol)
        return found if self.low is None else found + self.low

    def solve_factored(self, D: Array, F: Array, grad: Array, y: Array, tol: float) -> Array:
        """The same for H = diag(D) + FᵀF: systems have a row for each row of F, and one for the sum."""
        if 3 * len(F) > len(D):  # times fewer rows than coordinates, from which on systems of the rows pay
            return self.solve(Factored(D, F).square(np.arange(len(D))), grad, y, tol)
        here = self._above(y)
        total = here.sum(keepdims=True)
        P = Polyhedron(np.zeros(len(y)), self.high, np.ones((1, len(y))), total, total)
        found = qp.project_capped_simplex(solve_rows_qp(Factored(D, F), grad, here, P, tol), self.high, float(total[0]))
        return found if self.low is None else found + self.low


@dataclass(slots=True, eq=False)
class BallRegion(CoordinateSet):
    """‖x − middle‖ ≤ radius."""

    middle: Array = field()
    radius: float

    def nearest(self, x: Array) -> Array:
        t = (x - self.middle) / self.radius
        inside = qp.into_unit_ball(t)
        return x if inside is t else self.middle + self.radius * inside

    def shares(self, g: Array, x: Array) -> Array:
        """The size of the gradient: on a sphere the gap is no sum over coordinates."""
        return np.abs(g)

    def section(self, frame: Frame, x: Array) -> BallRegion:
        rest = (x - self.middle) / self.radius
        frame.write(rest, np.zeros(len(frame)))
        return BallRegion(frame.read(self.middle), self.radius * float(np.sqrt(max(1.0 - rest.dot(rest), 0.0))))

    def moved(self, c: float, v: Array) -> BallRegion:
        return BallRegion(c * self.middle + v.ravel(), abs(c) * self.radius)

    def gap(self, grad: Array, y: Array) -> float:
        if self.radius == 0.0:
            return 0.0
        return self.radius * qp.ball_gap(grad, qp.into_unit_ball((y - self.middle) / self.radius))

    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        return qp.solve_ball_qp(H, grad, y, self.middle, self.radius, tol)[0]


@dataclass(slots=True, eq=False)
class RowsRegion(CoordinateSet):
    """low ≤ x ≤ high and l ≤ Ax ≤ u, within the finite ``ends``; ``inside`` is a point, ``first`` where runs begin.

    ``least`` returns the least ⟨g, x⟩. All coordinates are solved for together, in the order of ``places`` if there is one.
    ``left`` is the last gap, ``prices`` those of the equations of the last quadratic.
    """

    polyhedron: Polyhedron
    ends: tuple[Array, Array]
    inside: Array
    least: Callable[[Array], float]
    places: Index | None = None
    first: Array | None = None
    left: float = field(default=np.inf, init=False)
    prices: Array | None = field(default=None, init=False)
    _rows: Rows | None = field(default=None, init=False)

    @property
    def rows(self) -> Rows:
        """A by its columns."""
        if self._rows is None:
            self._rows = Rows.of(self.polyhedron.A)
        return self._rows

    def begin(self, d: int) -> Array | None:
        return None if self.first is None else self.first.copy()

    def nearest(self, x: Array) -> Array:
        near = np.clip(x, self.polyhedron.low, self.polyhedron.high) + 0.0
        size = float(np.maximum(np.abs(self.ends[0]), np.abs(self.ends[1])).max())
        rounding = 1e-11  # of a row's size: what a point misses by less
        activity = self.polyhedron.A.dot(near)
        off = rounding * self.polyhedron._replace(low=self.ends[0], high=self.ends[1]).sizes()
        on = bool((activity >= self.polyhedron.l - off).all() and (activity <= self.polyhedron.u + off).all())
        if on and float(np.abs(near - x).max(initial=0.0)) <= rounding * size:
            return near
        missed = float(np.maximum(activity - self.polyhedron.u, self.polyhedron.l - activity).max(initial=0.0))
        far = max(missed, float(np.abs(near - x).max()))
        one = Quadratic(lambda v: v, near - x, near, self._gap_at)
        # of its distance: how exactly the nearest point is found
        found = rows_by_products(one, self.polyhedron, self.rows, x.size * (1e-5 * far) ** 2)
        if found is not None:
            return found[0]
        flat = Factored(np.ones(x.size), np.zeros((0, x.size)))
        return solve_rows_qp(flat, self.inside - x, self.inside, self.polyhedron, 0.0, self.ends)

    def shares(self, g: Array, x: Array) -> Array:
        return np.asarray(np.maximum(g * (x - self.ends[0]), g * (x - self.ends[1])))

    def section(self, frame: Frame, x: Array) -> RowsRegion:
        places = frame.read(np.arange(x.size, dtype=np.float64)).astype(np.intp)
        if (places == np.arange(x.size)).all():
            found = RowsRegion(self.polyhedron, self.ends, self.inside, self.least)
            found._rows = self.rows
            return found
        low, high, A, l, u = self.polyhedron
        P = Polyhedron(low[places], high[places], np.ascontiguousarray(A[:, places]), l, u)
        return RowsRegion(P, (self.ends[0][places], self.ends[1][places]), self.inside[places], self.least, places)

    def moved(self, c: float, v: Array) -> RowsRegion | None:
        if c == 0.0:
            return None
        low, high, A, l, u = self.polyhedron
        flat, turn, least = v.ravel(), (1 if c > 0.0 else -1), self.least
        shift = A.dot(flat)
        low, high = (c * low + flat, c * high + flat)[::turn]
        l, u = (c * l + shift, c * u + shift)[::turn]
        ends = (c * self.ends[0] + flat, c * self.ends[1] + flat)[::turn]
        return RowsRegion(Polyhedron(low, high, A, l, u), (ends[0], ends[1]), c * self.inside + flat,
                          lambda g: abs(c) * least(turn * g) + float(g.dot(flat)))

    def _gap_at(self, g: Array, x: Array) -> float:
        return float(g.dot(x)) - self.least(g)

    def gap(self, grad: Array, y: Array) -> float:
        g = grad
        if self.places is not None:
            g = np.empty(len(grad))
            g[self.places] = grad
        self.left = float(grad.dot(y)) - self.least(g)
        return self.left

    def level(self, grad: Array) -> Array:
        if self.prices is not None:
            return np.asarray(self.prices.dot(self.polyhedron.A) if self.places is not None else self.rows.back(self.prices))
        E = self.polyhedron.A[self.polyhedron.l == self.polyhedron.u]
        return np.asarray(np.linalg.lstsq(E.T, grad, rcond=None)[0].dot(E) if len(E) else np.zeros(len(grad)))

    def solve(self, H: Array, grad: Array, y: Array, tol: float) -> Array:
        diagonal = H.diagonal()
        alone = np.count_nonzero(H) == np.count_nonzero(diagonal) and (diagonal > 0.0).all()
        return self._solved(Factored(diagonal, np.zeros((0, len(H)))) if alone else H, grad, y, tol)

    def solve_factored(self, D: Array, F: Array, grad: Array, y: Array, tol: float) -> Array:
        d, rows, equations = len(D), len(F) + len(self.polyhedron.l), int((self.polyhedron.l == self.polyhedron.u).sum())
        fewer = rows**3 / 3.0 + d * float(len(F)) ** 2 < d**3 / 3.0 + d**2 * float(equations)
        return self.solve_few_rows(Factored(D, F), fewer, grad, y, tol)

    def solve_by_products(self, product: Callable[[Array], Array], grad: Array, y: Array, tol: float,
                          added: tuple[float, ...] = (0.0,)) -> Array | None:
        """The same for H by v ↦ Hv; None where that leads nowhere. ``added`` are multiples of ½‖x − y‖² that are tried."""
        if self.places is not None:
            return None
        # the same for products: a round more goes on from the right face, and costs less than going far at once
        found = rows_by_products(Quadratic(product, grad, y, self._gap_at), self.polyhedron, self.rows, 30.0 * tol, added)
        if found is None:
            return None
        target, prices = found
        self.prices = np.where(self.polyhedron.l == self.polyhedron.u, prices, 0.0)
        return target

    def _solved(self, H: Hessian, grad: Array, y: Array, tol: float) -> Array:
        """Where rounding keeps the quadratic from being solved any better than it is, y stays: moves would only be noise."""
        # of the tolerance asked for: two more steps of a solve cost less than another round
        found, prices = priced_rows_qp(H, grad, y, self.polyhedron, 1e-3 * tol, self.ends, self.left)
        self.prices = None if prices is None else np.where(self.polyhedron.l == self.polyhedron.u, prices, 0.0)
        return found


def _least_of_parts(parts: list[Callable[[Array], float]], starts: Index, g: Array) -> float:
    return float(sum(least(part) for least, part in zip(parts, np.split(g, starts), strict=True)))


def side_by_side(regions: Sequence[Region | None], most: int, entries: int) -> RowsRegion | None:
    """The region of a product whose parts are all given by rows; None where one is not, or where there is too much of it."""
    from greedyhull.kernels.lapack import block_diag

    rows = [region for region in regions if isinstance(region, RowsRegion)]
    sizes = [len(region.inside) for region in rows]
    if len(rows) < len(regions) or sum(sizes) > most or sum(sizes) * sum(len(r.polyhedron.l) for r in rows) > entries:
        return None
    low, high, _, l, u = (np.concatenate(side) if i != 2 else side[0]
                          for i, side in enumerate(zip(*(region.polyhedron for region in rows), strict=True)))
    ends = (np.concatenate([region.ends[0] for region in rows]), np.concatenate([region.ends[1] for region in rows]))
    return RowsRegion(Polyhedron(low, high, block_diag(*(region.polyhedron.A for region in rows)), l, u), ends,
                      np.concatenate([region.inside for region in rows]),
                      partial(_least_of_parts, [region.least for region in rows], np.cumsum(sizes[:-1])))
