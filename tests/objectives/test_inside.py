"""A start inside the domain: few atoms where they will do, all of them where they will not; and where nobody need look."""

from itertools import product
from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull.atoms.base import generator
from greedyhull.objectives.composite import finite_on
from greedyhull.points.iterate import Iterate

Array = np.ndarray[Any, Any]


def start(P: Array, S: gh.Simplex) -> Any:
    return gh.log_likelihood(P).start(S, generator(S, 0))


def grid(n: int, m: int) -> Array:
    x = np.random.default_rng(0).standard_normal(n)
    return np.asarray(np.exp(-0.5 * (x[:, None] - np.linspace(-4.0, 4.0, m)) ** 2))


def test_few_atoms_of_many_are_enough() -> None:
    P, S = grid(500, 400), gh.Simplex(400)
    w = start(P, S)
    assert len(w) <= 64 and np.isclose(w.array().sum(), 1.0)
    f = gh.log_likelihood(P)
    assert f.value(w) <= f.value(S.centre()) + 1.0


def test_rows_that_few_atoms_miss_keep_the_centre() -> None:
    """Each row is likely under one column alone."""
    S = gh.Simplex(200)
    assert len(start(np.eye(200), S)) == 200
    s = gh.minimize(gh.log_likelihood(np.eye(200)), S, stop=gh.Gap(1e-9))
    assert s.converged and np.allclose(s.x, 1.0 / 200)


def test_the_optimum_is_the_same_in_any_order_of_columns() -> None:
    P, order = grid(300, 256), np.random.default_rng(1).permutation(256)
    one, other = (gh.minimize(gh.log_likelihood(Q), gh.Simplex(256), stop=gh.Gap(1e-8)) for Q in (P, P[:, order]))
    assert one.converged and other.converged
    assert one.certificate.lower <= other.value and other.certificate.lower <= one.value


def test_scales_of_the_likelihood_do_not_matter() -> None:
    P = grid(200, 256)
    rows = 10.0 ** np.random.default_rng(2).integers(-200, 150, 200)
    s, scaled = (gh.minimize(gh.log_likelihood(Q), gh.Simplex(256), stop=gh.Gap(1e-7)) for Q in (P, rows[:, None] * P))
    assert s.converged and scaled.converged
    assert abs(scaled.value + np.log(rows).mean() - s.value) <= s.gap + scaled.gap + 1e-9


def test_what_sizes_tell_to_be_finite_is_finite_everywhere() -> None:
    """At all atoms, at the centre and at zero, for data of any scale."""
    rng, told = np.random.default_rng(0), 0
    for power in (-200, -100, 0, 60, 100, 120, 140, 149):
        for weights in (None, np.array([1e-300, 1.0, 1e300, 5.0])):
            X, y = 10.0**power * rng.standard_normal((4, 3)), 10.0 ** rng.integers(-150, 150) * rng.standard_normal(4)
            for intercept in (False, True):
                models = (gh.least_squares(X, y, sample_weight=weights, intercept=intercept),
                          gh.huber(X, y, delta=10.0 ** rng.integers(-9, 9), sample_weight=weights, intercept=intercept),
                          gh.logistic(X, [0, 1, 1, 0], sample_weight=weights, intercept=intercept))
                for f, S in product(models, (gh.Simplex(3, total=10.0 ** rng.integers(-20, 20)), gh.L1Ball(3, radius=2.0),
                                             gh.L2Ball(3, 1e10))):
                    if finite_on(f, S):
                        told += 1
                        assert finite_there(f, S)
    assert told > 150


def test_what_sizes_tell_of_a_quadratic_is_so() -> None:
    rng, told = np.random.default_rng(0), 0
    for power in (-300, -100, 0, 60, 100, 140, 149):
        A, b = rng.standard_normal((3, 3)), 10.0 ** rng.integers(-150, 150) * rng.standard_normal(3)
        with np.errstate(all="ignore"):
            f = gh.quadratic(10.0**power * (A @ A.T + np.eye(3)), b)
        for S in (gh.Simplex(3, total=10.0 ** rng.integers(-20, 100)), gh.L1Ball(3, radius=2.0), gh.L2Ball(3, 1e10)):
            if f.finite_on(S):
                told += 1
                assert finite_there(f, S)
    assert told > 10
    assert not gh.quadratic(np.eye(3)).finite_on(gh.oracle(lambda g: np.eye(3)[g.argmin()], 3))


def finite_there(f, S):
    """Whether value and gradient are finite at atoms and at the centre."""
    points = [Iterate.at(S.atom(g), S.shape) for g in (*np.eye(3), *-np.eye(3))] + [S.centre()]
    return all(np.isfinite(f.value(w)) and np.isfinite(f.gradient(w)).all() for w in points)


def test_sizes_tell_nothing_of_other_losses_other_types_and_users_sets() -> None:
    X, y, S = np.eye(3), np.array([1.0, 0.0, 1.0]), gh.Simplex(3)
    assert finite_on(gh.least_squares(X, y), S)
    others = [gh.poisson(X, y), gh.lp_loss(X, y, 3.0), gh.least_squares(X.astype(np.float32), y), gh.least_squares(X, 0.0 * y)]
    assert not any(finite_on(f, S) for f in others)
    assert not finite_on(gh.least_squares(X, y), gh.oracle(lambda g: np.eye(3)[g.argmin()], 3))
    with np.errstate(all="ignore"):
        assert not finite_on(gh.least_squares(X, 1e200 * y), S)


def test_a_start_that_nobody_looked_at_is_counted_and_traced_like_one_that_was_seen() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((40, 12)), rng.standard_normal(40)
    for S in (gh.Simplex(12), gh.L1Ball(12, radius=0.5)):
        for f in (gh.least_squares(X, y), gh.least_squares(X, y, intercept=True), gh.huber(X, y),
                  gh.huber(X, y, intercept=True), gh.logistic(X, y > 0.0), gh.logistic(X, y > 0.0, intercept=True),
                  gh.quadratic(X.T @ X, X.T @ y)):
            alone, watched = gh.minimize(f, S), gh.minimize(f, S, watch=lambda event: None)
            first = f.value(Iterate.at(S.start(generator(S, 0)), S.shape))
            for column in ("value", "products", "gradient_calls", "oracle_calls"):
                assert np.allclose(alone.trace[column], watched.trace[column], rtol=1e-12, atol=0.0)
            assert np.isclose(alone.trace.value[0], first, rtol=1e-12, atol=0.0)
