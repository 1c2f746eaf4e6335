"""One self-contained HTML page about a solution: the answer, what is proved about it, how the run went, how to repeat it."""

from __future__ import annotations

from greedyhull.report.compare import Comparison, compare
from greedyhull.report.figure import plot
from greedyhull.report.page import write
from greedyhull.report.sentences import atoms, intercepts, used, words

__all__ = ["Comparison", "atoms", "compare", "intercepts", "plot", "used", "words", "write"]
