"""Per-sample duals (Négiar et al.): the batch's slopes replace those in a table, and the table's mean is the estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from greedyhull.batch import Source
from greedyhull.errors import check
from greedyhull.gradients.base import Kept, size
from greedyhull.types import Array, Schedule


@dataclass(frozen=True)
class Dual:
    """α_B ← φ'(A_B x), g = Aᵀα: biased, but its error shrinks with the steps; O(1/k) with steps 2/(k + 2)."""

    batch: int | Schedule = 32
    unbiased: ClassVar[bool] = False

    def start(self, source: Source) -> _Working:
        check(hasattr(source.f, "design"), "Dual keeps one number for each term, which only linear models allow. "
                                           "Use Svrg(), which keeps two arrays.")
        return _Working(self, source)


class _Working(Kept):
    def __call__(self, x: Array, k: int) -> Array:
        f, n = self.source.f, self.source.f.n
        if "table" not in self.arrays:
            self.arrays.update(table=np.zeros(n), mean=np.zeros(f.domain))
        index = np.unique(self.source.sampler.draw(size(self.config.batch, k)))
        batch = f.batch(index)
        self.source.spent += len(index)
        renewed = batch.residual(x) * (len(index) / n)
        self.arrays["mean"] = self.arrays["mean"] + batch.adjoint(renewed - self.arrays["table"][index])
        self.arrays["table"][index] = renewed
        return self.arrays["mean"]
