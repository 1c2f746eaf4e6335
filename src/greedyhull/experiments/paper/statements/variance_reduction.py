"""The paper's second open question: stochastic Jones with variance reduction, its theorem and its runs."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from greedyhull.atoms.vertices import Vertices
from greedyhull.driver.minimize import minimize
from greedyhull.driver.stop import Callback, Gap, Iterations
from greedyhull.experiments.paper.experiment import (
    Check,
    Experiment,
    Figure,
    Finding,
    Scale,
    Table,
    at_most,
    bounded,
    curve,
    equal,
)
from greedyhull.experiments.paper.rare import IDLE, Rare
from greedyhull.experiments.paper.trajectory import means, unwarned
from greedyhull.experiments.variance_reduced_jones import made_up
from greedyhull.measures.constants import constants
from greedyhull.measures.spread import jones_variance
from greedyhull.objectives.batch import count_of
from greedyhull.objectives.by_name import least_squares
from greedyhull.objectives.composite import Composite
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

FAR = "in none of the instances that this seed drew is the best atom as bad as the bound allows"
Rule = Callable[[Batch, Batch, Array, Array], Array]


def run(scale: Scale, seed: int) -> Finding:
    few = scale.steps < 1000
    f, S = made_up("least_squares", 500 if few else 2000, 20, seed)
    least = minimize(f, S, stop=Gap(1e-10) | Iterations(2000)).certificate.lower
    last, k, bound = below(f, S, least, 6 if few else 30, seed)
    curves = [(name, *passes(f, S, solver, least, 2 if few else 5, seed)) for name, solver in SIDE_BY_SIDE.items()]
    ends = {name: float(y[-1]) for name, _, y in curves}
    checks = (
        *single_steps(np.random.default_rng(seed), max(scale.points // 20, 10)),
        *noise(100 if few else 400, seed),
        at_most("equal numbers of gradients, SVRG with batches 4k: error of Jones over that of Frank-Wolfe",
                ends["Jones, SVRG 4k"] / ends["Frank-Wolfe, SVRG 4k"], 1.0),
    )
    first = float(minimize(f, S, VarianceReducedJones(), stop=Iterations(1)).trace.value[0]) - least
    compared = ends["Jones, duals"] / ends["Frank-Wolfe, duals"]
    return Finding(
        "Yes: with SVRG stochastic Jones needs O(1/ε²) terms, O(log 1/ε) passes and O(1/ε) choices for an error ε, where the "
        "paper's schedules need O(1/ε⁴) and O(1/ε²). The theorem holds for every estimate of the gradient, and its noise "
        "term is attained. Runs stay so far below the rate with SVRG that doing nothing would, too: it is in the table and "
        "not checked, and the proof carries it. With per-sample duals the error of Jones after 20 passes is "
        f"{compared:.2g} times that of Frank-Wolfe.",
        checks,
        (Figure("reduced", "Least squares over an l1 ball: error after so many passes", "passes over the data", "mean error",
                tuple(curve(name, x, np.maximum(y, 1e-13)) for name, x, y in curves)),
         Figure("rate", "SVRG with batches 24k and steps 2/(k + 1)", "k", "mean error",
                (curve("variance-reduced Jones", k, np.maximum(last, 1e-13)), curve("6LD²/(k + 1)", k, bound, "bound")))),
        (Table("SVRG with batches 24k against 6LD²/(k + 1), k = 2, …, 40: not checked",
               ("runs", "largest mean error / bound", "doing nothing / bound, k = 40"),
               ((6 if few else 30, float((last / bound).max()), first / float(bound[-1])),)),))


# --- one step, in exact expectation -----------------------------------------------------------------------------------


def plain(batch: Batch, full: Batch, w: Array, snapshot: Array) -> Array:
    return batch.gradient(w)


def svrg(batch: Batch, full: Batch, w: Array, snapshot: Array) -> Array:
    return np.asarray(batch.gradient(w) - batch.gradient(snapshot) + full.gradient(snapshot))


def biased(batch: Batch, full: Batch, w: Array, snapshot: Array) -> Array:
    return np.asarray(0.5 * (batch.gradient(w) + full.gradient(snapshot)))


def single_steps(rng: np.random.Generator, tried: int) -> list[Check]:
    """One step with each estimate: the largest share of the bound, and the least that doing nothing scores."""
    checks = []
    for name, rule, size in (("minibatch", plain, "r_S"), ("SVRG", svrg, "r_S"), ("biased", biased, "D")):
        seen = np.array([one_step(rng, rule, size) for _ in range(tried)])
        share = float(seen[:, 0].max())
        checks.append(bounded(f"one step, all batches: largest mean error over the bound, {name}", share,
                              idle=float(seen[:, 1].min()), why="" if share > 1.0 / 1.5 else FAR))
    return checks


def one_step(rng: np.random.Generator, rule: Rule, size: str) -> tuple[float, float]:
    """E e⁺, and e, over (1 − η)e + ηΔ√a + ½(M + V)η², the mean being over all batches of two out of four terms.

    w is the worst atom, terms are alike, and η is such that doing nothing exceeds the bound.
    """
    while True:
        atoms, row = rng.standard_normal((6, 3)), rng.standard_normal(3)
        X, y = row + 0.05 * rng.standard_normal((4, 3)), 3.0 + 0.05 * rng.standard_normal(4)
        f, S = least_squares(X, y), Vertices(atoms)
        full = f.batch(np.arange(4))
        best = minimize(f, S, Corrective(), stop=Gap(1e-10) | Iterations(100))
        w = max(atoms, key=full.value)
        snapshot, share = 0.8 * w + 0.2 * rng.dirichlet(np.ones(6)) @ atoms, float(rng.uniform(0.05, 0.9))
        known = constants(f, S)
        bend = 0.5 * (float(known.M) + float(jones_variance(f, S, best.point)))
        wrong = float(np.mean([((rule(batch, full, w, snapshot) - full.gradient(w)) ** 2).sum() for batch in pairs(f)]))
        e, room = full.value(w) - best.certificate.lower, best.value - best.certificate.lower
        noise = float(known[size]) * float(np.sqrt(wrong))
        eta = min(share * (e - noise) / bend, 1.0)  # with a share of one the bound is e
        if eta > 0.0:
            break
    choice, after = ModelChoice(S, S.oracle(rng)), []
    for batch in pairs(f):
        x = (1 - eta) * w
        choice.tilted(batch, rule(batch, full, w, snapshot), w, eta, 0.0).atom.add_to(x, eta)
        after.append(full.value(x))
    bound = (1 - eta) * e + eta * noise + bend * eta**2 + room
    return float(np.mean(after) - best.certificate.lower) / bound, e / bound


def pairs(f: Composite) -> list[Batch]:
    """All batches of two out of four terms."""
    return [f.batch(np.array(index)) for index in itertools.product(range(4), repeat=2)]


def noise(runs: int, seed: int, k: int = 40) -> list[Check]:
    """f(w) = w on [−1, 1], half of the terms steep: a single term sends the step to the wrong end with probability ½."""
    rare, eta = Rare(0.5), 2.0 / (np.arange(1, k + 1) + 1.0)
    exact = rare.last(eta, np.ones(k))
    bound = float(expected_jones_error(Minibatch(1), eta, {"M": 0.0, "sigma": rare.sigma, "r_S": 1.0}, n=2, e1=IDLE)[-1])
    mean = rare.measured(VarianceReducedJones(Minibatch(1), OpenLoop(late=False)), k, runs, seed, "last")
    return [bounded(f"w on [−1, 1], single terms, k = {k}: expected error over the bound", exact.mean / bound,
                    idle=IDLE / bound),
            equal(f"w on [−1, 1], single terms: mean error of {runs} runs, against the expected one", mean, exact.mean,
                  exact.room(runs))]


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
