"""Solutions on disk: what comes back, what older files hold, and what hostile ones are told."""

import io
import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.checkpoint import checksum, load_state, save_state
from greedyhull.driver.solution_file import DOCUMENT

SAMPLES = Path(__file__).with_name("samples")
rng = np.random.default_rng(0)
X, y = rng.standard_normal((50, 20)), rng.standard_normal(50)
F, PLAIN = gh.least_squares(X, y, intercept=True), gh.least_squares(X, y)
CASES = {
    "l1": lambda: gh.minimize(F, gh.L1Ball(20, 1.0)),
    "simplex": lambda: gh.minimize(gh.least_squares(X, y), gh.Simplex(20)),
    "coordinates": lambda: gh.minimize(F, gh.L2Ball(20, 1.0), gh.FrankWolfe(), stop=gh.Iterations(20)),
    "path": lambda: gh.path(gh.least_squares(X, y), gh.L1Ball(20, 1.0), [0.1, 0.5])[1],
    "batch": lambda: gh.batch(gh.least_squares, gh.Simplex(20), X=X, Y=y[:, None])[0],
    "rows": lambda: gh.minimize(F, gh.Vertices(rng.standard_normal((9, 20)))),
    "kinks": lambda: gh.minimize(gh.absolute(X, y), gh.L1Ball(20, 1.0), stop=gh.Iterations(10)),
    "sampled": lambda: gh.minimize(gh.logistic(X, np.sign(y)), gh.L1Ball(20, 1.0), gh.StochasticFrankWolfe.spider(),
                                   stop=gh.Iterations(20)),
    "stopped at once": lambda: gh.minimize(F, gh.L1Ball(20, 1.0), gh.FrankWolfe(), stop=gh.Iterations(0)),
    "stream": lambda: gh.minimize(gh.expectation(lambda n, rng: PLAIN.batch(rng.integers(50, size=n)), 20), gh.Simplex(20),
                                  stop=gh.Iterations(5)),
}


@pytest.mark.parametrize("case", CASES)
def test_what_was_saved_comes_back_bit_by_bit(case: str, tmp_path: Path) -> None:
    s = CASES[case]()
    again = gh.load(s.save(tmp_path / "s.npz"))
    assert type(again) is type(s) and again.x.tobytes() == s.x.tobytes() and again.x.dtype == s.x.dtype
    assert again.certificate == s.certificate and (again.value, again.gap) == (s.value, s.gap)
    assert (again.price, again.intercept, again.curvature, again.seed) == (s.price, s.intercept, s.curvature, s.seed)
    assert (again.reason, again.choice, again.converged, again.iterations, again.seconds) == (
        s.reason, s.choice, s.converged, s.iterations, s.seconds)
    assert repr(again) == repr(s) and again.summary() == s.summary() and again._repr_html_() == s._repr_html_()
    assert again.trace.recorded == s.trace.recorded
    for name, column in s.trace.to_dict().items():
        assert again.trace[name].dtype == column.dtype and again.trace[name].tobytes() == column.tobytes()
    assert set(again.also) == set(s.also)
    assert again.save(tmp_path / "t.npz").read_bytes() == (tmp_path / "s.npz").read_bytes()  # and from hand to hand


@pytest.mark.parametrize("case", ["l1", "simplex", "path", "rows"])
def test_atoms_and_weights_come_back(case: str, tmp_path: Path) -> None:
    s = CASES[case]()
    again = gh.load(s.save(tmp_path / "s.npz"))
    assert again.point.weights.tobytes() == s.point.weights.tobytes() and len(again.point.atoms) == len(s.point.atoms)
    assert list(again.point.atoms.keys) == list(s.point.atoms.keys)
    assert gh.minimize(F, gh.L1Ball(20, 1.0), start=CASES["l1"]()).converged


def test_a_loaded_solution_writes_its_page_and_draws_itself(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    s = CASES["l1"]()
    s.names = [f"gene {j}" for j in range(20)]
    again = gh.load(s.save(tmp_path / "s.npz"))
    page = again.report(tmp_path / "s.html").read_text(encoding="utf-8")
    assert "gene 3" in page and "read from a file, without its objective" in page and "coefficient" in page
    assert again.plot() is not None
    assert gh.minimize(F, gh.L1Ball(20, 1.0), start=again).converged  # a start, as any solution is
    assert pickle.loads(pickle.dumps(again)).summary() == s.summary()


def test_what_needs_the_problem_says_that_it_was_not_saved(tmp_path: Path) -> None:
    again = gh.load(CASES["l1"]().save(tmp_path / "s.npz"))
    for ask in (again.bounds, lambda: again.constants, lambda: again.objective.value(again.point), lambda: again.solver.step):
        with pytest.raises(gh.GreedyhullError, match=r"saved.* [Ss]olve again"):
            ask()


def test_a_file_of_the_first_version_is_read() -> None:
    s = gh.load(SAMPLES / "solution_1.npz")
    assert s.x.tolist() == [0.75, 0.0, -0.25] and s.names == ["a", "b", "ü"] and s.converged
    assert s.iterations == len(s.trace) - 1
    assert s.value == s.certificate.value and 0.0 <= s.certificate.gap < 1e-6 and s.certificate.kind == "always"
    assert repr(s.objective) == "least_squares(n=3, d=3)" and repr(s.atom_set) == "L1Ball(3, radius=1)"
    assert s.price > 0.0 and s.point.weights.sum() == 1.0 and "L1Ball" in s.summary()
    assert gh.certify(gh.least_squares(np.eye(3), [1.0, 0.0, -0.5]), gh.L1Ball(3, 1.0), s.x).gap < 1e-6


def rewritten(path: Path, change: object) -> Path:
    """The file with another document."""
    state = load_state(path)
    document = json.loads(state[DOCUMENT].tobytes())
    change(document)
    save_state(path, {**state, DOCUMENT: np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)})
    return path


