"""Which bounds hold in expectation for a finished stochastic run."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, cast

import numpy as np

from greedyhull import theory
from greedyhull.atoms.wrapped import Inexact, Wrapped
from greedyhull.driver.bounds.record import StochasticRecord, fast_enough, scheduled, two_over
from greedyhull.errors import GreedyhullError, check
from greedyhull.measures.terms import steepness
from greedyhull.solvers.gradients import Minibatch, Root, Spider, Storm, Svrg
from greedyhull.solvers.gradients.base import Size
from greedyhull.solvers.moreau_frank_wolfe import MoreauFrankWolfe
from greedyhull.solvers.parts.steps import APriori, Capped, Exact, OpenLoop, Power
from greedyhull.solvers.parts.steps import Constant as ConstantStep
from greedyhull.solvers.regularized_stochastic_frank_wolfe import RegularizedStochasticFrankWolfe, Steady, weights_of
from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
from greedyhull.solvers.stochastic_jones import StochasticJones, VarianceReducedJones
from greedyhull.theory import Bound, Constant, Status, Theorems
from greedyhull.theory.jones import doubled
from greedyhull.theory.stochastic import following
from greedyhull.types import Array, AtomSet, linear_model, listed

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution


def _arsfw(run: StochasticRecord) -> Iterator[Bound]:
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
    value = theory.arsfw(weights.bound, run.T, c=c, L=float(K.L_rms), M_Phi=float(K.M_Phi), R2=float(R2), rho=rho,
                         c_eps=float(c_eps))
    yield run.bound("Theorem ARSFW", float(value), ("L_rms", "M_Phi"), f"of {weights.bound!r}: theory.arsfw",
                    also=(R2, Constant(c, "exact" if known else "estimated", "c"), Constant(rho, "exact", "rho"), c_eps))


def _arsfw_along(run: StochasticRecord) -> Iterator[Bound]:
    run.must_be_convex()
    value = float(run.solution.also.get("bound", np.inf))
    yield run.bound("Theorem ARSFW (along the run)", value, ("D",),
                    "[Σ σ_k‖g_k‖√(2G_k/ρ) + ½Σ σ_k²‖g_k‖²/(ρβ_k) + β_t R²]/Σ σ_k, G_k the gap of F_k at w_k")


ARSFW = Theorems(StochasticRecord, {"Theorem ARSFW": _arsfw, "Theorem ARSFW (along the run)": _arsfw_along})


def _expected(run: StochasticRecord, name: str = "Expected error") -> Iterator[Bound]:
    """The bound of a recursion at the point that was returned; in the mean of a regret w_k has weight k."""
    run.must_be_convex()
    known = doubled({**run.constants, "V": run.V}) if run.by_values else run.constants  # else steps are those of Frank-Wolfe
    at = theory.Along(known, run.n, float(run.e1))
    E = following(run.solver.estimator, at, run.eta, run.eps)
    used, also = tuple(at.used), (run.V, run.e1) if run.by_values else (run.e1,)
    formula = f"E ← (1 − η_k)E + η_k(ν_k + ε_k) + ({'½(M + V)' if run.by_values else 'M/2'})η_k², from e_1"
    if not run.returns_mean:
        yield run.bound(f"{name} (recursion)", float(E[-1]), used, formula, also=also)
        return
    k = np.arange(1.0, run.T + 1.0)
    yield run.bound(f"{name} (mean)", float(k @ E[:-1] / k.sum()), used, f"Σ kE_k/Σ k; {formula}", also=also)


def _asfw_last(run: StochasticRecord) -> Iterator[Bound]:
    run.must_be_convex(last=True)
    p = fast_enough(run, _minibatch(run).batch)
    K, c = run.constants, run.c
    value = theory.asfw(theory.LastIterate(p), run.T + 1, M=float(K.M), sigma=float(K.sigma), r_S=float(K.r_S), c=float(c))
    yield run.bound("ASFW (last iterate)", float(value), ("M", "sigma", "r_S"), "K_p(r_S σ + M/2 + c)(t + 1)^−p",
                    also=(c, Constant(p, "exact", "p"), Constant(theory.LastIterate(p).constant, "exact", "K_p")))


def _asfw_mean_gap(run: StochasticRecord) -> Iterator[Bound]:
    estimator, K, c = _minibatch(run), run.constants, run.c
    schedule = theory.AsRecorded(run.eta, run.sizes(estimator.batch), None if estimator.replace else run.n)
    value = theory.asfw_gap(schedule, run.T, M=float(K.M), sigma=float(K.sigma), r_S=float(K.r_S), c=float(c),
                            e1=float(run.e1))
    yield run.bound("ASFW (mean gap)", float(value), ("M", "sigma", "r_S"),
                    "(e_1 + r_S σ Σ η_k b_k^−½ + (M/2 + c) Σ η_k²)/Σ η_k", "mean gap", (c, run.e1))


def _svrf(run: StochasticRecord) -> Iterator[Bound]:
    run.must_be_convex(last=True)
    check(run.solver.estimator == Svrg() and two_over(run.solver.step), "It is about Svrg() with steps OpenLoop().")
    run.must_be_exact()
    value = theory.svrf_rate(float(run.constants.L_max), float(run.constants.D), run.T + 1)
    yield run.bound("SVRF", float(value), ("L_max", "D"), "4LD²/(t + 2)")


def _spider(run: StochasticRecord) -> Iterator[Bound]:
    run.must_be_convex(last=True)
    check(run.solver.estimator == Spider() and two_over(run.solver.step) and run.n is not None,
          "It is about Spider() with steps OpenLoop(), on a finite sum.")
    run.must_be_exact()
    value = theory.spider_rate(float(run.constants.L_s), float(run.constants.D), run.T + 1)
    yield run.bound("SPIDER-FW", float(value), ("L_s", "D"), "10LD²/(t + 2)")


def _storm(run: StochasticRecord) -> Iterator[Bound]:
    run.must_be_convex(last=True)
    given, K, c = run.solver.estimator, run.constants, run.c
    b = given.batch if isinstance(given, Storm) else None
    if not (isinstance(b, int) and given == Storm(b) and run.solver.step == Power(1.0)):
        raise GreedyhullError("It is about Storm(b), b a number, with steps Power(1).")
    value = theory.storm_rate(float(K.M), float(K.L_s), float(K.D), float(K.sigma), float(b), run.T + 1, float(c))
    yield run.bound("One-sample FW", float(value), ("M", "L_s", "D", "sigma"), "2D(σ + LD)/√(bt) + (M/2 + c)H_t/t", also=(c,))


def _svfw(run: StochasticRecord) -> Iterator[Bound]:
    check(run.solver.estimator == Svrg(Root(2.0 / 3.0), Root(1.0 / 3.0)) and isinstance(run.solver.step, ConstantStep),
          "It is about svfw(): Svrg(Root(2/3), Root(1/3)) with constant steps.")
    run.must_be_exact()
    K, gamma = run.constants, float(run.eta[0]) * run.T**0.5
    value = theory.svfw_gap(float(K.L_s), float(K.D), float(run.e1), run.T, gamma)
    yield run.bound("SVFW (mean gap)", float(value), ("L_s", "D"), "e_1/(tη) + 1.5LD²η", "mean gap", (run.e1,))


def _minibatch(run: StochasticRecord) -> Minibatch:
    given = run.solver.estimator
    if not isinstance(given, Minibatch):
        raise GreedyhullError(f"It is about fresh minibatches, and the gradients came from {given!r}.")
    return given


ASFW = Theorems(StochasticRecord, {
    "Expected error (recursion)": _expected,
    "ASFW (last iterate)": _asfw_last,
    "ASFW (mean gap)": _asfw_mean_gap,
    "SVRF": _svrf,
    "SPIDER-FW": _spider,
    "One-sample FW": _storm,
    "SVFW (mean gap)": _svfw,
})


def _asj_last(run: JonesRecord) -> Iterator[Bound]:
    run.must_be_convex(last=True)
    (bend, word), K = run.bend, run.constants
    noise = run.noise / np.sqrt(run.sizes(run.batch))
    check(bool(np.isfinite(bend) and np.isfinite(noise).all()), f"M, σ or r_S is not finite: {K.M!r}, {K.sigma!r}, {K.r_S!r}.")
    E = float(theory.recursion(2.0 * bend, run.eta, noise + run.eps, float(run.e1))[-1])
    yield run.asj("recursion", E, f"E ← (1 − η_k)E + η_k(r_S σ/√b_k + ε_k) + ({word})η_k², from e_1", run.e1)


def _asj_rate(run: JonesRecord) -> Iterator[Bound]:
    run.must_be_convex(last=True)
    bend, word = run.bend
    if two_over(scheduled(run.solver.step)):
        scale = np.max(run.noise / (np.sqrt(run.sizes(run.batch)) * run.eta))
        tau = Constant(max(float(scale), 1e-300), "upper bound", "τ")
        value = theory.BetterSchedule(float(tau)).bound(run.noise, bend + float(run.c), np.inf, run.T)
        yield run.asj("growing batches", float(value), f"4({word} + c + τ)/(t + 2), τ = max r_S σ/(√b_k η_k)", tau)
        return
    p = fast_enough(run, run.batch)
    value = theory.LastIterate(p).bound(run.noise, bend + float(run.c), np.inf, run.T + 1)
    yield run.asj("last iterate", float(value), f"K_p(r_S σ + {word} + c)(t + 1)^−p",
                  Constant(p, "exact", "p"), Constant(theory.LastIterate(p).constant, "exact", "K_p"))


def _asj_mean(run: JonesRecord) -> Iterator[Bound]:
    run.must_be_convex()
    check(bool(run.solver.averages), "It is about the mean of the points, and the run returned the last.")
    (bend, word), b, e1 = run.bend, run.sizes(run.batch), float(run.e1)
    value = theory.AsRecorded(run.eta, b).bound(run.noise, bend + float(run.c), e1, run.T)
    yield run.asj("average", float(value), f"(e_1 + r_S σ Σ η_k b_k^−½ + ({word} + c) Σ η_k²)/Σ η_k", run.e1)
    if isinstance(run.solver.step, ConstantStep) and np.all(b >= run.T):
        horizon = theory.FixedHorizon(float(run.eta[0]) * run.T**0.5).bound(run.noise, bend + float(run.c), e1, run.T)
        yield run.asj("fixed horizon", float(horizon), f"(e_1/γ + r_S σ + γ({word} + c))/√t, γ = η√t", run.e1)


class ReducedRecord(StochasticRecord):
    """A run that compares values of f or of a model: where atoms are listed it is the solver's own search that errs."""

    @property
    def by_values(self) -> bool:
        return listed(self.S) is not None

    @cached_property
    def eps(self) -> Array:
        return self.allowed if self.by_values else super().eps


