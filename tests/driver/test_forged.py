"""Checkpoints in which an array was changed and the checksum made anew: refused in words, or an honest certificate.

Never another exception, never an endless run, never a false certificate.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.checkpoint import load_state, save_state

rng = np.random.default_rng(0)
X = rng.standard_normal((30, 6))
y = X[:, 0] - 0.5 * X[:, 1] + 0.1 * rng.standard_normal(30)
SIGNS, V = np.where(rng.random(30) < 0.5, -1.0, 1.0), rng.standard_normal((12, 6))
ROWS, COLS = np.divmod(rng.permutation(48)[:30], 6)
SQUARES, LOGISTIC = gh.least_squares(X, y), gh.logistic(X, SIGNS)
BLOCKS = gh.Product(gh.Simplex(3), gh.L1Ball(3, 0.5))
CASES = {
    "corrective": (SQUARES, gh.L1Ball(6, 0.7), gh.Corrective(batch=1)),
    "ball": (LOGISTIC, gh.L2Ball(6, 1.0), gh.Corrective()),
    "vertices": (SQUARES, gh.Cached(gh.Vertices(V), size=5), gh.BlendedPairwise()),
    "completion": (gh.completion(ROWS, COLS, rng.standard_normal(30), (8, 6)), gh.NuclearBall((8, 6), 2.0), gh.Corrective()),
    "product": (SQUARES, BLOCKS, gh.Corrective(batch=1)),
    "linear program": (gh.quadratic(X.T @ X, X[0]), gh.LinearProgram(A_ub=np.ones((1, 6)), b_ub=np.ones(1), bounds=(0, 1)),
                       gh.BlendedPairwise()),
    "kinks": (gh.hinge(X, SIGNS), gh.L1Ball(6, 0.7), gh.Smoothed(gh.Corrective())),
    "stochastic": (LOGISTIC, gh.L1Ball(6, 0.7), gh.StochasticFrankWolfe(gh.gradients.Saga(4))),
}
K = 4


def last(a, value, dtype=np.float64):
    b = np.array(a, dtype=dtype)
    b.flat[-1:] = value
    return b


CHANGES = {
    "shorter": lambda a: a[:-1] if a.ndim else np.zeros(0, a.dtype),
    "NaN": lambda a: last(a, np.nan),
    "a huge number": lambda a: last(a, 2**40, a.dtype if a.dtype.kind in "iuf" else np.float64),
    "float32": lambda a: a.astype(np.float32),
    "transposed": lambda a: np.ascontiguousarray(a.T) if a.ndim > 1 else a.reshape(-1, 1),
    "empty": lambda a: np.zeros(0, a.dtype),
    "minus one": lambda a: last(a, -1, np.int64 if a.dtype.kind in "iu" else np.float64),
    "longer": lambda a: np.concatenate([a, a[-1:]]) if a.ndim and len(a) else np.ones(3, a.dtype),
    "complex": lambda a: a.astype(complex),
    "whole": lambda a: np.nan_to_num(a.astype(np.float64), posinf=9.0, neginf=-9.0).astype(np.int64),
    "infinite": lambda a: last(a, np.inf),
    "next": lambda a: last(a, a.flat[-1] + 1, a.dtype) if a.size and a.dtype.kind in "iu" else a.astype(bool),
    "text": lambda a: np.array("x"),
}


@pytest.fixture(scope="module", params=list(CASES))
def saved(request, tmp_path_factory):
    """A problem, its least value, and a checkpoint of it."""
    f, S, solver = CASES[request.param]
    path = tmp_path_factory.mktemp("forged") / "run.npz"
    gh.minimize(f, S, solver, stop=gh.Iterations(K), checkpoint=path)
    best = gh.minimize(f, S, stop=gh.Gap(1e-11) | gh.Iterations(300))
    return f, S, solver, best.value, path


def honest(f, S, s, least):
    """Whether the certificate of a solution holds, to rounding of the value that it is compared with."""
    slack = 1e-12 * (1.0 + abs(least))
    value = float(f.value(s.point.copy()))
    bounds = s.certificate.kind == "estimate" or (s.certificate.lower <= least + slack and s.value - least <= s.gap + slack)
    return bounds and abs(value - s.value) <= 1e-9 * (1.0 + abs(value)) and S.contains(s.x)


def resumed(f, S, solver, path: Path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gh.minimize(f, S, solver, stop=gh.Iterations(2 * K), resume=path)


def test_whatever_is_changed_in_a_checkpoint(saved, tmp_path):
    """Each array meets two changes, and each change arrays of every kind."""
    f, S, solver, least, path = saved
    state, changes, told = load_state(path), list(CHANGES.items()), []
    for i, name in enumerate(sorted(state)):
        for how, change in (changes[(i + j) % len(changes)] for j in (0, 5)):
            try:
                spoiled = change(state[name])
            except (TypeError, ValueError, OverflowError):  # text has no such change
                continue
            save_state(tmp_path / "forged.npz", {**state, name: spoiled})
            try:
                s = resumed(f, S, solver, tmp_path / "forged.npz")
            except gh.GreedyhullError as error:
                told.append(str(error))
                continue
            assert honest(f, S, s, least), (name, how, s.certificate)
    assert len(told) > len(state), "most of these are noticed"
    assert sum("forged.npz" in words for words in told) > 0.9 * len(told)


@pytest.mark.parametrize("lift", [1e-9, 1e-3, 1e3])
def test_a_lower_bound_that_does_not_fit_the_gap_is_refused(lift, tmp_path):
    f, S, path = LOGISTIC, gh.L1Ball(6, 0.7), tmp_path / "run.npz"
    before = gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(1), checkpoint=path)
    state = load_state(path)
    save_state(path, {**state, "memory.lower": state["memory.lower"] + lift * before.gap})
    with pytest.raises(gh.GreedyhullError, match="was written at a value"):
        resumed(f, S, gh.FrankWolfe(), path)


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.Corrective(batch=1), gh.BlendedPairwise()],
                         ids=lambda s: type(s).__name__)
def test_a_point_whose_image_is_another_is_refused(solver, tmp_path):
    f, S, path = LOGISTIC, gh.L1Ball(6, 0.7), tmp_path / "run.npz"
    gh.minimize(f, S, solver, stop=gh.Iterations(3), checkpoint=path)
    state = load_state(path)
    weights = state["iterate.weights"]
    save_state(path, {**state, "iterate.weights": np.full_like(weights, 1.0 / len(weights))})
    with pytest.raises(gh.GreedyhullError, match="was written at a value"):
        resumed(f, S, solver, path)


def test_an_error_of_the_users_own_function_stays_as_it_is(tmp_path):
    """A resumed run blames its file only for what nobody but the library has a part in."""
    calls = []

    def value(w):
        calls.append(1)
        if len(calls) > 40:
            raise ValueError("the user's own")
        return float(((w - 0.4) ** 2).sum())

    f, path = gh.function(value, lambda w: 2.0 * (w - 0.4), 6), tmp_path / "run.npz"
    gh.minimize(f, gh.L1Ball(6, 1.0), gh.FrankWolfe(), stop=gh.Iterations(3), checkpoint=path)
    calls.extend([1] * 40)
    with pytest.raises(ValueError, match="the user's own"):
        gh.minimize(f, gh.L1Ball(6, 1.0), gh.FrankWolfe(), stop=gh.Iterations(30), resume=path)
