"""From a problem file to an objective, a set, a solver and a stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

import numpy as np

from greedyhull.cli.problem_file import BY_ROWS, PLACES, STOPS, WITHOUT_TARGET, Faults, ProblemFile, Source, read
from greedyhull.cli.tables import Samples, Selection, take, take_entries
from greedyhull.data.shards import shards
from greedyhull.data.tables import load_array, read_table
from greedyhull.driver.checks import check_pair
from greedyhull.driver.stop import Stop
from greedyhull.errors import check
from greedyhull.remote.cluster import joined
from greedyhull.remote.executors import processes
from greedyhull.remote.model import ShardedModel
from greedyhull.types import Array, AtomSet, Objective, Shards, Solver


def shards_of(file: ProblemFile, faults: Faults) -> Shards | None:
    """Return the shards that ``[data]`` names, None where they are wrong: faults are noted."""
    data = file.data
    assert data is not None and isinstance(data.file, Source)
    weight = None if file.objective is None else file.objective.arguments.get("sample_weight")
    with faults.at("data.format"):
        check(data.format is None, f"{data.format} was given; shards tell their format by their endings. Leave format out.")
    with faults.at("data.exclude"):
        check(not data.exclude, "exclude was given; of shards, name the columns to use, by features.")
    with faults.at("data.target_file"):
        check(data.target_file is None, "target_file was given; shards hold the target as a column. Name it by target.")
    with faults.at("data.file"):
        return shards(list(data.file.names), target=data.target, features=data.features, sample_weight=weight)
    return None


def check_workers(data: Shards | None, workers: int | None, scheduler: str | None) -> None:
    """Raise unless the options fit together."""
    asked = " and ".join(name for name, given in (("--workers", workers), ("--scheduler", scheduler)) if given is not None)
    check(workers is None or scheduler is None, "--workers and --scheduler were both given. Leave one of them out.")
    check(workers is None or workers >= 1, f"--workers must be a positive integer; got {workers}.")
    check(scheduler is None or "://" in scheduler, f"--scheduler must be an address such as tcp://HOST:8786; got {scheduler}.")
    check(not asked or data is not None, f"{asked} was given, and the data are read as one table; several processes need "
          'shards. In [data], name files by a pattern such as file = "data/part-*.parquet".')


@contextmanager
def computed(f: Objective, workers: int | None, scheduler: str | None, say: Callable[[str], None]) -> Iterator[Objective]:
    """Yield f, computed by this process, by several, or by a cluster; these end with the block."""
    if isinstance(f, ShardedModel) and scheduler is not None:
        with joined(scheduler, None) as cluster:
            say(f"Dask dashboard: {cluster.dashboard}")
            yield f.on(cluster)
    elif isinstance(f, ShardedModel) and workers is not None:
        with processes(workers) as executor:
            yield f.on(executor)
    else:
        yield f


@dataclass(frozen=True)
class Problem:
    """The arguments of `minimize`, and the names of the coordinates."""

    f: Objective
    S: AtomSet
    solver: Solver | None
    stop: Stop | None
    goal: float | None  # the absolute gap to reach
    seed: int
    names: Sequence[str] | None
    title: str
    folder: Path
    report: bool
    notes: list[str]
    data: Shards | None = None  # where the rows are read in shards


def load(path: Path) -> Problem:
    """Read the problem that a file describes, or raise one error that lists all faults of the file and its data."""
    file, faults = read(path)
    notes: list[str] = []
    f, S, solver = None, None, None
    names: Sequence[str] | None = None
    given: dict[str, Any] = {}
    with faults.at("solver"):
        solver = None if file.solver is None else file.solver.made()
    data = shards_of(file, faults) if file.data is not None and isinstance(file.data.file, Source) else None
    if data is not None:
        names = data.names
    elif file.data is not None and isinstance(file.data.file, Path):
        names, given = _read(file, faults, notes)
    if file.objective is not None and file.objective.name in BY_ROWS:
        names = None
    sound = not any(key.startswith("data") for key, _ in faults.found)
    if sound and file.objective is not None:
        with faults.at("objective"):
            f = file.objective.made(**given) if data is None else file.objective.made_over(data)
    d = f.domain[0] if f is not None else data.d if data is not None else 0 if names is None else len(names)
    if sound and d > 0 and file.set is not None:
        with faults.at("set"):
            S = file.set.made(d=d, domain=(d,) if f is None else f.domain)
            if f is not None:
                check_pair(f, S)
    faults.settle()
    assert f is not None and S is not None  # else settling would have raised
    folder = path.parent / (file.output.folder or f"{path.stem}-output")
    stops = [kind(value) for name, kind in STOPS.items() if (value := vars(file.stop)[name]) is not None]
    stop = reduce(or_, stops) if stops else None
    return Problem(f, S, solver, stop, file.stop.gap, file.seed, names, file.title, folder, file.output.report is not False,
                   notes, data)


def _read(file: ProblemFile, faults: Faults, notes: list[str]) -> tuple[Sequence[str] | None, dict[str, Any]]:
    """Return the names of the columns and what the objective gets from them; faults are noted."""
    data, objective = file.data, file.objective
    assert data is not None and isinstance(data.file, Path)
    weight = None if objective is None else objective.arguments.get("sample_weight")

    def at(key: str) -> AbstractContextManager[None]:
        return faults.at(f"objective.{key}" if key == "sample_weight" else f"data.{key}")

    taken, entries = None, None
    with faults.at("data.file"):
        table = read_table(data.file, data.format)
        if objective is not None and objective.name == "completion":
            places = {key: column for key in PLACES if (column := vars(data)[key]) is not None}
            entries = take_entries(table, places, weight, at)
        else:
            taken = take(table, Selection(data.target, data.features, data.exclude or (), weight, data.targets or ()), at)
    if entries is not None and objective is not None and objective.arguments.get("shape") is None:
        m, n = (len(np.unique(entries[key])) for key in ("rows", "cols"))
        notes.append(f"The {m} rows and {n} columns of the matrix are the labels of {data.row} and {data.column}, in sorted "
                     "order.")
    if taken is None or objective is None:
        return None if taken is None else taken.names, entries or {}
    given: dict[str, Any] = {"X": taken.X, "P": taken.X}
    if taken.sample_weight is not None:
        given["sample_weight"] = taken.sample_weight
    refused = any(key.startswith("data.target") for key, _ in faults.found)
    if objective.name == "multitask":
        apart = data.target_file
        with faults.at("data.targets" if apart is None else "data.target_file"):
            given["Y"] = taken.Y if apart is None else np.asarray(load_array(apart, matrix=True))
            check(given["Y"] is not None or refused, "it is missing; a list of columns is wanted.")
    elif objective.name not in WITHOUT_TARGET and not refused:
        with faults.at("data.target"):
            given["y"] = _targets(objective.name, data.target_file, taken, notes)
    return taken.names, given


def _targets(loss: str, apart: Path | None, taken: Samples, notes: list[str]) -> Array:
    """Return the targets as the loss needs them; two labels of any kind become −1 and +1."""
    y = taken.y if apart is None else np.asarray(load_array(apart))
    check(y is not None, "it is missing, and the data file holds no target; a column, or target_file, is wanted.")
    assert y is not None
    kinds, numbers = np.unique(y, return_inverse=True)
    if loss in ("logistic", "squared_hinge", "hinge"):
        check(len(kinds) == 2, f"The target holds {len(kinds)} different labels; two are wanted, such as 0 and 1.")
        if set(kinds.tolist()) not in ({-1.0, 1.0}, {0.0, 1.0}):
            notes.append(f"The label {kinds[1]} counts as +1, {kinds[0]} as -1.")
        return np.where(y == kinds[1], 1.0, -1.0)
    if loss == "multinomial":
        more = ", ..." if len(kinds) > 5 else ""
        notes.append(f"Columns of the matrix belong to the classes {', '.join(map(str, kinds[:5]))}{more}.")
        return numbers
    check(y.dtype.kind in "biuf", f"The column {taken.target} holds words; numbers are wanted for {loss}.")
    return y
