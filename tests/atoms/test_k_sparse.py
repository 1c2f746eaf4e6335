"""The K-sparse polytope and the hypersimplex, against all their vertices."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.sparse import identity

import greedyhull as gh
from greedyhull.atoms.sparse_balls import mixed_subsets


def corners(S):
    """All vectors with K entries ±radius."""
    rows = []
    for places in combinations(range(S.shape[0]), S.K):
        for signs in product((-S.radius, S.radius), repeat=S.K):
            rows.append(np.zeros(S.shape[0]))
            rows[-1][list(places)] = signs
    return np.stack(rows)


@pytest.mark.parametrize(("d", "K"), [(4, 2), (4, 1), (4, 4), (1, 1), (5, 3)])
def test_constants_are_those_of_all_vertices(d, K, brute, rng):
    S = gh.KSparse(d, K, 1.5)
    V = corners(S)
    assert S.diameter == pytest.approx(np.sqrt(brute.farthest(V))) and S.circumradius == pytest.approx(S.diameter / 2)
    c, X = rng.random(d), rng.standard_normal((3, d))
    assert S.max_abs(c) == pytest.approx((np.abs(V) @ c).max())
    low, high = S.row_ranges(gh.least_squares(X, np.ones(3)).design)
    np.testing.assert_allclose([low, high], [(X @ V.T).min(axis=1), (X @ V.T).max(axis=1)])


@pytest.mark.parametrize("seed", range(10))
def test_membership_is_that_of_mixtures_of_vertices(seed, rng):
    rng = np.random.default_rng(seed)
    S = gh.KSparse(4, 2, 1.0)
    hull = gh.Vertices(corners(S))
    x = rng.uniform(-1.2, 1.2, 4)
    x *= rng.choice([1.0, 0.999, 1.001]) / (S.gauge(x) if seed % 2 else 1.0)
    assert S.contains(x, 1e-6) == hull.contains(x, 1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_a_point_is_written_in_at_most_d_plus_one_vertices(seed):
    rng = np.random.default_rng(seed)
    d, K = 30, int(rng.integers(1, 31))
    S = gh.KSparse(d, K, 0.7)
    x = rng.standard_normal(d) * (rng.random(d) < 0.6)
    x *= float(rng.choice([1.0, 0.3])) / max(S.gauge(x), 1e-300)
    w = S.decompose(x)
    np.testing.assert_allclose(w.array(), x, atol=1e-13)
    assert len(w) <= d + 1 and all(len(w.block[i].places) <= K for i in range(len(w)))


@pytest.mark.parametrize("shares", [[0.5, 0.5], [1.0, 1.0, 0.0], [1 / 3] * 3, [0.1] * 10, [0.2, 0.9], [1e-17, 1.0]])
def test_subsets_have_the_shares(shares):
    found = mixed_subsets(np.array(shares))
    assert sum(weight for _, weight in found) == pytest.approx(1.0)
    total = np.zeros(len(shares))
    for places, weight in found:
        total[places] += weight
        assert len(places) <= np.ceil(sum(shares) - 1e-9)
    np.testing.assert_allclose(total, shares, atol=1e-15)


def test_large_problems_take_few_rounds():
    """A quadratic in 10 000 coordinates, K = 100: a gap of 1e-7, where plain vertices leave 1e-3 after 1000 rounds."""
    rng = np.random.default_rng(0)
    x = rng.random(10_000)
    f = gh.quadratic(identity(10_000, format="csr"), x / x.sum())
    s = gh.minimize(f, gh.KSparse(10_000, 100, 1.0), stop=gh.Gap(1e-7) | gh.Iterations(300))
    assert s.converged and s.iterations < 50


@pytest.mark.parametrize("seed", range(6))
def test_least_squares_agree_with_rounds_on_vertices(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((20, 12)), 3.0 * rng.standard_normal(20)
    f, S = gh.least_squares(X, y), gh.KSparse(12, int(rng.integers(1, 13)), 0.3)
    s, t = gh.minimize(f, S, stop=gh.Gap(1e-10)), gh.minimize(f, gh.Cached(S), stop=gh.Gap(1e-8))
    assert s.converged and t.converged and S.contains(s.x, 1e-12) and s.iterations < 20
    assert s.value == pytest.approx(t.value, abs=1e-8)
    less = gh.minimize(f, S.rescaled(0.3 - 1e-5), stop=gh.Gap(1e-12))
    assert s.price == pytest.approx((less.value - s.value) / 1e-5, rel=1e-3)


def test_many_atoms_come_from_one_call(rng):
    S, g = gh.KSparse(30, 5, 2.0), rng.standard_normal(30)
    block = S.best(g, 12)
    assert len(block) == 12 and len(set(block.keys)) == 12 and block[0].key == S.argmin(g).key
    scores = block.dots(g)
    assert (np.diff(scores) >= 0).all()
    swaps = sorted(float(np.abs(g[list(places)]).sum()) for places in combinations(range(30), 5))[::-1]
    np.testing.assert_allclose(scores[:3], -2.0 * np.array(swaps[:3]))


def test_ties_and_odd_numbers():
    S = gh.KSparse(4, 2, 1.0)
    assert S.argmin(np.zeros(4)).places.tolist() == [0, 1]
    assert S.argmin(np.array([1.0, -0.0, 0.0, 1.0])).places.tolist() == [0, 3]
    for g in (np.array([1e300, -1e300, 1e299, 0.0]), np.array([5e-324, -5e-324, 0.0, 0.0])):
        assert S.argmin(g).entries.tolist() == [-1.0, 1.0]


def test_the_hypersimplex_scales_with_its_total(rng):
    f = gh.least_squares(rng.standard_normal((9, 6)), rng.standard_normal(9))
    s = gh.minimize(f, gh.HyperSimplex(6, 3, 2.0), stop=gh.Gap(1e-12))
    more = gh.minimize(f, gh.HyperSimplex(6, 3, 2.0 + 1e-5), stop=gh.Gap(1e-12))
    assert s.price == pytest.approx((s.value - more.value) / 1e-5, rel=1e-3) and s.x.max() <= 2.0 / 3 + 1e-12
    assert gh.HyperSimplex(4, 4).diameter == 0.0
    assert gh.HyperSimplex(6, 2, 3.0).diameter == pytest.approx(3.0)


@pytest.mark.parametrize(("make", "said"), [
    (lambda: gh.KSparse(3, 4, 1.0), "from 1 to 3"), (lambda: gh.KSparse(3, 0, 1.0), "from 1 to 3"),
    (lambda: gh.KSparse(3, 1.5, 1.0), "whole number"), (lambda: gh.KSparse(3, True, 1.0), "whole number"),
    (lambda: gh.KSparse(0, 1, 1.0), "dimension"), (lambda: gh.KSparse(3, 1, -1.0), "radius"),
    (lambda: gh.KSparse(3, 1, np.nan), "radius"), (lambda: gh.HyperSimplex(3, 4), "from 1 to 3"),
    (lambda: gh.HyperSimplex(3, 2, 0.0), "total"), (lambda: gh.KSupport(3, 4, 1.0), "from 1 to 3"),
    (lambda: gh.KSupport(3, 2, 0.0), "radius"),
])
def test_bad_input(make, said):
    with pytest.raises(gh.GreedyhullError, match=said):
        make()
