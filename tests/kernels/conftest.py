"""What the tests of kernels share."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # so that the tests can import `proof_failures`
