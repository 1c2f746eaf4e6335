"""
Which way, if delays are uncertain?
===================================

A city of 9 × 9 crossings. Each street takes some minutes on average, with a variance; streets of one district are late
together. The path of least mean time may be one that is often very late. A mixture of paths, which is a flow, spreads that
risk: minimise mean plus λ times variance over all unit flows from one corner to the other. The oracle is a shortest path.
"""

import matplotlib.pyplot as plt
import numpy as np

import greedyhull as gh

rng = np.random.default_rng(4)
n = 9
node = lambda r, c: r * n + c
edges = [(node(r, c), node(r, c + 1)) for r in range(n) for c in range(n - 1)]
edges += [(node(r, c), node(r + 1, c)) for r in range(n - 1) for c in range(n)]
places = np.array([[c, -r] for r in range(n) for c in range(n)], dtype=float)
middle = places[np.array(edges)].mean(axis=1)

mean = rng.uniform(1.0, 1.6, len(edges)) - 0.55 * (np.abs(middle.sum(axis=1)) < 1.5)  # the diagonal is fast on average
towns = np.array([[2, -2], [4, -4], [6, -6], [7, -1], [1, -7]])
district = np.exp(-((middle[:, None, :] - towns) ** 2).sum(axis=2) / 3)
risk = district * np.array([1.6, 2.0, 1.6, 0.4, 0.4])  # and its districts are late together
covariance = risk @ risk.T + np.diag(rng.uniform(0.05, 0.2, len(edges)))

S = gh.PathPolytope(edges, n * n, 0, n * n - 1)
prices = [0.0, 0.03, 0.3]
flows = [gh.minimize(gh.quadratic(2 * price * covariance, -mean), S, stop=gh.Gap(1e-6)) for price in prices]
told = [f"{mean @ s.x:.1f} ± {np.sqrt(s.x @ covariance @ s.x):.1f} minutes" for s in flows]
for price, s, words in zip(prices, flows, told, strict=True):
    print(f"λ = {price}: {len(s.point)} path{'s' if len(s.point) > 1 else ''}, {words}")

# %%
# The answer: the more lateness costs, the farther from the fast diagonal the flow goes, and the more paths it uses.

figure, axes = plt.subplots(1, 3, figsize=(11, 4), layout="constrained")
shade = risk.sum(axis=1)
for ax, price, s, words in zip(axes, prices, flows, told, strict=True):
    for k, (a, b) in enumerate(edges):
        ax.plot(*places[[a, b]].T, color=plt.cm.Oranges(0.15 + 0.7 * shade[k] / shade.max()), lw=1.2, zorder=1)
        if s.x[k] > 1e-4:
            ax.plot(*places[[a, b]].T, color="C0", lw=6 * s.x[k] + 0.3, solid_capstyle="round", zorder=2)
    ax.set(title=f"λ = {price}: {words}", xticks=[], yticks=[], aspect="equal")
    ax.plot(*places[[0, -1]].T, "ko", ms=6)
    ax.set_xlabel(f"{len(s.point)} path{'s' if len(s.point) > 1 else ''}; within {s.gap:.0e} of the least, proved")
    ax.spines[:].set_visible(False)
figure.suptitle("Flow (blue) over streets that are late together (darker orange)")
plt.show()
