"""Matrix completion on real ratings, against a reference."""

import numpy as np
import pytest
from problems import FOLDER

import greedyhull as gh

RATINGS, OPTIMUM = FOLDER / "recsys" / "jester5k.npz", 2349493.319410472


@pytest.mark.skipif(not RATINGS.exists(), reason="the ratings are not there")
def test_jester_is_solved_to_its_reference() -> None:
    z = np.load(RATINGS)
    shape = tuple(int(k) for k in z["shape"])
    f = gh.completion(z["row"], z["col"], z["rating"].astype(float), shape)
    s = gh.minimize(f, gh.NuclearBall(shape, 5000.0), stop=gh.Relative(1e-7) | gh.Iterations(20))
    assert s.converged and s.certificate.kind == "always"
    assert s.certificate.lower <= OPTIMUM + 1e-8 and abs(s.value - OPTIMUM) <= 1e-10 * OPTIMUM
