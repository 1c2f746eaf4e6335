"""
What do my sector caps cost?
============================

A portfolio of least variance over 400 assets in eleven sectors, none of which may have more than 11 % of the money, nor an
asset more than 3 %. The prices of these limits say how much the variance would fall if a
cap were raised: those at zero cost nothing, and the largest is the one to argue about.
"""

import matplotlib.pyplot as plt
import numpy as np

from greedyhull.apps import portfolio

rng = np.random.default_rng(3)
days, assets = 500, 400
names = ["energy", "materials", "industry", "cars", "food", "health", "banks", "software", "telecom", "power", "houses"]
sector = rng.integers(11, size=assets)
market = 0.01 * rng.standard_normal((days, 1)) * rng.uniform(0.4, 1.6, assets)
own = 0.006 * rng.standard_normal((days, 11))[:, sector] * np.linspace(0.3, 2.0, 11)[sector]
returns = market + own + rng.uniform(0.008, 0.03, assets) * rng.standard_normal((days, assets))

found = portfolio(returns, groups=[names[k] for k in sector], group_upper=0.11, upper=0.03)
print(found)

# %%
# The answer: how much of each sector is held, and what a cap costs, as the fall of the yearly volatility, to first order, for
# one more per cent of the money.

held = np.bincount(sector, weights=found.weights, minlength=11)
prices = np.array([found.prices.get(f"group {name}", 0.0) for name in names])
volatility = np.sqrt(250 * found.variance)
gain = 250 * prices * 0.01 / volatility  # half the variance falls by price · 0.01
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
left.barh(names, 100 * held, color=np.where(held > 0.1099, "C3", "C0"))
left.axvline(11, color="0.5", ls=":")
left.set_xlabel("held, % of the money (red: at its cap)")
right.barh(names, 1e4 * gain, color="C3")
right.set_xlabel("volatility saved by one more %, in basis points a year")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
figure.suptitle(f"{np.count_nonzero(found.weights > 1e-9)} of {assets} assets, volatility {volatility:.2%} a year")
plt.show()
