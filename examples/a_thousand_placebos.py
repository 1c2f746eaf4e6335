"""
How rare is an effect among a thousand placebos?
================================================

One of a thousand shops changed its opening hours in week 80. A weighted mean of the others, its synthetic control, tells what
it would have sold otherwise. Whether the difference means anything is seen from the other 999: each is treated as if it had
changed its hours, and gets a synthetic control of its own. That is a thousand problems, each over all shops but one. (The
numbers are made up, so that the truth is known.)
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import greedyhull as gh

rng = np.random.default_rng(7)
weeks, shops, change = np.arange(120), 1000, 80
trends = np.column_stack([np.ones(120), rng.standard_normal((120, 3)).cumsum(axis=0), np.sin(weeks / 8.0)])
sales = trends @ (np.array([[20.0], [1.0], [1.0], [1.0], [4.0]]) * rng.uniform(0, 1, (5, shops)))
sales[:, 0] = sales[:, 1:] @ rng.dirichlet(np.full(shops - 1, 0.01))
sales += rng.standard_normal(sales.shape)
sales[change:, 0] += 2.5  # the truth

# %%
# The problems share their data: the sales before the change. ``without`` keeps each shop out of its own synthetic control.

before = sales[:change]
began = time.perf_counter()
found = gh.batch(gh.least_squares, gh.Simplex(shops), X=before, Y=before, without=np.arange(shops))
print(f"{len(found)} certified solutions in {time.perf_counter() - began:.1f} s: {found!r}")

# %%
# Each has its certificate. The row of ``found.x`` that belongs to the shop which changed its hours holds the weights of the
# others.

print(found[0].certificate)
print(f"{np.count_nonzero(found.x[0] > 0.01)} shops have a weight above 0.01; the shop itself has {found.x[0, 0]:g}.")

# %%
# What a shop sells beyond its synthetic control, after the change relative to before, measures how unusual it is.

effects = sales - sales @ found.x.T
rmspe = [np.sqrt((part**2).mean(axis=0)) for part in (effects[:change], effects[change:])]
ratio = rmspe[1] / rmspe[0]
rank = int((ratio >= ratio[0]).sum())
print(f"Mean effect {effects[change:, 0].mean():.2f}; p-value {rank / shops:.3f}. The truth is an effect of 2.5.")

# %%
# The answer: very few shops that changed nothing differ so much from their synthetic control.

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.plot(weeks, effects[:, 1:200], color="0.85", lw=0.5)
left.plot(weeks, effects[:, 0], color="C0", lw=1.5, label="the shop that changed its hours")
left.axvline(change, color="C3", ls=":", lw=1.0)
left.set(xlabel="week", ylabel="sales beyond the synthetic control", ylim=(-8, 8), title="Effect, and 199 of the placebos")
left.legend(frameon=False, loc="upper left")
right.hist(ratio[1:], bins=60, color="0.75")
right.axvline(ratio[0], color="C0", lw=1.5)
right.set(xlabel="error after the change / before", ylabel="shops", title=f"Rank {rank} of {shops}")
for ax in (left, right):
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
