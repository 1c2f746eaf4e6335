"""Where a warning points: to the line of the user that called, however many decorators lie between."""

from __future__ import annotations

import sys
from types import FrameType

WITHIN = ("greedyhull", "sklearn")


def caller_level() -> int:
    """The ``stacklevel`` of the nearest line outside greedyhull and scikit-learn, for a warning issued by the caller."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] in WITHIN:
        frame, level = frame.f_back, level + 1
    return level
