"""Problem files whose data are read in shards, and who computes with them: ``--workers`` and ``--scheduler``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from greedyhull.cli.file_errors import Faults
from greedyhull.cli.problem_file import ProblemFile
from greedyhull.cli.schema import Source
from greedyhull.errors import check
from greedyhull.objectives.sharded.cluster import joined
from greedyhull.objectives.sharded.model import ShardedModel
from greedyhull.objectives.sharded.processes import processes
from greedyhull.objectives.shards.call import shards
from greedyhull.types import Objective, Shards


def shards_of(file: ProblemFile, faults: Faults) -> Shards | None:
    """The shards that ``[data]`` names, None where they are not as they should be: what is wrong is noted."""
    data = file.data
    assert data is not None and isinstance(data.file, Source)
    weight = None if file.objective is None else vars(file.objective).get("sample_weight")
    with faults.at("data.format"):
        check(data.format is None, f"{data.format} was given; files that are read in shards tell their format by their "
                                   "endings. Leave "
                                   "format out.")
    with faults.at("data.exclude"):
        check(not data.exclude, "exclude was given; of files that are read in shards, name the columns to use, by features.")
    with faults.at("data.target_file"):
        check(data.target_file is None, "target_file was given; files that are read in shards hold the target as a column, "
                                        "or .npy files "
                                        "have others beside them: gh.shards in Python.")
    with faults.at("data.file"):
        return shards(list(data.file.names), target=data.target, features=data.features, sample_weight=weight)
    return None


def check_crew(data: Shards | None, workers: int | None, scheduler: str | None) -> None:
    """An error unless what was asked for fits together."""
    asked = " and ".join(name for name, given in (("--workers", workers), ("--scheduler", scheduler)) if given is not None)
    check(workers is None or scheduler is None, "--workers and --scheduler were both given; --workers starts processes on "
                                                "this machine, "
                                                "--scheduler uses those of a cluster. Give one of them.")
    check(workers is None or workers >= 1, f"--workers {workers} was given; a positive whole number is wanted.")
    check(scheduler is None or "://" in scheduler, f"--scheduler {scheduler} was given; an address such as tcp://HOST:8786 "
                                                   "is wanted.")
    check(not asked or data is not None, f"{asked} was given, and the data are read as one table; several processes work on "
                                         "shards. In "
                                         '[data], name files by a pattern such as file = "data/part-*.parquet".')


@contextmanager
def computed(f: Objective, workers: int | None, scheduler: str | None, say: Callable[[str], None]) -> Iterator[Objective]:
    """f, computed by this process, by several, or by a cluster, which are left at the end."""
    if not isinstance(f, ShardedModel):  # one table: `check_crew` has seen that nobody else is to compute
        yield f
    elif scheduler is not None:
        with joined(scheduler, None) as cluster:
            say(f"Dask dashboard: {cluster.dashboard}")
            yield f.on(cluster)
    elif workers is not None:
        with processes(workers) as crew:
            yield f.on(crew)
    else:
        yield f
