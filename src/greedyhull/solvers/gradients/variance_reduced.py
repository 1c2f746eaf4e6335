"""Variance-reduced gradients: SAGA, SPIDER, SVRG, and duals of single samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from greedyhull.errors import hinted
from greedyhull.kernels._core import wide_table_steps
from greedyhull.objectives.minibatches import Batch, rows_of
from greedyhull.solvers.gradients.base import (
    CompiledEstimate,
    Epochs,
    Root,
    Size,
    VarianceModel,
    check_finite,
    check_linear,
    epoch_after,
    size,
)
from greedyhull.types import Array, Supply, ridge_of

if TYPE_CHECKING:
    from greedyhull.theory import Along


WIDE = 2000  # columns of sparse data from which on a step should not look at all of them


class Table(CompiledEstimate):
    """pᵢ ℓ'ᵢ for every term, at the point where it was last evaluated, and ``mean`` = Aᵀtable; a ridge is left out."""

    keeps = ("table", "mean")

    def table(self) -> tuple[Array, Array]:
        return self.arrays["table"], self.arrays["mean"]

    def with_ridge(self, g: Array, x: Array) -> Array:
        """The estimate g for the loss at x, and the gradient of the ridge there."""
        l2 = ridge_of(self.source.f)
        return g + l2 * x if l2 else g

    def fill(self, x: Array) -> Array:
        """All slopes at x: one pass."""
        whole = rows_of(self.source.again(self.source.whole))
        table = np.asarray(whole.residual(x), dtype=np.float64)
        self.arrays.update(table=table, mean=whole.adjoint(table))
        return self.arrays["mean"]

    def renew(self, x: Array, b: int) -> Array:
        """Evaluate b different slopes again; the mean follows."""
        batch = rows_of(self.source.distinct(b))
        return self.replace(batch, batch.residual(x))

    def replace(self, batch: Batch, slopes: Array) -> Array:
        """Put the slopes of a batch into the table; the mean follows."""
        new = slopes * (batch.size / self.source.n)  # weights of a batch are n/b times those of the whole
        self.arrays["mean"] = self.arrays["mean"] + batch.adjoint(new - self.arrays["table"][batch.index])
        self.arrays["table"][batch.index] = new
        return self.arrays["mean"]


@hinted
@dataclass(frozen=True)
class Saga(VarianceModel):
    """SAGA: keep the last slope of every term in a table, for linear models.

    g = A_Bᵀ(r_B(x) − table_B) + Aᵀtable; then the table is updated at another, independent batch. It starts with one pass.

    Parameters
    ----------
    batch : int, Root or schedule, default 32
        Terms drawn at each step, b_k.

    Notes
    -----
    The estimate is unbiased, with E‖g − ∇f‖² ≤ L²m²/b and m ← (1 − η)√(1 − b/n) m + ηD. Memory: one number for each term.

    Examples
    --------
    >>> Saga(batch=8), Saga.unbiased
    (Saga(batch=8), True)
    """

    batch: Size = 32
    unbiased: ClassVar[bool] = True

    def start(self, source: Supply) -> _Working:
        check_linear(source.f, "Saga")
        return _Working(self, source)

    def variance(self, at: Along) -> Iterator[float]:
        """m bounds the distance, in the mean square, of x from where a term was evaluated; it is the same for all terms."""
        n: Any = at.n
        m = 0.0
        yield m
        while True:
            b = size(self.batch, at.k, n)
            m = (1.0 - at.eta) * m + at.eta * at["D"]
            if 2 * b >= n:
                m = 0.0
            yield (at["L_s"] * m) ** 2 / b
            m *= max(1.0 - b / n, 0.0) ** 0.5


class _Working(Table):
    asks, draws = 2, (False, True)

    def steps(self, loops: Any, steps: range, terms: tuple[Any, ...], point: tuple[Any, ...]) -> None:
        loops.tables(*terms, 1, *self.table(), np.zeros_like(point[4]), point)

    def __call__(self, x: Array, k: int) -> Array:
        b, n = self.size(k), self.source.n
        self.spread = 0.0
        if "table" not in self.arrays or 2 * b >= n:  # two batches as dear as a pass
            return self.with_ridge(self.fill(x), x)
        self.spread = 2.0 * b**-0.5  # differences of two slopes, each between −C and C
        batch = rows_of(self.source.draw(b))
        change = batch.residual(x) - self.arrays["table"][batch.index] * (n / batch.size)
        g: Array = batch.adjoint(change) + self.arrays["mean"]
        self.renew(x, b)
        return self.with_ridge(g, x)


