"""Theorem 5, stochastic Frank-Wolfe, expected atoms, and what an error costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull import theory
from greedyhull.atoms.base import OracleBase
from greedyhull.atoms.wrapped import Wrapped
from greedyhull.experiments.counterexamples import ALARM, repeated, spent_and_values
from greedyhull.experiments.paper import Figure, Finding, Scale, Table, curve, experiment
from greedyhull.experiments.paper.checks import Check, at_most, bounded, equal, fitted
from greedyhull.experiments.paper.nonsmooth import (
    CONSTANTS,
    IDLE,
    ConcaveTerms,
    Expected,
    LossyTerms,
    OnALine,
    RareTerms,
    Sampling,
)
from greedyhull.experiments.paper.problems import Problem, Sampled, errors_at, posed, regression, spread, squares
from greedyhull.solvers.gradients.momentum import Minibatch
from greedyhull.types import Answer, Array, AtomSet, Solver, State

LOGARITHM = "the sum of 1/k in the bound takes all steps to be as noisy as the worst"
BATCHES = "one q cannot be the worst for batches of all sizes at once"
STEEPEST = "D L is more than twice r_S σ, and the noise of an early batch is long forgotten"
Row = tuple[str | float, ...]
Bound = Callable[..., Any]  # theory.asj or theory.asfw
GROWING = gh.StochasticFrankWolfe(Minibatch(gh.linear()), gh.Power(0.5))  # batches of k, steps k^−½


@dataclass(frozen=True)
class Case:
    """A schedule on the instance that is worst for it: the error or gap that is expected, exactly, and its bound."""

    name: str
    instance: RareTerms | ConcaveTerms
    steps: int
    expected: Expected
    bound: float
    solver: Sampling
    point: str
    runs: int
    why: str = ""
    what: str = "error"

    def compared(self, seed: int) -> tuple[list[Check], Row]:
        """Two checks and a row: what is expected against the bound, and the runs against what is expected."""
        mean = self.instance.measured(self.solver, self.steps, self.runs, seed, self.point)
        exact, room, start = self.expected.mean, self.expected.room(self.runs), self.instance.sharp["e1"]
        idle = (self.instance.idle if self.what == "gap" else start) / self.bound
        checks = [bounded(f"{self.name}: expected {self.what} over the bound", exact / self.bound, idle=idle, why=self.why),
                  equal(f"{self.name}: mean {self.what} of {self.runs} runs, against the expected one", mean, exact, room)]
        return checks, (self.name, self.runs, mean, exact, self.bound, exact / self.bound, idle, self.bound / (mean - room))


@experiment(
    "theorem5", "Theorem 5", "Stochastic Jones converges with growing batches",
    "ASJ minimises the mean f̃ of b_k random terms. With b_k = t, η_k = t^−½ the average of t steps has an expected error "
    "of at most (e₁ + B)/√t, with b_k = k, η_k = k^−½ at most (e₁ + BH_t)/Σk^−½. Sharp: B = r_Sσ + M + c with M the "
    "curvature of f alone. The last iterate has √2 B/√k; with η_k = 2/(k + 2) and b_k ~ k² it has O(1/k).",
    "The printed bounds are true with B = DL + M + c, M the largest curvature of a term, and a logarithm; their proof "
    "takes the wrong comparison atom. The prose has the step √k where k^−½ is meant, and promises the average without its "
    "logarithm.",
    "How near can the expected error come to the bounds, and do runs of the solver have that expectation?")
def theorem5(scale: Scale, seed: int) -> Finding:
    full = scale.runs >= 100
    found = [case.compared(seed) for case in cases(full)]
    tolerant = gh.StochasticJones.fixed(100, tolerance=gh.constant(0.05))
    extreme, _ = worst_atoms(theory.asj, "", tolerant, 200 if full else 40).compared(seed)
    table = Table(f"f(w) = w on [−1, 1], rare steep terms, begun at +1. A false alarm has the probability {ALARM:g} a row",
                  ("schedule", "runs", "mean error", "expected", "bound", "expected / bound", "doing nothing / bound",
                   "bound may be divided by, from the runs alone"), tuple(row for _, row in found))
    shown, usual = typical(full, seed)
    return Finding(
        "On the instance that is worst for each schedule the expected error is 0.6 to 1 of the sharp bound, and an "
        "algorithm that never moves breaks every bound. On an ordinary problem errors are a few thousandths of the bounds, "
        "which could fail there only if they were absurd: nothing is checked. Open-loop steps with b ~ k² fall faster than "
        "their promise of 1/k there, as they often do on polytopes.",
        (*(check for checks, _ in found for check in checks), *extreme), (attained(), shown), (table, usual))


def worst_atoms(family: Bound, point: str, solver: Sampling, runs: int, t: int = 100, c: float = 0.5) -> Case:
    """Atoms that lose all that their tolerance ct^−½ allows, and noise: batches of t and as many steps."""
    lossy = LossyTerms(0.5 / t, c * t**-0.5)
    bound = float(family(theory.FixedHorizon(), t, c=c, **lossy.sharp))
    return Case(f"b = t = {t}, worst atoms, c = {c}{point}", lossy, t, lossy.horizon(t), bound, solver, "average", runs)


def cases(full: bool) -> list[Case]:
    """All schedules, each with the rare terms that are worst for it; the probabilities were chosen before any run."""
    jones = gh.StochasticJones()
    found = [_horizon(t, runs if full else runs // 8) for t, runs in ((25, 800), (100, 200), (400, 40))]
    found += [_anytime(theory.asj, jones, t, a, runs if full else runs // 4)
              for t, a, runs in ((25, 2.6, 200), (100, 3.3, 100))]
    found += [_last(jones, k, runs if full else runs // 8) for k, runs in ((100, 200), (400, 40))]
    found.append(_second(theory.asj, jones, 2000 if full else 500))
    return [*found, _better(100, 100 if full else 20), *_capped(100, 60 if full else 15), _printed(100, 50 if full else 10)]


def _horizon(t: int, runs: int) -> Case:
    rare = RareTerms(0.5 / t)
    return Case(f"b = t = {t}, average", rare, t, rare.horizon(t), float(theory.asj(theory.FixedHorizon(), t, **rare.sharp)),
                gh.StochasticJones.fixed(t), "average", runs)


def _anytime(family: Bound, solver: Sampling, t: int, a: float, runs: int) -> Case:
    rare, k = RareTerms(a / t), np.arange(1.0, t + 1.0)
    bound = float(family(theory.AnytimeAverage(), t, **rare.sharp))
    return Case(f"b = k ≤ {t}, average", rare, t, rare.average(k**-0.5, k), bound, solver, "average", runs,
                LOGARITHM if t > 25 else "")


def _last(solver: Sampling, k: int, runs: int) -> Case:
    rare, i = RareTerms(0.52 / k), np.arange(1.0, float(k))
    bound = float(theory.recursion(0.0, i**-0.5, rare.sigma * i**-0.5)[-1])
    return Case(f"b = k, last iterate at k = {k}", rare, k - 1, rare.last(i**-0.5, i), bound, solver, "last", runs)


def _second(family: Bound, solver: Sampling, runs: int) -> Case:
    """The constant √2 of the last iterate is needed at k = 2: one step with one term, half of which are steep."""
    rare, one = RareTerms(0.5), np.ones(1)
    bound = float(family(theory.LastIterate(), 2, **rare.sharp))
    return Case("b = k, last iterate at k = 2", rare, 1, rare.last(one, one), bound, solver, "last", runs)


def _better(t: int, runs: int) -> Case:
    k = np.arange(float(t))
    rare = RareTerms(1.23 / (0.5 * t) ** 2)
    schedule = theory.BetterSchedule(rare.sigma)
    b = np.array([schedule.batch(rare.sigma, int(i)) for i in k], dtype=float)
    solver = gh.StochasticJones.growing(rare.sigma, rare.sigma)
    return Case(f"b ~ k², 2/(k + 2), last iterate at k = {t}", rare, t, rare.last(2.0 / (k + 2.0), b),
                float(theory.asj(schedule, t, **rare.sharp)), solver, "last", runs, BATCHES)


def _capped(t: int, runs: int) -> list[Case]:
    """On a line the joint choice takes the cap; the solver's average has the caps for weights, as the theorem has."""
    steady, fading = (gh.StochasticJones.fixed(t, step=gh.Capped(gh.Constant(t**-0.5))),
                      gh.StochasticJones(step=gh.Capped(gh.Power(0.5))))
    return [replace(_horizon(t, runs), name=f"capped joint choice, b = t = {t}, average", solver=steady),
            replace(_last(fading, t, runs), name=f"capped joint choice, b = k, last iterate at k = {t}")]


