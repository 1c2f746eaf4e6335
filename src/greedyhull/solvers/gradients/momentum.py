"""Gradients from minibatches: fresh ones, running means, recursive momentum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from greedyhull.errors import hinted
from greedyhull.solvers.gradients.base import CompiledEstimate, Eta, Size, VarianceModel, late, share, size
from greedyhull.types import Array, Schedule, Supply

if TYPE_CHECKING:
    from greedyhull.theory import Along


@hinted
@dataclass(frozen=True)
class Minibatch(VarianceModel):
    """A fresh minibatch gradient g = ∇f_B(x) at every step, as in the paper's ASFW.

    Parameters
    ----------
    batch : int, Root or schedule, default 32
        Terms drawn at each step, b_k, at most n. With batches of a fixed size the error need not vanish.
    replace : bool, default True
        Whether terms are drawn with replacement. Without, the variance is smaller.

    Notes
    -----
    The estimate is unbiased, with E‖g − ∇f‖² ≤ σ²/b_k, times (n − b)/(n − 1) without replacement.

    Examples
    --------
    >>> import greedyhull as gh
    >>> gh.StochasticFrankWolfe(Minibatch(gh.linear()), gh.Power(0.5)) == gh.StochasticFrankWolfe()
    True
    """

    batch: Size = 32
    replace: bool = True
    unbiased: ClassVar[bool] = True

    def start(self, source: Supply) -> _Working:
        return _Working(self, source)

    def cautions(self, eta: Eta, n: int | None) -> Iterator[str]:
        (b, more), (step, less) = late(lambda k: size(self.batch, k, n)), late(eta)
        keeps_pace = more * less**2 > 0.5 * b * step**2 and (less < step or b * step**2 > 0.5)
        if keeps_pace or (n is not None and more >= n):  # in the end nothing is left to chance
            return
        if more <= b and less < step:
            yield (f"Proposition asfw-eg-b: with batches that stay at {b:g} terms and steps that go to zero, the points may "
                   "converge to a wrong one. Let batches grow, as in Minibatch(linear()), or reduce the variance: Svrg(), "
                   "Saga(), Dual(), Storm().")
        elif less < step:
            yield (f"The theorem of ASFW asks for batches b_k ≥ η_k^−2, and {self.batch!r} grows more slowly than that: noise "
                   "may keep the error from vanishing at the rate of the steps. Use linear() with Power(0.5).")
        else:
            yield (f"The theorem of ASFW asks for batches b ≥ η^−2, {less**-2:.3g} terms for constant steps {less:g}, and "
                   f"these have {more:g}: noise is what the error settles at. Take larger batches.")

    def variance(self, at: Along) -> Iterator[float]:
        while True:
            b, n = size(self.batch, at.k, at.n), at.n
            yield at.sampled(b) * (1.0 if self.replace or n is None or b >= n else (n - b) / (n - 1))


class _Working(CompiledEstimate):
    @property
    def draws(self) -> tuple[bool, ...]:  # type: ignore[override]
        return (not self.config.replace,)

    def __call__(self, x: Array, k: int) -> Array:
        draw = self.source.draw if self.config.replace else self.source.distinct
        b = self.size(k)
        self.spread = b**-0.5 if b < self.source.n else 0.0  # a mean of b independent terms, each between −C and C
        g: Array = draw(b).gradient(x)
        return g


@dataclass(frozen=True)
class Shifted:
    scale: float
    shift: float
    p: float

    def __call__(self, k: int, gap: float | None = None) -> float:
        return float(min(1.0, self.scale * (k + self.shift) ** -self.p))


@hinted
@dataclass(frozen=True)
class Momentum(VarianceModel):
    """A running mean of minibatch gradients (Mokhtari, Hassani and Karbasi).

    g ← (1 − ρ_k)g + ρ_k ∇f_B(x), k counted from one. It runs on streams.

    Parameters
    ----------
    batch : int, Root or schedule, default 32
        Terms drawn at each step, b_k.
    rho : schedule, default 4/(k + 7)^2/3
        Weight ρ_k of the fresh minibatch, in [0, 1]. A larger one forgets faster and is noisier.

    Notes
    -----
    The estimate is biased. Its error has a_k ≤ (1 − ρ)²(√a + LDη)² + ρ²σ²/b, which gives E e_k = O(k^−1/3) with steps 1/k.

    Examples
    --------
    >>> Momentum(batch=8).rho(1)
    1.0
    """

    batch: Size = 32
    rho: Schedule = Shifted(4.0, 7.0, 2.0 / 3.0)
    unbiased: ClassVar[bool] = False

    def start(self, source: Supply) -> _MomentumWorking:
        return _MomentumWorking(self, source)

    def cautions(self, eta: Eta, n: int | None) -> Iterator[str]:
        """√a settles at about LDη/ρ + σ√(ρ/2b)."""
        (b, more), (rho, lower), (step, less) = late(lambda k: size(self.batch, k, n)), late(self.rho), late(eta)
        if n is not None and more >= n and lower >= 1.0:
            return
        if less / max(lower, 1e-300) >= step / max(rho, 1e-300):
            yield (f"Momentum averages over the last 1/ρ_k points, and its theorem asks for η_k/ρ_k → 0: with {self.rho!r} "
                   "the mean lags behind the points. Use Power(1.0), or a larger rho.")
        if lower / more >= rho / b:
            yield (f"Momentum asks for ρ_k → 0, and {self.rho!r} does not go to zero: with batches that stay at {b:g} "
                   "terms noise stays too. Use the default rho, or growing batches.")

    def variance(self, at: Along) -> Iterator[float]:
        """The minibatch is unbiased, so its part adds; the drift of ∇f since the last step adds to the old error first."""
        a = at.sampled(size(self.batch, at.k, at.n))
        yield a
        while True:
            rho = share(self.rho, at.k)
            drift = at["L_F"] * at["D"] * at.eta
            a = (1.0 - rho) ** 2 * (a**0.5 + drift) ** 2 + rho**2 * at.sampled(size(self.batch, at.k, at.n))
            yield a


class _MomentumWorking(CompiledEstimate):
    keeps = ("g",)

    def coefficients(self, steps: range) -> tuple[Array, Array, Array]:
        rho = self.shares(steps)
        return 1.0 - rho, rho, 0.0 * rho

    def __call__(self, x: Array, k: int) -> Array:
        g: Array = self.source.draw(self.size(k)).gradient(x)
        if "g" in self.arrays:  # the first gradient counts in full
            rho = share(self.config.rho, k)
            g = (1.0 - rho) * self.arrays["g"] + rho * g
        self.arrays["g"] = g
        return g


@hinted
@dataclass(frozen=True)
class Storm(VarianceModel):
    """Recursive momentum: evaluate the same minibatch at two iterates to correct the estimate (STORM).

    g ← ∇f_B(x) + (1 − ρ_k)(g − ∇f_B(x⁻)), x⁻ the previous iterate, k counted from one. It runs on streams. Where two
    evaluations of a batch would cost a pass, the full gradient is used instead.

    Parameters
    ----------
    batch : int, Root or schedule, default 32
        Terms drawn at each step, b_k.
    rho : schedule, default 1/k
        Weight ρ_k of the fresh minibatch, in [0, 1]. A larger one forgets faster and is noisier.

    Notes
    -----
    The estimate is biased, with a_k ≤ (1 − ρ)²a + (ρσ + (1 − ρ)LDη)²/b. ρ_k = 1/k with η_k = 1/k gives O(k^−1/2) for convex f.

    Examples
    --------
    >>> Storm(batch=8).rho(4)
    0.25
    """

    batch: Size = 32
    rho: Schedule = field(default=Shifted(1.0, 0.0, 1.0))
    unbiased: ClassVar[bool] = False

    def start(self, source: Supply) -> _StormWorking:
        return _StormWorking(self, source)

    def cautions(self, eta: Eta, n: int | None) -> Iterator[str]:
        """a settles at about (ρσ + LDη)²/(2ρb)."""
        (b, more), (rho, lower), (step, less) = late(lambda k: size(self.batch, k, n)), late(self.rho), late(eta)
        if n is not None and 2 * more >= n:
            return
        if less**2 / max(lower * more, 1e-300) >= step**2 / max(rho * b, 1e-300):
            yield (f"One-sample Frank-Wolfe asks for η_k²/ρ_k → 0: with {self.rho!r} old errors are forgotten too slowly for "
                   "these steps. Use Power(1.0), or a larger rho.")
        if lower / more >= rho / b:
            yield (f"One-sample Frank-Wolfe asks for ρ_k → 0, and {self.rho!r} does not go to zero: with batches that stay at "
                   f"{b:g} terms noise stays too. Use the default rho, or growing batches.")

    def variance(self, at: Along) -> Iterator[float]:
        """What is new in a step has mean zero given the past: ρ of a fresh error, 1 − ρ of how much it changed."""
        a = at.sampled(size(self.batch, at.k, at.n))
        yield a
        while True:
            b, rho = size(self.batch, at.k, at.n), share(self.rho, at.k)
            if at.n is not None and 2 * b >= at.n:
                a = 0.0
            else:
                fresh = rho * at["sigma"] + (1.0 - rho) * at["L_s"] * at["D"] * at.eta
                a = (1.0 - rho) ** 2 * a + fresh**2 / b
            yield a


class _StormWorking(CompiledEstimate):
    asks, keeps, follows = 2, ("g",), 1

    def coefficients(self, steps: range) -> tuple[Array, Array, Array]:
        keep = 1.0 - self.shares(steps)
        return keep, np.ones_like(keep), keep

    def __call__(self, x: Array, k: int) -> Array:
        b, rho = self.size(k), share(self.config.rho, k)
        if "g" not in self.arrays:
            g: Array = self.source.draw(b).gradient(x)
        elif 2 * b >= self.source.n:
            g = self.source.full(x)
        else:
            batch = self.source.draw(b)
            before = self.source.again(batch).gradient(self.arrays["x"])
            g = batch.gradient(x) + (1.0 - rho) * (self.arrays["g"] - before)
        self.arrays.update(g=g, x=x.copy())
        return g
