"""Estimators: unbiased where they say so, as precise as their formulas, and honest about what they cost."""

import copy
import itertools

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.objectives.black_box import finite_sum
from greedyhull.objectives.minibatches import Sampler, Source
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.solvers.gradients import Dual, Minibatch, Momentum, Root, Saga, Spider, Storm, Svrg
from greedyhull.solvers.parts.schedules import constant, linear

RNG = np.random.default_rng(8)
N, D = 8, 3
X, Y, WEIGHT = RNG.standard_normal((N, D)), RNG.standard_normal(N), 0.2 + RNG.random(N)
PLAIN = gh.least_squares(X, Y)
WEIGHTED = gh.logistic(X, np.where(Y > 0, 1.0, -1.0), sample_weight=WEIGHT)
CENTRED = gh.least_squares(X, Y, sample_weight=WEIGHT, intercept=True)
POINTS = [0.3 * RNG.standard_normal(D) for _ in range(6)]
SMALL = [Minibatch(2), Minibatch(2, replace=False), Momentum(2), Storm(2), Spider(2, 3), Svrg(2, 3), Saga(2), Dual(2)]


def gradient(f, x):
    return np.asarray(f.gradient(CoordinateIterate(x)), dtype=float)


class Fixed:
    """A sampler whose next batches are known."""

    def __init__(self, *batches):
        self.batches = [np.array(batch) for batch in batches]

    def draw(self, size):
        return self.batches.pop(0)

    distinct = draw


def every_outcome(estimator, f, points, b, *, distinct=False):
    """The estimate at the last of the points for every batch of b terms; the ones before are drawn once and for all."""
    source = Source(f, Sampler(f.n, np.random.default_rng(1)))
    estimate = estimator.start(source)
    for k, x in enumerate(points[:-1], start=1):
        estimate(x, k)
    out = []
    for index in itertools.permutations(range(f.n), b) if distinct else itertools.product(range(f.n), repeat=b):
        again = copy.deepcopy(estimate)
        again.source = Source(f, Fixed(index, np.arange(b)))
        out.append(again(points[-1].copy(), len(points)))
    return np.array(out)


@pytest.mark.parametrize("f", [PLAIN, WEIGHTED, CENTRED], ids=["squares", "weighted logistic", "intercept"])
@pytest.mark.parametrize("b", [1, 2])
@pytest.mark.parametrize("steps", [2, 3, 5])
@pytest.mark.parametrize("kind", [Minibatch, Svrg, Saga])
def test_unbiased_given_the_past(kind, steps, b, f):
    estimator = kind(b) if kind is not Svrg else Svrg(b, epoch=10)
    assert kind.unbiased
    got = every_outcome(estimator, f, POINTS[:steps], b)
    np.testing.assert_allclose(got.mean(axis=0), gradient(f, POINTS[steps - 1]), atol=1e-12)
    assert got.std(axis=0).max() > 1e-3, "and random"


@pytest.mark.parametrize("estimator", [Momentum(1), Storm(1), Spider(1, 10), Dual(1)], ids=repr)
def test_biased_given_the_past(estimator):
    assert not estimator.unbiased
    got = every_outcome(estimator, PLAIN, POINTS[:4], 1)
    assert np.abs(got.mean(axis=0) - gradient(PLAIN, POINTS[3])).max() > 1e-3


