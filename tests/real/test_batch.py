"""A whole image unmixed at once, and a study's placebos, against stored references."""

import numpy as np
import pytest
from problems import ABSENT, FOLDER

import greedyhull as gh

IMAGE = FOLDER / "hyperspectral" / "samson.npz"
pytestmark = pytest.mark.skipif(not IMAGE.exists(), reason=ABSENT)


def test_every_pixel_has_the_stored_abundances():
    image, stored = np.load(IMAGE), np.load(IMAGE.with_name("samson_fcls_reference.npz"))
    E, Y = image["M_vca"], image["Y"]
    found = gh.batch(gh.least_squares, gh.Simplex(E.shape[1]), X=E, Y=Y, stop=gh.Relative(1e-9))
    assert found.converged.all()
    np.testing.assert_allclose(found.x, stored["A"].T, atol=1e-6)
    mean = 0.5 * ((E @ found.x.T - Y) ** 2).mean(axis=0)
    np.testing.assert_allclose(found.values, mean, rtol=1e-9)
