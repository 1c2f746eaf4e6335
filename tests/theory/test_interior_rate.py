"""A minimiser inside the hull: a smaller constant by reflection, a linear rate by strong convexity."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedyhull.errors import GreedyhullError
from greedyhull.theory import interior_rate, line_search_rate, linear_rate, rate

K = 100
k = np.arange(1, K + 1)


def cross_polytope(quadratic, share, seed=0, n=4):
    """Minimise ½(w - w*)ᵀH(w - w*) over the l1 ball of radius 1, with ‖w*‖₁ = share; t = (1 - share)/(1 + share)."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n + 2, n))
    H, inside = A.T @ A, share * rng.dirichlet(np.ones(n)) * rng.choice([-1, 1], n)
    f = quadratic(f"cross-polytope {share}", H, H @ inside, np.vstack([np.eye(n), -np.eye(n)]))
    return f, inside, (1 - share) / (1 + share)


def simplex(quadratic, weights):
    f = quadratic("simplex", np.eye(len(weights)), np.array(weights), np.eye(len(weights)))
    return f, np.array(weights), min(weights) / (1 - min(weights))


@pytest.fixture(scope="module", params=["centre", "off centre", "near the boundary", "simplex centre", "simplex"])
def inner(request, quadratic):
    return {
        "centre": lambda: cross_polytope(quadratic, 0.0),
        "off centre": lambda: cross_polytope(quadratic, 0.4, seed=1),
        "near the boundary": lambda: cross_polytope(quadratic, 0.9, seed=2),
        "simplex centre": lambda: simplex(quadratic, [0.25] * 4),
        "simplex": lambda: simplex(quadratic, [0.2, 0.3, 0.5]),
    }[request.param]()


def inside_hull(f, point):
    """Whether the point is a mixture of the atoms; for the l1 ball and the simplex, where that is easy."""
    if len(f.S) == len(point):
        return point.min() >= -1e-12 and abs(point.sum() - 1) < 1e-12
    return np.abs(point).sum() <= 1 + 1e-12


def test_the_reflection_stays_inside_and_raises_the_gap(inner, f_star):
    f, best, t = inner
    rng = np.random.default_rng(12)
    assert all(inside_hull(f, best + t * (best - s)) for s in f.S)
    assert not all(inside_hull(f, best + (t + 0.01) * (best - s)) for s in f.S)
    for w in [f.random_point(rng) for _ in range(100)]:
        assert f.gap(w) >= (1 + t) * (f.value(w) - f_star(f)) - 1e-10


@pytest.mark.parametrize("family", ["fw", "jones"])
@pytest.mark.parametrize("c", [0.0, 0.5, 5.0])
def test_scaled_open_loop_steps_obey_the_smaller_rate(inner, play, family, c):
    f, _, t = inner
    for start in f.S:
        run = play(f, K, family, eta=lambda j: 2 / ((1 + t) * (j + 2)), c=c, start=start)
        assert np.all(run.errors[1:] <= interior_rate(f.M, c, t, k, exact=True) + 1e-10)
        assert np.all(run.errors[1:] <= interior_rate(f.M, c, t, k) + 1e-10)


@pytest.mark.parametrize("family, rule", [("fw", "short"), ("fw", "search"), ("joint", "search")])
def test_steps_that_look_need_not_know_t(inner, play, family, rule):
    f, _, t = inner
    run = play(f, 40, family, rule=rule)
    assert np.all(run.errors[1:] <= line_search_rate(f.M / (1 + t) ** 2, k[:40]) + 1e-10)
    assert np.all(run.errors[1:] <= interior_rate(f.M, 0.0, t, k[:40]) + 1e-10)


@given(st.floats(0, 1), st.floats(0, 20), st.floats(0.1, 5))
def test_the_recursion_behind_it(t, e0, M):
    """Errors with e_{k+1} <= (1 - (1 + t)η) e_k + (M/2) η² obey the rates, for both kinds of steps."""
    open_loop = search = e0
    for n in range(1, 60):
        eta = 2 / ((1 + t) * (n + 1))
        open_loop = max(0.0, (1 - (1 + t) * eta) * open_loop + M / 2 * eta**2)
        best = min(1.0, (1 + t) * search / M)
        search = max(0.0, (1 - (1 + t) * best) * search + M / 2 * best**2)
        assert open_loop <= interior_rate(M, 0.0, t, n) * (1 + 1e-9)
        assert search <= line_search_rate(M / (1 + t) ** 2, n) * (1 + 1e-9)


