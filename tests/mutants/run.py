"""Plant each mutant of `planted.py` in a copy of the library and see whether the tests that it names notice.

    python tests/mutants/run.py                 # all of them: some minutes
    python tests/mutants/run.py slack rounding  # those whose promise has one of these words
    python tests/mutants/run.py --list

It ends with 0 if every mutant was killed, by every test that it names, and 1 if one survived.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from planted import MUTANTS, Mutant

from greedyhull.kernels.core import core

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 600.0  # seconds that the tests of one mutant may take
START = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != "ScikitBuildRedirectingFinder"]  # it leads to the checkout
sys.path.insert(0, sys.argv[1])
import greedyhull, pytest
assert greedyhull.__file__.startswith(sys.argv[1]), greedyhull.__file__
sys.exit(pytest.main(["-o", "pythonpath=" + sys.argv[1], *sys.argv[2:]]))
"""


def fails(src: Path, tests: Iterable[str]) -> list[str]:
    """Those of the tests that fail with the library in ``src``; all parameters of a test are one test."""
    named = sorted(set(tests))
    command = [sys.executable, "-c", START, str(src), "-n", "0", "-q", "--tb=no", "-rf", "-p", "no:cacheprovider", *named]
    env = {**os.environ, "PYTHONPATH": str(src), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "1000"}
    try:
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:  # a test must notice, not hang
        return []
    if done.returncode not in (0, 1):  # neither passed nor failed: nothing was collected, or an import broke
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    failed = [line.split(" ")[1] for line in done.stdout.splitlines() if line.startswith("FAILED ")]
    return [test for test in named if any(name == test or name.startswith(f"{test}[") for name in failed)]


def survivors(src: Path, mutant: Mutant) -> list[str]:
    """The tests that do not notice the mutant; the file is as it was afterwards."""
    path = src / "greedyhull" / mutant.file
    whole, times = path.read_text(), path.stat()
    path.write_text(whole.replace(mutant.old, mutant.new))
    try:
        failed = fails(src, mutant.tests)
    finally:
        path.write_text(whole)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    return [test for test in mutant.tests if test not in failed]


def main(words: list[str]) -> int:
    if words == ["--list"]:
        print("\n".join(f"{m.file}: {m.promise}" for m in MUTANTS))
        return 0
    chosen = [m for m in MUTANTS if not words or any(word in f"{m.promise} {m.file}" for word in words)]
    if not chosen:
        print(f"No mutant has {' or '.join(words)} in its line; --list shows them all.")
        return 1
    alive = 0
    with tempfile.TemporaryDirectory() as folder:
        src = Path(folder) / "src"
        shutil.copytree(ROOT / "src", src)
        if core.__file__ is not None:  # it is where it was installed, which need not be the checkout
            shutil.copy(core.__file__, src / "greedyhull" / "kernels")
        broken = fails(src, [test for m in chosen for test in m.tests])
        if broken:
            print("These fail without any mutant:", *broken, sep="\n  ")
            return 1
        for mutant in chosen:
            left = survivors(src, mutant)
            alive += bool(left)
            print("SURVIVED" if left else "killed  ", f"{mutant.file}: {mutant.promise}", *left, sep="\n    " if left else " ",
                  flush=True)
    print(f"{len(chosen) - alive} of {len(chosen)} killed.")
    return int(alive > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
