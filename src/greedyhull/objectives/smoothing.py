"""An objective with kinks, smoothed by μ, and μ made smaller while it is being minimised.

f_μ ≤ f, and the residual of f_μ is feasible for the dual of f. So a linear bound on f_μ is one on f, and the one with
φ*(r) in place of φ_μ*(r) is sharper by (μ/2) Σ pᵢaᵢ²: it closes as w goes to the minimum of f_μ and μ to 0.
"""

from __future__ import annotations

import numpy as np

from greedyhull.objectives.composite import Composite
from greedyhull.objectives.ridged import Ridged
from greedyhull.points.direction import Direction
from greedyhull.points.image import Foreseen, Image
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, AtomSet, Loss, State
from greedyhull.types.kinds import kinked, profiled


class SoftImage(Image):
    """z = Aw, which the view of the objective with kinks keeps, with what the smoothed loss has computed there."""

    __slots__ = ("sharp",)

    def __init__(self, sharp: Image) -> None:
        self.sharp, self.A, self.name = sharp, sharp.A, "soft"
        self.clear()

    @property
    def z(self) -> Array:  # type: ignore[override]
        return self.sharp.z

    @property
    def moves(self) -> int:  # type: ignore[override]
        return self.sharp.moves

    @property
    def beneath(self) -> Image:
        return self.sharp

    def know(self, z: Array, value: float, residual: Array, gradient: Array) -> None:
        self.sharp.clear()
        self.sharp.z, self.sharp.moves = z, 0
        self.clear()
        self.value, self.residual, self.gradient = value, residual, gradient

    def direction(self, move: Direction) -> Array:
        return self.sharp.direction(move)

    def lead(self, move: Direction, z: Array) -> None:
        self.sharp.lead(move, z)
        self._ahead = Foreseen(move, 1.0, z)

    def ahead(self, move: Direction, step: float, loss: Loss) -> float:
        value = super().ahead(move, step, loss)
        assert self._ahead is not None
        self.sharp.expect(move, step, self._ahead.z)
        return value

    def moved(self, move: Direction, step: float) -> None:
        """z moves with the view with kinks, before this one or after: only what was computed at z is let go here."""
        seen = self._ahead
        self.clear()
        if seen is not None and seen.of(move, step) and seen.pieces is not None:
            self.value, self.residual, self.curvature = seen.pieces

    def refresh(self, w: Iterate) -> None:
        self.clear()

    def state(self) -> State:
        return {}

    def restore(self, state: State) -> None:
        self.clear()


class Smoothing(Composite):
    """f_μ of one solve; `sharpen` makes μ smaller and leaves the point where it is."""

    def __init__(self, f: Composite, mu: float) -> None:
        loss = kinked(f.loss)
        assert loss is not None  # whoever smooths f has seen that it has kinks
        super().__init__(f.design, loss.smoothed(mu), f"smoothed {f.name}")
        self.sharp, self.kinked, self.mu = f, loss, mu

    @property
    def kinked_terms(self) -> Loss:
        """The loss with kinks, without an intercept."""
        inner = profiled(self.kinked)
        return self.kinked if inner is None else inner.loss

    def at(self, w: Iterate) -> Image:
        return w.views.get(self) or w.view(self, lambda: SoftImage(self.sharp.at(w)))  # type: ignore[return-value]

    def sharpen(self, mu: float, w: Iterate) -> None:
        self._smooth(mu)
        self.at(w).clear()

    def _smooth(self, mu: float) -> None:
        self.mu, self.loss = mu, self.kinked.smoothed(mu)
        self.exact = self.loss

    def smoothing_error(self, w: Iterate, S: AtomSet) -> float:
        """φ(z) + φ*(r) − ⟨r, z⟩ ≥ 0 for r = ∇φ_μ(z): what smoothing costs the certificate.

        With an intercept, φ*(r) is finite if r sums to zero; what is left of the sum counts as in `Composite.rounding`.
        """
        f, r = self.sharp, self.residual(w)
        error = f.value(w) + float(self.kinked.conjugate(r)) - self.gradient_dot(w)
        if f.has_intercept:
            error += abs(float(r.sum(dtype=np.float64))) * (2.0 * f.image_bound(S) + abs(f.intercept(w)))
        return error

    def state(self) -> State:
        return {"mu": np.array(self.mu)}

    def restore(self, state: State) -> None:
        self._smooth(float(state["mu"]))


class RidgedSmoothing(Ridged):
    """f_μ + (l2/2)‖·‖² of one solve. The ridge is in f and f_μ alike, so that it costs the certificate nothing."""

    def __init__(self, f: Ridged, mu: float) -> None:
        self._soft = Smoothing(f.bare, mu)
        super().__init__(self._soft, f.l2, f.ridge)

    @property
    def mu(self) -> float:
        return self._soft.mu

    def sharpen(self, mu: float, w: Iterate) -> None:
        self._soft.sharpen(mu, w)
        self.loss = self._soft.loss

    def smoothing_error(self, w: Iterate, S: AtomSet) -> float:
        """φ(z) + φ*(r) − ⟨r, z⟩ ≥ 0 for r = ∇φ_μ(z)."""
        return self._soft.smoothing_error(w, S)

    def state(self) -> State:
        return self._soft.state()

    def restore(self, state: State) -> None:
        self._soft.restore(state)
        self.loss = self._soft.loss


def smoothing(f: Composite, mu: float) -> Smoothing | RidgedSmoothing:
    """f_μ of one solve, for f with kinks."""
    return RidgedSmoothing(f, mu) if isinstance(f, Ridged) else Smoothing(f, mu)
