"""Per-sample duals (Négiar et al.): the batch's slopes replace those in a table, and the table's mean is the estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from greedyhull.batch import Source
from greedyhull.gradients.base import Size, check_linear, check_size
from greedyhull.gradients.saga import Table
from greedyhull.types import Array


@dataclass(frozen=True)
class Dual:
    """α_B ← φ'(A_B x), g = Aᵀα: biased, but its error shrinks with the steps; O(1/k) with steps 2/(k + 1), k from one.

    The table begins with one pass, so that the first gradient is exact. The b terms of a batch are different ones.
    """

    batch: Size = 32
    unbiased: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_size("batch", self.batch)

    def start(self, source: Source) -> _Working:
        check_linear(source.f, "Dual")
        return _Working(self, source)


class _Working(Table):
    def __call__(self, x: Array, k: int) -> Array:
        b = self.size(k)
        return self.fill(x) if "table" not in self.arrays or b >= self.source.f.n else self.renew(x, b)
