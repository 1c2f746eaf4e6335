"""Minibatches: the mean of some terms of a finite sum, which can be asked at any array, and more than once."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.types import Array, Index, State


class Batch:
    """f_B(x) = Σ over the batch of pᵢ ℓᵢ(aᵢ·x), the weights such that its mean over all batches is f.

    ``centre`` is subtracted from every row: the mean row of the data, where an intercept was profiled out of squares.
    Products are in the precision of the data, gradients in float64.
    """

    def __init__(self, rows: Any, loss: Any, index: Index, centre: Array | None = None) -> None:
        self.rows, self.loss, self.index, self.centre = rows, loss, index, centre

    def image(self, x: Array) -> Array:
        """A_B x."""
        z = self.rows @ x.astype(self.rows.dtype, copy=False)
        return np.asarray(z if self.centre is None else z - z.dtype.type(self.centre.dot(x)))

    def value(self, x: Array) -> float:
        return float(self.loss.value(self.image(x)))

    def residual(self, x: Array) -> Array:
        """The weighted slopes pᵢ ℓ'ᵢ(aᵢ·x)."""
        return np.asarray(self.loss.gradient(self.image(x)))

    def adjoint(self, r: Array) -> Array:
        """A_Bᵀ r."""
        g = np.asarray(self.rows.T @ r.astype(self.rows.dtype, copy=False), dtype=np.float64)
        return g if self.centre is None else g - float(r.sum()) * self.centre

    def gradient(self, x: Array) -> Array:
        return self.adjoint(self.residual(x))


class Whole:
    """All terms of φ(Ax) as one batch: the rows are not copied."""

    def __init__(self, f: Any) -> None:
        self.f, self.index = f, np.arange(f.n)

    def value(self, x: Array) -> float:
        return float(self.f.loss.value(self.f.design.matvec(x)))

    def residual(self, x: Array) -> Array:
        return np.asarray(self.f.loss.gradient(self.f.design.matvec(x)))

    def adjoint(self, r: Array) -> Array:
        return np.asarray(self.f.design.adjoint(r.astype(self.f.design.dtype, copy=False)), dtype=np.float64)

    def gradient(self, x: Array) -> Array:
        return self.adjoint(self.residual(x))


class Source:
    """Where the minibatches of one solve come from, and how many gradients of terms they have cost: ``spent``.

    A batch is counted when it is drawn; who asks it at a second point says so (`again`). A batch as large as the data
    would be no cheaper than all terms, so it is all terms, each once.
    """

    def __init__(self, f: Any, sampler: Any) -> None:
        self.f, self.sampler, self.spent = f, sampler, 0
        self._whole: Any = None

    def draw(self, size: int) -> Any:
        """A fresh minibatch."""
        return self._counted(size, self.sampler.draw)

    def distinct(self, size: int) -> Any:
        """A fresh minibatch of different terms."""
        return self._counted(size, self.sampler.distinct)

    def _counted(self, size: int, draw: Any) -> Any:
        batch = self.whole if size >= self.f.n else self.f.batch(draw(size))
        self.spent += len(batch.index)
        return batch

    def again(self, batch: Any) -> Any:
        """The same minibatch, to be asked once more."""
        self.spent += len(batch.index)
        return batch

    @property
    def whole(self) -> Any:
        """All terms; the caller counts them."""
        if self._whole is None:
            f = self.f
            self._whole = Whole(f) if hasattr(f, "design") else f.batch(np.arange(f.n))
        return self._whole

    def full(self, x: Array) -> Array:
        """∇f(x), all n terms of it."""
        return np.asarray(self.again(self.whole).gradient(x))

    def state(self) -> State:
        return {"spent": np.array(self.spent)}

    def restore(self, state: State) -> None:
        self.spent = int(state["spent"])
