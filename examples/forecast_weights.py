"""
How should I weight my models' forecasts?
=========================================

The columns of X are the forecasts of the models, y is what happened. The best convex combination is least squares
over the simplex, weights that are non-negative and sum to one; the certificate says how much any other combination
could gain. Greedy ensemble selection is Frank-Wolfe's cousin (Jones' algorithm with steps 1/(k + 1)); this finds the
optimum it walks toward. Run it with the number of models as argument.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import greedyhull as gh

models = int(sys.argv[1]) if len(sys.argv) > 1 else 300
rng = np.random.default_rng(11)
days = np.arange(730)
truth = 10 + 3 * np.sin(2 * np.pi * days / 365) + rng.standard_normal(len(days)).cumsum() * 0.1
skill = rng.uniform(0.5, 3.0, models)
forecasts = truth[:, None] + rng.normal(0, 1, models) + skill * rng.standard_normal((len(days), models))

# %%
# The weights are found on the first 500 days and tried on the others.

past, future = slice(0, 500), slice(500, None)
s = gh.minimize(gh.least_squares(forecasts[past], truth[past]), gh.Simplex(models), stop=gh.Relative(1e-8) | gh.Seconds(30))
w = s.point.array()


def error(weights: np.ndarray) -> float:
    """Root mean square error on the days that were not used."""
    return float(np.sqrt(np.mean((forecasts[future] @ weights - truth[future]) ** 2)))


single = np.eye(models)[np.argmin(np.mean((forecasts[past] - truth[past, None]) ** 2, axis=0))]
print(f"{np.count_nonzero(w > 1e-9)} of {models} models get weight; the weights sum to {w.sum():.6f}.")
print(f"Error on new days: best single model {error(single):.3f}, equal weights {error(np.full(models, 1 / models)):.3f}, "
      f"these weights {error(w):.3f}.")
print(f"In the past, no other weights have half the mean square error lower by more than {s.gap:.1e}.")

# %%
# The answer: more where the error is small, but that is not all. A poor model whose bias goes the other way can be
# worth more than a better one, and a quarter of the models get nothing.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained", width_ratios=[3, 2])
own = np.sqrt(np.mean((forecasts[past] - truth[past, None]) ** 2, axis=0))
bias = np.mean(forecasts[past] - truth[past, None], axis=0)
held = w > 1e-9
left.plot(own[~held], bias[~held], ".", color="0.8", label="no weight")
left.scatter(own[held], bias[held], 3000 * w[held] + 5, color="C0", alpha=0.7, lw=0, label="weight, by area")
left.axhline(0, color="0.5", lw=0.8)
left.set(title="Which models get weight", xlabel="error of the model alone", ylabel="its bias")
left.legend(frameon=False)
bars = {"best\nsingle": error(single), "equal\nweights": error(np.full(models, 1 / models)), "these\nweights": error(w)}
right.bar(list(bars), list(bars.values()), color=["0.7", "0.7", "C0"], width=0.6)
right.set(title="Error on new days", ylabel="root mean square error")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
