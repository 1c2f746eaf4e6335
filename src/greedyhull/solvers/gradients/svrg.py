"""SVRG: a minibatch gradient corrected by a snapshot whose full gradient is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from greedyhull.errors.hinted import hinted
from greedyhull.solvers.gradients.base import Epochs, Root, Size, VarianceModel, check_finite, check_size, epoch_after, size
from greedyhull.types import Array, Supply

if TYPE_CHECKING:
    from greedyhull.theory import Along


@hinted
@dataclass(frozen=True)
class Svrg(VarianceModel):
    """SVRG: correct a minibatch gradient by a snapshot whose full gradient is known.

    g = ∇f_B(x) − ∇f_B(x̃) + ∇f(x̃), x̃ the snapshot. Where two evaluations of a batch would cost a pass, the full gradient is
    computed, and x becomes the snapshot.

    Parameters
    ----------
    batch : int, Root or schedule, optional
        Terms drawn at each step. By default 48(k + 1), which the bound below needs; far fewer often do.
    epoch : int or Root, optional
        Steps from one snapshot to the next. By default snapshots are taken at steps 1, 2, 4, 8 and so on.

    See Also
    --------
    Saga : No full passes, for linear models.
    Spider : Biased; differences from the previous iterate.

    Notes
    -----
    The estimate is unbiased. For convex terms that are L-smooth everywhere E‖g − ∇f‖² ≤ 4L(e + e_snapshot)/b, and the defaults
    with steps 2/(k + 1), k from one, give E e_k ≤ 4LD²/(k + 1) for k ≥ 2 (`theory.svrf_rate`).

    Examples
    --------
    >>> Svrg(batch=Root(2 / 3), epoch=Root(1 / 3)).batch.of(1000)
    100
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
