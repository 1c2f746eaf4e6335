"""A HiGHS model that is kept between questions: costs change, rows and bounds stay, and the last basis is where it begins.

Before every question all that HiGHS remembers besides the basis is dropped, so that an answer depends on basis and costs alone
and a run that is resumed from a saved basis takes the same way. This costs nothing that can be measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import frexp, ldexp
from typing import Any

import numpy as np

from greedyhull.atoms.linear.rows import Rows
from greedyhull.errors import GreedyhullError, installing
from greedyhull.types import Array

LOWER, BASIC, UPPER, FREE = 0, 1, 2, 3  # where a variable or a row stands
FEASIBLE = 1e-10  # the tightest that HiGHS takes
LOOSEST, ROUNDED = 1e-6, 8 * float(np.finfo(np.float64).eps)  # of the largest end of a row: what rounding may have done to it
LIMITS = ("the limit on its iterations", "the limit on its time")
SETTINGS = {"presolve": "off", "solver": "simplex", "threads": 1, "output_flag": False,
            "dual_feasibility_tolerance": FEASIBLE}
PRIMAL, DUAL = 4, 1  # HiGHS's numbers of its simplex methods: the primal one goes on from a basis after costs have changed
USUAL = 6  # rows and bounds of sizes from 2^-6 to 2^6 are told as they are: HiGHS scales these itself, and its tolerances fit
NAMED = 5  # rows or variables that an error names


def highs() -> Any:
    """The module highspy, imported where it is first asked for."""
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
        for name, value in {**SETTINGS, "primal_feasibility_tolerance": self._feasible(), **options}.items():
            known = self.h.setOptionValue(name, value) == module.HighsStatus.kOk
            if not known:
                raise GreedyhullError(f"options={{{name!r}: {value!r}}} was given, which HiGHS does not take. Its "
                                      "documentation lists options and their values.")
        self.h.passModel(_passed(module, P, self.sizes, self.unit))
        self._places = np.arange(P.d, dtype=np.int32)
        self._basis: Any = None
        self._keeps = self.h.getNumNz() > 0  # without entries HiGHS needs no basis, and asking for one ends the process

    def _feasible(self) -> float:
        """How far HiGHS lets rows and bounds be missed, an absolute number: rounding of the largest of them is no conflict."""
        ends = np.abs(np.concatenate([self.P.l, self.P.u])) / np.concatenate([self.sizes, self.sizes]) / self.unit
        return min(max(FEASIBLE, ROUNDED * float(ends[np.isfinite(ends)].max(initial=0.0))), LOOSEST)

    # --- the basis ------------------------------------------------------------------------------------------------

    def begin(self, columns: Array, rows: Array) -> None:
        """Let the next question begin at this basis."""
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

    # --- questions ------------------------------------------------------------------------------------------------

    def minimise(self, cost: Array, method: int = PRIMAL) -> str:
        """Ask for min ⟨cost, ·⟩; what HiGHS said of it, "optimal" or another word."""
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

    # --- rays -----------------------------------------------------------------------------------------------------

    def conflict(self) -> list[str]:
        """The rows that no point satisfies together, by HiGHS's ray; empty where it knows none."""
        _, known, ray = self.h.getDualRay()
        return _largest(np.asarray(ray), self.P.names) if known and self.P.m else []

    def endless(self) -> list[str]:
        """The variables that a way without end changes."""
        _, known, ray = self.h.getPrimalRay()
        return _largest(np.asarray(ray), self.P.variables) if known else []


def listed(names: list[str]) -> str:
    """A few names in words."""
    shown = ", ".join(names[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED} more"


def _largest(ray: Array, names: list[str]) -> list[str]:
    """The names of the entries that matter, the largest first."""
    size = np.abs(ray)
    order = np.argsort(-size, kind="stable")
    return [names[j] for j in order.tolist() if size[j] > 1e-9 * size.max()]


def _stands(at: Array, low: Array, high: Array) -> Array:
    """At which end each number is."""
    up = np.isfinite(high) & (np.abs(at - high) < np.abs(at - low))
    free = np.isinf(low) & np.isinf(high)
    return np.where(free, FREE, np.where(up, UPPER, LOWER)).astype(np.int8)


def sizes_of(P: Rows) -> Array:
    """What each row is divided by before HiGHS sees it, a power of two: the size of its entries where that is far from 1.

    HiGHS takes entries below 1e-9 for 0, and refuses those above 1e15.
    """
    largest = np.asarray(abs(P.A).max(axis=1).toarray()).ravel() if P.m else np.zeros(0)
    power = np.clip(np.frexp(largest)[1], -1073, 1000)
    return np.ldexp(1.0, np.where(np.abs(power) <= USUAL, 0, power))


def unit_of(P: Rows, sizes: Array) -> float:
    """The unit in which HiGHS is told the bounds, a power of two: their median where that is far from 1.

    HiGHS's tolerances are absolute: points below 1e-10 are all feasible to it, and a program with points of 1e7 and costs of
    1e3 is called unbounded. Bases are the same in any unit, and so are prices.
    """
    ends = np.abs(np.concatenate([P.l / sizes, P.u / sizes, P.lower, P.upper]))
    ends = ends[np.isfinite(ends) & (ends > 0.0)]
    power = frexp(float(np.median(ends)))[1] if len(ends) else 0
    return 1.0 if abs(power) <= USUAL else ldexp(1.0, min(max(power, -1000), 1000))


def _passed(module: Any, P: Rows, sizes: Array, unit: float) -> Any:
    lp, A = module.HighsLp(), P.columns
    lp.num_col_, lp.num_row_ = P.d, P.m
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.zeros(P.d), P.lower / unit, P.upper / unit
    lp.row_lower_, lp.row_upper_ = P.l / sizes / unit, P.u / sizes / unit
    lp.a_matrix_.format_ = module.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = A.indptr, A.indices, A.data / sizes[A.indices]
    return lp
