"""Where reference problems are: ``$GREEDYHULL_DATA``, else ``../shared/data`` seen from the project's root."""

import os
from pathlib import Path

FOLDER = Path(os.environ.get("GREEDYHULL_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
