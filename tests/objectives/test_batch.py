"""Minibatches: their mean is f, whatever the weights, the storage and the intercept; what they cost is counted."""

import itertools

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.objectives.black_box import finite_sum
from greedyhull.objectives.minibatches import Sampler, Source
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.solvers.parts.gap_evaluation import GapSchedule
from greedyhull.testing import check_objective

RNG = np.random.default_rng(4)
N, D = 7, 4
X, Y, WEIGHT = RNG.standard_normal((N, D)), RNG.standard_normal(N), RNG.random(N)
AT = RNG.standard_normal(D)
LABELS = np.where(Y > 0, 1.0, -1.0)
OBJECTIVES = {
    "least_squares": gh.least_squares(X, Y),
    "weighted": gh.least_squares(X, Y, sample_weight=WEIGHT),
    "intercept": gh.least_squares(X, Y, intercept=True),
    "weighted, intercept": gh.least_squares(X, Y, sample_weight=WEIGHT, intercept=True),
    "sparse, intercept": gh.least_squares(sparse.csr_array(X), Y, sample_weight=WEIGHT, intercept=True),
    "logistic": gh.logistic(X, LABELS, sample_weight=WEIGHT),
    "huber": gh.huber(X, 3 * Y),
    "poisson": gh.poisson(X, np.round(np.abs(3 * Y))),
    "squared_hinge": gh.squared_hinge(sparse.csc_array(X), LABELS),
}


def gradient(f, x):
    return np.asarray(f.gradient(CoordinateIterate(x)))


def value(f, x):
    return f.value(CoordinateIterate(x))


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("b", [1, 2])
def test_the_mean_over_all_batches_is_f(name, b):
    f = OBJECTIVES[name]
    batches = [f.batch(np.array(index)) for index in itertools.product(range(N), repeat=b)]
    np.testing.assert_allclose(np.mean([batch.gradient(AT) for batch in batches], axis=0), gradient(f, AT), atol=1e-12)
    assert np.mean([batch.value(AT) for batch in batches]) == pytest.approx(value(f, AT), rel=1e-12)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_all_terms_at_once_are_f(name):
    f = OBJECTIVES[name]
    whole, listed = Source(f, None).whole, f.batch(np.arange(N))
    for batch in (whole, listed):
        np.testing.assert_allclose(batch.gradient(AT), gradient(f, AT), atol=1e-12)
        assert batch.value(AT) == pytest.approx(value(f, AT), rel=1e-12)
    np.testing.assert_allclose(whole.residual(AT), listed.residual(AT), atol=1e-12)


def test_a_batch_is_the_derivative_of_its_value():
    for f in OBJECTIVES.values():
        batch, h = f.batch(np.array([2, 2, 5])), 1e-6
        slopes = [(batch.value(AT + h * e) - batch.value(AT - h * e)) / (2 * h) for e in np.eye(D)]
        np.testing.assert_allclose(batch.gradient(AT), slopes, atol=1e-6)


def test_other_losses_with_an_intercept_refuse_with_the_way_out():
    f = gh.logistic(X, LABELS, intercept=True)
    with pytest.raises(gh.GreedyhullError, match="constant column"):
        f.batch(np.array([0]))


def test_single_precision_stays_single_until_the_gradient():
    f = gh.least_squares(X.astype(np.float32), Y, intercept=True)
    batch = f.batch(np.array([0, 3]))
    assert batch.image(AT).dtype == np.float32 and batch.gradient(AT).dtype == np.float64
    assert Source(f, None).whole.gradient(AT).dtype == np.float64
    np.testing.assert_allclose(batch.gradient(AT), OBJECTIVES["intercept"].batch(np.array([0, 3])).gradient(AT), rtol=1e-4)


def test_what_is_asked_twice_costs_twice():
    source = Source(OBJECTIVES["logistic"], Sampler(N, np.random.default_rng(0)))
    batch = source.draw(3)
    assert source.spent == 3
    assert source.again(batch) is batch and source.spent == 6
    source.full(AT)
    assert source.spent == 6 + N
    assert len(source.draw(1000).index) == N and source.spent == 6 + 2 * N  # no more terms than there are
    assert len(set(source.distinct(N - 1).index.tolist())) == N - 1
    other = Source(source.f, source.sampler)
    other.restore(source.state())
    assert other.spent == source.spent


