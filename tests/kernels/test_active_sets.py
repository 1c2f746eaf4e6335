"""Active sets either lead to the minimum over the simplex, as its conditions prove, or leave everything as it was."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greedyhull.kernels import simplex_qp as active_sets
from greedyhull.kernels.simplex_qp import settle, solve_simplex_qp


def margins(m, ridge, seed=0):
    """The dual of a support-vector machine: a matrix of low rank and a ridge."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, 8))
    y = np.sign(X[:, 0] + 0.5 * rng.standard_normal(m))
    return np.outer(y, y) * (X @ X.T + 1.0) + ridge * np.eye(m)


@pytest.mark.parametrize("ridge", [1.0, 1e-3, 1e-5])
def test_badly_conditioned_duals_are_solved_to_the_last_digits(ridge):
    G = margins(150, ridge)
    alpha = np.full(150, 1 / 150)
    grad = G @ alpha
    assert settle(G, grad, alpha, 1e-15)
    assert (alpha >= 0.0).all() and abs(alpha.sum() - 1.0) < 1e-12
    here = G @ alpha
    assert here @ alpha - here.min() <= 1e-9 * (here @ alpha)  # the Frank-Wolfe gap: how far the minimum can be
    assert np.allclose(grad, here, rtol=1e-9, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 8), st.booleans())
def test_what_settles_is_the_minimum_and_what_does_not_is_left(seed, m, rank, twins):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((rank, m))
    if twins and m > 1:
        Z[:, rng.integers(m, size=m // 2)] = Z[:, rng.integers(m, size=m // 2)]
    G, start = Z.T @ Z, rng.dirichlet(np.ones(m))
    c = rng.standard_normal(m)
    alpha, grad = start.copy(), c.copy()
    if not settle(G, grad, alpha, 1e-10):
        assert (alpha == start).all() and (grad == c).all()
        return
    assert (alpha >= 0.0).all() and abs(alpha.sum() - 1.0) < 1e-9
    here = c + G @ (alpha - start)
    assert here @ alpha - here.min() <= 1e-7 * (1.0 + np.abs(here).max() + np.abs(G).max())


def test_guesses_that_go_round_in_circles_are_given_up(monkeypatch):
    monkeypatch.setattr(active_sets, "_minimum", lambda G, base, positive, pivot: (np.where(positive, -1.0, 1.0), -np.ones(4)))
    alpha = np.full(4, 0.25)
    grad = np.zeros(4)
    assert not settle(np.eye(4), grad, alpha, 0.0)
    assert (alpha == 0.25).all() and (grad == 0.0).all()


def test_numbers_out_of_range_change_nothing():
    alpha, grad = np.full(3, 1 / 3), np.full(3, 1e300)
    with np.errstate(all="ignore"):
        assert not settle(np.full((3, 3), 1e308), grad, alpha, 0.0)
    assert (alpha == 1 / 3).all()


def test_many_weights_of_a_dual_take_few_factorisations(monkeypatch):
    counted, minimum = [], active_sets._minimum
    monkeypatch.setattr(active_sets, "_minimum", lambda *told: counted.append(1) or minimum(*told))
    G = margins(250, 1e-4, seed=3)
    start = np.zeros(250)
    start[0] = 1.0
    alpha = solve_simplex_qp(G, G[0], start, 1e-12)
    here = G @ alpha
    assert here @ alpha - here.min() <= 1e-11 and 0 < len(counted) <= active_sets.MOST_SETS
