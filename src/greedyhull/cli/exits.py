"""The exit codes of every command."""

from __future__ import annotations

DONE = 0  # done, and certified as it was asked
SHORT = 1  # short of the goal: a limit came first, a gap is too large, a test fails, a result could not be written
MISSING = 1  # nothing could be done: an optional part is not installed
WRONG = 2  # asked wrongly: an option, a file, data
BROKEN = 3  # an error inside greedyhull
INTERRUPTED = 130  # Ctrl-C before there was a result
