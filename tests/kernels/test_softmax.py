"""Terms, slopes and probabilities of several classes in one pass, against formulas in more digits."""

import numpy as np
import pytest

from greedyhull.kernels._core import softmax_pieces


def pieces(labels, z, b):
    terms, slopes, s = np.full(len(z), np.nan), np.full_like(z, np.nan), np.full_like(z, np.nan)
    softmax_pieces(labels, z, b, terms, slopes, s)
    return terms, slopes, s


def in_more_digits(labels, z, b):
    """The same from differences with the score of the label, in the longest floats that there are."""
    rows, off = np.arange(len(z)), np.asarray(z, dtype=np.longdouble) + b
    off = off - off[rows, labels][:, None]
    top = np.maximum(off.max(axis=1), 0.0)
    others = np.exp(off - top[:, None])
    others[rows, labels] = 0.0
    rest, own = others.sum(axis=1), np.exp(-top)
    s = others / (rest + own)[:, None]
    slopes = s.copy()
    s[rows, labels], slopes[rows, labels] = own / (rest + own), -rest / (rest + own)
    return np.where(top == 0.0, np.log1p(rest), top + np.log(rest + own)), slopes, s


@pytest.mark.parametrize("n, c", [(1, 2), (3, 3), (63, 4), (64, 5), (65, 10), (300, 7)])
@pytest.mark.parametrize("size", [1e-20, 1.0, 40.0, 600.0])
def test_formulas(n, c, size):
    rng = np.random.default_rng(n)
    z, b, labels = size * rng.standard_normal((n, c)), rng.standard_normal(c), rng.integers(0, c, n)
    for found, wanted in zip(pieces(labels, z, b), in_more_digits(labels, z, b), strict=True):
        np.testing.assert_allclose(found, wanted.astype(np.float64), rtol=4e-13, atol=1e-300)


def test_what_is_small_keeps_its_digits():
    """A row of the right class for certain: its term and its slopes are 1e-20 to many digits, not 0."""
    z = np.array([[50.0, 0.0, 0.0], [0.0, 0.0, 60.0]])
    terms, slopes, s = pieces(np.array([0, 2]), z, np.zeros(3))
    np.testing.assert_allclose(terms, 2.0 * np.exp([-50.0, -60.0]), rtol=1e-14)
    np.testing.assert_allclose([slopes[0, 0], slopes[1, 2]], -2.0 * np.exp([-50.0, -60.0]), rtol=1e-14)
    np.testing.assert_allclose(slopes.sum(axis=1), 0.0, atol=1e-36)
    assert s[0, 0] == s[1, 2] == 1.0


@pytest.mark.parametrize("size", [1e8, 1e300])
def test_scores_that_are_huge(size):
    z = size * np.array([[1.0, -1.0], [-1.0, 1.0], [0.0, 0.0]])
    terms, slopes, _ = pieces(np.array([0, 0, 1]), z, np.zeros(2))
    np.testing.assert_allclose(terms, [0.0, 2.0 * size, np.log(2.0)], rtol=1e-15, atol=1e-300)
    np.testing.assert_allclose(slopes, [[0.0, 0.0], [-1.0, 1.0], [0.5, -0.5]], atol=1e-300)


def test_single_precision_is_computed_in_double():
    rng = np.random.default_rng(0)
    z, b, labels = (9.0 * rng.standard_normal((50, 4))).astype(np.float32), rng.standard_normal(4), rng.integers(0, 4, 50)
    found, wanted = pieces(labels, z, b), in_more_digits(labels, z, b)
    assert found[1].dtype == found[2].dtype == np.float32
    np.testing.assert_allclose(found[0], wanted[0].astype(np.float64), rtol=1e-13)
    np.testing.assert_allclose(found[1], wanted[1].astype(np.float32), rtol=2e-7)


def test_many_rows_have_the_bits_of_few():
    """Large passes are shared among threads."""
    rng = np.random.default_rng(1)
    z, labels = rng.standard_normal((40_000, 6)), rng.integers(0, 6, 40_000)
    whole, some = pieces(labels, z, np.zeros(6)), slice(12_800, 12_864)
    for a, b in zip(whole, pieces(labels[some], z[some], np.zeros(6)), strict=True):
        np.testing.assert_array_equal(a[some], b)


def test_arrays_that_do_not_fit_are_refused():
    z = np.zeros((2, 3))
    for labels, b in [(np.array([0, 3]), np.zeros(3)), (np.array([0, -1]), np.zeros(3)), (np.array([0]), np.zeros(3)),
                      (np.array([0, 1]), np.zeros(2))]:
        with pytest.raises(ValueError):
            softmax_pieces(labels, z, b, np.zeros(2), np.zeros((2, 3)), np.zeros((2, 3)))
