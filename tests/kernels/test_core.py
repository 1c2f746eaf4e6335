"""The compiled core: it is required, arrays pass into it as they are, and wrong ones are rejected."""

import subprocess
import sys

import numpy as np
import pytest

from greedyhull.kernels._core import add_columns, gram_rows, level, simplex_qp, table_steps, without_repeats


def test_a_core_that_is_missing_is_an_error() -> None:
    code = "import sys\nsys.modules['greedyhull.kernels._core'] = None\nimport greedyhull"
    found = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    last = found.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: greedyhull cannot load its compiled core")
    for needed in ("64-bit CPython with the global interpreter lock", "32-bit BLAS integers", "C++17 compiler"):
        assert needed in last


def test_the_level_is_one_that_the_core_was_compiled_for() -> None:
    assert level() in ("x86-64-v3", "baseline")


@pytest.mark.parametrize("wrong", ["float32", "strided", "too short", "read-only"])
def test_arrays_are_never_converted(wrong: str) -> None:
    """What is written into a copy would be lost, and what is shorter would be read past its end."""
    G, c, alpha = np.eye(4), np.ones(4), np.full(4, 0.25)
    bad = {"float32": np.ones(4, np.float32), "strided": np.ones(8)[::2], "too short": np.ones(3)}.get(wrong, np.ones(4))
    bad.flags.writeable = wrong != "read-only"
    with pytest.raises((TypeError, ValueError)):
        simplex_qp(G, c, bad, 0.0)
    simplex_qp(G, c, alpha, 0.0)
    assert alpha.tolist() == [0.25] * 4


def test_what_is_only_read_may_be_read_only() -> None:
    G, alpha = np.eye(3), np.array([0.0, 0.0, 1.0])
    G.flags.writeable = False
    simplex_qp(G, np.array([1.0, 2.0, 3.0]), alpha, 1e-12)
    assert alpha.argmax() == 0


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
    point = (kind, np.ones(d), np.ones(d), np.zeros((rows, d)), np.zeros(d), np.zeros(2 * d), atoms, place, np.array([used]))
    table_steps(np.ones((1, d)), (np.ones(1), np.ones(1), 0, 0, np.zeros(3)),
                (np.zeros(1, np.int64), np.ones(1, np.int64), np.ones(1)), 0, np.zeros(1), np.zeros(d), np.zeros(d), point)


@pytest.mark.parametrize("wrong", [{"used": 1}, {"used": -1}, {"used": 9}, {"places": 0}, {"used": 1, "places": 1},
                                   {"used": 1, "places": 0, "atom": 8}, {"kind": 4, "rows": 0}, {"d": 0}], ids=str)
def test_points_that_do_not_fit_their_set_are_refused(wrong: dict[str, int]) -> None:
    """There must be room for every atom that is not there yet, and no number may lead outside the arrays."""
    with pytest.raises(ValueError, match=r"set|atoms|vertices"):
        stepped(**wrong)
    stepped()
    stepped(used=1, places=0, atom=0)


def test_batches_that_lie_outside_are_refused_however_far() -> None:
    for begin, length in ((2**62, 2**62), (0, 4), (3, 1), (-1, 1), (1, 2**63 - 1)):
        with pytest.raises(ValueError, match="outside the draws"):
            without_repeats(np.arange(3), np.array([begin]), np.array([length]), 5)


def test_columns_numbered_beyond_the_gram_matrix_are_refused() -> None:
    rows = np.array([0, 1]), np.zeros(1, np.uint32), np.ones(1)
    with pytest.raises(ValueError, match="numbered beyond"):
        gram_rows(*rows, np.ones(1), np.array([1]), np.zeros((1, 1)))
