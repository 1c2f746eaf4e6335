"""A bound of a run, and what it promises."""

from __future__ import annotations

from typing import NamedTuple

from greedyhull.types import Kind


class Bound(NamedTuple):
    """value − min f ≤ gap and lower ≤ min f, of a kind; ``delta`` is the share of samples in how likely it is to fail."""

    gap: float
    lower: float
    kind: Kind
    delta: float = 0.0


def held(kind: Kind, delta: float) -> tuple[Kind, float]:
    """What a bound of a kind promises that fails with probability ``delta``: if that is not known, or 1, it is an estimate.

    >>> held("probability", 0.5), held("probability", 1.5), held("probability", 0.0), held("always", 0.5)
    (('probability', 0.5), ('estimate', 1.0), ('estimate', 0.0), ('always', 0.0))
    """
    if kind != "probability":
        return kind, 0.0
    return ("probability", delta) if 0.0 < delta < 1.0 else ("estimate", min(delta, 1.0))
