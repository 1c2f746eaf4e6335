"""A user's typed program is accepted by a type checker, and runs; and every class keeps the protocol that it is said to."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT, PROGRAM, KEPT = Path(__file__).parents[2], Path(__file__).with_name("user.py"), Path(__file__).with_name("kept.py")
SOURCE = ROOT / "src"


def test_a_typed_program_and_the_table_of_protocols_are_accepted() -> None:
    pytest.importorskip("mypy", reason="mypy is not installed")
    said = subprocess.run([sys.executable, "-m", "mypy", "--strict", str(PROGRAM), str(KEPT)], cwd=ROOT, text=True,
                          capture_output=True, env={**os.environ, "MYPYPATH": str(SOURCE)})
    assert said.returncode == 0, said.stdout + said.stderr


def test_a_typed_program_runs(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", str(PROGRAM)], cwd=tmp_path, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