def _printed(t: int, runs: int) -> Case:
    """The printed bound has the steepest term in it, so that terms must not be rare for it to mean anything."""
    rare = RareTerms(0.5)
    bound = float(theory.asj_printed(theory.FixedHorizon(), t, M=0.0, L=1.0 / rare.q + 1e-4, D=2.0, e1=IDLE))
    return Case(f"b = t = {t}, average, printed bound", rare, t, rare.horizon(t), bound, gh.StochasticJones.fixed(t),
                "average", runs, STEEPEST)


def attained() -> Figure:
    """How much of the bounds is attained, by the number of steps; all of it is exact."""
    t = np.unique(np.geomspace(4, 2000, 24).round()).astype(int)
    horizon, last = [_horizon(int(n), 1) for n in t], [_last(GROWING, int(n), 1) for n in t]
    closed = np.array([float(theory.asj(theory.LastIterate(), int(n), **case.instance.sharp))
                       for n, case in zip(t, last, strict=True)])
    return Figure("attained", "Expected error as a share of the bound, at the worst rate of steep terms", "t", "share", (
        curve("b = t, average", t, [case.expected.mean / case.bound for case in horizon]),
        curve("b = k, last iterate: of the recursion", t, [case.expected.mean / case.bound for case in last]),
        curve("b = k, last iterate: of √2 B/√k", t, [case.expected.mean for case in last] / closed),
        curve("b = t: doing nothing", t, [IDLE / case.bound for case in horizon], "exact"),
        curve("bound", t, np.ones(len(t)), "bound")), log="x")