def test_a_newer_version_is_refused_and_more_fields_are_ignored(tmp_path: Path) -> None:
    s = CASES["l1"]()
    path = s.save(tmp_path / "s.npz")
    rewritten(path, lambda told: told.update(colour="blue", certificate={**told["certificate"], "colour": "blue"},
                                             also={"new": {"thing": 1}}))
    save_state(path, {**load_state(path), "colour": np.ones(3)})
    assert gh.load(path).summary() == s.summary()
    rewritten(path, lambda told: told.update(version=2, written_by="9.0"))
    with pytest.raises(gh.GreedyhullError, match=r"written by greedyhull 9.0, in version 2 .* reads up to 1"):
        gh.load(path)


FIELDS = ("format", "version", "kind", "certificate", "reason", "converged", "iterations", "seconds", "rows", "curvature",
          "choice", "seed", "price", "intercept", "measure", "names", "solver", "stop", "objective", "set", "also")


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_that_is_missing_or_of_another_kind_gives_words(field: str, tmp_path: Path) -> None:
    path = CASES["l1"]().save(tmp_path / "s.npz")
    whole = path.read_bytes()
    rewritten(path, lambda told: told.pop(field))
    with pytest.raises(gh.GreedyhullError):
        gh.load(path)
    for other in ([1, [2]], {"a": 1}, "word", None, -1, True, 1e400):
        path.write_bytes(whole)
        try:
            gh.load(rewritten(path, lambda told, other=other: told.update({field: other}))).summary()
        except gh.GreedyhullError:
            continue


ARRAYS = {"object": np.array([print], dtype=object), "text": np.array("text"), "long": np.zeros(999),
          "cube": np.zeros((3, 3, 3))}


@pytest.mark.parametrize("case", ["l1", "path", "rows", "kinks"])
@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays_of_another_type_or_shape_give_words_and_nothing_is_unpickled(case: str, kind: str, tmp_path: Path) -> None:
    s = CASES[case]()
    path = s.save(tmp_path / "s.npz")
    state = load_state(path)
    for name in [name for name in state if name.startswith(("iterate.weights", "iterate.x", "iterate.shape", "trace."))]:
        changed = {**state, name: ARRAYS[kind]}
        if kind == "object":
            np.savez(path, checksum=np.zeros(16, dtype=np.uint8), **changed)
        else:
            save_state(path, changed)
        with pytest.raises(gh.GreedyhullError, match=str(path)):
            gh.load(path)


def test_an_array_that_is_missing_gives_words(tmp_path: Path) -> None:
    path = CASES["l1"]().save(tmp_path / "s.npz")
    state = load_state(path)
    state.pop("trace.estimate")  # files of earlier versions have none
    save_state(path, state)
    assert np.isnan(gh.load(path).trace.estimate).all()
    for name in [name for name in state if name.startswith(("iterate.", "trace.")) and not name.endswith((".home", ".kind"))]:
        save_state(path, {key: value for key, value in state.items() if key != name})
        with pytest.raises(gh.GreedyhullError, match=r"s\.npz"):
            gh.load(path)


def test_an_archive_that_would_unpack_to_more_than_it_is_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    state = {**load_state(CASES["l1"]().save(path)), "more": np.zeros(10**7)}  # which would be ignored, once unpacked
    np.savez_compressed(path, **state, checksum=checksum(state))
    with pytest.raises(gh.GreedyhullError, match="cannot be read"):
        gh.load(path)
    header = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000000,), }"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("point.npy", header + b" " * (128 - len(header) - 1) + b"\n")
    path.write_bytes(buffer.getvalue())
    with pytest.raises(gh.GreedyhullError, match="cannot be read"):
        gh.load(path)


def test_flipped_bits_are_noticed(tmp_path: Path) -> None:
    s = CASES["l1"]()
    path = s.save(tmp_path / "s.npz")
    content, local = path.read_bytes(), np.random.default_rng(0)
    for _ in range(60):
        flipped = bytearray(content)
        flipped[int(local.integers(len(content)))] ^= int(local.integers(1, 256))
        path.write_bytes(bytes(flipped))
        try:
            again = gh.load(path)
        except gh.GreedyhullError:
            continue
        assert again.summary() == s.summary() and again.x.tobytes() == s.x.tobytes()


def test_other_files_and_paths_get_words(tmp_path: Path) -> None:
    s = CASES["l1"]()
    gh.minimize(F, gh.L1Ball(20, 1.0), stop=gh.Iterations(3), checkpoint=tmp_path / "state.npz")
    (tmp_path / "text").write_text("no archive")
    for given, words in (("missing", "There is no file"), ("", "There is no file"), ("text", "cannot be read"),
                         ("state.npz", r"holds no solution.*resume=")):
        with pytest.raises(gh.GreedyhullError, match=words):
            gh.load(tmp_path / given)
    for given in (5, "a\0b", b"x"):
        with pytest.raises(gh.GreedyhullError, match="path="):
            gh.load(given)
        with pytest.raises(gh.GreedyhullError, match="path="):
            s.save(given)
    with pytest.raises(gh.GreedyhullError, match="does not exist"):
        s.save(tmp_path / "missing" / "s.npz")
    assert gh.load(s.save(tmp_path / "sülze ☃")).summary() == s.summary()
