"""Losses with kinks in the core: the same pieces as in Python, bounds true against linear programs, runs that go on."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import greedyhull as gh
from greedyhull.kernels.core import core
from greedyhull.objectives.smoothing import Smoothing
from greedyhull.solvers import corrective
from greedyhull.solvers.parts.compiled_loop import loss_of

Array = np.ndarray[Any, Any]
MAKERS: dict[str, Any] = {
    "absolute": gh.absolute,
    "hinge": lambda X, y, **how: gh.hinge(X, np.where(y > 0, 1, -1), **how),
    "quantile": partial(gh.quantile, q=0.2),
    "epsilon_insensitive": partial(gh.epsilon_insensitive, epsilon=0.3),
}


def data(n: int, d: int, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X[:, 0] + rng.standard_t(2, n) + 0.5


def least_absolute(X: Array, y: Array, radius: float, intercept: bool) -> float:
    """min mean |Xw + b − y| over ‖w‖₁ ≤ radius: HiGHS, with numbers of about one."""
    n, d = X.shape
    one = np.full((n, 1), float(intercept))
    A = np.hstack([X, -X, one, -np.eye(n), np.eye(n)])
    cost = np.concatenate([np.zeros(2 * d + 1), np.full(2 * n, 1.0 / n)])
    found = linprog(cost, np.concatenate([np.ones(2 * d), np.zeros(2 * n + 1)])[None, :], [radius], A, y,
                    [(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * (2 * n))
    return float(found.fun)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", MAKERS)
def test_pieces_are_those_of_the_reference(name: str, weighted: bool, intercept: bool) -> None:
    X, y = data(40, 6)
    how = {"sample_weight": np.arange(1.0, 41.0)} if weighted else {}
    f = MAKERS[name](X, y, intercept=intercept, **how)
    w = np.array([0.4, 0.0, -0.3, 0.0, 0.1, 0.0])
    for mu in (2.0, 0.1, 1e-3):
        soft = Smoothing(f, mu)
        rounds = core.dense_rounds(X, loss_of(soft), False, intercept, False, False, np.ones(1), 0.0, 20, 5, None)
        rounds.begin(np.flatnonzero(w), w[w != 0.0])
        rounds.look()
        z, value, residual, gradient = rounds.seen()
        expected, r, _ = soft.loss.value_gradient_curvature(z)
        assert np.allclose(z, X @ w, rtol=1e-12, atol=1e-12) and value == pytest.approx(expected, rel=1e-12)
        assert np.allclose(residual, r, rtol=1e-9, atol=1e-12) and np.allclose(gradient, X.T @ residual, rtol=1e-9, atol=1e-12)
        low, high = soft.kinked_terms.ends()  # type: ignore[attr-defined]
        p = soft.loss.p
        assert np.all(residual >= p * low) and np.all(residual <= p * high)  # feasible for the dual, exactly
        if intercept:
            assert abs(residual.sum()) <= 1e-12


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("S", [gh.L1Ball(12, 0.7), gh.L1Ball(12, 40.0), gh.Simplex(12), gh.CappedSimplex(12),
                               gh.Vertices(np.random.default_rng(5).standard_normal((9, 12)))], ids=repr)
def test_core_and_python_agree(S: Any, name: str, intercept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data(150, 12)
    f = MAKERS[name](X, y, intercept=intercept)
    stop = gh.Relative(1e-7) | gh.Iterations(500)
    ours = gh.minimize(f, S, stop=stop)
    monkeypatch.setattr(corrective, "compiled_rounds", lambda *about: None)
    theirs = gh.minimize(f, S, stop=stop)
    assert ours.converged and theirs.converged and ours.certificate.kind == theirs.certificate.kind == "always"
    assert ours.certificate.lower <= theirs.value and theirs.certificate.lower <= ours.value


ODD: dict[str, Any] = {
    "plain": lambda X, y: (X, y),
    "rank one": lambda X, y: (X[:, :1] * np.linspace(-1.0, 1.0, X.shape[1]), y),
    "duplicates": lambda X, y: (np.repeat(X[:, :3], 3, axis=1), y),
    "constant columns": lambda X, y: (np.hstack([X[:, :5], np.ones((len(X), 4))]), y),
    "ties": lambda X, y: (np.round(X), np.round(y)),
    "no residuals": lambda X, y: (X, X @ np.full(X.shape[1], 0.1)),
    "signed zeros": lambda X, y: (np.where(np.abs(X) < 0.5, -0.0, X), np.where(np.abs(y) < 0.5, -0.0, y)),
    "one target": lambda X, y: (X, np.ones(len(y))),
    "one row": lambda X, y: (X[:1], y[:1]),
    "one column": lambda X, y: (X[:, :1], y),
    "wide": lambda X, y: (X[:5], y[:5]),
}


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("radius", [0.5, 30.0])
@pytest.mark.parametrize("name", ODD)
def test_odd_data_are_certified_truly(name: str, radius: float, intercept: bool) -> None:
    X, y = ODD[name](*data(60, 9))
    least = least_absolute(X, y, radius, intercept)
    f, S = gh.absolute(X, y, intercept=intercept), gh.L1Ball(X.shape[1], radius)
    s = gh.minimize(f, S, stop=gh.Gap(1e-7) | gh.Iterations(300))
    noise = 1e-9 * (1.0 + least)
    assert s.converged and s.certificate.lower <= least + noise and least <= s.value + noise


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e100])
def test_other_units_change_nothing_but_the_units(scale: float, intercept: bool) -> None:
    X, y = data(60, 9)
    least = least_absolute(X, y, 1.0, intercept)
    f, stop = gh.absolute(X, scale * y, intercept=intercept), gh.Relative(1e-6) | gh.Iterations(300)
    s = gh.minimize(f, gh.L1Ball(9, scale), stop=stop)
    assert s.converged and s.certificate.lower <= least * scale * (1.0 + 1e-9) and s.value >= least * scale * (1.0 - 1e-9)


@pytest.mark.parametrize("intercept", [False, True])
def test_a_run_that_is_resumed_ends_as_the_whole_one(intercept: bool, tmp_path: Any) -> None:
    X, y = data(200, 20)
    f, S, path = gh.absolute(X, y, intercept=intercept), gh.L1Ball(20, 10.0), tmp_path / "run.npz"
    whole = gh.minimize(f, S, stop=gh.Relative(1e-7), watch=lambda event: None)
    for k in range(1, whole.iterations):
        gh.minimize(f, S, stop=gh.Iterations(k), checkpoint=path)
        s = gh.minimize(f, S, stop=gh.Relative(1e-7), resume=path)
        assert np.array_equal(s.x, whole.x) and s.gap == whole.gap and s.iterations == whole.iterations


def test_an_interrupted_run_is_certified() -> None:
    X, y = data(2000, 60)
    s = gh.minimize(gh.absolute(X, y, intercept=True), gh.L1Ball(60, 50.0), stop=gh.Gap(1e-12) | gh.Seconds(0.0))
    assert not s.converged and s.certificate.kind == "always" and s.certificate.lower <= s.value
