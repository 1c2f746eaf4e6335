"""Theorem ARSFW and its lemmas: sharp forms, what is wrong in print, and games that play against them."""

import math

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import theory
from greedyhull.errors import GreedyhullError
from greedyhull.theory import ConstantWeights, UniformAverage, VariableWeights

GIVEN = {"c": 0.4, "L": 1.3, "rho": 1.0, "R2": 0.5}


def leader_regret(g, sigma, w):
    """Σ σ_k g_k·(w*_k - w) on the unit ball with Φ = ½‖w‖², whose leader is the projection of -Σ σ_i g_i."""
    total, regret = np.zeros(g.shape[1]), 0.0
    for gk, s in zip(g, sigma, strict=True):
        leader = -total / max(1.0, float(np.linalg.norm(total)))
        regret += s * gk @ (leader - w)
        total = total + s * gk
    return regret


def test_lazy_lemma_is_attained_at_one_step():
    g, sigma = np.array([[0.6, -0.3]]), [0.8]
    w = -sigma[0] * g[0]
    phi = 0.5 * float(w @ w)
    assert leader_regret(g, sigma, w) == pytest.approx(theory.lazy_regret(sigma, np.linalg.norm(g), 1.0, phi))


def test_lazy_lemma_holds_for_random_sequences():
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(300):
        t = int(rng.integers(1, 12))
        g, sigma = rng.normal(size=(t, 3)), rng.random(t)
        norms = np.linalg.norm(g, axis=1)
        total = sigma @ g
        w = -total / max(1.0, float(np.linalg.norm(total)))
        bound = theory.lazy_regret(sigma, norms, 1.0, 0.5 * float(w @ w))
        worst = max(worst, leader_regret(g, sigma, w) / bound)
        assert bound <= theory.lazy_regret_printed(sigma, norms, 1.0, 0.5)
    assert worst <= 1 + 1e-12
    assert worst > 0.9


def test_curvature_of_the_regularised_function_on_a_ball_is_four():
    """F_k is ½‖w‖² and a linear part on the unit ball: M = D² = 4, where the print has 2R²/ρ = 1."""
    got = gh.quadratic(np.eye(3), np.array([1.0, 2.0, 3.0])).curvature(gh.L2Ball(3, 1.0))
    table = theory.constants(gh.hinge(np.eye(3), [1, -1, 1]), gh.L2Ball(3, 1.0))
    assert got.value == pytest.approx(4.0) == table.M_Phi.value
    assert table.R2.value == pytest.approx(0.5)


def interval(p, c, L, stop, T=400):
    """The game on [-1, 1]: g = -L until |ḡ| reaches ``stop``, then 0. The largest e_k/η_k."""
    w, total, most = 0.0, 0.0, 0.0
    for k in range(1, T + 1):
        eta = k**-p
        leader = np.clip(-total, -1, 1)
        most = max(most, (total * w + w * w / 2 - total * leader - leader**2 / 2) / eta)
        d = -1.0 if total + w > 0 else 1.0
        w = (1 - eta) * w + eta * d
        total -= c * eta**1.5 * L if abs(total) < stop else 0.0
    return most


def test_printed_K_fails_and_the_corrected_one_holds():
    most = interval(p=0.05, c=0.01, L=1.0, stop=0.99)
    assert most > 2.5 * theory.arsfw_K_printed(0.01, 1.0, 1.0, 0.5, 1.0, 0.05)
    for p in (0.01, 0.05, 0.1, 0.3, 0.5):
        for c in (0.003, 0.03, 0.3):
            for stop in (0.5, 0.95, 1.0):
                assert interval(p, c, 1.0, stop, T=200) <= theory.arsfw_K(c, 1.0, 1.0, 2.0, p)


@pytest.mark.parametrize("p", [0.0, 0.2, 0.5, 0.8])
def test_K_bounds_the_recursion_and_nearly_is_it(p):
    c, L, rho, Q = 0.4, 1.3, 0.7, 1.1
    k = np.arange(1.0, 3000.0)
    eta = k**-p
    e = theory.arsfw_recursion(eta, c * L * eta**1.5, rho, 2 * Q)
    K = theory.arsfw_K(c, L, rho, Q, p)
    assert np.all(e[:-1] <= K * eta)
    assert theory.arsfw_K_printed(c, L, rho, Q * rho, 1.0, p) == pytest.approx(K)


def test_lambda_plus_three_repairs_the_printed_K():
    lam, R2, rho = 1.5, 0.5, 1.0  # the ball: M_Φ = 8R²/ρ, c_ε = (λ - 1)R²/ρ
    assert theory.arsfw_K(0.3, 1.0, rho, 8 * R2 / rho / 2 + (lam - 1) * R2 / rho) == pytest.approx(
        theory.arsfw_K_printed(0.3, 1.0, rho, R2, lam + 3))


