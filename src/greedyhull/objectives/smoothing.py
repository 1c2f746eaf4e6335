"""An objective with kinks, smoothed by μ, and μ made smaller while it is being minimised.

f_μ ≤ f, and the residual of f_μ is feasible for the dual of f. So a linear bound on f_μ is one on f, and the one with
φ*(r) in place of φ_μ*(r) is sharper by (μ/2) Σ pᵢaᵢ²: it closes as w goes to the minimum of f_μ and μ to 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.objectives.composite import Composite
from greedyhull.objectives.ridge import Ridged
from greedyhull.points.direction import Direction
from greedyhull.points.iterate import Iterate
from greedyhull.points.views import Foreseen, Image
from greedyhull.types import Array, AtomSet, Loss, Objective, State, without_intercept

if TYPE_CHECKING:
    from greedyhull.remote.kinked import KinkedShards, SoftShards


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
        self.sharp.expect(move, step, self._ahead.x)
        return value

    def moved(self, move: Direction, step: float) -> None:
        """z moves with the view with kinks, before this one or after: only what was computed at z is let go here."""
        seen = self._ahead
        self.clear()
        if seen is not None and seen.of(move, step) and seen.found is not None:
            self.value, self.residual, self.curvature = seen.found

    def refresh(self, w: Iterate) -> None:
        self.clear()

    def state(self) -> State:
        return {}

    def restore(self, state: State) -> None:
        self.clear()


class Smoothing(Composite):
    """f_μ of one solve; `sharpen` makes μ smaller and leaves the point where it is."""

    def __init__(self, f: Composite, mu: float) -> None:
        super().__init__(f.design, f.loss.smoothed(mu), f"smoothed {f.name}")
        self.sharp, self.kinked, self.mu = f, f.loss, mu

    @property
    def kinked_terms(self) -> Loss:
        """The loss with kinks, without an intercept."""
        return without_intercept(self.kinked)

    def at(self, w: Iterate) -> Image:
        return w.views.get(self) or w.view(self, lambda: SoftImage(self.sharp.at(w)))  # type: ignore[return-value]

    def precise(self) -> Composite:
        """Itself: μ falls underway, and certificates are those of f with kinks."""
        return self

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

    def _in_double(self) -> Ridged:
        return Ridged(self._soft, self.l2, self.ridge)

    def state(self) -> State:
        return self._soft.state()

    def restore(self, state: State) -> None:
        self._soft.restore(state)
        self.loss = self._soft.loss


def with_kinks(f: Objective) -> Composite | KinkedShards | None:
    """f, if it is one with kinks that can be smoothed."""
    if f.traits.smooth or isinstance(f, Composite):
        return f if isinstance(f, Composite) and not f.traits.smooth else None
    if not f.traits.remote:
        return None
    from greedyhull.remote.kinked import KinkedShards

    return f if isinstance(f, KinkedShards) else None


def smoothing(f: Composite | KinkedShards, mu: float) -> Smoothing | RidgedSmoothing | SoftShards:
    """f_μ of one solve, for f with kinks."""
    if isinstance(f, Composite):
        return RidgedSmoothing(f, mu) if isinstance(f, Ridged) else Smoothing(f, mu)
    return f.smoothed(mu)


def finest(f: Composite | KinkedShards, w: Iterate) -> float:
    """A μ that the rounding of predictions hides."""
    if not isinstance(f, Composite):
        return f.finest(w)
    z = f.at(w).z
    return float(np.finfo(z.dtype).eps) * f.loss.size(0.0, z)


def distance(f: Composite | KinkedShards, w: Iterate) -> float:
    """The mean distance of predictions from targets."""
    if not isinstance(f, Composite):
        return f.distance(w)
    z = f.at(w).z
    return float(f.loss.total(np.abs(z + z.dtype.type(f.intercept(w)) - f.loss.y)))
