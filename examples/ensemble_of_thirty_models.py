"""
How many of thirty models does an ensemble need?
================================================

Thirty classifiers have made probabilities for cases that they had not seen. ``EnsembleClassifier`` finds the weights
of the best mean in log-loss, and with ``max_models`` the best it can with a few of them. Its certificate is about the
best mean of all thirty, whatever the limit: it tells what the limit costs.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from greedyhull.estimators import EnsembleClassifier

X, y = map(np.asarray, make_classification(3000, 20, n_informative=8, n_redundant=4, n_clusters_per_class=4, flip_y=0.08,
                                          random_state=2))
train, fit, test = slice(0, 800), slice(800, 1800), slice(1800, None)
rng = np.random.default_rng(0)


def model(i: int) -> tuple[str, np.ndarray]:
    """One of four kinds of classifier on a random half of the columns, and its probabilities for all cases."""
    kinds = [("trees", ExtraTreesClassifier(15, min_samples_leaf=2, random_state=i)),
             ("neighbours", KNeighborsClassifier(15 + i)), ("logistic", LogisticRegression(C=0.1)),
             ("naive Bayes", GaussianNB())]
    columns = rng.choice(20, 10, replace=False)
    name, classifier = kinds[i % 4]
    return name, classifier.fit(X[train][:, columns], y[train]).predict_proba(X[:, columns])[:, 1]


names, probabilities = zip(*(model(i) for i in range(30)), strict=True)
Z = np.column_stack(probabilities)

# %%
# Weights for every limit, and what the certificate says of each.

limits = [1, 2, 3, 4, 5, 6, 8, 10, 15, 30]
fits = [EnsembleClassifier(max_models=m).fit(Z[fit], y[fit]) for m in limits]
inside = [e.certificate_.value for e in fits]
outside = [log_loss(y[test], e.predict_proba(Z[test])) for e in fits]
equal = log_loss(y[test], Z[test].mean(axis=1))
for m, e, loss in zip(limits, fits, outside, strict=True):
    print(f"at most {m:2d}: {np.count_nonzero(e.weights_):2d} used, log-loss on new cases {loss:.4f}, "
          f"limit costs at most {e.dual_gap_:.1e}")
print(f"equal weights: {equal:.4f}")

# %%
# The answer: five or six. The best mean of all thirty holds no more than that, and no limit above it changes anything.

best = fits[-1]
figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
left.plot(limits, outside, "o-", label="new cases")
left.plot(limits, inside, "o-", color="C2", label="cases the weights were found on")
left.fill_between(limits, inside - np.array([e.dual_gap_ for e in fits]), inside, color="C2", alpha=0.2,
                  label="where the best mean of all 30 can be")
left.axhline(equal, color="0.5", ls=":", label="equal weights, new cases")
left.set(xscale="log", xlabel="models allowed", ylabel="log-loss", title="A few models are enough")
left.set_xticks([1, 2, 5, 10, 30], ["1", "2", "5", "10", "30"])
left.minorticks_off()
left.legend(frameon=False)
used = np.argsort(-best.weights_)[:np.count_nonzero(best.weights_ > 1e-6)]
right.barh(range(len(used)), best.weights_[used], color="C0")
right.set_yticks(range(len(used)), [f"{names[j]} {j}" for j in used])
right.invert_yaxis()
right.set(xlabel="weight", title=f"Without a limit {len(used)} of 30 are used")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
