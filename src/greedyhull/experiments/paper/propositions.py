"""Propositions 1 to 3, mixed updates, and the open questions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull import theory
from greedyhull.experiments import asfw_eg_a, asfw_eg_b, asj_eg, nonsmooth_rates, variance_reduced_jones
from greedyhull.experiments.counterexamples import WrongLimit, bernstein, unwarned
from greedyhull.experiments.paper import Figure, Finding, Scale, Table, curve, experiment
from greedyhull.experiments.paper.checks import Check, at_least, at_most, bounded, equal, fitted
from greedyhull.experiments.paper.problems import Problem, corners, logit, play, posed, squares
from greedyhull.types import Array

TWICE = (0.5, 0.25, 0.25)


@experiment(
    "proposition1", "Proposition 1", "Single terms make Jones over-greedy",
    "With b_k = 1, exact oracles and η_k chosen jointly with d_k, there is a smooth convex sum on which E f(w_k) does not "
    "go to f*: terms (x_i·w − 1)² for three unit vectors at 120°, which are the atoms too.",
    "True: the error is exactly ½ from the second point on. The averaged point, which Theorem 5 is about, converges there; "
    "with the first term doubled it does not.",
    "Where do the last point and the mean of the points go?")
def proposition1(scale: Scale, seed: int) -> Finding:
    at, runs = ([5, 15, 50], 60) if scale.runs < 100 else ([5, 15, 50, 150], 200)
    with unwarned():
        even = [asj_eg(k=k, runs=runs, seed=seed) for k in at]
        twice = [asj_eg(TWICE, k=k, runs=runs, seed=seed) for k in at]
    off = [abs(m.measured - m.exact) / m.room for got in (*even, *twice) for m in (got.last, got.average)]
    checks = (
        equal("three terms: error of the last point at every k",
              max(abs(g.last.measured - 0.5) for g in even) + 0.5, 0.5, 1e-9),
        equal("three terms: the mean of the points goes to", even[0].limit, 0.0, 1e-12),
        equal("a term doubled: error of the last point, exactly 0.50625", twice[0].last.exact, 0.50625, 1e-12),
        equal("a term doubled: limit of the mean, exactly 9/640", twice[0].limit, 9 / 640, 1e-12),
        at_least("a term doubled: expected error of the mean at the last k, over 9/640",
                 twice[-1].average.exact / (9 / 640), 1.0),
        at_most("largest distance of a mean from its expectation, over what chance explains", max(off), 1.0),
        # a tenth of what single terms keep, and some thirty standard errors above what was seen
        at_most("capped steps and batches of k: error of the last point at the last k",
                max(even[-1].capped, twice[-1].capped), 0.05))
    k = np.array(at, dtype=float)
    shown = Figure("points", "A term doubled: single terms, step and atom chosen jointly", "k", "mean error", (
        curve("last point", k, [g.last.measured for g in twice]),
        curve("mean of the points", k, [g.average.measured for g in twice]),
        curve("capped steps, batches of k: last point", k, [max(g.capped, 1e-12) for g in twice]),
        curve("9/640", k, np.full(len(k), 9 / 640), "exact"), curve("0.50625", k, np.full(len(k), 0.50625), "bound")))
    rows = tuple((name, n, g.last.measured, g.last.exact, g.average.measured, g.average.exact, g.limit, g.capped)
                 for name, found in (("three", even), ("first doubled", twice)) for n, g in zip(at, found, strict=True))
    table = Table("Measured and exact", ("terms", "k", "last", "exact", "mean of points", "exact", "limit", "capped, last"),
                  rows)
    return Finding("The last point is ½ above the minimum for ever. The mean of the points does converge in the printed "
                   "example, but not if one term is doubled: it stays 9/640 above. Capped steps with growing batches "
                   "converge in both.", checks, (shown,), (table,))


@experiment(
    "proposition2", "Proposition 2", "Atoms may be wrong on average",
    "There is a sum of smooth convex terms for which ASFW with single terms and η_k = 2/(k + 2) converges although no c "
    "satisfies ⟨E d_k, ∇f⟩ ≤ min + cη_k. Two terms (x·w ∓ 1)² with x = (1, 1) over the ball of radius ½.",
    "True; the printed numbers are not. w_k = Y_k x/(2√2), not Y_k x; the largest violation is 1 for the mean of the terms "
    "(2 for their sum), not 4√2. The expected error has a closed form, and the exponent of Hoeffding's bound is three times "
    "the printed one.",
    "Is the closed form met, and how does the violation grow?")
def proposition2(scale: Scale, seed: int) -> Finding:
    at = [1, 2, 5, 15, 50] + ([200, 400] if scale.runs > 100 else [])
    with unwarned():
        got = [asfw_eg_a(k, seed, runs=4 * scale.runs) for k in at]
    k = np.array(at, dtype=float)
    exact = (2 * k + 1) / (3 * k * (k + 1))
    rows = tuple((n, g.measured, g.error, e, g.violation) for n, g, e in zip(at, got, exact, strict=True))
    off = max(abs(g.measured - e) / g.room for g, e in zip(got[1:], exact[1:], strict=True))
    expected = [violation(n, 4 * scale.runs) for n in at]
    strange = max(abs(g.violation - mean) / room for g, (mean, room) in zip(got, expected, strict=True))
    tails, bound, tail = hoeffding(14)
    checks = (
        bounded("Hoeffding's bound on P(|Y_k| ≥ x), k = 14: exact probability over it", float((tail / bound).max()),
                why="it is 2 at x = 0, where a probability is at most 1"),
        equal("one step: E f − f*, exactly ½", got[0].measured, 0.5, 1e-12),
        at_most("all k: distance from (2k + 1)/(3k(k + 1)), over what chance explains", off, 1.0),
        equal("one step: violation over η, exactly 1.5", got[0].violation, 1.5, 1e-9),
        at_most("all k: distance of the violation from its expectation, over what chance explains", strange, 1.0),
        at_least("expected violation over η at the last k", expected[-1][0], 3.0),
        equal("fitted power at which it grows", fitted(k, [mean for mean, _ in expected]), 0.5, 0.2),
    )
    figures = (
        Figure("error", "The expected error", "k", "E f − f*", (
            curve(f"mean of {4 * scale.runs} runs", k, [g.measured for g in got], "dots"),
            curve("(2k + 1)/(3k(k + 1))", k, exact, "exact"))),
        Figure("violation", "What the condition would have to bound", "k", "violation/η", (
            curve("mean violation over η", k, [g.violation for g in got], "dots"),)),
        Figure("hoeffding", "Hoeffding's bound in the proof, k = 14", "x", "P(|Y_k| ≥ x)", (
            curve("exact, all sign patterns", tails, tail, "dots"), curve("2exp(−x²/(2Σa²))", tails, bound, "bound"),
            curve("with the printed exponent", tails, 2.0 * (bound / 2.0) ** (1.0 / 3.0), "exact")), log="y"),
    )
    table = Table("Measured and exact", ("k", "mean error", "standard error", "exact", "violation/η"), rows)
    return Finding("The expected error is (2k + 1)/(3k(k + 1)), so the method converges at the rate 1/k, while the "
                   "violation of the condition grows like √k steps: "
                   "it is sufficient, not necessary.", checks, figures, (table,))


def violation(k: int, runs: int) -> tuple[float, float]:
    """E|Y_k|/η_k, exactly, and what the mean of so many runs may be off by."""
    whole = k * (k + 1) // 2
    chance = np.zeros(2 * whole + 1)  # of Σ i s_i = −whole, …, whole
    chance[whole] = 1.0
    for i in range(1, k + 1):
        chance = 0.5 * (np.roll(chance, i) + np.roll(chance, -i))
    size = np.abs(np.arange(-whole, whole + 1)) / whole
    mean = float(chance @ size)
    scale = (k + 2.0) / 2.0
    return scale * mean, scale * bernstein(max(float(chance @ size**2) - mean**2, 0.0), 1.0, runs)


def hoeffding(k: int) -> tuple[Array, Array, Array]:
    """x, the bound 2exp(−x²/(2Σa²)) and the exact P(|Y_k| ≥ x), Y_k = Σ a_i s_i with a_i = 2i/(k(k + 1)) and signs s_i."""
    a = 2.0 * np.arange(1, k + 1) / (k * (k + 1))
    signs = 1.0 - 2.0 * ((np.arange(2**k)[:, None] >> np.arange(k)) & 1)
    size, x = np.sort(np.abs(signs @ a)), np.linspace(0.0, 1.0, 41)
    tail = 1.0 - np.searchsorted(size, x - 1e-12) / len(size)
    return x, 2.0 * np.exp(-(x**2) / (2.0 * float(a @ a))), np.asarray(tail)


@experiment(
    "proposition3", "Proposition 3", "Single terms may lead to the wrong point",
    "There is a smooth convex sum for which ASFW with single terms has a limit of E f(w_k) above f*: three unit vectors at "
    "120°, targets (1, −1, −1), the ball of radius r < 1. The atoms do not depend on w, their mean is (0, 2r/3), the "
    "optimum (0, r).",
    "Printed for arbitrary steps, which is false: η_k = 0 from w* has no error, and alternating 1 and ½ has no limit. True "
    "for given steps with an infinite sum that go to zero; the limit is r(8 − 5r)/18.",
    "Where does the expected error go?")
def proposition3(scale: Scale, seed: int) -> Finding:
    runs = 2 * scale.runs
    checks: list[Check] = []
    found: list[tuple[float, str, WrongLimit]] = []
    at = [1, 3, 10, 30] + ([100, 300] if scale.runs > 100 else [])
    with unwarned():
        over = [asfw_eg_b(0.5, k=k, runs=runs, seed=seed) for k in at]
        found += [(r, "2/(k + 2)", asfw_eg_b(r, k=at[-1], runs=runs, seed=seed)) for r in (0.3, 0.5, 0.9)]
        found += [(0.5, f"constant {eta}", asfw_eg_b(0.5, eta, k=30, runs=runs, seed=seed)) for eta in (0.2, 0.5, 1.0)]
        turns = [asfw_eg_b(0.5, (1.0, 0.5), k=k, runs=1500, seed=seed) for k in (21, 22)]
        found += [(0.5, f"1 and ½ by turns, k = {k}", got) for k, got in zip((21, 22), turns, strict=True)]
    rows = tuple((r, steps, got.measured, got.error, got.exact, got.limit) for r, steps, got in found)
    checks += [equal(f"steps 1 and ½ by turns, after a step {step}: exactly {exact}", got.measured, value, got.room)
               for step, exact, value, got in (("1", "2/9", 2 / 9, turns[0]), ("½", "3/16", 3 / 16, turns[1]))]
    off = max(abs(got.measured - got.exact) / got.room for _, _, got in found)
    checks += [at_most("all runs: distance from the exact expectation, over what chance explains", off, 1.0),
               at_least("r = ½: the expected error at the last k over its limit", over[-1].exact / (2.75 / 18), 1.0)]
    k = np.array(at, dtype=float)
    shown = Figure("limit", "r = ½, steps 2/(k + 2): the error does not vanish", "k", "E f − f*", (
        curve(f"mean of {runs} runs", k, [g.measured for g in over], "dots"),
        curve("exact", k, [g.exact for g in over], "exact"),
        curve("limit r(8 − 5r)/18", k, np.full(len(k), 2.75 / 18), "bound")))
    table = Table("Measured and exact", ("r", "steps", "mean error", "standard error", "exact", "limit"), rows)
    return Finding(
        "The expected error goes to r(8 − 5r)/18 > 0 with vanishing steps, and stays further away with constant "
        "ones; with steps 1 and ½ by turns it goes to and fro between 2/9 and 3/16. Every mean agrees with its closed form.",
        tuple(checks), (shown,), (table,))


UPDATES: dict[str, Any] = {"Frank-Wolfe, scheduled": gh.FrankWolfe(gh.OpenLoop()),
    "Frank-Wolfe, short steps": gh.FrankWolfe(gh.Short()), "Frank-Wolfe, line search": gh.FrankWolfe(gh.Exact()),
    "Frank-Wolfe, backtracking": gh.FrankWolfe(gh.Backtracking()), "Jones, scheduled": gh.Jones(gh.OpenLoop()),
    "Jones, joint choice": gh.Jones(), "both by turns": gh.Mixed((gh.FrankWolfe(gh.OpenLoop()), gh.Jones(gh.OpenLoop()))),
    "the better of both": gh.Mixed(choose="better"), "fully corrective": gh.Corrective()}
FASTER = "updates that are no worse than a step are better than it; c = 0, and Theorem 2 is attained by its part with c"
CORNERS = "on the simplex line search has f = 1/(k + 1), a quarter of the bound, and no update can have less (see below)"


@experiment(
    "mixtures", "Remark after Theorem 2", "Any update that is no worse keeps the rate",
    "An update that ends no higher than a c-FW or c-Jones step of length 2/(k + 2), or than the model of one, has the rate of "
    "Theorem 2. So the families may be mixed, and steps may be searched for.",
    "True. No worse must be meant of the model f(w) − ηg + Mη²/2 at the scheduled step: a short step minimises the model and "
    "may end above f at that step.",
    "Do searched steps, mixtures and corrective steps stay below the bound of the scheduled ones?")
def mixtures(scale: Scale, seed: int) -> Finding:
    steps, rows, curves, searched = min(scale.steps // 2, 500), [], [], 0.0
    every = np.arange(1, steps + 1)
    for problem in (squares(seed), logit(seed), corners(40)):
        for name, solver in UPDATES.items():
            played = play(problem, solver, steps)
            k, e = played.k[1:], played.errors[1:]
            used = float((e / theory.rate(problem.M, 0.0, k)).max())
            rows.append((problem.name, name, used, fitted(k, np.where(e > 1e-9, e, 0.0))))
            if name in ("Frank-Wolfe, short steps", "Frank-Wolfe, line search", "Jones, joint choice"):
                searched = max(searched, float((e / theory.line_search_rate(problem.M, k)).max()))
            if problem.name == "logistic" and name in ("Frank-Wolfe, scheduled", "Frank-Wolfe, line search",
                                                       "Jones, joint choice", "both by turns"):
                curves.append(curve(name, k, e))
        if problem.name == "logistic":
            curves.append(curve("2M/(k + 2)", every, theory.rate(problem.M, 0.0, every), "bound"))
    checks = (bounded("all updates: largest error over (2M + 4c)/(k + 2)", max(float(row[2]) for row in rows), why=FASTER),
        bounded("line search, short steps, joint choice: largest error over 2M/(k + 3)", searched, room=1e-9, why=CORNERS))
    shown = Figure("updates", "Logistic regression over an l1 ball", "k", "error", tuple(curves))
    table = Table("Largest error over the bound of Theorem 2", ("problem", "update", "error / bound", "fitted power"),
                  tuple(rows))
    return Finding("All nine updates stay below the bound of Theorem 2, mixtures of the two families among them; steps "
                   "that look at f obey 2M/(k + 3).", checks, (shown,), (table,))


N = 8
INSIDE, ON_FACE = "minimiser inside", "minimiser on a face"


@experiment(
    "open_questions", "Conclusion", "What the paper leaves open",
    "The authors ask whether Jones' algorithm is faster under more assumptions, whether there are stochastic Jones methods "
    "that need less, and for lower bounds, the nonsmooth case seeming harder.",
    "Measured here are examples. A lower bound for methods that add one atom a step is above (beside Theorem 3).",
    "What do runs show?")
def open_questions(scale: Scale, seed: int) -> Finding:
    rows, drawn, last = [], [], {}
    for problem in (placed(seed, 0.5), placed(seed, 1.3)):
        for name, solver in (("Frank-Wolfe", gh.FrankWolfe()), ("Jones", gh.Jones()), ("pairwise Jones", gh.PairwiseJones())):
            e = play(problem, solver, min(scale.steps, 1000), start=problem.atoms[0]).errors[1:]
            k = np.arange(1, len(e) + 1)
            reached = int(np.argmax(e <= 1e-8)) + 1 if (e <= 1e-8).any() else float("nan")
            rows.append((problem.name, name, reached, *pace(k, e), float(e[-1])))
            last[problem.name, name] = float(e[-1])
            if problem.name == ON_FACE:
                drawn.append(curve(name, k, np.where(e > 1e-12, e, np.nan)))
    with unwarned():
        reduced = variance_reduced_jones(n=1000 if scale.steps < 1000 else 4000, passes=12 if scale.steps < 1000 else 30,
                                         runs=2 if scale.runs < 100 else 6, seed=seed)
        kinks = nonsmooth_rates(1000 if scale.steps < 1000 else 20_000, runs=2 if scale.runs < 100 else 4, seed=seed)
    passes = reduced.spent[1:] / reduced.spent[1]
    figures = (
        Figure("faster", "A strongly convex quadratic with its minimiser on a face", "k", "error", tuple(drawn)),
        Figure("reduced", "Least squares over an l1 ball: error after so many passes", "passes over the data", "mean error",
               tuple(curve(name, passes, np.maximum(reduced[name][1:], 1e-13)) for name in reduced.names)),
        Figure("kinks", "Absolute loss over a ball: error after so many subgradients", "subgradients of terms", "mean error",
               tuple(curve(found.name, found.subgradients, np.where(found.error > 1e-9, found.error, np.nan))
                     for found in kinks.curves)),
    )
    checks = (
        at_most("strongly convex, minimiser inside: error of Jones at the end", last[INSIDE, "Jones"], 1e-8),
        at_least("minimiser on a face: error of Jones at the end, it does not converge linearly", last[ON_FACE, "Jones"],
                 1e-8),
        at_most("minimiser on a face: error of pairwise Jones at the end", last[ON_FACE, "pairwise Jones"], 1e-8),
        at_most("equal numbers of gradients: error of variance-reduced Jones over that of ASJ",
                float(reduced["variance-reduced Jones"][-1] / reduced["ASJ"][-1]), 1.0),
        at_most("nonsmooth f: error of ARSFW without weights over that of the printed weights",
                float(kinks["ARSFW-U"].error[-1] / kinks["ARSFW"].error[-1]), 1.0),
    )
    powers = tuple((found.name, found.exponent if found.exponent > -3.0 else "faster", float(found.error[-1]))
                   for found in kinks.curves)
    tables = (
        Table("Nonsmooth f: fitted power of the error in subgradients", ("method", "fitted power", "last error"), powers),
        Table("Additional assumptions",
              ("problem", "method", "steps to 1e−8", "fitted power of k", "factor per step", "last error"), tuple(rows)),
    )
    return Finding(
        "On these examples Jones is linear where Frank-Wolfe is (a minimiser inside) and sublinear where Frank-Wolfe is (on a "
        "face); exchanging atoms makes it fast there too. A control variate saved gradients for stochastic Jones in this "
        "experiment. Among methods for kinks the paper's weights were the slowest; one that knows how f is made was the "
        "fastest. These are examples. What is proved is in the library's pages on theory: linear rates for a minimiser "
        "inside (linear_rate) and for pairwise Jones (pairwise_jones_rate), O(1/ε²) terms for an error ε with variance "
        "reduction (VarianceReducedJones), and a rate of t^−½ for kinks by Moreau envelopes (MoreauFrankWolfe). Lower bounds "
        "for the stochastic methods remain open.", checks, figures, tables)


def pace(k: Array, e: Array) -> tuple[float, float]:
    """The fitted power of k, or, where the error falls to 1e−10, the factor of the error per step: the other is nan."""
    if e[-1] > 1e-10:
        return fitted(k, e), math.nan
    seen = e > 1e-10
    return math.nan, float(np.exp(np.polyfit(k[seen], np.log(e[seen]), 1)[0])) if seen.sum() > 2 else math.nan


def placed(seed: int, share: float) -> Problem:
    """½(w − b)ᵀH(w − b) over the l1 ball of radius 1, ‖b‖₁ = share: inside below one, cut off by a face above."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((2 * N, N))
    H = A.T @ A / len(A) + 0.1 * np.eye(N)
    b = share * rng.dirichlet(np.full(N, 30.0)) * rng.choice([-1.0, 1.0], N)
    return posed(INSIDE if share < 1.0 else ON_FACE, gh.quadratic(H, H @ b), gh.L1Ball(N, 1.0))