def test_update_rules_while_the_point_moves_under_the_estimate():
    """Each estimator on known batches, beside its formula; x is one array that changes in place, as a solve's does."""
    batches, f = [[0, 5], [3, 3], [6, 1], [2, 7]], WEIGHTED
    at = lambda i, j: f.batch(np.array(batches[i])).gradient(POINTS[j])
    full = [gradient(f, x) for x in POINTS]
    share = constant(0.3)

    def estimates(estimator, drawn):
        estimate, x, out = estimator.start(Source(f, Fixed(*drawn))), np.empty(D), []
        for k in (1, 2, 3):
            x[:] = POINTS[k - 1]
            out.append(np.array(estimate(x, k)))
        return out

    first = 0.7 * at(0, 0) + 0.3 * at(1, 1)
    momentum = [at(0, 0), first, 0.7 * first + 0.3 * at(2, 2)]
    first = at(1, 1) + 0.7 * (at(0, 0) - at(1, 0))
    storm = [at(0, 0), first, at(2, 2) + 0.7 * (first - at(2, 1))]
    first = full[0] + at(0, 1) - at(0, 0)
    spider = [full[0], first, first + at(1, 2) - at(1, 1)]
    svrg = [full[0], full[0] + at(0, 1) - at(0, 0), full[0] + at(1, 2) - at(1, 0)]
    wanted = [(Momentum(2, share), batches, momentum), (Storm(2, share), batches, storm), (Spider(2, 9), batches, spider),
              (Svrg(2, 9), batches, svrg)]
    for estimator, drawn, formula in wanted:
        np.testing.assert_allclose(estimates(estimator, drawn), formula, atol=1e-13, err_msg=repr(estimator))


def variance_of_a_term(f, x):
    terms = np.array([f.batch(np.array([i])).gradient(x) for i in range(f.n)])
    return float(((terms - terms.mean(axis=0)) ** 2).sum(axis=1).mean())


@pytest.mark.parametrize("f", [PLAIN, WEIGHTED], ids=["squares", "weighted logistic"])
@pytest.mark.parametrize("b", [1, 2, 3])
def test_variance_of_a_minibatch(f, b):
    x = POINTS[0]
    sigma2 = variance_of_a_term(f, x)
    drawn, g = every_outcome(Minibatch(b), f, [x], b), gradient(f, x)
    assert ((drawn - g) ** 2).sum(axis=1).mean() == pytest.approx(sigma2 / b)
    drawn = every_outcome(Minibatch(b, replace=False), f, [x], b, distinct=True)
    np.testing.assert_allclose(drawn.mean(axis=0), g, atol=1e-12)
    assert ((drawn - g) ** 2).sum(axis=1).mean() == pytest.approx(sigma2 / b * (N - b) / (N - 1))


def test_variance_of_svrg_by_the_errors():
    """E‖g − ∇f‖² ≤ 4L(e + e_snapshot)/b."""
    S, L = gh.L2Ball(D, 0.5), float((X**2).sum(axis=1).max())
    least = gh.minimize(PLAIN, S, stop=gh.Gap(1e-10)).value
    errors = [PLAIN.value(CoordinateIterate(x)) - least for x in POINTS if np.linalg.norm(x) <= 0.5][:2]
    inside = [x for x in POINTS if np.linalg.norm(x) <= 0.5][:2]
    for b in (1, 2):
        got = every_outcome(Svrg(b, 10), PLAIN, inside, b)
        assert ((got - gradient(PLAIN, inside[1])) ** 2).sum(axis=1).mean() <= 4 * L * sum(errors) / b


# --- recursions for the variance, along runs ----------------------------------------------------------------------

RUNS, STEPS, M = 120, 14, 20
XL, YL = RNG.standard_normal((M, D)), RNG.standard_normal(M)
LARGE, BALL = gh.least_squares(XL, YL), gh.L1Ball(D, 1.0)
CORNERS = np.vstack([np.eye(D), -np.eye(D)])
DIAMETER, L_S, L_F = 2.0, float((XL**2).sum(axis=1).max()), float(np.linalg.norm(XL.T @ XL / M, 2))
SIGMA = np.sqrt(max(variance_of_a_term(LARGE, x) for x in CORNERS))


def along_runs(estimator, eta, measure):
    """measure(estimate, g, x) at every step of RUNS runs of stochastic Frank-Wolfe."""
    out = np.zeros((RUNS, STEPS))
    for run in range(RUNS):
        estimate = estimator.start(Source(LARGE, Sampler(M, np.random.default_rng(run))))
        x = CORNERS[0].copy()
        for k in range(1, STEPS + 1):
            g = estimate(x, k)
            out[run, k - 1] = measure(estimate, g, x)
            x += eta(k) * (CORNERS[(CORNERS @ g).argmin()] - x)
    return out.mean(axis=0), out.std(axis=0) / np.sqrt(RUNS)


