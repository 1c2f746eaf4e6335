"""Fewer atoms for the same point: weights of each owner still sum to one, and the quadratic does not rise."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.kernels.simplex_qp import caratheodory_reduction, solve_product_qp


def problem(seed, sizes, rank):
    """A quadratic of low rank and weights on all atoms; of every third seed the gradient sees no more than the rank."""
    rng = np.random.default_rng(seed)
    owners = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    Z = rng.standard_normal((rank, len(owners)))
    start = rng.random(len(owners)) + 0.01
    start /= np.bincount(owners, weights=start)[owners]
    c = rng.standard_normal(len(owners)) if seed % 3 else Z.T @ rng.standard_normal(rank)
    return Z, c, start, owners


@pytest.mark.parametrize("sizes", [[60], [40, 30], [1, 50, 2], [5] * 12], ids=str)
@pytest.mark.parametrize("seed", range(9))
def test_as_many_atoms_stay_as_the_rank_and_the_owners_ask_for(seed, sizes):
    rank = 1 + seed
    Z, c, start, owners = problem(seed, sizes, rank)
    alpha = start.copy()
    assert caratheodory_reduction(Z.T @ Z, c, alpha, owners, len(alpha))
    assert (alpha >= 0.0).all()
    np.testing.assert_allclose(np.bincount(owners, weights=alpha), 1.0, atol=1e-12)
    assert np.count_nonzero(alpha) <= rank + len(sizes)
    moved = alpha - start
    assert c @ moved + 0.5 * (Z @ moved) @ (Z @ moved) <= 1e-10
    if seed % 3 == 0:  # the quadratic is constant along every line, so that the point stays
        np.testing.assert_allclose(Z @ alpha, Z @ start, atol=1e-9)


def test_nothing_is_done_where_atoms_are_independent_or_the_rank_is_large():
    Z, c, start, owners = problem(1, [6, 5], 30)
    for most in (11, 3):
        alpha = start.copy()
        assert not caratheodory_reduction(Z.T @ Z, c, alpha, owners, most)
        np.testing.assert_array_equal(alpha, start)
    Z, c, start, owners = problem(1, [40, 30], 9)
    assert not caratheodory_reduction(Z.T @ Z, c, start.copy(), owners, 8)


def test_numbers_beyond_the_range_change_nothing():
    Z, c, start, owners = problem(2, [8, 9], 3)
    for scale in (1e200, np.nan, np.inf):
        alpha = start.copy()
        with np.errstate(all="ignore"):
            caratheodory_reduction((Z.T @ Z) * scale * scale, c, alpha, owners, 17)
        assert np.isfinite(alpha).all() and (alpha >= 0.0).all()


@pytest.mark.parametrize("tol", [1e-3, 1e-8, 1e-12])
def test_a_product_of_large_simplices_is_solved_in_few_atoms(tol):
    """An optimum inside the hull has weight on all atoms, as interior steps find it; few are enough."""
    rng = np.random.default_rng(4)
    owners = np.repeat([0, 1], 300)
    Z = np.sign(rng.standard_normal((9, 600)))
    start = np.zeros(600)
    start[[0, 300]] = 1.0
    c = Z.T @ (Z @ start - 0.1 * rng.standard_normal(9))
    alpha = solve_product_qp(Z.T @ Z, c, start, tol, owners)
    assert np.count_nonzero(alpha) <= 11
    grad = c + Z.T @ (Z @ (alpha - start))
    assert sum(alpha[owners == b] @ (grad[owners == b] - grad[owners == b].min()) for b in (0, 1)) <= tol + 1e-11


def test_a_sum_of_cubes_keeps_no_more_atoms_than_it_has_dimensions():
    """Of 2¹³ corners each: without thinning, thousands of them stayed and each round cost their square."""
    rng = np.random.default_rng(5)
    d, kept = 13, []
    f = gh.quadratic(np.diag(rng.random(d) + 0.01) + np.outer(v := rng.standard_normal(d), v), 0.01 * rng.standard_normal(d))
    S = gh.Product(gh.Sum(gh.LinfBall(d, 200.0), gh.Scaled(gh.LinfBall(d, 200.0), 1.0)))
    solution = gh.minimize(f, S, stop=gh.Relative(1e-14) | gh.Stalled(10) | gh.Iterations(9),
                           watch=lambda event: kept.append(len(event.point)))
    assert max(kept) <= 60
    assert solution.gap <= 1e-4
