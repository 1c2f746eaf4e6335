"""The box and the l∞ ball, against all their corners."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedyhull import GreedyhullError, Iterations, Relative, function, least_squares, minimize, quadratic
from greedyhull.atoms.box import Box, LinfBall, cheapest_flips
from greedyhull.testing import check_atoms


def corners_of(S):
    ends = zip(S.lower.ravel(), S.upper.ravel(), strict=True)
    return np.unique([np.array(corner) for corner in product(*ends)], axis=0)


SETS = [Box([0.0, -1.0, 2.0], [1.0, 1.0, 2.0]), Box(np.zeros(4), 1.0), Box([1.0], [1.0]), Box(1e9, [1e9 + 1, 2e9]),
        Box([0.0, 0.0], [1e-9, 2e-9]), LinfBall(3, 2.0), LinfBall(1, 1e9), Box(np.zeros((2, 2)), [[1.0, 2.0], [3.0, 4.0]])]


@pytest.mark.parametrize("S", SETS, ids=repr)
def test_keeps_its_promises(S):
    check_atoms(S, vertices=corners_of(S).reshape(-1, *S.shape), trials=6)


@pytest.mark.parametrize("S", SETS, ids=repr)
def test_constants_are_exact(S, brute, rng):
    V = corners_of(S)
    assert S.diameter == pytest.approx(np.sqrt(brute.farthest(V)))
    assert S.circumradius == pytest.approx(S.diameter / 2)
    c = rng.random(S.shape)
    assert S.max_abs(c) == pytest.approx((np.abs(V) @ c.ravel()).max())
    if len(S.shape) == 1:
        B = rng.standard_normal((V.shape[1], V.shape[1]))
        M = quadratic(B @ B.T).curvature(S)
        assert M.status == "exact" and float(M) == pytest.approx(brute.farthest(V, B @ B.T))


def test_curvature_of_many_coordinates(brute, rng):
    """Beyond 13 coordinates: exact where an upper bound is attained, from above otherwise."""
    S = Box(np.zeros(14), rng.random(14))
    B = rng.standard_normal((14, 14))
    M = quadratic(B @ B.T).curvature(S)
    signs = 1.0 - 2.0 * ((np.arange(2**13)[:, None] >> np.arange(14)) & 1)
    moves = signs * S.upper
    most = float(np.einsum("ki,ij,kj->k", moves, B @ B.T, moves).max())
    assert M.status == "upper bound" and most <= float(M) <= 2 * most
    positive = quadratic(np.abs(B) @ np.abs(B).T).curvature(S)
    assert positive.status == "exact" and float(positive) == pytest.approx(S.upper @ np.abs(B) @ np.abs(B).T @ S.upper)
    flipped = np.outer(signs[5], signs[5]) * np.abs(B @ B.T) + 50 * np.eye(14)
    assert float(quadratic(flipped).curvature(LinfBall(14, 1.0))) == pytest.approx(4 * np.abs(flipped).sum())


@given(g=st.lists(st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 1e-300, 3.5]), min_size=1, max_size=5), m=st.integers(1, 40))
def test_best_corners_in_order(g, m):
    g = np.array(g)
    S = Box(-np.arange(len(g)) - 1.0, 2.0)
    V, block = corners_of(S), S.best(g, m)
    assert len(block) == min(m, len(V)) == len(set(block.keys))
    np.testing.assert_allclose(block.dots(g), np.sort(V @ g)[: len(block)], atol=1e-12)
    assert S.argmin(g).dot(g) == pytest.approx((V @ g).min())


@given(costs=st.lists(st.floats(0, 10), max_size=6), m=st.integers(1, 70))
def test_cheapest_subsets(costs, m):
    costs = np.array(costs)
    found = [tuple(sorted(flipped.tolist())) for flipped in cheapest_flips(costs, m)]
    sums = [costs[list(subset)].sum() for subset in found]
    everything = sorted(float(np.dot(bits, costs)) for bits in product([0, 1], repeat=len(costs)))
    assert len(set(found)) == len(found) == min(m, len(everything))
    np.testing.assert_allclose(sums, everything[: len(found)], atol=1e-9)


def test_decomposes_into_at_most_one_corner_more_than_coordinates(rng):
    S = Box(-rng.random(6), rng.random(6))
    for _ in range(5):
        x = S.lower + rng.random(6) * (S.upper - S.lower)
        w = S.decompose(x)
        assert len(w) <= 7 and w.weights.sum() == pytest.approx(1.0) and (w.weights > 0).all()
        np.testing.assert_allclose(w.array(), x, atol=1e-14)
    assert len(S.decompose(S.upper)) == 1
    assert len(S.centre()) == 2
    np.testing.assert_allclose(S.centre().array(), (S.lower + S.upper) / 2, atol=1e-15)
    with pytest.raises(GreedyhullError, match="outside"):
        S.decompose(S.upper + 1.0)


def test_a_narrow_box_far_from_the_origin():
    S = Box(np.full(2, 1e6), 1e6 + 1e-3)
    assert S.contains(np.full(2, 1e6 + 5e-4)) and not S.contains(np.full(2, 1e6 + 2e-3))


def test_bounded_least_squares(rng):
    """Against clipping, where the design is orthonormal."""
    y = rng.standard_normal(5) * 2
    s = minimize(least_squares(np.eye(5), y), Box(-np.ones(5), 1.0), stop=Relative(1e-10) | Iterations(5000))
    np.testing.assert_allclose(s.point.array(), np.clip(y, -1, 1), atol=1e-4)


def test_matrices(rng):
    T = rng.standard_normal((2, 3))
    f = function(lambda w: 0.5 * float(((w - T) ** 2).sum()), lambda w: w - T, (2, 3), smoothness=1.0)
    s = minimize(f, Box(np.zeros((2, 3)), 1.0), stop=Relative(1e-9) | Iterations(2000))
    np.testing.assert_allclose(s.point.array(), np.clip(T, 0, 1), atol=1e-3)


def test_price_of_the_radius(rng):
    f, S, h = least_squares(rng.standard_normal((9, 5)), 9 * rng.standard_normal(9)), LinfBall(5, 0.3), 1e-4
    low, here, high = (minimize(f, S.rescaled(0.3 + step), stop=Relative(1e-11) | Iterations(3000)) for step in (-h, 0.0, h))
    assert here.price == pytest.approx(-(high.value - low.value) / (2 * h), rel=1e-4)


@pytest.mark.parametrize(("lower", "upper", "said"), [
    ([0.0, 2.0], [1.0, 1.0], r"exceeds upper at 1 places, first at \(1,\): 2 > 1"), ([0.0], [1.0, 2.0], "same shape"),
    (0.0, 1.0, "array"), ([], [], "no coordinates"), ([0.0, np.nan], 1.0, "NaN"), ([0.0, 0.0], np.inf, "infinite"),
    (["a"], [1.0], "numbers"), ([0.0], [1e200], "overflow"),
])
def test_bad_input(lower, upper, said):
    with pytest.raises(GreedyhullError, match=said):
        Box(lower, upper)


@pytest.mark.parametrize(("args", "said"), [((0, 1.0), "dimension"), ((2, -1.0), "radius"), ((2, np.nan), "radius")])
def test_bad_ball(args, said):
    with pytest.raises(GreedyhullError, match=said):
        LinfBall(*args)


def test_input_is_copied():
    lower, upper = np.zeros(2), np.ones(2)
    S = Box(lower, upper)
    lower[:] = -5.0
    assert S.lower.tolist() == [0.0, 0.0] and not S.lower.flags.writeable and upper.flags.writeable
