"""How do I optimise over a set that nobody has written down yet?

Say its shape and which of its atoms is best for a linear function; everything else follows. Here the set holds all
vectors that rise from 0 to 1: its extreme points are the steps (0, …, 0, 1, …, 1), and the best step for a linear
function is found by one cumulative sum. Least squares over it is isotonic regression with bounds.
Run it with the length of the vector as argument.
"""

import sys

import numpy as np

import greedyhull as gh


class Rising(gh.AtomSet):
    """{w : 0 ≤ w_1 ≤ … ≤ w_d ≤ 1}."""

    def __init__(self, d: int) -> None:
        self.shape = (d,)

    def argmin(self, g: np.ndarray) -> gh.Dense:
        tails = np.append(np.cumsum(g[::-1])[::-1], 0.0)  # Σ_{j ≥ i} g_j for every place i where the step may be
        return gh.Dense((np.arange(len(g)) >= tails.argmin()).astype(float))


d = int(sys.argv[1]) if len(sys.argv) > 1 else 200
rng = np.random.default_rng(5)
truth = np.linspace(0, 1, d) ** 2
y = truth + 0.15 * rng.standard_normal(d)

s = gh.minimize(gh.least_squares(np.eye(d), y), Rising(d), gh.BlendedPairwise(), stop=gh.Gap(1e-9) | gh.Seconds(30))
w = s.point.array()
print(f"The fit rises: {bool(np.all(np.diff(w) >= -1e-12))}; it is made of {len(s.point)} steps.")
print(f"Mean square error against the truth: raw data {np.mean((y - truth) ** 2):.5f}, fit {np.mean((w - truth) ** 2):.5f}.")
print(s.certificate)
