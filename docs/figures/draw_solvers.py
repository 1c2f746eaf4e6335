"""Draws the figures of the pages about solvers: ``python docs/figures/draw_solvers.py``, from the root of the checkout."""

import matplotlib.pyplot as plt
import numpy as np
from draw_made import save, shape, traced
from draw_plain import level_lines

import greedyhull as gh
from greedyhull.points.iterate import Iterate

TRIANGLE = gh.Vertices([[0.0, 0.0], [2.0, 0.1], [0.7, 1.6]])
GOAL, H = np.array([1.55, 1.25]), np.array([[1.0, 0.2], [0.2, 1.0]])


def positions(f, S, solver, steps, start=None):
    """Where a run stands after each step."""
    seen = []
    gh.minimize(f, S, solver, start=start, stop=gh.Iterations(steps),
                watch=lambda event: seen.append(event.point.array().copy()))
    return np.array(seen)


def over_triangle(name, solvers, steps):
    """Left: the first steps over a triangle. Right: errors of the same runs."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 3.1), layout="constrained")
    f = gh.quadratic(H, H @ GOAL)
    level_lines(left, lambda x: (x - GOAL) @ H @ (x - GOAL), (-0.1, -0.1), (2.2, 1.8))
    shape(left, TRIANGLE, "C0", None)
    least = gh.minimize(f, TRIANGLE, stop=gh.Gap(1e-14)).value
    start = Iterate.at(TRIANGLE[0], (2,))
    for (label, solver), color in zip(solvers.items(), ("C3", "C2"), strict=False):
        path = positions(f, TRIANGLE, solver, steps, start.copy())
        left.plot(*path[:14].T, "o-", color=color, ms=3, lw=1.0)
        s = gh.minimize(f, TRIANGLE, solver, start=start.copy(), stop=gh.Iterations(steps))
        right.semilogy(s.trace["iteration"], np.maximum(s.trace["value"] - least, 1e-12), color=color, label=label)
    left.plot(*GOAL, "k+", ms=9)
    right.set(xlabel="iteration", ylabel="f(w) − min f")
    right.legend(frameon=False, fontsize=8)
    save(figure, name)


def frank_wolfe():
    over_triangle("frank_wolfe", {"FrankWolfe()": gh.FrankWolfe(), "FrankWolfe(OpenLoop())": gh.FrankWolfe(gh.OpenLoop())}, 60)


def blended_pairwise():
    over_triangle("blended_pairwise", {"FrankWolfe()": gh.FrankWolfe(), "BlendedPairwise()": gh.BlendedPairwise()}, 40)


def sparse_problem(seed=1, n=80, d=200):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return gh.least_squares(X, X[:, :8] @ np.ones(8) + 0.2 * rng.standard_normal(n)), gh.L1Ball(d, 6.0)


def corrective():
    """Gaps of three solvers on one problem; few rounds, each of which costs more."""
    figure, axes = plt.subplots(figsize=(5.4, 3.1), layout="constrained")
    f, S = sparse_problem()
    traced(axes, f, S, {"Corrective": gh.Corrective(batch=4), "BlendedPairwise": gh.BlendedPairwise(),
                        "FrankWolfe": gh.FrankWolfe()}, gh.Gap(1e-10) | gh.Iterations(120))
    axes.set(title="least squares over an l1 ball, 80 × 200", xlabel="iteration")
    axes.title.set_size(10)
    save(figure, "corrective")


def errors(axes, f, S, runs, steps):
    """The error of each solver by step."""
    least = gh.minimize(f, S, stop=gh.Gap(1e-13) | gh.Seconds(5)).certificate.lower
    for (label, solver), color in zip(runs.items(), ("C0", "C3", "C2", "C1"), strict=False):
        s = gh.minimize(f, S, solver, stop=gh.Iterations(steps))
        axes.loglog(s.trace["iteration"][1:], s.trace["value"][1:] - least, color=color, lw=1.2, label=label)
    axes.set(xlabel="step k", ylabel="f(w) − min f")
    axes.legend(frameon=False, fontsize=8)


def jones():
    """One step with atoms of different sizes, and errors on columns that are not standardised."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 3.1), layout="constrained")
    S, goal = gh.Vertices([[0.0, 0.0], [3.0, 0.6], [0.45, 0.9]]), np.array([0.5, 0.75])
    f = gh.quadratic(np.eye(2), goal)
    level_lines(left, lambda x: (x - goal) @ (x - goal), (-0.2, -0.2), (3.2, 1.3))
    shape(left, S, "C0", None)
    for solver, color, label in ((gh.FrankWolfe(), "C0", "Frank-Wolfe: the steepest atom"),
                                 (gh.Jones(), "C3", "Jones: the atom with the lowest f")):
        path = positions(f, S, solver, 1, Iterate.at(S[0], (2,)))
        left.annotate("", path[-1], path[0], arrowprops={"arrowstyle": "->", "color": color, "lw": 2})
        left.plot([], [], color=color, label=label)
    left.plot(*goal, "k+", ms=9)
    left.legend(frameon=False, fontsize=8, loc="lower left", bbox_to_anchor=(0.0, 1.0))
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 40)) * 10.0 ** rng.uniform(-1, 1, 40)
    f = gh.least_squares(X, X @ (np.arange(40) < 5) / np.sqrt(np.mean(X**2)))
    errors(right, f, gh.L1Ball(40, 2.0), {"FrankWolfe()": gh.FrankWolfe(), "Jones()": gh.Jones()}, 300)
    right.set_title("columns of sizes 0.1 to 10", fontsize=10)
    save(figure, "jones")


