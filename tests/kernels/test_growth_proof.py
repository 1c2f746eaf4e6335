"""The random proof of a norm: it fails no more often than it says, a warm start breaks it, rounding counts."""

import numpy as np
import pytest
from proof_failures import DELTA, failures

from greedyhull.kernels.singular import NEVER, component, grown, limit_of_steps, steps_to_prove

rng = np.random.default_rng(4)


def proved(values, z, mu, limit, delta=1e-3, off=1e-15):
    s = component(len(z), delta)
    return grown(lambda y: values * y, off, z, mu, limit, s, steps_to_prove(mu, limit, s)).proved


def test_false_bounds_are_accepted_no_more_often_than_promised():
    wrong, runs = failures(1200)
    assert 0 < wrong <= DELTA * runs  # it is near enough to what is promised to be seen


def test_true_bounds_are_proved():
    for n in (1, 2, 3, 50):
        values = np.linspace(0.0, 1.0, n + 1)[1:]
        assert all(proved(values, rng.standard_normal(n), 1.0, limit) for limit in (1.0001, 1.01, 2.0, 100.0))


def test_a_warm_start_proves_nothing():
    """The old top vector is orthogonal to the new one: the same proof, from there, accepts a bound that is false."""
    values, z = np.r_[1.0, np.linspace(0.1, 0.5, 59)], rng.standard_normal(60)
    assert not proved(values, z, 0.55, 0.6)
    z[0] = 0.0
    assert proved(values, z, 0.55, 0.6)


def test_products_that_are_off_prove_nothing():
    values, z = np.linspace(0.0, 1.0, 30), rng.standard_normal(30)
    assert proved(values, z, 1.0, 1.01, off=1e-12) and not proved(values, z, 1.0, 1.01, off=1e-4)


def test_noise_within_the_bound_proves_no_false_limit():
    """Products are off by as much as is said, so as to hide the top direction as well as they can."""
    values, off, n = np.r_[1.0, np.zeros(39)], 1e-7, 40
    s = component(n, 0.2)
    z = rng.standard_normal(n)
    z[0] = 1.05 * s * np.linalg.norm(z)  # hardly above what is relied on

    def hiding(y):
        t = values * y
        t[0] -= np.sign(y[0]) * min(off * np.linalg.norm(y), abs(t[0]))
        return t

    for mu in (0.7, 0.9, 0.99):
        assert not grown(hiding, off, z, mu, 1.0 - 1e-12, s, steps_to_prove(mu, 1.0, s)).proved


def test_a_guess_that_is_far_too_low_ends_with_the_top_direction():
    found = grown(lambda y: np.array([1e6, 1.0, 0.5]) * y, 1e-15, rng.standard_normal(3), 1.0, 1.01, 1e-3, 600)
    assert not found.proved and abs(found.last[0]) == pytest.approx(np.linalg.norm(found.last))


def test_limits_that_are_too_near_are_not_tried():
    assert steps_to_prove(1.0, 1.0 + 1e-9, 1e-3) == NEVER
    assert not proved(np.ones(3), rng.standard_normal(3), 1.0, 1.0 + 1e-9)
    for q in (1, 20, 600):
        assert steps_to_prove(1.0, limit_of_steps(1.0, q, 1e-4), 1e-4) <= q + 1