class JonesRecord(ReducedRecord):
    """The same for a solver that may average its points by itself."""

    @property
    def rule(self) -> APriori:
        rule: APriori = self.solver.schedule
        return rule

    @property
    def returns_mean(self) -> bool:
        return bool(self.solver.averages)

    @property
    def batch(self) -> Size:
        return cast(Size, self.solver.batches(self.f, self.S))

    @property
    def noise(self) -> float:
        """r_S σ."""
        return float(self.constants.r_S) * float(self.constants.sigma)

    @cached_property
    def bend(self) -> tuple[float, str]:
        """What curvature costs in a step, over η_k², and its formula: ½(M + V) for a Jones atom, else that of ASFW."""
        check(not isinstance(self.solver.step, Exact), "Proposition asj-eg: a joint choice of step and atom without a cap "
              "need not converge, whatever the batches. Use Capped(Power(0.5)).")
        K = self.constants
        if self.by_values:
            return 0.5 * (float(K.M) + float(self.V)), "½(M + V)"
        if isinstance(self.solver.step, Capped):
            return 0.5 * (float(K.M) + float(K.M_mean)), "(M + M_mean)/2"
        return 0.5 * float(K.M), "M/2"

    def asj(self, name: str, value: float, formula: str, *also: Constant) -> Bound:
        names = ("M", "M_mean", "sigma", "r_S") if "M_mean" in self.bend[1] else ("M", "sigma", "r_S")
        V = (self.V,) if self.by_values else ()
        return self.bound(f"Theorem ASJ ({name})", value, names, formula, also=(*V, self.c, *also))