def test_gain_is_up_to_four():
    assert interior_rate(2.0, 1.0, 0.0, k, exact=True) == pytest.approx(rate(2.0, 1.0, k, exact=True))
    assert interior_rate(2.0, 1.0, 1.0, k) == pytest.approx(rate(2.0, 1.0, k) / 4)


@pytest.mark.parametrize("t", [-0.1, 1.1, np.nan])
def test_t_outside_its_range_is_refused(t):
    with pytest.raises(GreedyhullError, match="scale in"):
        interior_rate(1.0, 0.0, t, 3)


def strongly_convex(inner):
    """The problem with its modulus μ in the affine hull and the radius ρ of a ball around w* inside the hull."""
    f, best, _ = inner
    n = len(best)
    if len(f.S) == n:  # simplex: f is 1-strongly convex, a face is min(w*) √(n/(n - 1)) away
        return f, 1.0, best.min() * np.sqrt(n / (n - 1))
    H = np.array([f.gradient(e) - f.gradient(np.zeros(n)) for e in np.eye(n)])
    return f, float(np.linalg.eigvalsh(H)[0]), (1 - np.abs(best).sum()) / np.sqrt(n)


@pytest.mark.parametrize("family, rule", [("fw", "short"), ("fw", "search"), ("joint", "search")])
def test_strong_convexity_gives_a_linear_rate(inner, play, family, rule):
    f, mu, rho = strongly_convex(inner)
    run = play(f, K, family, rule=rule)
    allowed = linear_rate(f.M, mu, rho, run.errors[0], np.arange(K + 1))
    assert np.all(run.errors <= allowed + 1e-10)
    unknown = linear_rate(f.M, mu, rho, np.inf, k)
    assert np.all(run.errors[1:] <= unknown + 1e-10)


def test_gap_grows_like_the_root_of_the_error(inner, f_star):
    f, mu, rho = strongly_convex(inner)
    rng = np.random.default_rng(13)
    for w in [f.random_point(rng) for _ in range(100)]:
        e = f.value(w) - f_star(f)
        assert f.gap(w) >= e + rho * np.sqrt(2 * mu * e) - 1e-5


def test_a_ball_in_the_hull_bounds_the_curvature_from_below(inner):
    f, mu, rho = strongly_convex(inner)
    assert 4 * mu * rho**2 <= f.M


def test_the_smallest_gap_the_argument_admits_attains_the_linear_rate():
    """With g = ρ√(2μe) the best model step, of length g/M, multiplies the error by exactly 1 - μρ²/M."""
    M, mu, rho, e = 5.0, 0.7, 0.6, 0.9
    for n in range(1, 40):
        g = rho * np.sqrt(2 * mu * e)
        e = e - (g / M) * g + M / 2 * (g / M) ** 2
        assert e == pytest.approx(linear_rate(M, mu, rho, 0.9, n), rel=1e-12)


def test_linear_rate_beats_one_over_k_in_the_end_and_not_before():
    far, near = 10**4, 10
    assert linear_rate(4.0, 0.1, 0.5, 2.0, far) < line_search_rate(4.0, far)
    assert linear_rate(4.0, 0.1, 0.5, 2.0, near) > line_search_rate(4.0, near)


def test_linear_rate_of_no_steps_is_the_start():
    assert linear_rate(4.0, 1.0, 0.5, 3.0, 0) == 3.0
    assert linear_rate(4.0, 1.0, 0.5, np.inf, 1) == 2.0
    assert linear_rate(4.0, 1.0, 0.0, 1.0, 9) == 1.0


def test_contradicting_constants_are_refused():
    with pytest.raises(GreedyhullError, match="contradict"):
        linear_rate(1.0, 1.0, 1.0, 1.0, 3)
    with pytest.raises(GreedyhullError, match="mu is 0"):
        linear_rate(1.0, 0.0, 0.1, 1.0, 3)
