"""A penalty as a budget: the penalised problem, solved through the radius whose price it is."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.atoms.simplex import PositiveL1Ball
from greedyhull.driver.certificate import Certificate
from greedyhull.estimators.budget import Below, Priced, at_price, lowest_sum, with_exact_zeros

rng = np.random.default_rng(1)
X, noise = rng.standard_normal((60, 15)), rng.standard_normal(60)
y = X[:, 0] - 2 * X[:, 5] + 0.3 * noise
signs, counts = np.sign(y), np.floor(np.exp(0.5 * X[:, 0]) * 2)
PROBLEMS = [gh.least_squares(X, y), gh.least_squares(X, y, intercept=True), gh.logistic(X, signs), gh.poisson(X, counts),
            gh.huber(X, y), gh.squared_hinge(X, signs, intercept=True)]


def solve(f):
    return lambda S, start, gap=1e-10: gh.minimize(f, S, start=start, stop=gh.Gap(gap) | gh.Stalled(200) | gh.Iterations(2000))


@pytest.mark.parametrize("f", PROBLEMS, ids=repr)
@pytest.mark.parametrize("share", [0.9, 0.3, 0.01])
def test_the_penalised_minimum_is_found_and_certified(f, share):
    g = f.gradient(gh.L1Ball(15, 1.0).centre())
    alpha = share * np.abs(g).max()
    found = at_price(f, gh.L1Ball(15, 1.0), alpha, solve(f), 1e-8)
    value, gap = found.certificate.value, found.certificate.gap
    assert gap <= 1e-8 * max(abs(value), f.scale)
    for factor in (0.7, 0.9, 0.99, 1.01, 1.1, 1.5):  # no other radius does better than the certificate allows
        s = solve(f)(gh.L1Ball(15, found.radius * factor), None)
        assert s.value + alpha * np.abs(s.point.array()).sum() >= value - gap
    assert found.solution.price == pytest.approx(alpha, rel=1e-3)


def test_it_agrees_with_coordinate_descent():
    Lasso = pytest.importorskip("sklearn.linear_model").Lasso
    f = gh.least_squares(X, y, intercept=True)
    found = at_price(f, gh.L1Ball(15, 1.0), 0.1, solve(f), 1e-9)
    other = Lasso(alpha=0.1, tol=1e-12, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(found.solution.point.array(), other.coef_, atol=1e-6)


def test_a_penalty_that_nothing_is_worth_leaves_nothing():
    f = gh.least_squares(X, y)
    found = at_price(f, gh.L1Ball(15, 1.0), 100.0, solve(f))
    assert np.abs(found.solution.point.array()).sum() < 1e-6
    assert found.certificate.gap <= 1e-6 * found.certificate.value


def test_weights_of_the_norm_count():
    f, weights = gh.least_squares(X, y), np.linspace(0.5, 2.0, 15)
    found = at_price(f, gh.L1Ball(15, 1.0, weights=weights), 0.05, solve(f), 1e-9)
    w = found.solution.point.array()
    g = X.T @ (X @ w - y) / 60
    np.testing.assert_allclose(g[w != 0], -0.05 * weights[w != 0] * np.sign(w[w != 0]), atol=1e-5)
    assert (np.abs(g) <= 0.05 * weights + 1e-5).all()


@pytest.mark.parametrize("alpha", [0.0, -1.0, np.nan])
def test_penalties_that_are_none_are_refused(alpha):
    f = gh.least_squares(X, y)
    with pytest.raises(gh.GreedyhullError, match="alpha"):
        at_price(f, gh.L1Ball(15, 1.0), alpha, solve(f))


def test_a_loss_without_a_floor_is_refused():
    f = gh.quadratic(np.eye(3), np.ones(3))
    with pytest.raises(gh.GreedyhullError, match="Give a radius"):
        at_price(f, gh.L1Ball(3, 1.0), 0.1, solve(f))


@pytest.mark.parametrize("size", [1e-100, 1e-20, 1e20, 1e100])
def test_the_size_of_data_and_targets_is_no_obstacle(size):
    f = gh.least_squares(X, y)
    plain = at_price(f, gh.L1Ball(15, 1.0), 0.1, solve(f))
    for f, scale in ((gh.least_squares(size * X, y), 1.0 / size), (gh.least_squares(X, size * y), size)):
        found = at_price(f, gh.L1Ball(15, 1.0), 0.1 * size, solve(f))
        assert found.converged
        np.testing.assert_allclose(found.solution.x / scale, plain.solution.x, atol=1e-3)


def test_a_line_that_is_too_steep_and_one_that_is_too_flat_bound_the_minimum_where_they_cross():
    assert lowest_sum([Below(5.0, 3.0)], 2.0, 4.0, 0.0) == 3.0  # alone: 5 − 3r + 2r at the farthest r, (4 − 0)/2
    assert lowest_sum([Below(2.0, 1.0)], 2.0, 4.0, 0.0) == 2.0  # alone: at r = 0
    assert lowest_sum([Below(5.0, 3.0), Below(2.0, 1.0)], 2.0, 4.0, 0.0) == 3.5  # 5 − 3r = 2 − r at r = 1.5: ½ + 2·1.5


def test_a_penalty_beyond_rounding_is_not_called_certified():
    f = gh.least_squares(X, y)
    found = at_price(f, gh.L1Ball(15, 1.0), 1e-30, solve(f))
    least = float(f.value(gh.L1Ball(15, 100.0).decompose(np.linalg.lstsq(X, y)[0])))
    assert not found.converged and found.certificate.lower <= least
    assert found.certificate.value == pytest.approx(least)


def with_dust(f, S, alpha, dust):
    """The best point of f + alpha·‖·‖ with ``dust`` in the coordinates that are zero there, certified as it is."""
    best = at_price(f, S, alpha, solve(f), 1e-10)
    s, unit = best.solution, S.rescaled(1.0)
    x = s.x
    x[x == 0.0] = dust
    ball = S.rescaled(unit.gauge(x) * (1 + 1e-12))
    s.point, s.atom_set = ball.decompose(x), ball
    value = float(f.value(s.point.copy())) + alpha * unit.gauge(s.x)
    lower = best.certificate.lower
    return x, Priced(s, ball.radius, Certificate(value, value - lower, lower), True)


@pytest.mark.parametrize("S", [gh.L1Ball(15, 1.0), gh.L1Ball(15, 1.0, weights=np.linspace(0.5, 2.0, 15)),
                               PositiveL1Ball(15, 1.0)], ids=repr)
@pytest.mark.parametrize("dust", [1e-14, 1e-9, 1e-5])
@pytest.mark.parametrize("f", PROBLEMS, ids=repr)
def test_coefficients_that_the_penalty_outweighs_become_exact_zeros(f, dust, S):
    alpha = 0.3 * np.abs(f.gradient(gh.L1Ball(15, 1.0).centre())).max()
    x, given = with_dust(f, S, alpha, dust)
    was, tol = given.certificate, 1.1 * given.certificate.gap / max(abs(given.certificate.value), f.scale)
    found = with_exact_zeros(f, S.rescaled(1.0), alpha, given, tol)
    w = found.solution.x
    assert (w[x == dust] == 0.0).all() and (x == dust).any()
    np.testing.assert_allclose(w[x != dust], x[x != dust], rtol=1e-12)
    value = float(f.value(S.rescaled(100.0).decompose(w))) + alpha * S.rescaled(1.0).gauge(w)
    assert found.certificate.value == pytest.approx(value, rel=1e-13) and found.certificate.lower == was.lower
    assert found.certificate.value <= was.value + 1e-12 * abs(was.value)
    assert found.certificate.gap == pytest.approx(found.certificate.value - was.lower, abs=1e-15 * abs(was.value))


def test_coefficients_that_count_are_not_taken_for_zeros():
    f = gh.least_squares(np.eye(3), np.array([3.0, 1e-5, 1e-12]))
    found = at_price(f, gh.L1Ball(3, 1.0), 1e-13, solve(f), 1e-10)
    assert (found.solution.x[:2] != 0.0).all()
    found = at_price(f, gh.L1Ball(3, 1.0), 1e-6, solve(f), 1e-14)
    np.testing.assert_allclose(found.solution.x, [3.0 - 3e-6, 1e-5 - 3e-6, 0.0], atol=1e-7)
    assert found.solution.x[2] == 0.0


def test_a_start_does_not_change_the_answer():
    f = gh.least_squares(X, y)
    cold = at_price(f, gh.L1Ball(15, 1.0), 0.1, solve(f), 1e-9)
    for start in (cold.solution.x, 3.0 * cold.solution.x, np.zeros(15), np.full(15, 1e-200), np.full(15, 1e149)):
        inside = lambda S, x, gap: solve(f)(S, x if x is not None and S.contains(x) else None, gap)
        warm = at_price(f, gh.L1Ball(15, 1.0), 0.1, inside, 1e-9, start)
        assert warm.converged
        np.testing.assert_allclose(warm.solution.x, cold.solution.x, atol=1e-6)


@pytest.mark.parametrize("seed", [3, 6, 9, 12, 13, 16])
def test_no_radius_is_tried_that_single_precision_cannot_stand(seed):
    """Columns that hardly differ: the curvature is rounding, and the step that it suggests leads anywhere."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 9)), int(rng.integers(1, 6))
    A = (rng.standard_normal((n, d)) + 10.0 ** rng.integers(2, 8)).astype(np.float32)
    f = gh.least_squares(A, rng.standard_normal(n).astype(np.float32), intercept=bool(seed % 2))
    alpha = 10.0 ** rng.uniform(-4, 0)
    found = at_price(f, gh.L1Ball(d, 1.0), alpha, solve(f), 1e-10)
    zero = float(f.precise().value(gh.L1Ball(d, 1.0).decompose(np.zeros(d))))
    assert found.certificate.lower <= found.certificate.value <= zero * (1 + 1e-6)
    assert alpha * np.abs(found.solution.x).sum() <= found.certificate.value * (1 + 1e-6)


