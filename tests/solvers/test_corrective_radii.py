"""Whole paths of radii, from sparse to interpolating: on none of them does `Corrective` stand still."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import greedyhull as gh
from greedyhull.objectives.composite import Composite
from greedyhull.types import Array, AtomSet

RADII = np.geomspace(0.1, 1e4, 6)
ROUNDS = 60  # it took 25 at most; without the rule that ends sampling, thousands were not enough


@cache
def rows(kind: str) -> tuple[Array | sp.csr_matrix, Array]:
    """Data with so many rows that early rounds sample them, and so few columns that large radii bind nothing."""
    rng = np.random.default_rng(0)
    if kind == "sparse":
        X = sp.random(6000, 60, 0.1, random_state=1, format="csr")
        X.data[:] = 1.0
    else:
        X = rng.standard_normal((5000, 20)) * np.geomspace(1.0, 1e-2, 20)
    z = np.asarray(X @ rng.standard_normal(X.shape[1]))
    return X, z / z.std()


def signs(z: Array) -> Array:
    return np.where(z > 0.0, 1.0, -1.0)


def noise(n: int, size: float) -> Array:
    return size * np.random.default_rng(1).standard_normal(n)


LOSSES: dict[str, Callable[[Array, Array], Composite]] = {
    "least squares": lambda X, z: gh.least_squares(X, z + noise(len(z), 0.1)),
    "logistic": lambda X, z: gh.logistic(X, signs(z + noise(len(z), 0.5))),
    "logistic, separable": lambda X, z: gh.logistic(X, signs(z)),
    "logistic, intercept": lambda X, z: gh.logistic(X, signs(z + 0.5 + noise(len(z), 0.5)), intercept=True),
    "squared hinge": lambda X, z: gh.squared_hinge(X, signs(z + noise(len(z), 0.3))),
    "squared hinge, separable": lambda X, z: gh.squared_hinge(X, signs(z)),
    "huber": lambda X, z: gh.huber(X, z + noise(len(z), 1.0) ** 3),
    "fourth power": lambda X, z: gh.lp_loss(X, z, p=4),
}
SETS: dict[str, Callable[[int, float], AtomSet]] = {
    "l1 ball": lambda d, r: gh.L1Ball(d, radius=r),
    "simplex": lambda d, r: gh.Simplex(d, r),
}


@pytest.mark.parametrize("kind", ["sparse", "dense"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("over", SETS)
def test_no_radius_is_too_large(over: str, loss: str, kind: str) -> None:
    X, z = rows(kind)
    f = LOSSES[loss](X, z)
    for r in RADII:
        s = gh.minimize(f, SETS[over](X.shape[1], float(r)), gh.Corrective(), stop=gh.Relative(1e-6) | gh.Iterations(ROUNDS))
        assert s.converged, (r, s)


def test_a_run_that_is_resumed_samples_no_more_than_the_whole_one(tmp_path: Path) -> None:
    X, z = rows("sparse")
    f, S = LOSSES["squared hinge, separable"](X, z), gh.L1Ball(60, radius=1e3)
    whole = gh.minimize(f, S, gh.Corrective(), stop=gh.Iterations(9))
    gh.minimize(f, S, gh.Corrective(), stop=gh.Iterations(4), checkpoint=tmp_path / "run.npz")
    rest = gh.minimize(f, S, gh.Corrective(), stop=gh.Iterations(9), resume=tmp_path / "run.npz")
    assert np.array_equal(whole.point.array(), rest.point.array()) and whole.certificate == rest.certificate
