"""Where f is finite. A start inside its domain is made of few atoms: a centre has them all, and all would be worked on in the
first rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.designs.sparse import SparseDesign
from greedyhull.objectives.losses.huber import Huber
from greedyhull.objectives.losses.logistic import Logistic
from greedyhull.objectives.losses.squared import Squared
from greedyhull.points.iterate import Iterate
from greedyhull.types import AtomSet
from greedyhull.types.kinds import profiled

if TYPE_CHECKING:
    from greedyhull.objectives.composite import Composite

KEPT, DOUBLE = (DenseDesign, SparseDesign), np.dtype(np.float64)
SLOW = (Squared, Huber, Logistic)  # losses that grow no faster than squares
FEW = 32  # atoms, evenly spaced, that are tried first
HUGE, ROOT = 1e250, 1e125  # sums of squares up to the first, and lengths up to the second, are far from overflow
WORSE = 1.0  # by how much the value may lie above that of twice as many atoms


def finite_on(f: Composite, S: AtomSet) -> bool:
    """Whether sizes alone tell that f is finite, and computed without overflow, at all points of the hull.

    ½ Σ pᵢ(zᵢ − yᵢ)² ≤ max p ‖z‖² + 2φ(0), with or without an intercept, and ‖z‖ ≤ the largest image. Huber's h is convex,
    h(2t) ≤ 4h(t) and h(t) ≤ ½t², so that h(z − y) ≤ ½h(2z) + ½h(2y) ≤ z² + 2h(y) as well; log(1 + e⁻ᶻ) ≤ log 2 + |z|. That is
    asked of the library's float64 data and sets only; False says that somebody has to look.
    """
    inner = profiled(f.loss) if f.has_intercept else None
    loss = f.loss if inner is None else inner.loss
    if not (isinstance(loss, SLOW) and type(loss) in SLOW) or type(f.design) not in KEPT or f.design.dtype != DOUBLE or f.l2:
        return False
    if S.traits.random or not S.sized or not 0.0 < f.scale < HUGE:  # a scale of 0 may stand for one that overflows
        return False
    reach = f.image_bound(S)
    return reach < ROOT and loss.heaviest() * reach * reach < HUGE


def few_of(f: Composite, centre: Iterate) -> Iterate:
    """The mean of evenly spaced atoms of the centre, as few as are about as good as twice as many, or the centre itself."""
    count, w, value = FEW, centre, np.inf
    if not centre.keeps_atoms or centre.owners is not None:
        return centre
    while 4 * count <= len(centre):
        more = _spaced(centre, count)
        now = float(f.value(more))
        if np.isfinite(value) and value <= now + WORSE:
            return w
        w, value, count = more, now, 2 * count
    return w if np.isfinite(value) and value <= float(f.value(centre)) + WORSE else centre


def _spaced(centre: Iterate, count: int) -> Iterate:
    at = np.linspace(0, len(centre) - 1, count).round().astype(np.intp)
    return Iterate(centre.block.take(at), np.full(count, 1.0 / count), centre.shape)