def squared_error(_, g, x):
    return float(((g - gradient(LARGE, x)) ** 2).sum())


def momentum(a, k, eta, b):
    rho = min(1.0, 4 / (k + 7) ** (2 / 3))
    return (1 - rho) ** 2 * (np.sqrt(a) + L_F * DIAMETER * eta(k - 1)) ** 2 + rho**2 * SIGMA**2 / b


def storm(a, k, eta, b):
    rho = 1 / k
    return (1 - rho) ** 2 * a + (rho * SIGMA + (1 - rho) * L_S * DIAMETER * eta(k - 1)) ** 2 / b


def spider(a, k, eta, b):
    return 0.0 if (k - 1) % 5 == 0 else a + (L_S * DIAMETER * eta(k - 1)) ** 2 / b


RECURSIONS = {"momentum": (Momentum(2), lambda k: 1 / k, momentum, SIGMA**2 / 2),
              "storm": (Storm(2), lambda k: 1 / k, storm, SIGMA**2 / 2),
              "spider": (Spider(2, 5), lambda k: 2 / (k + 1), spider, 0.0)}


@pytest.mark.parametrize("name", RECURSIONS)
def test_variance_recursions(name):
    estimator, eta, recursion, a = RECURSIONS[name]
    mean, error = along_runs(estimator, eta, squared_error)
    bounds = [a]
    for k in range(2, STEPS + 1):
        bounds.append(recursion(bounds[-1], k, eta, 2))
    assert (mean <= np.array(bounds) + 3 * error + 1e-14).all()
    assert mean.max() > 1e-4


def test_variance_of_svrg_and_saga_by_the_distance():
    eta, b = (lambda k: 2 / (k + 1)), 2
    mean, error = along_runs(Svrg(b, 5), eta, squared_error)
    left, bounds = 1.0, []
    for k in range(1, STEPS + 1):
        left = 1.0 if (k - 1) % 5 == 0 else left * (1 - eta(k - 1))
        bounds.append((L_S * DIAMETER * (1 - left)) ** 2 / b)
    assert (mean <= np.array(bounds) + 3 * error + 1e-14).all() and mean.max() > 1e-4
    mean, error = along_runs(Saga(b), eta, squared_error)
    m, bounds = 0.0, [0.0]
    for k in range(2, STEPS + 1):
        m = np.sqrt(1 - b / M) * m + eta(k - 1) * DIAMETER
        bounds.append((L_S * m) ** 2 / b)
    assert (mean <= np.array(bounds) + 3 * error + 1e-14).all() and mean.max() > 1e-4


def test_duals_follow_the_slopes():
    """E‖α − φ'‖₁ obeys H ← (1 − b/n)(H + ηD₁/n), D₁ = max ‖A(s − s')‖₁; squares have β = 1."""
    eta, b = (lambda k: 2 / (k + 1)), 2
    D1 = max(float(np.abs(XL @ (s - t)).sum()) for s in CORNERS for t in CORNERS)

    def distance(estimate, g, x):
        np.testing.assert_allclose(g, XL.T @ estimate.arrays["table"], atol=1e-12)
        return float(np.abs(estimate.arrays["table"] - (XL @ x - YL) / M).sum())

    mean, error = along_runs(Dual(b), eta, distance)
    bounds = [0.0]
    for k in range(2, STEPS + 1):
        bounds.append((1 - b / M) * (bounds[-1] + eta(k - 1) * D1 / M))
    assert (mean <= np.array(bounds) + 3 * error + 1e-12).all() and mean.max() > 1e-3


