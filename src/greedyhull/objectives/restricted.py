"""An objective on the hull of a few atoms: what a corrective round solves.

f(Σ αᵢ dᵢ) as a function of α keeps the images Z = A[d₁ … d_m], so that its gradient is Zᵀr and its Hessian ZᵀCZ. The
Hessian is kept: it is appended to when atoms join, and for losses whose curvature C moves it is refreshed on the rows
where C has moved, never rebuilt for the others.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from greedyhull.objectives.small_base import SmallBase
from greedyhull.objectives.trial import LineTrial
from greedyhull.points.columns import gram
from greedyhull.points.direction import Direction
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, Block, Imaged, Index, LinearModel, State, Trial
from greedyhull.types.attributes import lacks
from greedyhull.types.kinds import linear_model
from greedyhull.types.override import override

STALE = 0.1  # by which share a row's curvature may move before the Hessian follows
MANY_JOIN = 0.25  # of the atoms that are there: where more join, a Hessian that is old anyway is made anew
MANY_MOVE = 0.5  # of the rows: where more have moved, it costs less to begin anew
FALLEN = 1e6  # a curvature that has fallen by this factor, taken away from a sum, would leave rounding only
MANY_ROWS = 4000  # more rows than this can be sampled; of fewer, all are as fast
A_ROW_EACH = 10  # times as many rows as atoms must be left in a sample


class Restricted(SmallBase):
    """φ(Zα) for the atoms of a block."""

    f: Imaged

    def __init__(self, f: Imaged, block: Block) -> None:
        super().__init__(block)
        self.f, self.model = f, linear_model(f)
        self._images: Any = None
        self._rows: Array | None = None  # the curvature of each row that the Hessian was made with

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
        """Let ``atoms`` join: their columns are appended to the Hessian."""
        if self._images is not None:
            Z = atoms.images(self.f.design)
            if not self.f.traits.quadratic and len(atoms) > MANY_JOIN * len(self.block):
                self._hessian = None  # so many are new that making it anew, as the curvature asks anyway, costs less
            if self._hessian is not None:
                across = self.f.hessian_gram(w, self.block, self._images, Z, weights=self._rows)
                corner = self.f.hessian_gram(w, atoms, Z, weights=self._rows)
                self._hessian = np.concatenate([np.concatenate([self._hessian, across], axis=1),
                                                np.concatenate([across.T, corner], axis=1)])
            self._images = beside(self._images, Z)
        self.block = self.block.extend(atoms)

    @override
    def take(self, index: Index) -> None:
        """Keep only the atoms at ``index``, and their images."""
        super().take(index)
        if self._images is not None:
            self._images = self._images[:, index]

    @override
    def gradient(self, w: Iterate) -> Array:
        """⟨∇f(w), dᵢ⟩ for every atom: from ∇f(w) where it is known, else Zᵀr."""
        if self.f.at(w).gradient is not None or self.model is None:
            return super().gradient(w)
        return np.asarray(self.Z.T @ self.model.residual(w)).astype(np.float64, copy=False)

    @override
    def hessian(self, w: Iterate, sample: int = 1) -> Array:
        """∇²_α φ(Zα) at w; of many rows from one in ``sample``, which is enough far from the optimum."""
        if self.model is None or self.f.traits.quadratic:
            if self._hessian is None:
                self._hessian = self.f.hessian_gram(w, self.block, self.Z).astype(np.float64, copy=False)
            return self._hessian
        c = self.model.curvatures(w)
        if sample > 1 and len(c) > max(MANY_ROWS, sample * A_ROW_EACH * len(self.block)):
            c = c * _sample(len(c), sample)
        if self._hessian is None or self._rows is None:
            return self._renew(w, c)
        change = c - self._rows
        change[np.abs(change) <= STALE * self._rows] = 0.0
        moved = change.nonzero()[0]
        fallen = len(moved) and float(self._rows.max()) > FALLEN * float(c.max())
        if fallen or len(moved) > MANY_MOVE * np.count_nonzero(c) or self.model.has_intercept:
            return self._renew(w, c)
        if len(moved):
            self._rows = self._rows + change
            self._hessian = self._hessian + gram(self.f.design, self.Z, None, change)
        return self._hessian

    def factors(self, w: Iterate) -> tuple[Array, Array] | None:
        """D and F, with fewer rows than there are atoms, of the Hessian diag(D) + FᵀF at w; None where there are none."""
        if self.model is None or self.model.has_intercept or self.f.design.n >= len(self.block):
            return None
        c = self.model.curvatures(w)
        if not isinstance(self.Z, np.ndarray) or (c < 0.0).any():
            return None
        return np.zeros(len(self.block)), np.sqrt(c)[:, None] * self.Z.astype(np.float64, copy=False)

    def _renew(self, w: Iterate, c: Array) -> Array:
        self._rows = c.copy()
        self._hessian = self.f.hessian_gram(w, self.block, self.Z, weights=c).astype(np.float64, copy=False)
        return self._hessian

    @override
    def trial(self, w: Iterate, base: Array, target: Array) -> Trial:
        """The steps from ``base`` to ``target``, their image already known to the view of w.

        At step 1 the view gets Z·target itself, computed from the atoms afresh, so that rounding does not gather.
        """
        move, view = w.reweighting(self.block, base, target - base), self.f.at(w)
        view.lead(move, np.asarray(self.Z @ target.astype(self.Z.dtype, copy=False)))
        eps = float(np.finfo(view.z.dtype).eps)
        if self.model is None or self.f.traits.quadratic:
            return LineTrial(self.f, w, move, eps)
        return ImageTrial(self.model, w, move, eps)

    @override
    def state(self) -> State:
        kept = {"hessian": self._hessian, "rows": self._rows}
        return {name: array for name, array in kept.items() if array is not None}

    @override
    def restore(self, state: State) -> None:
        self._hessian, self._rows = state.get("hessian"), state.get("rows")
        if self._hessian is not None:
            self._images = self.block.images(self.f.design)  # they are there whenever the Hessian is


class ImageTrial(LineTrial):
    """The steps of a linear model: a value is seen together with residual and curvature, which the view then has."""

    def __init__(self, f: LinearModel, w: Iterate, move: Direction, eps: float) -> None:
        super().__init__(f, w, move, eps)
        self.model, self.loss, self.view = f, f.loss, f.at(w)

    @property
    def noise(self) -> float:
        """Also a few units in the last place of the terms of ⟨r, z⟩, which cancel where the optimum is inside the set."""
        terms = np.abs(np.asarray(self.model.residual(self.w) * self.view.z, dtype=np.float64))
        return super().noise + 4.0 * self.eps * float(terms.sum())

    @property
    def limit(self) -> float:
        return self.loss.limit(self.view.z, self.view.direction(self.move))

    def value(self, step: float) -> float:
        return self.view.ahead(self.move, step, self.loss)


@lru_cache(maxsize=4)
def _sample(n: int, one_in: int) -> Array:
    """Zero on n rows, but on a random one in so many that number; random, for real rows may come in periods."""
    return one_in * (np.random.default_rng(0).random(n) < 1.0 / one_in).astype(np.float64)


def beside(Z: Any, more: Any) -> Any:
    """The columns of Z, then those of ``more``."""
    if isinstance(Z, np.ndarray) or lacks(Z, "beside"):
        return np.concatenate([Z.T, more.T]).T  # Fortran order: columns stay contiguous
    return Z.beside(more)
