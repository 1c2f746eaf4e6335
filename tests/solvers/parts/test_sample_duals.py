"""Lower bounds from gathered slopes: true at every moment, with weights and repeated terms too."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.points.coordinate_iterate import CoordinateIterate
from greedyhull.solvers.lu_freund import Duals, duals_of
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.solver_state import CountingOracle, SolverState

RNG = np.random.default_rng(5)
X, Y, S = RNG.standard_normal((30, 4)), RNG.standard_normal(30), gh.L1Ball(4, 1.0)
WEIGHTS = np.where(RNG.random(30) < 0.2, 0.0, RNG.random(30))
LOSSES = {
    "hinge": gh.hinge(X, np.sign(Y)), "absolute": gh.absolute(X, Y), "quantile": gh.quantile(X, Y, 0.3),
    "epsilon_insensitive": gh.epsilon_insensitive(X, Y, 0.2), "weights": gh.absolute(X, Y, sample_weight=WEIGHTS),
    "float32": gh.absolute(X.astype(np.float32), Y.astype(np.float32)),
}


@pytest.mark.parametrize("name", LOSSES)
def test_the_bound_is_below_the_minimum_whatever_was_seen(name: str) -> None:
    f: Any = LOSSES[name]
    minimum = gh.minimize(f, S, gh.Smoothed(), stop=gh.Relative(1e-7) | gh.Iterations(3000)).value
    duals: Any = duals_of(f, SolverState(), CountingOracle(S, RNG))
    assert isinstance(duals, Duals)
    for k in range(60):
        x = S.argmin(RNG.standard_normal(4)).block(4)
        point = np.zeros(4)
        x.add_to(point, np.array([RNG.random()]))
        batch = f.batch(RNG.integers(30, size=1 + k % 7))  # an index may come twice
        np.testing.assert_allclose(duals.gradient(batch, point), batch.gradient(point))
        w = CoordinateIterate(point)
        told = duals.improve(Progress(w, np.inf))
        assert f.value(w) - told.gap <= minimum + 1e-6
    low, high = (np.broadcast_to(end, 30) for end in f.exact.ends())
    assert np.all(duals.a >= low - 1e-6) and np.all(duals.a <= high + 1e-6)


def test_a_worse_bound_changes_nothing_and_told_values_stand() -> None:
    f: Any = LOSSES["absolute"]
    duals: Any = duals_of(f, SolverState(), CountingOracle(S, RNG))
    w = CoordinateIterate(np.zeros(4))
    p = Progress(w, 0.1)
    assert duals.improve(p) is p  # nothing seen
    duals.gradient(f.batch(np.arange(3)), np.zeros(4))
    assert duals.improve(p) is p
    told = Progress(w, np.inf, value=1.0)
    assert duals.improve(told) is told


def test_where_there_is_no_table() -> None:
    own = gh.finite_sum(lambda w, i: 0.0, lambda w, i: w, 3, 4)
    for f in (gh.least_squares(X, Y), gh.absolute(X, Y, intercept=True), own):
        assert duals_of(f, SolverState(), None) is None
