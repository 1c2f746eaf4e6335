"""The ridge (l2/2)‖w‖², the part that `l2=` adds to a loss."""

from __future__ import annotations

import numpy as np

from greedyhull.objectives.designs.identity import Identity
from greedyhull.objectives.line import Parabola
from greedyhull.points.direction import Direction
from greedyhull.points.image import Image
from greedyhull.points.iterate import Iterate
from greedyhull.points.lengths import length
from greedyhull.types import Array, AtomSet, Gradient, Shape

EPS = float(np.finfo(np.float64).eps)
LEAST = 5e-324  # what a product that underflows may be off by


class Place(Image):
    """The view x = w, updated by every move; ``total`` is the gradient of loss and ridge, with that of the loss."""

    __slots__ = ("total",)

    def clear(self) -> None:
        super().clear()
        self.total: tuple[Gradient, Array] | None = None

    def refresh(self, w: Iterate) -> None:
        self.z, self.moves = w.array().ravel(), 0  # no product with data: it costs no work
        self.clear()


class Ridge:
    """(l2/2)‖w‖², by the view x = w.

    As for a loss, x + rounding stands for w: (l2/2)‖x‖² − l2⟨x, x⟩ + l2⟨x, ·⟩ is below (l2/2)‖·‖² for *any* x.
    """

    def __init__(self, l2: float, shape: Shape) -> None:
        self.l2, self.design = l2, Identity(shape)
        self._reach: tuple[AtomSet, float, object] | None = None

    def at(self, w: Iterate) -> Place:
        """The view of w; its residual is l2·x."""
        view: Place = w.views.get(self) or w.view(self, lambda: Place(self.design, "ridge"))  # type: ignore[assignment]
        if view.residual is None:
            view.residual = self.l2 * view.z  # before it is multiplied by x again: squares may overflow, or vanish
            view.value = 0.5 * float(view.residual.dot(view.z))
        return view

    def value(self, w: Iterate) -> float:
        return self.at(w).value  # type: ignore[return-value]

    def gradient(self, w: Iterate) -> Array:
        """l2·w."""
        return self.at(w).residual.reshape(self.design.domain)  # type: ignore[union-attr]

    def gradient_dot(self, w: Iterate) -> float:
        """l2‖w‖²."""
        return 2.0 * self.value(w)

    def along(self, w: Iterate, move: Direction) -> Parabola:
        view = self.at(w)
        v = view.direction(move)
        return Parabola(self.value(w), float(view.residual.dot(v)), float((self.l2 * v).dot(v)),  # type: ignore[union-attr]
                        move.max_step)

    def rounding(self, w: Iterate, S: AtomSet, eps: float = EPS) -> float:
        """What rounding can have done to value − lower bound: about d·eps·l2‖x‖·max‖·‖, and ½l2‖e‖² for an error e of x."""
        view = self.at(w)
        kept = self._reach
        if kept is None or kept[0] is not S or kept[2] != S.seen:
            kept = self._reach = (S, float(S.max_abs(np.ones(self.design.domain))), S.seen)  # ‖·‖₁ is no less than ‖·‖₂
        reach, n, terms = kept[1], self.design.n + 16, len(w) + 3 * view.moves
        steep, count, off = length(view.residual), n + n + terms, eps * (16 + terms) * reach  # type: ignore[arg-type]
        first = eps * (n * self.value(w) + count * steep * reach) + 0.5 * (self.l2 * off) * off
        return float(first + (LEAST * count * (1.0 + steep + reach) if reach > 0.0 else 0.0))
