"""A run that is killed by signal 9, anywhere and in the middle of a save, ends with the bits of one that nobody disturbed."""

import signal
import subprocess
import sys
from pathlib import Path

import kill
import numpy as np
import pytest

from greedyhull.driver.checkpoint import load_state, numbered

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal 9")


@pytest.mark.parametrize("case", ["corrective", "pairwise", "stochastic"])
def test_a_few_kills_leave_no_trace(case: str) -> None:
    _, same = kill.survives(case, np.random.default_rng(3), most=3)
    assert same


@pytest.mark.parametrize("deadly", range(30, 45, 3))
def test_a_kill_at_any_call_of_a_save_leaves_a_whole_state(deadly: int, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    command = [sys.executable, kill.__file__, "--child", "frank_wolfe", str(folder), "0", str(deadly)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == -signal.SIGKILL
    whole = []
    for number, path in numbered(folder).items():
        load_state(path)  # what has its name is whole
        whole.append(number)
    assert len(whole) >= 2
    again = subprocess.run([*command[:-2], "1", "0"], capture_output=True, check=True, text=True).stdout
    assert again.splitlines()[-1] == kill.json.dumps(kill.solve("frank_wolfe", None, False))
