"""A running mean of minibatch gradients (Mokhtari, Hassani and Karbasi)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from greedyhull.errors import check
from greedyhull.errors.hinted import hinted
from greedyhull.solvers.gradients.base import ArrayState, Eta, Size, VarianceModel, check_size, late, share, size
from greedyhull.types import Array, Schedule, Supply

if TYPE_CHECKING:
    from greedyhull.theory import Along


@dataclass(frozen=True)
class Shifted:
    """min(1, scale·(k + shift)^−p)."""

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

    See Also
    --------
    Storm : A second evaluation of the batch gives a better rate.

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

    def __post_init__(self) -> None:
        check_size("batch", self.batch)
        check(callable(self.rho), f"rho={self.rho!r} was given; a schedule such as constant({self.rho!r}) is wanted.")

    def start(self, source: Supply) -> _Working:
        return _Working(self, source)

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


class _Working(ArrayState):
    def __call__(self, x: Array, k: int) -> Array:
        g: Array = self.source.draw(self.size(k)).gradient(x)
        if "g" in self.arrays:  # the first gradient counts in full
            rho = share(self.config.rho, k)
            g = (1.0 - rho) * self.arrays["g"] + rho * g
        self.arrays["g"] = g
        return g
