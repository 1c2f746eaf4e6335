"""lp balls, the ball of total variation and the permutahedron."""

from itertools import permutations

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.testing import check_atoms


@pytest.mark.parametrize(("p", "same"), [(1, gh.L1Ball), (2.0, gh.L2Ball), (np.inf, gh.LinfBall)])
def test_known_exponents_are_the_known_balls(p, same, rng):
    f = gh.least_squares(rng.standard_normal((9, 5)), rng.standard_normal(9))
    ours, known = (gh.minimize(f, S, stop=gh.Gap(1e-9)) for S in (gh.LpBall(5, 0.3, p), same(5, 0.3)))
    assert ours.value == pytest.approx(known.value, abs=2e-9)
    for what in ("diameter", "circumradius"):
        assert getattr(gh.LpBall(5, 0.3, p), what) == pytest.approx(getattr(same(5, 0.3), what))


@pytest.mark.parametrize("p", [1.1, 1.5, 3.0, 20.0])
def test_other_exponents_are_certified(p, rng):
    X = rng.standard_normal((9, 5))
    S = gh.LpBall(5, 0.3, p)
    s = gh.minimize(gh.least_squares(X, rng.standard_normal(9)), S, stop=gh.Gap(1e-7) | gh.Iterations(3000))
    assert s.converged and S.contains(s.x)
    g = rng.standard_normal(5)
    atom = S.argmin(g).array
    assert np.linalg.norm(atom, p) == pytest.approx(0.3) and atom @ g == pytest.approx(-0.3 * np.linalg.norm(g, p / (p - 1)))


@pytest.mark.parametrize("p", [1, 1.5, 2, 3, np.inf])
def test_odd_gradients_of_lp_balls(p):
    S = gh.LpBall(3, 1.0, p)
    for g in (np.array([1e300, -1e300, 0.0]), np.array([5e-324, 0.0, -5e-324]), np.zeros(3)):
        atom = S.argmin(g).array
        assert np.isfinite(atom).all() and S.contains(atom) and S.gauge(atom) == pytest.approx(1.0)
        assert not np.signbit(atom[g == 0]).any()
    for radius in (1e-200, 1e140):
        assert gh.LpBall(3, radius, p).diameter == pytest.approx(radius * S.diameter)


@pytest.mark.parametrize("p", [0.5, np.nan, "2", True, None, -np.inf])
def test_exponents_that_make_no_norm(p):
    with pytest.raises(gh.GreedyhullError, match=r"p = .* was given"):
        gh.LpBall(3, 1.0, p)


def test_signals_of_bounded_variation_are_piecewise_constant(rng):
    truth = np.repeat([0.0, 2.0, -1.0, 0.5], 15)
    f = gh.least_squares(np.eye(60), truth + 0.1 * rng.standard_normal(60))
    S = gh.TotalVariationBall(60, 5.0)
    s = gh.minimize(f, S, stop=gh.Gap(1e-10))
    assert s.converged and S.gauge(s.x) == pytest.approx(1.0) and s.iterations < 40
    assert (np.abs(np.diff(s.x)) > 1e-6).sum() < 25 and np.abs(s.x - truth).mean() < 0.3
    through_l1 = gh.minimize(gh.least_squares(np.tril(np.ones((60, 60))), f.loss.y), gh.L1Ball(60, 5.0), stop=gh.Gap(1e-10))
    np.testing.assert_allclose(s.x, np.cumsum(through_l1.x), atol=1e-5)


def test_steps_of_variation_are_listed(rng):
    S = gh.TotalVariationBall(4, 2.0)
    g = rng.standard_normal(4)
    np.testing.assert_allclose(S.scores(g), [S[j].dot(g) for j in range(8)])
    w = S.decompose(np.array([0.5, 0.5, -0.5, 0.0]))
    np.testing.assert_allclose(w.array(), [0.5, 0.5, -0.5, 0.0])
    assert w.block.keys[:3] == [0, 6, 3] and np.isfinite(S.argmin(np.full(4, 1e308)).array).all()
    with pytest.raises(gh.GreedyhullError, match="radius"):
        gh.TotalVariationBall(3, 0.0)


@pytest.mark.parametrize("v", [[3, 1, 2, 0], [1], [1, 1, 1], [0, 0, 1, -5, 2], [1e5, 2e5, 3.0]])
def test_orders_against_all_permutations(v, brute, rng):
    V, S = np.array(list(set(permutations(v))), dtype=float), gh.Permutahedron(v)
    check_atoms(S, vertices=V, trials=5)
    assert S.diameter == pytest.approx(np.sqrt(brute.farthest(V)), abs=1e-9)
    assert S.circumradius == pytest.approx(brute.enclosing(V), rel=1e-4, abs=1e-9)
    c = rng.random(len(v))
    assert S.max_abs(c) == pytest.approx((np.abs(V) @ c).max())
    scores = S.best(c, 4).dots(c)
    assert scores[0] == pytest.approx((V @ c).min()) and len(scores) <= len(V)


def test_mixtures_of_orders_are_written_in_orders(rng):
    S = gh.Permutahedron(np.round(rng.standard_normal(25), 1))
    for k in (1, 2, 8, 60):
        x = rng.dirichlet(np.ones(k)) @ np.stack([rng.permutation(S.v) for _ in range(k)])
        w = S.decompose(x)
        np.testing.assert_allclose(w.array(), x, atol=1e-12)
        assert len(w) <= 60 and all((np.sort(row)[::-1] == S.v).all() for row in w.block.matrix)


def test_the_nearest_mixture_of_orders_is_certified(rng):
    y = rng.standard_normal(12) * 4
    s = gh.minimize(gh.quadratic(np.eye(12), y), gh.Permutahedron(np.arange(12.0)), stop=gh.Gap(1e-8))
    assert s.converged and s.x.sum() == pytest.approx(66.0)
    from sklearn.isotonic import isotonic_regression

    order = np.argsort(-y)
    off = isotonic_regression(y[order] - np.arange(12.0)[::-1], increasing=False)  # the projection, by pooling
    np.testing.assert_allclose(s.x[order], y[order] - off, atol=1e-3)


@pytest.mark.parametrize(("v", "said"), [([], "at least one"), ([[1, 2]], "a vector"), ([1, np.nan], "NaN"),
                                         ("ab", "numbers")])
def test_numbers_that_make_no_orders(v, said):
    with pytest.raises(gh.GreedyhullError, match=said):
        gh.Permutahedron(v)
