"""Draws the figures of balls, simplices, boxes and given points, and of sets with another oracle: ``python
docs/figures/draw_plain.py``, from the root of the checkout."""

import matplotlib.pyplot as plt
import numpy as np
from draw_made import hull, save, shape
from draw_sets import bars, flat, pair, solid
from draw_sets import save as save_pair

import greedyhull as gh

RNG = np.random.default_rng(0)


def level_lines(axes, f, low, high):
    """Where f is constant, in the plane."""
    x, y = np.meshgrid(np.linspace(low[0], high[0], 60), np.linspace(low[1], high[1], 60))
    values = np.array([f(np.array(p)) for p in zip(x.ravel(), y.ravel(), strict=True)]).reshape(x.shape)
    axes.contour(x, y, np.sqrt(values - values.min()), levels=7, colors="0.8", linewidths=0.8)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal", xlabel="w₁", ylabel="w₂")


def nearest(axes, S, H, goal, low, high):
    """Level lines around a goal outside of a set, the set, and the minimum over it."""
    H, goal = np.array(H), np.array(goal)
    level_lines(axes, lambda x: (x - goal) @ H @ (x - goal), low, high)
    shape(axes, S, "C0", None)
    s = gh.minimize(gh.quadratic(H, H @ goal), S, stop=gh.Gap(1e-10))
    axes.plot(*goal, "k+", ms=9)
    axes.plot(*s.x, "ko", ms=6)
    return s.x, H @ (s.x - goal)


def l1_ball():
    figure, left, right = pair()
    solid(left, gh.L1Ball(3, 1.0))
    X = RNG.standard_normal((60, 8))
    f = gh.least_squares(X, X @ [2.0, -1.5, 1.0, 0.5, 0, 0, 0, 0] + 0.8 * RNG.standard_normal(60))
    radii = np.linspace(0.05, 6.0, 50)
    right.plot(radii, [gh.minimize(f, gh.L1Ball(8, r)).x for r in radii])
    right.set(xlabel="radius", ylabel="coefficients of least squares", title="few are not zero while radius is small")
    right.title.set_size(9)
    save_pair(figure, "l1_ball")


def simplex():
    figure, left, right = pair()
    flat(left, gh.Simplex(3, lower=0.1, upper=0.6), np.eye(3))
    left.set_title("dotted: Simplex(3); inside: lower=0.1, upper=0.6", fontsize=9)
    target = np.array([0.7, 0.5, 0.25, 0.1, 0.0, -0.2])
    f = gh.least_squares(np.eye(6), target)
    found = [gh.minimize(f, S).x for S in (gh.Simplex(6), gh.Simplex(6, lower=0.05, upper=0.3))]
    bars(right, found, ["Simplex(6)", "lower=0.05, upper=0.3"], target, ylabel="weight", xlabel="coordinate", xticks=range(6))
    save_pair(figure, "simplex")


def capped_simplex():
    figure, left, right = pair()
    solid(left, gh.CappedSimplex(3, 1.0))
    left.set(xlim=(0, 1), ylim=(0, 1), zlim=(0, 1))
    target = np.array([0.35, 0.2, 0.1, -0.1, -0.3])
    f = gh.least_squares(np.eye(5), target)
    found = [gh.minimize(f, S).x for S in (gh.CappedSimplex(5), gh.Simplex(5))]
    bars(right, found, ["CappedSimplex(5)", "Simplex(5), which must sum to one"], target, ylabel="weight",
         xlabel="coordinate", xticks=range(5))
    save_pair(figure, "capped_simplex")


def box():
    figure, axes = plt.subplots(figsize=(4.6, 3.2), layout="constrained")
    w, _ = nearest(axes, gh.Box([0.0, 0.0], [2.0, 1.0]), [[1.0, 0.6], [0.6, 1.0]], [1.3, 1.9], (-0.4, -0.4), (3.0, 2.2))
    axes.annotate("minimum: one bound holds it,\nthe other coordinate is free", w, (0.15, 0.25), fontsize=8,
                  arrowprops={"arrowstyle": "-", "color": "0.4"})
    axes.text(2.05, 1.03, "atoms: the corners", color="C0", fontsize=8)
    axes.text(1.4, 1.9, "minimum without bounds", fontsize=8, va="center")
    save(figure, "box")


def l2_ball():
    figure, axes = plt.subplots(figsize=(4.6, 3.4), layout="constrained")
    w, g = nearest(axes, gh.L2Ball(2, 1.0), [[1.0, 0.5], [0.5, 0.6]], [1.6, 0.9], (-1.3, -1.2), (2.3, 1.5))
    step = 0.6 * g / np.linalg.norm(g)
    axes.annotate("", w - step, w, arrowprops={"arrowstyle": "->", "color": "C3"})
    axes.text(*(w - step + [0.05, -0.02]), "−∇f: at the minimum\nit points outwards", color="C3", fontsize=8, va="top")
    axes.plot([0, w[0]], [0, w[1]], color="C0", lw=0.8)
    axes.text(-0.05, -0.05, "centre", fontsize=8, ha="right", va="top")
    axes.text(-1.2, 0.95, "atoms: the\ncircle", color="C0", fontsize=8)
    save(figure, "l2_ball")


def linf_ball():
    figure, left, right = pair()
    solid(left, gh.LinfBall(3, 1.0))
    rng = np.random.default_rng(4)
    X = rng.standard_normal((30, 8)) + rng.standard_normal((30, 1))
    f = gh.least_squares(X, X @ [2.0, -1.6, 1.2, 0.7, 0.3, -0.3, -0.8, -1.4])
    bars(right, [gh.minimize(f, gh.LinfBall(8, 1.0)).x, gh.minimize(f, gh.L2Ball(8, 9.0), stop=gh.Gap(1e-9)).x],
         ["LinfBall(8, 1)", "without bounds"], ylabel="coefficient", xlabel="coordinate", xticks=range(8))
    save_pair(figure, "linf_ball")


