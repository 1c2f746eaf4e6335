"""
What does a bad oracle cost?
============================

Frank-Wolfe needs the best atom for a linear function, and sometimes only a good one can be had. Theorem 2 says that
errors of c·2/(k + 2) in step k cost 4c/(k + 2) and no more. ``Inexact`` takes a set and answers with the worst atom
that the tolerance admits, so that this is the worst that can happen here. What if the errors do not shrink?
"""

import matplotlib.pyplot as plt
import numpy as np

import greedyhull as gh
from greedyhull.theory import rate

rng = np.random.default_rng(2)
X, y = rng.standard_normal((100, 60)), rng.standard_normal(100)
f, S = gh.least_squares(X, y), gh.L1Ball(60, radius=1.0)
M, least = float(f.curvature(S)), gh.minimize(f, S, stop=gh.Gap(1e-12)).certificate.lower

# %%
# Steps 2/(k + 2) and six oracles: exact, three whose errors shrink with the steps, two whose errors stay as they are.

oracles = {
    "exact": (gh.zero, "k-"),
    "errors 2/(k + 2) · 0.2": (gh.schedules.harmonic(0.2), "C0-"),
    "errors 2/(k + 2) · 1": (gh.schedules.harmonic(1.0), "C2-"),
    "errors 2/(k + 2) · 5": (gh.schedules.harmonic(5.0), "C4-"),
    "errors 0.02, always": (gh.schedules.constant(0.02), "C1--"),
    "errors 0.1, always": (gh.schedules.constant(0.1), "C3--"),
}
runs = {name: gh.minimize(f, gh.Inexact(S), gh.FrankWolfe(gh.OpenLoop(), tolerance=t), stop=gh.Iterations(2000))
        for name, (t, _) in oracles.items()}
for name, s in runs.items():
    print(f"{name:24s} error after 2000 steps {s.value - least:.1e}, certified gap {s.gap:.1e}")
print(f"M = {M:.2f}: Theorem 2 promises {rate(M, 0.0, 2000):.1e} for the exact oracle, {rate(M, 5.0, 2000):.1e} for c = 5.")

# %%
# The answer: errors that shrink with the steps cost a factor, less than promised. Errors that stay leave an error for
# good, and the certificate, which counts them, stops at about their size: it never says more than is known.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained", sharey=True)
k = np.arange(1, 2001)
for (name, s), (_, style) in zip(runs.items(), oracles.values(), strict=True):
    left.loglog(k, (s.trace.value - least)[1:], style, lw=1.2, label=name)
    right.loglog(k, s.trace.gap[1:], style, lw=1.2)
left.loglog(k, rate(M, 0.0, k), "k:", lw=1, label="Theorem 2, exact")
left.loglog(k, rate(M, 5.0, k), "C4:", lw=1, label="Theorem 2, c = 5")
left.set(title="Error", xlabel="step k", ylabel="f(w) − min f")
right.set(title="Certified gap", xlabel="step k")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
figure.legend(frameon=False, loc="outside right center")
plt.show()
