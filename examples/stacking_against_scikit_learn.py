"""
Should the weights of a stack be non-negative and sum to one?
=============================================================

scikit-learn's ``StackingRegressor`` puts a ridge regression on top of the models: any weights, any sign, and an
intercept. ``EnsembleRegressor`` puts a weighted mean there. Both see the same out-of-fold predictions. Which one
predicts better on data that nobody has seen, and which weights can be explained?
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.ensemble import ExtraTreesRegressor, StackingRegressor
from sklearn.linear_model import Lasso, RidgeCV
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.neighbors import KNeighborsRegressor
from sklearn.svm import LinearSVR

from greedyhull.estimators import EnsembleRegressor

X, y = load_diabetes(return_X_y=True)
models = {
    "lasso": Lasso(0.1),
    "ridge": RidgeCV(),
    "median": LinearSVR(C=30.0, random_state=0, max_iter=10_000),
    "30 neighbours": KNeighborsRegressor(30),
    "5 neighbours": KNeighborsRegressor(5),
    "trees": ExtraTreesRegressor(20, min_samples_leaf=3, random_state=0),
}

# %%
# One stack is built by hand here, so that the eight splits below are quick; ``StackingRegressor`` takes either rule as
# its ``final_estimator`` and does the same.


def predictions(past, future, targets):
    """The models' predictions: out of fold for the past, and for the future."""
    seen = np.column_stack([cross_val_predict(m, past, targets, cv=4) for m in models.values()])
    return seen, np.column_stack([m.fit(past, targets).predict(future) for m in models.values()])


final = {"scikit-learn's default": RidgeCV(), "mean with weights": EnsembleRegressor()}
errors: dict[str, list[float]] = {name: [] for name in [*final, "equal weights"]}
weights: dict[str, list[np.ndarray]] = {name: [] for name in final}
for split in range(8):
    past, future, before, after = train_test_split(X, y, train_size=150, random_state=split)
    seen, coming = predictions(past, future, before)
    for name, rule in final.items():
        rule.fit(seen, before)
        weights[name].append(rule.coef_ if name.startswith("sci") else rule.weights_)
        errors[name].append(np.sqrt(np.mean((rule.predict(coming) - after) ** 2)))
    errors["equal weights"].append(np.sqrt(np.mean((coming.mean(axis=1) - after) ** 2)))

for name, values in errors.items():
    print(f"{name:24s} error on new data {np.mean(values):.2f}")
better = np.mean(np.array(errors["mean with weights"]) <= np.array(errors["scikit-learn's default"]))
print(f"The weighted mean is at least as good in {better:.0%} of the splits.")

# %%
# In scikit-learn itself it is one argument:

stack: Any = StackingRegressor(list(models.items()), EnsembleRegressor(), cv=4).fit(X, y)
print({name: float(w) for name, w in zip(models, stack.final_estimator_.weights_.round(2), strict=True) if w > 0})

# %%
# The answer, where cases are as few as here: yes. The mean errs less, and its weights are shares. Those of the ridge
# regression jump from split to split, and many are negative: models that are alike are played off against each other.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained", width_ratios=[3, 2])
places = np.arange(len(models))
for shift, colour, (name, found) in zip([-0.17, 0.17], ["C1", "C0"], weights.items(), strict=True):
    at = np.repeat(places + shift, len(found)) + np.tile(np.linspace(-0.1, 0.1, len(found)), len(places))
    left.plot(at, np.transpose(found).ravel(), "o", color=colour, ms=4, alpha=0.7, label=name)
left.axhline(0, color="0.5", lw=0.8)
left.set_xticks(places, [name.replace(" neighbours", "\nneighb.") for name in models])
left.set(title="Weights, one dot for each split", ylabel="weight")
left.legend(frameon=False)
gain = np.array(errors["scikit-learn's default"]) - np.array(errors["mean with weights"])
right.bar(range(len(gain)), gain, color=np.where(gain >= 0, "C0", "C1"))
right.axhline(0, color="0.5", lw=0.8)
right.set(title="How much less the mean errs", xlabel="split", ylabel="difference of the errors")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
