"""Designs of several shapes and losses on them, for the tests of `Corrective` over boxes, l2 balls and bounded simplices."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import scipy.sparse as sp

import greedyhull as gh
from greedyhull.objectives.composite import Composite
from greedyhull.solvers import corrective
from greedyhull.types import Array

RADII = np.geomspace(1e-3, 1e4, 8)


@pytest.fixture(params=["core", "reference"], autouse=True, scope="module")
def both(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each promise is kept by the compiled rounds and by those of Python."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "reference":
            patch.setattr(corrective, "compiled_coordinates", lambda *given: None)
        yield


def data(kind: str) -> tuple[Array, Array]:
    """A design, sparse, tall, wide or collinear, and a signal of size 1 in it."""
    rng = np.random.default_rng(0)
    if kind == "sparse":
        X = sp.random(600, 50, 0.1, random_state=1, format="csr")
    elif kind == "collinear":
        X = rng.standard_normal((120, 40)) * np.geomspace(1.0, 1e-3, 40) + rng.standard_normal((120, 1))
    else:
        X = rng.standard_normal((200, 40) if kind == "tall" else (40, 80))
    z = np.asarray(X @ rng.standard_normal(X.shape[1]))
    return X, z / z.std()


def noise(n: int, size: float) -> Array:
    return size * np.random.default_rng(1).standard_normal(n)


def signs(z: Array) -> Array:
    return np.where(z > 0.0, 1.0, -1.0)


LOSSES: dict[str, Callable[[Array, Array], Composite]] = {
    "least squares": lambda X, z: gh.least_squares(X, z + noise(len(z), 0.1)),
    "least squares, intercept": lambda X, z: gh.least_squares(X, z + 1.0, intercept=True, sample_weight=1.0 + (z > 0.0)),
    "logistic": lambda X, z: gh.logistic(X, signs(z + noise(len(z), 0.5))),
    "logistic, separable": lambda X, z: gh.logistic(X, signs(z)),
    "huber": lambda X, z: gh.huber(X, z + noise(len(z), 1.0) ** 3),
    "squared hinge": lambda X, z: gh.squared_hinge(X, signs(z + noise(len(z), 0.3))),
}
