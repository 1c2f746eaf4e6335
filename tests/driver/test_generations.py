"""Checkpoints in a folder: two whole states, words for what is damaged, and a run that outlives its disk."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver import checkpoint as generations
from greedyhull.driver import checkpoint as saved
from greedyhull.driver import checkpoint as saving
from greedyhull.driver import run
from greedyhull.driver.checkpoint import numbered

rng = np.random.default_rng(11)
X, y = rng.standard_normal((20, 5)), rng.standard_normal(20)
F, S, FW = gh.least_squares(X, y), gh.L1Ball(5, 1.0), gh.FrankWolfe(gh.OpenLoop())


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A state after every iteration, whatever that costs."""
    monkeypatch.setattr(run, "SAVE_EVERY", 0.0)
    monkeypatch.setattr(saving, "SHARE", 1e9)


def solve(folder: Path | str, k: int, *, resume: bool = False, **given: object) -> gh.Solution:
    place = f"{folder}/"
    return gh.minimize(F, S, FW, stop=gh.Iterations(k), checkpoint=place, resume=place if resume else None, **given)


def same(s: gh.Solution, k: int) -> bool:
    want = gh.minimize(F, S, FW, stop=gh.Iterations(k))
    return np.array_equal(s.x, want.x) and s.certificate == want.certificate and s.iterations == want.iterations


def spoil(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 255
    path.write_bytes(bytes(content))


def test_two_states_are_kept_and_what_the_run_is(tmp_path: Path) -> None:
    solve(tmp_path / "run", 9)
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        "lock", "run.json", "state-00000010.npz", "state-00000011.npz"]
    card = json.loads((tmp_path / "run" / "run.json").read_text())
    assert card["solver"] == repr(FW) and card["objective"] == repr(F) and card["set"] == repr(S) and card["seed"] == 0


def test_a_folder_that_is_there_needs_no_slash(tmp_path: Path) -> None:
    gh.minimize(F, S, FW, stop=gh.Iterations(4), checkpoint=tmp_path)
    assert same(gh.minimize(F, S, FW, stop=gh.Iterations(9), resume=tmp_path), 9)


def test_a_resumed_run_has_the_bits_of_the_whole_one(tmp_path: Path) -> None:
    solve(tmp_path, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert same(solve(tmp_path, 12, resume=True), 12)


def test_a_damaged_state_is_told_and_the_one_before_is_used(tmp_path: Path) -> None:
    solve(tmp_path, 6)
    newest, before = numbered(tmp_path).values()
    spoil(newest)
    with pytest.warns(gh.GreedyhullWarning, match=rf"damaged: .*{newest.name}.*{before.name}, is whole"):
        assert same(solve(tmp_path, 12, resume=True), 12)
    assert not newest.exists() and len(numbered(tmp_path)) == 2


@pytest.mark.parametrize("cut", [0, 100], ids=["empty", "cut short"])
def test_where_both_are_damaged_both_are_named(cut: int, tmp_path: Path) -> None:
    solve(tmp_path, 6)
    for path in numbered(tmp_path).values():
        path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(gh.GreedyhullError, match=r"state-00000008.npz and .*state-00000007.npz are damaged"):
        solve(tmp_path, 12, resume=True)


def test_a_folder_without_a_state_begins_at_the_start_if_it_is_the_run_s_own(tmp_path: Path) -> None:
    with pytest.raises(gh.GreedyhullError, match="no saved state in"):
        gh.minimize(F, S, FW, resume=tmp_path)
    with pytest.raises(gh.GreedyhullError, match="There is no folder"):
        gh.minimize(F, S, FW, resume=f"{tmp_path}/missing/")
    with pytest.warns(gh.GreedyhullWarning, match="begins at its start"):
        assert same(solve(tmp_path / "run", 7, resume=True), 7)


def test_a_new_run_replaces_the_one_before_with_its_first_state_and_says_so(tmp_path: Path) -> None:
    solve(tmp_path, 6)
    with pytest.warns(gh.GreedyhullWarning, match="holds a saved run, which this one replaces"):
        gh.minimize(F, gh.L1Ball(5, 2.0), FW, stop=gh.Iterations(0), checkpoint=tmp_path)
    with pytest.warns(gh.GreedyhullWarning, match="Only the point .* the set changed"):
        gh.minimize(F, S, FW, stop=gh.Iterations(3), resume=tmp_path, start=None)
    assert all(number > 8 for number in numbered(tmp_path))


def test_a_refused_resume_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    solve(tmp_path, 6)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.name != "lock"}
    with pytest.raises(gh.GreedyhullError, match="shape"):
        gh.minimize(gh.quadratic(np.eye(2)), gh.Simplex(2), checkpoint=tmp_path, resume=tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.name != "lock"} == before


