"""Cross-entropy of several classes on the hull of a few atoms: its Hessian has a block for each row of the data.

With S the probabilities at a point, Z the images of the atoms (a number for each row i and class k) and Yᵢ = Σₖ Sᵢₖ Zᵢₖ, it is
Zᵀ diag(pS) Z − Yᵀ diag(p) Y. Where intercepts are minimised over, CᵀB⁺C is taken away, C and B the parts of the Hessian that
belong to them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from greedyhull.kernels.softmax_hessian import Room, entries_and_intercepts, entries_hessian
from greedyhull.objectives.designs.task_columns import TaskColumns
from greedyhull.objectives.restricted import ImageTrial, beside
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, Block, Index, LinearModel, Small, State, Trial
from greedyhull.types.override import KeepsSmall, keeps, override

if TYPE_CHECKING:
    from greedyhull.objectives.multinomial import Multinomial

FAR = 1e-3  # of the value: points with a larger gap are far from the optimum
LARGE = 2**15  # numbers at least in the columns of a Hessian that takes time
LOST = 1e-5  # of the diagonal: what rounding in single precision may take from eigenvalues
TINY_SINGLE = 1e-25  # smaller numbers may have been lost in single precision
TINY = 1e-300  # what to add where all probabilities are 0 or 1


class SoftmaxSmall(KeepsSmall):
    """φ(Zα) for the atoms of a block, φ the loss `Softmax`. Its Hessian is made anew at every point."""

    if TYPE_CHECKING:
        keeps(Small.block)

    def __init__(self, f: Multinomial, block: Block) -> None:
        self.f, self.block = f, block
        self._images: Any = None
        self._room = Room()

    def __len__(self) -> int:
        return len(self.block)

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
        s, p, Z = self.f.probabilities(w), self.f.softmax.p, self.Z
        single = isinstance(Z, TaskColumns)
        H = single_entries(Z, s, p, self._room, self._far(w)) if single else written_out(Z, s, p)
        if self.f.intercepts_fitted:
            C = single_meet(Z, s, p) if single else written_meet(Z, s, p)
            weighted = self.f.softmax.by_row(s)
            B = np.diag(weighted.sum(axis=0)) - s.T @ weighted
            H = H - C.T @ without_intercepts(B, C)
        return np.asarray(0.5 * (H + H.T))

    def _far(self, w: Iterate) -> bool:
        """Whether w is so far from the best point of these atoms that a Hessian in single precision leads there as well, if it
        takes time."""
        if len(self.block) * self.f.tasks.X.n < LARGE:
            return False
        value, gap = abs(self.f.value(w)), self.f.gradient_dot(w) - float(self.gradient(w).min())
        return FAR * value < gap < value  # where the set is far too large, gaps are larger and tell nothing

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


def single_entries(Z: TaskColumns, s: Array, p: Array | float, room: Room | None = None, far: bool = False) -> Array:
    """Zᵀ diag(pS) Z − Yᵀ diag(p) Y, for atoms with a single entry: only those of one class meet in the first part.

    ``far`` from the optimum in single precision, with what rounding may have taken from its eigenvalues.
    """
    order, back, rows = Z.by_response(np.float32 if far else np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        H = entries_hessian(rows, Z.response[order], s, p, room)[np.ix_(back, back)].astype(np.float64, copy=False)
        if not far:
            return np.asarray(H)
        H[np.diag_indices_from(H)] *= 1.0 + LOST
    lost = (H.diagonal() <= TINY_SINGLE) & (rows != 0.0).any(axis=1)[back]
    return single_entries(Z, s, p, room) if lost.any() or not np.isfinite(H).all() else np.asarray(H)


def single_meet(Z: TaskColumns, s: Array, p: Array | float) -> Array:
    """C for such atoms."""
    order, back, rows = Z.by_response()
    return entries_and_intercepts(rows, Z.response[order], s, p)[:, back]


def written_out(Z: Array, s: Array, p: Array | float) -> Array:
    """Zᵀ diag(pS) Z − Yᵀ diag(p) Y for atoms of any kind, whose images are written out."""
    each = p if isinstance(p, float) else p[:, None]
    Y = np.einsum("mnc,nc->nm", Z.T.reshape(Z.shape[1], *s.shape), s)
    return np.asarray(Z.T @ (Z * (each * s).ravel()[:, None]) - Y.T @ (each * Y))


def written_meet(Z: Array, s: Array, p: Array | float) -> Array:
    """C for such atoms."""
    images, weighted = Z.T.reshape(Z.shape[1], *s.shape), (p if isinstance(p, float) else p[:, None]) * s
    Y = np.einsum("mnc,nc->nm", images, s)
    return np.asarray(np.einsum("mnc,nc->cm", images, weighted) - weighted.T @ Y)


def without_intercepts(B: Array, C: Array) -> Array:
    """B⁺C, in the precision of C: what minimising over intercepts takes from the Hessian is Cᵀ times that, B its part that
    belongs to them. Where classes are told apart for certain, intercepts are of no consequence and B is singular."""
    B, right = B + max(float(np.trace(B)) / len(B), TINY), C.astype(np.float64, copy=False)
    try:
        found = np.linalg.solve(B, right)
    except np.linalg.LinAlgError:
        found = np.linalg.lstsq(B, right, rcond=None)[0]
    return np.asarray(found, dtype=C.dtype)
