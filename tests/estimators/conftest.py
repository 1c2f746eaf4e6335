"""Estimators need scikit-learn; without it these tests are skipped."""

import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
