"""
Which measurements does a classifier need, and what is one more unit of budget worth?
=====================================================================================

A budget on the sum of the sizes of its weights keeps a logistic rule short. Each solution tells its price, the rate
at which the minimal loss falls with the budget: stop paying when the price is low. Run it with the number of budgets
as argument.
"""

import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import greedyhull as gh

data: Any = load_breast_cancer()
X = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
f = gh.logistic(X, data.target, intercept=True)
count = int(sys.argv[1]) if len(sys.argv) > 1 else 6

path = []
print("  budget      loss   provable gap     price   measurements used")
w, chosen = np.zeros(X.shape[1]), np.zeros(0, int)
for budget in 0.5 * 2.0 ** np.arange(count):
    s = gh.minimize(f, gh.L1Ball(X.shape[1], radius=budget), start=w)  # a warm start: the last answer is feasible
    w = s.point.array()
    chosen = np.flatnonzero(np.abs(w) > 1e-6 * budget)
    path.append((budget, s.value, s.price, w))
    print(f"{budget:8g}  {s.value:8.5f}   {s.gap:12.1e}  {s.price:8.5f}   {len(chosen)} of {len(w)}")

order = chosen[np.argsort(-np.abs(w[chosen]))]
print("The heaviest at the last budget:", ", ".join(str(data.feature_names[j]) for j in order[:5]))

# %%
# The answer: the first units of budget buy nearly everything, and a handful of measurements at that. The slope of the
# loss is minus the price, which each solution knows without being solved again.

budgets, losses, prices, points = (np.array(column) for column in zip(*path, strict=True))
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
left.plot(budgets, losses, "ko-", label="loss")
for r, loss, price in zip(budgets, losses, prices, strict=True):
    ends = r * np.array([0.75, 1.35])
    left.plot(ends, loss - price * (ends - r), "C3", lw=2)
left.plot([], [], "C3", lw=2, label="slope: minus the price")
left.set(xscale="log", xlabel="budget", ylabel="mean log-loss", title="What the budget buys")
left.legend(frameon=False)
right.plot(budgets, points, color="0.8", lw=1)
for j in order[:5]:
    right.plot(budgets, points[:, j], "o-", ms=3, label=str(data.feature_names[j]))
right.set(xscale="log", xlabel="budget", ylabel="weight", title="The heaviest five of 30 measurements")
right.legend(frameon=False, fontsize=9)
for axes in (left, right):
    axes.set_xticks(budgets, [f"{r:g}" for r in budgets])
    axes.minorticks_off()
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
