"""The full gap of a point: all terms of f."""

from __future__ import annotations

from typing import Any

from greedyhull.points.iterate import Iterate
from greedyhull.solvers.parts.looks.choice import seen_from
from greedyhull.solvers.parts.memory import Recorder
from greedyhull.solvers.parts.progress import Progress
from greedyhull.types import Objective


def full_gap(f: Objective, w: Iterate, oracle: Recorder, also: Any = None) -> Progress:
    """The point as it is now with its full gap: one pass over the data."""
    now = seen_from(w, w.copy())
    g = f.gradient(now)
    answer = oracle.glance(g)
    return Progress.of(now, f.gradient_dot(now) - answer.atom.dot(g), answer, also=also)