ASJ = Theorems(JonesRecord, {
    "Theorem ASJ (recursion)": _asj_last,
    "Theorem ASJ (rate)": _asj_rate,
    "Theorem ASJ (average)": _asj_mean,
})


def _rate(solution: Solution) -> Iterator[Bound]:
    """Steps are counted as in the solver's `Pair`."""
    check(int(solution.trace["iteration"][0]) == 1, "The run was resumed, and what came before is not on the record.")
    f, S, solver = solution.objective, solution.atom_set, cast(MoreauFrankWolfe, solution.solver)
    check(not _errs(S) and not np.any(solution.trace["slack"] > 0.0),
          "It is about an oracle that errs by no more than it is allowed to, and this one may.")
    D, L = S.sizes().diameter, steepness(f, S, solver.first(f, S).array()).L
    if solver.lipschitz is not None:
        L = Constant(solver.lipschitz, "upper bound", "L")
    N, k, last = solver.horizon, int(solution.iterations) - 1, 0
    while k >= N:
        N, k, last = 2 * N, k - N, N
    if k == 0 or (last and 4 * k < 3 * N):
        N = k = last
    check(k > 0, "No step was taken.")
    yield Bound("Moreau envelope (rate)", solver.rate(N, float(L), float(D), k), (L, D, Constant(N, "exact", "N"),
                Constant(k, "exact", "k")), "2.55λL² + 10.8D²/(k(k + 1)λ), λ the best for k = N", kind="expectation")