# --- costs, states, arguments -------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator, costs", [
    (Minibatch(2), [2, 2, 2, 2]), (Minibatch(linear()), [1, 2, 3, 4]), (Minibatch(100), [N] * 4), (Momentum(2), [2, 2, 2, 2]),
    (Storm(2), [2, 4, 4, 4]), (Storm(4), [4, N, N, N]), (Spider(2, 3), [N, 4, 4, N]), (Spider(), [N, N, 4, N]),
    (Svrg(2, 3), [N, 4, 4, N]), (Svrg(1), [N, N, 2, N]), (Svrg(), [N] * 4), (Saga(2), [N, 4, 4, 4]), (Saga(5), [N] * 4),
    (Dual(2), [N, 2, 2, 2]),
], ids=repr)
def test_every_gradient_of_a_term_is_counted(estimator, costs):
    source = Source(PLAIN, Sampler(N, np.random.default_rng(0)))
    estimate, spent = estimator.start(source), []
    for k in range(1, 5):
        before = source.spent
        g = estimate(POINTS[k], k)
        spent.append(source.spent - before)
        if spent[-1] == N:
            np.testing.assert_allclose(g, gradient(PLAIN, POINTS[k]), atol=1e-12)
    assert spent == costs


@pytest.mark.parametrize("estimator", SMALL, ids=repr)
def test_a_saved_estimate_goes_on_bit_by_bit(estimator):
    whole = estimator.start(Source(CENTRED, Sampler(N, np.random.default_rng(0))))
    for k in range(1, 6):
        rng = np.random.default_rng(k)
        whole.source.sampler.rng = np.random.default_rng(k)
        again = estimator.start(Source(CENTRED, Sampler(N, rng)))
        again.restore(whole.state())
        x = POINTS[k].copy()
        got, want = again(x, k), whole(x, k)
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(x, POINTS[k])
        x[:] = 0.0  # the point moves on under the estimate


def test_sizes_from_n():
    assert [Root(2 / 3).of(n) for n in (1, 8, 27, 64, 1000, 1001)] == [1, 4, 9, 16, 100, 101]
    assert [Root(1 / 3).of(n) for n in (1, 8, 27, 64, 1000, 1001)] == [1, 2, 3, 4, 10, 11]
    with pytest.raises(gh.GreedyhullError, match="between 0 and 1"):
        Root(2.0)


@pytest.mark.parametrize("kind", [Minibatch, Momentum, Storm, Spider, Svrg, Saga, Dual])
@pytest.mark.parametrize("batch", [0, -3, 2.5, float("nan"), "many", True, [3]], ids=repr)
def test_nonsense_batches_are_refused(kind, batch):
    with pytest.raises(gh.GreedyhullError, match="integer of at least 1"):
        kind(batch)


@pytest.mark.parametrize("said", [0.0, -1.0, float("nan"), float("inf")])
def test_a_schedule_that_gives_nonsense_is_named(said):
    estimate = Minibatch(lambda k, gap=None: said).start(Source(PLAIN, Sampler(N, np.random.default_rng(0))))
    with pytest.raises(gh.GreedyhullError, match="at step 3"):
        estimate(POINTS[0], 3)


def test_other_nonsense():
    for kind in (Spider, Svrg):
        with pytest.raises(gh.GreedyhullError, match=r"epoch must be.* got 0"):
            kind(4, 0)
    for kind in (Momentum, Storm):
        with pytest.raises(gh.GreedyhullError, match="schedule"):
            kind(4, 0.5)
    estimate = Momentum(1, lambda k, gap=None: 2.0).start(Source(PLAIN, Sampler(N, np.random.default_rng(0))))
    estimate(POINTS[0], 1)
    with pytest.raises(gh.GreedyhullError, match="at step 2"):
        estimate(POINTS[0], 2)
    f = finite_sum(lambda w, i: 0.0, lambda w, i: 0 * w, 5, D)
    for kind in (Saga, Dual):
        with pytest.raises(gh.GreedyhullError, match="linear models"):
            kind(2).start(Source(f, Sampler(5, np.random.default_rng(0))))
