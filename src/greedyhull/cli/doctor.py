"""``greedyhull doctor``: what is installed, which BLAS and how many threads, the compiled core, a small self-test."""

from __future__ import annotations

import os
import platform
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import greedyhull as gh
from greedyhull.cli import DONE, SHORT
from greedyhull.cli.console import Console
from greedyhull.errors import installing

NEEDED = ("numpy", "scipy", "rich", "typer")
OPTIONAL = {"scikit-learn": ("demo", "estimators, greedyhull fit and greedyhull demo"),
            "matplotlib": ("demo", "figures and reports"), "Jinja2": ("demo", "reports"),
            "pandas": ("frame", "traces as data frames"),
            "PEPit": ("paper", "exact worst cases in greedyhull paper")}


def run(console: Console) -> int:
    """Look and tell; the exit code is 0 if the self-test passes."""
    python = f"{platform.python_version()} ({sys.platform}, {platform.machine()})"
    found: dict[str, Any] = {"greedyhull": gh.__version__, "python": python,
                             "needed": {name: _version(name) for name in NEEDED},
                             "optional": {name: _version(name) for name in OPTIONAL},
                             "blas": blas(), "cpus": os.cpu_count(), "core": compiled()}
    test = self_test()
    console.say("Versions")
    console.pairs([("greedyhull", found["greedyhull"]), ("python", found["python"]),
                 *((name, _version(name) or "MISSING: reinstall greedyhull") for name in NEEDED)])
    console.say("Optional packages")
    console.pairs((name, _version(name) or f"not installed; needed for {use}. {installing(extra)}")
                for name, (extra, use) in OPTIONAL.items())
    console.say("Linear algebra")
    console.pairs([*((library["name"], library["words"]) for library in found["blas"]), ("processors", str(found["cpus"]))])
    console.say("Compiled core")
    console.pairs([("state", found["core"]["words"]), ("BLAS", found["core"]["blas"])])
    console.say("Self-test")
    console.pairs([("solve and certify", test["words"])])
    console.result({**found, "self_test": test})
    return DONE if test["ok"] else SHORT


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def blas() -> list[dict[str, Any]]:
    """The libraries that multiply matrices, and their threads where threadpoolctl can tell."""
    if find_spec("threadpoolctl") is not None:
        from threadpoolctl import threadpool_info

        return [{"name": str(library["internal_api"]), "version": library["version"], "threads": library["num_threads"],
                 "words": f"version {library['version']}, {library['num_threads']} threads, {Path(library['filepath']).name}"}
                for library in threadpool_info()]
    config: Any = np.show_config(mode="dicts")
    library = config.get("Build Dependencies", {}).get("blas", {})
    return [{"name": library.get("name", "unknown"), "version": library.get("version"), "threads": None,
             "words": f"version {library.get('version')}; install threadpoolctl to see the number of threads"}]


def compiled() -> dict[str, Any]:
    """Which variant of the compiled core runs, and whether it can call SciPy's BLAS."""
    from greedyhull.kernels._core import level

    try:
        import_module("greedyhull.kernels.lapack")
        blas = "SciPy's, called directly"
    except ImportError as error:
        blas = f"not called: {error}"
    return {"loaded": True, "level": level(), "words": f"loaded, {level()}", "blas": blas}


def self_test() -> dict[str, Any]:
    """A small problem whose answer is known: the projection of (2, 1, 0, 0) onto the l1 ball of radius 2."""
    s = gh.minimize(gh.least_squares(np.eye(4), np.array([2.0, 1.0, 0.0, 0.0])), gh.L1Ball(4, radius=2.0), stop=gh.Gap(1e-12))
    error = float(np.abs(s.point.array() - np.array([1.5, 0.5, 0.0, 0.0])).max())
    ok = s.converged and error < 1e-6
    return {"ok": ok, "gap": s.gap, "error": error,
            "words": f"{'passed' if ok else 'FAILED'}: certified gap {s.gap:.1e}, error {error:.1e}"}
