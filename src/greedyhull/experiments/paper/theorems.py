"""Theorems 1 to 4 and what follows from them."""

from __future__ import annotations

import numpy as np

import greedyhull as gh
from greedyhull import theory
from greedyhull.experiments.paper import Figure, Finding, Scale, Series, Table, curve, experiment, problems
from greedyhull.experiments.paper.checks import Check, at_least, at_most, bounded, equal, fitted
from greedyhull.experiments.paper.jones import WORST
from greedyhull.types import Array

TYPICAL = "on least squares few atoms are within the tolerance; the linear f is the worst case"
SIMPLEX = "the curvature's share of the bound is not attained: on the simplex a step η leaves η/(2 − η), a quarter of Mη/2"


@experiment(
    "theorem1", "Theorem 1", "A sufficient condition for convergence",
    "If the steps sum to infinity and go to zero, and the tolerances go to zero, then f(w_k) → f*. Stronger: if the steps sum "
    "to infinity, limsup e_k ≤ limsup (ε_k + Mη_k/2).",
    "True. The printed proof asks for ε_k/η_k → 0, which is not needed and need not hold; the ratio meant is (η_kε_k + "
    "Mη_k²/2)/η_k.",
    "Do methods of both families converge whose tolerances vanish far more slowly than their steps? And where do constant "
    "steps end?")
def theorem1(scale: Scale, seed: int) -> Finding:
    checks, curves = vanishing(scale, seed)
    more, settled, rows = settling(seed)
    figures = (Figure("vanishing", "Steps k^−½ with tolerances k^−0.1: ε_k/η_k grows, the error falls", "k", "error", curves),
               Figure("constant", "Constant steps: the error settles", "k", "error", settled))
    return Finding(
        "With ε_k/η_k → ∞ the errors of Frank-Wolfe and of Jones still go to zero, as slowly as the tolerance does; on a "
        "linear f over a ball Frank-Wolfe follows the recursion to the last digits. Constant steps settle within ε + "
        "Mη/2, and ε is attained.",
        (*checks, *more), figures,
        (Table("Constant steps", ("problem", "η", "ε", "ε + Mη/2", "largest late error", "ratio"), rows),))


