"""Random problems, solved and judged by values and memberships that the library has no part in.

``python -m tests.fuzz --runs 1000 --seed 7`` plays a thousand cases; case K of seed S is the same in every run.
"""

from tests.fuzz.cases import KINDS, play
from tests.fuzz.command import fuzz, main
from tests.fuzz.report import Report

__all__ = ["KINDS", "Report", "fuzz", "main", "play"]
