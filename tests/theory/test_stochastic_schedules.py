"""Theorem ASJ and its Frank-Wolfe twin: each schedule's bound, against the recursion it solves and against runs."""

import math

import numpy as np
import pytest

from greedyhull import theory
from greedyhull.errors import GreedyhullError
from greedyhull.theory import AnytimeAverage, AsRecorded, BetterSchedule, FixedHorizon, LastIterate

GIVEN = {"M": 3.0, "sigma": 2.0, "r_S": 1.5, "c": 0.4}
FAMILIES = {"jones": (theory.asj, 3.0 + 0.4), "fw": (theory.asfw, 1.5 + 0.4)}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("p", [0.0, 0.3, 0.5, 0.9])
def test_last_iterate_solves_the_recursion(family, p):
    bound, bend = FAMILIES[family]
    k = np.arange(1.0, 400.0)
    E = theory.recursion(2 * bend, k**-p, 3.0 * k**-p, e0=50.0)  # noise r_Sσ/√b with b = η^−2
    got = bound(LastIterate(p), np.arange(2, 401), **GIVEN)
    assert np.all(E[1:] <= got * (1 + 1e-12))
    assert bound(LastIterate(0.5), 100, **GIVEN) == pytest.approx(math.sqrt(2) * (3.0 + bend) / 10)


@pytest.mark.parametrize("p, K", [(0.0, 1.0), (0.25, 2**0.25), (0.5, math.sqrt(2)), (0.75, 1.75477), (0.9, 2.57207)])
def test_the_constant_of_the_last_iterate_is_the_largest_of_its_recursion(p, K):
    assert LastIterate(p).constant == pytest.approx(K, abs=5e-5)
    k = np.arange(1.0, 20_000.0)
    x = theory.recursion(2.0, k**-p)[1:] * (k + 1.0) ** p
    assert x.max() == pytest.approx(LastIterate(p).constant) and x[-1] < 1.05 * max(1.0, x[-1000])


@pytest.mark.parametrize("p", [0.97, 0.999, 1 - 1e-9])
def test_the_constant_close_to_one_is_still_true(p):
    k = np.arange(1.0, 20_000.0)
    x = theory.recursion(2.0, k**-p)[1:] * (k + 1.0) ** p
    assert x.max() <= LastIterate(p).constant * (1 + 1e-12) and LastIterate(p).constant <= 1 / (1 - p)


@pytest.mark.parametrize("family", FAMILIES)
def test_averages_are_the_telescoped_sum(family):
    bound, bend = FAMILIES[family]
    t, e1 = 60, 0.7
    horizon = AsRecorded(np.full(t, t**-0.5), t)
    assert bound(FixedHorizon(), t, e1=e1, **GIVEN) == pytest.approx(bound(horizon, t, e1=e1, **GIVEN))
    k = np.arange(1.0, t + 1)
    anytime = AsRecorded(k**-0.5, k)
    assert bound(AnytimeAverage(), t, e1=e1, **GIVEN) == pytest.approx(bound(anytime, t, e1=e1, **GIVEN))
    gamma = FixedHorizon.best(bend, e1)
    values = [bound(FixedHorizon(g), t, e1=e1, **GIVEN) for g in (0.9 * gamma.gamma, gamma.gamma, 1.1 * gamma.gamma)]
    assert min(values) == values[1]


def test_nonconvex_gap_with_the_best_steps():
    M, c, e1, t = 3.0, 0.4, 0.7, 100
    best = FixedHorizon(math.sqrt(2 * e1 / (M + 2 * c)))
    got = theory.asfw_gap(best, t, M=M, sigma=2.0, r_S=1.5, c=c, e1=e1)
    assert got == pytest.approx((3.0 + math.sqrt(2 * e1 * (M + 2 * c))) / math.sqrt(t))
    assert theory.asj_gap(FixedHorizon(), t, M=M, sigma=2.0, r_S=1.5, c=c, e1=e1) == pytest.approx((e1 + 3.0 + 3.4) / 10)


def test_better_schedule_has_the_rate_and_the_fewest_terms():
    noise, M = 5.0, 2.0
    for bend, tau in ((M, 2 * M), (M / 2, M)):
        assert BetterSchedule.best(bend).tau == tau
        terms = {}
        for share in (0.5, 1.0, 2.0):  # terms until the bound is ε
            schedule, eps = BetterSchedule(share * tau), 1e-3
            K = math.ceil(4 * (bend + share * tau) / eps)
            terms[share] = sum((noise * (k + 2) / (2 * schedule.tau)) ** 2 for k in range(K))
            spread = [noise / math.sqrt(schedule.batch(noise, k)) for k in range(200)]
            E = theory.recursion(2 * bend, 2 / (np.arange(200) + 2.0), spread)
            assert np.all(E[1:] <= schedule.bound(noise, bend, np.inf, np.arange(1, 201)) * (1 + 1e-12))
        assert min(terms, key=terms.get) == 1.0
    assert terms[1.0] == pytest.approx(18 * noise**2 * M / 1e-3**3, rel=1e-2)


