"""Linear models whose points are matrices: a loss after `Observed` entries, or after `Tasks`."""

from __future__ import annotations

from math import fsum

import numpy as np

from greedyhull.objectives.composite import EPS, Composite
from greedyhull.points.iterate import Iterate
from greedyhull.types import AtomSet, Design, Loss
from greedyhull.types.override import override


class MatrixModel(Composite):
    """φ(A W) for matrices W. ``norm`` bounds how long A makes |W|, ‖ |A| |W| ‖ ≤ norm·‖W‖_F, and ``depth`` is how many numbers
    A adds up for an entry of its image: errors of images are relative to the one and proportional to the other.

    `Composite` bounds images from the columns of A, one by one. That is far too much for atoms that have all entries.
    """

    def __init__(self, design: Design, loss: Loss, name: str, exact: Loss, norm: float, depth: int, note: str = "") -> None:
        super().__init__(design, loss, name, exact)
        self._norm, self._depth, self._note = norm, depth, note

    def __repr__(self) -> str:
        return f"{self.name}(n={self.design.n}, shape={self.domain}{self._note})"

    @override
    def image_bound(self, S: AtomSet) -> float:
        """‖ |A| |W| ‖ at most."""
        kept = self._reach
        if kept is None or kept[0] is not S or kept[2] != S.seen:
            kept = self._reach = (S, self._norm * S.max_length() * (1.0 + 1e-12), S.seen)
        return kept[1]

    @override
    def rounding(self, w: Iterate, S: AtomSet, eps: float = EPS) -> float:
        """That of `Composite`, and of the sums that make an image."""
        usual = super().rounding(w, S, eps)
        if not self._depth:
            return usual
        view, far = self._known(w), self.image_bound(S)
        value, residual = view.value, view.residual
        assert value is not None and residual is not None
        if not (residual.any() or view.z.any() or self.loss.y.any()):  # from zeros to zeros nothing is rounded
            return usual
        off = eps * (16 + self._depth + len(w) + 3 * view.moves) * far
        return usual + self.loss.norm(value, residual) * off + self.loss.swing(self.loss.size(value, view.z), view.z, off)

    def surely_falls(self, w: Iterate, target: Iterate, S: AtomSet) -> bool:
        """Whether f is smaller at ``target`` than at w, where the difference of two values would drown in their rounding.

        For squares, φ(z′) − φ(z) = ⟨r, Δ⟩ + ½⟨Δ, pΔ⟩ with Δ = z′ − z. Its terms are right to a few units in the last place
        and are added exactly. What is left is the error e of either image, which moves φ by ⟨r, e⟩: it grows with the number
        of atoms, not of entries.
        """
        if not self.quadratic or self.has_intercept:
            return False
        here, there = self._known(w), self._known(target)
        assert here.residual is not None
        step = np.asarray(there.z, dtype=np.float64) - here.z
        terms = here.residual * step
        change, bend = fsum(terms.tolist()), 0.5 * self.loss.energy(step) * (1.0 + (len(step) + 16) * EPS)
        far, off = self.image_bound(S), 8.0 * EPS * float(np.abs(terms).sum())
        for point, view in ((w, here), (target, there)):
            value, residual = view.value, view.residual
            assert value is not None and residual is not None
            error = EPS * (16 + self._depth + len(point) + 3 * view.moves) * far
            off += float(np.linalg.norm(residual)) * error * (1.0 + 1e-6)
            off += self.loss.swing(self.loss.size(value, view.z), view.z, error)
        return bool(change + bend + off < 0.0)

    @override
    def _in_double(self) -> Composite:
        return MatrixModel(self.design.precise(), self.exact, self.name, self.exact, self._norm, self._depth, self._note)