def typical(full: bool, seed: int) -> tuple[Figure, Table]:
    """Noisy least squares over a few points: how far below the bounds an ordinary problem runs."""
    sum_, runs = regression(0, n=20_000), 6 if full else 3  # more terms than the largest batch
    at = spread(500 if full else 60, 25)
    solvers = (("b = k", gh.StochasticJones(every=1)),
               ("capped joint choice, b = k", gh.StochasticJones(step=gh.Capped(gh.Power(0.5)), every=1)),
               ("b ~ k²", gh.StochasticJones.growing(every=1)))
    start = sum_.problem.atoms[0]
    e = {name: repeated(partial(errors_at, sum_.problem, solver, at, start=start), runs, seed)[0] for name, solver in solvers}
    bounds: dict[str, Array] = {"last": theory.asj(theory.LastIterate(), at, **sum_.sharp),
                                "average": theory.asj(theory.AnytimeAverage(), at - 1, **sum_.sharp),
                                "better": theory.asj(theory.BetterSchedule.best(sum_.problem.M), at - 1, **sum_.sharp)}
    compared = (("b = k, average", e["b = k"][1], "average"), ("b = k, last iterate", e["b = k"][0], "last"),
                ("capped joint choice, average", e["capped joint choice, b = k"][1], "average"),
                ("capped joint choice, last iterate", e["capped joint choice, b = k"][0], "last"),
                ("b ~ k², last iterate", e["b ~ k²"][0], "better"))
    rows = tuple((name, float(mean[-1]), float(bounds[bound][-1]), float(mean[-1] / bounds[bound][-1]),
                  sum_.e1 / float(bounds[bound][-1])) for name, mean, bound in compared)
    shown = Figure("ordinary", f"Noisy least squares, means of {runs} runs", "k", "mean error", (
        *(curve(name, at, mean) for name, mean, _ in compared), curve("bound, last iterate", at, bounds["last"], "bound"),
        curve("doing nothing", at, np.full(len(at), sum_.e1), "exact")))
    return shown, Table(f"Noisy least squares, {sum_.f.n} terms, at k = {at[-1]}: not checked",
                        ("schedule", "mean error", "bound", "mean / bound", "doing nothing / bound"), rows)


@experiment(
    "asfw", "Remark after Proposition 3", "Stochastic Frank-Wolfe with growing batches",
    "With the batches, steps and tolerances of Theorem 5, ASFW has its bounds with B = r_Sσ + M/2 + c. They also bound the "
    "mean of the gaps, Σ η_k g(w_k)/Σ η_k, and then f need not be convex.",
    "The print says that such bounds exist and gives no constants.",
    "How near can expected errors and gaps come to the bounds, and do runs have these expectations?")
