"""
Which films would you like?
===========================

Two hundred people have rated some of a hundred films. What would they say of the others? A matrix of low rank fits the
ratings, and a certificate says that no matrix of the same nuclear norm fits them better.
"""

import matplotlib.pyplot as plt
import numpy as np

import greedyhull as gh
from greedyhull.estimators import MatrixCompletion

rng = np.random.default_rng(0)
people, films = 200, 100
taste, style = rng.standard_normal((people, 3)), rng.standard_normal((films, 3))
liking = 3.2 + 0.4 * rng.standard_normal((people, 1)) + 0.4 * rng.standard_normal(films) + 0.5 * taste @ style.T
seen = rng.random((people, films)) < 0.25
i, j = np.nonzero(seen)
ratings = np.clip(np.round(liking[i, j]), 1, 5)

# %%
# The estimator fits biases, chooses a radius by entries that it holds out, and proves what it found.

model = MatrixCompletion().fit(np.column_stack([i, j]), ratings)
unseen = np.argwhere(~seen)
predicted = model.predict(unseen)
true = liking[~seen]
print(f"radius {model.radius_:.1f}, rank {len(model.singular_values_)}; {model.certificate_}")
print(f"error on films that were not seen: {np.sqrt(np.mean((predicted - true) ** 2)):.2f}, of the biases alone "
      f"{np.sqrt(np.mean((model.biases_.at(*unseen.T) - true) ** 2)):.2f}")

first = unseen[unseen[:, 0] == 0]
best = first[np.argsort(-model.predict(first))[:3]]
print("the first person should see " + ", ".join(f"film {film} ({stars:.1f} stars)"
                                                 for film, stars in zip(best[:, 1], model.predict(best), strict=True)))

# %%
# The answer: the films with the largest predictions. How good these are depends on the radius: here is the error on films
# that were not seen, by radius. Each solve starts at the last factors.

rest = ratings - model.biases_.at(i, j)
f = gh.completion(i, j, rest, (people, films))
radii, errors, point = np.geomspace(10, 400, 9), [], None
for radius in radii:
    point = gh.minimize(f, gh.NuclearBall((people, films), radius), start=point, stop=gh.Relative(1e-3)).point
    errors.append(np.sqrt(np.mean((point.entries(*unseen.T) + model.biases_.at(*unseen.T) - true) ** 2)))

figure, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.4), layout="constrained")
left.semilogx(radii, errors, "o-")
left.axvline(model.radius_, color="C3", ls=":")
left.set(xlabel="radius", ylabel="root mean squared error, stars", title="films that were not seen; dotted: the choice")
right.plot(model.singular_values_, "o-")
right.set(xlabel="number", ylabel="singular value", title="few values are large")
plt.show()
