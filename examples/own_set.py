"""
How do I optimise over a set that nobody has written down yet?
==============================================================

Say its shape and which of its atoms is best for a linear function; everything else follows. Here the set holds all
vectors that rise from 0 to 1: its extreme points are the steps (0, …, 0, 1, …, 1), and the best step for a linear
function is found by one cumulative sum. Least squares over it is isotonic regression with bounds. Run it with the
length of the vector as argument.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import greedyhull as gh


class Rising(gh.AtomSet):
    """{w : 0 ≤ w_1 ≤ … ≤ w_d ≤ 1}."""

    def __init__(self, d: int) -> None:
        self.shape = (d,)

    def argmin(self, g: np.ndarray) -> gh.Dense:
        tails = np.append(np.cumsum(g[::-1])[::-1], 0.0)  # Σ_{j ≥ i} g_j for every place i where the step may be
        return gh.Dense((np.arange(len(g)) >= tails.argmin()).astype(float))


# %%
# That was all. Certificates, solvers, stops and checks work with it.

d = int(sys.argv[1]) if len(sys.argv) > 1 else 200
rng = np.random.default_rng(5)
truth = np.linspace(0, 1, d) ** 2
y = truth + 0.15 * rng.standard_normal(d)

s = gh.minimize(gh.least_squares(np.eye(d), y), Rising(d), gh.BlendedPairwise(), stop=gh.Gap(1e-9) | gh.Seconds(30))
w = s.point.array()
print(f"The fit rises: {bool(np.all(np.diff(w) >= -1e-12))}; it is made of {len(s.point)} steps.")
print(f"Mean square error against the truth: raw data {np.mean((y - truth) ** 2):.5f}, fit {np.mean((w - truth) ** 2):.5f}.")
print(s.certificate)

# %%
# The answer: ten lines, and the fit is certified like any other.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained", width_ratios=[3, 2])
place = np.arange(d)
left.plot(place, y, ".", color="0.75", label="data")
left.plot(place, truth, "k:", label="the truth")
left.step(place, w, "C0", where="mid", lw=2, label="best rising fit")
left.set(title="A rising curve through noise", xlabel="place", ylabel="value")
left.legend(frameon=False)
right.semilogy(s.trace.iteration, s.trace.gap, "C0")
right.set(title="Certified gap", xlabel="iteration", ylabel="f(w) − min f is at most")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
