"""Data in three uneven pieces, one of them empty."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))  # workers import the loaders of `pieces` from there, as this process does


@pytest.fixture(scope="session")
def table() -> tuple[Any, Any, Any]:
    """X, labels and weights."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 8)) * np.array([1.0, 2.0, 0.5, 1.0, 1.0, 3.0, 1.0, 1.0])
    y = np.sign(X[:, 0] - 0.5 * X[:, 1] + rng.standard_normal(90))
    return X, y, rng.random(90)
