"""Rates of related stochastic methods. Those marked *as published* were not derived again here; the others were.

k counts from one, w_1 is the start and e_k = f(w_k) - f*. L is the smoothness of the terms: in the mean square
(E‖∇f_i(x) - ∇f_i(y)‖² <= L²‖x - y‖²) unless something else is said; D is the diameter of the hull. The method of Lu and
Freund is said to have O(1/k) once k is a multiple of n; we know no usable constant, so it has no function here.
"""

import math
from typing import Literal

import numpy as np

from greedyhull.errors import check
from greedyhull.theory.bound import K, above_zero, at_least, counts, curvature, like
from greedyhull.theory.rates import harmonic

__all__ = ["SOURCES", "momentum_rate", "online_cg_rate", "spider_gap", "spider_rate", "storc_rate", "storm_rate", "svfw_gap",
           "svrf_epoch_rate", "svrf_rate"]

Source = Literal["derived", "as published"]


def svrf_rate(L: float, D: float, k: K) -> K:
    """SVRF without restarts: E e_k <= 4LD²/(k + 1) for k >= 2; the terms are convex and L-smooth on the whole space.

    Snapshots at k = 1, 2, 4, 8, ..., batches of 48(k + 1), steps 2/(k + 1). Proof: the variance is at most
    4L(e_k + e_s)/b_k for a snapshot at s with s + 1 >= (k + 1)/2; with C = 4LD² it is at most 12LC/((k + 1) b_k), so the noise
    of a step is D√a <= LD²/(k + 1), as much as its curvature, and C/(k + 1) goes on: (1 - 2/x)C/x + C/x² <= C/(x + 1).
    It begins with e_2 <= LD²/2, since the first gradient is exact and the first step 1. Nothing bounds e_1.

    >>> svrf_rate(L=1.0, D=2.0, k=99)
    0.16
    """
    at_least(0, L=L, D=D)
    return like(k, 4 * (L * D * D) / (counts(k, first=2) + 1))


def svrf_epoch_rate(L: float, D: float, epoch: K) -> K:
    """SVRF in the epochs of Hazan and Luo, 2^{t+3} - 2 steps in epoch t: E e <= LD²/2^{t+1} after it.

    The terms are convex and L-smooth on the whole space; batches of 48(k + 1) are enough, the paper has 96(k + 1).

    >>> svrf_epoch_rate(L=1.0, D=2.0, epoch=4)
    0.125
    """
    at_least(0, L=L, D=D)
    return like(epoch, L * D * D * np.exp2(-counts(epoch, first=0) - 1))


def spider_rate(L: float, D: float, k: K) -> K:
    """SPIDER-FW with doubling epochs, batches as large as the epoch and steps 2/(k + 1): E e_k <= 10LD²/(k + 1), k >= 2.

    Proof: in the epoch that begins at s the variance is at most (k - s)/s (2LD/(s + 1))², and s + 1 >= (k + 1)/2, so that the
    noise of a step is D√a <= 4LD²/(k + 1); with the curvature the step adds at most 10LD²/(k + 1)².

    >>> spider_rate(L=1.0, D=2.0, k=99)
    0.4
    """
    at_least(0, L=L, D=D)
    return like(k, 10 * (L * D * D) / (counts(k, first=2) + 1))


def spider_gap(L: float, D: float, e1: float, T: K) -> K:
    """SPIDER-FW for f that need not be convex: epochs and batches of ⌈√n⌉, steps T^-1/2: mean gap <= (e_1 + 1.5LD²)/√T.

    Proof: an epoch of b steps with batches of b keeps √a <= LDη.

    >>> spider_gap(L=1.0, D=2.0, e1=4.0, T=100)
    1.0
    """
    at_least(0, L=L, D=D, e1=e1)
    return like(T, (e1 + 1.5 * L * D * D) / np.sqrt(counts(T, first=1)))


def svfw_gap(L: float, D: float, e1: float, T: K, gamma: float = 1 / math.sqrt(3)) -> K:
    """SVFW for f that need not be convex, T steps γ/√T: mean gap <= (e_1/γ + 1.5LD²γ)/√T in expectation.

    Snapshots every ⌈n^{1/3}⌉ steps and batches of ⌈n^{2/3}⌉. Proof: the point is within (⌈n^{1/3}⌉ - 1)Dη of its snapshot, so
    √a <= LDη and a step adds at most 1.5LD²η². The best γ is √(e_1/(1.5LD²)), which gives √(6LD²e_1/T). The n^{1/3}ε^-2
    terms that were announced for such methods would need smaller batches, for which we know no proof.

    >>> svfw_gap(L=1.0, D=2.0, e1=2.0, T=48)
    1.0
    """
    at_least(0, L=L, D=D, e1=e1)
    above_zero(gamma=gamma)
    n = counts(T, first=1)
    check(bool(np.all(gamma <= np.sqrt(n))), f"gamma = {gamma:g} makes steps γ/√T above 1. Take a smaller gamma.")
    return like(T, (e1 / gamma + 1.5 * L * D * D * gamma) / np.sqrt(n))


