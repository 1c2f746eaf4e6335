"""What all tests share, and which of them are the quick ones."""

import signal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell: tests of Ctrl-C would wait for ever
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("steady", deadline=None, derandomize=True, database=None, max_examples=40)
settings.load_profile("steady")

HERE = Path(__file__).parent
LISTED = [HERE.parent / line for line in (HERE / "quick.txt").read_text(encoding="utf-8").splitlines()
          if line and not line.startswith("#")]


def quick(path: Path) -> bool:
    """Whether the tests of a file are quick: the listed ones are, and examples in the docstrings of the library."""
    return HERE not in path.parents or any(path == one or one in path.parents for one in LISTED)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``-m quick`` the other files are not even read."""
    other = config.option.markexpr == "quick" and collection_path.suffix == ".py" and not quick(collection_path)
    return True if other and collection_path.name != "conftest.py" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    unsteady = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if unsteady:  # two processes would not agree on what there is to run
        raise pytest.UsageError(f"Names of tests must be the same in every process; give ids to {unsteady}")
    for item in items:
        if quick(item.path):
            item.add_marker(pytest.mark.quick)


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers that are the same in every run."""
    return np.random.default_rng(20)
