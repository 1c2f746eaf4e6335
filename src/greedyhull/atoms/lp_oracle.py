"""The linear oracle of a polytope: a HiGHS model that is kept between calls, and vertices of a basis."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import frexp, ldexp
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from greedyhull.atoms.arguments import scaled
from greedyhull.atoms.base import OracleBase
from greedyhull.atoms.neighbours import Remembered, one_block
from greedyhull.atoms.polyhedron import EPS, Rows, clipped, dual_bound
from greedyhull.errors import GreedyhullError, GreedyhullWarning, check, installing
from greedyhull.points.blocks import under
from greedyhull.points.shapes import Dense, Sparse
from greedyhull.types import Array, Atom, Block, Index, Shape, Shortlist, State

if TYPE_CHECKING:
    from greedyhull.atoms.linear_program import Polytope


LOWER, BASIC, UPPER, FREE = 0, 1, 2, 3  # where a variable or a row stands
FEASIBLE = 1e-10  # the tightest that HiGHS takes
LIMITS = ("the limit on its iterations", "the limit on its time")
SETTINGS = {"presolve": "off", "solver": "simplex", "threads": 1, "output_flag": False,
            "dual_feasibility_tolerance": FEASIBLE}
DUAL = 1  # HiGHS's number of its dual simplex method; the primal one, 4, goes on from a basis after costs have changed
USUAL = 6  # rows and bounds of sizes from 2^-6 to 2^6 are not scaled: HiGHS scales these itself, and its tolerances fit


def highs() -> Any:
    """Return the module highspy, imported at first use."""
    try:
        import highspy
    except ImportError:
        raise GreedyhullError("LinearProgram and Transport ask HiGHS, and the package highspy is not installed. "
                              f"{installing('lp')}") from None
    return highspy


class Model:
    """One HiGHS model of a polytope, with costs that change."""

    def __init__(self, P: Rows, options: Mapping[str, Any]) -> None:
        module = highs()
        self.P, self.module, self.h = P, module, module.Highs()
        self.sizes = sizes_of(P)
        self.unit = unit_of(P, self.sizes)
        ends = np.abs(np.concatenate([P.l, P.u])) / np.concatenate([self.sizes, self.sizes]) / self.unit
        rounded = 8.0 * EPS * float(ends[np.isfinite(ends)].max(initial=0.0))  # what rounding may have done to a row's end
        feasible = min(max(FEASIBLE, rounded), 1e-6)  # absolute
        for name, value in {**SETTINGS, "primal_feasibility_tolerance": feasible, **options}.items():
            check(self.h.setOptionValue(name, value) == module.HighsStatus.kOk,
                  f"options={{{name!r}: {value!r}}} was given, which HiGHS does not take. Its documentation lists options and "
                  "their values.")
        lp, A = module.HighsLp(), P.columns
        lp.num_col_, lp.num_row_ = P.d, P.m
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.zeros(P.d), P.lower / self.unit, P.upper / self.unit
        lp.row_lower_, lp.row_upper_ = P.l / self.sizes / self.unit, P.u / self.sizes / self.unit
        lp.a_matrix_.format_ = module.MatrixFormat.kColwise
        lp.a_matrix_.start_, lp.a_matrix_.index_ = A.indptr, A.indices
        lp.a_matrix_.value_ = A.data / self.sizes[A.indices]
        self.h.passModel(lp)
        self._places = np.arange(P.d, dtype=np.int32)
        self._basis: Any = None
        self._keeps = self.h.getNumNz() > 0  # without entries HiGHS needs no basis, and reading one ends the process

    def begin(self, columns: Array, rows: Array) -> None:
        module = self.module
        status = module.HighsBasisStatus
        table = [status.kLower, status.kBasic, status.kUpper, status.kZero]
        basis = module.HighsBasis()
        basis.col_status, basis.row_status = [table[s] for s in columns.tolist()], [table[s] for s in rows.tolist()]
        basis.valid, basis.alien = True, False
        self._basis = basis

    def basis(self) -> tuple[Array, Array]:
        """Where every variable and row stands, as numbers."""
        P, told, unit = self.P, self.h.getSolution(), self.unit
        columns, rows = _stands(unit * np.array(told.col_value), P.lower, P.upper), np.full(P.m, BASIC, dtype=np.int8)
        if self._keeps:
            rows = _stands(unit * self.sizes * np.array(told.row_value), P.l, P.u)
            basic = np.asarray(self.h.getBasicVariables()[1])
            columns[basic[basic >= 0]] = BASIC
            rows[-1 - basic[basic < 0]] = BASIC
        return columns, rows

    def duals(self) -> Array:
        """HiGHS's own row prices of the last question; infinite where they overflow."""
        with np.errstate(over="ignore"):
            return np.array(self.h.getSolution().row_dual) / self.sizes

    def minimise(self, cost: Array, method: int = 4) -> str:
        """Minimise ⟨cost, ·⟩ and return HiGHS's status, such as "optimal"."""
        h = self.h
        h.clearSolver()
        h.setOptionValue("simplex_strategy", method)
        if self._basis is not None and self._keeps:
            h.setBasis(self._basis)
        h.changeColsCost(self.P.d, self._places, cost)
        h.run()
        said = self.said()
        if self._keeps and said != "infeasible":
            self._basis = h.getBasis()
        return said

    def again(self, cost: Array) -> str:
        """The same without the last basis, by the dual method: where the first way led nowhere."""
        self._basis = None
        return self.minimise(cost, DUAL)

    def said(self) -> str:
        status, now = self.module.HighsModelStatus, self.h.getModelStatus()
        words = {status.kOptimal: "optimal", status.kInfeasible: "infeasible", status.kUnbounded: "unbounded",
                 status.kUnboundedOrInfeasible: "infeasible", status.kModelEmpty: "optimal",
                 status.kIterationLimit: LIMITS[0], status.kTimeLimit: LIMITS[1]}
        return words.get(now, str(self.h.modelStatusToString(now)))

    @property
    def ended(self) -> bool:
        """Whether there is a basis to look at."""
        valid = self.h.getInfo().basis_validity == self.module.BasisValidity.kBasisValidityValid
        return self.said() != "infeasible" and (valid or not self._keeps)

    def conflict(self) -> list[str]:
        """The rows that no point satisfies together, by HiGHS's ray; empty where it knows none."""
        _, known, ray = self.h.getDualRay()
        return _largest(np.asarray(ray), self.P.names) if known and self.P.m else []

    def endless(self) -> list[str]:
        _, known, ray = self.h.getPrimalRay()
        return _largest(np.asarray(ray), self.P.variables) if known else []


