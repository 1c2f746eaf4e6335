"""The page about a fit: that of its solution, with features for coordinates."""

from __future__ import annotations

from pathlib import Path

from greedyhull.driver.saved import target_of
from greedyhull.driver.solution import Solution


def write_report(solution: Solution, path: str | Path, *sentences: str) -> Path:
    """Write the page; ``sentences`` open it, and empty ones are left out."""
    from greedyhull.report import write

    solution._need("report")
    return write(solution, target_of(path), names=solution.names, things="features",
                 opening=[sentence for sentence in sentences if sentence])