def test_printed_is_true_and_looser():
    for schedule in (FixedHorizon(), AnytimeAverage()):
        for t in (1, 10, 1000):
            sharp = theory.asj(schedule, t, e1=1.0, M=1.0, sigma=2.0, r_S=1.0)
            assert sharp <= theory.asj_printed(schedule, t, e1=1.0, M=1.0, L=2.0, D=2.0)
    printed = theory.asj_printed(AnytimeAverage(), 100, e1=1.0, M=1.0, L=2.0, D=2.0)
    assert printed == pytest.approx((1 + 5 * (math.log(100) + 1)) / 10)


def test_without_replacement():
    rng = np.random.default_rng(0)
    g = rng.normal(size=(10, 3))
    sigma = math.sqrt(((g - g.mean(axis=0)) ** 2).sum(axis=1).mean())
    seen = [((g[rng.choice(10, 4, replace=False)].mean(axis=0) - g.mean(axis=0)) ** 2).sum() for _ in range(20000)]
    assert np.mean(seen) == pytest.approx(theory.without_replacement(sigma, 10, 4) ** 2 / 4, rel=0.03)
    assert theory.without_replacement(sigma, 10, 10) == 0.0


@pytest.mark.parametrize("build, words", [
    (lambda: LastIterate(1.0), r"p is 1.0.*\[0, 1\).*1/\(1 - p\)"),
    (lambda: FixedHorizon(0.0), "gamma is 0.0"),
    (lambda: BetterSchedule(-1.0), "tau is -1.0"),
    (lambda: theory.asj(FixedHorizon(3.0), 4, e1=1.0, **GIVEN), r"steps γ/√t above 1.*t >= 9"),
    (lambda: theory.asj(LastIterate(), 1, **GIVEN), "k >= 2"),
    (lambda: theory.asfw_gap(LastIterate(), 9, **GIVEN), "nothing of the gaps"),
    (lambda: theory.asj_printed(LastIterate(), 9, M=1.0, L=1.0, D=1.0), "not in the printed theorem"),
    (lambda: theory.asj(LastIterate(), 9, M=np.inf, sigma=1.0, r_S=1.0), "infinite"),
    (lambda: theory.asj(LastIterate(), 9, M=1.0, sigma=-1.0, r_S=1.0), "sigma is -1.0"),
    (lambda: theory.asj(AsRecorded([0.5], 0.5), 1, e1=1.0, **GIVEN), "at least one is wanted"),
    (lambda: theory.asj(AsRecorded([0.5], 2), 3, e1=1.0, **GIVEN), "The record has 1 steps"),
], ids=["p", "gamma", "tau", "long steps", "k", "gap of last", "printed last", "M", "sigma", "empty batch", "short record"])
def test_conditions_are_refused_in_words(build, words):
    with pytest.raises(GreedyhullError, match=words):
        build()


# --- runs with the worst oracle that the tolerance admits ---------------------------------------------------------


