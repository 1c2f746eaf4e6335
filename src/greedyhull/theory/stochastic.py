"""Stochastic Jones and Frank-Wolfe: expected errors, batches that grow, their rates."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import SupportsFloat

import numpy as np
import numpy.typing as npt

from greedyhull.errors import GreedyhullError, check
from greedyhull.theory.bound import (
    BEYOND,
    LONGEST,
    Array,
    K,
    above_zero,
    at_least,
    constant,
    count,
    counts,
    curvature,
    error,
    like,
    number,
    numbers,
    steps,
    tolerances,
)
from greedyhull.theory.rates import harmonic, per_step, rate

__all__ = ["Along", "AnytimeAverage", "AsRecorded", "BetterSchedule", "FixedHorizon", "GrowingWeights", "LastIterate", "asfw",
           "asfw_gap", "asfw_line_search", "asj", "asj_gap", "asj_printed", "expect_rate", "expected_error",
           "without_replacement"]


def expect_rate(M: float, c: float, k: K, exact: bool = False) -> K:
    """If E[d_k | w_k] is a c-FW atom and η_k = 2/(k + 2), then E e_k <= (2M + 4c)/(k + 2), k >= 1; exactly as `rate`.

    The paper says O(1/k) and leaves the step and the constant open. Proof: ∇f(w_k)·(E d_k - w_k) <= -g_k + cη_k, so
    E e_{k+1} <= (1 - η_k) E e_k + (M/2 + c) η_k²: Theorem 2's recursion, for the means. The condition is sufficient only.

    >>> expect_rate(M=4.0, c=0.5, k=98)
    0.1
    """
    return rate(M, c, k, exact)


class Along:
    """Where a run is, as far as the error of an estimate depends on it: ``k``, the step ``eta`` before, E_k as ``error``.

    ``at["sigma"]`` is a constant of the problem, refused if it is infinite and noted in ``used``; ``at.known("L_max")``
    asks whether it is finite. ``n`` is the number of terms, None for a stream.
    """

    def __init__(self, constants: Mapping[str, SupportsFloat], n: int | None, e1: float) -> None:
        self.constants, self.used = constants, dict[str, float]()  # what was asked for is asked at every step
        self.n = None if n is None else count("n", n, first=1)
        self.k, self.eta, self.error = 1, 0.0, error("e1", e1)

    def __getitem__(self, name: str) -> float:
        if name in self.used:
            return self.used[name]
        value = constant(name, self.constants[name]) if name in self.constants else math.inf
        check(math.isfinite(value), f"The constant {name} of this problem is unknown or infinite, and the error of the "
                                    "gradient estimate is made of it. Pass it, or use an estimator that does not need it.")
        self.used[name] = value
        return value

    def known(self, name: str) -> bool:
        """Whether the constant is there and finite."""
        return name in self.constants and math.isfinite(constant(name, self.constants[name]))

    def sampled(self, b: float) -> float:
        """σ²/b, the variance of the mean of b independent terms; all n terms have none."""
        return 0.0 if self.n is not None and b >= self.n else self["sigma"] * self["sigma"] / b


def expected_error(estimator: object, eta: npt.ArrayLike, constants: Mapping[str, SupportsFloat], *, n: int | None, e1: float,
                   eps: npt.ArrayLike = 0.0) -> Array:
    """Bounds E_1, ..., E_{T+1} on the expected errors of stochastic Frank-Wolfe with this estimator and steps η_1, ..., η_T.

    ``constants`` are numbers by name, as far as the estimator needs them: M always, D or r_S; sigma (Minibatch, Momentum,
    Storm); L_s, the smoothness of the terms in the mean square (Storm, Spider, Svrg, Saga); L_F, that of f (Momentum); L_max,
    the largest of the terms everywhere (Svrg, if f is convex); D_1 and D_inf (Dual). ``eps`` are the tolerances ε_k.

    >>> from greedyhull.solvers.gradients import Minibatch
    >>> expected_error(Minibatch(4), [1.0, 0.5], {"M": 2.0, "sigma": 1.0, "r_S": 1.0}, n=100, e1=9.0)
    array([9.  , 1.5 , 1.25])
    """
    return following(estimator, Along(constants, n, e1), eta, eps)


def following(estimator: object, at: Along, eta: npt.ArrayLike, eps: npt.ArrayLike = 0.0) -> Array:
    """`expected_error`, with ``at`` to tell afterwards which constants were used."""
    errors: Callable[[Along], Iterator[float]] | None = getattr(estimator, "noise", None)  # it needs no base class
    if errors is None:
        raise GreedyhullError(f"{estimator!r} does not say how large its errors are. Give it a method noise(at), or "
                              "variance(at) and the base class VarianceModel.")
    taken = np.atleast_1d(steps(eta))
    check(taken.ndim == 1, f"The steps have shape {taken.shape}; wanted is one row, η_1, ..., η_T. Pass one run at a time.")
    allowed = per_step("eps", tolerances(eps), taken.size)
    M, noise = curvature(at["M"]), errors(at)
    E = [at.error]
    for k, step in enumerate(taken.tolist(), start=1):
        at.k = k
        kept = 0.0 if step == 1 else (1 - step) * E[-1]  # a full step forgets even an unknown, infinite error
        E.append(kept + step * (next(noise) + float(allowed[k - 1])) + M / 2 * step**2)
        at.eta, at.error = step, E[-1]
    check(not any(map(math.isnan, E)), BEYOND)
    return np.array(E)


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
        above_zero(bend=bend, e1=e1)
        return cls(math.sqrt(e1 / bend))

    def bound(self, noise: float, bend: float, e1: float, t: K) -> K:
        n = counts(t, first=1)
        check(bool(np.all(self.gamma <= np.sqrt(n))),
              f"gamma = {self.gamma:g} makes steps γ/√t above 1 at t = {np.min(n):g}: they would leave the hull. "
              f"Take t >= {np.ceil(self.gamma * self.gamma):.15g}, or a smaller gamma.")
        noise, bend, e1 = checked(noise, bend, e1)
        return like(t, (e1 / self.gamma + noise + self.gamma * bend) / np.sqrt(n))

    mean_gap = bound  # the same sum, before g_k >= e_k is used

    def printed(self, B: float, e1: float, t: K) -> K:
        return like(t, (e1 + B) / np.sqrt(counts(t, first=1)))


@dataclass(frozen=True)
class AnytimeAverage:
    """b_k >= k and η_k = k^-1/2: the mean of w_1, ..., w_t with weights η_k has (e_1 + (noise + bend) H_t)/Σ k^-1/2.

    H_t = 1 + 1/2 + ... + 1/t. The sum below is about 2√t, so the bound is half the printed one, and has a logarithm.

    >>> round(AnytimeAverage().bound(noise=1.0, bend=1.0, e1=1.0, t=100), 4)
    0.6119
    """

    def bound(self, noise: float, bend: float, e1: float, t: K) -> K:
        n, (noise, bend, e1) = counts(t, first=1), checked(noise, bend, e1)
        return like(t, (e1 + (noise + bend) * harmonic(n)) / power_sum(0.5, n))

    mean_gap = bound

    def printed(self, B: float, e1: float, t: K) -> K:
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
        check(0 <= number("p", self.p) < 1, f"p is {self.p}, but the last-iterate bound needs steps k^-p with p in [0, 1): "
              "its constant grows like 1/(1 - p). Take p < 1, for instance 1/2.")

    def bound(self, noise: float, bend: float, e1: float, t: K) -> K:
        n, (noise, bend, e1) = counts(t, first=2), checked(noise, bend, e1)
        return like(t, self.constant * (noise + bend) * n**-self.p)

    @cached_property
    def constant(self) -> float:
        """K_p, the largest x_k k^p over k >= 2 for x_2 = 1 and x_{k+1} = (1 - k^-p) x_k + k^-2p; in the limit that is 1.

        E e_k <= B x_k: by induction from e_2 <= B. A K > 1 with x_k <= K k^-p goes on to k + 1 if k^(1-p) >= pK/(K - 1), for
        k^-p - (k + 1)^-p <= p k^-(p+1); so from there on the largest so far is the largest of all. Where that is too far to
        go, which is for p close to 1, 1/(1 - p) serves, with which it goes on from k = 2.

        >>> [round(LastIterate(p).constant, 4) for p in (0.0, 0.25, 0.5, 0.75, 0.9)]
        [1.0, 1.1892, 1.4142, 1.7548, 2.5721]
        """
        p, x, K, k, always, far = self.p, 1.0, 2.0**self.p, 2, 1.0 / (1.0 - self.p), 100_000
        while K > 1.0 and k < far and k ** (1.0 - p) < p * K / (K - 1.0):
            x, k = (1.0 - k**-p) * x + k ** (-2.0 * p), k + 1
            K = max(K, x * k**p)
        return always if k >= far else min(K, always)


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
        check(bool(np.all(m <= eta.size)) and float(eta[0]) > 0,
              f"The record has {eta.size} steps, the first of them {eta[0]:g}; a bound after {np.max(m):g} needs as many, and "
              "a first step above 0. Pass all steps.")
        spread = np.sqrt((1.0 if self.n is None else shrunk(self.n, b)) / b)
        total = e1 + noise * np.cumsum(eta * spread) + bend * np.cumsum(eta**2)
        return like(t, (total / np.cumsum(eta))[m.astype(int) - 1])

    mean_gap = bound


def checked(noise: float, bend: float, e1: float) -> tuple[float, float, float]:
    return error("noise", noise), error("bend", bend), error("e1", e1)


def without_replacement(sigma: float, n: int, b: float) -> float:
    """σ √((n - b)/(n - 1)): what stands for σ where the b terms of a batch are distinct ones out of n; 0 for b >= n.

    >>> without_replacement(sigma=2.0, n=101, b=76)
    1.0
    """
    at_least(0, sigma=sigma)
    return sigma * math.sqrt(shrunk(n, b))


def shrunk(n: int, b: float | Array) -> Array:
    """(n - b)/(n - 1), the share of the variance that a batch of b distinct terms out of n keeps; 0 for b >= n."""
    check(n >= 1 and bool(np.all(b >= 1)), f"A batch of {np.min(b):g} terms out of {n} was given; at least one of each is "
                                           "wanted.")
    return np.where(b >= n, 0.0, 1.0 if math.isinf(n) or n == 1 else (n - np.minimum(b, n)) / (n - 1.0))


def power_sum(p: float, t: Array) -> Array:
    """Σ k^-p over k = 1, ..., t for every t."""
    longest = float(np.max(t, initial=1.0))
    check(longest <= LONGEST, f"t is {longest:g}, and a sum of t terms is needed. Pass t up to {LONGEST}.")
    whole = np.asarray(t).astype(int)
    return np.asarray(np.cumsum(np.arange(1.0, np.max(whole, initial=1) + 1.0) ** -p)[whole - 1])


@dataclass(frozen=True)
class GrowingWeights:
    """b_k >= k and η_k = k^-1/2: the mean of w_1, ..., w_t with weights k has (e_1 + 3B(t - 1) + B Σ k^1/2)/(t(t + 1)/2).

    B = noise + bend. That is (4/3 + o(1))B/√t for every t, where weights η_k cost a factor ln t. It bounds the mean of the
    gaps with these weights as well. Proof: divide η_k g_k <= e_k - e_{k+1} + Bη_k², in the mean, by η_k, multiply by k and sum
    by parts: Σ k g_k <= Σ (k^3/2 - (k - 1)^3/2) e_k + B Σ k^1/2. The first bracket is 1 at k = 1 and at most (3/2)k^1/2, and
    e_k <= 2Bk^-1/2 for k >= 2 (`LastIterate`). Last, g_k >= e_k, and f of the mean is at most the mean of f.

    >>> round(GrowingWeights().bound(noise=1.0, bend=1.0, e1=1.0, t=100), 4)
    0.3837
    """

    def bound(self, noise: float, bend: float, e1: float, t: K) -> K:
        n, (noise, bend, e1) = counts(t, first=1), checked(noise, bend, e1)
        with np.errstate(over="ignore", invalid="ignore"):
            return like(t, (e1 + (noise + bend) * (3 * (n - 1) + power_sum(-0.5, n))) / (n * (n + 1) / 2))

    mean_gap = bound


Averaging = FixedHorizon | AnytimeAverage | AsRecorded | GrowingWeights  # schedules that speak of means, of gaps too
BatchSchedule = Averaging | LastIterate | BetterSchedule  # how steps and batches go with k, and what that gives


def asj(schedule: BatchSchedule, t: K, *, M: float, sigma: float, r_S: float, c: float = 0.0, e1: float = math.inf) -> K:
    """Theorem ASJ, sharpened: the expected error of approximate stochastic Jones, B = r_S σ + M + c.

    M is the curvature of f alone, where the print wants that of every term; r_S σ stands for D L. The same holds for the
    capped joint choice of atom and step, which minimises the batch over d and η in [0, η_k] (then the weights of averages
    are the caps η_k): in the proof w_{k+1} - w_k - η_k(v - w_k) still has length <= η_k r_S. Without the cap it fails.

    >>> round(asj(LastIterate(), 64, M=1.0, sigma=2.0, r_S=1.0), 4)
    0.5303
    """
    return _filled(schedule.bound, curvature(M) + c, sigma, r_S, c, e1, t)


def asfw(schedule: BatchSchedule, t: K, *, M: float, sigma: float, r_S: float, c: float = 0.0, e1: float = math.inf) -> K:
    """The expected error of approximate stochastic Frank-Wolfe: as `asj`, with B = r_S σ + M/2 + c.

    The paper remarks that such bounds exist and gives no constants.

    >>> round(asfw(LastIterate(), 64, M=2.0, sigma=2.0, r_S=1.0), 4)
    0.5303
    """
    return _filled(schedule.bound, curvature(M) / 2 + c, sigma, r_S, c, e1, t)


def asfw_line_search(schedule: BatchSchedule, t: K, *, M: float, M_mean: float, sigma: float, r_S: float, c: float = 0.0,
                     e1: float = math.inf) -> K:
    """ASFW that minimises the batch along d - w over [0, η_k]: as `asj`, with B = r_S σ + (M + M_mean)/2 + c.

    M_mean is the mean of the curvatures of the terms: here the batch is looked at beyond w_k in a direction that
    depends on it, so that its own curvature counts.

    >>> round(asfw_line_search(LastIterate(), 64, M=1.0, M_mean=1.0, sigma=2.0, r_S=1.0), 4)
    0.5303
    """
    return _filled(schedule.bound, (curvature(M) + curvature(M_mean)) / 2 + c, sigma, r_S, c, e1, t)


def asj_printed(schedule: "FixedHorizon | AnytimeAverage", t: K, *, M: float, L: float, D: float, c: float = 0.0,
                e1: float = math.inf) -> K:
    """Theorem ASJ as printed: B = D L + M + c with M the largest curvature of a term; true, and looser than `asj`.

    >>> asj_printed(FixedHorizon(), 100, M=1.0, L=2.0, D=2.0, e1=1.0)
    0.6
    """
    check(isinstance(schedule, FixedHorizon | AnytimeAverage), f"{schedule!r} is not in the printed theorem, which has "
                                                               "FixedHorizon() and AnytimeAverage(). Ask asj() for it.")
    at_least(0, c=c, L=L, D=D)
    with np.errstate(over="ignore", invalid="ignore"):
        return schedule.printed(D * L + curvature(M) + c, e1, t)


def asj_gap(schedule: "Averaging", t: K, *, M: float, sigma: float, r_S: float, c: float = 0.0, e1: float = math.inf) -> K:
    """E Σ η_k g(w_k)/Σ η_k of ASJ: the mean gap has the bound of the averaged error. The terms must be convex.

    >>> asj_gap(FixedHorizon(), 100, M=1.0, sigma=2.0, r_S=1.0, e1=1.0)
    0.4
    """
    return _filled(_averages(schedule).mean_gap, curvature(M) + c, sigma, r_S, c, e1, t)


def asfw_gap(schedule: "Averaging", t: K, *, M: float, sigma: float, r_S: float, c: float = 0.0, e1: float = math.inf) -> K:
    """E Σ η_k g(w_k)/Σ η_k of ASFW, for convex f or not; e_1 = f(w_1) - inf f, M the largest signed remainder.

    So a point picked at random with weights η_k has that expected gap. The best horizon steps have γ = √(2e_1/(M + 2c))
    and give (r_S σ + √(2e_1(M + 2c)))/√t.

    >>> asfw_gap(FixedHorizon(), 100, M=2.0, sigma=2.0, r_S=1.0, e1=1.0)
    0.4
    """
    return _filled(_averages(schedule).mean_gap, curvature(M) / 2 + c, sigma, r_S, c, e1, t)


def _filled(bound: Callable[..., K], bend: float, sigma: float, r_S: float, c: float, e1: float, t: K) -> K:
    at_least(0, sigma=sigma, r_S=r_S, c=c)
    check(number("e1", e1) >= 0, f"e1 is {e1}, but an error is >= 0. Pass f(w_1) - f*, or the gap at w_1.")
    with np.errstate(over="ignore", invalid="ignore"):
        return bound(r_S * sigma, bend, e1, t)


def _averages(schedule: "Averaging") -> "Averaging":
    """The schedule, if its bound on the mean error is one on the mean gap too: the same sum, before g_k >= e_k is used."""
    check(isinstance(schedule, Averaging), f"{schedule!r} says nothing of the gaps, only of the error. Use FixedHorizon(), "
                                           "AnytimeAverage(), GrowingWeights() or AsRecorded(eta, batch).")
    return schedule
