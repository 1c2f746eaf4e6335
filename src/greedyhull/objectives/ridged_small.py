"""A loss with a ridge on the hull of a few atoms: to the Hessian of the loss come l2 times the atoms' inner products."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.objectives.restricted import Restricted
from greedyhull.objectives.ridge import Ridge
from greedyhull.objectives.softmax_small import SoftmaxSmall
from greedyhull.objectives.trial import LineTrial
from greedyhull.points.iterate import Iterate
from greedyhull.points.products import inner_products
from greedyhull.types import Array, Block, Index, Objective, Small, State
from greedyhull.types.override import override

if TYPE_CHECKING:
    KeepsSmall = Small
else:
    KeepsSmall = object


class RidgedSmall(KeepsSmall):
    """φ(Zα) + (l2/2)αᵀGα with G the inner products of the atoms, which are kept and appended to."""

    block: Block

    def __init__(self, f: Objective, loss: Restricted | SoftmaxSmall, ridge: Ridge) -> None:
        self.f, self.loss, self.ridge, self.block = f, loss, ridge, loss.block
        self._products: Array | None = None

    def __len__(self) -> int:
        return len(self.loss)

    @override
    def extend(self, atoms: Block, w: Iterate) -> None:
        """Let ``atoms`` join."""
        if self._products is not None:
            across, corner = (inner_products(rows, atoms, self.f.domain) for rows in (self.block, atoms))
            self._products = np.block([[self._products, across], [across.T, corner]])
        self.loss.extend(atoms, w)
        self.block = self.loss.block

    @override
    def take(self, index: Index) -> None:
        """Keep only the atoms at ``index``."""
        self.loss.take(index)
        self.block = self.loss.block
        if self._products is not None:
            self._products = self._products[np.ix_(index, index)]

    @override
    def gradient(self, w: Iterate) -> Array:
        """⟨∇f(w), dᵢ⟩ for every atom."""
        return self.loss.gradient(w) + self.block.dots(self.ridge.gradient(w))

    @override
    def hessian(self, w: Iterate, sample: int = 1) -> Array:
        if self._products is None:
            self._products = inner_products(self.block, self.block, self.f.domain)
        return self.loss.hessian(w, sample) + self.ridge.l2 * self._products

    @override
    def trial(self, w: Iterate, base: Array, target: Array) -> RidgedTrial:
        """The steps from ``base`` to ``target``; at step 1 both views are computed from the atoms afresh."""
        of_loss = self.loss.trial(w, base, target)
        assert isinstance(of_loss, LineTrial)
        x = np.zeros(self.f.domain)
        self.block.add_to(x, target)
        self.ridge.at(w).lead(of_loss.move, x.ravel())
        return RidgedTrial(self.f, w, of_loss, self.ridge)

    @override
    def state(self) -> State:
        products = {} if self._products is None else {"products": self._products}
        return {**self.loss.state(), **products}

    @override
    def restore(self, state: State) -> None:
        self.loss.restore(state)
        self._products = state.get("products")


class RidgedTrial(LineTrial):
    """The steps of loss and ridge together; what the trial of the loss sees at a step, its view then has."""

    def __init__(self, f: Objective, w: Iterate, loss: LineTrial, ridge: Ridge) -> None:
        super().__init__(f, w, loss.move, loss.eps)
        self.loss, self.ridge = loss, ridge.along(w, loss.move)

    @property
    @override
    def limit(self) -> float:
        return self.loss.limit

    @property
    @override
    def noise(self) -> float:
        return super().noise + self.loss.noise

    @override
    def value(self, step: float) -> float:
        return self.loss.value(step) + self.ridge.value(step)
