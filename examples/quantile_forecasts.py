"""
How do I turn ten point forecasts into a median and an 80 % interval?
=====================================================================

The mean of forecasts with weights that minimise the quantile loss at q is a forecast of the q-quantile. So three sets
of weights on the simplex, for q = 0.1, 0.5 and 0.9, make a median and an interval; an intercept lets the outer ones
move away from the middle.
"""

import matplotlib.pyplot as plt
import numpy as np

import greedyhull as gh

rng = np.random.default_rng(6)
days = np.arange(1000)
truth = 50 + 10 * np.sin(2 * np.pi * days / 7) + 8 * np.sin(2 * np.pi * days / 90) + 4 * rng.standard_t(3, len(days))
base = 50 + 10 * np.sin(2 * np.pi * days / 7) + 8 * np.sin(2 * np.pi * days / 90)
bias, skill = rng.normal(0, 4, 10), rng.uniform(1, 6, 10)
forecasts = base[:, None] + bias + skill * rng.standard_normal((len(days), 10))
past, future = slice(0, 800), slice(800, None)

# %%
# One problem for each quantile; all of them are certified to nine digits, kinks and all.

S, levels = gh.Simplex(10), (0.1, 0.5, 0.9)
fits = {q: gh.minimize(gh.quantile(forecasts[past], truth[past], q, intercept=True), S, stop=gh.Gap(1e-9) | gh.Seconds(20))
        for q in levels}
bands = {q: forecasts @ s.point.array() + s.intercept for q, s in fits.items()}
for q, s in fits.items():
    below = np.mean(truth[future] <= bands[q][future])
    print(f"q = {q}: {below:.0%} of the new days are below, {np.count_nonzero(s.point.array() > 1e-9)} models used, "
          f"certified to {s.gap:.0e}")
inside = np.mean((truth >= bands[0.1]) & (truth <= bands[0.9]), where=days >= 800)
print(f"{inside:.0%} of the new days are inside the interval; 80 % are wanted.")

# %%
# The answer, on days that were not used:

figure, (left, right) = plt.subplots(1, 2, figsize=(9.8, 3.8), layout="constrained", width_ratios=[5, 2])
window = slice(800, 880)
left.fill_between(days[window], bands[0.1][window], bands[0.9][window], color="C0", alpha=0.25, lw=0, label="80 % interval")
left.plot(days[window], bands[0.5][window], "C0", label="median")
left.plot(days[window], truth[window], "k.", ms=5, label="what happened")
left.set(title="New days", xlabel="day", ylabel="demand", ylim=(None, 95))
left.legend(frameon=False, ncols=3, loc="upper center")
for q, colour in zip(levels, ["C2", "C0", "C1"], strict=True):
    right.plot(skill, fits[q].point.array(), "o", color=colour, label=f"q = {q}")
right.set(title="Weights", xlabel="standard error of the model")
right.legend(frameon=False)
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
