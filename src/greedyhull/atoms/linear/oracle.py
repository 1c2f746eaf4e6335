"""The linear oracle of a polytope for one solve: a HiGHS model that goes on from its last basis."""

from __future__ import annotations

from collections.abc import Hashable
from math import frexp
from typing import TYPE_CHECKING
from warnings import warn

import numpy as np

from greedyhull.atoms.linear.dual_bound import EPS, clipped, dual_bound
from greedyhull.atoms.linear.model import DUAL, LIMITS, Model, listed
from greedyhull.atoms.linear.vertex import Vertex
from greedyhull.atoms.oracle_base import OracleBase
from greedyhull.atoms.remembered import Remembered
from greedyhull.atoms.scores import lowest
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check
from greedyhull.points.shapes import Dense, DenseBlock, Sparse, SparseBlock
from greedyhull.points.states import under
from greedyhull.types import Array, Atom, Block, Shape, Shortlist, State

if TYPE_CHECKING:
    from greedyhull.atoms.linear.polytope import Polytope

KEPT = 300  # vertices that are remembered
BESIDE = 8  # vertices next to the best one in an answer: more of them save rounds, and cost more than these in reweighting
SAME = 1e-11  # vertices that differ by less, relative to the largest of them, are the same one reached from two bases
FEASIBLE = 1e-9
FINE = 10  # costs are scaled to about 2^10, so that HiGHS's tolerance of 1e-10 is 1e-13 of them


class LinearProgramOracle(OracleBase):
    """Answers depend on the basis and on the vertices remembered, both of which are its state."""

    def __init__(self, S: Polytope) -> None:
        self.S, self.model = S, Model(S.rows, S.options)
        self.basis = S.first
        self.model.begin(*self.basis)
        self.seen, self.asked, self.warned = Remembered(KEPT), 0, False

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        """The best vertex, those next to it, and earlier answers that score well: one solve, whatever m is."""
        g = np.ascontiguousarray(g, dtype=np.float64).ravel()
        check(bool(np.isfinite(g).all()), "The gradient has NaN or infinite entries; a linear program needs finite costs.")
        shift = frexp(float(np.abs(g).max(initial=0.0)))[1] - FINE
        cost = np.ldexp(g, -shift)
        vertex = self._solved(cost)
        y = vertex.prices(cost)
        y = y if np.isfinite(y).all() else np.zeros_like(y)
        lower = float(np.ldexp(dual_bound(self.S.rows, self.S.extent, cost, y), shift))
        self.asked += 1
        points = vertex.x[None, :]
        if m > 1:
            points = np.vstack([points, vertex.neighbours(cost, clipped(self.S.rows, y), min(m - 1, BESIDE))])
        block = self._block(points, cost)
        self.seen.keep(block, self.asked)
        if m > 1 and self.seen.block is not None:
            order = lowest(self.seen.block.dots(g), m)
            block = self.seen.block.take(order)
            self.seen.used[order] = self.asked
        score = float(block.dots(g)[0])
        return Shortlist(block, float(max(score - lower, 0.0) + 8.0 * EPS * abs(score)))

    def prices(self, g: Array) -> tuple[Array, Array]:
        """Row prices y and reduced costs g − A'y at the best vertex for g."""
        shift = frexp(float(np.abs(g).max(initial=0.0)))[1] - FINE
        cost = np.ldexp(g, -shift)
        y = np.ldexp(clipped(self.S.rows, self._solved(cost).prices(cost)), shift)
        return y, g - self.S.rows.transposed @ y

    # --- one solve ------------------------------------------------------------------------------------------------

    def _solved(self, cost: Array) -> Vertex:
        """The vertex at which HiGHS ended, feasible to 1e-9; from its own basis if it lost its way from the last one."""
        said = self.model.minimise(cost)
        vertex = self._vertex()
        if vertex is None or said not in ("optimal", *LIMITS):  # such as unbounded: rounding on the way from the last basis
            said = self.model.again(cost)
            vertex = self._vertex() or vertex
        if vertex is None:
            raise GreedyhullError(f"HiGHS stopped ({said}) without a vertex of {self.S!r}, so the oracle has no answer. Raise "
                                  "its limits in options=, or scale the rows: the sizes of their entries should be alike.")
        if said != "optimal" and not self.warned:
            self.warned = True
            warn(f"HiGHS stopped early: {said}. Its vertex is used; what it may lack is in every gap, by the bound that its "
                 "row prices prove.", GreedyhullWarning, stacklevel=5)
        self.basis = vertex.columns, vertex.rows
        return vertex

    def _vertex(self) -> Vertex | None:
        if not self.model.ended:
            return None
        vertex = Vertex(self.S.rows, *self.model.basis())
        return vertex if vertex.sound and self.S.rows.violation(vertex.x) <= FEASIBLE else None

    # --- atoms ----------------------------------------------------------------------------------------------------

    def _block(self, points: Array, cost: Array) -> Block:
        """The rows of ``points`` as atoms, each once; one that was seen before, up to rounding, is that one."""
        old, scores, costs = self.seen.block, self.seen.scores(cost), float(np.abs(cost).sum())
        atoms: dict[Hashable, Atom] = {}
        for x, score, size in zip(points, points @ cost, np.abs(points).max(axis=1), strict=True):
            near = np.flatnonzero(np.abs(scores - score) <= SAME * size * costs).tolist()
            same = (old[i] for i in near if old is not None and _distance(old[i], x, self.S.shape) <= SAME * size)
            atom = next(same, None) or self._atom(x)
            atoms.setdefault(atom.key, atom)
        listed = list(atoms.values())
        if self.S.dense_atoms:
            return DenseBlock(np.stack([d.array.ravel() for d in listed if isinstance(d, Dense)]), self.S.shape)
        return SparseBlock(points.shape[1], [d for d in listed if isinstance(d, Sparse)])

    def _atom(self, x: Array) -> Atom:
        if self.S.dense_atoms:
            return Dense(x.reshape(self.S.shape).copy())
        places = np.flatnonzero(x)
        return Sparse(places, x[places])

    # --- what is saved --------------------------------------------------------------------------------------------

    def state(self) -> State:
        seen = {f"seen.{name}": array for name, array in self.seen.state().items()}
        return {"columns": self.basis[0].copy(), "rows": self.basis[1].copy(), "asked": np.array(self.asked), **seen}

    def restore(self, state: State) -> None:
        self.basis, self.asked = (state["columns"], state["rows"]), int(state["asked"])
        self.model.begin(*self.basis)
        self.seen.restore(under("seen", state))


def _distance(atom: Atom, x: Array, shape: Shape) -> float:
    """The largest difference of an entry."""
    other = x.copy()
    atom.add_to(other if isinstance(atom, Sparse) else other.reshape(shape), -1.0)
    return float(np.abs(other).max(initial=0.0))


def first_basis(model: Model) -> tuple[Array, Array]:
    """A basis to begin with; words where no point satisfies all rows."""
    said = model.minimise(np.zeros(model.P.d), DUAL)
    if said == "infeasible":
        names = model.conflict()
        raise GreedyhullError("No point satisfies the rows and bounds together. "
                              + (f"These rows cannot all hold within the bounds: {listed(names)}. " if names[1:]
                                 else f"Row {names[0]} cannot hold within the bounds. " if names else "")
                              + "Raise a right-hand side, widen bounds, or leave a row out.")
    check(model.ended, lambda: f"HiGHS stopped ({said}) without a vertex of the polytope. Scale its rows: the sizes of their "
          "entries and right-hand sides should be alike, from about 1e-6 to 1e6.")
    return model.basis()  # which ends the process where there is none
