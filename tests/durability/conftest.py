"""The command that kills is a module beside the tests about it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # so that the tests can import `kill`