def vertices():
    figure, axes = plt.subplots(figsize=(4.6, 3.2), layout="constrained")
    points = RNG.standard_normal((14, 2)) * [1.0, 0.7]
    S, goal = gh.Vertices(points), np.array([1.2, 1.5])
    shape(axes, S, "C0", None)
    s = gh.minimize(gh.quadratic(np.eye(2), goal), S, stop=gh.Gap(1e-12))
    axes.plot(*points.T, "o", color="C0", ms=4)
    axes.plot(*np.array([goal, s.x]).T, "k:", lw=1)
    axes.plot(*goal, "k+", ms=9)
    for d, weight in zip(s.point.atoms, s.point.weights, strict=True):
        atom = np.zeros(2)
        d.add_to(atom, 1.0)
        axes.text(atom[0] + 0.06, atom[1] + 0.03, f"weight {weight:.2f}", color="C3", fontsize=8)
        axes.plot(*atom, "o", color="C3", ms=6)
    axes.plot(*s.x, "ko", ms=6)
    axes.set(aspect="equal", xlabel="w₁", ylabel="w₂")
    axes.margins(0.12)
    save(figure, "vertices")


def oracle():
    """A set that only answers: what is known of it after six questions lies between two polygons."""

    def fn(g):  # the hull of two discs, x₁² + x₂² ≤ 1 and one around (2, 0.5) with radius 0.5
        towards = -g / np.linalg.norm(g)
        return min((towards, np.array([2.0, 0.5]) + 0.5 * towards), key=lambda d: g @ d)

    figure, axes = plt.subplots(figsize=(5.0, 3.2), layout="constrained")
    axes.add_patch(plt.Polygon(hull(gh.oracle(fn, (2,), bound=2.5)), facecolor="C0", alpha=0.2, edgecolor="none"))
    turns = np.linspace(0.3, 0.3 + 2.0 * np.pi, 6, endpoint=False)
    normals = np.column_stack([np.cos(turns), np.sin(turns)])
    atoms = np.array([fn(-n) for n in normals])
    corners = [np.linalg.solve([normals[i - 1], normals[i]], [normals[i - 1] @ atoms[i - 1], normals[i] @ atoms[i]])
               for i in range(6)]
    axes.add_patch(plt.Polygon(atoms, fill=False, edgecolor="C0", lw=1.5, label="mixtures of the answers"))
    axes.add_patch(plt.Polygon(corners, fill=False, edgecolor="0.5", ls=":", label="what the answers leave possible"))
    axes.plot(*atoms.T, "o", color="C0", ms=5)
    for n, d in zip(normals, atoms, strict=True):
        axes.annotate("", d + 0.4 * n, d, arrowprops={"arrowstyle": "->", "color": "C3"})
    axes.text(*(atoms[1] + 0.45 * normals[1]), "−g", color="C3", fontsize=9)
    axes.set(aspect="equal", xlim=(-1.7, 3.4), ylim=(-1.6, 2.2), xlabel="w₁", ylabel="w₂")
    axes.legend(frameon=False, fontsize=8, loc="upper right")
    save(figure, "oracle")


def cached():
    """Gap by calls of the set's own oracle."""
    figure, axes = plt.subplots(figsize=(5.2, 3.0), layout="constrained")
    cost = RNG.random((12, 12))
    f = gh.function(lambda W: 0.5 * ((W - cost) ** 2).sum(), lambda W: W - cost, (12, 12))
    for S, name, color in ((gh.Birkhoff(12), "Birkhoff(12)", "C0"), (gh.Cached(gh.Birkhoff(12)), "Cached", "C3")):
        s = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Relative(1e-5) | gh.Iterations(1500))
        axes.loglog(np.maximum(s.trace["oracle_calls"], 1), np.minimum.accumulate(s.trace["gap"]), color=color,
                    label=f"{name}: {int(s.trace['oracle_calls'][-1])} calls")
    axes.set(xlabel="calls of the assignment solver", ylabel="certified gap")
    axes.legend(frameon=False, fontsize=8)
    save(figure, "cached")


def inexact():
    """Errors with oracles that err as much as they may."""
    figure, axes = plt.subplots(figsize=(5.2, 3.0), layout="constrained")
    rng = np.random.default_rng(3)
    X = rng.standard_normal((50, 40))
    f, S = gh.least_squares(X, X[:, :4].sum(axis=1) + 0.1 * rng.standard_normal(50)), gh.L1Ball(40, 3.0)
    least, k = gh.minimize(f, S, stop=gh.Gap(1e-12)).certificate.lower, np.arange(1, 401)
    for epsilon, name, color in ((0.0, "exact", "C0"), (0.3, "ε = 0.3 for ever", "C3"),
                                 (lambda k: 8.0 / (k + 2.0), "ε = 8/(k + 2)", "C2")):
        s = gh.minimize(f, gh.Inexact(S, epsilon), gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(400))
        axes.loglog(k, s.trace["value"][1:] - least, color=color, label=name, lw=1.2)
    axes.set(xlabel="step k", ylabel="f(w) − min f")
    axes.legend(frameon=False, fontsize=8)
    save(figure, "inexact")


if __name__ == "__main__":
    for draw in (l1_ball, simplex, capped_simplex, box, l2_ball, linf_ball, vertices, oracle, cached, inexact):
        draw()
