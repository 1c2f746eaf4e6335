"""Loss, slope and curvature of the logistic in one pass, against the formulas, at margins near and far."""

import numpy as np
import pytest
from scipy.special import expit, log1p

from greedyhull.kernels._core import logistic_pieces

FAR = np.array([0.0, 1e-300, 1e-9, 0.5, 1.0, 17.0, 36.0, 37.5, 100.0, 700.0, 745.0, 800.0, 1e5])


def pieces(y, z):
    residual, curvature = np.full_like(z, np.nan), np.full_like(z, np.nan)
    return logistic_pieces(y, z, residual, curvature), residual, curvature


@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_formulas_at_extreme_margins(label):
    z = np.concatenate([FAR, -FAR])
    y = np.full_like(z, label)
    m = y * z
    value, residual, curvature = pieces(y, z)
    terms = np.where(m > 0, log1p(np.exp(-np.abs(m))), log1p(np.exp(-np.abs(m))) - m)
    assert value == pytest.approx(float(terms.sum()), rel=1e-14)
    np.testing.assert_allclose(residual, -y * expit(-m), rtol=1e-14, atol=1e-322)
    np.testing.assert_allclose(curvature, np.exp(-np.abs(m)) / (1 + np.exp(-np.abs(m))) ** 2, rtol=1e-14, atol=1e-322)
    assert np.isfinite(value)


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 64, 1000, 4097])
def test_every_length(n):
    rng = np.random.default_rng(n)
    y, z = np.where(rng.random(n) < 0.4, 1.0, -1.0), 5.0 * rng.standard_normal(n)
    value, residual, curvature = pieces(y, z)
    assert value == pytest.approx(float(np.logaddexp(0.0, -y * z).sum()), rel=1e-13)
    np.testing.assert_allclose(residual, -y * expit(-y * z), rtol=1e-14)
    np.testing.assert_allclose(curvature, expit(y * z) * expit(-y * z), rtol=1e-14)


def test_small_losses_keep_their_digits():
    """Well classified samples add up to a tiny loss: its digits must not drown in 1 + e^{−m} = 1."""
    z = np.linspace(20.0, 60.0, 500)
    value, _, _ = pieces(np.ones(500), z)
    assert value == pytest.approx(float(log1p(np.exp(-z)).sum()), rel=1e-13)


def test_single_precision():
    z = np.concatenate([FAR, -FAR]).astype(np.float32)
    y = np.where(np.arange(len(z)) % 2, 1, -1).astype(np.float32)
    value, residual, curvature = pieces(y, z)
    assert residual.dtype == curvature.dtype == np.float32
    m = (y * z).astype(np.float64)
    assert value == pytest.approx(float(np.logaddexp(0.0, -m).sum()), rel=1e-6)
    np.testing.assert_allclose(residual, -y * expit(-m), rtol=1e-6, atol=1e-44)
    np.testing.assert_allclose(curvature, expit(m) * expit(-m), rtol=1e-5, atol=1e-44)