def listed(names: list[str]) -> str:
    """A few names in words."""
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if names[5:] else "")


def _largest(ray: Array, names: list[str]) -> list[str]:
    """The names of the entries that matter, the largest first."""
    size = np.abs(ray)
    order = np.argsort(-size, kind="stable")
    return [names[j] for j in order.tolist() if size[j] > 1e-9 * size.max()]


def _stands(at: Array, low: Array, high: Array) -> Array:
    up = np.isfinite(high) & (np.abs(at - high) < np.abs(at - low))
    free = np.isinf(low) & np.isinf(high)
    return np.where(free, FREE, np.where(up, UPPER, LOWER)).astype(np.int8)


def sizes_of(P: Rows) -> Array:
    """The power of two by which each row is divided for HiGHS, which takes entries below 1e-9 for 0 and none above 1e15."""
    largest = np.asarray(abs(P.A).max(axis=1).toarray()).ravel() if P.m else np.zeros(0)
    power = np.clip(np.frexp(largest)[1], -1073, 1000)
    return np.ldexp(1.0, np.where(np.abs(power) <= USUAL, 0, power))


def unit_of(P: Rows, sizes: Array) -> float:
    """The unit of bounds for HiGHS, whose tolerances are absolute: a power of two near their median, or 1."""
    ends = np.abs(np.concatenate([P.l / sizes, P.u / sizes, P.lower, P.upper]))
    ends = ends[np.isfinite(ends) & (ends > 0.0)]
    power = frexp(float(np.median(ends)))[1] if len(ends) else 0
    return 1.0 if abs(power) <= USUAL else ldexp(1.0, min(max(power, -1000), 1000))


