"""SPIDER: differences of minibatch gradients added up since the last full gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from greedyhull.batch import Source
from greedyhull.gradients.base import Kept, size
from greedyhull.types import Array, Schedule


@dataclass(frozen=True)
class Spider:
    """g = ∇f(x) at the start of an epoch, then g ← g + ∇f_B(x) − ∇f_B(x⁻); a ← a + (LDη)²/b.

    ``epoch`` None lets epochs double, 1, 2, 4, …, with batches as large as the epoch is long, which gives
    E e ≤ 10 L D²/(K + k + 1) for convex f with steps 2/(K + k); a number keeps them that long, ⌈√n⌉ for nonconvex f.
    """

    batch: int | Schedule | None = None
    epoch: int | None = None
    unbiased: ClassVar[bool] = False

    def start(self, source: Source) -> _Working:
        return _Working(self, source)


class _Working(Kept):
    def __call__(self, x: Array, k: int) -> Array:
        begin, length = (int(v) for v in self.arrays.get("epoch", np.array([k, 0])))
        if k - begin >= length:
            length = self.config.epoch or max(1, 2 * length)
            self.arrays["epoch"] = np.array([k, length])
            g = self.source.full(x)
        else:
            batch = self.source.draw(length if self.config.batch is None else size(self.config.batch, k))
            self.source.spent += len(batch.index)
            g = self.arrays["g"] + batch.gradient(x) - batch.gradient(self.arrays["x"])
        self.arrays.update(g=g, x=x.copy())
        return g
