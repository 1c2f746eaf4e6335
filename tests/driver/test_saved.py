"""States on disk: whole or refused in words, tried before the run, and never at the cost of its result."""

import errno
import io
import zipfile

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver import saved

rng = np.random.default_rng(11)
X, y = rng.standard_normal((20, 5)), rng.standard_normal(20)
F, S = gh.least_squares(X, y), gh.L1Ball(5, 1.0)
SOLVERS = [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(), gh.StochasticFrankWolfe.saga(), gh.Smoothed()]


def state_of(solver, path):
    f = gh.absolute(X, y) if isinstance(solver, gh.Smoothed) else F
    gh.minimize(f, S, solver, stop=gh.Iterations(6), checkpoint=path)
    return f, saved.load_state(path)


def write(path, state):
    with path.open("wb") as file:
        np.savez(file, **state)


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_every_change_of_a_state_is_noticed(solver, tmp_path):
    path, bad = tmp_path / "r.npz", tmp_path / "bad.npz"
    f, state = state_of(solver, path)
    whole = dict(np.load(path))
    changes = []
    for name, array in state.items():
        changes.append({key: value for key, value in whole.items() if key != name})
        changes.append({**whole, name: np.zeros(3)})
        changes.append({**whole, name: np.array("text")})
        if array.size and array.dtype.kind == "f":
            nudged = array.copy()
            nudged.flat[0] = np.nextafter(nudged.flat[0], np.inf) if np.isfinite(nudged.flat[0]) else 0.0
            changes.append({**whole, name: nudged})
    changes += [{**whole, "more": np.ones(2)}, {}, {"checksum": whole["checksum"]}, state]
    for changed in changes:
        write(bad, changed)
        with pytest.raises(gh.GreedyhullError, match=r"cannot be read|damaged"):
            gh.minimize(f, S, solver, stop=gh.Iterations(9), resume=bad)


def test_damaged_files_are_refused_in_words(tmp_path):
    path, bad = tmp_path / "r.npz", tmp_path / "bad.npz"
    state_of(gh.BlendedPairwise(), path)
    content = path.read_bytes()
    files = [b"", b"PK", content[:100], content[:-30], content[: len(content) // 2], b"\x93NUMPY" + content]
    local = np.random.default_rng(0)
    for _ in range(60):
        flipped = bytearray(content)
        flipped[int(local.integers(len(content)))] ^= int(local.integers(1, 256))
        files.append(bytes(flipped))
    want = gh.minimize(F, S, gh.BlendedPairwise(), stop=gh.Iterations(9))
    for damaged in files:
        bad.write_bytes(damaged)
        try:
            s = gh.minimize(F, S, gh.BlendedPairwise(), stop=gh.Iterations(9), resume=bad)
        except gh.GreedyhullError:
            continue
        assert np.array_equal(s.point.array(), want.point.array())  # a byte of the archive's own that says nothing


def test_an_array_larger_than_memory_is_refused(tmp_path):
    header = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000000,), }"
    header += b" " * (128 - len(header) - 1) + b"\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("run.npy", header)
    (tmp_path / "r.npz").write_bytes(buffer.getvalue())
    with pytest.raises(gh.GreedyhullError, match="cannot be read"):
        gh.minimize(F, S, resume=tmp_path / "r.npz")


def test_no_pickle_is_ever_read(tmp_path):
    np.savez(tmp_path / "r.npz", run=np.array([print], dtype=object))
    with pytest.raises(gh.GreedyhullError, match="cannot be read"):
        gh.minimize(F, S, resume=tmp_path / "r.npz")


def test_a_file_holds_the_state_its_checksum_and_nothing_else(tmp_path):
    """Neither an option of ``savez`` that an older NumPy takes for an array, nor a pickle."""
    path = tmp_path / "r.npz"
    saved.save_state(path, {"a": np.arange(3)})
    with np.load(path, allow_pickle=False) as file:
        assert set(file.files) == {"a", saved.CHECKSUM}
    assert list(saved.load_state(path)) == ["a"]
    with pytest.raises(gh.GreedyhullError, match="`b` must be a plain array"):
        saved.save_state(path, {"b": np.array([print], dtype=object)})
    assert list(saved.load_state(path)) == ["a"] and list(tmp_path.iterdir()) == [path]


def test_states_of_another_version_are_refused(tmp_path):
    path = tmp_path / "r.npz"
    _, state = state_of(gh.FrankWolfe(), path)
    saved.save_state(path, {**state, "version": np.array(1)})
    with pytest.raises(gh.GreedyhullError, match="another version"):
        gh.minimize(F, S, gh.FrankWolfe(), resume=path)


@pytest.mark.parametrize("where", ["missing/r.npz", "file/r.npz", "missing/run/", "file/"])
def test_a_path_that_cannot_be_written_is_noticed_before_the_run(where, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    asked = []
    with pytest.raises(gh.GreedyhullError, match="checkpoint"):
        gh.minimize(F, S, watch=asked.append, checkpoint=f"{tmp_path}/{where}")
    assert not asked and {p.name for p in tmp_path.iterdir()} == {"file"}


@pytest.mark.parametrize("name", ["watch", "checkpoint", "resume"])
@pytest.mark.parametrize("given", [5, [5], b"x", ""])
def test_what_is_no_path_and_no_watcher_is_named(name, given):
    given = [given] if name == "watch" else given
    with pytest.raises(gh.GreedyhullError, match=rf"{name}=.* was given; .* wanted"):
        gh.minimize(F, S, **{name: given})


@pytest.mark.parametrize("where, words", [("missing/x.html", "does not exist. Make it first"), ("", "is a folder"),
                                          ("file/x.html", "does not exist")])
def test_files_are_written_to_folders_that_are_there(where, words, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    s = gh.minimize(F, S)
    for write in (s.report, s.trace.to_csv, gh.compare([s]).report, lambda path: gh.compare([s], path=path)):
        with pytest.raises(gh.GreedyhullError, match=words):
            write(tmp_path / where)
        with pytest.raises(gh.GreedyhullError, match="path=5 was given"):
            write(5)


def test_a_disk_that_fills_up_costs_a_warning_and_not_the_result(tmp_path, monkeypatch):
    path = tmp_path / "r.npz"
    gh.minimize(F, S, gh.FrankWolfe(), stop=gh.Iterations(3), checkpoint=path)
    before = path.read_bytes()

    def full(file, **arrays):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(saved.np, "savez", full)
    with pytest.warns(gh.GreedyhullWarning, match="No space left"):
        s = gh.minimize(F, S, gh.FrankWolfe(), stop=gh.Iterations(50), checkpoint=path)
    assert s.iterations == 50 and path.read_bytes() == before
