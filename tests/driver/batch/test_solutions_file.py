"""Solutions of a batch in a file: what was saved comes back bit by bit, and hostile files get words."""

import json
import pickle

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.checkpoint import load_state, save_state
from greedyhull.driver.solution_file import DOCUMENT

RNG = np.random.default_rng(1)
X, Y = RNG.standard_normal((15, 5)), RNG.standard_normal((15, 6))
S = gh.L1Ball(5, 1.0)
SPOILED = np.where(np.isin(Y, Y[0, 2]), np.nan, Y)
CASES = {
    "together": lambda: gh.batch(gh.least_squares, S, X=X, Y=Y, intercept=True),
    "simplex, some left out": lambda: gh.batch(gh.least_squares, gh.Simplex(5), X=X, Y=Y, without=[0, 1, 2, 3, 4, 0]),
    "one failed": lambda: gh.batch(gh.least_squares, S, X=X, Y=SPOILED),
    "one by one": lambda: gh.batch([gh.logistic(X, np.sign(y)) for y in Y.T], S),
    "none": lambda: gh.batch([], S),
}


@pytest.mark.parametrize("case", CASES)
def test_what_was_saved_comes_back_bit_by_bit(case, tmp_path):
    found = CASES[case]()
    again = gh.load(found.save(tmp_path / "found.npz"))
    assert isinstance(again, gh.Solutions) and len(again) == len(found) and str(again) == str(found)
    for name in ("x", "values", "gaps", "converged", "intercepts", "iterations"):
        old, new = getattr(found, name), getattr(again, name)
        assert new.tobytes() == old.tobytes() and new.dtype == old.dtype and new.shape == old.shape, name
    assert {i: str(e) for i, e in again.errors.items()} == {i: str(e) for i, e in found.errors.items()}
    assert again.certificates() == found.certificates() if not found.errors else len(again.certificates()) == len(found)
    for one, other in zip(again, found, strict=True):
        assert one.x.tobytes() == other.x.tobytes() and one.reason == other.reason
        if isinstance(other, gh.Solution):
            assert (one.price, one.value, one.gap) == (other.price, other.value, other.gap)
            assert one.intercept == pytest.approx(other.intercept, rel=1e-14)  # of the arrays; the other is computed anew
            assert one.summary() == other.summary() and one.seed == other.seed


def test_loaded_solutions_can_be_saved_pickled_reported_and_started_from(tmp_path):
    found = CASES["together"]()
    again = gh.load(found.save(tmp_path / "one.npz"))
    third = gh.load(again.save(tmp_path / "two.npz"))
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    assert pickle.loads(pickle.dumps(third))[1].value == found[1].value
    assert again[2].report(tmp_path / "page.html").exists() and gh.load(again[2].save(tmp_path / "s.npz")).gap == found[2].gap
    assert gh.minimize(gh.least_squares(X, Y[:, 2], intercept=True), S, start=again[2]).iterations <= found[2].iterations
    with pytest.raises(gh.GreedyhullError, match="saved without its data"):
        again[2].bounds()
    with pytest.raises(gh.GreedyhullError, match="of this point were not kept"):
        _ = again[2].point.weights


def rewritten(path, change):
    state = load_state(path)
    told = json.loads(state[DOCUMENT].tobytes())
    change(state, told)
    save_state(path, {**state, DOCUMENT: np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)})


@pytest.mark.parametrize(("case", "change", "words"), [
    ("together", lambda state, told: told.update(version=9), "in version 9 of the format of batches"),
    ("together", lambda state, told: told.update(version=0), "version 0"),
    ("together", lambda state, told: told["words"][0].pop("reason"), "'reason'"),
    ("together", lambda state, told: state.update(x=state["x"][:3]), "values in .* has shape"),
    ("together", lambda state, told: state.update(converged=np.ones(6)), "converged in .* has shape"),
    ("together", lambda state, told: state.pop("gaps"), "gaps in .* has shape"),
    ("one by one", lambda state, told: state.update({"runs.0.iterate.weights": np.ones((3, 3))}), "weights"),
    ("one by one", lambda state, told: state.update({"runs.x.point": np.ones(3)}), "found.npz"),
])
def test_files_of_another_form_get_words(case, change, words, tmp_path):
    path = CASES[case]().save(tmp_path / "found.npz")
    rewritten(path, change)
    with pytest.raises(gh.GreedyhullError, match=words):
        gh.load(path)


def test_fields_that_are_not_known_are_ignored(tmp_path):
    path = CASES["together"]().save(tmp_path / "found.npz")
    rewritten(path, lambda state, told: (told.update(colour="blue"), state.update(more=np.ones(3))))
    assert len(gh.load(path)) == 6
