"""
Do several responses learn from each other?
===========================================

Thirty responses depend on forty features through two hidden combinations. Fitted one by one, each response learns from its own
noise; fitted together over a nuclear ball, they share what they have in common.
"""

import matplotlib.pyplot as plt
import numpy as np

from greedyhull.estimators import LowRankRegressor

rng = np.random.default_rng(0)
n, d, responses = 80, 40, 30
truth = rng.standard_normal((d, 2)) @ rng.standard_normal((2, responses)) / 6
X = rng.standard_normal((n, d))
Y = X @ truth + rng.standard_normal((n, responses))
X_new = rng.standard_normal((2000, d))

# %%
# The answer: yes. The error on new data is lower at a good radius than that of least squares, response by response.

radii = np.geomspace(2, 60, 10)
models = [LowRankRegressor(radius, tol=1e-4).fit(X, Y) for radius in radii]
errors = [np.sqrt(np.mean((m.predict(X_new) - X_new @ truth) ** 2)) for m in models]
single = np.linalg.lstsq(X, Y, rcond=None)[0]
alone = np.sqrt(np.mean((X_new @ (single - truth)) ** 2))
best = int(np.argmin(errors))
print(f"together {errors[best]:.3f} at radius {radii[best]:.1f}, rank {models[best].rank_}; one by one {alone:.3f}")
print(models[best].certificate_)

figure, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
axes.semilogx(radii, errors, "o-", label="together")
axes.set_xticks([2, 5, 10, 20, 50], ["2", "5", "10", "20", "50"])
axes.minorticks_off()
axes.axhline(alone, color="C3", ls=":", label="one by one")
axes.set(xlabel="radius", ylabel="error on new data")
axes.legend(frameon=False, loc="lower left")
plt.show()
