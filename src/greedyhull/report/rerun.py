"""How to get the same run again: the call, the seed, the versions, and a number by which to recognise the data."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from greedyhull.driver.solution import Solution

PACKAGES = ("greedyhull", "numpy", "scipy")


def call(solution: Solution) -> str:
    """The call of `minimize`, with what f and S print as."""
    given = {"f": solution.objective, "S": solution.atom_set, "solver": solution.solver, "stop": solution.stop}
    lines = [f"{name} = {value!r}" for name, value in given.items()]
    return "\n".join([*lines, f"s = greedyhull.minimize(f, S, solver, stop=stop, seed={solution.seed})"])


def versions() -> list[tuple[str, str]]:
    """What was installed, by name."""
    found = [("Python", platform.python_version())]
    for name in PACKAGES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return [*found, ("system", f"{platform.system()} {platform.machine()}")]


def told_by(solution: Solution) -> str:
    """The first value of the run: other data would give another."""
    first = float(solution.trace["value"][0]) if len(solution.trace) else np.nan
    if not np.isfinite(first):
        return ""
    k = int(solution.trace["iteration"][0])
    return (f"At iteration {k} the value was {first:.15g}. If a new run has another value there, its data or its "
            "starting point differ.")
