"""Draws the figures of the documentation: ``python docs/figures/draw.py``, from the root of the checkout."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import greedyhull as gh
from greedyhull.experiments.counterexamples import made_up
from greedyhull.experiments.paper import nonsmooth, stochastic
from greedyhull.points.iterate import Iterate
from greedyhull.solvers.gradients import Dual, Svrg
from greedyhull.theory import jones_rate, jones_variance, pairwise_jones_rate, rate

HERE = Path(__file__).parent


def save(figure, name):
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / f"{name}.svg", metadata={"Date": None})


def certificate():
    """The gap at a point of an interval: between f and the least value of its tangent."""
    f, slope = (lambda x: 0.4 * (x - 1.2) ** 2 + 0.25 * np.exp(-x) + 0.3), (lambda x: 0.8 * (x - 1.2) - 0.25 * np.exp(-x))
    figure, axes = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
    x, w = np.linspace(0, 3, 301), 2.1
    least, end = x[f(x).argmin()], 0.0
    tangent = f(w) + slope(w) * (x - w)
    lower = f(w) + slope(w) * (end - w)
    axes.plot(x, f(x), "k", lw=2)
    axes.plot(x, tangent, "C0")
    axes.plot([w, w], [lower, f(w)], "C3", lw=2)
    axes.plot([end, w], [lower, lower], ":", color="0.5")
    axes.plot([end, 3], [-1.25, -1.25], "k", lw=4, solid_capstyle="butt")
    axes.plot([end, 3], [-1.25, -1.25], "ko", ms=8)
    axes.plot(w, f(w), "ko")
    axes.plot(least, f(least), "o", color="C2")
    axes.plot(end, lower, "C0o")
    axes.text(2.62, f(2.72) + 0.02, "f", fontsize=13, ha="right")
    axes.text(1.0, tangent[100] - 0.2, "tangent at w", color="C0", rotation=22)
    axes.text(w + 0.05, (f(w) + lower) / 2 - 0.12, "gap: f(w) − lower bound", color="C3")
    axes.text(w + 0.06, f(w) - 0.03, "w", fontsize=12, va="top")
    axes.text(least, f(least) + 0.06, "min f", color="C2", ha="center")
    axes.text(end + 0.06, lower - 0.03, "least at an atom", color="C0", va="top")
    axes.text(1.5, -1.19, "the hull of two atoms", ha="center", va="bottom", fontsize=9)
    axes.set(xticks=[], yticks=[], xlim=(-0.15, 3.3), ylim=(-1.4, 1.75))
    axes.spines[["left", "bottom"]].set_visible(False)
    save(figure, "certificate")


def rates():
    """Theorem 2 with its constants: promised, attained, and what an ordinary problem does."""
    k = np.arange(1, 1001)
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained")
    error = [1.0]  # of f(w) = w on [0, 1], where the best atom is 0 and the one that is taken c·η_k
    for eta in 2.0 / (np.arange(1000) + 2.0):
        error.append((1 - eta) * error[-1] + eta * eta)
    left.loglog(k, rate(0.0, 1.0, k), "k:", label="Theorem 2: 4c/(k + 2)")
    left.loglog(k, rate(0.0, 1.0, k, exact=True), "C0", lw=4, alpha=0.4, label="its sharp form")
    left.loglog(k, error[1:], "C3--", label="linear f, atoms wrong by cη")
    left.set(title="The worst case is attained", xlabel="step k", ylabel="error (c = 1, M = 0)")
    left.legend(frameon=False)
    rng = np.random.default_rng(2)
    f, S = gh.least_squares(rng.standard_normal((100, 60)), rng.standard_normal(100)), gh.L1Ball(60, radius=1.0)
    M, least = float(f.curvature(S)), gh.minimize(f, S, stop=gh.Gap(1e-13)).certificate.lower
    right.loglog(k, rate(M, 0.0, k), "k:", label="Theorem 2: 2M/(k + 2)")
    for name, step, colour in (("steps 2/(k + 2)", gh.OpenLoop(), "C0"), ("line search", gh.Exact(), "C2")):
        s = gh.minimize(f, S, gh.FrankWolfe(step), stop=gh.Iterations(1000))
        right.loglog(k, (s.trace.value - least)[1:], colour, lw=1.2, label=f"error, {name}")
    right.set(title="Ordinary problems are kinder", xlabel="step k", ylabel="f(w) − min f")
    right.legend(frameon=False)
    save(figure, "rates")


def smoothing():
    """An absolute value, smoothed less and less; what each f_μ proves for f."""
    figure, axes = plt.subplots(figsize=(6.5, 3.0), layout="constrained")
    z = np.linspace(-1.5, 1.5, 601)
    axes.plot(z, np.abs(z), "k", lw=2, label="|z|")
    for mu, colour in ((1.0, "C0"), (0.4, "C9"), (0.1, "C2")):
        axes.plot(z, np.where(np.abs(z) <= mu, z**2 / (2 * mu), np.abs(z) - mu / 2), colour, label=f"μ = {mu:g}")
    axes.annotate("", (1.3, 0.8), (1.3, 1.3), arrowprops={"arrowstyle": "<->", "color": "0.4"})
    axes.text(1.33, 0.98, "μ/2", color="0.3")
    axes.set(xlabel="z", ylabel="loss", xlim=(-1.5, 1.6))
    axes.legend(frameon=False, loc="upper center")
    save(figure, "smoothing")


def pairwise():
    """The cube, the middle of an edge, a little weight on all other corners: what one step of pairwise Jones removes."""
    figure, axes = plt.subplots(figsize=(6.0, 3.2), layout="constrained")
    sizes, shares, little = (2, 3, 4, 5, 6), [], 1e-5
    for n in sizes:
        corners = np.array([[i >> j & 1 for j in range(n)] for i in range(2**n)], dtype=float)
        alpha = np.full(2**n, little)
        alpha[:2] = 0.5 * (1 - (2**n - 2) * little)
        S = gh.Vertices(corners)
        start = Iterate(S.block(np.arange(2**n)), alpha, S.shape)
        f = gh.quadratic(np.eye(n), 0.5 * np.eye(n)[0])
        e = gh.minimize(f, S, gh.PairwiseJones(), start=start, stop=gh.Iterations(1)).trace.value + 0.125
        shares.append(1 - e[1] / e[0])
    a = 2.0 ** np.array(sizes)
    axes.loglog(a, 4 * (a - 1) / a**2, "C0", lw=4, alpha=0.4, label="4(a − 1)/a²")
    axes.loglog(a, shares, "C3o", label="measured")
    axes.loglog(a, [pairwise_jones_rate(1 / n**2, 2**n) for n in sizes], "k:", label="proved: κ/(2a(2 + κ)), κ = 1/n²")
    axes.set(xlabel="atoms in the point, a", ylabel="share of the error")
    axes.set_xticks(a, [f"{x:.0f}" for x in a], minor=False)
    axes.minorticks_off()
    axes.legend(frameon=False)
    save(figure, "pairwise")


def constants():
    """Jones and Frank-Wolfe on a quadratic over points of different sizes, with the bounds of both."""
    rng = np.random.default_rng(5)
    A, points = rng.standard_normal((7, 6)), rng.standard_normal((30, 6)) * 2.0 ** rng.uniform(-2, 2, (30, 1))
    H, k = A.T @ A, np.arange(1, 301)
    f, S = gh.quadratic(H, H @ (0.7 * points[:3].mean(axis=0))), gh.Vertices(points)
    best = gh.minimize(f, S, gh.Corrective(), stop=gh.Gap(1e-10))
    V, M = float(jones_variance(f, S, best.point)), float(f.curvature(S))
    figure, axes = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
    for name, kind, colour in (("Frank-Wolfe", gh.FrankWolfe, "C0"), ("Jones", gh.Jones, "C3")):
        s = gh.minimize(f, S, kind(gh.OpenLoop()), stop=gh.Iterations(300))
        axes.loglog(k, s.trace.value[1:] - best.certificate.lower, colour, lw=1.2, label=f"error, {name}")
    axes.loglog(k, rate(M, 0.0, k), "k:", label="2M/(k + 2), for both")
    axes.loglog(k, jones_rate(V, 0.0, k), "k--", label=f"2V/(k + 2), for Jones; V = {V / M:.2g} M")
    axes.set(xlabel="step k", ylabel="f(w) − min f")
    axes.legend(frameon=False)
    save(figure, "constants")


def reduced():
    """Jones and Frank-Wolfe with the same estimates of the gradient, at equal numbers of them."""
    figure, pair = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained", sharey=True)
    f, S = made_up("least_squares", 2000, 20, 0)
    least, passes = gh.minimize(f, S, stop=gh.Gap(1e-11)).certificate.lower, np.arange(1, 21)
    for axes, (word, estimator) in zip(pair, (("SVRG, batches 4k", Svrg(gh.linear(4.0))), ("duals, batches of 32", Dual(32))),
                                       strict=True):
        for name, solver, colour in (("Frank-Wolfe", gh.StochasticFrankWolfe(estimator, gh.OpenLoop()), "C0"),
                                     ("Jones", gh.VarianceReducedJones(estimator), "C3")):
            runs = []
            for seed in range(8):
                seen = []
                gh.minimize(f, S, solver, seed=seed, stop=gh.Callback(lambda event: event.also["spent"] >= 20 * 2000),
                            watch=lambda event, seen=seen: seen.append((event.also["spent"] / 2000, event.value - least)))
                runs.append(np.interp(passes, *np.array(seen).T))
            axes.semilogy(passes, np.mean(runs, axis=0), colour, label=name)
        axes.set(title=word, xlabel="passes over the data")
    pair[0].set(ylabel="mean of f(w) − min f")
    pair[0].legend(frameon=False)
    save(figure, "reduced")


def paper():
    """How much of the bounds of Theorems 5 and 6 is attained, and what an algorithm that never moves scores."""
    figure, panels = plt.subplots(1, 2, figsize=(8.5, 3.0), layout="constrained", sharey=True)
    for axes, drawn, title in zip(panels, (stochastic.attained(), nonsmooth.attained()),
                                  ("Theorem 5: stochastic Jones", "Theorem 6: nonsmooth functions"), strict=True):
        for i, series in enumerate(drawn.series):
            look, width = {"bound": ("k--", 1.2), "exact": ("k:", 1.5)}.get(series.style, (f"C{i}", 1.6))
            axes.semilogx(series.x, series.y, look, lw=width, label=series.name)
        axes.set(title=title, xlabel="steps t", ylim=(0.0, 1.7))
        axes.legend(frameon=False, fontsize=7, loc="lower right")
    panels[0].set_ylabel("error / bound")
    save(figure, "paper")


def nuclear_ball():
    """Matrices with rows (a, b) and (b, 0) whose singular values sum to at most one, and those of them that are atoms."""
    a, b = np.meshgrid(np.linspace(-1.2, 1.2, 401), np.linspace(-0.7, 0.7, 401))
    root = np.sqrt(a * a + 4.0 * b * b)  # eigenvalues (a ± root)/2 of two signs
    figure, axes = plt.subplots(figsize=(5.5, 3.3), layout="constrained")
    axes.contourf(a, b, root, levels=[0.0, 1.0], colors=["C0"], alpha=0.25)
    axes.contour(a, b, root, levels=[1.0], colors=["C0"])
    axes.plot([-1, 1], [0, 0], "C3o")
    axes.plot(0, 0, "ko")
    axes.text(1.04, 0.03, "rank one", color="C3")
    axes.text(0.03, 0.04, "zero")
    axes.set(xlabel="a", ylabel="b", xlim=(-1.3, 1.5), aspect="equal",
             title=r"$\Vert W\Vert_*\leq 1$ for W with rows (a, b) and (b, 0)")
    save(figure, "nuclear_ball")


def spectrahedron():
    """Matrices of trace one with rows (½ + x, y) and (y, ½ − x): semidefinite where x² + y² ≤ ¼."""
    figure, axes = plt.subplots(figsize=(4.2, 3.6), layout="constrained")
    t = np.linspace(0, 2 * np.pi, 201)
    axes.fill(0.5 * np.cos(t), 0.5 * np.sin(t), "C0", alpha=0.25)
    axes.plot(0.5 * np.cos(t), 0.5 * np.sin(t), "C3")
    axes.plot(0, 0, "ko")
    axes.text(0.03, 0.03, "half the identity")
    axes.text(0.36, 0.4, "atoms vvᵀ", color="C3")
    axes.set(xlabel="x", ylabel="y", aspect="equal", xlim=(-0.6, 0.75), title="rows (½ + x, y) and (y, ½ − x)")
    save(figure, "spectrahedron")


def linear_program():
    """A step over a polytope: the vertex that the gradient points to, and the minimum between two vertices."""
    S = gh.LinearProgram([[1.0, 2.0], [3.0, 1.0]], [4.0, 6.0], bounds=(0, None))
    goal = np.array([1.2, 2.0])
    s = gh.minimize(gh.quadratic(np.eye(2), goal), S, stop=gh.Gap(1e-12))
    figure, axes = plt.subplots(figsize=(4.6, 3.4), layout="constrained")
    axes.fill([0, 2, 1.6, 0], [0, 0, 1.2, 2], color="C0", alpha=0.15)
    axes.plot([0, 2, 1.6, 0, 0], [0, 0, 1.2, 2, 0], "C0")
    x, y = np.meshgrid(np.linspace(-0.2, 2.6, 80), np.linspace(-0.2, 2.4, 80))
    axes.contour(x, y, (x - goal[0]) ** 2 + (y - goal[1]) ** 2, levels=8, colors="0.8", linewidths=0.8)
    axes.plot([0, 2, 1.6, 0], [0, 0, 1.2, 2], "C0o")
    axes.plot(*s.x, "ko")
    axes.annotate("minimum, a mixture\nof two vertices", s.x, (0.2, 0.7), arrowprops={"arrowstyle": "-", "color": "0.4"})
    axes.annotate("a row's price: how much\nmin f falls if it moves", (0.5, 1.75), (0.9, 2.15), color="C3",
                  arrowprops={"arrowstyle": "-", "color": "C3"})
    axes.set(xlim=(-0.15, 2.6), ylim=(-0.15, 2.4), xlabel="w[0]", ylabel="w[1]", aspect="equal")
    save(figure, "linear_program")


def birkhoff():
    """A doubly stochastic matrix, and the permutations that it mixes."""
    W = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5]])
    point = gh.Birkhoff(3).decompose(W)
    figure, panels = plt.subplots(1, 1 + len(point), figsize=(7.5, 2.2), layout="constrained")
    for axes, weight, k in zip(panels, [None, *point.weights], range(-1, len(point)), strict=True):
        shown = W if weight is None else np.zeros((3, 3))
        if weight is not None:
            point.block[k].add_to(shown, 1.0)
        axes.imshow(shown, cmap="Blues", vmin=0, vmax=1)
        axes.set(xticks=[], yticks=[], title="W  =" if weight is None else f"{'+ ' if k else ''}{weight:.1f} ×")
    save(figure, "birkhoff")


def transport():
    """A coupling of two distributions between their marginals."""
    a, b = np.array([0.5, 0.3, 0.2]), np.array([0.15, 0.2, 0.3, 0.35])
    C = np.abs(np.linspace(0, 1, 3)[:, None] - np.linspace(0, 1, 4))
    f = gh.function(lambda W: (C * W).sum() + 0.2 * (W**2).sum(), lambda W: C + 0.4 * W, (3, 4),
                    hessian_product=lambda W, V: 0.4 * V)
    s = gh.minimize(f, gh.Transport(a, b), stop=gh.Gap(1e-9))
    figure, axes = plt.subplots(figsize=(5.2, 3.2), layout="constrained")
    for i in range(3):
        for j in range(4):
            axes.plot([0, 1], [2 - 1.0 * i, 2.25 - 0.83 * j], "C0", lw=40 * s.x[i, j], alpha=0.5, solid_capstyle="butt")
    axes.scatter(np.zeros(3), 2 - np.arange(3), s=900 * a, color="k", zorder=3)
    axes.scatter(np.ones(4), 2.25 - 0.83 * np.arange(4), s=900 * b, color="k", zorder=3)
    axes.text(-0.12, 2.45, "a", fontsize=13)
    axes.text(1.1, 2.45, "b", fontsize=13)
    axes.set(xticks=[], yticks=[], xlim=(-0.2, 1.2), ylim=(-0.6, 2.7))
    axes.spines[["left", "bottom"]].set_visible(False)
    save(figure, "transport")


def _graph(axes, places, edges, flow, directed):
    """A graph whose edges are as wide as the flow on them."""
    for (tail, head), x in zip(edges, flow, strict=True):
        style = "-|>" if directed else "-"
        axes.annotate("", places[head], places[tail], arrowprops={
            "arrowstyle": style, "lw": 0.6 + 5 * x, "shrinkA": 9, "shrinkB": 9, "mutation_scale": 14,
            "color": "C0" if x > 1e-6 else "0.75"})
        axes.text(*(0.5 * (np.array(places[tail]) + places[head])), f"{x:.2f}", fontsize=9, ha="center",
                  bbox={"facecolor": "w", "edgecolor": "none", "pad": 1})
    axes.scatter(*np.array(places).T, s=140, color="k", zorder=3)
    for k, place in enumerate(places):
        axes.text(*place, str(k), color="w", ha="center", va="center", fontsize=9, zorder=4)
    axes.set(xticks=[], yticks=[])
    axes.margins(0.12, 0.18)
    axes.spines[["left", "bottom"]].set_visible(False)


def path_polytope():
    """A flow on a small graph."""
    edges = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
    f = gh.quadratic(np.eye(5), -np.array([1.0, 1.7, 0.3, 1.5, 1.0]))
    s = gh.minimize(f, gh.PathPolytope(edges, 4, 0, 3), stop=gh.Gap(1e-9))
    figure, axes = plt.subplots(figsize=(5.2, 2.8), layout="constrained")
    _graph(axes, [(0, 1), (1, 1.8), (1, 0.2), (2, 1)], edges, s.x, True)
    save(figure, "path_polytope")


def spanning_tree():
    """How many of the trees use each edge."""
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]
    s = gh.minimize(gh.quadratic(np.eye(6), np.array([0.4, 0, 0, 0.3, 0, 0])), gh.SpanningTree(edges, 5), stop=gh.Gap(1e-9))
    figure, axes = plt.subplots(figsize=(5.2, 2.8), layout="constrained")
    _graph(axes, [(0, 1.8), (0, 0.2), (1, 1), (2, 1.8), (2, 0.2)], edges, s.x, False)
    save(figure, "spanning_tree")


plt.rcParams["svg.hashsalt"] = "greedyhull"
certificate()
rates()
smoothing()
pairwise()
constants()
reduced()
nuclear_ball()
spectrahedron()
paper()
linear_program()
birkhoff()
transport()
path_polytope()
spanning_tree()
