"""Tests against real problems with reference optima; without the data folder every one of them is skipped, with the reason."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # so that the tests can import `problems`
