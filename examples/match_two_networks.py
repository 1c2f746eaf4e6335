"""
Which node is which?
====================

Two records of one network, such as a brain's connections measured twice: the second has lost a tenth of its edges, has gained
as many false ones, and its nodes are in no known order. Matching them is a quadratic assignment problem. Frank-Wolfe over
doubly stochastic matrices ends at stationary points, so that several starts are taken: one comes from a convex relaxation, and
is the only one that finds the answer here. The bound says how much better any permutation could be.
"""

import matplotlib.pyplot as plt
import numpy as np

from greedyhull.apps import graph_matching

rng = np.random.default_rng(1)
n = 60
block = np.arange(n) // 15
chance = np.where(block[:, None] == block, 0.5, 0.08)
upper = np.triu(rng.random((n, n)) < chance, 1)
changed = np.triu(rng.random((n, n)) < np.where(upper, 0.1, 0.1 * upper.mean()), 1)
first, second = upper.astype(float), (upper ^ changed).astype(float)
A, hidden = first + first.T, rng.permutation(n)
B = (second + second.T)[np.ix_(hidden, hidden)]

found = graph_matching(A, B, maximize=True, starts=20)
print(found)

# %%
# The answer: the edges of the first network, those of the second as they came, and those of the second in the order found.

right = float((hidden[found.permutation] == np.arange(n)).mean())
order = np.ix_(found.permutation, found.permutation)
figure, axes = plt.subplots(1, 4, figsize=(13, 3.5), layout="constrained", gridspec_kw={"width_ratios": [1, 1, 1, 1.2]})
for ax, M, title in zip(axes, (A, B, B[order]), ("first", "second, as it came", "second, matched"), strict=False):
    ax.imshow(M, cmap="Greys", interpolation="nearest")
    ax.set(title=title, xticks=[], yticks=[])
axes[3].bar(np.arange(1, 21), np.sort(found.values / 2)[::-1], color="C0")
axes[3].axhline(found.bound / 2, color="C3", ls="--", label="bound: no permutation has more")
axes[3].set(xlabel="start, the best first", ylabel="edges that fall on edges", xticks=[1, 5, 10, 15, 20])
axes[3].spines[["top", "right"]].set_visible(False)
axes[3].set_ylim(0, 1.2 * found.bound / 2)
axes[3].legend(frameon=False, loc="upper right")
figure.suptitle(f"{right:.0%} of {n} nodes are matched correctly, {int(found.value / 2)} of {int(A.sum() / 2)} edges")
plt.show()
