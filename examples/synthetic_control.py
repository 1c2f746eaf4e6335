"""
What would have happened without the treatment?
===============================================

One of thirty regions passed a law in 1990. No other region is like it, but a weighted mean of others is: the
synthetic control. What happens to the region and not to its synthetic twin is the effect. Treating every other region
as if it had been the one tells how large an effect chance can make. (The numbers are made up, so that the truth is
known.)
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
table = pd.DataFrame(Y, index=years, columns=["Treated", *(f"region {i}" for i in range(1, 30))])

# %%
# Rows are periods, columns are units; the label of the treated one and the first period with the law are all it needs.

s = synthetic_control(table, treated="Treated", t0=1990)
effect = s.effect[years >= 1990]
print(f"Mean effect since 1990: {effect.mean():.2f}; the truth is {truth[years >= 1990].mean():.2f}.")
print("Donors:", ", ".join(f"{unit} {w:.0%}" for unit, w in s.donors().items() if w > 0.02))
print(f"p-value by placebos {s.p_value:.3f}; the weights are certified: {s.certificate}")

# %%
# The answer: four units less in the end, far more than any region shows that was not treated.

axes = s.plot()
axes[0].get_figure().set_size_inches(8, 6)
axes[1].plot(years, truth, "C3", lw=1.2, label="the true effect")
axes[0].set(ylabel="outcome", title="The treated region and its synthetic twin")
axes[1].set(ylabel="effect", xlabel="year", title="The effect, and those of 29 placebos")
for a in axes:
    a.legend(frameon=False)
    a.spines[["top", "right"]].set_visible(False)
plt.show()
