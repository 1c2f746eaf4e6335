"""SPIDER: differences of minibatch gradients added up since the last full gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from greedyhull.batch import Source
from greedyhull.gradients.base import Epochs, Root, Size, check_size
from greedyhull.types import Array


@dataclass(frozen=True)
class Spider:
    """g = ∇f(x) at the start of an epoch, then g ← g + ∇f_B(x) − ∇f_B(x⁻); a ← a + (LDη)²/b.

    ``epoch`` None lets epochs double, 1, 2, 4, …; ``batch`` None makes batches as large as the epoch is long. For
    convex f with steps 2/(k + 1), k from one, E e_k ≤ 10LD²/(k + 1); for nonconvex f take ``epoch=Root(0.5)``, ⌈√n⌉.
    Where two looks at a batch cost a whole pass, the pass is made.
    """

    batch: Size | None = None
    epoch: int | Root | None = None
    unbiased: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name in ("batch", "epoch"):
            if getattr(self, name) is not None:
                check_size(name, getattr(self, name))

    def start(self, source: Source) -> _Working:
        return _Working(self, source)


class _Working(Epochs):
    def __call__(self, x: Array, k: int) -> Array:
        source = self.source
        exact = self.begins(k)
        b = self.length if self.config.batch is None else self.size(k)
        if exact or 2 * b >= source.f.n:
            g = source.full(x)
        else:
            batch = source.draw(b)
            before = source.again(batch).gradient(self.arrays["x"])
            g = self.arrays["g"] + (batch.gradient(x) - before)
        self.arrays.update(g=g, x=x.copy())
        return g
