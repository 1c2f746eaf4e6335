"""
How should I spread my money so that the risk is least, without selling short?
==============================================================================

The variance of a portfolio w is ‖Rw‖²/n for centred daily returns R, so half of it is a least-squares objective with
target zero: the covariance matrix of thousands of assets is never formed. Weights that are non-negative and sum to
one are the simplex. Run it with the number of assets as argument.
"""

import sys

import matplotlib.pyplot as plt
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

# %%
# A bound on every weight is another set. What does spreading cost?

caps = [max(share, 1.5 / assets) for share in (0.002, 0.005, 0.01)]
stop = gh.Relative(1e-4) | gh.Seconds(20)
bounded = [gh.minimize(f, gh.Simplex(assets, upper=cap), stop=stop) for cap in caps]

# %%
# The answer: hold a small part of them. That no weight may be above 1 % costs next to nothing.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
left.semilogy(np.arange(1, np.count_nonzero(w) + 1), np.sort(w[w > 0])[::-1], "C0", lw=2)
left.axhline(1 / assets, color="0.5", ls=":", label="equal weights")
left.set(title=f"{np.count_nonzero(w)} of {assets} assets are held", xlabel="asset, by weight", ylabel="weight",
         ylim=(5e-5, None))
left.legend(frameon=False)
single = np.sqrt(250 * centred.var(axis=0).min())
bars = {"best\nasset": single, "equal\nweights": volatility(f.value(gh.Simplex(assets).centre())),
        **{f"at most\n{cap:.1%}": volatility(b.value) for cap, b in zip(caps, bounded, strict=True)},
        "no\nbound": volatility(s.value)}
right.bar(list(bars), [100 * v for v in bars.values()], color=["0.7", "0.7", *["C9"] * len(caps), "C0"], width=0.7)
right.axhline(100 * best, color="C3", ls="--", label="no long-only portfolio has less")
right.set(title="Yearly volatility, %")
right.legend(frameon=False)
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
