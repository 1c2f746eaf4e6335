"""A fresh minibatch gradient at every step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from greedyhull.errors.hinted import hinted
from greedyhull.solvers.gradients.base import ArrayState, Eta, Size, VarianceModel, check_size, late, size
from greedyhull.types import Array, Supply

if TYPE_CHECKING:
    from greedyhull.theory import Along


@hinted
@dataclass(frozen=True)
class Minibatch(VarianceModel):
    """A fresh minibatch gradient g = ∇f_B(x) at every step.

    The batch has b_k terms, at most n. With b_k = k and η_k = k^−1/2 it is the estimator of the paper's ASFW.

    Parameters
    ----------
    batch : int, Root or schedule, default 32
        Terms drawn at each step, b_k. Let it grow, as with ``linear()``: with batches of a
        fixed size the error need not vanish.
    replace : bool, default True
        Whether terms are drawn with replacement. Without, the variance is smaller.

    See Also
    --------
    Dual : Variance reduction for linear models.
    Storm : Variance reduction with batches of a fixed size.

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

    def __post_init__(self) -> None:
        check_size("batch", self.batch)

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


class _Working(ArrayState):
    def __call__(self, x: Array, k: int) -> Array:
        draw = self.source.draw if self.config.replace else self.source.distinct
        b = self.size(k)
        self.spread = b**-0.5 if b < self.source.n else 0.0  # a mean of b independent terms, each between −C and C
        g: Array = draw(b).gradient(x)
        return g
