"""Draws the figures of the pages about sets: ``python docs/figures/draw_sets.py``, from the root of the checkout.

Left: the set in three dimensions, the hull of what its oracle answers. Right: a solution over it.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from scipy.spatial import ConvexHull

import greedyhull as gh

HERE = Path(__file__).parent
RNG = np.random.default_rng(1)


def answers(S, directions=500):
    """The atoms that the oracle gives to many directions, each once."""
    found = []
    for g in RNG.standard_normal((directions, 3)):
        x = np.zeros(3)
        S.argmin(g).add_to(x, 1.0)
        found.append(np.round(x, 9))
    return np.unique(found, axis=0)


def solid(axes, S, smooth=False):
    """The hull of a set with an inside, with its edges unless it is smooth."""
    points = answers(S)
    hull = ConvexHull(points)
    faces = Poly3DCollection(points[hull.simplices], alpha=0.28 if smooth else 0.2, facecolor="C0", edgecolor="none",
                             rasterized=True)
    axes.add_collection3d(faces)
    seen = {}
    for simplex, normal in zip(hull.simplices, hull.equations[:, :3], strict=True):
        for a, b in ((0, 1), (1, 2), (0, 2)):
            seen.setdefault(tuple(sorted((simplex[a], simplex[b]))), []).append(normal)
    if not smooth:
        for (a, b), normals in seen.items():
            if len(normals) == 2 and abs(normals[0] @ normals[1]) < 1 - 1e-6:
                axes.plot(*points[[a, b]].T, color="C0", lw=1.2)
        axes.scatter(*points.T, color="k", s=14, depthshade=False)
    framed(axes, np.abs(points).max())


def flat(axes, S, reference):
    """A set within a plane, inside the dotted ``reference`` triangle or hexagon."""
    for points, look in ((reference, {"color": "0.6", "ls": ":", "lw": 1.2}), (answers(S), {"color": "C0", "lw": 1.6})):
        middle = points.mean(axis=0)
        basis = np.linalg.svd(np.array([[1.0, -1.0, 0.0], [1.0, 1.0, -2.0]]))[2][:2]
        turn = np.argsort(np.arctan2(*((points - middle) @ basis.T).T))
        ring = points[np.append(turn, turn[0])]
        axes.plot(*ring.T, **look)
        if look["color"] == "C0":
            axes.add_collection3d(Poly3DCollection([ring], alpha=0.25, facecolor="C0"))
            axes.scatter(*points.T, color="k", s=16, depthshade=False)
    framed(axes, np.abs(reference).max(), low=0.0)


def framed(axes, size, low=-1.0):
    axes.set(xlim=(low * size, size), ylim=(low * size, size), zlim=(low * size, size), xticks=[], yticks=[], zticks=[])
    axes.set_xlabel("w₁", labelpad=-12), axes.set_ylabel("w₂", labelpad=-12), axes.set_zlabel("w₃", labelpad=-12)
    axes.set_box_aspect((1, 1, 1))
    axes.view_init(elev=22, azim=32)


def pair():
    figure = plt.figure(figsize=(8.2, 3.2), layout="constrained")
    left = figure.add_subplot(1, 2, 1, projection="3d")
    right = figure.add_subplot(1, 2, 2)
    right.spines[["top", "right"]].set_visible(False)
    return figure, left, right


def save(figure, name):
    figure.savefig(HERE / f"{name}.svg", metadata={"Date": None}, dpi=160)
    plt.close(figure)


def bars(axes, columns, labels, target=None, **more):
    """Solutions side by side, and the numbers that they are to be near."""
    for i, (x, label) in enumerate(zip(columns, labels, strict=True)):
        axes.bar(np.arange(len(x)) + (i - 0.5 * (len(columns) - 1)) * 0.38, x, 0.36, label=label, color=f"C{i}")
    if target is not None:
        axes.plot(np.arange(len(target)), target, "k_", ms=16, label="the numbers")
    axes.legend(frameon=False, fontsize=8)
    axes.set(**more)


def grouped_simplex():
    figure, left, right = pair()
    flat(left, gh.GroupedSimplex([0, 0, 1], upper=[0.7, 0.6, 1.0], group_upper=[0.8, 0.6]), np.eye(3))
    rng = np.random.default_rng(0)
    groups = np.repeat([0, 1, 2, 3], 5)
    returns = rng.standard_normal((200, 20)) * np.repeat([0.6, 1.0, 1.3, 1.6], 5)
    f = gh.quadratic(np.cov(returns.T))
    plain, capped = gh.minimize(f, gh.Simplex(20)), gh.minimize(f, gh.GroupedSimplex(groups, upper=0.12, group_upper=0.4))
    bars(right, [plain.x, capped.x], ["Simplex", "at most 12 %, sectors 40 %"], xticks=[2, 7, 12, 17],
         xticklabels=["sector 1", "sector 2", "sector 3", "sector 4"], ylabel="weight")
    save(figure, "grouped_simplex")


def k_sparse():
    figure, left, right = pair()
    solid(left, gh.KSparse(3, 2, 1.0))
    target = np.array([2.2, 1.4, 0.9, 0.8, 0.3, -0.4, -0.7, -1.0, -1.8, 0.1])
    f = gh.least_squares(np.eye(10), target)
    bars(right, [gh.minimize(f, gh.KSparse(10, 4, 1.0)).x, gh.minimize(f, gh.L1Ball(10, 4.0)).x], ["KSparse(10, 4, 1)",
         "L1Ball(10, 4)"], target, ylabel="coefficient", xlabel="coordinate", xticks=range(10))
    save(figure, "k_sparse")


def hyper_simplex():
    figure, left, right = pair()
    flat(left, gh.HyperSimplex(3, 2), np.eye(3))
    left.view_init(elev=28, azim=40)
    target = np.array([0.9, 0.5, 0.3, 0.25, 0.1, 0.0, -0.1])
    f = gh.least_squares(np.eye(7), target)
    found = [gh.minimize(f, S).x for S in (gh.HyperSimplex(7, 4), gh.Simplex(7))]
    bars(right, found, ["HyperSimplex(7, 4)", "Simplex(7)"], target,
         ylabel="weight", xlabel="coordinate", xticks=range(7))
    save(figure, "hyper_simplex")


def k_support():
    figure, left, right = pair()
    solid(left, gh.KSupport(3, 2, 1.0), smooth=True)
    rng = np.random.default_rng(3)
    base = rng.standard_normal((60, 3))
    X = np.repeat(base, 3, axis=1) + 0.05 * rng.standard_normal((60, 9))
    f = gh.least_squares(X, X[:, :3].sum(axis=1) - 0.5 * X[:, 3:6].sum(axis=1))
    bars(right, [gh.minimize(f, gh.KSupport(9, 6, 1.6)).x, gh.minimize(f, gh.L1Ball(9, 3.6)).x], ["KSupport(9, 6, 1.6)",
         "L1Ball(9, 3.6)"], ylabel="coefficient", xlabel="block of three nearly equal columns", xticks=[1, 4, 7],
         xticklabels=["1", "2", "3"])
    save(figure, "k_support")


def group_l1_ball():
    figure, left, right = pair()
    solid(left, gh.GroupL1Ball([0, 0, 1], 1.0), smooth=True)
    rng = np.random.default_rng(2)
    X, groups = rng.standard_normal((40, 16)), np.repeat(np.arange(4), 4)
    y = X[:, 4:8] @ [1.0, -1.0, 0.3, 0.4] + 0.5 * rng.standard_normal(40)
    f = gh.least_squares(X, y)
    found = [gh.minimize(f, S).x for S in (gh.GroupL1Ball(groups, 1.3), gh.L1Ball(16, 2.2))]
    bars(right, found, ["GroupL1Ball, radius 1.3", "L1Ball, radius 2.2"], ylabel="coefficient",
         xticks=[1.5, 5.5, 9.5, 13.5], xticklabels=[f"group {k}" for k in range(4)])
    save(figure, "group_l1_ball")


def lp_ball():
    figure, left, right = pair()
    solid(left, gh.LpBall(3, 1.0, 4.0), smooth=True)
    t = np.linspace(0, 2 * np.pi, 721)
    for i, p in enumerate((1.0, 1.3, 2.0, 4.0, np.inf)):
        x = np.stack([np.cos(t), np.sin(t)])
        right.plot(*(x / np.linalg.norm(x, p, axis=0)), color=f"C{i}", label="p = ∞" if p == np.inf else f"p = {p:g}")
    right.set(aspect="equal", xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    right.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, "lp_ball")


def total_variation_ball():
    figure, left, right = pair()
    solid(left, gh.TotalVariationBall(3, 1.0))
    rng = np.random.default_rng(0)
    truth = np.repeat([0.0, 2.0, -1.0, 0.5], 40)
    y = truth + 0.5 * rng.standard_normal(160)
    s = gh.minimize(gh.least_squares(np.eye(160), y), gh.TotalVariationBall(160, 5.5))
    right.plot(y, ".", color="0.7", ms=4, label="data")
    right.plot(truth, color="k", lw=1, ls=":", label="truth")
    right.plot(s.x, color="C0", label="radius 5.5")
    right.legend(frameon=False, fontsize=8)
    right.set(xlabel="coordinate")
    save(figure, "total_variation_ball")


def permutahedron():
    figure, left, right = pair()
    flat(left, gh.Permutahedron([3.0, 2.0, 1.0]), 6.0 * np.eye(3))
    votes = np.array([4.6, 0.3, 2.1, 2.0, 6.5, -0.4])
    s = gh.minimize(gh.quadratic(np.eye(6), votes), gh.Permutahedron(np.arange(6.0)), stop=gh.Gap(1e-9))
    bars(right, [votes, s.x], ["scores", "nearest mixture of rankings 0 … 5"], xlabel="candidate", xticks=range(6))
    save(figure, "permutahedron")


plt.rcParams["svg.hashsalt"] = "greedyhull"
if __name__ == "__main__":
    for draw in (grouped_simplex, k_sparse, hyper_simplex, k_support, group_l1_ball, lp_ball, total_variation_ball,
                 permutahedron):
        draw()