def mixed():
    figure, axes = plt.subplots(figsize=(5.4, 3.1), layout="constrained")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 40)) * 10.0 ** rng.uniform(-1, 1, 40)
    f = gh.least_squares(X, X @ (np.arange(40) < 5) / np.sqrt(np.mean(X**2)))
    pair = (gh.FrankWolfe(), gh.Jones())
    errors(axes, f, gh.L1Ball(40, 2.0), {"FrankWolfe()": pair[0], "Jones()": pair[1], "Mixed(): one after the other":
                                         gh.Mixed(pair)}, 300)
    save(figure, "mixed")


def aggregated():
    """The gap of the last gradient beside that of all gradients together."""
    figure, axes = plt.subplots(figsize=(5.4, 3.1), layout="constrained")
    f, S = gh.quadratic(np.eye(20)), gh.Simplex(20)
    fw = gh.FrankWolfe(gh.OpenLoop())
    least = 0.5 / 20
    for label, solver, color in (("gap of FrankWolfe(OpenLoop())", fw, "C0"), ("gap, Aggregated", gh.Aggregated(fw), "C3")):
        s = gh.minimize(f, S, solver, stop=gh.Iterations(400))
        axes.loglog(s.trace["iteration"][1:], s.trace["gap"][1:], color=color, lw=1.1, label=label)
    axes.loglog(s.trace["iteration"][1:], s.trace["value"][1:] - least, "k:", lw=1.1, label="error of both")
    axes.set(xlabel="step k")
    axes.legend(frameon=False, fontsize=8)
    save(figure, "aggregated")


def by_passes(axes, f, S, runs, passes, seeds=4):
    """The mean error of stochastic solvers by passes over the data."""
    least, at = gh.minimize(f, S, stop=gh.Gap(1e-10) | gh.Seconds(5)).certificate.lower, np.linspace(0.5, passes, 25)
    for (label, solver), color in zip(runs.items(), ("C0", "C3", "C2", "C1"), strict=False):
        curves = []
        for seed in range(seeds):
            seen = []
            gh.minimize(f, S, solver, seed=seed, stop=gh.Callback(lambda event: event.also["spent"] >= passes * f.n),
                        watch=lambda event, seen=seen: seen.append((event.also["spent"] / f.n, f.value(event.point) - least)))
            curves.append(np.interp(at, *np.array(seen).T))
        axes.semilogy(at, np.mean(curves, axis=0), color=color, lw=1.3, label=label)
    axes.set(xlabel="passes over the data", ylabel="mean of f(w) − min f")
    axes.legend(frameon=False, fontsize=8)


def logistic_problem(n=2000, d=60):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, d))
    y = np.where(X[:, :5].sum(axis=1) + rng.standard_normal(n) > 0, 1.0, -1.0)
    return gh.logistic(X, y), gh.L1Ball(d, 4.0)


def stochastic_frank_wolfe():
    figure, axes = plt.subplots(figsize=(5.4, 3.1), layout="constrained")
    kind = gh.StochasticFrankWolfe
    by_passes(axes, *logistic_problem(), {".minibatch()": kind.minibatch(), ".storm()": kind.storm(),
                                          ".spider()": kind.spider(), ".dual()": kind.dual()}, 10)
    save(figure, "stochastic_frank_wolfe")


def lu_freund():
    figure, axes = plt.subplots(figsize=(5.4, 3.1), layout="constrained")
    by_passes(axes, *logistic_problem(), {"LuFreund()": gh.LuFreund(), "StochasticFrankWolfe.dual(batch=32)":
                                          gh.StochasticFrankWolfe.dual(batch=32)}, 20)
    save(figure, "lu_freund")