@pytest.mark.parametrize("alpha", [1e-14, 1e-20, 1e-40])
def test_a_penalty_below_rounding_does_not_send_the_search_to_ever_larger_balls(alpha):
    """Once a ball holds the unconstrained minimum, larger ones have the same: a price above alpha is rounding."""
    f = gh.least_squares(X, y, intercept=True)
    balls = []

    def counted(S, start, gap):
        balls.append(S.radius)
        return solve(f)(S, start, gap)

    found = at_price(f, gh.L1Ball(15, 1.0), alpha, counted, 1e-6)
    least = np.linalg.lstsq(np.column_stack([X, np.ones(60)]), y)[1][0] / 120
    assert found.certificate.value == pytest.approx(least, rel=1e-6)
    assert found.certificate.lower <= least
    assert len(balls) <= 20


@pytest.mark.parametrize("alpha", [1e-60, 1e-100, 1e-140])
def test_a_value_that_is_nothing_but_rounding_is_not_certified(alpha):
    f = gh.least_squares(X, y, intercept=True)
    found = at_price(f, PositiveL1Ball(15, 1.0), alpha, solve(f), 1e-6)
    least = gh.minimize(f, PositiveL1Ball(15, 100.0)).value
    assert found.certificate.value == pytest.approx(least, rel=1e-3)
    assert found.certificate.lower <= least
