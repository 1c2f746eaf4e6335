"""Regularised stochastic Frank-Wolfe (ARSFW) for nonsmooth f: its two lemmas, its theorem, and a version without a log.

F_k(w) = Σ_{i<k} σ_i g_i·w + Φ(w), with Φ ρ-strongly convex and w_1 its minimiser over W; w*_k minimises F_k over W, and
e_k = F_k(w_k) - F_k(w*_k). R² = max over W of Φ - Φ(w_1), L bounds all subgradients, and ε_k <= c_ε η_k. M_Φ is the
curvature of Φ, which is that of every F_k: for Φ = ½‖w - w_1‖² it is D², at most 8R²/ρ. (The print has 2R²/ρ, which is
false: ‖w - w'‖² <= (2/ρ)(Φ(w) - Φ(w')) holds only from the minimiser w'. On a ball it is 4 against 1.)

The theorem in corrected form: with Q = M_Φ/2 + c_ε, η_k = k^-p and σ_k <= c η_k^{3/2}, e_k <= K η_k (`arsfw_K`), and

    E f(w̄_t) - f* <= [L √(2K/ρ) Σ σ_k √η_k + (L²/2ρ) Σ σ_k² + R²]/Σ σ_k,   w̄ the mean with weights σ_k.

Proof: with g_k a subgradient at w_k, h_k(w_k) - h_k(w*) <= g_k·(w*_k - w*) + L ‖w_k - w*_k‖; the first part is the lazy
lemma, the second is at most L √(2e_k/ρ) by strong convexity. No function has to exist outside W.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from greedyhull.errors import check
from greedyhull.theory.bound import Array, K, above_zero, at_least, counts, known, like, steps, tolerances
from greedyhull.theory.rates import per_step
from greedyhull.theory.stochastic import power_sum

__all__ = ["ConstantWeights", "UniformAverage", "VariableWeights", "arsfw", "arsfw_K", "arsfw_K_printed", "arsfw_along",
           "arsfw_best_c", "arsfw_printed", "arsfw_rate1", "arsfw_rate1_printed", "arsfw_recursion", "lazy_regret",
           "lazy_regret_printed"]


def lazy_regret(sigma: npt.ArrayLike, g: npt.ArrayLike, rho: float, R2: float) -> float:
    """Lemma lazy, sharp: Σ σ_k g_k·(w*_k - w) <= ½ Σ σ_k² ‖g_k‖²/ρ + R² for every w in W; ``g`` are the norms ‖g_k‖.

    Proof: F_{k+1}(w*_k) - F_{k+1}(w*_{k+1}) <= σ g·Δ - (ρ/2)‖Δ‖² <= σ²‖g‖²/(2ρ) with Δ = w*_k - w*_{k+1}, since F_k at
    w*_{k+1} is above its minimum by (ρ/2)‖Δ‖²; telescope. Attained at t = 1 by w = -σg where Φ = ½‖w‖².

    >>> lazy_regret(sigma=[0.5, 0.5], g=2.0, rho=1.0, R2=0.5)
    1.5
    """
    above_zero(rho=rho)
    at_least(0, R2=R2)
    weights = np.atleast_1d(tolerances(sigma))
    norms = np.atleast_1d(tolerances(g))
    count = max(weights.size, norms.size) if weights.size and norms.size else 0
    with np.errstate(over="ignore", invalid="ignore"):
        weighted = per_step("sigma", weights, count) * per_step("g", norms, count)
        return known(0.5 * float(np.sum(weighted**2)) / rho + R2)


def lazy_regret_printed(sigma: npt.ArrayLike, g: npt.ArrayLike, rho: float, R2: float) -> float:
    """Lemma lazy as printed, with 2 in the place of ½: true, and four times too large.

    >>> lazy_regret_printed(sigma=[0.5, 0.5], g=2.0, rho=1.0, R2=0.5)
    4.5
    """
    return 4 * (lazy_regret(sigma, g, rho, R2) - R2) + R2


def arsfw_K(c: float, L: float, rho: float, Q: float, p: float = 0.5) -> float:
    """Lemma arsfw-recurrence: e_k <= K η_k with √K = a + √((Q + c²L²/ρ)/(1 - p) + a²), a = cL/(√(2ρ)(1 - p)).

    For η_k = k^-p, p in [0, 1), σ_k <= cη_k^{3/2}, e_1 = 0, Q = M_Φ/2 + c_ε. Proof: A <= B + C√A gives
    A <= B + C²/2 + C √(B + C²/4); with e_k <= Kη_k the next error is at most
    Kη_k + η_k²(-K + Q + c²L²/ρ + √(2/ρ) cL √K), and Kη_{k+1} >= Kη_k - pKη_k². At p = 1 there is no such K.

    >>> arsfw_K(c=0.0, L=1.0, rho=1.0, Q=2.0, p=0.5)
    4.0
    """
    at_least(0, c=c, L=L, Q=Q)
    above_zero(rho=rho)
    _check_power(p)
    pull = c * L / math.sqrt(rho)
    a = pull / (math.sqrt(2) * (1 - p))
    root = a + math.sqrt((Q + pull * pull) / (1 - p) + a * a)
    return root * root


def arsfw_K_printed(c: float, L: float, rho: float, R2: float, lam: float = 1.0, p: float = 0.5) -> float:
    """K as printed: λR²/ρ for Q. Too small for what it is used for: e_k <= Kη_k fails, by a factor of 2.9 at p = 0.05.

    Replacing λ by λ + 3 repairs it. The printed final bounds are true all the same: λ + 3 <= 4λ, so √K at most
    doubles, and 3L in them leaves room for 2L.

    >>> arsfw_K_printed(c=0.0, L=1.0, rho=1.0, R2=0.5)
    1.0
    """
    check(lam >= 1, f"lam is {lam}, but ε_k = (λ - 1)R²/ρ η_k needs λ >= 1. Pass 1 for an exact oracle.")
    above_zero(rho=rho)
    return arsfw_K(c, L, rho, lam * R2 / rho, p)


def arsfw_recursion(eta: npt.ArrayLike, perturbation: npt.ArrayLike, rho: float, M_Phi: float, eps: npt.ArrayLike = 0.0,
                    e1: float = 0.0) -> Array:
    """Bounds on e_1, ..., e_{t+1} for any steps η_k and ``perturbation`` σ_k‖g_k‖, the change of F's gradient at step k.

    e_{k+1} <= (C/2 + √(B + C²/4))² with B = (1 - η)e_k + ηε_k + (M_Φ/2)η² and C = √(2/ρ) σ_k‖g_k‖. Proof: Lemma 2 on F_k,
    then σ_k g_k·(w_{k+1} - w*_{k+1}) <= C √e_{k+1}.

    >>> arsfw_recursion([1.0, 0.5], 0.0, rho=1.0, M_Phi=4.0)
    array([0. , 2. , 1.5])
    """
    above_zero(rho=rho)
    at_least(0, M_Phi=M_Phi, e1=e1)
    eta = np.atleast_1d(steps(eta))
    moved = per_step("perturbation", tolerances(perturbation), eta.size)
    allowed = per_step("eps", tolerances(eps), eta.size)
    e = np.empty(eta.size + 1)
    e[0] = e1
    with np.errstate(over="ignore", invalid="ignore"):
        for k, step in enumerate(eta):
            B, C = (1 - step) * e[k] + step * allowed[k] + M_Phi / 2 * step**2, moved[k] / math.sqrt(rho) * math.sqrt(2)
            e[k + 1] = np.square(C / 2 + np.sqrt(B + C * C / 4))
    known(float(e.max()))
    return e


def arsfw_along(eta: npt.ArrayLike, sigma: npt.ArrayLike, g: npt.ArrayLike, *, rho: float, M_Phi: float, R2: float,
                eps: npt.ArrayLike = 0.0) -> float:
    """The theorem for any steps and weights: [Σ σ_k‖g_k‖ √(2e_k/ρ) + ½ Σ σ_k²‖g_k‖²/ρ + R²]/Σ σ_k, e_k by the recursion.

    ``g`` are norms of the subgradients, or a bound L of them. Nothing is asked of η and σ.

    >>> round(arsfw_along([1.0], [1.0], 1.0, rho=1.0, M_Phi=4.0, R2=0.5), 3)
    1.0
    """
    above_zero(rho=rho)
    sigma = np.atleast_1d(tolerances(sigma))
    norms = per_step("g", tolerances(g), sigma.size)
    with np.errstate(over="ignore", invalid="ignore"):
        e = arsfw_recursion(eta, sigma * norms, rho, M_Phi, eps)[:-1]
        per_step("eta", e, sigma.size)
        total = float(np.sum(sigma))
        above_zero(total_of_sigma=total)
        followed = float(np.sum(sigma * norms * np.sqrt(2 * e / rho)))
        return known((followed + lazy_regret(sigma, norms, rho, R2)) / total)


def arsfw_rate1(sigma: npt.ArrayLike, *, c: float, L: float, rho: float, M_Phi: float, R2: float, c_eps: float = 0.0,
                p: float = 0.5) -> float:
    """The corrected theorem for weights σ_1, ..., σ_t with σ_k <= c k^{-3p/2}, and η_k = k^-p.

    >>> round(arsfw_rate1([0.5], c=0.5, L=1.0, rho=1.0, M_Phi=4.0, R2=0.5), 3)
    5.412
    """
    sigma, eta = _weights(sigma, c, p)
    root = math.sqrt(2 * arsfw_K(c, L, rho, M_Phi / 2 + c_eps, p) / rho)
    return known((L * root * float(sigma @ np.sqrt(eta)) + lazy_regret(sigma, L, rho, R2)) / float(np.sum(sigma)))


def arsfw_rate1_printed(sigma: npt.ArrayLike, *, c: float, L: float, rho: float, R2: float, lam: float = 1.0,
                        p: float = 0.5) -> float:
    """The theorem's first bound as printed, (3L√(2K/ρ) + 2cL²/ρ) Σ σ_k√η_k/Σ σ_k + R²/Σ σ_k: true for p < 1, and loose.

    >>> round(arsfw_rate1_printed([0.5], c=0.5, L=1.0, rho=1.0, R2=0.5), 2)
    11.0
    """
    sigma, eta = _weights(sigma, c, p)
    total = float(np.sum(sigma))
    return known(_printed_constant(c, L, rho, R2, lam, p) * float(sigma @ np.sqrt(eta)) / total + R2 / total)


@dataclass(frozen=True)
class VariableWeights:
    """σ_k = c k^{-3p/2} and η_k = k^-p: an average for every t; for p = ½ the order is ln t/t^{1/4}."""

    p: float = 0.5

    def __post_init__(self) -> None:
        _check_power(self.p)

    def bound(self, c: float, L: float, rho: float, Q: float, R2: float, t: K) -> K:
        n, p = counts(t, first=1), self.p
        root = math.sqrt(2 * arsfw_K(c, L, rho, Q, p) / rho)
        near, squares = c * power_sum(2 * p, n), c * c * power_sum(3 * p, n)
        return like(t, (L * root * near + L * L / (2 * rho) * squares + R2) / (c * power_sum(1.5 * p, n)))

    def printed(self, c: float, L: float, rho: float, R2: float, lam: float, t: K) -> K:
        """(3L√(2K/ρ) + 2cL²/ρ)(ln t + 1)/t^{1/4} + R²/(c t^{1/4}), for p = ½ and σ_k = c k^{-3/4}, not less."""
        check(self.p == 0.5, f"The second printed bound is for p = 1/2, not {self.p}. Ask arsfw_rate1_printed().")
        n = counts(t, first=1)
        return like(t, (_printed_constant(c, L, rho, R2, lam, 0.5) * (np.log(n) + 1) + R2 / c) / n**0.25)


@dataclass(frozen=True)
class ConstantWeights:
    """σ_k = c t^{-3/4} for a horizon t, η_k = k^{-1/2}: ((4/3)L√(2K/ρ) + R²/c) t^{-1/4} + (cL²/2ρ) t^{-3/4}."""

    def bound(self, c: float, L: float, rho: float, Q: float, R2: float, t: K) -> K:
        n = counts(t, first=1)
        root = math.sqrt(2 * arsfw_K(c, L, rho, Q) / rho)
        return like(t, (4 / 3 * L * root + R2 / c) * n**-0.25 + c * L * L / (2 * rho) * n**-0.75)

    def printed(self, c: float, L: float, rho: float, R2: float, lam: float, t: K) -> K:
        return like(t, (4 / 3 * _printed_constant(c, L, rho, R2, lam, 0.5) + R2 / c) * counts(t, first=1) ** -0.25)


@dataclass(frozen=True)
class UniformAverage:
    """ARSFW-U, ours: ∇Φ(w_k) + ḡ_k/β_k with ḡ_k = Σ_{i<k} g_i, β_k = k^{3/4}/c, η_k = k^{-1/2}, and the plain mean.

    (R²/c + (4/3)L√(2K_U/ρ)) t^{-1/4} + (2cL²/ρ) t^{-3/4} for every t, without a logarithm; K_U is K at 1.75c. Proof: with
    growing β_k the lazy lemma reads Σ g_k·(w*_k - w) <= β_t R² + Σ ‖g_k‖²/(2ρβ_k), and the gradient of F changes by at most
    L/β_{k+1} + (k - 1)L(1/β_k - 1/β_{k+1}) <= 1.75 cLη_k^{3/2} in a step.
    """

    def bound(self, c: float, L: float, rho: float, Q: float, R2: float, t: K) -> K:
        n = counts(t, first=1)
        root = math.sqrt(2 * arsfw_K(1.75 * c, L, rho, Q) / rho)
        return like(t, (R2 / c + 4 / 3 * L * root) * n**-0.25 + 2 * c * L * L / rho * n**-0.75)


WeightSchedule = VariableWeights | ConstantWeights | UniformAverage  # how the weights go with k, and what that gives


def arsfw(schedule: WeightSchedule, t: K, *, c: float, L: float, M_Phi: float, R2: float, rho: float = 1.0,
          c_eps: float = 0.0) -> K:
    """The corrected theorem ARSFW: a bound on E f(w̄_t) - f*, for the weights of ``schedule``.

    >>> round(arsfw(ConstantWeights(), 10**4, c=0.5, L=1.0, M_Phi=4.0, R2=0.5), 4)
    0.6552
    """
    above_zero(c=c, rho=rho)
    at_least(0, L=L, M_Phi=M_Phi, R2=R2, c_eps=c_eps)
    with np.errstate(over="ignore", invalid="ignore"):
        return schedule.bound(c, L, rho, M_Phi / 2 + c_eps, R2, t)


def arsfw_printed(schedule: "VariableWeights | ConstantWeights", t: K, *, c: float, L: float, R2: float, rho: float = 1.0,
                  lam: float = 1.0) -> K:
    """The second (variable weights) or third (constant weights) bound of theorem ARSFW as printed: true, and looser.

    >>> round(arsfw_printed(ConstantWeights(), 10**4, c=0.5, L=1.0, R2=0.5), 4)
    1.4333
    """
    above_zero(c=c, rho=rho)
    at_least(0, L=L, R2=R2)
    check(isinstance(schedule, VariableWeights | ConstantWeights),
          f"{schedule!r} is not in the printed theorem. Ask arsfw() for it.")
    with np.errstate(over="ignore", invalid="ignore"):
        return schedule.printed(c, L, rho, R2, lam, t)


def arsfw_best_c(schedule: WeightSchedule, t: int, **constants: float) -> float:
    """The c that makes ``arsfw(schedule, t, c=c, ...)`` least, found numerically. It has the units of R/L.

    >>> round(arsfw_best_c(ConstantWeights(), 10**4, L=1.0, M_Phi=4.0, R2=0.5), 3)
    0.356
    """
    L, R2 = constants.get("L", 0.0), constants.get("R2", 0.0)
    above_zero(L=L, R2=R2)
    from scipy.optimize import minimize_scalar

    def at(x: float) -> float:
        return float(arsfw(schedule, float(t), c=math.sqrt(R2) / L * math.exp(x), **constants))

    grid = np.linspace(-14.0, 14.0, 113)  # log c around R/L; then a search between the neighbours of the best
    i = int(np.clip(np.argmin([at(x) for x in grid]), 1, len(grid) - 2))
    found: Any = minimize_scalar(at, bounds=(grid[i - 1], grid[i + 1]), method="bounded", options={"xatol": 1e-9})
    return math.sqrt(R2) / L * math.exp(float(found.x))


def _printed_constant(c: float, L: float, rho: float, R2: float, lam: float, p: float) -> float:
    return 3 * L * math.sqrt(2 * arsfw_K_printed(c, L, rho, R2, lam, p) / rho) + 2 * c * L * L / rho


def _check_power(p: float) -> None:
    check(0 <= p < 1, f"p is {p}, but ARSFW needs steps k^-p with p in [0, 1): at p = 1 its constant K is infinite, although "
                      "the print admits it. Take p = 1/2.")


def _weights(sigma: npt.ArrayLike, c: float, p: float) -> tuple[Array, Array]:
    above_zero(c=c)
    _check_power(p)
    weights = np.atleast_1d(tolerances(sigma))
    check(weights.size > 0, "No weights σ_k were given. Pass one for each step.")
    eta = np.arange(1.0, weights.size + 1.0) ** -p
    wrong = np.flatnonzero(weights > c * eta**1.5 * (1 + 1e-12))
    k = int(wrong[0]) if wrong.size else 0
    check(wrong.size == 0, f"The weight σ_{k + 1} is {weights[k]:g}, above c k^(-3p/2) = {c * eta[k] ** 1.5:g}: the theorem "
                           "does not apply. Take a larger c, or ask arsfw_along(), which takes any weights.")
    above_zero(total_of_sigma=float(np.sum(weights)))
    return weights, eta
