"""How far f is above a known lower bound, and values and gradients that are less than float64."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from greedyhull.objectives.base import Coarse
from greedyhull.objectives.composite import Composite
from greedyhull.points.arrays import eps_of, length
from greedyhull.points.gradients import as_array
from greedyhull.points.iterate import Iterate
from greedyhull.types import Array, AtomSet, Objective, lacks, without_intercept


class Around:
    """The sizes of one point, in place of those of a set: what rounding of the value there is proportional to."""

    seen = None

    def __init__(self, w: Iterate) -> None:
        self.sizes = w.absolute()

    def max_abs(self, c: Array) -> float:
        """Return Σⱼ cⱼ|wⱼ|."""
        return float((c * self.sizes).sum())

    def max_length(self) -> float:
        """Return ‖w‖₂."""
        return length(self.sizes)


def above(f: Objective, w: Iterate, value: float, floor: float, rounding: float) -> float:
    """Return a bound on value − min f from ``floor`` ≤ f alone, at most value − floor + ``rounding``.

    No gradient and no other point of the set takes part, so that only the value can be rounded. Where its parts were carried
    along by moves, their errors are relative to the points on the way, and ``rounding`` stays.
    """
    around: Any = Around(w)
    own = f.rounding(w, around) if f.fresh(w) else inf
    return max(value - floor, 0.0) + (own if own <= rounding else rounding)


def coarse_of(f: Objective, w: Iterate | None = None) -> Coarse | None:
    """The coarse dtypes of f, None where there are none.

    `function`, `finite_sum` and `expectation` keep what they have seen. A user's loss, design or class is looked at in w.
    """
    given: Any = f
    seen: Coarse | None = None if lacks(f, "_coarse") else given._coarse
    if w is not None and isinstance(f, Composite) and seen is None:
        seen = f._coarse = _of_parts(f, w)
    elif w is not None and not type(f).__module__.startswith("greedyhull."):
        seen = Coarse() if seen is None else seen
        seen.note("value", f.value(w))
        seen.note("gradient", f.gradient(w))
    if seen is None or not (seen.value or seen.gradient):
        return None
    return seen if w is None else seen.at(float(f.value(w)), as_array(f.gradient(w)))


def _of_parts(f: Composite, w: Iterate) -> Coarse:
    """What a user's loss and design return at the image of w; those of the library compute in the dtype of the data."""
    seen, z = Coarse(), f.at(w).z
    loss: Any = without_intercept(f.loss)
    if not type(loss).__module__.startswith("greedyhull."):
        separable = not lacks(loss, "terms", "slopes")
        seen.note("value", loss.terms(z) if separable else f.value(w))
        seen.note("gradient", loss.slopes(z) if separable else f.residual(w))
    if not type(f.design).__module__.startswith("greedyhull."):
        seen.note("value", z)
        seen.note("gradient", f.gradient(w))
    return seen


def value_error(seen: Coarse | None, value: float) -> float:
    """What a value may be off by because of its dtype; 0 for float64."""
    return 0.0 if seen is None else 4.0 * eps_of(seen.value) * abs(value)


def gradient_errors(seen: Coarse, g: Array) -> Array:
    """What each entry of a gradient may be off by because of its dtype."""
    size = np.abs(g)
    return np.asarray(4.0 * eps_of(seen.gradient) * (size.max(initial=0.0) + size))


def words_of(seen: Coarse | None, S: AtomSet) -> str:
    """Why a bound is no proof, where that is because of dtypes; "" where all is float64."""
    parts = {"value": seen.value, "gradient": seen.gradient, "atoms": S.coarse} if seen else {"atoms": S.coarse}
    said = []
    for dtype in dict.fromkeys(filter(None, parts.values())):
        names = [name for name, own in parts.items() if own == dtype]
        verb = "are" if len(names) > 1 or names == ["atoms"] else "is"
        said.append(f"{', '.join(names[:-1])}{' and ' if names[1:] else ''}{names[-1]} {verb} {dtype}")
    return f"{' and '.join(said)}; return float64 for a proof" if said else ""
