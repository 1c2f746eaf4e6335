"""How should I weight my models' forecasts, with weights that are non-negative and sum to one?

The columns of X are the forecasts of the models, y is what happened. The best convex combination is least squares
over the simplex; the certificate says how much any other combination could gain. Greedy ensemble selection is
Frank-Wolfe's cousin (Jones' algorithm with steps 1/(k + 1)); this finds the optimum it walks toward.
Run it with the number of models as argument.
"""

import sys

import numpy as np

import greedyhull as gh

models = int(sys.argv[1]) if len(sys.argv) > 1 else 300
rng = np.random.default_rng(11)
days = np.arange(730)
truth = 10 + 3 * np.sin(2 * np.pi * days / 365) + rng.standard_normal(len(days)).cumsum() * 0.1
skill = rng.uniform(0.5, 3.0, models)
forecasts = truth[:, None] + rng.normal(0, 1, models) + skill * rng.standard_normal((len(days), models))

past, future = slice(0, 500), slice(500, None)
s = gh.minimize(gh.least_squares(forecasts[past], truth[past]), gh.Simplex(models), stop=gh.Relative(1e-8) | gh.Seconds(30))
w = s.point.array()


def error(weights: np.ndarray) -> float:
    """Root mean square error on the days that were not used."""
    return float(np.sqrt(np.mean((forecasts[future] @ weights - truth[future]) ** 2)))


single = np.eye(models)[np.argmin(np.mean((forecasts[past] - truth[past, None]) ** 2, axis=0))]
print(f"{np.count_nonzero(w > 1e-9)} of {models} models get weight; the weights sum to {w.sum():.6f}.")
print(f"Error on new days: best single model {error(single):.3f}, equal weights {error(np.full(models, 1 / models)):.3f}, "
      f"these weights {error(w):.3f}.")
print(f"In the past, no other weights have a mean square error lower by more than {2 * s.gap:.1e}.")
