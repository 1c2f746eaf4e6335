"""A start inside the domain: few atoms where they will do, all of them where they will not."""

from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull.atoms.generator import generator

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
