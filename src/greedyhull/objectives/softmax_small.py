"""Cross-entropy of several classes on the hull of a few atoms: its Hessian has a block for each row of the data.

With S the probabilities at a point, Z the images of the atoms (a number for each row i and class k) and Yᵢ = Σₖ Sᵢₖ Zᵢₖ, it is
Zᵀ diag(pS) Z − Yᵀ diag(p) Y. Where intercepts are minimised over, CᵀB⁺C is taken away, C and B the parts of the Hessian that
belong to them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from greedyhull.objectives.designs.task_columns import TaskColumns
from greedyhull.objectives.restricted import ImageTrial, beside
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, Block, Index, LinearModel, Small, State, Trial
from greedyhull.types.override import KeepsSmall, keeps, override

if TYPE_CHECKING:
    from greedyhull.objectives.multinomial import Multinomial

TINY = 1e-300  # what to add where all probabilities are 0 or 1


class SoftmaxSmall(KeepsSmall):
    """φ(Zα) for the atoms of a block, φ the loss `Softmax`. Its Hessian is made anew at every point."""

    if TYPE_CHECKING:
        keeps(Small.block)

    def __init__(self, f: Multinomial, block: Block) -> None:
        self.f, self.block = f, block
        self._images: Any = None

    @property
    def Z(self) -> Any:
        """The images of the atoms as columns."""
        if self._images is None:
            self._images = self.block.images(self.f.design)
        return self._images

    @override
    def extend(self, atoms: Block, w: Iterate) -> None:
        if self._images is not None:
            self._images = beside(self._images, atoms.images(self.f.design))
        self.block = self.block.extend(atoms)

    @override
    def take(self, index: Index) -> None:
        self.block = self.block.take(index)
        if self._images is not None:
            self._images = self._images[:, index]

    @override
    def gradient(self, w: Iterate) -> Array:
        """⟨∇f(w), dᵢ⟩ for every atom."""
        return self.block.dots(self.f.gradient(w)).astype(np.float64, copy=False)

    @override
    def hessian(self, w: Iterate, sample: int = 1) -> Array:
        s, loss = self.f.probabilities(w), self.f.softmax
        parts = single_entries if isinstance(self.Z, TaskColumns) else written_out
        H, C = parts(self.Z, s, loss.by_row)
        if self.f.intercepts_fitted:
            weighted = loss.by_row(s)
            B = np.diag(weighted.sum(axis=0)) - s.T @ weighted
            H = H - C.T @ _solved(B + max(float(np.trace(B)) / len(B), TINY), C)
        return np.asarray(0.5 * (H + H.T))

    @override
    def trial(self, w: Iterate, base: Array, target: Array) -> Trial:
        """The steps from ``base`` to ``target``; where the whole one leads is computed from the atoms afresh."""
        move, view = w.reweighting(self.block, base, target - base), self.f.at(w)
        view.lead(move, np.asarray(self.Z @ target.astype(view.z.dtype, copy=False)).astype(view.z.dtype, copy=False))
        return ImageTrial(cast(LinearModel, self.f), w, move, float(np.finfo(view.z.dtype).eps))

    @override
    def state(self) -> State:
        return {}

    @override
    def restore(self, state: State) -> None:
        """Images are made when they are asked for."""


def single_entries(Z: Any, s: Array, by_row: Callable[[Array], Array]) -> tuple[Array, Array]:
    """Zᵀ diag(pS) Z − Yᵀ diag(p) Y and C, for atoms with a single entry: only those of one class meet in the first part."""
    columns = Z.spread()
    Y = columns * s[:, Z.response]
    weighted = by_row(Y)
    H, C = -(Y.T @ weighted), -(by_row(s).T @ Y)
    C[Z.response, np.arange(Z.shape[1])] += weighted.sum(axis=0)
    for t in np.unique(Z.response).tolist():
        of_class = np.flatnonzero(Z.response == t)
        H[np.ix_(of_class, of_class)] += columns[:, of_class].T @ weighted[:, of_class]
    return H, C


def written_out(Z: Any, s: Array, by_row: Callable[[Array], Array]) -> tuple[Array, Array]:
    """The same for atoms of any kind, whose images are written out."""
    images, weighted = Z.T.reshape(Z.shape[1], *s.shape), by_row(s)
    Y = np.einsum("mnc,nc->nm", images, s)
    H = Z.T @ (Z * weighted.ravel()[:, None]) - Y.T @ by_row(Y)
    return np.asarray(H), np.einsum("mnc,nc->cm", images, weighted) - weighted.T @ Y


def _solved(B: Array, C: Array) -> Array:
    """B⁻¹C; where classes are told apart for certain, intercepts are of no consequence and B is singular: the shortest B⁺C."""
    try:
        return np.asarray(np.linalg.solve(B, C))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(B, C, rcond=None)[0])
