"""Linear models of matrices: whether f falls between two points is decided where their values differ by rounding alone."""

from fractions import Fraction

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.extend import Iterate
from greedyhull.points.shapes import RankOneBlock

rng = np.random.default_rng(2)
I, J = np.divmod(rng.permutation(40)[:30], 8)
V = 100.0 * rng.standard_normal(30)


def point(factors, radius):
    U, s, T = factors
    weights = np.append(s / radius, 1.0 - s.sum() / radius)
    zero = RankOneBlock(np.eye(1, 5), np.eye(1, 8), np.zeros(1))
    return Iterate(RankOneBlock(U.T, T.T, np.full(len(s), radius)).extend(zero), weights, (5, 8))


def exact_value(w):
    """½ Σ (W_ij − v)², in rational numbers, at the point that the atoms and weights are."""
    block = w.block
    parts = [(Fraction(float(c)) * Fraction(float(k)), u, v)
             for c, k, u, v in zip(w.weights, block.scales, block.U, block.V, strict=True)]
    total = Fraction(0)
    for i, j, v in zip(I, J, V, strict=True):
        z = sum((c * Fraction(float(u[i])) * Fraction(float(t[j])) for c, u, t in parts), Fraction(0))
        total += (z - Fraction(float(v))) ** 2 / 2
    return total


@pytest.mark.parametrize("step", [1e-1, 1e-4, 1e-8, 1e-11, 1e-13, 1e-15])
def test_no_fall_is_claimed_that_is_none(step):
    f, S = gh.completion(I, J, V, (5, 8)), gh.NuclearBall((5, 8), 50.0)
    found = 0
    for seed in range(6):
        r = np.random.default_rng(seed)
        U, s, T = np.linalg.svd(r.standard_normal((5, 8)), full_matrices=False)
        s = s * 10.0 / s.sum()
        w = point((U[:, :3], s[:3], T[:3].T), 50.0)
        target = point((U[:, :3], s[:3] * (1.0 + step * r.standard_normal(3)), T[:3].T), 50.0)
        falls = exact_value(target) < exact_value(w)
        assert falls or not f.surely_falls(w, target, S)
        found += f.surely_falls(w, target, S)
    assert found or step < 1e-12  # it is not blind


def test_it_sees_what_values_cannot_show():
    """A fall that is below the allowances of both values by far."""
    n = 4000
    i, j = np.divmod(np.arange(n), 50)
    v = rng.standard_normal(n)
    f, S = gh.completion(i, j, v, (80, 50)), gh.NuclearBall((80, 50), 5.0)
    w = gh.minimize(f, S, stop=gh.Relative(1e-4)).point
    U, s, T = w.factors()
    t = S.decompose((U * s) @ T.T * (1.0 - 1e-9))
    back, forth = (t, w) if f.value(t) > f.value(w) else (w, t)
    allowance = f.rounding(back, S) + f.rounding(forth, S)
    assert f.value(back) - f.value(forth) < 1e3 * allowance
    assert f.surely_falls(back, forth, S) and not f.surely_falls(forth, back, S)


def test_other_losses_and_equal_points_do_not_fall():
    S = gh.NuclearBall((5, 8), 50.0)
    w = S.decompose(np.ones((5, 8)))
    assert not gh.completion(I, J, np.sign(V), (5, 8), loss="logistic").surely_falls(w, w.copy(), S)
    assert not gh.completion(I, J, V, (5, 8)).surely_falls(w, w.copy(), S)