def storc():
    figure, axes = plt.subplots(figsize=(5.4, 3.1), layout="constrained")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 8))
    f = gh.least_squares(X, X[:, 0] - 0.5 * X[:, 1] + 0.3 * rng.standard_normal(3000))
    by_passes(axes, f, gh.L1Ball(8, 1.0), {"Storc(multiplier=0.01)": gh.Storc(0.01, every=3), "StochasticFrankWolfe.spider()":
                                           gh.StochasticFrankWolfe.spider(every=3)}, 12)
    save(figure, "storc")


def stochastic_jones():
    figure, axes = plt.subplots(figsize=(5.4, 3.1), layout="constrained")
    rng = np.random.default_rng(1)
    X = rng.standard_normal((1000, 30)) * 10.0 ** rng.uniform(-1, 1, 30)
    f, S = gh.least_squares(X, X[:, :4].sum(axis=1)), gh.L1Ball(30, 4.0)
    least, k = gh.minimize(f, S, stop=gh.Gap(1e-10)).certificate.lower, np.arange(1, 301)
    for label, solver, color in (("stochastic Frank-Wolfe", gh.StochasticFrankWolfe.minibatch(every=2), "C0"),
                                 ("stochastic Jones", gh.StochasticJones(every=2), "C3")):
        curves = []
        for seed in range(6):
            seen = []
            gh.minimize(f, S, solver, seed=seed, stop=gh.Iterations(300),
                        watch=lambda event, seen=seen: seen.append((event.iteration, f.value(event.point) - least)))
            curves.append(np.interp(k, *np.array(seen).T))
        axes.loglog(k, np.mean(curves, axis=0), color=color, lw=1.3, label=label)
    axes.set(xlabel="step k, with k terms", ylabel="mean of f(w) − min f")
    axes.legend(frameon=False, fontsize=8)
    save(figure, "stochastic_jones")


def moreau_frank_wolfe():
    """Left: a function with kinks and its Moreau envelopes. Right: certified gaps."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 3.1), layout="constrained")
    x = np.linspace(-1.5, 1.5, 301)
    f = np.abs(x) + 0.6 * np.abs(x - 0.7)
    left.plot(x, f, "k", lw=2, label="f")
    for lam, color in ((0.6, "C0"), (0.15, "C2")):
        envelope = (f[None, :] + (x[:, None] - x[None, :]) ** 2 / (2 * lam)).min(axis=1)
        left.plot(x, envelope, color, label=f"envelope, λ = {lam:g}")
    left.set(xlabel="w", ylim=(0.3, 2.6))
    left.legend(frameon=False, fontsize=8)
    kinked(right, {"MoreauFrankWolfe()": gh.MoreauFrankWolfe(), "RegularizedStochasticFrankWolfe()":
                   gh.RegularizedStochasticFrankWolfe()}, "oracle_calls", 300)
    save(figure, "moreau_frank_wolfe")


def kinked(axes, runs, by, steps):
    """Errors on absolute deviations over an l1 ball."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((400, 20))
    f, S = gh.absolute(X, X[:, :3].sum(axis=1) + 0.5 * rng.standard_normal(400)), gh.L1Ball(20, 2.5)
    least = gh.minimize(f, S, stop=gh.Gap(1e-6)).certificate.lower
    for (label, solver), color in zip(runs.items(), ("C3", "C0"), strict=False):
        s = gh.minimize(f, S, solver, seed=0, stop=gh.Iterations(steps))
        axes.loglog(np.maximum(s.trace[by][1:], 1), s.trace["value"][1:] - least, color=color, lw=1.3, label=f"error, {label}")
        axes.loglog(np.maximum(s.trace[by][1:], 1), np.minimum.accumulate(s.trace["gap"][1:]), color=color, lw=1.0, ls=":",
                    label="its certified gap")
    axes.set(xlabel=by.replace("_", " "))
    axes.legend(frameon=False, fontsize=7)


def regularized_stochastic_frank_wolfe():
    figure, axes = plt.subplots(figsize=(5.4, 3.1), layout="constrained")
    kinked(axes, {"the mean of the iterates": gh.RegularizedStochasticFrankWolfe()}, "iteration", 2000)
    save(figure, "regularized_stochastic_frank_wolfe")


DRAWN = (frank_wolfe, blended_pairwise, corrective, jones, mixed, aggregated, stochastic_frank_wolfe, lu_freund, storc,
         stochastic_jones, moreau_frank_wolfe, regularized_stochastic_frank_wolfe)
if __name__ == "__main__":
    for draw in DRAWN:
        draw()
