"""
What would have happened without the treatment?
===============================================

One of thirty regions, Region A, passed a law in 1990. No other region is like it, but a weighted mean of others is: the
synthetic control. What happens to the region and not to its synthetic control is the effect. Estimating the same for
every other region, as if it had passed the law, shows how large an effect chance alone can produce. (The numbers are made
up, so that the truth is known.)
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from greedyhull.apps import synthetic_control

rng = np.random.default_rng(4)
years = np.arange(1970, 2005)
trends = np.column_stack([np.linspace(0, 8, 35), rng.standard_normal((35, 2)).cumsum(axis=0), np.sin(years / 3.0)])
Y = 100 + trends @ rng.uniform(0, 1.2, (4, 30)) + 0.3 * rng.standard_normal((35, 30))
Y[:, 0] = Y[:, 1:] @ rng.dirichlet(np.full(29, 0.15)) + 0.3 * rng.standard_normal(35)
truth = np.where(years >= 1990, -0.4 * np.minimum(years - 1989, 10), 0.0)
Y[:, 0] += truth
names = ["Region A", *(f"region {i}" for i in range(1, 30))]
panel = pd.DataFrame(Y, index=pd.Index(years, name="year"), columns=names)
panel = panel.reset_index().melt(id_vars="year", var_name="region", value_name="outcome")
print(panel.head(3))

# %%
# The table is long: one row for each region and year. The names of its columns, the treated region and the first year with
# the law are all that is needed.

s = synthetic_control(panel, "Region A", 1990, unit="region", time="year", outcome="outcome")
effect = s.effect[s.start :]
print(f"Mean effect since 1990: {effect.mean():.2f}; the truth is {truth[s.start :].mean():.2f}.")
print(s.donors_frame().query("weight > 0.02").round(3))
print(f"p-value from {s.kept.sum()} placebos: {s.p_value:.3f}. {s.certificate}")

# %%
# Two questions that referees ask. Does the p-value change if placebos with a poor fit before 1990 are dropped? Does the
# effect depend on one donor?

close = s.filtered(max_pre_mspe=5)
print(f"p-value from the {close.kept.sum()} placebos that fit well: {close.p_value:.3f}")
without = {donor: result.effect[s.start :].mean() for donor, result in s.leave_one_out().items()}
print(f"Mean effect without one donor: from {min(without.values()):.2f} to {max(without.values()):.2f}")

# %%
# The answer: four units less in the end, far more than any region shows that did not pass the law.

axes = s.plot()
axes[0].get_figure().set_size_inches(8, 6)
axes[1].plot(years, truth, "C1", lw=1.2, label="the true effect")
for a in axes:
    a.legend(frameon=False)
    a.spines[["top", "right"]].set_visible(False)
plt.show()
