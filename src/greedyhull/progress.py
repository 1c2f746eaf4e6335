"""What a solver yields, and what the driver shows to those who watch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from greedyhull.types import Kind


class Progress(NamedTuple):
    """A point and the bound on its error: f(point) − min f ≤ gap, oracle's slack included, before rounding."""

    point: Any
    gap: float
    kind: Kind = "always"
    slack: float = 0.0
    tolerance: float = 0.0
    also: Any = None


@dataclass(slots=True)
class Event:
    """One moment of a solve, as watchers and stops see it."""

    iteration: int
    seconds: float
    value: float
    gap: float
    lower: float
    point: Any
    start_value: float
    kind: Kind = "always"
    step: float = float("nan")
    also: dict[str, Any] = field(default_factory=dict)

    @property
    def relative(self) -> float:
        """gap / max(|value|, f(x₀) − lower bound)."""
        scale = max(abs(self.value), self.start_value - self.lower)
        return self.gap / scale if scale > 0 else (0.0 if self.gap <= 0 else float("inf"))
