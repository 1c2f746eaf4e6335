"""One page of results: each section is replaced as a whole, with the command, commit, date, machine, clock and versions."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks import timing
from benchmarks.tables import Table

PACKAGES = ("numpy", "scipy", "scikit-learn", "celer", "skglm", "copt", "quadprog", "daqp", "piqp", "clarabel", "cvxpy",
            "highspy", "scikit-lego", "distributed")
OPENING = """# Benchmark results

This page has every measured figure; `python -m benchmarks all --page docs/project/results.md` writes it.
[Benchmarks](benchmarks.md) explains what each section measures. Other pages link to a section when they quote a figure, and a
test compares the two.
"""


def update(page: Path, section: str, command: str, tables: Sequence[Table]) -> None:
    """Replace a section of the page, or append it."""
    text = page.read_text(encoding="utf-8") if page.exists() else OPENING
    shown = [table.markdown(level=3) for table in tables]
    new = "\n".join([f"## `{section}`", "", stamp(command), "", *shown]).rstrip() + "\n"
    parts = re.split(r"(?m)^(?=## `)", text)
    kept = [part.rstrip() + "\n" for part in parts if not part.startswith(f"## `{section}`")]
    page.write_text("\n".join([kept[0], *sorted([*kept[1:], new])]), encoding="utf-8")


def stamp(command: str) -> str:
    """Return what a reader needs to repeat a measurement."""
    describe = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(describe, capture_output=True, text=True, check=False).stdout.strip() or "unknown"
    threads = os.environ.get("OMP_NUM_THREADS", "default")
    clock = "wall clock" if timing.clock is timing.perf_counter else "processor time"
    return (f"`{command}`: commit {commit}, {date.today().isoformat()}, {processor()}, {clock}, BLAS threads: {threads}, "
            f"Python {platform.python_version()}, {', '.join(installed())}.")


def processor() -> str:
    info = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*: (.*)", info.read_text()) if info.exists() else []
    return f"{names[0] if names else platform.processor() or platform.machine()}, {os.cpu_count()} cores"


def installed() -> list[str]:
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return found
