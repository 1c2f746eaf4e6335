"""Frames: coordinates along a few directions, read and written."""

import numpy as np
import pytest

from greedyhull.points.direction import Span, Units


def frames(rng):
    span = Span(np.zeros((0, 6)))
    for row in rng.standard_normal((3, 6)):
        span = span.beside(row)
    return [Units(6, np.array([4, 1, 2])), span]


def test_what_is_written_is_read_and_the_rest_stays(rng):
    for frame in frames(rng):
        x, y = rng.standard_normal(6), rng.standard_normal(3)
        before = x.copy()
        frame.write(x, y)
        np.testing.assert_allclose(frame.read(x), y, atol=1e-14)
        change, directions = x - before, np.stack([frame.block[i].dot(np.eye(6)[j]) for i in range(3) for j in range(6)])
        directions = directions.reshape(3, 6)
        np.testing.assert_allclose(change - (directions @ change) @ directions, 0.0, atol=1e-14)


def test_a_span_is_orthonormal_whatever_joins(rng):
    span = Span(np.zeros((0, 50)))
    base = rng.standard_normal(50)
    for k in range(30):
        span = span.beside(10.0 ** (10.0 * k - 150.0) * (base + 1e-6 * rng.standard_normal(50)))
    assert len(span) == 30
    np.testing.assert_allclose(span.rows @ span.rows.T, np.eye(30), atol=1e-13)


@pytest.mark.parametrize("v", [np.zeros(4), np.full(4, np.nan), np.array([np.inf, 0.0, 0.0, 0.0]), -3e-200 * np.ones(4)])
def test_what_adds_no_direction_is_left_out(v):
    assert len(Span(np.full((1, 4), 0.5)).beside(v)) == 1
