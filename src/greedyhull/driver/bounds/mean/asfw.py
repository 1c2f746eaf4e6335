"""What holds in expectation for `StochasticFrankWolfe`: the recursion of its estimator, and rates in closed form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from greedyhull.driver.bounds.mean.record import StochasticRecord, fast_enough
from greedyhull.driver.bounds.record import two_over
from greedyhull.errors import GreedyhullError, check
from greedyhull.solvers.gradients import Minibatch, Root, Spider, Storm, Svrg
from greedyhull.solvers.parts.steps import Constant as ConstantStep
from greedyhull.solvers.parts.steps import Power
from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
from greedyhull.theory import (
    Along,
    AsRecorded,
    Bound,
    Constant,
    LastIterate,
    Theorems,
    asfw,
    asfw_gap,
    spider_rate,
    storm_rate,
    svfw_gap,
    svrf_rate,
)
from greedyhull.theory.expected import following

Run: TypeAlias = StochasticRecord[StochasticFrankWolfe]


def _expected(run: Run) -> Iterator[Bound]:
    run.must_be_convex()
    at = Along(run.constants, run.n, float(run.e1))
    E = following(run.solver.estimator, at, run.eta, run.eps)
    formula = "E ← (1 − η_k)E + η_k(ν_k + ε_k) + (M/2)η_k², from e_1"
    if run.returns_mean:  # that of a regret: w_k has weight k
        k = np.arange(1.0, run.T + 1.0)
        mean = float(k @ E[:-1] / k.sum())
        yield run.bound("Expected error (mean)", mean, tuple(at.used), f"Σ kE_k/Σ k; {formula}", also=(run.e1,))
    else:
        yield run.bound("Expected error (recursion)", float(E[-1]), tuple(at.used), formula, also=(run.e1,))


def _asfw_last(run: Run) -> Iterator[Bound]:
    run.must_be_convex()
    run.must_return_last()
    p = fast_enough(run, _minibatch(run).batch)
    K, c = run.constants, run.c
    value = asfw(LastIterate(p), run.T + 1, M=float(K.M), sigma=float(K.sigma), r_S=float(K.r_S), c=float(c))
    yield run.bound("ASFW (last iterate)", float(value), ("M", "sigma", "r_S"), "K_p(r_S σ + M/2 + c)(t + 1)^−p",
                    also=(c, Constant(p, "exact", "p"), Constant(LastIterate(p).constant, "exact", "K_p")))


def _asfw_mean_gap(run: Run) -> Iterator[Bound]:
    estimator, K, c = _minibatch(run), run.constants, run.c
    schedule = AsRecorded(run.eta, run.sizes(estimator.batch), None if estimator.replace else run.n)
    value = asfw_gap(schedule, run.T, M=float(K.M), sigma=float(K.sigma), r_S=float(K.r_S), c=float(c), e1=float(run.e1))
    yield run.bound("ASFW (mean gap)", float(value), ("M", "sigma", "r_S"),
                    "(e_1 + r_S σ Σ η_k b_k^−½ + (M/2 + c) Σ η_k²)/Σ η_k", "mean gap", (c, run.e1))


def _svrf(run: Run) -> Iterator[Bound]:
    run.must_be_convex()
    run.must_return_last()
    check(run.solver.estimator == Svrg() and two_over(run.solver.step), "It is about Svrg() with steps OpenLoop().")
    _exact_oracle(run)
    value = svrf_rate(float(run.constants.L_max), float(run.constants.D), run.T + 1)
    yield run.bound("SVRF", float(value), ("L_max", "D"), "4LD²/(t + 2)")


def _spider(run: Run) -> Iterator[Bound]:
    run.must_be_convex()
    run.must_return_last()
    check(run.solver.estimator == Spider() and two_over(run.solver.step) and run.n is not None,
          "It is about Spider() with steps OpenLoop(), on a finite sum.")
    _exact_oracle(run)
    value = spider_rate(float(run.constants.L_s), float(run.constants.D), run.T + 1)
    yield run.bound("SPIDER-FW", float(value), ("L_s", "D"), "10LD²/(t + 2)")


def _storm(run: Run) -> Iterator[Bound]:
    run.must_be_convex()
    run.must_return_last()
    given, K, c = run.solver.estimator, run.constants, run.c
    b = given.batch if isinstance(given, Storm) else None
    if not (isinstance(b, int) and given == Storm(b) and run.solver.step == Power(1.0)):
        raise GreedyhullError("It is about Storm(b), b a number, with steps Power(1).")
    value = storm_rate(float(K.M), float(K.L_s), float(K.D), float(K.sigma), float(b), run.T + 1, float(c))
    yield run.bound("One-sample FW", float(value), ("M", "L_s", "D", "sigma"), "2D(σ + LD)/√(bt) + (M/2 + c)H_t/t", also=(c,))


def _svfw(run: Run) -> Iterator[Bound]:
    check(run.solver.estimator == Svrg(Root(2.0 / 3.0), Root(1.0 / 3.0)) and isinstance(run.solver.step, ConstantStep),
          "It is about svfw(): Svrg(Root(2/3), Root(1/3)) with constant steps.")
    _exact_oracle(run)
    K, gamma = run.constants, float(run.eta[0]) * run.T**0.5
    value = svfw_gap(float(K.L_s), float(K.D), float(run.e1), run.T, gamma)
    yield run.bound("SVFW (mean gap)", float(value), ("L_s", "D"), "e_1/(tη) + 1.5LD²η", "mean gap", (run.e1,))


def _minibatch(run: Run) -> Minibatch:
    given = run.solver.estimator
    if not isinstance(given, Minibatch):
        raise GreedyhullError(f"It is about fresh minibatches, and the gradients came from {given!r}.")
    return given


def _exact_oracle(run: Run) -> None:
    check(not run.eps.any(), "It is about an exact oracle.")


ASFW = Theorems(StochasticRecord, {
    "Expected error (recursion)": _expected,
    "ASFW (last iterate)": _asfw_last,
    "ASFW (mean gap)": _asfw_mean_gap,
    "SVRF": _svrf,
    "SPIDER-FW": _spider,
    "One-sample FW": _storm,
    "SVFW (mean gap)": _svfw,
})