def asfw(scale: Scale, seed: int) -> Finding:
    full = scale.runs >= 100
    found = [case.compared(seed) for case in (
        _mean_gap(100, 100 if full else 20), _anytime(theory.asfw, GROWING, 25, 2.6, 200 if full else 40),
        _last(GROWING, 400, 100 if full else 20), _second(theory.asfw, GROWING, 2000 if full else 500),
        worst_atoms(theory.asfw, ", average", fixed(100, 0.5), 100 if full else 20), _not_convex(100, 1000 if full else 300))]
    table = Table(f"Rare steep terms, begun at +1. A false alarm has the probability {ALARM:g} a row",
                  ("schedule", "runs", "mean", "expected", "bound", "expected / bound", "doing nothing / bound"),
                  tuple(row[:7] for _, row in found))
    return Finding(
        "The bounds hold with B = r_Sσ + M/2 + c for the average, for the last iterate and for the mean of the gaps, and "
        "rare steep terms come within 0.7 to 1 of them. For an f that is not convex the point that is drawn with weights η_k "
        "has the bound of the gap in expectation.",
        tuple(check for checks, _ in found for check in checks), (asfw_attained(),), (table,))


def fixed(t: int, c: float = 0.0) -> gh.StochasticFrankWolfe:
    return gh.StochasticFrankWolfe(Minibatch(t), gh.Constant(t**-0.5), gh.constant(c * t**-0.5))


def _mean_gap(t: int, runs: int) -> Case:
    """f is linear, so that the mean of the gaps is the error of the average; both have the same bound."""
    rare = RareTerms(0.5 / t)
    bound = float(theory.asfw_gap(theory.FixedHorizon(), t, **rare.sharp))
    return Case(f"b = t = {t}, mean gap", rare, t, rare.horizon(t), bound, fixed(t), "average", runs, what="gap")


def _not_convex(t: int, runs: int) -> Case:
    """The gap of a point that is drawn from all, for a concave f."""
    bent = ConcaveTerms(0.6 / t)
    bound = float(theory.asfw_gap(theory.FixedHorizon(), t, **bent.sharp))
    return Case(f"f not convex, b = t = {t}, drawn point", bent, t, bent.drawn(t), bound, fixed(t), "last", runs, what="gap")


def asfw_attained() -> Figure:
    """How much of the bound on the gaps is attained, by the number of steps; all of it is exact."""
    t = np.unique(np.geomspace(4, 2000, 24).round()).astype(int)
    convex, concave = ([make(int(n), 1) for n in t] for make in (_mean_gap, _not_convex))
    return Figure("attained", "Expected mean gap as a share of the bound, b = t", "t", "share", (
        *(curve(name, t, [case.expected.mean / case.bound for case in found])
          for name, found in (("f linear", convex), ("f not convex", concave))),
        curve("f not convex: doing nothing", t, [case.instance.idle / case.bound for case in concave], "exact"),
        curve("bound", t, np.ones(len(t)), "bound")), log="x")


class Careless(Wrapped):
    """Listed atoms with an oracle that is right on average up to cη_k: with probability cη_k/(worst − best score) it answers
    with the worst atom of all."""

    def __init__(self, S: AtomSet, c: float) -> None:
        super().__init__(S)
        self.c, self.atoms = c, self._listed()

    def oracle(self, rng: np.random.Generator) -> CarelessOracle:
        return CarelessOracle(self, rng)

    def _around(self, S: AtomSet) -> Careless:
        return Careless(S, self.c)


