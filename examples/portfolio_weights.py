"""How should I spread my money over thousands of assets so that the risk is least, without selling short?

The variance of a portfolio w is ‖Rw‖²/n for centred daily returns R, so half of it is a least-squares objective with
target zero: the d x d covariance matrix is never formed. Weights that are non-negative and sum to one are the simplex.
Run it with the number of assets as argument.
"""

import sys

import numpy as np

import greedyhull as gh

assets, days = int(sys.argv[1]) if len(sys.argv) > 1 else 5000, 500
rng = np.random.default_rng(7)
market = 0.01 * rng.standard_normal((days, 1)) * rng.uniform(0.4, 1.6, assets)  # what moves all assets at once
sectors = 0.006 * rng.standard_normal((days, 11)) @ (np.arange(11)[:, None] == rng.integers(11, size=assets))
returns = market + sectors + rng.uniform(0.01, 0.03, assets) * rng.standard_normal((days, assets))
centred = returns - returns.mean(axis=0)

f = gh.least_squares(centred, np.zeros(days))
s = gh.minimize(f, gh.Simplex(assets))


def volatility(half_variance: float) -> float:
    """The yearly standard deviation that belongs to half a daily variance."""
    return float(np.sqrt(2 * half_variance * 250))


w = s.point.array()
best = volatility(max(s.certificate.lower, 0.0))
print(f"{np.count_nonzero(w)} of {assets} assets are held; the largest weight is {w.max():.1%}.")
print(f"Yearly volatility: {volatility(s.value):.4%}; no long-only portfolio has less than {best:.4%}.")
print(f"Equal weights would have {volatility(f.value(gh.Simplex(assets).centre())):.2%}.")
print(s.reason)