def _errs(S: AtomSet) -> bool:
    return isinstance(S, Wrapped) and ((isinstance(S, Inexact) and S.epsilon is not None) or _errs(S.S))


MOREAU = Theorems(lambda solution: solution, {"Moreau envelope (rate)": _rate})


def _svrg(run: ReducedRecord) -> Iterator[Bound]:
    run.must_be_convex(last=True)
    given, n = run.solver.estimator, run.n
    if not (isinstance(given, Svrg) and given.epoch is None and run.solver.step == OpenLoop() and n is not None):
        raise GreedyhullError("It is about Svrg(batch), snapshots at 1, 2, 4, …, with steps OpenLoop().")
    k = np.arange(1, run.T + 1)
    b = np.full(run.T, np.inf) if given.batch is None else run.sizes(given.batch)
    check(bool(np.all((b >= 16 * (k + 1)) | (k <= 2) | (2 * b >= n))), "It asks for batches of at least 16(k + 1) terms.")
    value = theory.variance_reduced_jones_rate(float(run.constants.L_max), float(run.constants.D), run.T + 1, float(run.c))
    yield run.bound("Variance-reduced Jones (rate)", float(value), ("L_max", "D"), "6(LD² + c)/(t + 2)", also=(run.c,))


REDUCED = Theorems(ReducedRecord, {
    "Variance-reduced Jones (recursion)": partial(_expected, name="Variance-reduced Jones"),
    "Variance-reduced Jones (rate)": _svrg,
})


ABOUT: dict[type, Theorems] = {
    MoreauFrankWolfe: MOREAU,
    RegularizedStochasticFrankWolfe: ARSFW,
    StochasticFrankWolfe: ASFW,
    StochasticJones: ASJ,
    VarianceReducedJones: REDUCED,
}
