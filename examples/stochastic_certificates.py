"""
What is proved about a stochastic run, and what does the proof cost?
====================================================================

A stochastic solver reads a few terms a step. A proof of how good its point is can be had in three ways: the gap of
all terms (always true, one pass), the gap of a fresh sample (true with probability 95 %, the sample), or the regret
of the run (true on average, nothing at all). Here are the three beside the true error.
"""

import matplotlib.pyplot as plt
import numpy as np

import greedyhull as gh
from greedyhull.solvers.gradients import Minibatch

rng = np.random.default_rng(0)
n = 200_000
X = rng.uniform(-1, 1, (n, 20))
y = np.sign(X[:, 0] - X[:, 1] + 0.7 * rng.standard_normal(n))
f, S = gh.logistic(X, y), gh.L1Ball(20, radius=3.0)
least = gh.minimize(f, S, stop=gh.Gap(1e-7)).certificate.lower

# %%
# The same solver and seed with three looks: batches of k terms, 800 steps. ``also["spent"]`` counts the terms that the
# steps have read.

looks = {
    "FullGap: all terms, always true": gh.FullGap(every=50),
    "MinibatchGap: 20 000 terms, 95 % sure": gh.MinibatchGap(20_000, delta=0.05, every=50),
    "Regret: no terms, true on average": gh.Regret(every=50),
}
curves = {}
for name, look in looks.items():
    seen: list[tuple[float, float, float]] = []

    def note(event, seen=seen):
        seen.append((event.also["spent"], event.gap, f.value(event.point.copy()) - least))

    solver = gh.StochasticFrankWolfe(Minibatch(gh.schedules.linear()), look=look)
    s = gh.minimize(f, S, solver, stop=gh.Iterations(800), watch=note)
    curves[name] = np.array(seen)
    print(f"{name:40s} bound {s.certificate.gap:.4f} ({s.certificate.kind}), true error {seen[-1][2]:.4f}")

# %%
# The answer: all three lie above the error. The full gap is nearest and costs a pass each time; a sample pays for being
# sure, and cannot say more than its size allows; the regret is free, and speaks of the mean of the points, which lags
# behind the last one.

figure, panels = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained", sharey=True)
for axes, (name, table) in zip(panels, curves.items(), strict=True):
    rows = table[table[:, 0] > 0]
    axes.loglog(rows[:, 0], rows[:, 1], "C0o-", ms=3, label="certified")
    axes.loglog(rows[:, 0], rows[:, 2], "k-", label="true error")
    axes.set_title(name.replace(": ", ":\n"), fontsize=10)
    axes.set_xlabel("terms read by the steps")
    axes.spines[["top", "right"]].set_visible(False)
panels[0].set_ylabel("bound on f(w) − min f")
panels[0].legend(frameon=False)
plt.show()
