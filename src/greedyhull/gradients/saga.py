"""SAGA: the last slope of every term is kept in a table, for linear models one number each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from greedyhull.batch import Source
from greedyhull.errors import check
from greedyhull.gradients.base import Kept, size
from greedyhull.types import Array, Schedule


@dataclass(frozen=True)
class Saga:
    """g = A_Bᵀ(r_B(x) − table_B) + Aᵀtable; then the table is renewed at another, independent batch."""

    batch: int | Schedule = 32
    unbiased: ClassVar[bool] = True

    def start(self, source: Source) -> _Working:
        check(hasattr(source.f, "design"), "Saga keeps one number for each term, which only linear models allow. "
                                           "Use Svrg(), which keeps two arrays.")
        return _Working(self, source)


class _Working(Kept):
    def __call__(self, x: Array, k: int) -> Array:
        f, n = self.source.f, self.source.f.n
        if "table" not in self.arrays:
            whole = f.batch(np.arange(n))
            table = whole.residual(x)
            self.arrays.update(table=table, mean=whole.adjoint(table))
            self.source.spent += n
        b = size(self.config.batch, k)
        batch = self.source.draw(b)
        share = len(batch.index) / n  # weights of a batch are n/b times those of the whole
        g: Array = batch.adjoint(batch.residual(x) - self.arrays["table"][batch.index] / share) + self.arrays["mean"]
        fresh = self.source.f.batch(np.unique(self.source.sampler.draw(b)))
        self.source.spent += len(fresh.index)
        renewed = fresh.residual(x) * (len(fresh.index) / n)
        self.arrays["mean"] = self.arrays["mean"] + fresh.adjoint(renewed - self.arrays["table"][fresh.index])
        self.arrays["table"][fresh.index] = renewed
        return g
