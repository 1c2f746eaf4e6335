"""The simplex with upper bounds, against linear programs and all its vertices."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greedyhull import Gap, GreedyhullError, Iterations, Relative, log_likelihood, minimize, quadratic
from greedyhull.atoms.simplex import Simplex
from greedyhull.testing import check_atoms

UNEVEN = [0.1, 0.5, 0.3, 0.3, 0.0]


def vertices_of(S):
    """Every order of filling gives a vertex, and every vertex has an order."""
    found = {}
    for order in permutations(range(S.shape[0])):
        left, v = S.total, np.zeros(S.shape[0])
        for j in order:
            v[j] = min(left, float(np.broadcast_to(S.upper, S.shape)[j]))
            left -= v[j]
        found[tuple(np.round(v, 12))] = v
    return np.stack(list(found.values()))


SETS = [Simplex(5, upper=0.3), Simplex(5, upper=UNEVEN), Simplex(4, upper=0.25), Simplex(4, 2.0, upper=3.0),
        Simplex(5, upper=0.5), Simplex(4, 1e9, upper=4e8), Simplex(1, 2.0, upper=2.0)]


@pytest.mark.parametrize("S", SETS, ids=repr)
def test_keeps_its_promises(S, brute):
    minimum = lambda g: brute.linear_minimum(g, A_eq=np.ones((1, S.shape[0])), b_eq=[S.total],
                                             bounds=[(0, u) for u in np.broadcast_to(S.upper, S.shape)])
    if S.total < 1e6:
        for seed in range(10):
            g = np.random.default_rng(seed).standard_normal(S.shape)
            assert S.argmin(g).dot(g) == pytest.approx(minimum(g))
    if S.diameter > 0:
        check_atoms(S, vertices=vertices_of(S), trials=6)


@pytest.mark.parametrize("S", SETS, ids=repr)
def test_constants(S, brute, rng):
    V = vertices_of(S)
    D, r = S.sizes()
    d = S.shape[0]
    B = rng.standard_normal((d, d))
    M, most = quadratic(B @ B.T).curvature(S), brute.farthest(V, B @ B.T)
    scale = S.total
    if D.status == "exact":
        assert float(D) == pytest.approx(np.sqrt(brute.farthest(V)), abs=1e-7 * scale)
        assert float(r) == pytest.approx(brute.enclosing(V), abs=1e-5 * scale)
    else:
        assert float(D) >= np.sqrt(brute.farthest(V)) and float(r) >= brute.enclosing(V) * (1 - 1e-5) and float(r) <= float(D)
    assert float(M) >= most * (1 - 1e-9) and float(M) <= scale**2 * 4 * np.linalg.norm(B @ B.T, 2)
    c = rng.random(d)
    assert S.max_abs(c) == pytest.approx((V @ c).max())


@settings(max_examples=60, deadline=None)
@given(g=st.lists(st.sampled_from([0.0, 1.0, -1.0, 2.0, 1e-300, -1e300]), min_size=2, max_size=6), upper=st.floats(0.5, 1.5),
       seed=st.integers(0, 5))
def test_ties_and_odd_scales(g, upper, seed):
    g, d = np.array(g), len(g)
    bounds = np.random.default_rng(seed).random(d) * upper
    bounds[0] += max(0.0, 1.0 - bounds.sum())
    S = Simplex(d, upper=bounds)
    x = np.zeros(d)
    S.argmin(g).add_to(x, 1.0)
    assert S.contains(x) and (x >= 0).all() and (x <= bounds).all() and x.sum() == pytest.approx(1.0, abs=1e-12)
    left, least = 1.0, 0.0
    for j in np.argsort(g, kind="stable"):
        least, left = least + min(left, bounds[j]) * g[j], max(0.0, left - bounds[j])
    assert S.argmin(g).dot(g) == pytest.approx(least, rel=1e-9, abs=1e-9)


def test_the_same_vertex_has_the_same_key(rng):
    S = Simplex(6, upper=[0.3, 0.3, 0.3, 0.3, 0.25, 0.2])
    keys = {}
    for _ in range(300):
        atom = S.argmin(rng.standard_normal(6))
        x = np.zeros(6)
        atom.add_to(x, 1.0)
        keys.setdefault(tuple(np.round(x, 10)), set()).add(atom.key)
    assert all(len(different) == 1 for different in keys.values())


@pytest.mark.parametrize("d", [3, 40])
def test_decomposes_into_few_vertices(d, brute, rng):
    S = Simplex(d, upper=np.linspace(1.5, 4.0, d) / d)
    for _ in range(5):
        x = rng.dirichlet(np.ones(8)) @ np.stack([brute.atom(S, rng.standard_normal(d)) for _ in range(8)])
        w = S.decompose(x)
        assert len(w) <= d and (w.weights > 0).all() and w.weights.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(w.array(), x, atol=1e-13)
        assert all(S.contains(vertex) for vertex in w.block.matrix.toarray())


def test_solves_a_portfolio(rng):
    """min ½wᵀQw with no weight above 5 %: agrees with the optimality conditions."""
    B = rng.standard_normal((60, 80))
    S = Simplex(60, upper=0.05)
    s = minimize(quadratic(B @ B.T / 80), S, stop=Gap(1e-9) | Iterations(5000))
    w, g = s.point.array(), (B @ B.T / 80) @ s.point.array()
    assert s.converged and s.price is None
    free = (w > 1e-6) & (w < 0.05 - 1e-6)
    assert np.ptp(g[free]) < 1e-4 and g[w <= 1e-6].min(initial=np.inf) > g[free].max() - 1e-4


def test_starts_inside_a_domain(rng):
    """−log needs a positive image: the centre is a point with every weight positive."""
    s = minimize(log_likelihood(np.eye(4)), Simplex(4, upper=[0.5, 0.5, 0.2, 0.3]), stop=Relative(1e-6))
    np.testing.assert_allclose(s.point.array(), [0.25 + 0.05 / 3] * 2 + [0.2] + [0.25 + 0.05 / 3], atol=1e-3)


@pytest.mark.parametrize(("args", "upper", "said"), [
    ((3,), 0.3, "sum to 0.9.*Raise upper"), ((3,), [0.1, 0.2], "shape"), ((3,), [1.0, -0.1, 1.0], "at least 0"),
    ((3,), [1.0, np.nan, 1.0], "NaN"), ((3,), "abc", "numbers"), ((3, -1.0), 0.5, "total"), ((0,), 0.5, "dimension"),
    ((2,), np.ones((2, 2)), "shape"),
])
def test_bad_input(args, upper, said):
    with pytest.raises(GreedyhullError, match=said):
        Simplex(*args, upper=upper)


def test_input_is_copied_and_infinity_means_no_bound():
    upper = np.array([0.5, 0.5, np.inf])
    S = Simplex(3, upper=upper)
    upper[:] = 0.0
    assert S.argmin(np.array([1.0, 1.0, 0.0])).dot(np.array([1.0, 1.0, 0.0])) == 0.0
    assert S.rescaled(4.0).contains([0.5, 0.5, 3.0])


LOWER = [(5, 1.0, 0.1, None), (5, 1.0, [0.1, 0, 0.2, 0, 0.3], 0.5), (4, 1.0, -0.2, None), (4, 1.0, -0.2, 0.6),
         (5, 2.0, [-1, 0, 0.5, 0.2, 0], [0, 1, 2, 0.2, 3]), (3, 1.0, [0.2, 0.3, 0.5], None), (1, 1.0, 0.5, None)]


@pytest.mark.parametrize(("d", "total", "lower", "upper"), LOWER)
def test_lower_bounds_keep_the_promises(d, total, lower, upper, brute, rng):
    S = Simplex(d, total, lower=lower, upper=upper)
    high = np.broadcast_to(np.inf if upper is None else upper, d)
    bounds = [(a, None if b == np.inf else b) for a, b in zip(np.broadcast_to(lower, d), high, strict=True)]
    least = lambda g: brute.linear_minimum(g, A_eq=np.ones((1, d)), b_eq=[total], bounds=bounds)
    if S.diameter > 0:
        check_atoms(S, minimum=lambda g: least(g) if 1e-3 < np.abs(g).max() < 1e3 else np.inf, trials=6)
    B = rng.standard_normal((9, d))
    s = minimize(quadratic(B.T @ B, rng.standard_normal(d)), S, stop=Gap(1e-9))
    assert s.converged and S.contains(s.x, 1e-12) and s.iterations < 20
    x = np.zeros(d)
    S.argmin(-np.ones(d)).add_to(x, 1.0)
    assert x.sum() == pytest.approx(total)


def test_lower_bounds_agree_with_a_shift(rng):
    """w = lower + v: the same optimum over what is left."""
    B = rng.standard_normal((40, 30))
    Q, low = B.T @ B / 40, rng.random(30) * 0.03
    s = minimize(quadratic(Q), Simplex(30, lower=low, upper=0.2), stop=Gap(1e-11))
    t = minimize(quadratic(Q, -Q @ low), Simplex(30, 1 - low.sum(), upper=0.2 - low), stop=Gap(1e-11))
    np.testing.assert_allclose(s.x, low + t.x, atol=1e-6)


@pytest.mark.parametrize(("lower", "upper", "said"), [
    (0.4, None, "0.2 more than total"), ([0.5, 0.0, 0.0], 0.4, "coordinate 0"), ([0.1, 0.1], None, "shape"),
    (np.nan, None, "NaN"), (0.1, 0.3, "sum to 0.9.*Raise upper"), (-np.inf, None, "infinite"),
])
def test_bad_lower_bounds(lower, upper, said):
    with pytest.raises(GreedyhullError, match=said):
        Simplex(3, lower=lower, upper=upper)