class Vertex:
    """The point of a basis, ``x``."""

    def __init__(self, P: Rows, columns: Array, rows: Array) -> None:
        self.P, self.columns, self.rows = P, columns, rows
        self.basic, self.tight = np.flatnonzero(columns == BASIC), np.flatnonzero(rows != BASIC)
        self.sound = len(self.basic) == len(self.tight)
        if self.sound:
            none = not len(self.basic)
            self._solve = (lambda right, transposed: right) if none else _factor(P.part(self.tight, self.basic))
            self.x = self._point()
            self.sound = bool(np.isfinite(self.x).all())

    def _point(self) -> Array:
        """Nonbasic variables at their bounds, basic ones solved for, and once more for what is left; −0.0 becomes 0.0."""
        P, at = self.P, self.columns
        x = np.where(at == UPPER, P.upper, np.where(at == LOWER, P.lower, 0.0))
        x[self.basic] = 0.0
        stand = self.rows[self.tight]
        b = np.where(stand == UPPER, P.u[self.tight], np.where(stand == LOWER, P.l[self.tight], 0.0))
        for _ in range(2):
            left = b - (P.A @ x)[self.tight]
            x[self.basic] += self._solve(left, False)
        return np.clip(x, P.lower, P.upper) + 0.0

    def prices(self, g: Array) -> Array:
        """The row prices y, zero where a row is not tight."""
        y = np.zeros(self.P.m)
        for _ in range(2):
            left = (g - self.P.transposed @ y)[self.basic]
            y[self.tight] += self._solve(left, True)
        return y

    def neighbours(self, g: Array, y: Array, m: int) -> Array:
        """Up to m points one pivot away as rows, those whose entering variable or row costs least first."""
        P = self.P
        z = g - P.transposed @ y
        range_, room = P.upper - P.lower, P.u[self.tight] - P.l[self.tight]
        columns = np.flatnonzero((self.columns != BASIC) & (self.columns != FREE) & (range_ > 0.0))
        rows = np.flatnonzero(room > 0.0)  # places in ``tight``
        costs = np.concatenate([np.abs(z[columns]), np.abs(y[self.tight[rows]])])
        # pivots for each neighbour that is wanted: at a degenerate vertex many lead nowhere
        chosen = np.argsort(costs, kind="stable")[: 3 * m]
        columns, rows = columns[chosen[chosen < len(columns)]], rows[chosen[chosen >= len(columns)] - len(columns)]
        return self._moved(columns, rows, range_, room)[:m]

    def _moved(self, columns: Index, rows: Index, range_: Array, room: Array) -> Array:
        """The ends of the edges on which these variables and rows leave their bounds."""
        P, c = self.P, len(columns)
        right = np.zeros((len(self.tight), c + len(rows)))
        part = P.part(self.tight, columns)
        right[:, :c] = -(part if isinstance(part, np.ndarray) else part.toarray())
        right[rows, c + np.arange(len(rows))] = 1.0
        sign = np.concatenate([np.where(self.columns[columns] == UPPER, -1.0, 1.0),
                               np.where(self.rows[self.tight[rows]] == UPPER, -1.0, 1.0)])
        moves = np.zeros((P.d, c + len(rows)))
        moves[self.basic] = self._solve(right, False) * sign
        moves[columns, np.arange(c)] = sign[:c]
        longest = np.concatenate([range_[columns], room[rows]])
        slack = np.flatnonzero(self.rows == BASIC)
        activity, along = (P.A @ self.x)[slack], (P.A @ moves)[slack]
        steps = np.minimum(longest, np.minimum(_steps(self.x[self.basic], moves[self.basic], P.lower[self.basic],
                           P.upper[self.basic]), _steps(activity, along, P.l[slack], P.u[slack])))
        far = np.flatnonzero((steps > 0.0) & np.isfinite(steps))
        points = np.clip(self.x + steps[far, None] * moves[:, far].T, P.lower, P.upper) + 0.0
        return np.asarray(points[P.violations(points) <= 1e-9])  # relative, by which a point may violate a row


