"""SVRG: a minibatch gradient corrected by a snapshot whose full gradient is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from greedyhull.gradients.base import Epochs, Root, Size, VarianceModel, check_finite, check_size, epoch_after, size
from greedyhull.types import Array, Supply

if TYPE_CHECKING:
    from greedyhull.theory import Along


@dataclass(frozen=True)
class Svrg(VarianceModel):
    """g = ∇f_B(x) − ∇f_B(x̃) + ∇f(x̃); the snapshot x̃ is renewed after ``epoch`` steps.

    ``epoch`` None takes snapshots at steps 1, 2, 4, 8, …, ``batch`` None batches of 48(k + 1). Then, for convex terms that
    are L-smooth everywhere, E‖g − ∇f‖² ≤ 4L(e + e_snapshot)/b, and steps 2/(k + 1), k from one, give
    E e_k ≤ 4LD²/(k + 1) for k ≥ 2 (`theory.svrf_rate`).
    Where two looks at a batch cost a whole pass, the pass is made, and is the new snapshot.
    """

    batch: Size | None = None
    epoch: int | Root | None = None
    unbiased: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, given in {"batch": self.batch, "epoch": self.epoch}.items():
            if given is not None:
                check_size(name, given)

    def start(self, source: Supply) -> _Working:
        check_finite(source.f, "Svrg")
        return _Working(self, source)

    def variance(self, at: Along) -> Iterator[float]:
        """The lesser of L²‖x − x̃‖²/b, ‖x − x̃‖ ≤ D(1 − Π(1 − η)), and, for convex terms, 4L(e + ẽ)/b."""
        begin, length, stays, snapshot = 1, 0, 1.0, at.error
        while True:
            stays *= 1.0 - at.eta
            exact = at.k - begin >= length
            if exact:
                begin, length = at.k, epoch_after(length, self.epoch, at.k, at.n)
            b = 48 * (at.k + 1) if self.batch is None else size(self.batch, at.k, at.n)
            if exact or (at.n is not None and 2 * b >= at.n):
                stays, snapshot = 1.0, at.error
                yield 0.0
                continue
            a = float("inf")
            if at.known("L_max"):
                a = 4.0 * at["L_max"] * (at.error + snapshot) / b
            if at.known("L_s") or not at.known("L_max"):
                a = min(a, (at["L_s"] * at["D"] * (1.0 - stays)) ** 2 / b)
            yield a


class _Working(Epochs):
    def __call__(self, x: Array, k: int) -> Array:
        source = self.source
        exact = self.begins(k)
        b = 48 * (k + 1) if self.config.batch is None else self.size(k)
        self.spread = 0.0
        if exact or 2 * b >= source.n:
            full = source.full(x)
            self.arrays.update(full=full, x=x.copy())
            return full
        self.spread = 2.0 * b**-0.5  # differences of two gradients, each between −C and C
        batch = source.draw(b)
        there = source.again(batch).gradient(self.arrays["x"])
        g: Array = batch.gradient(x) - there + self.arrays["full"]
        return g
