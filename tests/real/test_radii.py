"""Radii that bind nothing, on real data: `Corrective` ends there too."""

import pytest
from problems import ABSENT, FOLDER, loaders

import greedyhull as gh

ROUNDS = 60


@pytest.mark.skipif(not FOLDER.exists(), reason=ABSENT)
@pytest.mark.parametrize("name, radius", [("a9a", 300.0), ("mushrooms", 1000.0)])
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_large_radii(name: str, radius: float, loss: str) -> None:
    X, y = loaders().classification(name)
    f = getattr(gh, loss)(X, y)
    s = gh.minimize(f, gh.L1Ball(X.shape[1], radius), gh.Corrective(), stop=gh.Relative(1e-6) | gh.Iterations(ROUNDS))
    assert s.converged, s
