"""SAGA: the last slope of every term is kept in a table, for linear models one number each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from greedyhull.errors.hinted import hinted
from greedyhull.objectives.batch import rows_of
from greedyhull.solvers.gradients.base import ArrayState, Size, VarianceModel, check_linear, check_size, size
from greedyhull.types import Array, Supply
from greedyhull.types.kinds import ridge_of

if TYPE_CHECKING:
    from greedyhull.theory import Along


class Table(ArrayState):
    """pᵢ ℓ'ᵢ for every term, at the point where it was last looked at, and ``mean`` = Aᵀtable.

    The gradient l2·x of a ridge is not in it: it is known exactly at every point.
    """

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
        """b different slopes, looked at again; the mean follows."""
        batch = rows_of(self.source.distinct(b))
        new = batch.residual(x) * (batch.size / self.source.n)  # weights of a batch are n/b times those of the whole
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

    See Also
    --------
    Dual : Biased, at half the price.
    Svrg : For terms that are no linear model.

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

    def __post_init__(self) -> None:
        check_size("batch", self.batch)

    def start(self, source: Supply) -> _Working:
        check_linear(source.f, "Saga")
        return _Working(self, source)

    def variance(self, at: Along) -> Iterator[float]:
        """m bounds the distance, in the mean square, of x from where a term was last looked at: m ← (1 − η)√(1 − b/n) m + ηD.

        Which terms are renewed does not depend on anything else, so that m is the same for all of them.
        """
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