def vanishing(scale: Scale, seed: int) -> tuple[list[Check], tuple[Series, ...]]:
    """Both families with tolerances that vanish more slowly than the steps."""
    checks: list[Check] = []
    curves = []
    for problem, family in ((problems.squares(seed), "Frank-Wolfe"), (problems.slope(), "Frank-Wolfe"),
                            (problems.squares(seed), "Jones"), (problems.polygon(), "Jones")):
        if family == "Jones":
            worst = problems.WorstJones(step=gh.Power(0.5), tolerance=gh.power(0.1))
            played = problems.play(problem, worst, min(scale.steps, 500))
        else:
            worst_fw = gh.FrankWolfe(gh.Power(0.5), gh.power(0.1))
            played = problems.play(problem, worst_fw, scale.steps, S=gh.Inexact(problem.S))
        k, e, eta = played.k[1:], played.errors[1:], played.steps
        bound = theory.recursion(problem.M, eta, (np.arange(len(eta)) + 1.0) ** -0.1, float(played.errors[0]))[1:]
        name = f"{family}, {problem.name}"
        curves.append(curve(name, k, e))
        checks.append(bounded(f"{name}: largest error over the recursion", float((e / bound).max()), room=1e-9,
                              idle=float((played.errors[0] / bound).max()), why=TYPICAL if problem.M > 0.0 else ""))
        checks.append(at_most(f"{name}: last error over that at a tenth of the run; k^−0.1 makes it 0.79",
                              float(e[-1] / e[len(e) // 10]), 0.85))
        if problem.name == "linear on a ball":
            curves.append(curve("recursion, linear f", k, bound, "exact"))
    return checks, tuple(curves)


def settling(seed: int) -> tuple[list[Check], tuple[Series, ...], tuple[tuple[str | float, ...], ...]]:
    """Where constant steps end: on a linear f at ε, on the simplex at a quarter of Mη/2."""
    checks: list[Check] = []
    rows: list[tuple[str | float, ...]] = []
    curves = []
    for problem, eta, eps in ((problems.slope(), 0.2, 0.1), (problems.slope(), 0.05, 0.1), (problems.corners(400), 0.05, 0.0),
                              (problems.squares(seed), 0.05, 0.1)):
        steps = 350 if problem.name.startswith("‖w‖²") else 800
        run_ = problems.play(problem, gh.FrankWolfe(gh.Constant(eta), gh.constant(eps)), steps, S=gh.Inexact(problem.S))
        late, promised = float(run_.errors[len(run_.errors) // 2 :].max()), theory.limit(eta, eps, problem.M)
        name = f"{problem.name}, η = {eta}, ε = {eps}"
        curves.append(curve(name, run_.k[1:], run_.errors[1:]))
        rows.append((problem.name, eta, eps, promised, late, late / promised))
        if problem.name != "least squares":
            checks.append(bounded(f"{name}: largest late error over ε + Mη/2", late / promised, room=1e-3,
                                  idle=float(run_.errors[0]) / promised, why=SIMPLEX if problem.M > 0.0 else ""))
    return checks, tuple(curves), tuple(rows)


C = 0.5
PARTS = "the proof puts e_k ≤ 4B/(k + 2) into a sum by parts, where the errors of one run cannot all be so large"


@experiment(
    "theorem2", "Theorem 2", "The error falls like 1/k",
    "With η_k = 2/(k + 2) a c-FW or c-Jones method has e_k ≤ (2M + 4c)/(k + 2) for k ≥ 1. The recursion solved exactly gives "
    "4B(k + 1 − H_{k+1})/(k(k + 1)) with B = M/2 + c. Not in print: the mean of the gaps with weights k + 1 is at most "
    "(6M + 12c)/(k + 3).",
    "True as printed; the base case of its proof compares with the wrong index.",
    "How close do the worst admissible oracles come to the bound, and at which power of k do they run?")
def theorem2(scale: Scale, seed: int) -> Finding:
    rows, checks, curves = [], [], []
    for problem in (problems.squares(seed), problems.logit(seed), problems.corners(40), problems.segment(), problems.slope()):
        for family, solver, S in problems.adversaries(problem, C):
            steps = scale.steps if family == "Frank-Wolfe" else min(scale.steps, 600)
            played = problems.play(problem, solver, steps, S=S)
            k, e = played.k[1:], played.errors[1:]
            sharp = theory.rate(problem.M, C, k, exact=True)
            ratio, power = float((e / sharp).max()), fitted(k, e)
            rows.append((problem.name, family, steps, float((e / theory.rate(problem.M, C, k)).max()), ratio, power))
            if problem.name in ("least squares", "linear on a ball"):
                curves.append(curve(f"{problem.name}, {family}", k, e / (0.5 * problem.M + C)))
            if problem.name == "linear on a ball":
                checks.append(equal("linear f on a ball: error over the sharp bound, last step", e[-1] / sharp[-1], 1.0, 1e-9))
                checks.append(equal("its fitted power of k", power, -1.0, 0.06))
    K = np.arange(1, scale.steps + 1)
    curves += [curve("printed: 4/(k + 2)", K, theory.rate(2.0, 0.0, K), "bound"),
               curve("sharp: 4(k + 1 − H)/(k(k + 1))", K, theory.rate(2.0, 0.0, K, exact=True), "exact")]
    checks.insert(0, bounded("largest error over the printed bound", max(float(row[3]) for row in rows), room=1e-12))
    checks.insert(1, bounded("largest error over the sharp bound", max(float(row[4]) for row in rows), room=1e-9))
    gap_figure, gap_ratio = least_gaps(problems.slope(), min(scale.steps, 1000))
    checks.append(bounded("weighted mean of the gaps over (6M + 12c)/(k + 3)", gap_ratio, why=PARTS))
    exact_figure, exact_ratio = without_tolerance(seed, min(scale.steps, 1000))
    checks.append(bounded("c = 0: largest error over the exact worst case of so many steps", exact_ratio, room=1e-4))
    figures = (
        Figure("rate", "Errors in units of M/2 + c, worst admissible atoms, c = 0.5", "k", "error/(M/2 + c)", tuple(curves)),
        gap_figure, exact_figure)
    table = Table("Largest ratios over the run, and the fitted power of k",
                  ("problem", "method", "steps", "error / printed", "error / sharp", "fitted power"), tuple(rows))
    return Finding(
        "No adversary exceeds the bound, and on a linear f over a ball Frank-Wolfe follows its sharp form to rounding, so the "
        "part with c cannot be improved. The part with M can: without tolerance the exact worst cases of few steps are "
        "below the sharp bound from k = 2 on. Runs on finite sets fall like k^−2 or faster in the end, since open-loop steps "
        "are faster on polytopes than their bound (Bach 2021; Wirth, Kerdreux and Pokutta 2023); the worst case is another f "
        "for every k. The gaps fall at the same order as the errors.", tuple(checks), figures, (table,))


def without_tolerance(seed: int, steps: int) -> tuple[Figure, float]:
    """Exact Frank-Wolfe runs in units of M, beside the exact worst cases of few steps, and how much of those they use."""
    k, few = np.arange(1, steps + 1), np.arange(1, len(WORST) + 1)
    curves, largest = [], 0.0
    for problem in (problems.squares(seed), problems.corners(40), problems.segment(), problems.edge()):
        start = problem.atoms[len(problem.atoms) - 1]
        e = problems.play(problem, gh.FrankWolfe(gh.OpenLoop(late=False)), steps, start=start).errors[1:] / problem.M
        largest = max(largest, float((e[: len(few)] / WORST).max()))
        curves.append(curve(f"{problem.name}, fitted power {fitted(k, e):.1f}", k, np.where(e > 1e-12, e, np.nan)))
    return Figure("exact", "No tolerance: errors in units of M", "k", "error/M", (
        *curves, curve("exact worst case of k steps", few, WORST, "exact"),
        curve("sharp bound", k, theory.rate(1.0, 0.0, k, exact=True), "bound"))), largest


def least_gaps(problem: problems.Problem, steps: int) -> tuple[Figure, float]:
    """The gaps of a run beside their rate, and how much of it their weighted mean uses."""
    solver = gh.FrankWolfe(gh.OpenLoop(), gh.harmonic(C))
    g = problems.gaps(problem, problems.play(problem, solver, steps, S=gh.Inexact(problem.S), points=True).points[1:])
    k = np.arange(1, len(g) + 1)
    mean = np.cumsum((k + 1) * g) / np.cumsum(k + 1)
    bound = theory.gap_rate(problem.M, C, k)
    shown = Figure("gaps", "The gaps of one run", "k", "gap", (
        curve("gap", k, g, "dots"), curve("mean with weights k + 1", k, mean),
        curve("least so far", k, np.minimum.accumulate(g)), curve("(6M + 12c)/(k + 3)", k, bound, "bound")))
    return shown, float((mean / bound).max())


@experiment(
    "theorem3", "Theorem 3", "1/k is the best that the recursion gives",
    "If e_{k+1} = (1 − η_k)e_k + Cη_k² with steps in [0, 1], then e_k ≥ a/(k + 2) with a = min{2e₀, 8C/3}.",
    "Printed for any choice of steps, which is false; η_k in [0, 1] is needed. Given that, the condition e₀ ≤ 2C is not, and "
    "the printed a = min{e₀, C} can be more than doubled. The minimising step is e/(2C), not e/(4C). It speaks of the "
    "recursion, not of the algorithms.",
    "How low can any steps push the recursion, and how far is the usual schedule from that?")
def theorem3(scale: Scale, seed: int) -> Finding:
    rng, C, K = np.random.default_rng(seed), 1.0, max(scale.steps, 2000)
    k, e0 = np.arange(K + 1), 4.0 / 3.0
    greedy = theory.greedy_recursion(e0, C, K)
    scheduled = theory.rate(2.0 * C, 0.0, k[1:], exact=True)
    lower, printed = theory.recursion_lower(e0, C, k), min(e0, C) / (k + 2.0)
    least = np.inf
    for _ in range(scale.points):
        start, steps = rng.uniform(0.01, 4.0), rng.uniform(0.0, 1.0, 60) ** rng.uniform(0.2, 5.0)
        e = theory.recursion(2.0 * C, steps, 0.0, float(start))
        least = min(least, float((e / theory.recursion_lower(float(start), C, np.arange(61)))[1:].min()))
    outside = 2.0
    for eta in (-1.0, 2.5):  # steps that the printed theorem does not forbid
        outside = (1.0 - eta) * outside + C * eta**2
    checks = (
        at_least("greedy steps: least e_k(k + 2)/a with a = min{2e₀, 8C/3}", float((greedy / lower).min()), 1.0, 1e-12),
        equal("from e₀ = 4C/3 it is attained at k = 0 and 1: largest ratio there", float((greedy / lower)[:2].max()), 1.0,
              1e-12),
        at_least("random steps in [0, 1]: least ratio, k ≥ 1", least, 1.0, 1e-12),
        equal("steps −1 and 2.5 from e₀ = 2, C = 1: e₂", outside, -1.25, 0.0),
        equal("k e_k/C of greedy steps at the end", K * greedy[-1] / C, 4.0, 40.0 * np.log(K) / K),
        equal("k e_k/C of the steps 2/(k + 2) at the end", K * scheduled[-1] / C, 4.0, 40.0 * np.log(K) / K),
    )
    shown = Figure("recursion", "e_{k+1} = (1 − η_k)e_k + Cη_k², C = 1, e₀ = 4/3", "k + 1", "e", (
        curve("best possible steps", k + 1, greedy), curve("steps 2/(k + 2)", k[1:] + 1, scheduled),
        curve("corrected: a/(k + 2), a = 8C/3", k + 1, lower, "bound"), curve("printed: a = C", k + 1, printed, "exact")))
    table = Table("Two steps outside [0, 1]", ("k", "step", "e_k", "printed lower bound"),
                  ((0, "–1", 2.0, 0.5), (1, "2.5", 5.0, 1.0 / 3.0), (2, "–", outside, 0.25)))
    return Finding("With steps in [0, 1] no choice beats a/(k + 2), and the corrected a is attained; with steps outside "
                   "the printed claim fails after two steps. The schedule 2/(k + 2) is optimal in the limit, constant "
                   "included.",
                   checks, (shown,), (table,))


RANDOM = "at random points few atoms compete; the triangle is the worst case"


@experiment(
    "theorem4", "Theorem 4", "Jones and Frank-Wolfe are equivalent",
    "For a step η > 0, (a) an ε-Jones atom is an (ε + Mη/2)-FW atom, and (b) an ε-FW atom is an (ε + Mη/2)-Jones atom.",
    "True for η > 0. For η = 0 every atom satisfies Jones' condition, and (a) says nothing. Both constants are tight. "
    "Rates should not be derived through it: that gives 4M + 4c where Theorem 2 gives 2M + 4c.",
    "How much is lost from one kind of atom to the other, and can the loss be as large as Mη/2?")
def theorem4(scale: Scale, seed: int) -> Finding:
    rng = np.random.default_rng(seed)
    ratios, rows = [], []
    cloud: list[tuple[Array, Array]] = []
    for problem in (problems.squares(seed, atoms=200), problems.logit(seed)):
        atoms = problems.atom_rows(problem.atoms)
        for eta in (0.3, 0.03, 0.003):
            kept, missed = [], 0
            for w in problems.mixtures(problem.S, max(scale.points // 20, 10), rng):
                fw, jones = both(problem, atoms, w, eta)
                ratios.append((fw[jones.argmin()] / theory.jones_to_fw(0.0, eta, problem.M),
                               jones[fw.argmin()] / theory.fw_to_jones(0.0, eta, problem.M)))
                near = theory.prune(atoms @ problems.gradient_at(problem.f, w), eta, problem.M)
                kept.append(int(near.sum()))
                missed += not near[int(jones.argmin())]
                if problem.name == "least squares" and eta == 0.03 and len(cloud) < 10:
                    cloud.append((fw / problem.M / eta, jones / problem.M / eta))
            rows.append((problem.name, eta, len(atoms), float(np.mean(kept)), missed))
    x, y = (np.concatenate([pair[i] for pair in cloud]) for i in (0, 1))
    near = (x < 3.0) & (y < 3.0)
    line = np.array([0.0, 2.5])
    title = "All atoms at ten points, η = 0.03: both errors in units of Mη"
    shown = Figure("errors", title, "Frank-Wolfe error", "Jones error", (
        curve("an atom", x[near], y[near], "dots"), curve("Jones ≤ Frank-Wolfe + ½", line, line + 0.5, "bound"),
        curve("Frank-Wolfe ≤ Jones + ½", line + 0.5, line, "exact")), log="")
    a, b = (tight(offset) for offset in (True, False))
    largest = np.max(ratios, axis=0)
    runs = together(seed, min(scale.steps, 1000))
    checks = (
        bounded("(a) random points: Frank-Wolfe error of the Jones atom over Mη/2", float(largest[0]), room=1e-9, why=RANDOM),
        bounded("(b) random points: Jones error of the Frank-Wolfe atom over Mη/2", float(largest[1]), room=1e-9, why=RANDOM),
        bounded("(a) on the triangle: error over Mη/2", a, room=1e-12),
        bounded("(b) on the triangle: error over Mη/2", b, room=1e-12),
        at_most("Jones atoms lost by pruning", float(sum(int(row[4]) for row in rows)), 0.0))
    table = Table("How many atoms can be the Jones atom", ("problem", "η", "atoms", "kept on average", "lost"), tuple(rows))
    return Finding("Each kind of atom is of the other kind up to Mη/2, and on a triangle exactly that much is lost, so the "
                   "constant is tight. With short steps few atoms can be the Jones atom.", checks, (shown, runs), (table,))


def both(problem: problems.Problem, atoms: Array, w: Array, eta: float) -> tuple[Array, Array]:
    """The Frank-Wolfe and the Jones error of every atom at w."""
    scores = atoms @ problems.gradient_at(problem.f, w)
    ahead = np.array([problems.value_at(problem.f, w + eta * (d - w)) for d in atoms])
    return scores - scores.min(), (ahead - ahead.min()) / eta


def tight(offset: bool, M: float = 2.0, eta: float = 0.5) -> float:
    """f = (M/2)x² − αx − βy over 0, e₁, e₂ at w = 0: the error of the other kind of e₂ (α = β + Mη/2) or e₁ (α = β)."""
    f = gh.quadratic(np.diag([M, 0.0]), np.array([5.0 + (0.5 * M * eta if offset else 0.0), 5.0]))
    problem = problems.posed("triangle", f, gh.Vertices(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])), 0.0)
    fw, jones = both(problem, problems.atom_rows(problem.atoms), np.zeros(2), eta)
    return float(fw[2] if offset else jones[1]) / (0.5 * M * eta)


def together(seed: int, steps: int) -> Figure:
    problem = problems.squares(seed)
    fw, jones = (problems.play(problem, solver, steps) for solver in (gh.FrankWolfe(gh.OpenLoop()), gh.Jones(gh.OpenLoop())))
    k = fw.k[1:]
    return Figure("runs", "Both algorithms with steps 2/(k + 2)", "k", "error",
                  (curve("Frank-Wolfe", k, fw.errors[1:]), curve("Jones", k, jones.errors[1:])))


@experiment(
    "one_atom", "Beside Theorem 3", "One atom a step cannot do better",
    "For f = ‖w‖² on the simplex a point with k + 1 corners has f(w) ≥ 1/(k + 1), while f* = 1/n.",
    "Not in the paper, whose Theorem 3 is about a recursion; this is about the algorithms.",
    "Does the order 1/k bind the algorithms themselves?")
def one_atom(scale: Scale, seed: int) -> Finding:
    n = 120 if scale.steps < 1000 else 500
    problem, K = problems.corners(n), np.arange(n - 1)
    first = problem.atoms[0]
    values = {name: problems.play(problem, solver, n - 2, seed=seed, start=first).errors + problem.least for name, solver in (
        ("Frank-Wolfe, line search", gh.FrankWolfe()), ("Frank-Wolfe, 2/(k + 2)", gh.FrankWolfe(gh.OpenLoop(late=False))),
        ("Jones", gh.Jones()), ("pairwise Jones", gh.PairwiseJones()))}
    bound = theory.one_atom_lower(K)
    least = min(float((v[: n - 1] * (np.arange(len(v[: n - 1])) + 1.0)).min()) for v in values.values())
    searched = values["Frank-Wolfe, line search"]
    checks = (
        at_least("all methods: least f(w_k)(k + 1)", least, 1.0, 1e-9),
        equal("Frank-Wolfe with line search: f(w_k)(k + 1), furthest from 1",
              float(np.abs(searched * (np.arange(len(searched)) + 1.0) - 1.0).max()) + 1.0, 1.0, 1e-9),
    )
    shown = Figure("simplex", f"‖w‖² over a simplex of {n} corners", "k + 1", "f", (
        *(curve(name, np.arange(len(v)) + 1, v) for name, v in values.items()), curve("1/(k + 1)", K + 1, bound, "bound")))
    return Finding("No method that adds one corner a step is below 1/(k + 1); Frank-Wolfe with line search is there "
                   "exactly. So 1/k is the best order for the algorithms too.", checks, (shown,))


BETTER = "the joint minimum is far below the scheduled step that the proof compares with"


@experiment(
    "zhang", "Corollary (Zhang)", "Nearly the best step and atom",
    "If f(w_{k+1}) is within 4c/(k + 2)² of the minimum of f over all steps η in [0, 1] and all atoms, then e_k ≤ (2M + "
    "4c)/(k + 2).",
    "True as printed; the sharp form of Theorem 2 holds as well. The tolerance is on f.",
    "What happens when an adversary takes the highest admissible point at every step?")
def zhang(scale: Scale, seed: int) -> Finding:
    steps, rows, curves = min(scale.steps // 8, 300), [], []
    for problem in (problems.squares(seed), problems.logit(seed), problems.corners(20)):
        for c in (0.1, 1.0, 10.0):
            for name, solver in (("Jones, tolerance used by the search", gh.Jones(tolerance=gh.harmonic(c))),
                                 ("adversary", problems.WorstJoint(c))):
                played = problems.play(problem, solver, steps)
                k, e = played.k[1:], played.errors[1:]
                rows.append((problem.name, c, name, float((e / theory.zhang(problem.M, c, k, exact=True)).max())))
                if problem.name == "‖w‖² on the simplex" and c == 1.0:
                    curves.append(curve(name, k, np.where(e > 1e-9, e, np.nan)))
        bound = curve("(2M + 4c)/(k + 2)", k, theory.zhang(problem.M, 1.0, k), "bound")
    checks = (bounded("largest error over the sharp bound", max(float(row[3]) for row in rows), room=1e-9, why=BETTER),)
    shown = Figure("joint", "‖w‖² over a simplex of 20 corners, c = 1", "k", "error", (*curves, bound))
    table = Table("Largest error over the sharp bound", ("problem", "c", "who chooses", "error / bound"), tuple(rows))
    return Finding("Even the highest point within 4c/(k + 2)² of the joint minimum obeys the bound of Theorem 2.", checks,
                   (shown,), (table,))


N = 6
LINEAR = "for a strongly convex f the error falls faster than any power of k"
ROUND = "the rate takes the least curvature and the smallest ball inside at once"


@experiment(
    "interior", "Remark after Theorem 2", "A minimiser inside the hull has a better constant",
    "If w* + t(w* − w) stays in the hull for every w in it, the rate of Theorem 2 holds with M/(1 + t)² and c/(1 + t)²; for a "
    "strongly convex f line search has a linear rate.",
    "Only mentioned in print; both forms are proved with the functions interior_rate and linear_rate.",
    "Do runs with a minimiser inside obey the smaller bounds?")
def interior(scale: Scale, seed: int) -> Finding:
    steps, rng = min(scale.steps, 400), np.random.default_rng(seed)
    A = rng.standard_normal((2 * N, N))
    H = A.T @ A / len(A)
    rows, curves, checks = [], [], []
    for share in (0.1, 0.5, 0.9):
        best = share * rng.dirichlet(np.ones(N)) * rng.choice([-1.0, 1.0], N)
        problem = problems.posed("cross-polytope", gh.quadratic(H, H @ best), gh.L1Ball(N, 1.0), float(-0.5 * best @ H @ best))
        t, rho = (1.0 - share) / (1.0 + share), (1.0 - share) / np.sqrt(N)
        for name, solver in (("Frank-Wolfe", gh.FrankWolfe()), ("Jones", gh.Jones())):
            played = problems.play(problem, solver, steps, start=problem.atoms[0])
            k, e = played.k[1:], np.maximum(played.errors[1:], 0.0)
            small = theory.line_search_rate(problem.M / (1.0 + t) ** 2, k)
            geometric = theory.linear_rate(problem.M, float(np.linalg.eigvalsh(H)[0]), float(rho), float(played.errors[0]), k)
            rows.append((share, name, float(theory.interior_rate(problem.M, 0.0, t, 1)) / (2.0 * problem.M / 3.0),
                         float((e / small).max()), float((e / geometric)[geometric > 1e-12].max()),
                         float(played.errors[0] / small[-1])))
            if share == 0.5:
                curves += [curve(f"{name}, line search", k, np.maximum(e, 1e-16))]
        if share == 0.5:
            curves += [curve("2M/(k + 3)", k, theory.line_search_rate(problem.M, k), "exact"),
                       curve("2M/((1 + t)²(k + 3))", k, small, "bound")]
    checks = [
        bounded("largest error over the smaller constant's rate", max(float(row[3]) for row in rows), room=1e-9, why=LINEAR,
                idle=max(float(row[5]) for row in rows)),
        bounded("largest error over the linear rate", max(float(row[4]) for row in rows), room=1e-9, why=ROUND),
    ]
    shown = Figure("interior", "A minimiser half-way to the boundary of a cross-polytope", "k", "error", tuple(curves))
    table = Table("How far the minimiser is from the centre, relative to the boundary",
                  ("distance", "method", "constant, relative to Theorem 2", "error / smaller rate", "error / linear rate",
                   "doing nothing / smaller rate"), tuple(rows))
    return Finding("A minimiser inside the hull divides the constant by up to four, without the solver knowing; with strong "
                   "convexity line search converges linearly.", tuple(checks), (shown,), (table,))
