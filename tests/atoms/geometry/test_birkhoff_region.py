"""`Corrective` over doubly stochastic matrices, all entries together."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import greedyhull as gh
from greedyhull.atoms.combinatorial import birkhoff_region
from greedyhull.points.direction import Units


@pytest.mark.parametrize("n", [1, 2, 6, 10])
def test_projections_take_a_few_rounds_and_have_the_potentials_that_prove_them(n):
    C = 2.0 * np.random.default_rng(n).standard_normal((n, n))
    f = gh.function(lambda W: 0.5 * ((W - C) ** 2).sum(), lambda W: W - C, (n, n), hessian_product=lambda W, V: V)
    S = gh.Birkhoff(n)
    s = gh.minimize(f, S, stop=gh.Gap(1e-9) | gh.Iterations(20))
    assert s.converged and S.contains(s.x, 1e-12)
    near = birkhoff_region(n).nearest(C.ravel()).reshape(n, n)
    np.testing.assert_allclose(near, s.x, atol=1e-4)
    rows, columns = linear_sum_assignment(near - C)
    assert ((near - C) * near).sum() - (near - C)[rows, columns].sum() <= 1e-7 * n


def test_a_matching_relaxation_from_any_start_and_its_permutations():
    rng = np.random.default_rng(0)
    n = 7
    A, B = (M + M.T for M in rng.random((2, n, n)))
    K = (np.kron(A, np.eye(n)) - np.kron(np.eye(n), B.T))
    f = gh.function(lambda W: 0.5 * float(((A @ W - W @ B) ** 2).sum()), lambda W: (K.T @ (K @ W.ravel())).reshape(n, n),
                    (n, n), hessian_product=lambda W, V: (K.T @ (K @ V.ravel())).reshape(n, n))
    S = gh.Birkhoff(n)
    s = gh.minimize(f, S, stop=gh.Gap(1e-8) | gh.Iterations(40))
    t = gh.minimize(f, S, start=np.eye(n), stop=gh.Gap(1e-8) | gh.Iterations(40))
    assert s.converged and t.converged and t.value == pytest.approx(s.value, abs=2e-8)
    assert (s.point.weights > 0.0).all() and s.point.weights.sum() == pytest.approx(1.0)


def test_gap_and_slope_are_those_of_all_entries_in_any_order():
    rng = np.random.default_rng(1)
    n = 4
    order = rng.permutation(n * n)
    section = birkhoff_region(n).section(Units(n * n, order), np.full(n * n, 0.25))
    grad, target = rng.standard_normal(n * n), np.eye(n).ravel()
    rows, columns = linear_sum_assignment(grad.reshape(n, n))
    least = grad.reshape(n, n)[rows, columns].sum()
    assert section.gap(grad[order], np.full(n * n, 0.25)) == pytest.approx(0.25 * grad.sum() - least)
    assert section.slope(grad[order], np.full(n * n, 0.25), target[order]) == pytest.approx(grad @ (target - 0.25))


def test_larger_ones_go_within_faces_unless_few_atoms_are_enough():
    assert gh.Birkhoff(101).traits.region is None and gh.Birkhoff(100).traits.region is not None
    S, few = gh.Birkhoff(101), gh.least_squares(np.eye(3, 101 * 101), np.ones(3))
    f = gh.function(lambda W: 0.5 * (W**2).sum(), lambda W: W, (101, 101), hessian_product=lambda W, V: V)
    assert isinstance(gh.minimize(f, S, stop=gh.Iterations(1)).solver, gh.DecompositionInvariant)
    assert isinstance(gh.minimize(few, gh.Product(S), stop=gh.Iterations(1)).solver, gh.Corrective)


@pytest.mark.parametrize("c", [2.0, -1.0])
def test_multiples_are_solved_in_coordinates_too(c):
    rng = np.random.default_rng(2)
    target = rng.standard_normal((5, 5))
    f, g = (gh.function(lambda W, C=C: 0.5 * ((W - C) ** 2).sum(), lambda W, C=C: W - C, (5, 5),
                        hessian_product=lambda W, V: V) for C in (target, target / c))
    S = gh.Birkhoff(5)
    s, t = gh.minimize(f, gh.Scaled(S, c), stop=gh.Gap(1e-10)), gh.minimize(g, S, stop=gh.Gap(1e-10))
    assert s.converged and t.converged and gh.Scaled(S, c).traits.region is not None
    np.testing.assert_allclose(s.x, c * t.x, atol=1e-4)
