"""What holds in expectation for `RegularizedStochasticFrankWolfe`: theorem ARSFW, in advance and along the run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from greedyhull.driver.bounds.mean.record import StochasticRecord
from greedyhull.errors import check
from greedyhull.solvers.parts.gradient_weights import Steady, weights_of
from greedyhull.solvers.parts.steps import Power
from greedyhull.solvers.regularized_stochastic_frank_wolfe import RegularizedStochasticFrankWolfe
from greedyhull.theory import Bound, Constant, Status, Theorems, arsfw
from greedyhull.types.kinds import linear_model

Run: TypeAlias = StochasticRecord[RegularizedStochasticFrankWolfe]


def _arsfw(run: Run) -> Iterator[Bound]:
    run.must_be_convex()
    weights, K, rho = weights_of(run.solver.sigma), run.constants, float(run.solver.regularizer.rho)
    check(weights.bound is not None and run.solver.step == Power(0.5),
          "It is about Unweighted(), Fading() or Steady(t) weights with steps Power(0.5).")
    c = float(run.solver.begins(run.f, run.S, run.solver.first(run.f, run.S).array()).c)
    if isinstance(weights, Steady):  # σ = ch^−3/4 is c't^−3/4 for another number t of steps
        c *= (run.T / weights.horizon) ** 0.75
    status: Status = "estimated" if K.D.status == "estimated" else "upper bound"
    known = weights.c is not None or linear_model(run.f) is not None  # else c was measured at the first point
    R2 = Constant(float(run.solution.also.get("R2", 0.5 * float(K.D) ** 2)), status, "R2")  # max Φ from where it began
    c_eps = Constant(float(run.c), run.c.status, "c_ε")
    check(np.isfinite(float(K.L_rms)) and np.isfinite(float(K.D)), f"L or D is not finite: {K.L_rms!r}, {K.D!r}.")
    value = arsfw(weights.bound, run.T, c=c, L=float(K.L_rms), M_Phi=float(K.M_Phi), R2=float(R2), rho=rho, c_eps=float(c_eps))
    yield run.bound("Theorem ARSFW", float(value), ("L_rms", "M_Phi"), f"of {weights.bound!r}: theory.arsfw",
                    also=(R2, Constant(c, "exact" if known else "estimated", "c"), Constant(rho, "exact", "rho"), c_eps))


def _arsfw_along(run: Run) -> Iterator[Bound]:
    run.must_be_convex()
    value = float(run.solution.also.get("bound", np.inf))
    yield run.bound("Theorem ARSFW (along the run)", value, ("D",),
                    "[Σ σ_k‖g_k‖√(2G_k/ρ) + ½Σ σ_k²‖g_k‖²/(ρβ_k) + β_t R²]/Σ σ_k, G_k the gap of F_k at w_k")


ARSFW = Theorems(StochasticRecord, {"Theorem ARSFW": _arsfw, "Theorem ARSFW (along the run)": _arsfw_along})
