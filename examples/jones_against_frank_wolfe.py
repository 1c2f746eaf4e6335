"""
Does it pay to try every atom, as Jones' algorithm does?
========================================================

Frank-Wolfe takes the atom that the gradient points to, with the least linear score; Jones tries them all for the
least value of f itself. Both obey the same bound, (2M + 4c)/(k + 2) with steps 2/(k + 2). On a least-squares problem
over an l1 ball this shows the certified gap of both, of the variants that may also take weight back, and that bound.
Run it with the number of features, and a file for the figure, as arguments.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import greedyhull as gh
from greedyhull.theory import rate

d = int(sys.argv[1]) if len(sys.argv) > 1 else 500
rng = np.random.default_rng(1)
X = rng.standard_normal((d // 2, d))
y = X[:, :10] @ rng.choice([-1.0, 1.0], 10) + 0.5 * rng.standard_normal(d // 2)
f, S = gh.least_squares(X, y), gh.L1Ball(d, radius=8.0)
M = float(f.curvature(S))

solvers = {
    "Frank-Wolfe, steps 2/(k + 2)": gh.FrankWolfe(gh.OpenLoop()),
    "Frank-Wolfe, line search": gh.FrankWolfe(),
    "Jones, best step and atom": gh.Jones(),
    "Jones, pairwise": gh.PairwiseJones(),
    "blended pairwise": gh.BlendedPairwise(),
    "corrective (the default)": gh.Corrective(),
}
gh.minimize(f, S, stop=gh.Iterations(3))  # loads what the default needs, so that the seconds below are fair
runs = {name: gh.minimize(f, S, solver, stop=gh.Gap(1e-8) | gh.Iterations(1000)) for name, solver in solvers.items()}

print(f"{'solver':30s}{'iterations':>12s}{'certified gap':>16s}{'seconds':>10s}")
for name, s in runs.items():
    print(f"{name:30s}{s.iterations:12d}{s.gap:16.1e}{s.seconds:10.3f}")
print(f"{'promised by Theorem 2':30s}{1000:12d}{rate(M, 0.0, 1000):16.1e}   (of the error)")

# %%
# The answer: Jones is hardly ahead of Frank-Wolfe with line search; on a problem like this both zigzag, and what pays
# is to take weight back from atoms that were chosen early.

figure, axes = plt.subplots(figsize=(8.0, 3.8), layout="constrained")
k = np.arange(1, 1001)
axes.loglog(k, rate(M, 0.0, k), ":", color="0.5", label="promised: 2M/(k + 2)")
for (name, s), line in zip(runs.items(), ["C0-", "C9-", "C1--", "C3-", "C2-", "k-"], strict=True):
    axes.loglog(s.trace.iteration + 1, s.trace.gap, line, label=name)
axes.set(xlabel="points seen (iteration + 1)", ylabel="certified gap", ylim=(1e-9, None))
axes.spines[["top", "right"]].set_visible(False)
figure.legend(frameon=False, loc="outside right center")
if len(sys.argv) > 2:
    figure.savefig(sys.argv[2], metadata={"Date": None} if sys.argv[2].endswith(".svg") else None)
plt.show()