@hinted
@dataclass(frozen=True)
class Spider(VarianceModel):
    """SPIDER: add up differences of minibatch gradients since the last full gradient.

    g = ∇f(x) at the start of an epoch, or where two evaluations of a batch would cost a pass; else
    g ← g + ∇f_B(x) − ∇f_B(x⁻), x⁻ the previous iterate. It runs on streams.

    Parameters
    ----------
    batch : int, Root or schedule, optional
        Terms drawn at each step. By default as many as the epoch has steps.
    epoch : int or Root, optional
        Steps in an epoch. By default epochs double: 1, 2, 4, … For nonconvex f take ``Root(0.5)``, ⌈√n⌉.
    reset : int, Root or schedule, optional
        Terms in the gradient that starts an epoch. By default all of them; for a stream, the square of the epoch's length.

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

    def start(self, source: Supply) -> _SpiderWorking:
        return _SpiderWorking(self, source)

    def anew(self, k: int, length: int, n: int | None) -> float:
        """The number of terms in the gradient that begins an epoch of ``length`` steps."""
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


class _SpiderWorking(Epochs):
    asks, keeps, follows, factors = 2, ("g",), 1, (1.0, 1.0, 1.0)

    def size(self, k: int) -> int:
        return self.length if self.config.batch is None else super().size(k)

    def __call__(self, x: Array, k: int) -> Array:
        source = self.source
        begins = self.begins(k)
        b = self.size(k)
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

    def start(self, source: Supply) -> _SvrgWorking:
        check_finite(source.f, "Svrg")
        return _SvrgWorking(self, source)

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


class _SvrgWorking(Epochs):
    asks, keeps, factors = 2, ("full",), (0.0, 1.0, 1.0)

    def size(self, k: int) -> int:
        return 48 * (k + 1) if self.config.batch is None else super().size(k)

    def __call__(self, x: Array, k: int) -> Array:
        source = self.source
        exact = self.begins(k)
        b = self.size(k)
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


@hinted
@dataclass(frozen=True)
class Dual(VarianceModel):
    """Per-sample duals (Négiar et al.): the mean of a table of slopes, a batch of which is updated at each step.

    α_B ← φ'(A_B x), g = Aᵀα, for linear models. The table starts with one pass, so that the first gradient is exact. The b
    terms of a batch are different ones.

    Parameters
    ----------
    batch : int, Root or schedule, default 32
        Terms drawn at each step, b_k.

    Notes
    -----
    The estimate is biased, but its error shrinks with the steps: E e_k = O(1/k) with steps 2/(k + 1), k from one. Memory: one
    number for each term.

    Examples
    --------
    >>> Dual(batch=8), Dual.unbiased
    (Dual(batch=8), False)
    """

    batch: Size = 32
    unbiased: ClassVar[bool] = False

    def start(self, source: Supply) -> _DualWorking:
        check_linear(source.f, "Dual")
        return _DualWorking(self, source)

    def noise(self, at: Along) -> Iterator[float]:
        """D_∞ H, where H bounds E‖α − φ'(Ax)‖₁: H ← (1 − b/n)(H + ηD₁), D₁ ≥ Σ pᵢβᵢ|aᵢ·(s − s')| and D_∞ ≥ |aᵢ·(s − s')|."""
        n: Any = at.n
        H = 0.0
        yield H
        while True:
            H = max(1.0 - size(self.batch, at.k, n) / n, 0.0) * (H + at.eta * at["D_1"])
            yield at["D_inf"] * H


class _DualWorking(Table):
    draws = (True,)

    def steps(self, loops: Any, steps: range, terms: tuple[Any, ...], point: tuple[Any, ...]) -> None:
        x, alpha, atoms, _, used = point[4:]
        d = len(x)
        wide = not loops.by_values and terms[0].ndim == 1 and d >= WIDE and len(alpha) > 0
        if wide:
            known, elsewhere = atoms[: used[0]], np.ones(d, dtype=bool)  # the coordinates of which no atom has a number
            elsewhere[known[known >= 0] % d] = False
            wide = not np.any(x[elsewhere])
        if wide:
            wide_table_steps(*(*terms, *self.table(), isqrt(d), point))
        else:
            loops.tables(*terms, 0, *self.table(), np.zeros(0), point)

    def __call__(self, x: Array, k: int) -> Array:
        b = self.size(k)
        g = self.fill(x) if "table" not in self.arrays or b >= self.source.n else self.renew(x, b)
        return self.with_ridge(g, x)
