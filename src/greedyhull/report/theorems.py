"""Which bounds of theorems a page shows, and which it folds away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from greedyhull.theory import Bound

FAR = 100.0  # times the gap: a bound from there on says little about the run


class Told(NamedTuple):
    """The bounds near the gap, which are shown, and those far above it, which are folded away."""

    near: list[Bound]
    far: list[Bound]


def told(bounds: Sequence[Bound], gap: float | None) -> Told:
    """The bounds of a run by how far above its gap they are; without a gap all are shown.

    The gap itself is one of them, the only one without constants. It is there to compare the others with.
    """
    if gap is None:
        return Told(list(bounds), [])
    near = [bound for bound in bounds if _near(bound, gap)]
    if not any(bound.constants for bound in near):
        return Told([], list(bounds))
    return Told(near, [bound for bound in bounds if not _near(bound, gap)])


def _near(bound: Bound, gap: float) -> bool:
    return bound.value <= gap or bound.value < FAR * gap
