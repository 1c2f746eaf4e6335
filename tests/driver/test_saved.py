"""States on disk: whole or refused in words, tried before the run, and never at the cost of its result."""

import errno
import io
import os
import socket
import zipfile

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver import checkpoint as saved

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


WRITERS = {
    "save": lambda s, path: s.save(path), "csv": lambda s, path: s.trace.to_csv(path),
    "report": lambda s, path: s.report(path), "compare": lambda s, path: gh.compare([s]).report(path),
    "batch": lambda s, path: gh.batch([F, F], S).save(path),
    "checkpoint": lambda s, path: gh.minimize(F, S, stop=gh.Iterations(3), checkpoint=path),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("there", [True, False], ids=["full", "dead"])
def test_links_are_followed_and_stay(write, there, tmp_path):
    """The file behind a chain of links is written; a link to a file that is not there yet makes it."""
    (tmp_path / "far").mkdir()
    target, link, chain = tmp_path / "far" / "target", tmp_path / "link", tmp_path / "chain"
    if there:
        target.write_text("before")
    link.symlink_to("far/target")
    chain.symlink_to(link)
    write(gh.minimize(F, S), chain)
    assert chain.is_symlink() and link.is_symlink() and not target.is_symlink() and target.stat().st_size > 6
    assert {p.name for p in tmp_path.rglob("*")} == {"far", "target", "link", "chain"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes and sockets among files")
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("kind", ["a pipe", "a socket", "a device", "folder", "whose folder", "links"])
def test_only_regular_files_are_replaced(write, kind, tmp_path):
    """Others are rejected before the run, and nothing is left beside them."""
    path, s = tmp_path / "odd", gh.minimize(F, S)
    with socket.socket(socket.AF_UNIX) as held:
        if kind == "a pipe":
            os.mkfifo(path)
        elif kind == "a socket":
            held.bind(str(path))
        elif kind == "folder":
            path.mkdir()
            path = tmp_path / "link"
            path.symlink_to("odd")
        else:
            path.symlink_to({"a device": os.devnull, "whose folder": "gone/file", "links": "odd"}[kind])
        before = {p.name: p.lstat().st_mode for p in tmp_path.iterdir()}
        if kind == "folder" and write is WRITERS["checkpoint"]:
            return  # a run in a folder
        words = {"whose folder": "whose folder|No such file", "links": "symbolic links"}.get(kind, kind)
        with pytest.raises(gh.GreedyhullError, match=words):
            write(s, path)
        assert {p.name: p.lstat().st_mode for p in tmp_path.iterdir()} == before


def test_what_lies_beside_the_target_is_not_written_through(tmp_path):
    (tmp_path / "other").write_text("mine")
    (tmp_path / "r.npz.part").symlink_to("other")
    gh.minimize(F, S).save(tmp_path / "r.npz")
    assert not (tmp_path / "r.npz").is_symlink() and (tmp_path / "other").read_text() == "mine"


@pytest.mark.parametrize("where", ["r.npz", "run/"])
def test_a_first_save_that_fails_does_not_speak_of_an_earlier_one(where, tmp_path, monkeypatch):
    def full(file, **arrays):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(saved.np, "savez", full)
        with pytest.warns(gh.GreedyhullWarning, match="no state has been saved so far"):
            gh.minimize(F, S, stop=gh.Iterations(3), checkpoint=f"{tmp_path}/{where}")
        with pytest.raises(gh.GreedyhullError, match="Nothing was written; give another path"):
            gh.minimize(F, S).save(tmp_path / "s.npz")
    gh.minimize(F, S, stop=gh.Iterations(3), checkpoint=f"{tmp_path}/{where}")
    gh.minimize(F, S).save(tmp_path / "s.npz")
    monkeypatch.setattr(saved.np, "savez", full)
    with pytest.warns(gh.GreedyhullWarning, match="what was written last is still there"):
        gh.minimize(F, S, stop=gh.Iterations(3), checkpoint=f"{tmp_path}/{where}")
    with pytest.raises(gh.GreedyhullError, match="What was there before is still there"):
        gh.minimize(F, S).save(tmp_path / "s.npz")


def test_an_interrupted_write_leaves_nothing_beside_the_file(tmp_path, monkeypatch):
    def stopped(file, **arrays):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(saved.np, "savez", stopped)
    with pytest.raises(KeyboardInterrupt):
        gh.minimize(F, S).save(tmp_path / "s.npz")
    assert not list(tmp_path.iterdir())


def test_a_dead_link_is_called_one(tmp_path):
    dead = tmp_path / "dead.npz"
    dead.symlink_to("gone.npz")
    for read in (gh.load, lambda path: gh.minimize(F, S, resume=path)):
        with pytest.raises(gh.GreedyhullError, match=r"dead.npz is a symbolic link to gone.npz, which does not exist"):
            read(dead)


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
