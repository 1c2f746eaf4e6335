"""Recursive momentum: the same minibatch at two points corrects the estimate (one-sample Frank-Wolfe, STORM)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from greedyhull.errors import check
from greedyhull.errors.hinted import hinted
from greedyhull.solvers.gradients.base import ArrayState, Eta, Size, VarianceModel, check_size, late, share, size
from greedyhull.solvers.gradients.momentum import Shifted
from greedyhull.types import Array, Schedule, Supply

if TYPE_CHECKING:
    from greedyhull.theory import Along


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

    See Also
    --------
    Momentum : One evaluation a term, a slower rate.
    Spider : The same correction, restarted from full gradients.

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

    def __post_init__(self) -> None:
        check_size("batch", self.batch)
        check(callable(self.rho), f"rho={self.rho!r} was given; a schedule such as constant({self.rho!r}) is wanted.")

    def start(self, source: Supply) -> _Working:
        return _Working(self, source)

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


class _Working(ArrayState):
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
