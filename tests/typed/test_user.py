"""A user's typed program is accepted by a type checker, and runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT, PROGRAM = Path(__file__).parents[2], Path(__file__).with_name("user.py")
SOURCE = ROOT / "src"


def test_a_typed_program_is_accepted() -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    said = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(PROGRAM)], cwd=ROOT, text=True,
                          capture_output=True, env={**os.environ, "MYPYPATH": str(SOURCE)})
    assert said.returncode == 0, said.stdout + said.stderr


def test_a_typed_program_runs(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", str(PROGRAM)], cwd=tmp_path, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
