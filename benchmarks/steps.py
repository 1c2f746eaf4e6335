"""A million steps with single terms: the compiled loops of `StochasticFrankWolfe`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

import greedyhull as gh
from benchmarks.tables import Table
from benchmarks.timing import seconds
from greedyhull.solvers.gradients import Dual, Minibatch, Momentum, Saga, Storm, Svrg

N, D, STEPS = 10_000, 50, 10**6


def steps(repeats: int = 7, only: tuple[str, ...] = ()) -> Iterator[Table]:
    table = Table("steps", f"{STEPS} steps with single terms, logistic, {N}×{D}, l1 ball", ("estimator", "seconds", "value"))
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, D))
    f, S = gh.logistic(X, np.sign(X[:, 0] + 0.5 * rng.standard_normal(N))), gh.L1Ball(D, 5.0)
    for estimator in (Minibatch(1), Dual(1), Saga(1), Momentum(1), Storm(1), Svrg(1, N)):
        solver = gh.StochasticFrankWolfe(estimator, gh.OpenLoop(), every=STEPS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gh.GreedyhullWarning)  # single terms without variance reduction, on purpose
            gh.minimize(f, S, solver, stop=gh.Iterations(2000))  # compiles
            found: list[float] = []
            took = seconds(lambda: found.append(gh.minimize(f, S, solver, stop=gh.Iterations(STEPS)).value))  # noqa: B023
        table.rows.append((type(estimator).__name__, took, found[0]))
    yield table
