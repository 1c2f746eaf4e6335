"""The expected-error engine: every estimator's recursion bounds its sampled error, and every name its bound."""

import math

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import theory
from greedyhull.errors import GreedyhullError
from greedyhull.objectives.minibatches import Sampler, Source
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.solvers.gradients import Dual, Minibatch, Momentum, Root, Saga, Spider, Storm, Svrg
from greedyhull.solvers.gradients.base import ArrayState
from greedyhull.solvers.parts.schedules import constant, linear
from greedyhull.theory import Along
from greedyhull.theory.stochastic import following

RNG = np.random.default_rng(11)
X = RNG.standard_normal((60, 4))
Y = X @ np.array([1.0, -0.5, 0.0, 0.0]) + 0.3 * RNG.standard_normal(60)
F, S = gh.least_squares(X, Y), gh.L1Ball(4, 1.2)
TABLE = theory.constants(F, S)
OPEN, ONE = [2 / (k + 1) for k in range(1, 26)], [1 / k for k in range(1, 26)]


def full(x):
    return np.asarray(F.gradient(CoordinateIterate(x)), dtype=float)


class Noting:
    """The estimator, its a_k written down."""

    def __init__(self, estimator):
        self.estimator, self.a = estimator, []

    def noise(self, at):
        for a in self.estimator.variance(at):
            self.a.append(a)
            yield math.sqrt(a) * at["r_S" if self.estimator.unbiased else "D"]


def sampled(estimator, eta, runs=60):
    """‖g - ∇f‖² and (∇f - g)·(d - u) of every step of ``runs`` runs."""
    squares, noise = np.zeros((2, runs, len(eta)))
    for s in range(runs):
        estimate = estimator.start(Source(F, Sampler(F.n, np.random.default_rng(s))))
        x = np.zeros(4)
        for k, step in enumerate(eta, start=1):
            g, true = estimate(x, k), full(x)
            d, u = np.zeros((2, 4))
            S.argmin(g).add_to(d, 1.0)
            S.argmin(true).add_to(u, 1.0)
            squares[s, k - 1], noise[s, k - 1] = ((g - true) ** 2).sum(), (true - g) @ (d - u)
            x = (1 - step) * x + step * d
    return squares, noise


def below(values, bound):
    mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / math.sqrt(len(values))
    assert np.all(mean <= np.asarray(bound) + 3 * error + 1e-12)
    return mean


@pytest.mark.parametrize("eta", [OPEN, ONE], ids=["open loop", "1/k"])
@pytest.mark.parametrize("estimator", [
    Minibatch(3), Minibatch(3, replace=False), Minibatch(linear()), Momentum(3), Momentum(2, constant(0.3)), Storm(3),
    Storm(2, constant(0.2)),
    Spider(), Spider(3, 5), Spider(4, Root(0.5)), Svrg(4, 6), Svrg(Root(2 / 3), Root(1 / 3)), Saga(3), Saga(20),
], ids=repr)
def test_variance_recursion_bounds_the_sampled_variance(estimator, eta):
    noting = Noting(estimator)
    following(noting, Along(TABLE, F.n, 5.0), eta)
    squares, noise = sampled(estimator, eta)
    seen = below(squares, noting.a)
    reach = float(TABLE.r_S if estimator.unbiased else TABLE.D)
    below(noise, reach * np.sqrt(noting.a))
    assert np.all((np.array(noting.a) > 0) | (seen < 1e-20)), "and says zero only where the gradient is exact"


@pytest.mark.parametrize("b", [3, 20, 60])
def test_dual_noise_bounds_what_it_costs(b):
    at, estimator = Along(TABLE, F.n, 5.0), Dual(b)
    nu = []

    class Seen:
        def noise(self, at):
            for value in estimator.noise(at):
                nu.append(value)
                yield value

    following(Seen(), at, OPEN)
    _, noise = sampled(estimator, OPEN)
    below(noise, nu)
    assert list(at.used) == (["M", "D_1", "D_inf"])


