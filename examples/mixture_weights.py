"""
How many groups are in these numbers, if I do not want to say how many in advance?
==================================================================================

The nonparametric maximum-likelihood mixture puts weights on a fine grid of possible centres; the likelihood itself
chooses a few of them. ``P[i, j]`` is the density of observation i under centre j, and the objective is minus the mean
of log Pw, which is infinite where an observation has no density: steps never leave its domain. Run it with the grid
size.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import greedyhull as gh

size = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
rng = np.random.default_rng(3)
spread = 0.4
group = rng.choice(3, 600, p=[0.5, 0.3, 0.2])
x = np.array([-2.0, 0.0, 1.5])[group] + spread * rng.standard_normal(600)

# %%
# By hand: a grid, a matrix of densities, a simplex.

grid = np.linspace(x.min(), x.max(), size)
P = np.exp(-0.5 * ((x[:, None] - grid) / spread) ** 2) / (spread * np.sqrt(2 * np.pi))
s = gh.minimize(gh.log_likelihood(P), gh.Simplex(size), stop=gh.Gap(1e-6) | gh.Seconds(60))

w = s.point.array()
print(f"Mean log-likelihood {-s.value:.6f}; no mixture on this grid has more than {-s.certificate.lower:.6f}.")
print("Weight and centre of each group (neighbours on the grid are added up):")
held = np.flatnonzero(w > 1e-4)
for part in np.split(held, np.flatnonzero(np.diff(grid[held]) > 0.3 * spread) + 1):
    print(f"  {w[part].sum():6.3f}  at {np.average(grid[part], weights=w[part]):+.3f}")
print("The data were drawn with 0.5 at -2, 0.3 at 0 and 0.2 at +1.5.")

# %%
# The answer: three clumps, where they should be. A clump may be split in two, as the likelihood hardly minds; that no
# mixture on this grid is likelier, of however many groups, is proved.

figure, axes = plt.subplots(figsize=(8, 3.8), layout="constrained")
t = np.linspace(x.min() - 1, x.max() + 1, 400)
normal = lambda centres: np.exp(-0.5 * ((t[:, None] - centres) / spread) ** 2) / (spread * np.sqrt(2 * np.pi))
axes.hist(x, 50, density=True, color="0.85", label="600 observations")
axes.plot(t, normal(grid) @ w, "C0", lw=2, label="the likeliest mixture")
axes.plot(t, normal(np.array([-2.0, 0.0, 1.5])) @ [0.5, 0.3, 0.2], "k:", label="the truth")
axes.vlines(grid[held], 0, w[held], color="C3", lw=2, label="its weights")
axes.plot(grid[held], w[held], "C3o", ms=4)
axes.set(xlabel="x", ylabel="density, weight", title="The likeliest mixture of normal distributions")
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
plt.show()
