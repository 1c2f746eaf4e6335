"""Steps η_k and batches b_k of stochastic Jones and Frank-Wolfe, and the bound that each schedule gives.

A schedule turns ``noise`` = r_S σ, ``bend`` and e_1, the constants of `greedyhull.theory.stochastic`, into a bound after t
steps.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from greedyhull.errors import check
from greedyhull.theory.arguments import LONGEST, Array, K, above_zero, at_least, counts, error, like, number, numbers, steps
from greedyhull.theory.rates import _harmonic, rate
from greedyhull.theory.recursion import per_step

FAR = 100_000  # steps after which the search for a constant gives up


class BatchSchedule(Protocol):
    """How steps and batches go with k, and what that gives."""

    def bound(self, noise: float, bend: float, e1: float, t: K) -> K: ...


@dataclass(frozen=True)
class FixedHorizon:
    """b_k = t and η_k = γ/√t for k = 1, ..., t: the mean of w_1, ..., w_t has (e_1/γ + noise + γ bend)/√t.

    Proof: sum the inequality over k, divide by Σ η_k = γ√t. The best γ is √(e_1/bend).

    >>> FixedHorizon(gamma=0.5).bound(noise=1.0, bend=2.0, e1=0.5, t=100)
    0.3
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        above_zero(gamma=self.gamma)

    @classmethod
    def best(cls, bend: float, e1: float) -> "FixedHorizon":
        """γ = √(e_1/bend)."""
        above_zero(bend=bend, e1=e1)
        return cls(math.sqrt(e1 / bend))

    def bound(self, noise: float, bend: float, e1: float, t: K) -> K:
        n = counts(t, first=1)
        check(
            bool(np.all(self.gamma <= np.sqrt(n))),
            f"gamma = {self.gamma:g} makes steps γ/√t above 1 at t = {np.min(n):g}: they would leave the hull. "
            f"Take t >= {np.ceil(self.gamma * self.gamma):.15g}, or a smaller gamma.",
        )
        noise, bend, e1 = checked(noise, bend, e1)
        return like(t, (e1 / self.gamma + noise + self.gamma * bend) / np.sqrt(n))

    mean_gap = bound  # the same sum, before g_k >= e_k is used

    def printed(self, B: float, e1: float, t: K) -> K:
        """(e_1 + B)/√t: the theorem as printed, with γ = 1."""
        return like(t, (e1 + B) / np.sqrt(counts(t, first=1)))


@dataclass(frozen=True)
class AnytimeAverage:
    """b_k >= k and η_k = k^-1/2: the mean of w_1, ..., w_t with weights η_k has (e_1 + (noise + bend) H_t)/Σ k^-1/2.

    H_t = 1 + 1/2 + ... + 1/t. The sum below is about 2√t, so the bound is half the printed one, and has a logarithm.

    >>> round(AnytimeAverage().bound(noise=1.0, bend=1.0, e1=1.0, t=100), 4)
    0.6119
    """

    def bound(self, noise: float, bend: float, e1: float, t: K) -> K:
        n = counts(t, first=1)
        B, e1 = sums(noise, bend, e1)
        return like(t, (e1 + B * _harmonic(n)) / power_sum(0.5, n))

    mean_gap = bound

    def printed(self, B: float, e1: float, t: K) -> K:
        """(e_1 + B (ln t + 1))/√t: the theorem as printed."""
        n = counts(t, first=1)
        return like(t, (e1 + B * (np.log(n) + 1)) / np.sqrt(n))


@dataclass(frozen=True)
class LastIterate:
    """η_k = k^-p with p in [0, 1) and b_k >= η_k^-2: E e_k <= K_p B k^-p for k >= 2, B = noise + bend.

    No logarithm, no averaging, no e_1: the first step is 1. K_p (`constant`) is √2 for p = 1/2, attained at k = 2, and at most
    1/(1 - p). Here ``t`` is the index k of the point.

    >>> round(LastIterate().bound(noise=1.0, bend=2.0, e1=9.0, t=64), 6) == round(3 * 2**0.5 / 8, 6)
    True
    """

    p: float = 0.5

    def __post_init__(self) -> None:
        check(
            0 <= number("p", self.p) < 1,
            f"p is {self.p}, but the last-iterate bound needs steps k^-p with p in [0, 1): its constant grows like 1/(1 - p). "
            "Take p < 1, for instance 1/2.",
        )

    def bound(self, noise: float, bend: float, e1: float, t: K) -> K:
        n = counts(t, first=2)
        return like(t, self.constant * sums(noise, bend, e1)[0] * n**-self.p)

    @property
    def constant(self) -> float:
        """K_p, the largest x_k k^p over k >= 2 for x_2 = 1 and x_{k+1} = (1 - k^-p) x_k + k^-2p; in the limit that is 1.

        E e_k <= B x_k: by induction from e_2 <= B. A K > 1 with x_k <= K k^-p goes on to k + 1 if k^(1-p) >= pK/(K - 1), for
        k^-p - (k + 1)^-p <= p k^-(p+1); so from there on the largest so far is the largest of all. Where that is too far to
        go, which is for p close to 1, 1/(1 - p) serves, with which it goes on from k = 2.

        >>> [round(LastIterate(p).constant, 4) for p in (0.0, 0.25, 0.5, 0.75, 0.9)]
        [1.0, 1.1892, 1.4142, 1.7548, 2.5721]
        """
        return _largest(self.p)


