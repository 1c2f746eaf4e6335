"""What holds in expectation for `StochasticJones`: theorem ASJ, for its last point or for the mean of its points."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from greedyhull.driver.bounds.mean.record import StochasticRecord, fast_enough, scheduled
from greedyhull.driver.bounds.record import two_over
from greedyhull.errors import check
from greedyhull.solvers.parts.rules import APriori
from greedyhull.solvers.parts.steps import Capped, Exact
from greedyhull.solvers.parts.steps import Constant as ConstantStep
from greedyhull.solvers.stochastic_jones import StochasticJones
from greedyhull.theory import (
    AsRecorded,
    BetterSchedule,
    Bound,
    Constant,
    FixedHorizon,
    LastIterate,
    Theorems,
    recursion,
)
from greedyhull.types import Array
from greedyhull.types.kinds import listed


class Bend(NamedTuple):
    """What curvature costs in a step, over η_k²: the number, the constants it is made of, the formula, and V."""

    value: float
    names: tuple[str, ...]
    word: str
    also: tuple[Constant, ...] = ()


def _bend(run: JonesRecord) -> Bend:
    """½(M + V) for a Jones atom; where atoms cannot be listed, that of ASFW."""
    check(not isinstance(run.solver.step, Exact), "Proposition asj-eg: a joint choice of step and atom without a cap need not "
                                                  "converge, whatever the batches. Use Capped(Power(0.5)).")
    K = run.constants
    if listed(run.S) is not None:
        return Bend(0.5 * (float(K.M) + float(run.V)), ("M",), "½(M + V)", (run.V,))
    if isinstance(run.solver.step, Capped):
        return Bend(0.5 * (float(K.M) + float(K.M_mean)), ("M", "M_mean"), "(M + M_mean)/2")
    return Bend(0.5 * float(K.M), ("M",), "M/2")


def _asj_last(run: JonesRecord) -> Iterator[Bound]:
    run.must_be_convex()
    run.must_return_last()
    (bend, names, word, V), K = _bend(run), run.constants
    noise = float(K.r_S) * float(K.sigma) / np.sqrt(run.sizes(run.solver.batches(run.f, run.S)))
    check(bool(np.isfinite(bend) and np.isfinite(noise).all()), f"M, σ or r_S is not finite: {K.M!r}, {K.sigma!r}, {K.r_S!r}.")
    E = float(recursion(2.0 * bend, run.eta, noise + run.eps, float(run.e1))[-1])
    yield run.bound("Theorem ASJ (recursion)", E, (*names, "sigma", "r_S"),
                    f"E ← (1 − η_k)E + η_k(r_S σ/√b_k + ε_k) + ({word})η_k², from e_1", also=(*V, run.c, run.e1))


def _asj_rate(run: JonesRecord) -> Iterator[Bound]:
    run.must_be_convex()
    run.must_return_last()
    (bend, names, word, V), K, c = _bend(run), run.constants, run.c
    batch, noise = run.solver.batches(run.f, run.S), float(K.r_S) * float(K.sigma)
    if two_over(scheduled(run.solver.step)):
        scale = np.max(noise / (np.sqrt(run.sizes(batch)) * run.eta))
        tau = Constant(max(float(scale), 1e-300), "upper bound", "τ")
        value = BetterSchedule(float(tau)).bound(noise, bend + float(c), np.inf, run.T)
        yield run.bound("Theorem ASJ (growing batches)", float(value), (*names, "sigma", "r_S"),
                        f"4({word} + c + τ)/(t + 2), τ = max r_S σ/(√b_k η_k)", also=(*V, c, tau))
        return
    p = fast_enough(run, batch)
    value = LastIterate(p).bound(noise, bend + float(c), np.inf, run.T + 1)
    yield run.bound("Theorem ASJ (last iterate)", float(value), (*names, "sigma", "r_S"),
                    f"K_p(r_S σ + {word} + c)(t + 1)^−p",
                    also=(*V, c, Constant(p, "exact", "p"), Constant(LastIterate(p).constant, "exact", "K_p")))


def _asj_mean(run: JonesRecord) -> Iterator[Bound]:
    run.must_be_convex()
    check(bool(run.solver.averages), "It is about the mean of the points, and the run returned the last.")
    (bend, names, word, V), K, c = _bend(run), run.constants, run.c
    noise, b = float(K.r_S) * float(K.sigma), run.sizes(run.solver.batches(run.f, run.S))
    value = AsRecorded(run.eta, b).bound(noise, bend + float(c), float(run.e1), run.T)
    yield run.bound("Theorem ASJ (average)", float(value), (*names, "sigma", "r_S"),
                    f"(e_1 + r_S σ Σ η_k b_k^−½ + ({word} + c) Σ η_k²)/Σ η_k", also=(*V, c, run.e1))
    if isinstance(run.solver.step, ConstantStep) and np.all(b >= run.T):
        horizon = FixedHorizon(float(run.eta[0]) * run.T**0.5).bound(noise, bend + float(c), float(run.e1), run.T)
        yield run.bound("Theorem ASJ (fixed horizon)", float(horizon), (*names, "sigma", "r_S"),
                        f"(e_1/γ + r_S σ + γ({word} + c))/√t, γ = η√t", also=(*V, c, run.e1))


class JonesRecord(StochasticRecord[StochasticJones]):
    """A run that compares values of f: where atoms are listed it is the solver's own search that errs, not the oracle."""

    @property
    def rule(self) -> APriori:
        return self.solver.schedule

    @property
    def returns_mean(self) -> bool:
        return self.solver.averages

    @cached_property
    def eps(self) -> Array:
        return self.allowed if listed(self.S) is not None else super().eps


ASJ = Theorems(JonesRecord, {
    "Theorem ASJ (recursion)": _asj_last,
    "Theorem ASJ (rate)": _asj_rate,
    "Theorem ASJ (average)": _asj_mean,
})
