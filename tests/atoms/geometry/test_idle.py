"""Quadratics whose minimum lies deep inside a nuclear ball, against least squares."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.atoms.matrix_descent import unconstrained
from greedyhull.kernels.matrix_models import EntryEquations, NormalEquations

rng = np.random.default_rng(155)


def responses(n, d, c):
    X = rng.standard_normal((n, d))
    Y = X @ rng.standard_normal((d, 1)) @ rng.standard_normal((1, c)) + 0.1 * rng.standard_normal((n, c))
    return X, Y, np.linalg.lstsq(X, Y, rcond=None)[0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n, d, c", [(30, 6, 4), (20, 50, 30), (60, 40, 30), (170, 150, 140)])
@pytest.mark.parametrize("times", [2.0, 1e2, 1e4])
def test_least_squares_are_found_at_once(n, d, c, times, dtype):
    """It took thousands of rounds for a radius that is 10⁴ times too large."""
    X, Y, W = responses(n, d, c)
    X = X.astype(dtype)
    if dtype == np.float32:
        W = np.linalg.lstsq(X.astype(float), Y, rcond=None)[0]
    radius = times * np.linalg.norm(W, "nuc")
    s = gh.minimize(gh.multitask(X, Y), gh.NuclearBall((d, c), radius), stop=gh.Relative(1e-7) | gh.Iterations(8))
    least = 0.5 / n * float(((X @ W - Y) ** 2).sum())
    assert s.converged and s.value - least <= s.gap and s.certificate.lower <= least * (1 + 1e-9) + 1e-15


def test_a_run_ends_where_the_radius_times_rounding_is_all_of_the_gap():
    X, Y, W = responses(30, 6, 4)
    s = gh.minimize(gh.multitask(X, Y), gh.NuclearBall((6, 4), 1e7 * np.linalg.norm(W, "nuc")),
                    stop=gh.Relative(1e-9) | gh.Iterations(200))
    least = 1 / 60 * float(((X @ W - Y) ** 2).sum())
    assert not s.converged and s.iterations < 60 and "ounding" in s.reason
    assert s.value == pytest.approx(least, rel=1e-9) and s.value - least <= s.gap


@pytest.mark.parametrize("shape, share", [((12, 9), 0.5), ((60, 40), 0.4), ((60, 40), 0.1), ((170, 150), 0.1)])
@pytest.mark.parametrize("loss", ["squared", "huber", "logistic"])
def test_completions_in_a_far_too_large_ball_come_near_zero(shape, share, loss):
    M = rng.standard_normal((shape[0], 3)) @ rng.standard_normal((3, shape[1]))
    i, j = np.divmod(np.flatnonzero(rng.random(M.size) < share), shape[1])
    f = gh.completion(i, j, np.sign(M[i, j]) if loss == "logistic" else M[i, j], shape, loss=loss)
    s = gh.minimize(f, gh.NuclearBall(shape, 1e4 * np.linalg.norm(M, "nuc")), stop=gh.Relative(1e-8) | gh.Iterations(20))
    assert s.converged and s.value <= s.gap  # zero is the least a loss can be, so that the value is a gap


def test_directions_without_curvature_stay():
    K, B = np.diag([2.0, 0.0]), np.array([[4.0], [0.0]])
    x = np.array([[0.0], [7.0]])
    found = unconstrained(NormalEquations(lambda dtype: K.astype(dtype), B), lambda W: K @ W - B, x, 100.0)
    assert found.ravel().tolist() == [2.0, 7.0]
    H, B = np.array([[1.0, 0.0]]), np.array([[3.0, 0.0]])
    found = unconstrained(EntryEquations(lambda dtype: (H.astype(dtype), B.astype(dtype))), lambda W: H * W - B,
                          np.array([[0.0, 5.0]]), 100.0)
    assert found.tolist() == [[3.0, 5.0]]


def test_a_step_that_leads_nowhere_is_not_made():
    K, B = np.eye(2), np.ones((2, 1))
    x = np.zeros((2, 1))
    assert unconstrained(NormalEquations(lambda dtype: K.astype(dtype), B), lambda W: np.ones((2, 1)), x, 1.0) is x
    assert unconstrained(NormalEquations(lambda dtype: 0.0 * K.astype(dtype), B), lambda W: -B, x, 1.0) is x
