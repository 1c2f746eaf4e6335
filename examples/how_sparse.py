"""
How many atoms does a certified answer need?
============================================

A greedy method adds one atom at a time, so that its point is short as long as it is young. How good is the best point
of each length that a method visits, and is there a limit to what any method can do with so many atoms?
"""

import matplotlib.pyplot as plt
import numpy as np

import greedyhull as gh
from greedyhull.theory import one_atom_lower

solvers = {
    "Frank-Wolfe": gh.FrankWolfe(),
    "Jones": gh.Jones(),
    "blended pairwise": gh.BlendedPairwise(),
    "pairwise Jones": gh.PairwiseJones(),
    "corrective, one atom a round": gh.Corrective(batch=1),
}


def shortest(f, S, solver, iterations=400):
    """The least certified gap among the points with at most m atoms, for every m that was seen."""
    s = gh.minimize(f, S, solver, stop=gh.Gap(1e-9) | gh.Iterations(iterations))
    atoms, gaps = s.trace.atoms, s.trace.value - s.certificate.lower
    seen = np.unique(atoms)
    return seen, np.array([gaps[atoms <= m].min() for m in seen])


# %%
# Two problems: regression with 20 true coefficients out of 400, and the worst case, ‖w‖² over the simplex, where no
# point made of m atoms has a value below 1/m (the minimum with 200 coordinates is 1/200).

rng = np.random.default_rng(0)
X = rng.standard_normal((200, 400))
y = X[:, :20] @ rng.uniform(0.5, 1.5, 20) + 0.5 * rng.standard_normal(200)
problems = {
    "Regression, 20 true coefficients": (gh.least_squares(X, y), gh.L1Ball(400, radius=18.0)),
    "Worst case: ‖w‖² over the simplex": (gh.quadratic(2 * np.eye(200)), gh.Simplex(200)),
}
curves = {title: {name: shortest(f, S, solver) for name, solver in solvers.items()} for title, (f, S) in problems.items()}
for title, found in curves.items():
    print(title)
    for name, (atoms, gaps) in found.items():
        enough = atoms[gaps <= 0.01 * gaps[0]]
        needed = str(enough[0]) if len(enough) else f"more than {atoms[-1]}"
        print(f"   {name:30s} a hundredth of the first gap with {needed} atoms")

# %%
# The answer: on data with structure, about as many atoms as there are true coefficients, and swaps find them; in the
# worst case nothing helps, and all methods stand on the limit.

figure, panels = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
for axes, (title, found) in zip(panels, curves.items(), strict=True):
    for (name, (atoms, gaps)), style in zip(found.items(), ["C0-", "C1--", "C2-", "C3--", "k:"], strict=True):
        axes.semilogy(atoms, gaps, style, label=name)
    axes.set(title=title, xlabel="atoms", ylabel="certified gap of the best such point")
    axes.spines[["top", "right"]].set_visible(False)
panels[0].axvline(20, color="0.7", lw=0.8)
m = np.arange(1, 190)
panels[1].semilogy(m, one_atom_lower(m - 1) - 1 / 200, color="0.6", lw=6, alpha=0.4, zorder=0, label="no point is better")
panels[1].legend(frameon=False)
panels[1].set_ylim(1e-4, None)
panels[0].set_ylim(1e-6, None)
plt.show()
