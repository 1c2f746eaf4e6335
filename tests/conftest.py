"""What all tests share, and which of them are the quick ones."""

import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell: tests of Ctrl-C would wait for ever
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("steady", deadline=None, derandomize=True, database=None, max_examples=40)
settings.load_profile("steady")

DENSE = ("greedyhull.testing", "greedyhull.points.views", "greedyhull.driver.inspection",  # black boxes
         "greedyhull.kernels.singular")  # the small matrices of Lanczos steps
LARGE = 128  # rows and columns of a matrix that may be written out in tests of matrices
HERE = Path(__file__).parent
LISTED = [HERE.parent / line for line in (HERE / "quick.txt").read_text(encoding="utf-8").splitlines()
          if line and not line.startswith("#")]


def quick(path: Path) -> bool:
    """Whether the tests of a file are quick: the listed ones are, and examples in the docstrings of the library."""
    return HERE not in path.parents or any(path == one or one in path.parents for one in LISTED)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``-m quick`` the other files are not even read."""
    other = config.option.markexpr == "quick" and collection_path.suffix == ".py" and not quick(collection_path)
    return True if other and collection_path.name != "conftest.py" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    unsteady = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if unsteady:  # two processes would not agree on what there is to run
        raise pytest.UsageError(f"Names of tests must be the same in every process; give ids to {unsteady}")
    for item in items:
        if quick(item.path):
            item.add_marker(pytest.mark.quick)


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers that are the same in every run."""
    return np.random.default_rng(20)


MATRICES = {"test_nuclear_ball.py", "test_spectrahedron.py", "test_singular_oracle.py", "test_completion.py",
            "test_responses.py",
            "test_multinomial.py", "test_matrix_completion.py", "test_low_rank_regressor.py", "test_matrix_names.py",
            "test_factors_only.py"}  # which must do with factors


@pytest.fixture(autouse=True)
def factors_only(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In tests of matrices a large one is never written out, nor decomposed: more than 128 rows and columns are refused."""
    if request.path.name not in MATRICES:
        return
    import scipy.linalg

    from greedyhull.points.iterate import Iterate

    def ours(frame) -> bool:
        """Whether it is the library that asks, and not a test, or a user by ``solution.x`` or ``np.asarray(point)``."""
        module, name = frame.f_globals["__name__"], frame.f_code.co_name
        return module.startswith("greedyhull.") and not module.startswith(DENSE) and name not in ("x", "__array__")

    def refusing(decomposed):
        def call(a, *args, **kwargs):
            large = min(np.shape(a)[-2:]) > LARGE
            assert not (large and ours(sys._getframe(1))), f"a dense matrix of shape {np.shape(a)} is decomposed"
            return decomposed(a, *args, **kwargs)

        return call

    def array(self):
        large = len(self.shape) == 2 and min(self.shape) > LARGE
        assert not (large and ours(sys._getframe(1))), f"a matrix of shape {self.shape} is written out"
        return written(self)

    written = Iterate.array
    monkeypatch.setattr(Iterate, "array", array)
    for module in (np.linalg, scipy.linalg):
        monkeypatch.setattr(module, "svd", refusing(module.svd))
