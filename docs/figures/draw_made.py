"""Draws the figures of sets made of others, and of solvers for polytopes: ``python docs/figures/draw_made.py``, from the root
of the checkout."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial import ConvexHull

import greedyhull as gh

HERE = Path(__file__).parent


def hull(S, directions=400):
    """The corners of a set in the plane, in order."""
    turns = np.linspace(0.0, 2.0 * np.pi, directions, endpoint=False) + 1e-3
    points = []
    for g in np.column_stack([np.cos(turns), np.sin(turns)]):
        x = np.zeros(2)
        S.argmin(g).add_to(x, 1.0)
        points.append(x)
    points = np.unique(np.round(points, 9), axis=0)
    return points if len(points) < 3 else points[ConvexHull(points).vertices]


def shape(axes, S, color, label, fill=True):
    """A set in the plane, with its corners if they are few."""
    ring = hull(S)
    axes.add_patch(plt.Polygon(ring, closed=True, facecolor=color if fill else "none", alpha=0.25 if fill else 1.0,
                               edgecolor=color, lw=1.5, ls="-" if fill else ":", label=label))
    if fill and len(ring) <= 12:
        axes.plot(*ring.T, "o", color=color, ms=4)


def plane(axes, low, high):
    axes.set(xlim=(low, high), ylim=(low, high), aspect="equal")
    axes.axhline(0, color="0.85", lw=0.8, zorder=0)
    axes.axvline(0, color="0.85", lw=0.8, zorder=0)
    axes.legend(frameon=False, fontsize=8, loc="upper left")


def save(figure, name):
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def product():
    """A segment times a triangle, and how few atoms a point of a product of many simplices needs."""
    figure = plt.figure(figsize=(8.5, 3.2), layout="constrained")
    left, right = figure.add_subplot(1, 2, 1, projection="3d"), figure.add_subplot(1, 2, 2)
    triangle = np.array([[0.0, 0.0], [1.0, 0.0], [0.3, 0.9], [0.0, 0.0]])
    for z in (0.0, 1.0):
        left.plot(*triangle.T, z, color="C0", lw=1.5)
    for x, y in triangle[:3]:
        left.plot([x, x], [y, y], [0, 1], color="C3", lw=1.5)
    left.set(xticks=[], yticks=[], zticks=[], title="a triangle × a segment")
    left.view_init(22, -60)
    rng, sets, kept, vertices = np.random.default_rng(0), [2, 4, 8, 16, 32, 64], [], []
    for K in sets:
        X = rng.standard_normal((3 * K, 5 * K))
        S = gh.Product(*[gh.Simplex(5) for _ in range(K)])
        s = gh.minimize(gh.least_squares(X, X @ np.tile([0.6, 0.4, 0, 0, 0], K) + 0.1 * rng.standard_normal(3 * K)), S)
        kept.append(len(s.point))
        vertices.append(5.0**K)
    right.semilogy(sets, vertices, "C3:o", label="vertices of the product, $5^K$")
    right.semilogy(sets, kept, "C0-o", label="atoms that a minimum is made of")
    right.set(xticks=sets[2:], xlabel="number K of simplices of 5", title="least squares over a product")
    right.legend(frameon=False, fontsize=8)
    save(figure, "product")


def moved():
    """Sums, multiples and shifts in the plane."""
    one, ball = gh.Vertices([[0.0, 0.0], [1.0, 0.2], [0.3, 1.0]]), gh.L2Ball(2, 0.4)
    figure, axes = plt.subplots(figsize=(4.2, 3.6), layout="constrained")
    shape(axes, gh.Sum(one, ball), "C0", "their sum")
    shape(axes, one, "C3", "a triangle")
    shape(axes, ball, "C2", "a disc")
    plane(axes, -0.8, 1.7)
    save(figure, "sum")
    figure, axes = plt.subplots(figsize=(4.2, 3.6), layout="constrained")
    shape(axes, one, "C3", "S", fill=False)
    shape(axes, gh.Scaled(one, 1.5), "C0", "Scaled(S, 1.5)")
    shape(axes, gh.Scaled(one, -1.0), "C2", "Scaled(S, -1.0)")
    plane(axes, -1.3, 1.9)
    save(figure, "scaled")
    figure, axes = plt.subplots(figsize=(4.2, 3.6), layout="constrained")
    shape(axes, one, "C3", "S", fill=False)
    shape(axes, gh.Translated(one, [0.8, -0.6]), "C0", "Translated(S, v)")
    axes.annotate("", (0.8, -0.6), (0.0, 0.0), arrowprops={"arrowstyle": "->"})
    axes.text(0.35, -0.45, "v")
    plane(axes, -0.9, 2.0)
    save(figure, "translated")


def traced(axes, f, S, solvers, stop, by="iteration"):
    for (name, solver), color in zip(solvers.items(), ("C0", "C3", "C2", "C1"), strict=False):
        s = gh.minimize(f, S, solver, stop=stop)
        axes.semilogy(s.trace[by], np.maximum(s.trace["gap"], 1e-12), color=color, label=name, lw=1.4)
    axes.set(xlabel=by.replace("_", " "), ylabel="certified gap")
    axes.legend(frameon=False, fontsize=8)


def solvers():
    """Gaps of the solvers for polytopes, each where it is at home."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 30))
    f = gh.least_squares(X, X @ np.repeat([0.2, 0.0], [5, 25]) + 0.1 * rng.standard_normal(60))
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.2), layout="constrained")
    both = {"FrankWolfe": gh.FrankWolfe(), "AwayStep": gh.AwayStep(), "Pairwise": gh.Pairwise(),
            "BlendedPairwise": gh.BlendedPairwise()}
    traced(left, f, gh.Simplex(30), both, gh.Gap(1e-9) | gh.Iterations(300))
    left.set_title("least squares over a simplex")
    X = rng.standard_normal((80, 60))
    f = gh.least_squares(X, X[:, :12].sum(axis=1) + 0.1 * rng.standard_normal(80))
    for (name, solver), color in zip(list(both.items())[1:], ("C3", "C2", "C1"), strict=True):
        s = gh.minimize(f, gh.KSparse(60, 6, 1.0), solver, stop=gh.Relative(1e-7) | gh.Iterations(2000))
        right.plot(s.trace["iteration"], s.trace["atoms"], color=color, label=name)
    right.set(xlabel="iteration", ylabel="atoms kept", title="least squares over KSparse(60, 6, 1)")
    right.legend(frameon=False, fontsize=8)
    save(figure, "away_and_pairwise")
    figure, axes = plt.subplots(figsize=(5.2, 3.2), layout="constrained")
    y = np.random.default_rng(2).random(30) * 0.2
    traced(axes, gh.least_squares(np.eye(30), y), gh.Simplex(30, upper=0.1),
           {"DecompositionInvariant": gh.DecompositionInvariant(), "BlendedPairwise": gh.BlendedPairwise()},
           gh.Gap(1e-9) | gh.Iterations(400))
    axes.set_title("least squares over a bounded simplex")
    save(figure, "decomposition_invariant")
    figure, axes = plt.subplots(figsize=(5.2, 3.2), layout="constrained")
    X = np.random.default_rng(3).standard_normal((100, 600))
    f = gh.least_squares(X, X @ np.tile([0.7, 0.3, 0.0], 200))
    traced(axes, f, gh.Product(*[gh.Simplex(3) for _ in range(200)]),
           {"BlockCoordinate": gh.BlockCoordinate(), "BlendedPairwise, as FrankWolfe": gh.BlendedPairwise()},
           gh.Relative(1e-6) | gh.Iterations(120))
    axes.set(title="200 simplices, a minimum of zero", xlabel="iteration: a look at all sets")
    save(figure, "block_coordinate")


plt.rcParams["svg.hashsalt"] = "greedyhull"
if __name__ == "__main__":
    product()
    moved()
    solvers()