class Game:
    """Least squares over random atoms: f_i = ½(a_i·w - y_i)²; batches with replacement."""

    def __init__(self, seed=3, n=25, d=4, m=12):
        rng = np.random.default_rng(seed)
        self.A, self.y, self.S = rng.normal(size=(n, d)), rng.normal(size=n), rng.normal(size=(m, d))
        H = self.A.T @ self.A / n
        apart = self.S[:, None] - self.S[None]
        self.M = float(np.einsum("ijk,kl,ijl->ij", apart, H, apart).max())
        G = (self.S @ self.A.T - self.y)[:, :, None] * self.A[None]
        self.sigma = math.sqrt(((G - G.mean(axis=1, keepdims=True)) ** 2).sum(axis=2).mean(axis=1).max())
        self.r_S = float(np.linalg.norm(self.S - self.S.mean(axis=0), axis=1).max())  # around the mean: an upper bound
        w = self.S.mean(axis=0)
        for _ in range(20000):  # f*, to a hair
            g = self.grad(w, slice(None))
            d_ = self.S[int((self.S @ g).argmin())]
            eta = float(np.clip(g @ (w - d_) / max(((self.A @ (w - d_)) ** 2).mean(), 1e-12), 0, 1))
            w = w + eta * (d_ - w)
        g = self.grad(w, slice(None))
        self.lower = self.value(w) - float(g @ w - (self.S @ g).min())

    def value(self, w):
        return 0.5 * float(((self.A @ w - self.y) ** 2).mean())

    def grad(self, w, I):
        return self.A[I].T @ (self.A[I] @ w - self.y[I]) / len(self.y[I])

    def gap(self, w):
        g = self.grad(w, slice(None))
        return float(g @ w - (self.S @ g).min())

    def run(self, family, eta, batch, c, T, rng):
        """Errors of w_1, ..., w_{T+1}, of the η-weighted mean, and the weighted mean gap."""
        w, mean, gap, total, errors = self.S[0], 0.0, 0.0, 0.0, [self.value(self.S[0]) - self.lower]
        for k in range(1, T + 1):
            I, step = rng.integers(len(self.y), size=batch(k)), eta(k)
            g = self.grad(w, I)
            images = (1 - step) * (self.A[I] @ w)[:, None] + step * self.A[I] @ self.S.T
            ends = 0.5 * ((images - self.y[I][:, None]) ** 2).mean(axis=0)
            scores = self.S @ g
            good = scores <= scores.min() + c * step if family == "fw" else ends <= ends.min() + c * step**2
            full = [self.value((1 - step) * w + step * s) if ok else -np.inf for s, ok in zip(self.S, good, strict=True)]
            mean, total, gap = mean + step * w, total + step, gap + step * self.gap(w)
            w = (1 - step) * w + step * self.S[int(np.argmax(full))]
            errors.append(self.value(w) - self.lower)
        return np.array([*errors, self.value(mean / total) - self.lower, gap / total])


@pytest.fixture(scope="module")
def game():
    return Game()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("schedule", [FixedHorizon(), AnytimeAverage(), LastIterate(0.5), BetterSchedule(4.0)], ids=repr)
def test_mean_of_runs_is_below_the_bound(game, family, schedule):
    T, c, e1 = 40, 0.5, game.value(game.S[0]) - game.lower
    noise = game.r_S * game.sigma
    eta, batch = {
        FixedHorizon: (lambda k: T**-0.5, lambda k: T),
        AnytimeAverage: (lambda k: k**-0.5, lambda k: k),
        LastIterate: (lambda k: k**-0.5, lambda k: k),
        BetterSchedule: (lambda k: 2 / (k + 1), lambda k: min(schedule.batch(noise, k - 1), 4000)),
    }[type(schedule)]
    rng = np.random.default_rng(1)
    seen = np.array([game.run(family, eta, batch, c, T, rng) for _ in range(20)])
    mean, error = seen.mean(axis=0), seen.std(axis=0, ddof=1) / math.sqrt(20)
    given = {"M": game.M, "sigma": game.sigma, "r_S": game.r_S, "c": c, "e1": e1}
    bound = FAMILIES[family][0]
    if isinstance(schedule, (FixedHorizon, AnytimeAverage)):
        assert mean[-2] <= bound(schedule, T, **given) + 3 * error[-2]
        gap = theory.asj_gap if family == "jones" else theory.asfw_gap
        assert mean[-1] <= gap(schedule, T, **given) + 3 * error[-1]
        k, bend = np.arange(1.0, T + 1), c + (game.M if family == "jones" else game.M / 2)
        steps = np.array([eta(i) for i in k])  # Σ η_k e_k ≤ e_1 + Σ η_k(r_Sσ/√b_k + η_k·bend), and nothing more is lost
        lost = e1 + steps @ (noise / np.sqrt([batch(i) for i in k]) + bend * steps)
        assert bound(schedule, T, **given) == pytest.approx(lost / steps.sum())
    elif isinstance(schedule, LastIterate):
        k = np.arange(2, T + 2)
        assert np.all(mean[1 : T + 1] <= bound(schedule, k, **given) + 3 * error[1 : T + 1])
    else:
        k = np.arange(1, T + 1)
        assert np.all(mean[1 : T + 1] <= bound(schedule, k, **given) + 3 * error[1 : T + 1])


def test_noise_term_is_needed():
    """f_i = (μ + σξ_i)w on [-1, 1]: the noise r_Sσ/√b of one step is tight within a factor of three."""
    rng, sigma, b = np.random.default_rng(0), 1.0, 4
    mu = 0.61 * sigma / math.sqrt(b)
    sample = mu + sigma * rng.normal(size=(40000, b)).mean(axis=1)
    lost = mu * (-np.sign(sample)).mean() + mu  # E ∇f·(d - u), u = -1
    assert 0.3 < lost / (sigma / math.sqrt(b)) < 1.0