class CarelessOracle(OracleBase):
    """The oracle of one solve; its slack is what it really lost."""

    def __init__(self, owner: Careless, rng: np.random.Generator) -> None:
        self.S, self.c, self.rng, self.k = owner.atoms, owner.c, rng, 0

    def argmin(self, g: Array, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        scores = self.S.scores(g)
        best, worst = int(scores.argmin()), int(scores.argmax())
        width = float(scores[worst] - scores[best])
        allowed = 2.0 * self.c / (self.k + 2.0)
        self.k += 1
        errs = self.rng.random() < min(allowed / width, 1.0) if width > 0.0 else False
        return Answer(self.S[worst if errs else best], width if errs else 0.0)

    def state(self) -> State:
        return {"k": np.array(self.k)}

    def restore(self, state: State) -> None:
        self.k = int(state["k"])


@experiment(
    "expect", "Condition on the mean atom", "Atoms that are right on average",
    "If ⟨E d_k, ∇f(w_k)⟩ ≤ min over S + cη_k, the expectation given w_k, and η_k = 2/(k + 2), then E e_k ≤ (2M + 4c)/(k + 2).",
    "The print leaves the step and the constant open. The sharp form of Theorem 2 holds for the means.",
    "Is the rate of Theorem 2 kept when single atoms are as wrong as can be and only their mean is right?")
def expect(scale: Scale, seed: int) -> Finding:
    c, steps = 0.4, 60 if scale.runs < 100 else 200
    linear, ends = gh.quadratic(np.zeros((1, 1)), np.array([-1.0])), gh.Vertices(np.array([[0.0], [1.0]]))
    line = posed("f(w) = w on [0, 1]", linear, ends, 0.0)
    k = np.arange(1, steps + 1)
    runs = 8 * scale.runs
    curves, checks = [], []
    for problem, count in ((line, runs), (squares(seed), scale.runs)):
        mean, _ = repeated(partial(errors, problem, c, steps), count, seed)
        bound = theory.expect_rate(problem.M, c, k, exact=True)
        curves.append((problem, mean, bound))
    (_, on_line, sharp), (_, squared, loose) = curves
    for n in (3, 10, steps):
        expected = on_a_line(c, n)
        checks.append(equal(f"f(w) = w, k = {n}: mean error of {runs} runs, against the bound, which is its expectation",
                            float(on_line[n - 1]), float(sharp[n - 1]), expected.room(runs)))
    checks.append(bounded("f(w) = w: expected error over the bound", on_a_line(c, steps).mean / float(sharp[-1]), room=1e-9,
                          idle=1.0 / float(sharp[-1])))
    figures = (
        Figure("line", "f(w) = w on [0, 1]: the bound is attained", "k", "mean error", (
            curve(f"mean of {runs} runs", k, on_line, "dots"), curve("4c(k + 1 − H)/(k(k + 1))", k, sharp, "exact"))),
        Figure("squares", "Least squares over random points", "k", "mean error", (
            curve(f"mean of {scale.runs} runs", k, squared), curve("bound", k, loose, "bound"))),
    )
    return Finding("With atoms that are right on average up to cη_k the mean error obeys the bound of Theorem 2, and on a "
                   "line it equals it up to sampling noise.", tuple(checks), figures)


def on_a_line(c: float, k: int) -> Expected:
    """e_k for f(w) = w on [0, 1]: a sum of independent errors, of 1 with probability cη_i, for steps η_i = 2/(i + 2)."""
    eta = 2.0 / (np.arange(k) + 2.0)
    left = np.append(np.cumprod((1.0 - eta)[:0:-1])[::-1], 1.0)  # what later steps leave of d_i
    share, chance = eta * left, c * eta
    return Expected(float(share @ chance), float(share**2 @ (chance * (1.0 - chance))), float(share.max()))


def errors(problem: Problem, c: float, steps: int, seed: int) -> Array:
    got = gh.minimize(problem.f, Careless(problem.S, c), gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(steps), seed=seed)
    return np.asarray(got.trace.value[1 : steps + 1] - problem.least)


@experiment(
    "complexity", "Abstract and introduction", "How many terms an error costs",
    "Stochastic Jones reaches an error ε with O(ε⁻⁴) terms, stochastic Frank-Wolfe with O(ε⁻⁴) gradients and O(ε⁻²) linear "
    "optimisations.",
    "True of the printed schedule. For smooth convex f another one, η_k = 2/(k + 2) and b_k ~ k², needs O(ε⁻³) and O(ε⁻¹), "
    "as Hazan and Luo (2016) showed for Frank-Wolfe. Nonsmooth f: O(ε⁻⁴) subgradients and linear optimisations.",
    "Which powers of 1/ε follow from the bounds, and what do runs spend?")
def complexity(scale: Scale, seed: int) -> Finding:
    sum_ = regression(seed, n=20_000)
    noise, bend = sum_.radius * sum_.sigma, sum_.problem.M
    goal = np.geomspace(1.0, 1e-2, 9) * (noise + bend)
    printed = promised_by_k(noise, bend, goal)
    better = promised_by_squares(noise, bend, goal)
    checks = []
    most = 30_000 if scale.steps < 1000 else 1_000_000
    spent = np.geomspace(200, most, 14)
    solvers: tuple[tuple[str, Any], ...] = (("ASJ, b = k", replace(gh.StochasticJones(), every=5)),
                                            ("ASJ, b ~ k²", replace(gh.StochasticJones.growing(), every=5)),
                                            ("ASFW, b = k", replace(gh.StochasticFrankWolfe(), every=5)))
    runs = max(scale.runs // 10, 4)
    curves = {name: repeated(partial(complexity_errors, sum_, solver, spent), runs, seed)[0] for name, solver in solvers}
    for name, mean in curves.items():
        checks.append(at_most(f"{name}: fitted power of the error in the terms spent, 0 for doing nothing",
                              fitted(spent, mean), -0.25))
    t = np.array([1000, 10_000, 100_000, 1_000_000])
    on_line = np.array([OnALine.steady(int(n), 1.0).error() for n in t])
    checks.append(equal("ARSFW, constant weights, c = 1, f(w) = w: fitted power of the error in the subgradients",
                        fitted(t, on_line), -0.25, 0.01))
    figures = (
        Figure("promised", "Terms that the bounds ask for", "1/ε", "gradients of terms",
               (curve("b = k: ε⁻⁴", 1.0 / goal, printed[0]), curve("b ~ k²: ε⁻³", 1.0 / goal, better[0]))),
        Figure("spent", f"Terms that runs spend, means of {runs}", "gradients of terms", "mean error",
               tuple(curve(name, spent, mean) for name, mean in curves.items())),
        Figure("kinks", "ARSFW on f(w) = w, c = 1: an error of ε takes ε^−4 subgradients", "subgradients", "error", (
            curve("constant weights", t, on_line),
            curve("corrected bound", t, theory.arsfw(theory.ConstantWeights(), t, c=1.0, **CONSTANTS), "bound"))),
    )
    table = Table("What the bounds ask for", ("ε", "terms, b = k", "oracle calls", "terms, b ~ k²", "oracle calls"), tuple(
        (float(e), float(a), float(b), float(c), float(d)) for e, a, b, c, d in zip(goal, *printed, *better, strict=True)))
    return Finding(
        "The paper's schedule asks for ε⁻⁴ terms and ε⁻² oracle calls, as printed; steps 2/(k + 2) with batches like k² ask "
        "for ε⁻³ and ε⁻¹. On least squares the errors of runs fall faster in the terms spent than the power −¼ of the printed "
        "bound: the batches grow, but the noise near the minimiser matters less than its worst value. For ARSFW the power −¼ "
        "is real: on a line the error falls like t^−¼.", tuple(checks), figures, (table,))


def promised_by_k(noise: float, bend: float, goal: Array) -> tuple[Array, Array]:
    """Terms and oracle calls until √2 B/√k ≤ ε with b_k = k."""
    calls = np.ceil(2.0 * ((noise + bend) / goal) ** 2)
    return 0.5 * calls * (calls + 1.0), calls


def promised_by_squares(noise: float, bend: float, goal: Array) -> tuple[Array, Array]:
    """Terms and oracle calls until 4(bend + τ)/(k + 2) ≤ ε with b_k = ⌈(noise/(τη_k))²⌉."""
    schedule = theory.BetterSchedule.best(bend)
    calls = np.ceil(4.0 * (bend + schedule.tau) / goal)
    terms = [sum(schedule.batch(noise, k) for k in range(int(n))) for n in calls]
    return np.array(terms, dtype=float), calls


def complexity_errors(sum_: Sampled, solver: Solver, spent: Array, seed: int) -> Array:
    """The error when so many terms have been spent, at the last event before."""
    problem = sum_.problem
    cost, values = spent_and_values(problem.f, problem.S, solver, spent[-1], seed, problem.atoms[0])
    return np.asarray(values[np.maximum(np.searchsorted(cost, spent, side="right") - 1, 0)] - problem.least)
