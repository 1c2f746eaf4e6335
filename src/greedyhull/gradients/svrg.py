"""SVRG: a minibatch gradient corrected by a snapshot whose full gradient is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from greedyhull.batch import Source
from greedyhull.gradients.base import Epochs, Root, Size, check_size
from greedyhull.types import Array


@dataclass(frozen=True)
class Svrg:
    """g = ∇f_B(x) − ∇f_B(x̃) + ∇f(x̃); the snapshot x̃ is renewed after ``epoch`` steps.

    ``epoch`` None takes snapshots at steps 1, 2, 4, 8, …, ``batch`` None batches of 48(k + 1). Then, for convex terms that
    are L-smooth everywhere, E‖g − ∇f‖² ≤ 4L(e + e_snapshot)/b, and steps 2/(k + 1), k from one, give E e_k ≤ 4LD²/(k + 1).
    Where two looks at a batch cost a whole pass, the pass is made, and is the new snapshot.
    """

    batch: Size | None = None
    epoch: int | Root | None = None
    unbiased: ClassVar[bool] = True

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
        b = 48 * (k + 1) if self.config.batch is None else self.size(k)
        if exact or 2 * b >= source.f.n:
            full = source.full(x)
            self.arrays.update(full=full, x=x.copy())
            return full
        batch = source.draw(b)
        there = source.again(batch).gradient(self.arrays["x"])
        g: Array = batch.gradient(x) - there + self.arrays["full"]
        return g
