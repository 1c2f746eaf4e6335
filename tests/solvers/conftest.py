"""Tests of the solvers; some share their problems."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # so that the tests can import `compiled_problems` and `shaped_problems`