@pytest.mark.parametrize("slack", [1, 4])
def test_svrg_with_convex_terms_obeys_the_error_based_variance(slack):
    """E‖g - ∇f‖² <= 4L(e + e_snapshot)/b at every point, averaged over batches."""
    lower = gh.minimize(F, S, stop=gh.Gap(1e-10)).certificate.lower
    value = lambda x: 0.5 * float(((X @ x - Y) ** 2).mean()) - lower
    L = float(TABLE.L_max)
    for _ in range(20):
        x, y = (RNG.dirichlet(np.ones(9))[:4] * 1.2 * np.sign(RNG.normal(size=4)) for _ in range(2))
        G = X * (X @ (x - y))[:, None]
        variance = ((G - G.mean(axis=0)) ** 2).sum(axis=1).mean() / slack
        assert variance <= 4 * L * (value(x) + value(y)) / slack


def test_engine_is_lemma_2_without_noise():
    exact = theory.expected_error(Minibatch(60), OPEN, TABLE, n=60, e1=2.0, eps=0.1)
    np.testing.assert_allclose(exact, theory.recursion(float(TABLE.M), OPEN, 0.1, 2.0))


def test_closed_forms_dominate_the_engine():
    K = {"M": 1.0, "D": 1.0, "r_S": 1.0, "L_s": 1.0, "L_max": 1.0, "L_F": 1.0, "sigma": 0.7}
    k = np.arange(2, 402)
    eta = 2 / np.arange(2.0, 402.0)
    for estimator, bound in ((Svrg(), theory.svrf_rate), (Spider(), theory.spider_rate)):
        E = theory.expected_error(estimator, eta, K, n=10**9, e1=7.0)
        assert np.all(E[1:] <= bound(1.0, 1.0, k))
    assert E[0] > theory.svrf_rate(1.0, 1.0, 2), "nothing is said of the start"
    only = {name: value for name, value in K.items() if name != "L_s"}
    E = theory.expected_error(Svrg(), eta, only, n=10**9, e1=7.0)
    assert np.all(E[1:] <= theory.svrf_rate(1.0, 1.0, k))
    assert E[-1] > 0.5 * theory.svrf_rate(1.0, 1.0, 401), "the closed form is no worse than twice the recursion"
    E = theory.expected_error(Storm(3), 1 / np.arange(1.0, 401.0), K, n=10**9, e1=7.0)
    assert np.all(E[1:] <= theory.storm_rate(1.0, 1.0, 1.0, 0.7, 3, k) * (1 + 1e-12))


@pytest.mark.parametrize("sigma", [0.1, 1.0, 5.0])
def test_published_momentum_rate_is_above_the_recursion(sigma):
    """Not a proof for all k, but what was published is supported by what is proved here."""
    K = {"M": 1.0, "D": 1.0, "L_F": 1.0, "sigma": sigma}
    E = theory.expected_error(Momentum(1), 1 / np.arange(1.0, 2001.0), K, n=None, e1=0.5)
    assert np.all(theory.momentum_rate(1.0, 1.0, sigma, 0.5, np.arange(1, 2002)) >= E)


def test_published_and_derived_rates_are_told_apart():
    assert set(theory.SOURCES) == {n for n in theory.__all__ if hasattr(theory, n) and n in theory.SOURCES}
    assert theory.SOURCES["momentum_rate"] == "as published" and theory.SOURCES["svrf_rate"] == "derived"
    for name, source in theory.SOURCES.items():
        assert ("as published" in getattr(theory, name).__doc__) == (source == "as published"), name


@pytest.mark.parametrize("e1, L, D", [(1.0, 2.0, 1.5), (0.1, 1.0, 3.0)])
def test_nonconvex_rates(e1, L, D):
    best = math.sqrt(e1 / (1.5 * L * D * D))
    assert theory.svfw_gap(L, D, e1, 400, best) == pytest.approx(math.sqrt(6 * L * D * D * e1 / 400))
    assert theory.svfw_gap(L, D, e1, 300) == pytest.approx(math.sqrt(3) * (e1 + L * D * D / 2) / math.sqrt(300))
    assert theory.svfw_gap(L, D, e1, 400) >= theory.svfw_gap(L, D, e1, 400, best)
    assert theory.spider_gap(L, D, e1, 400) == pytest.approx(theory.svfw_gap(L, D, e1, 400, 1.0))


# --- the eight names ----------------------------------------------------------------------------------------------


NAMES = ["minibatch", "momentum", "storm", "spider", "svrf", "svfw", "saga", "dual"]