@dataclass(frozen=True)
class BetterSchedule:
    """η_k = 2/(k + 2), k from zero, and b_k >= (noise/(τ η_k))²: E e_k <= 4(bend + τ)/(k + 2) after k steps.

    Proof: the noise is <= τ η_k², so Theorem 2 holds with B = bend + τ. An error ε then takes about (16/3) noise²
    (bend + τ)³/(τ² ε³) terms and O(1/ε) oracle calls, instead of ε^-4 and ε^-2; the best τ is 2 bend.

    >>> BetterSchedule(tau=2.0).bound(noise=5.0, bend=1.0, e1=9.0, t=58)
    0.2
    >>> BetterSchedule(tau=2.0).batch(noise=5.0, k=8)
    157
    """

    tau: float

    def __post_init__(self) -> None:
        above_zero(tau=self.tau)

    @classmethod
    def best(cls, bend: float) -> "BetterSchedule":
        """τ = 2 bend."""
        above_zero(bend=bend)
        return cls(2 * bend)

    def batch(self, noise: float, k: int) -> int:
        """b_k, the smallest batch that is large enough at step k, counted from zero."""
        at_least(0, noise=noise)
        root = noise * (k + 2) / (2 * self.tau)
        check(math.isfinite(root * root), f"A noise of {noise:g} beside τ = {self.tau:g} asks for infinite batches. Take a "
                                          "larger tau.")
        return max(1, math.ceil(root * root))

    def bound(self, noise: float, bend: float, e1: float, t: K) -> K:
        return rate(0.0, bend + self.tau, t)


@dataclass(frozen=True, eq=False)
class AsRecorded:
    """Any steps η_1, ..., η_t and batches b_1, ..., b_t: (e_1 + noise Σ η_k b_k^-1/2 + bend Σ η_k²)/Σ η_k.

    It bounds the mean of w_1, ..., w_t with weights η_k, and the mean of their gaps. Batches of distinct terms out of
    ``n`` count for b (n - 1)/(n - b).

    >>> round(AsRecorded([0.1] * 100, 100).bound(noise=1.0, bend=1.0, e1=1.0, t=100), 6)
    0.3
    """

    eta: npt.ArrayLike
    batch: npt.ArrayLike
    n: int | None = None

    def bound(self, noise: float, bend: float, e1: float, t: K) -> K:
        eta = np.atleast_1d(steps(self.eta))
        b = per_step("batch", numbers("batch", self.batch), eta.size)
        noise, bend, e1 = checked(noise, bend, e1)
        check(bool(np.all(b >= 1)), f"A batch of {b.min():g} terms was given; at least one is wanted.")
        m = counts(t, first=1)
        check(
            bool(np.all(m <= eta.size)) and float(eta[0]) > 0,
            f"The record has {eta.size} steps, the first of them {eta[0]:g}; a bound after {np.max(m):g} needs as many, and a "
            "first step above 0. Pass all steps.",
        )
        spread = np.sqrt(1.0 / b) if self.n is None else np.sqrt(_shrunk(self.n, b) / b)
        total = e1 + noise * np.cumsum(eta * spread) + bend * np.cumsum(eta**2)
        return like(t, (total / np.cumsum(eta))[m.astype(int) - 1])

    mean_gap = bound


@lru_cache(maxsize=64)
def _largest(p: float) -> float:
    """K_p: see `LastIterate.constant`."""
    x, K, k, always = 1.0, 2.0**p, 2, 1.0 / (1.0 - p)
    while K > 1.0 and k < FAR and k ** (1.0 - p) < p * K / (K - 1.0):
        x, k = (1.0 - k**-p) * x + k ** (-2.0 * p), k + 1
        K = max(K, x * k**p)
    return always if k >= FAR else min(K, always)


def checked(noise: float, bend: float, e1: float) -> tuple[float, float, float]:
    """The three, if none is negative or not a number."""
    return error("noise", noise), error("bend", bend), error("e1", e1)


def sums(noise: float, bend: float, e1: float) -> tuple[float, float]:
    """B = noise + bend, and e_1."""
    noise, bend, e1 = checked(noise, bend, e1)
    return noise + bend, e1


def without_replacement(sigma: float, n: int, b: float) -> float:
    """σ √((n - b)/(n - 1)): what stands for σ where the b terms of a batch are distinct ones out of n; 0 for b >= n.

    >>> without_replacement(sigma=2.0, n=101, b=76)
    1.0
    """
    at_least(0, sigma=sigma)
    return sigma * math.sqrt(shrunk(n, b))


def _shrunk(n: int, b: Array) -> Array:
    """`shrunk` for every batch of a record."""
    return np.where(b >= n, 0.0, 1.0 if math.isinf(n) or n == 1 else (n - np.minimum(b, n)) / (n - 1.0))


def power_sum(p: float, t: Array) -> Array:
    """Σ k^-p over k = 1, ..., t for every t."""
    longest = float(np.max(t, initial=1.0))
    check(longest <= LONGEST, f"t is {longest:g}, and a sum of t terms is needed. Pass t up to {LONGEST}.")
    whole = np.asarray(t).astype(int)
    return np.asarray(np.cumsum(np.arange(1.0, np.max(whole, initial=1) + 1.0) ** -p)[whole - 1])


def shrunk(n: int, b: float) -> float:
    check(n >= 1 and b >= 1, f"A batch of {b:g} terms out of {n} was given; at least one of each is wanted.")
    return 0.0 if b >= n else 1.0 if math.isinf(n) else (n - b) / (n - 1)
