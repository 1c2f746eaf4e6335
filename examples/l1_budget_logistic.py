"""Which measurements does a classifier need, and what is one more unit of budget worth?

A budget on Σ|w_j| keeps a logistic rule short. Each solution tells its price, the rate at which the minimal loss
falls with the budget: stop paying when the price is low. Run it with the number of budgets as argument.
"""

import sys

import numpy as np
from sklearn.datasets import load_breast_cancer

import greedyhull as gh

data = load_breast_cancer()
X = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
f = gh.logistic(X, data.target, intercept=True)
count = int(sys.argv[1]) if len(sys.argv) > 1 else 6

print("  budget      loss   provable gap     price   measurements used")
w = np.zeros(X.shape[1])
for budget in 0.5 * 2.0 ** np.arange(count):
    s = gh.minimize(f, gh.L1Ball(X.shape[1], radius=budget), start=w)  # a warm start: the last answer is feasible
    w = s.point.array()
    chosen = np.flatnonzero(np.abs(w) > 1e-6 * budget)
    print(f"{budget:8g}  {s.value:8.5f}   {s.gap:12.1e}  {s.price:8.5f}   {len(chosen)} of {len(w)}")

order = chosen[np.argsort(-np.abs(w[chosen]))]
print("The heaviest at the last budget:", ", ".join(str(data.feature_names[j]) for j in order[:5]))
