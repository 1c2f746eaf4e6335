"""Files whose checksum is right and whose fields are not: each is refused in a sentence that names the file and the field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.checkpoint import load_state, save_state

rng = np.random.default_rng(0)
X = rng.standard_normal((30, 5))
y = X[:, 0] + 0.1 * rng.standard_normal(30)
S = gh.L1Ball(5, 0.5)


def forged(path: Path, field: str, value: Any) -> Path:
    """The file with one field changed and its checksum made anew: an array, or a field of the document."""
    state = load_state(path, "solution", "Solution.save")
    if field in state:
        state[field] = value(state[field]) if callable(value) else np.asarray(value)
    else:
        told = json.loads(state["greedyhull"].tobytes().decode())
        *outer, last = field.split(".")
        inner = told
        for name in outer:
            inner = inner[name]
        assert last in inner
        inner[last] = value
        state["greedyhull"] = np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)
    save_state(path, state)
    return path


def last(value: float) -> Any:
    def change(array: Any) -> Any:
        array = np.array(array, dtype=np.float64 if not float(value).is_integer() else array.dtype)
        array.flat[-1] = value
        return array
    return change


NONE, BOTH = ("nan", "inf", "-inf", "x", [], True), ("nan", "-inf", "x", [], True, -1.0)
DOCUMENT = [("certificate.value", NONE), ("certificate.gap", BOTH), ("certificate.lower", ("nan", "inf", 1e9, "x")),
            ("certificate.delta", BOTH), ("certificate.kind", ("never", 3)), ("iterations", (-1, 1.5, True, "x", 1)),
            ("seconds", BOTH), ("rows", (-1, 1, 2.5)), ("seed", (-1, 0.5, True)), ("curvature", ("nan", -1.0)),
            ("price", NONE), ("intercept", (*NONE, [1.0, 2.0])), ("converged", ("yes", 1)), ("reason", (3, None)),
            ("solver", (3, None)), ("names", ([], ["a"], "abcde")), ("objective.scale", BOTH), ("set.radius", BOTH),
            ("version", (True, "1", 0))]
ARRAYS = [("iterate.weights", lambda a: a.astype(complex)), ("iterate.block.basis.scale", last(np.nan)),
          ("iterate.block.basis.scale", lambda a: np.append(a, a)), ("iterate.block.basis.index", last(9)),
          ("iterate.block.basis.index", last(-1)), ("iterate.block.size", np.array(9)), ("iterate.work", [np.nan, 1.0]),
          ("iterate.work", [1.0]), ("trace.iteration", last(-1)), ("trace.iteration", last(10**6)),
          ("trace.seconds", last(np.nan)), ("trace.seconds", last(-1.5)), ("trace.value", last(np.nan)),
          ("trace.gap", last(-0.5)), ("trace.atoms", last(-1)), ("trace.products", last(np.inf)), ("trace.slack", last(-0.5)),
          ("trace.step", lambda a: a[:-1]), ("trace.step", lambda a: a.astype(complex)), ("trace.step", last(np.inf))]


@pytest.fixture(scope="module")
def solution() -> gh.Solution:
    return gh.minimize(gh.least_squares(X, y, intercept=True), S, gh.FrankWolfe(), stop=gh.Iterations(5))


@pytest.mark.parametrize(("field", "values"), DOCUMENT, ids=[field for field, _ in DOCUMENT])
def test_fields_of_a_solution_that_cannot_be_are_named(field, values, solution, tmp_path):
    for value in values:
        path = forged(solution.save(tmp_path / "s.npz"), field, value)
        with pytest.raises(gh.GreedyhullError, match=field.split(".")[-1]) as raised:
            gh.load(path)
        assert str(path) in str(raised.value)


@pytest.mark.parametrize(("field", "value"), ARRAYS)
def test_arrays_of_a_solution_that_cannot_be_are_refused(field, value, solution, tmp_path):
    path = forged(solution.save(tmp_path / "s.npz"), field, value)
    with pytest.raises(gh.GreedyhullError, match=str(path)):
        gh.load(path)


@pytest.mark.parametrize(("field", "value"), [("scales", last(-0.5)), ("scales", last(np.inf)), ("intercepts", last(np.nan)),
                                              ("seconds", last(np.nan)), ("iterations", last(-1)), ("radii", last(-0.5)),
                                              ("prices", last(np.inf)), ("gaps", last(np.nan)), ("seed", -1), ("seed", 1.5)])
def test_fields_of_a_batch_that_cannot_be_are_named(field, value, tmp_path):
    found = gh.batch([gh.least_squares(X, rng.standard_normal(30)) for _ in range(3)], S)
    path = forged(found.save(tmp_path / "b.npz"), field, value)
    with pytest.raises(gh.GreedyhullError, match=field) as raised:
        gh.load(path)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize(("field", "value"), [
    ("iterate.weights", last(np.nan)), ("iterate.weights", last(-0.5)), ("iterate.weights", lambda a: 2.0 * a),
    ("iterate.weights", lambda a: a[:-1]), ("iterate.block.basis.scale", last(np.inf)),
    ("iterate.block.basis.index", last(99)), ("iterate.step", [1.0, 2.0]), ("run", [0.0]), ("run", [0.0, -1.0]),
    ("memory.k", -7), ("memory.k", 2.5j), ("memory.lower", np.nan), ("memory.lower", np.inf), ("memory.kind", 77),
    ("memory.gap", -1.0), ("memory.spent", [np.nan, 0]), ("memory.seed", -1), ("standing.numbers", []),
    ("trace.rows", last(-np.inf)), ("trace.rows", lambda a: a[:, :4]), ("trace.rows", lambda a: a[::-1]),
    ("trace.steps", [1.0] * 99), ("trace.dropped", -1)])
def test_states_of_a_run_that_cannot_be_are_refused(field, value, tmp_path):
    f, path = gh.logistic(X, np.sign(y)), tmp_path / "c.npz"
    gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(4), checkpoint=path)
    forged(path, field, value)
    with pytest.raises(gh.GreedyhullError, match=str(path)):
        gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(8), resume=path)
