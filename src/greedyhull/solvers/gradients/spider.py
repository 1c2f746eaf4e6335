"""SPIDER: differences of minibatch gradients added up since the last full gradient."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from greedyhull.errors.hinted import hinted
from greedyhull.solvers.gradients.base import Epochs, Root, Size, VarianceModel, check_size, epoch_after, size
from greedyhull.types import Array, Supply

if TYPE_CHECKING:
    from greedyhull.theory import Along


@hinted
@dataclass(frozen=True)
class Spider(VarianceModel):
    """SPIDER: add up differences of minibatch gradients since the last full gradient.

    g = ∇f(x) at the start of an epoch, then g ← g + ∇f_B(x) − ∇f_B(x⁻), x⁻ the previous iterate. It runs on streams. Where
    two evaluations of a batch would cost a pass, the full gradient is used instead.

    Parameters
    ----------
    batch : int, Root or schedule, optional
        Terms drawn at each step. By default as many as the epoch has steps.
    epoch : int or Root, optional
        Steps in an epoch. By default epochs double: 1, 2, 4, … For nonconvex f take ``Root(0.5)``, ⌈√n⌉.
    reset : int, Root or schedule, optional
        Terms in the gradient that starts an epoch. By default all of them; for a stream, the square of the epoch's length,
        which makes its error σ/√reset as small as what the steps of the epoch add.

    See Also
    --------
    Svrg : Unbiased; differences from one snapshot.
    Storm : No full gradients.

    Notes
    -----
    The estimate is biased, with a ← a + (LDη)²/b. For convex f with steps 2/(k + 1), k from one, E e_k ≤ 10LD²/(k + 1).

    Examples
    --------
    >>> Spider(epoch=Root(0.5)).epoch.of(400)
    20
    """

    batch: Size | None = None
    epoch: int | Root | None = None
    reset: Size | None = None
    unbiased: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name, given in {"batch": self.batch, "epoch": self.epoch, "reset": self.reset}.items():
            if given is not None:
                check_size(name, given)

    def start(self, source: Supply) -> _Working:
        return _Working(self, source)

    def anew(self, k: int, length: int, n: int | None) -> float:
        """How many terms the gradient has with which an epoch of ``length`` steps begins."""
        if self.reset is not None:
            return size(self.reset, k, n)
        return float("inf") if n is not None else length**2

    def variance(self, at: Along) -> Iterator[float]:
        """Every step since the epoch began adds the variance of one difference."""
        a, begin, length = 0.0, 1, 0
        while True:
            begins = at.k - begin >= length
            if begins:
                begin, length = at.k, epoch_after(length, self.epoch, at.k, at.n)
            b = length if self.batch is None else size(self.batch, at.k, at.n)
            if at.n is not None and 2 * b >= at.n:
                a = 0.0
            else:
                a = (at.sampled(self.anew(at.k, length, at.n)) if begins else a + (at["L_s"] * at["D"] * at.eta) ** 2 / b)
            yield a


class _Working(Epochs):
    def __call__(self, x: Array, k: int) -> Array:
        source = self.source
        begins = self.begins(k)
        b = self.length if self.config.batch is None else self.size(k)
        fresh = self.config.anew(k, self.length, source.terms) if begins else 0.0
        if 2 * b >= source.n or fresh >= source.n:
            g = source.full(x)
        elif begins:
            g = source.draw(int(fresh)).gradient(x)
        else:
            batch = source.draw(b)
            before = source.again(batch).gradient(self.arrays["x"])
            g = self.arrays["g"] + (batch.gradient(x) - before)
        self.arrays.update(g=g, x=x.copy())
        return g