@pytest.mark.parametrize("name", NAMES)
def test_mean_of_runs_is_below_all_bounds_in_expectation(name):
    make = getattr(gh.StochasticFrankWolfe, name)
    solver = make(horizon=40) if name == "svfw" else make()
    lower = gh.minimize(F, S, stop=gh.Gap(1e-10)).certificate.lower
    for k in (2, 41):
        runs = [gh.minimize(F, S, solver, stop=gh.Iterations(k), seed=s) for s in range(12)]
        assert {run.iterations for run in runs} == {k}
        errors = np.array([run.value - lower for run in runs])
        listed = runs[0].bounds()
        for bound in (b for b in listed if b.of == "error" and b.kind == "expectation"):
            assert errors.mean() <= bound.value + 3 * errors.std(ddof=1) / math.sqrt(12), bound
        assert listed.named("Expected error").holds == "expectation"


def test_mean_gap_of_asfw():
    """The mean of the gaps with the steps as weights, of all points of the run."""
    solver, T = gh.StochasticFrankWolfe(every=1), 30
    means = []
    for s in range(12):
        seen = []
        watch = lambda e, seen=seen: seen.append(e.point.array())
        run = gh.minimize(F, S, solver, stop=gh.Iterations(T + 1), seed=s, watch=watch)
        gaps = [gh.certify(F, S, x).gap for x in seen[:T]]
        eta = np.arange(1.0, T + 1) ** -0.5
        means.append(eta @ gaps / eta.sum())
    means = np.array(means)
    bound = run.bounds().named("mean gap")
    assert bound.of == "mean gap"
    assert means.mean() <= bound.value + 3 * means.std(ddof=1) / math.sqrt(12)


# --- what is refused ----------------------------------------------------------------------------------------------


def test_missing_constants_and_silent_estimators_are_refused():
    with pytest.raises(GreedyhullError, match="The constant sigma of this problem is unknown"):
        theory.expected_error(Minibatch(2), [0.5], {"M": 1.0, "r_S": 1.0}, n=9, e1=1.0)
    with pytest.raises(GreedyhullError, match="The constant L_s of this problem is unknown"):
        theory.expected_error(Svrg(2, 5), [0.5, 0.5], {"M": 1.0, "r_S": 1.0, "L_s": np.inf}, n=90, e1=1.0)

    class Silent:
        unbiased = True
        start = ArrayState

    with pytest.raises(GreedyhullError, match="does not say how large its errors are"):
        theory.expected_error(Silent(), [0.5], TABLE, n=9, e1=1.0)


def test_a_new_estimator_brings_its_own_recursion():
    class Off:
        unbiased = False

        def noise(self, at):
            while True:
                yield 0.1 * at["D"] / at.k

    got = theory.expected_error(Off(), [0.5, 0.5], {"M": 0.0, "D": 2.0}, n=None, e1=1.0)
    np.testing.assert_allclose(got, [1.0, 0.6, 0.35])


@pytest.mark.parametrize("estimator", [
    Minibatch(3), Minibatch(3, replace=False), Momentum(2, constant(0.3)), Storm(2, constant(0.3)),
], ids=repr)
def test_recursions_are_exact_for_linear_terms(estimator):
    """f_i = ξ_i·w: nothing bends, so that the recursion is not only a bound."""
    rng = np.random.default_rng(5)
    xi = rng.normal(size=(30, 3))
    f = gh.finite_sum(lambda w, i: float((xi[i] @ w).mean()), lambda w, i: xi[i].mean(axis=0), 30, 3)
    sigma = math.sqrt(((xi - xi.mean(axis=0)) ** 2).sum(axis=1).mean())
    noting = Noting(estimator)
    eta = np.full(8, 0.2)
    following(noting, Along({"M": 0.0, "D": 1.0, "r_S": 1.0, "sigma": sigma, "L_F": 0.0, "L_s": 0.0}, 30, 1.0), eta)
    squares = np.zeros((600, 8))
    for s in range(600):
        estimate = estimator.start(Source(f, Sampler(30, rng)))
        squares[s] = [((estimate(np.zeros(3), k) - xi.mean(axis=0)) ** 2).sum() for k in range(1, 9)]
    np.testing.assert_allclose(squares.mean(axis=0), noting.a, rtol=0.15)