@pytest.mark.parametrize("c", [0.01, 0.3, 5.0])
@pytest.mark.parametrize("lam", [1.0, 3.0])
def test_printed_bounds_are_true_because_the_corrected_ones_are_smaller(c, lam):
    given = {"c": c, "L": 1.3, "rho": 1.0, "R2": 0.5}
    ours = {**given, "M_Phi": 4.0, "c_eps": (lam - 1) * 0.5}
    for t in (1, 7, 1000):
        for schedule in (VariableWeights(), ConstantWeights()):
            assert theory.arsfw(schedule, t, **ours) <= theory.arsfw_printed(schedule, t, lam=lam, **given)
        sigma = c * np.arange(1.0, t + 1) ** -0.75
        first = theory.arsfw_rate1(sigma, **ours)
        assert first == pytest.approx(theory.arsfw(VariableWeights(), t, **ours))
        assert first <= theory.arsfw_rate1_printed(sigma, lam=lam, **given)
        eta = np.arange(1.0, t + 1) ** -0.5
        eps = (lam - 1) * 0.5 * eta
        assert theory.arsfw_along(eta, sigma, 1.3, rho=1.0, M_Phi=4.0, R2=0.5, eps=eps) <= first * (1 + 1e-9)
        flat = np.full(t, c * t**-0.75)
        assert theory.arsfw_rate1(flat, **ours) <= theory.arsfw(ConstantWeights(), t, **ours) * (1 + 1e-12)


def test_best_c():
    given = {"L": 1.3, "M_Phi": 4.0, "R2": 0.5}
    for schedule in (VariableWeights(), ConstantWeights(), UniformAverage()):
        c = theory.arsfw_best_c(schedule, 1000, **given)
        least = theory.arsfw(schedule, 1000, c=c, **given)
        assert all(least <= theory.arsfw(schedule, 1000, c=c * s, **given) * (1 + 1e-9) for s in (0.1, 0.9, 1.1, 10.0))
        scaled = theory.arsfw_best_c(schedule, 1000, L=2.6, M_Phi=4.0, R2=0.5)
        assert scaled == pytest.approx(c / 2, rel=1e-4), "c has the units of R/L"


def play(schedule, t, c, rng):
    """mean |x_i - w| over [-1, 1] by ARSFW, plain: the error of the averaged point."""
    x = np.array([-0.9, 0.2, 0.3, 0.4, 0.8])
    w = total = mean = weight = 0.0
    for k in range(1, t + 1):
        eta = k**-0.5
        sigma, scale = {VariableWeights: (c * k**-0.75, 1.0), ConstantWeights: (c * t**-0.75, 1.0),
                        UniformAverage: (1.0, c * k**-0.75)}[type(schedule)]
        g = np.sign(w - x[rng.integers(5)]) or 1.0
        d = -1.0 if scale * total + w > 0 else 1.0
        mean, weight = mean + sigma * w, weight + sigma
        total += sigma * g
        w = (1 - eta) * w + eta * d
    return float(np.abs(x - mean / weight).mean() - np.abs(x - 0.3).mean())


@pytest.mark.parametrize("schedule", [VariableWeights(), ConstantWeights(), UniformAverage()], ids=repr)
@pytest.mark.parametrize("c", [0.2, 2.0])
def test_mean_of_runs_is_below_the_bound(schedule, c):
    rng = np.random.default_rng(0)
    for t in (10, 300):
        seen = np.array([play(schedule, t, c, rng) for _ in range(25)])
        bound = theory.arsfw(schedule, t, c=c, L=1.0, M_Phi=4.0, R2=0.5)
        assert seen.mean() <= bound + 3 * seen.std(ddof=1) / 5


def test_uniform_average_has_no_logarithm():
    t = np.array([10**2, 10**4, 10**6])
    given = {"c": 0.3, "L": 1.0, "M_Phi": 4.0, "R2": 0.5}
    scaled = theory.arsfw(UniformAverage(), t, **given) * t**0.25
    assert scaled.max() < 1.3 * scaled.min()
    K = theory.arsfw_K(1.75 * 0.3, 1.0, 1.0, 2.0)
    assert scaled[-1] == pytest.approx(0.5 / 0.3 + 4 / 3 * math.sqrt(2 * K), rel=1e-3)
    k = np.arange(1.0, 10000.0)  # the change of ḡ_k/β_k in a step
    change = (k + 1) ** -0.75 + (k - 1) * (k**-0.75 - (k + 1) ** -0.75)
    assert np.all(change <= 1.75 * k**-0.75)


@pytest.mark.parametrize("build, words", [
    (lambda: theory.arsfw_K(0.1, 1.0, 1.0, 1.0, p=1.0), r"p is 1.0.*p in \[0, 1\).*infinite.*print admits it"),
    (lambda: VariableWeights(1.0), r"p in \[0, 1\)"),
    (lambda: theory.arsfw_rate1([1.0, 1.0], c=1.0, L=1.0, rho=1.0, M_Phi=1.0, R2=1.0), "weight σ_2 is 1, above"),
    (lambda: theory.arsfw(VariableWeights(), 3, c=0.0, L=1.0, M_Phi=1.0, R2=1.0), "c is 0.0"),
    (lambda: theory.arsfw_printed(UniformAverage(), 3, c=1.0, L=1.0, R2=1.0), "not in the printed theorem"),
    (lambda: theory.arsfw_printed(VariableWeights(0.3), 3, c=1.0, L=1.0, R2=1.0), "p = 1/2, not 0.3"),
    (lambda: theory.arsfw_K_printed(0.1, 1.0, 1.0, 1.0, lam=0.5), "λ >= 1"),
    (lambda: theory.lazy_regret([1.0], 1.0, 0.0, 1.0), "rho is 0.0"),
], ids=["K", "weights", "sigma", "c", "uniform", "p", "lambda", "rho"])
def test_conditions_are_refused_in_words(build, words):
    with pytest.raises(GreedyhullError, match=words):
        build()