def _steps(at: Array, along: Array, low: Array, high: Array) -> Array:
    """How far each column of ``along`` can be followed within the bounds."""
    near = 1e-11 * np.abs(along).max(axis=0, initial=0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.where(along > near, np.maximum(high - at, 0.0)[:, None] / along, np.inf)
        down = np.where(along < -near, np.minimum(low - at, 0.0)[:, None] / along, np.inf)
    return np.asarray(np.minimum(up, down).min(axis=0, initial=np.inf))


def _factor(M: Any) -> Any:
    """What solves M x = right, or M' x = right; a singular M gives NaN, which the caller sees."""
    if M.shape[0] <= 300:  # rows up to which the factor is dense
        from greedyhull.kernels.lapack import dgetrf, dgetrs

        lu, pivots, info = dgetrf(M if isinstance(M, np.ndarray) else M.toarray())
        if info != 0:
            return lambda right, transposed: np.full(np.shape(right), np.nan)
        return lambda right, transposed: dgetrs(lu, pivots, right, trans=int(transposed))[0]
    from scipy.sparse import csc_array

    from greedyhull.kernels.lapack import splu

    try:
        factor = splu(csc_array(M))
    except RuntimeError:  # exactly singular
        return lambda right, transposed: np.full(np.shape(right), np.nan)
    solve: Any = factor.solve  # its stub does not know the transposed problem
    return lambda right, transposed: solve(right, "T" if transposed else "N")


class LinearProgramOracle(OracleBase):
    """Answers depend on the basis and on the vertices remembered, both of which are its state."""

    def __init__(self, S: Polytope) -> None:
        self.S, self.model = S, Model(S.rows, S.options)
        self.basis = S.first
        self.model.begin(*self.basis)
        self.seen, self.asked, self.warned = Remembered(300), 0, False  # vertices that are remembered

    def best(self, g: Array, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Shortlist:
        """The best vertex, those next to it, and earlier answers that score well: one solve, whatever m is."""
        g = np.ascontiguousarray(g, dtype=np.float64).ravel()
        cost, shift = scaled(g, 10)  # HiGHS's tolerance of 1e-10 is 1e-13 of that
        vertex = self._solved(cost)
        y = vertex.prices(cost)
        y = y if np.isfinite(y).all() else np.zeros_like(y)
        lower = float(np.ldexp(dual_bound(self.S.rows, self.S.extent, cost, y), shift))
        self.asked += 1
        points = vertex.x[None, :]
        if m > 1:
            # vertices next to the best one in an answer: more of them save rounds, and cost more than these in reweighting
            points = np.vstack([points, vertex.neighbours(cost, clipped(self.S.rows, y), min(m - 1, 8))])
        block = self.seen.kept_best(self._block(points, cost), g, m, self.asked)
        score = float(block.dots(g)[0])
        return Shortlist(block, float(max(score - lower, 0.0) + 8.0 * EPS * abs(score)))

    def prices(self, g: Array) -> tuple[Array, Array]:
        cost, shift = scaled(g, 10)
        y = np.ldexp(clipped(self.S.rows, self._solved(cost).prices(cost)), shift)
        return y, g - self.S.rows.transposed @ y

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
        return vertex if vertex.sound and self.S.rows.violations(vertex.x[None, :])[0] <= 1e-9 else None

    def _block(self, points: Array, cost: Array) -> Block:
        """The rows of ``points`` as atoms, each once; one that was seen before, up to rounding, is that one."""
        old, scores, costs = self.seen.block, self.seen.scores(cost), float(np.abs(cost).sum())
        atoms: dict[Hashable, Atom] = {}
        like = 1e-11  # vertices that differ by less, relative to the largest of them, are one reached from two bases
        for x, score, size in zip(points, points @ cost, np.abs(points).max(axis=1), strict=True):
            near = np.flatnonzero(np.abs(scores - score) <= like * size * costs).tolist()
            same = (old[i] for i in near if old is not None and _distance(old[i], x, self.S.shape) <= like * size)
            places = np.flatnonzero(x)
            new = Dense(x.reshape(self.S.shape).copy()) if self.S.dense_atoms else Sparse(places, x[places])
            atom = next(same, None) or new
            atoms.setdefault(atom.key, atom)
        return one_block(list(atoms.values()), points.shape[1])

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

