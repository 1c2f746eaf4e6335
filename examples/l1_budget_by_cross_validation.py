"""
How large a budget should my coefficients get?
==============================================

A budget on the sizes of the coefficients keeps a linear model short. ``L1BudgetRegressorCV`` tries fifty budgets on
five folds and takes the best, or the smallest that is as good within one standard error. Here ten measurements of 442
patients and all their products, 65 columns, predict the progress of diabetes.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from greedyhull.estimators import L1BudgetRegressorCV

data: Any = load_diabetes()
expand = PolynomialFeatures(2, include_bias=False)
X = StandardScaler().fit_transform(expand.fit_transform(data.data))
names = expand.get_feature_names_out(data.feature_names)
past, future, before, after = train_test_split(X, data.target, train_size=300, random_state=0)

chosen = {select: L1BudgetRegressorCV(radii=50, select=select).fit(past, before) for select in ("best", "one_se")}
for select, model in chosen.items():
    print(f"{select:7s} budget {model.radius_:6.1f}, {np.count_nonzero(model.coef_):2d} coefficients, "
          f"R² on new patients {model.score(future, after):.3f}, certified to {model.dual_gap_:.1e}")

# %%
# What one more unit of budget would be worth is the price, and it is the penalty of the lasso with the same solution.

model = chosen["one_se"]
price = model.solution_.price
print(f"One more unit lowers the loss by {price:.2f}: Lasso(alpha={price:.2f}) has the same coefficients.")
print("Kept:", ", ".join(str(names[j]) for j in np.argsort(-np.abs(model.coef_))[:6]))

# %%
# The answer: where the loss on left-out folds stops falling; one standard error before, for a shorter model.

figure, axes = plt.subplots(2, 1, figsize=(8, 5.6), sharex=True, layout="constrained")
chosen["best"].plot_path(axes)
for a in axes:
    a.axvline(model.radius_, color="C0", ls="--", label=f"one standard error: {model.radius_:.3g}")
    a.spines[["top", "right"]].set_visible(False)
axes[1].legend(frameon=False)
axes[0].set_title("Coefficients come in one by one as the budget grows")
plt.show()
