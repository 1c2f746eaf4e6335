"""Every solver that ships: certificates are true, points feasible, runs repeat and resume bit by bit."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.testing import Problem, check_solver, small_problems

UNSMOOTH = {
    "lp_loss, p = 1.5 over Simplex",
    "function without smoothness over Simplex",
    "log_likelihood with zeros over Simplex",
}
BOXES = {p.name for p in small_problems() if p.name.startswith("function")} | {"lp_loss, p = 1.5 over Simplex"}

NO_TERMS = ("function", "quadratic", "log_likelihood", "logistic, intercept")
NO_SUMS = {p.name for p in small_problems() if p.name.startswith(NO_TERMS)}
NO_FACES = {p.name for p in small_problems() if not p.S.traits.faces}

# a solver, the relative gap it must reach on every problem (None: honesty is enough), the problems it may refuse
SOLVERS: list[tuple[Any, float | None, set[str]]] = [
    *(
        (gh.FrankWolfe(step), None, set())
        for step in (gh.Exact(), gh.OpenLoop(), gh.LogAdaptive(), gh.Constant(0.1), gh.Power(0.5), gh.Backtracking())
    ),
    (gh.FrankWolfe(gh.Short()), None, UNSMOOTH),
    (gh.FrankWolfe(tolerance=gh.harmonic(0.1)), None, set()),
    (gh.BlendedPairwise(), 1e-6, set()),
    (gh.BlendedPairwise(gh.Backtracking()), None, set()),
    (gh.AwayStep(), 1e-6, set()),
    (gh.Pairwise(), 1e-6, set()),
    (gh.DecompositionInvariant(), 1e-6, NO_FACES),
    (gh.Corrective(), 1e-6, BOXES),
    (gh.Corrective(batch=1), None, BOXES),
]
SOLVERS += [
    (gh.Jones(), None, set()),
    (gh.Jones(gh.OpenLoop()), None, set()),
    (gh.PairwiseJones(), 1e-6, set()),
    (gh.Mixed(), None, set()),
    (gh.Aggregated(), None, set()),
    (gh.Aggregated(gh.FrankWolfe(gh.OpenLoop()), every=3), None, set()),
    (gh.StochasticFrankWolfe(), None, NO_SUMS),
    (gh.StochasticFrankWolfe.dual(), None, NO_SUMS),
    (gh.StochasticJones(), None, NO_SUMS),
    (gh.VarianceReducedJones(), None, NO_SUMS),
    (gh.VarianceReducedJones(gh.gradients.Saga(2)), None, NO_SUMS),
    (gh.StochasticJones(step=gh.Capped(gh.OpenLoop()), point="average"), None, NO_SUMS),
]
NAMES = {problem.name for problem in small_problems()}
LISTED = {type(solver) for solver, _, _ in SOLVERS} | {gh.Smoothed, gh.BlockCoordinate}  # these want kinks, or products
# what has landed since is asked for honesty, and may refuse what it cannot do
for kind in [getattr(gh, name) for name in gh.__all__]:
    if isinstance(kind, type) and hasattr(kind, "run") and hasattr(kind, "__dataclass_fields__") and kind not in LISTED:
        SOLVERS.append((kind(), None, NAMES))


@pytest.mark.parametrize("solver, precision, refusable", SOLVERS, ids=lambda it: repr(it) if hasattr(it, "run") else "")
def test_the_solver_keeps_its_promises(solver: Any, precision: float | None, refusable: set[str]) -> None:
    refused = check_solver(solver, iterations=20, precision=precision)
    assert set(refused) <= refusable


@pytest.mark.parametrize(
    "solver", [gh.FrankWolfe(), gh.FrankWolfe(gh.OpenLoop()), gh.BlendedPairwise(), gh.Corrective()], ids=repr
)
def test_lazy_and_inexact_oracles_are_honest_too(solver: Any) -> None:
    rng = np.random.default_rng(2)
    f = gh.least_squares(rng.standard_normal((9, 5)), rng.standard_normal(9))
    inner: tuple[Any, ...] = (gh.L1Ball(5, 1.5), gh.Simplex(5))
    sets = [wrap(S) for S in inner for wrap in (gh.Cached, lambda S: gh.Cached(S, size=2), lambda S: gh.Inexact(S, 0.05))]
    check_solver(solver, [Problem(repr(S), f, S) for S in sets], iterations=25)


# --- what an iteration costs --------------------------------------------------------------------------------------


class Counted:
    """A design that counts who asks for what."""

    def __init__(self, A: Any) -> None:
        self._inner, self.counts = A, {"adjoint": 0, "column": 0, "matvec": 0, "combine": 0, "columns": 0}

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name in self.counts:
            self.counts[name] += 1
        return found


@pytest.mark.parametrize("step", [gh.Exact(), gh.Short(), gh.OpenLoop()], ids=repr)
def test_an_iteration_costs_one_adjoint_and_one_column(step: Any) -> None:
    from greedyhull.objectives.designs import design

    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 50)), rng.standard_normal(20)
    counted = [Counted(design(X)) for _ in range(2)]
    for A, k in zip(counted, (10, 30), strict=True):
        gh.minimize(gh.least_squares(A, y), gh.L1Ball(50, 3.0), gh.FrankWolfe(step), stop=gh.Iterations(k))
    more = {name: counted[1].counts[name] - counted[0].counts[name] for name in counted[0].counts}
    assert more == {"adjoint": 20, "column": 20, "matvec": 0, "combine": 0, "columns": 0}


def test_dense_and_sparse_data_take_frank_wolfe_the_same_way() -> None:
    from scipy.sparse import csc_array, csr_array

    from greedyhull.objectives.designs.stored import SparseDesign

    for problem in small_problems():
        if problem.make is None or not problem.data or "zeros" in problem.name:
            continue
        dense = gh.minimize(problem.f, problem.S, gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(40))
        X, *rest = problem.data
        for data in (SparseDesign(csc_array(X)), SparseDesign(csr_array(X))):
            f = problem.make(data, *rest)
            sparse = gh.minimize(f, problem.S, gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(40))
            assert np.abs(sparse.trace.value - dense.trace.value).max() <= 1e-9
            assert np.abs(sparse.point.array() - dense.point.array()).max() <= 1e-9
