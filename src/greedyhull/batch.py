"""Minibatches: the mean of some terms of a finite sum, which can be asked at any array, and more than once."""

from __future__ import annotations

from typing import Any

import numpy as np

from greedyhull.types import Array, Index, State


class Batch:
    """f_B(x) = Σ over the batch of pᵢ ℓᵢ(aᵢ·x), the weights such that its mean over all batches is f.

    ``centre`` is subtracted from every row: the mean row of the data, where an intercept was profiled out of squares.
    """

    def __init__(self, rows: Any, loss: Any, index: Index, centre: Array | None = None) -> None:
        self.rows, self.loss, self.index, self.centre = rows, loss, index, centre

    def image(self, x: Array) -> Array:
        """A_B x."""
        z = self.rows @ x
        return np.asarray(z if self.centre is None else z - float(self.centre.dot(x)))

    def value(self, x: Array) -> float:
        return float(self.loss.value(self.image(x)))

    def residual(self, x: Array) -> Array:
        """The weighted slopes pᵢ ℓ'ᵢ(aᵢ·x)."""
        return np.asarray(self.loss.gradient(self.image(x)))

    def adjoint(self, r: Array) -> Array:
        """A_Bᵀ r."""
        g = self.rows.T @ r
        return np.asarray(g if self.centre is None else g - float(r.sum()) * self.centre)

    def gradient(self, x: Array) -> Array:
        return self.adjoint(self.residual(x))


class Source:
    """Where the minibatches of one solve come from, and how many terms they have cost: ``spent``."""

    def __init__(self, f: Any, sampler: Any) -> None:
        self.f, self.sampler, self.spent = f, sampler, 0

    def draw(self, size: int) -> Any:
        """A fresh minibatch."""
        index = self.sampler.draw(size)
        self.spent += len(index)
        return self.f.batch(index)

    def full(self, x: Array) -> Array:
        """∇f(x), all n terms of it."""
        self.spent += self.f.n
        return np.asarray(self.f.batch(np.arange(self.f.n)).gradient(x))

    def state(self) -> State:
        return {"spent": np.array(self.spent)}

    def restore(self, state: State) -> None:
        self.spent = int(state["spent"])
