"""The benchmarks import what they time: none is left behind when a module moves."""

import importlib
import importlib.util
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
RIVALS = {"celer", "skglm", "adelie", "copt", "quadprog", "daqp", "piqp", "threadpoolctl"}  # which need not be installed


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("__")))
def test_it_imports(name, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER.parent))
    try:
        module = importlib.import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as missing:
        if missing.name not in RIVALS:
            raise
        pytest.skip(f"{missing.name} is not installed")
    assert module.__doc__
