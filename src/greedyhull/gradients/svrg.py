"""SVRG: a minibatch gradient corrected by a snapshot whose full gradient is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from greedyhull.batch import Source
from greedyhull.gradients.base import Kept, size
from greedyhull.types import Array, Schedule


@dataclass(frozen=True)
class Svrg:
    """g = ∇f_B(x) − ∇f_B(x̃) + ∇f(x̃); the snapshot x̃ is renewed after ``epoch`` steps.

    ``epoch`` None takes the epochs of SVRF, 2^{t+3} − 2 steps in the t-th (from t = 0), whose batches are 48(j + 1) at
    the j-th step within; n·|B| is never exceeded: a batch as large as the data is the full gradient.
    """

    batch: int | Schedule | None = None
    epoch: int | None = None
    unbiased: ClassVar[bool] = True

    def start(self, source: Source) -> _Working:
        return _Working(self, source)


class _Working(Kept):
    def __call__(self, x: Array, k: int) -> Array:
        begin, length, t = (int(v) for v in self.arrays.get("epoch", np.array([k, 0, -1])))
        if k - begin >= length:
            begin, t = k, t + 1
            length = self.config.epoch or 2 ** (t + 3) - 2
            full = self.source.full(x)
            self.arrays.update(epoch=np.array([begin, length, t]), full=full, x=x.copy())
            return full
        wanted = 48 * (k - begin + 1) if self.config.batch is None else size(self.config.batch, k)
        if wanted >= self.source.f.n:
            return self.source.full(x)
        batch = self.source.draw(wanted)
        self.source.spent += len(batch.index)
        g: Array = batch.gradient(x) - batch.gradient(self.arrays["x"]) + self.arrays["full"]
        return g
