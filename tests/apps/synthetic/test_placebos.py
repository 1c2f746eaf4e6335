"""Placebos: root mean squares at any scale, and shares of units that count the treated one."""

import numpy as np
import pytest

from greedyhull.apps.synthetic_panel import ratios, rmspe, share, well_fitted


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1.0, 1e150, 1e300])
def test_errors_are_measured_at_any_scale(scale):
    before, after = rmspe(scale * np.array([[3.0, 0.0], [-4.0, 0.0], [1.0, 2.0]]), 2)
    np.testing.assert_allclose(before / scale, [np.sqrt(12.5), 0.0])
    np.testing.assert_allclose(after / scale, [1.0, 2.0])
    np.testing.assert_allclose(ratios(before, after), [1 / np.sqrt(12.5), np.inf])


def test_units_that_never_move_have_no_ratio():
    assert ratios(np.zeros(1), np.zeros(1)).tolist() == [0.0]
    assert ratios(np.array([-0.0]), np.array([-0.0])).tolist() == [0.0]


def test_fits_are_compared_by_their_squares():
    before = np.array([0.0, 1.0, 2.0, 2.1])
    assert well_fitted(before, 1.0, 4.0).tolist() == [True, True, True, False]
    assert well_fitted(before, 0.0, 4.0).tolist() == [True, False, False, False]
    assert well_fitted(before, 0.0, np.inf).all()


def test_the_treated_unit_is_one_of_the_units():
    assert share(2.0, np.array([1.0, 1.0, 1.0])) == 0.25
    assert share(2.0, np.array([2.0, 1.0, np.inf])) == 0.75
    assert np.isnan(share(2.0, np.array([])))
