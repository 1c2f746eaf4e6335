"""The paper's second open question: stochastic Jones with variance reduction, its theorem and its runs."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from greedyhull.atoms.vertices import Vertices
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Callback, Gap, Iterations
from greedyhull.experiments.paper.experiment import Experiment, Figure, Finding, Scale, Table, at_least, at_most, curve
from greedyhull.experiments.paper.trajectory import means, unwarned
from greedyhull.experiments.variance_reduced_jones import made_up
from greedyhull.measures.constants import constants
from greedyhull.measures.spread import jones_variance
from greedyhull.objectives.batch import count_of
from greedyhull.objectives.by_name import least_squares
from greedyhull.solvers.corrective import Corrective
from greedyhull.solvers.gradients import Dual, Minibatch, Svrg
from greedyhull.solvers.parts.joint.model import ModelChoice
from greedyhull.solvers.parts.schedules import linear
from greedyhull.solvers.parts.steps import OpenLoop
from greedyhull.solvers.stochastic_frank_wolfe import StochasticFrankWolfe
from greedyhull.solvers.variance_reduced_jones import VarianceReducedJones
from greedyhull.theory import expected_jones_error, variance_reduced_jones_rate
from greedyhull.types import Array, AtomSet, Objective
from greedyhull.types import Minibatch as Batch

Rule = Callable[[Batch, Batch, Array, Array], Array]


def run(scale: Scale, seed: int) -> Finding:
    rng = np.random.default_rng(seed)
    tried = {name: np.max([one_step(rng, rule, size) for _ in range(max(scale.points // 20, 10))], axis=0)
             for name, rule, size in (("minibatch", plain, "r_S"), ("SVRG", svrg, "r_S"), ("biased", biased, "D"))}
    steps = {name: float(ratios[0]) for name, ratios in tried.items()}
    few = scale.steps < 1000
    f, S = made_up("least_squares", 500 if few else 2000, 20, seed)
    least = minimize(f, S, stop=Gap(1e-10) | Iterations(2000)).certificate.lower
    last, k, bound = below(f, S, least, 6 if few else 30, seed)
    curves = [(name, *passes(f, S, solver, least, 2 if few else 5, seed)) for name, solver in SIDE_BY_SIDE.items()]
    ends = {name: float(y[-1]) for name, _, y in curves}
    near = attained()
    checks = (
        *(at_most(f"one step, all batches: largest mean error over the bound, {name}", ratio, 1.0)
          for name, ratio in steps.items()),
        at_most("ξw on [−1, 1], single terms: exact mean error over the bound", near, 1.0),
        at_least("which is nearly attained there", near, 0.999),
        at_most("SVRG, batches 24k: largest mean error over 6LD²/(k + 1)", float((last / bound).max()), 1.0),
        at_most("equal numbers of gradients, SVRG with batches 4k: error of Jones over that of Frank-Wolfe",
                ends["Jones, SVRG 4k"] / ends["Frank-Wolfe, SVRG 4k"], 1.0),
    )
    first = float(minimize(f, S, VarianceReducedJones(), stop=Iterations(1)).trace.value[0]) - least
    rows = [*((f"one step, {name}", 1.0 / steps[name], float(ratios[1])) for name, ratios in tried.items()),
            ("noise term", 1.0 / near, 2.0 * near),
            ("rate with SVRG", float((bound / last).min()), first / float(bound[-1]))]
    return Finding(
        "Yes: with SVRG stochastic Jones needs O(1/ε²) terms, O(log 1/ε) passes and O(1/ε) choices for an error ε, where the "
        "paper's schedules need O(1/ε⁴) and O(1/ε²). The theorem holds for every estimate of the gradient, and its noise "
        "term is attained. Runs stay far below the rate with SVRG, so that the proof carries it and not these runs. With "
        "per-sample duals Frank-Wolfe's choice is as good.",
        checks,
        (Figure("reduced", "Least squares over an l1 ball: error after so many passes", "passes over the data", "mean error",
                tuple(curve(name, x, np.maximum(y, 1e-13)) for name, x, y in curves)),
         Figure("rate", "SVRG with batches 24k and steps 2/(k + 1)", "k", "mean error",
                (curve("variance-reduced Jones", k, np.maximum(last, 1e-13)), curve("6LD²/(k + 1)", k, bound, "bound")))),
        (Table("By which factor a bound could be divided before its check fails", ("check", "factor", "doing nothing"),
               tuple(rows)),))


# --- one step, in exact expectation -----------------------------------------------------------------------------------


def plain(batch: Batch, full: Batch, w: Array, snapshot: Array) -> Array:
    return batch.gradient(w)


def svrg(batch: Batch, full: Batch, w: Array, snapshot: Array) -> Array:
    return np.asarray(batch.gradient(w) - batch.gradient(snapshot) + full.gradient(snapshot))


def biased(batch: Batch, full: Batch, w: Array, snapshot: Array) -> Array:
    return np.asarray(0.5 * (batch.gradient(w) + full.gradient(snapshot)))


def one_step(rng: np.random.Generator, rule: Rule, size: str) -> tuple[float, float]:
    """E e⁺, and e, over (1 − η)e + ηΔ√a + ½(M + V)η², the mean being over all batches of two out of four terms."""
    atoms = rng.standard_normal((6, 3))
    f, S = least_squares(rng.standard_normal((4, 3)), rng.standard_normal(4)), Vertices(atoms)
    best = minimize(f, S, Corrective(), stop=Gap(1e-10) | Iterations(100))
    w, snapshot = rng.dirichlet(np.ones(6), 2) @ atoms
    eta, full = float(rng.uniform(0.02, 1.0)), f.batch(np.arange(4))
    choice, after, wrong = ModelChoice(S, S.oracle(rng)), [], []
    for index in itertools.product(range(4), repeat=2):
        batch = f.batch(np.array(index))
        g = rule(batch, full, w, snapshot)
        x = (1 - eta) * w
        choice.tilted(batch, g, w, eta, 0.0).atom.add_to(x, eta)
        after.append(full.value(x))
        wrong.append(float(((g - full.gradient(w)) ** 2).sum()))
    known = constants(f, S)
    bend = 0.5 * (float(known.M) + float(jones_variance(f, S, best.point)))
    e, room = full.value(w) - best.certificate.lower, best.value - best.certificate.lower
    bound = (1 - eta) * e + eta * float(known[size]) * float(np.sqrt(np.mean(wrong))) + bend * eta**2 + room
    return float(np.mean(after) - best.certificate.lower) / bound, e / bound


def attained(small: float = 1e-4, k: int = 40) -> float:
    """f_i = ξ_i w on [−1, 1], ξ = 2 + small or −small: single terms choose the wrong end with probability ½, so E e_k = 1."""
    eta = 2.0 / (np.arange(1, k + 1) + 1.0)
    E = expected_jones_error(Minibatch(1), eta, {"M": 0.0, "sigma": 1.0 + small, "r_S": 1.0}, n=2, e1=np.inf)
    exact = 0.0
    for step in eta:
        exact = (1.0 - step) * exact + step * 2.0 * 0.5
    return float(exact / E[-1])


# --- runs -------------------------------------------------------------------------------------------------------------


SIDE_BY_SIDE: dict[str, VarianceReducedJones | StochasticFrankWolfe] = {
    "Jones, SVRG 4k": VarianceReducedJones(Svrg(linear(4.0))),
    "Frank-Wolfe, SVRG 4k": StochasticFrankWolfe(Svrg(linear(4.0)), OpenLoop()),
    "Jones, duals": VarianceReducedJones(Dual(32)),
    "Frank-Wolfe, duals": StochasticFrankWolfe(Dual(32), OpenLoop()),
}


def below(f: Objective, S: AtomSet, least: float, runs: int, seed: int) -> tuple[Array, Array, Array]:
    """Mean errors with the default estimator, k, and the bound."""
    k = np.arange(2, 41)

    def once(s: int) -> Array:
        run = minimize(f, S, VarianceReducedJones(every=1), seed=s, stop=Iterations(40))
        return np.asarray(run.trace.value[1:] - least)

    known = constants(f, S)
    return means(once, runs, seed)[0], k, np.asarray(variance_reduced_jones_rate(float(known.L_max), float(known.D), k))


def passes(f: Objective, S: AtomSet, solver: VarianceReducedJones | StochasticFrankWolfe, least: float, runs: int,
           seed: int) -> tuple[Array, Array]:
    """Passes over the data, and the mean error after so many."""
    n = count_of(f) or 1
    x = np.arange(1, 21)
    told = []
    for s in range(runs):
        seen: list[tuple[float, float]] = []
        with unwarned():
            minimize(f, S, solver, seed=seed + s, stop=Callback(lambda event: event.also["spent"] >= 20 * n),
                     watch=lambda event, seen=seen: seen.append((event.also["spent"] / n, event.value - least)))
        told.append(np.interp(x, *np.array(seen).T))
    return x.astype(float), np.mean(told, axis=0)


EXPERIMENT = Experiment(
    "variance_reduction", "Conclusion", "Stochastic Jones with variance reduction",
    "Minimise m = f_B − ⟨∇f_B(w) − g, ·⟩ at the step η_k, B fresh and g any estimate of ∇f(w) with mean squared error a_k. "
    "Then E e_{k+1} ≤ (1 − η_k)E e_k + η_kΔ√a_k + (½(M + V) + c)η_k², Δ = r_S if g is unbiased and D otherwise. With SVRG, "
    "batches of 16(k + 1) and steps 2/(k + 1), E e_k ≤ 6LD²/(k + 1).",
    "The paper asks for stochastic Jones methods that need fewer terms. The proof is that of Theorem 5 with the Frank-Wolfe "
    "atom of f, for the model m has the gradient g at w and the curvature of f_B, whose mean is that of f.",
    "Does a step keep the bound in exact expectation, is the noise term needed, and what do runs gain?",
    run,
)