def storm_rate(M: float, L: float, D: float, sigma: float, b: float, k: K, c: float = 0.0) -> K:
    """One-sample Frank-Wolfe, ρ_k = η_k = 1/k: E e_k <= 2D(σ + LD)/√(b(k - 1)) + (M/2 + c) H_{k-1}/(k - 1), k >= 2.

    Proof: (1 - 1/k)η_{k-1} = 1/k, so k²a_k <= (k - 1)²a_{k-1} + (σ + LD)²/b and a_k <= (σ + LD)²/(bk). Then
    k E_{k+1} = (k - 1)E_k + D√a_k + (M/2 + c)/k is summed, with Σ k^-1/2 <= 2√k.

    >>> storm_rate(M=0.0, L=1.0, D=1.0, sigma=1.0, b=4, k=101)
    0.2
    """
    at_least(0, L=L, D=D, sigma=sigma, c=c)
    above_zero(b=b)
    t = counts(k, first=2) - 1
    with np.errstate(over="ignore", invalid="ignore"):
        return like(k, 2 * D * (sigma + L * D) / np.sqrt(b * t) + (curvature(M) / 2 + c) * harmonic(t) / t)


def momentum_rate(L: float, D: float, sigma: float, e1: float, k: K, first_error: float | None = None) -> K:
    """Momentum SFW (Mokhtari, Hassani, Karbasi), as published: E e_k <= Q/(k + 8)^{1/3} with ρ_k = 4/(k + 7)^{2/3}, η_k = 1/k.

    Q = max{9^{1/3}e_1, LD²/2 + 2D max{2‖∇f(w_1) - g_1‖, √(16σ² + 2L²D²)}}, L the smoothness of f, single terms.
    ``first_error`` is ‖∇f(w_1) - g_1‖, σ if it is not given (then it holds in the mean square only).

    >>> round(momentum_rate(L=1.0, D=1.0, sigma=0.0, e1=0.0, k=992, first_error=0.0), 4)
    0.3328
    """
    start = sigma if first_error is None else first_error
    at_least(0, L=L, D=D, sigma=sigma, e1=e1, first_error=start)
    noise = max(2 * start, math.hypot(4 * sigma, math.sqrt(2) * L * D))
    Q = max(9 ** (1 / 3) * e1, L * D * D / 2 + 2 * D * noise)
    return like(k, Q / (counts(k, first=1) + 8) ** (1 / 3))


def storc_rate(L: float, D: float, epoch: K) -> K:
    """STORC (Hazan, Luo), as published: E e <= LD²/2^{t+1} after epoch t.

    Its lemma on gradient sliding, e(y_k) <= 8LD_t²/(k(k + 1)), was taken over; given it, batches of 346N_t (where the
    gradient vanishes at the optimum), or 278N_t + 8N_tG(k + 1)/(LD), are enough in the place of 900N_t and 700N_t + ....

    >>> storc_rate(L=1.0, D=2.0, epoch=4)
    0.125
    """
    return svrf_epoch_rate(L, D, epoch)


def online_cg_rate(D: float, G: float, T: K) -> K:
    """Online conditional gradient (Hazan), as published: regret <= 8DG T^{3/4}, so the mean point has 8DG T^-1/4.

    Subgradients of length at most G, gradient weight D/(2GT^{3/4}), steps min(1, 2/√t).

    >>> online_cg_rate(D=2.0, G=1.0, T=10000)
    1.6
    """
    at_least(0, D=D, G=G)
    return like(T, 8 * (D * G) * counts(T, first=1) ** -0.25)


SOURCES: dict[str, Source] = {
    **dict.fromkeys(("svrf_rate", "svrf_epoch_rate", "spider_rate", "spider_gap", "svfw_gap", "storm_rate"), "derived"),
    **dict.fromkeys(("momentum_rate", "storc_rate", "online_cg_rate"), "as published")}
