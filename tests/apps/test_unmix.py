"""Unmixing: the abundances that made an image are found, each pixel is certified, and what is missing stays missing."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.apps import unmix

RNG = np.random.default_rng(2)
E = RNG.random((3, 20))
SHARES = RNG.dirichlet(np.ones(3), (6, 5))
IMAGE = SHARES @ E


def test_shares_are_found_in_the_shape_of_the_image():
    found = unmix(IMAGE, E, names=["soil", "tree", "water"])
    assert found.abundances.shape == (6, 5, 3) and found.rmse.shape == found.gaps.shape == (6, 5)
    np.testing.assert_allclose(found.abundances, SHARES, atol=1e-4)
    np.testing.assert_allclose(found.map("tree"), found.abundances[..., 1])
    assert found.solutions.converged.all() and "30 pixels of soil, tree, water" in repr(found)


def test_errors_and_gaps_are_those_of_each_pixel():
    noisy = IMAGE + 0.05 * RNG.standard_normal(IMAGE.shape)
    found = unmix(noisy, E)
    np.testing.assert_allclose(found.rmse, np.sqrt(((found.abundances @ E - noisy) ** 2).mean(axis=-1)))
    for i in np.ndindex(6, 5):
        best = gh.minimize(gh.least_squares(E.T, noisy[i]), gh.Simplex(3), stop=gh.Gap(1e-12) | gh.Seconds(5))
        assert found.rmse[i] ** 2 / 2 - best.value <= found.gaps[i] + 1e-15


def test_shade_needs_no_material_of_its_own():
    dark = unmix(0.5 * IMAGE, E, sum_to_one=False)
    np.testing.assert_allclose(dark.abundances, 0.5 * SHARES, atol=1e-4)
    assert unmix(0.5 * IMAGE, E).rmse.max() > dark.rmse.max()


@pytest.mark.parametrize("gone", [np.nan, np.inf])
def test_pixels_without_a_spectrum_stay_so(gone):
    holes = IMAGE.copy()
    holes[2, 3, 4] = gone
    for given in (holes, np.ma.masked_invalid(holes)):
        found = unmix(given, E)
        assert np.isnan(found.abundances[2, 3]).all() and np.isnan(found.rmse[2, 3]) and np.isinf(found.gaps[2, 3])
        assert np.isfinite(found.abundances).all(axis=-1).sum() == 29 and "1 without an answer" in repr(found)


def test_one_pixel_and_none():
    assert unmix(IMAGE[0, 0], E).abundances.shape == (3,)
    assert unmix(np.zeros((0, 20)), E).abundances.shape == (0, 3)
    assert unmix(IMAGE, E[:1]).abundances.min() == 1.0


def test_maps_are_drawn_of_images():
    pytest.importorskip("matplotlib")
    import matplotlib

    matplotlib.use("Agg")
    figure = unmix(IMAGE, E, names=["soil", "tree", "water"]).plot()
    assert [ax.get_title() for ax in figure.axes[:4]] == ["soil", "tree", "water", "root mean squared error"]
    with pytest.raises(gh.GreedyhullError, match="rows and columns"):
        unmix(IMAGE[0], E).plot()


@pytest.mark.parametrize(("call", "words"), [
    (lambda: unmix(IMAGE, E.T), r"Give endmembers\.T|bands"),
    (lambda: unmix(IMAGE[..., :7], E), "7"),
    (lambda: unmix(IMAGE, E[0]), "endmembers must be finite"),
    (lambda: unmix(IMAGE, np.full((3, 20), np.nan)), "endmembers must be finite"),
    (lambda: unmix(IMAGE, E, names=["a", "b"]), "3 different names"),
    (lambda: unmix(IMAGE, E, names=["a", "a", "b"]), "3 different names"),
    (lambda: unmix([["a"]], E), "numbers are wanted"),
    (lambda: unmix([[1.0], [1.0, 2.0]], E), "different lengths"),
    (lambda: unmix(IMAGE, E).map("snow"), "material 0"),
])
def test_what_does_not_fit_is_told(call, words):
    with pytest.raises(gh.GreedyhullError, match=words):
        call()
