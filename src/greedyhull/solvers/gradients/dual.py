"""Per-sample duals (Négiar et al.): the batch's slopes replace those in a table, and the table's mean is the estimate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from greedyhull.errors.hinted import hinted
from greedyhull.solvers.gradients.base import Size, check_linear, check_size, size
from greedyhull.solvers.gradients.saga import Table
from greedyhull.types import Array, Supply

if TYPE_CHECKING:
    from greedyhull.theory import Along


@hinted
@dataclass(frozen=True)
class Dual:
    """Per-sample duals (Négiar et al.): the mean of a table of slopes, a batch of which is updated at each step.

    α_B ← φ'(A_B x), g = Aᵀα, for linear models. The table starts with one pass, so that the first gradient is exact. The b
    terms of a batch are different ones.

    Parameters
    ----------
    batch : int, Root or schedule, default 32
        Terms drawn at each step, b_k.

    See Also
    --------
    Saga : Unbiased, at twice the price.
    Svrg : For terms that are no linear model.

    Notes
    -----
    The estimate is biased, but its error shrinks with the steps: E e_k = O(1/k) with steps 2/(k + 1), k from one. Memory: one
    number for each term.

    Examples
    --------
    >>> Dual(batch=8), Dual.unbiased
    (Dual(batch=8), False)
    """

    batch: Size = 32
    unbiased: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_size("batch", self.batch)

    def start(self, source: Supply) -> _Working:
        check_linear(source.f, "Dual")
        return _Working(self, source)

    def noise(self, at: Along) -> Iterator[float]:
        """D_∞ H, where H bounds E‖α − φ'(Ax)‖₁: H ← (1 − b/n)(H + ηD₁), D₁ ≥ Σ pᵢβᵢ|aᵢ·(s − s')| and D_∞ ≥ |aᵢ·(s − s')|."""
        n: Any = at.n
        H = 0.0
        yield H
        while True:
            H = max(1.0 - size(self.batch, at.k, n) / n, 0.0) * (H + at.eta * at["D_1"])
            yield at["D_inf"] * H


class _Working(Table):
    def __call__(self, x: Array, k: int) -> Array:
        b = self.size(k)
        g = self.fill(x) if "table" not in self.arrays or b >= self.source.n else self.renew(x, b)
        return self.with_ridge(g, x)
