"""The compiled core: it is used where it is there, arrays pass through its door as they are, and wrong ones are refused."""

import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.errors import GreedyhullError
from greedyhull.kernels import core as home
from greedyhull.kernels.core import REFERENCES, core
from greedyhull.kernels.data_passes import add_columns, gram_rows
from greedyhull.kernels.simplex_qp import pairwise_burst
from greedyhull.kernels.stochastic import table_steps, without_repeats

loaded = pytest.mark.skipif(core is None, reason=f"no compiled core: {home.MISSING}")


def run(code: str, mode: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "GREEDYHULL_CORE": mode}
    return subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, env=env)


@loaded
def test_every_loop_of_the_core_has_its_reference() -> None:

    assert core is not None
    helpers = {"bind_blas", "blas_check", "level", "threads", "use_threads"}  # they do no work of the library
    helpers |= {"BlasThreads", "bind_blas_threads", "blas_threads_forked"}
    helpers |= {"shared_cholesky", "shared_pass", "shared_product"}  # the reference of these is NumPy
    # the reference of these is the working set of the corrective solver
    rounds = {"Rounds", "dense_rounds", "sparse_rounds", "dense_form", "sparse_form"}
    regions = {"RegionRounds", "dense_region_rounds", "sparse_region_rounds", "form_region_rounds"}  # the coordinate rounds
    regions |= {"factored_region_rounds"}
    steps = {"Steps", "dense_steps", "sparse_steps"}  # and that of these the loop of FrankWolfe
    paths = {"Path", "dense_path", "sparse_path", "matrix_path"}  # and of these the trails of estimators/l1_path.py
    paths |= {"LossTrail", "dense_loss_path", "sparse_loss_path"}  # and of these one run of the driver for each radius
    loops = {name for name, member in vars(core).items() if callable(member)}
    assert loops - helpers - rounds - regions - steps - paths == set(REFERENCES)


def test_the_reference_can_be_asked_for() -> None:
    code = ("import numpy as np, greedyhull as gh\nfrom greedyhull.kernels.core import core, MISSING\n"
            "assert core is None and MISSING\ns = gh.minimize(gh.logistic(np.eye(4), [1, 1, -1, 1]), gh.L1Ball(4, 2.0))\n"
            "assert s.converged\nprint(s.value)")
    found = run(code, "reference")
    assert found.returncode == 0, found.stderr
    s = gh.minimize(gh.logistic(np.eye(4), [1, 1, -1, 1]), gh.L1Ball(4, 2.0))
    assert float(found.stdout) == pytest.approx(s.value, rel=1e-6)


@loaded
def test_the_level_is_one_that_the_core_was_compiled_for() -> None:
    assert home.level() in ("x86-64-v3", "baseline")
    assert run("from greedyhull.kernels.core import level; print(level())", "reference").stdout == "reference\n"


def test_another_word_is_refused() -> None:
    found = run("import greedyhull.kernels.core", "fast")
    assert found.returncode != 0 and "auto, reference, required" in found.stderr


def test_a_core_that_is_required_and_missing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError("no such module")

    monkeypatch.setattr(home, "import_module", absent)
    monkeypatch.setenv("GREEDYHULL_CORE", "required")
    with pytest.raises(GreedyhullError, match=r"required is set, but the compiled core cannot be loaded.*compiler"):
        home._found()
    monkeypatch.setenv("GREEDYHULL_CORE", "auto")
    assert home._found()[0] is None and "compiler" in home._found()[1]
    monkeypatch.setattr(home, "import_module", lambda name: SimpleNamespace(pairwise_burst=pairwise_burst))
    assert home._found()[0] is None and "older sources" in home._found()[1]


@loaded
@pytest.mark.parametrize("wrong", ["float32", "strided", "too short", "read-only"])
def test_arrays_are_never_converted(wrong: str) -> None:
    """What is written into a copy would be lost, and what is shorter would be read past its end."""
    G, grad, alpha = np.eye(4), np.ones(4), np.full(4, 0.25)
    bad = {"float32": np.ones(4, np.float32), "strided": np.ones(8)[::2], "too short": np.ones(3)}.get(wrong, np.ones(4))
    bad.flags.writeable = wrong != "read-only"
    with pytest.raises((TypeError, ValueError)):
        pairwise_burst(G, bad, alpha, 5, 0.0)
    assert pairwise_burst(G, grad, alpha, 5, 0.0) == 0


@loaded
def test_what_is_only_read_may_be_read_only() -> None:
    G = np.eye(3)
    G.flags.writeable = False
    assert pairwise_burst(G, np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 1.0]), 50, 1e-12) > 0


@loaded
def test_columns_that_are_not_there_are_refused() -> None:
    starts, places, entries = np.array([0, 1, 2]), np.array([0, 1], np.uint32), np.ones(2)
    for index in ([2], [-1]):
        with pytest.raises(ValueError, match="no such column"):
            add_columns(starts, places, entries, np.array(index), np.ones(1), np.zeros(2))


def stepped(kind: int = 0, d: int = 4, places: int | None = None, used: int = 0, atom: int = -1, rows: int = 1) -> None:
    """One dense step of one term, over a set and a point as they are given."""
    atoms = np.full(2 * d, -1)
    atoms[:used] = atom
    place = np.full(2 * d, -1)
    if places is not None:
        place[0] = places
    table_steps(np.ones((1, d)), np.ones(1), np.ones(1), 0, 0, np.zeros(3), np.zeros(1, np.int64), np.ones(1, np.int64),
                np.ones(1), 0, np.zeros(1), np.zeros(d), np.zeros(d), kind, np.ones(d), np.ones(d), np.zeros((rows, d)),
                np.zeros(d), np.zeros(2 * d), atoms, place, np.array([used]))


@loaded
@pytest.mark.parametrize("wrong", [{"used": 1}, {"used": -1}, {"used": 9}, {"places": 0}, {"used": 1, "places": 1},
                                   {"used": 1, "places": 0, "atom": 8}, {"kind": 4, "rows": 0}, {"d": 0}], ids=str)
def test_points_that_do_not_fit_their_set_are_refused(wrong: dict[str, int]) -> None:
    """There must be room for every atom that is not there yet, and no number may lead outside the arrays."""
    with pytest.raises(ValueError, match=r"set|atoms|vertices"):
        stepped(**wrong)
    stepped()
    stepped(used=1, places=0, atom=0)


@loaded
def test_batches_that_lie_outside_are_refused_however_far() -> None:
    for begin, length in ((2**62, 2**62), (0, 4), (3, 1), (-1, 1), (1, 2**63 - 1)):
        with pytest.raises(ValueError, match="outside the draws"):
            without_repeats(np.arange(3), np.array([begin]), np.array([length]), 5)


@loaded
def test_columns_numbered_beyond_the_gram_matrix_are_refused() -> None:
    rows = np.array([0, 1]), np.zeros(1, np.uint32), np.ones(1)
    with pytest.raises(ValueError, match="numbered beyond"):
        gram_rows(*rows, np.ones(1), np.array([1]), np.zeros((1, 1)))