def test_a_state_of_another_version_is_refused_in_words(tmp_path: Path) -> None:
    solve(tmp_path, 6)
    for path in numbered(tmp_path).values():
        saved.save_state(path, {**saved.load_state(path), "version": np.array(99)})
    with pytest.raises(gh.GreedyhullError, match="another version"):
        solve(tmp_path, 9, resume=True)


def test_two_runs_do_not_write_to_one_folder(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")

    def second(event: object) -> None:
        with pytest.raises(gh.GreedyhullError, match=rf"Another run is writing .*process {os.getpid()}"):
            solve(tmp_path / "run", 3)

    assert same(solve(tmp_path / "run", 5, watch=second), 5)
    assert same(solve(tmp_path / "run", 8, resume=True), 8)  # and it is free again


def test_halves_that_a_killed_process_left_are_removed(tmp_path: Path) -> None:
    (tmp_path / "state-00000004.npz.part").write_bytes(b"half")
    (tmp_path / "notes.txt").write_text("not ours")
    solve(tmp_path, 3)
    assert not list(tmp_path.glob("*.part")) and (tmp_path / "notes.txt").exists()


@pytest.mark.parametrize("name", ["läufe ☃", "a b'\"c", "[*?]", "x" * 200])
def test_names_of_folders_may_be_odd(name: str, tmp_path: Path) -> None:
    solve(tmp_path / name, 4)
    assert same(solve(tmp_path / name, 8, resume=True), 8)


@pytest.mark.parametrize("name", ["a\0b/", "x" * 300 + "/"])
def test_names_that_cannot_be_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(gh.GreedyhullError, match="checkpoint="):
        gh.minimize(F, S, checkpoint=f"{tmp_path}/{name}")
    with pytest.raises(gh.GreedyhullError, match=r"resume=|no folder"):
        gh.minimize(F, S, resume=f"{tmp_path}/{name}")


def test_a_folder_that_vanishes_costs_a_warning_and_not_the_result(tmp_path: Path) -> None:
    from shutil import rmtree

    def vanish(event: gh.Solution) -> None:
        if event.iteration == 5:
            rmtree(tmp_path / "run")

    with pytest.warns(gh.GreedyhullWarning, match=r"run.* is gone; the run goes on"):
        assert same(solve(tmp_path / "run", 12, watch=vanish), 12)
    assert not (tmp_path / "run").exists()


def test_a_folder_that_cannot_be_written_is_refused_before_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def refused(*given: object, **named: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "write_bytes", refused)  # for root, no folder is read-only
    with pytest.raises(gh.GreedyhullError, match=r"checkpoint='.*' cannot be written \(Read-only file system\)"):
        solve(tmp_path, 5, watch=asked.append)
    assert not asked


def test_a_folder_that_becomes_read_only_keeps_its_last_state(tmp_path: Path) -> None:
    """With permissions for users; for root, who may write anywhere, by a mount."""
    folder = tmp_path / "run"
    folder.mkdir()
    if os.geteuid() == 0 and not mounted("-t", "tmpfs", "tmpfs", str(folder)):
        pytest.skip("root may write to any folder, and nothing can be mounted here")

    def close(event: gh.Solution) -> None:
        if event.iteration == 5:
            folder.chmod(0o500) if os.geteuid() else mounted("-o", "remount,ro", str(folder))

    try:
        with pytest.warns(gh.GreedyhullWarning, match=r"could not be written to .*run .*what was written last is still there"):
            assert same(solve(folder, 12, watch=close), 12)
        assert len(numbered(folder)) == 2
        assert same(gh.minimize(F, S, FW, stop=gh.Iterations(12), resume=folder), 12)
        with pytest.raises(gh.GreedyhullError, match="cannot be written"):
            solve(folder, 12, resume=True)
    finally:
        folder.chmod(0o700) if os.geteuid() else subprocess.run(["umount", str(folder)], check=True)


def mounted(*given: str) -> bool:
    try:
        return subprocess.run(["mount", *given], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


FULL = """
import sys, numpy as np, greedyhull as gh, warnings
from greedyhull.driver import checkpoint as saving, run
run.SAVE_EVERY, saving.SHARE = 0.0, 1e9
rng = np.random.default_rng(1)
f, S = gh.least_squares(rng.standard_normal((20, 400)), rng.standard_normal(20)), gh.L1Ball(400, 50.0)
def fill(event):
    if event.iteration == 10:
        {fill}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    s = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Iterations(40), checkpoint=sys.argv[1] + "/", watch=fill)
words = [str(warning.message) for warning in caught if issubclass(warning.category, gh.GreedyhullWarning)]
assert words and all(sys.argv[1] in said and {said!r} in said and "still there" in said for said in words), words
{free}
again = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Iterations(40), resume=sys.argv[1])
assert np.array_equal(s.x, again.x) and s.certificate == again.certificate, "the last good state is not whole"
"""
LIMIT = FULL.format(fill="import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))", free="",
                    said="File too large")
TMPFS = FULL.format(fill="""
        try:
            with open(sys.argv[1] + "/filler", "wb") as file: file.write(b"0" * 10**7)
        except OSError: pass""", free="", said="No space left on device")


def test_a_full_disk_keeps_the_last_state_and_the_run(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    if not mounted("-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)):
        pytest.skip("nothing can be mounted here: only root may")
    try:
        done = subprocess.run([sys.executable, "-c", TMPFS, str(folder)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert not list(folder.glob("*.part"))
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_quota_keeps_the_last_state_and_the_run(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    done = subprocess.run([sys.executable, "-c", LIMIT, str(tmp_path / "run")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not list((tmp_path / "run").glob("*.part"))


def test_saves_take_a_tenth_of_the_time_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "SHARE", 0.1)
    clock = iter(range(10**6))
    monkeypatch.setattr(saving, "perf_counter", lambda: float(next(clock)))  # each save takes a second
    solve(tmp_path, 30)
    assert max(numbered(tmp_path)) == 2  # one at the start and one at the end of a run that takes less than ten


def test_only_our_own_names_are_states(tmp_path: Path) -> None:
    for name in ("state-1.npz", "state-00000001.npz.bak", "state-0000000x.npz"):
        (tmp_path / name).write_bytes(b"")
    assert generations.numbered(tmp_path) == {} and generations.read(tmp_path) is None


def test_a_folder_is_read_while_another_run_writes_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solve(tmp_path, 6)
    load, gone = generations.load_state, []

    def slow(path: Path) -> object:
        if not gone:  # the writer saves two more states before this one is opened
            gone.extend(numbered(tmp_path).values())
            for number, old in enumerate(gone, start=20):
                old.rename(tmp_path / f"state-{number:08d}.npz")
        return load(path)

    monkeypatch.setattr(generations, "load_state", slow)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert generations.read(tmp_path)[0] == 21


def test_a_folder_that_vanishes_after_a_save_does_not_end_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(folder: Path) -> None:
        raise gh.GreedyhullError("gone")

    monkeypatch.setattr(generations.CheckpointDir, "begin", lambda self, going_on, alone: None)
    monkeypatch.setattr(generations, "numbered", refused)
    assert same(solve(tmp_path / "run", 6), 6)
