"""Findings that the tests of the paper share."""

import functools
import os
import pickle

import pytest

from greedyhull.experiments.paper import QUICK
from greedyhull.experiments.paper.page import EXPERIMENTS


@pytest.fixture(scope="session")
def findings(tmp_path_factory):
    """Each experiment once, when it is first asked for; processes that share the work find it in a file."""
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "findings"
    shared.mkdir(exist_ok=True)

    @functools.cache
    def finding(name):
        file = shared / name
        if not file.exists():
            found = next(one for one in EXPERIMENTS if one.name == name).run(QUICK, 0)
            own = file.with_suffix(f".{os.getpid()}")
            own.write_bytes(pickle.dumps(found))
            own.replace(file)
        return pickle.loads(file.read_bytes())

    return finding