def test_draws():
    independent = Sampler(N, np.random.default_rng(0)).draw(5000)
    assert np.abs(np.bincount(independent, minlength=N) / 5000 - 1 / N).max() < 0.03
    assert len(set(Sampler(N, np.random.default_rng(0)).distinct(N).tolist())) == N
    for size in (0, -1):
        with pytest.raises(gh.GreedyhullError, match="at least one"):
            Sampler(N, np.random.default_rng(0)).draw(size)
    with pytest.raises(gh.GreedyhullError, match="at least one term"):
        Sampler(0, np.random.default_rng(0))


def test_looks_become_rare_but_never_late():
    looks, spent, seen = GapSchedule(100), 0, []
    while spent < 100_000:
        if looks.due(spent):
            seen.append(spent)
            looks.passed(spent)
        spent += 7
    waits = np.diff(seen)
    assert waits.min() >= 100 and (waits <= np.maximum(100, 0.1 * np.array(seen[:-1])) + 7).all() and len(seen) < 70
    looks = GapSchedule(100, every=10)
    seen = [k for k in range(1, 45) if looks.due(k) and looks.passed(k) is None]
    assert seen == [1, 10, 20, 30, 40]
    for every in (0, -3, 2.5):
        with pytest.raises(gh.GreedyhullError, match="must be a number of steps"):
            GapSchedule(100, every=every)


# --- finite sums of the user's own -------------------------------------------------------------------------------


def own(**kwargs):
    return finite_sum(lambda w, i: 0.5 * float(((X[i] @ w - Y[i]) ** 2).mean()),
                      lambda w, i: X[i].T @ (X[i] @ w - Y[i]) / len(i), N, D, **kwargs)


def test_a_finite_sum_is_the_model_it_writes_out():
    f, model, index = own(smoothness=float(np.linalg.norm(X.T @ X / N, 2))), OBJECTIVES["least_squares"], np.array([1, 1, 4])
    assert value(f, AT) == pytest.approx(value(model, AT))
    np.testing.assert_allclose(gradient(f, AT), gradient(model, AT))
    np.testing.assert_allclose(f.batch(index).gradient(AT), model.batch(index).gradient(AT))
    assert f.batch(index).value(AT) == pytest.approx(model.batch(index).value(AT))
    assert repr(f) == "finite_sum(n=7, shape=(4,))" and f.n == N
    check_objective(f, gh.Simplex(D))


def test_other_solvers_take_a_finite_sum_too():
    S = gh.Simplex(D)
    best = gh.minimize(OBJECTIVES["least_squares"], S, stop=gh.Gap(1e-9)).value
    assert gh.minimize(own(), S, stop=gh.Gap(1e-7)).value == pytest.approx(best, abs=1e-6)


def test_nonsense_is_refused():
    fine = (lambda w, i: 0.0, lambda w, i: w)
    for n in (0, -1, 2.5, True, None):
        with pytest.raises(gh.GreedyhullError, match="at least one"):
            finite_sum(*fine, n, 3)
    with pytest.raises(gh.GreedyhullError, match="value must be a function"):
        finite_sum(1.0, fine[1], 3, 3)
    f = finite_sum(fine[0], lambda w, i: np.zeros((len(i), 3)), 5, 3)
    with pytest.raises(gh.GreedyhullError, match="mean over the index"):
        f.batch(np.array([0, 1])).gradient(np.zeros(3))


def test_the_user_s_functions_cannot_change_the_point_nor_the_estimate():
    kept = np.zeros(D)

    def spoil(w, i):
        w[0] = 1.0

    with pytest.raises(ValueError, match="read-only"):
        finite_sum(spoil, spoil, N, D).batch(np.array([0])).gradient(np.zeros(D))

    def same_array(w, i):
        kept[:] = X[i].mean(axis=0)
        return kept

    f = finite_sum(lambda w, i: float(X[i].mean(axis=0) @ w), same_array, N, D)
    first = f.batch(np.array([0])).gradient(AT)
    f.batch(np.array([1])).gradient(AT)
    np.testing.assert_array_equal(first, X[0])
