"""Away steps, pairwise steps, steps by faces and by blocks: linear rates, honest gaps, runs that go on bit by bit."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import greedyhull as gh
from greedyhull.testing import Problem, check_solver

rng = np.random.default_rng(7)
A = rng.standard_normal((40, 12))
F = gh.least_squares(A, A[:, :3] @ np.ones(3) / 3 + 0.1 * rng.standard_normal(40))
PRODUCT = gh.Product(gh.Simplex(4), gh.Simplex(3, 0.5), gh.CappedSimplex(5))
ONE = [gh.AwayStep(), gh.Pairwise(), gh.DecompositionInvariant()]
BLOCKS = [gh.BlockCoordinate(order) for order in ("gap", "cyclic", "random")]


@pytest.mark.parametrize("solver", ONE, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("S", [gh.Simplex(12), gh.CappedSimplex(12), gh.Simplex(12, upper=0.3), gh.LinfBall(12, 0.2)], ids=str)
def test_the_rate_is_linear_on_a_strongly_convex_quadratic(solver: Any, S: Any) -> None:
    """From 1e-4 to 1e-8 takes at most about as long as to 1e-4: no sublinear method does that."""
    s = gh.minimize(F, S, solver, stop=gh.Gap(1e-9) | gh.Iterations(3000))
    best = gh.minimize(F, S, stop=gh.Gap(1e-11))
    first, then = (int(np.argmax(s.trace.gap <= tol)) for tol in (1e-4, 1e-8))
    assert s.converged and then <= 3 * first + 60 and abs(s.value - best.value) <= s.gap + best.gap


@pytest.mark.parametrize("solver", BLOCKS, ids=lambda s: s.order)
def test_blocks_are_honest_and_reach_the_minimum(solver: Any) -> None:
    y = rng.standard_normal(40)
    problems = [Problem("squares over Product", gh.least_squares(A, y), PRODUCT),
                Problem("logistic over Product", gh.logistic(A, np.sign(y)), PRODUCT),
                Problem("quadratic over Product", gh.quadratic(A.T @ A, A.T @ y), PRODUCT)]
    check_solver(solver, problems, iterations=20)
    s = gh.minimize(F, PRODUCT, solver, stop=gh.Gap(1e-3) | gh.Iterations(2000))
    best = gh.minimize(F, PRODUCT, gh.Corrective(), stop=gh.Gap(1e-9))
    assert s.converged and best.certificate.lower <= s.value <= best.value + s.gap


@pytest.mark.parametrize("solver", [*ONE, *BLOCKS], ids=repr)
def test_a_saved_run_goes_on_bit_by_bit(solver: Any, tmp_path: Any) -> None:
    S, path = PRODUCT if solver in BLOCKS else gh.Simplex(12), tmp_path / "run.npz"
    whole = gh.minimize(F, S, solver, stop=gh.Iterations(9))
    for k in (1, 4):
        gh.minimize(F, S, solver, stop=gh.Iterations(k), checkpoint=path)
        rest = gh.minimize(F, S, solver, stop=gh.Iterations(9), resume=path)
        assert np.array_equal(rest.x, whole.x) and rest.value == whole.value


def test_a_block_step_asks_for_the_columns_of_its_block_only() -> None:
    from greedyhull.objectives.designs import design

    asked: list[int] = []

    class Counted(type(design(A))):  # type: ignore[misc]
        def columns(self, index: Any, scales: Any) -> Any:
            asked.append(len(index))
            return super().columns(index, scales)

    f = gh.least_squares(Counted(A), rng.standard_normal(40))
    gh.minimize(f, PRODUCT, gh.BlockCoordinate("cyclic"), stop=gh.Iterations(3))
    assert asked and max(asked) <= 5


def test_what_is_no_product_is_refused() -> None:
    with pytest.raises(gh.GreedyhullError, match="goes from set to set of a Product"):
        gh.minimize(F, gh.Simplex(12), gh.BlockCoordinate())
    with pytest.raises(gh.GreedyhullError, match=r'order must be "gap", "cyclic" or "random"; got .best.'):
        gh.BlockCoordinate("best")  # type: ignore[arg-type]
    with pytest.raises(gh.GreedyhullError, match=r"every must be.* got 0"):
        gh.BlockCoordinate(every=0)
    for solver in (gh.AwayStep(), gh.Pairwise()):
        with pytest.raises(gh.GreedyhullError, match="has 3 owners"):
            gh.minimize(F, PRODUCT, solver)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_blocks_read_the_columns_of_sparse_data(dtype: Any) -> None:
    X = sparse.csr_array(np.where(np.abs(A) > 0.5, A, 0.0).astype(dtype))
    y = X @ np.full(12, 0.1, dtype=dtype)
    s, best = (gh.minimize(gh.least_squares(X, y), PRODUCT, solver, stop=gh.Gap(1e-3) | gh.Iterations(500))
               for solver in (gh.BlockCoordinate(), gh.Corrective()))
    assert s.converged and s.value - best.value <= s.gap


def test_very_many_sets_are_taken_one_by_one() -> None:
    f = gh.least_squares(rng.standard_normal((5, 6000)), rng.standard_normal(5))
    few, many = (gh.minimize(f, gh.Product(*[gh.Simplex(6000 // n)] * n), stop=gh.Iterations(1)) for n in (10, 3000))
    assert isinstance(few.solver, gh.Corrective) and isinstance(many.solver, gh.BlockCoordinate)
