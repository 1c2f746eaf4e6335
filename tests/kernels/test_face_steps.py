"""Steps of conjugate gradients on a face: they stay on its rows and end at its minimiser."""

import numpy as np
import pytest

from greedyhull.kernels.polyhedral_products import Rows, face_factor, face_project, face_shift, face_step


def drawn(seed, d=14, m=4):
    """Rows, which coordinates are free, which rows are tight; the first row comes twice, the last one has no free entry."""
    rng = np.random.default_rng(seed)
    A = np.where(rng.random((m, d)) < 0.5, rng.standard_normal((m, d)), 0.0)
    free, tight = (rng.random(d) < 0.7).astype(float), (rng.random(m) < 0.8).astype(float)
    A[-1] *= 1.0 - free
    A, tight = np.vstack([A, A[:1]]), np.concatenate([tight, tight[:1]])
    return rng, A, Rows.of(A), free, tight


@pytest.mark.parametrize("seed", range(10))
def test_projections_leave_what_tight_rows_and_bounds_allow(seed):
    rng, A, rows, free, tight = drawn(seed)
    factor, r, y = np.empty((5, 5)), rng.standard_normal(14), np.zeros(5)
    assert face_factor(*rows, free, tight, factor)
    B, given = (A * free)[tight > 0.0], r.copy()
    square = face_project(*rows, free, tight, factor, r, y)
    assert (r[free == 0.0] == 0.0).all() and (y[tight == 0.0] == 0.0).all()
    np.testing.assert_allclose(B @ r, 0.0, atol=1e-10)
    np.testing.assert_allclose(r, (given - y @ A) * free, atol=1e-10)
    assert square == pytest.approx(r @ r)


@pytest.mark.parametrize("seed", range(10))
def test_as_many_steps_as_there_are_dimensions_end_at_the_minimiser(seed):
    rng, A, rows, free, tight = drawn(seed)
    R = rng.standard_normal((20, 14))
    H, x, factor, y = R.T @ R, np.zeros(14), np.empty((5, 5)), np.zeros(5)
    assert face_factor(*rows, free, tight, factor)
    off = A @ (free * rng.standard_normal(14)) * tight
    face_shift(*rows, free, tight, factor, off, x)
    np.testing.assert_allclose((A @ x - off) * tight, 0.0, atol=1e-10)
    g = H @ x + rng.standard_normal(14)
    c, r = g - H @ x, g.copy()
    square = face_project(*rows, free, tight, factor, r, y)
    p = -r
    for _ in range(30):
        if square > 1e-24:
            square = face_step(*rows, free, tight, factor, H @ p, p, x, g, r, y, square, 0.0)
    np.testing.assert_allclose(g, H @ x + c, atol=1e-9)
    np.testing.assert_allclose((g - y @ A) * free, 0.0, atol=1e-8)
    np.testing.assert_allclose((A @ x - off) * tight, 0.0, atol=1e-10)


def test_where_the_quadratic_is_flat_nothing_moves():
    rows, one = Rows.of(np.zeros((1, 2))), np.ones(2)
    factor, p, x = np.eye(1), np.ones(2), np.zeros(2)
    assert face_step(*rows, one, np.zeros(1), factor, np.zeros(2), p, x, one.copy(), one.copy(), np.zeros(1), 2.0, 0.0) == -1.0
    bend = np.full(2, 1e-9)  # and where it is all but flat
    assert face_step(*rows, one, np.zeros(1), factor, bend, p, x, one.copy(), one.copy(), np.zeros(1), 2.0, 1e-8) == -1.0
    assert x.tolist() == [0.0, 0.0] and p.tolist() == [1.0, 1.0]
