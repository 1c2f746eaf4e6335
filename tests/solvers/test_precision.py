"""Rounds on float32 data go on in float64 where float32 is exhausted."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.solvers.parts.working_set import IN_DOUBLE, exhausted

SETS = {"l1": lambda r: gh.L1Ball((5, 5), r), "columns": lambda r: gh.GroupL1Ball("columns", r, shape=(5, 5)),
        "nuclear": lambda r: gh.NuclearBall((5, 5), r)}


def problem(seed, apart, dtype=np.float32, intercept=False):
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(5), rng.integers(0, 5, 15)]
    return gh.multinomial((rng.standard_normal((20, 5)) + apart * np.eye(5)[y]).astype(dtype), y, intercept=intercept)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("apart", [0.0, 6.0])
@pytest.mark.parametrize("over, radius", [("l1", 100.0), ("columns", 1.0), ("columns", 100.0), ("nuclear", 1.0)])
def test_gaps_below_the_rounding_of_single_precision_are_reached(over, radius, apart, intercept):
    """Runs stood still at a gap of 1e-6, and some took thousands of rounds to."""
    S = SETS[over](radius)
    for seed in range(2):
        f = problem(seed, apart, intercept=intercept)
        s = gh.minimize(f, S, stop=gh.Gap(1e-9) | gh.Iterations(40))
        X = np.asarray(f.tasks.X.X, dtype=np.float64)
        exact = gh.minimize(gh.multinomial(X, f.softmax.labels, intercept=intercept), S, stop=gh.Gap(1e-9) | gh.Iterations(40))
        assert s.converged and abs(s.value - exact.value) <= 2e-9


def test_early_rounds_are_in_single_precision():
    """Float64 is left for the end: a run that asks for little never gets there."""
    f, S = problem(0, 0.0), SETS["l1"](3.0)
    w = S.centre()
    assert f.gradient(w).dtype == np.float32 and not exhausted(f, S, w, 1.0)
    assert exhausted(f, S, w, 1e-12) and not exhausted(f.precise(), S, w, 0.0)
    seen = []
    gh.minimize(f, S, stop=gh.Relative(1e-2), watch=lambda event: seen.append(f.precise() in event.point.views))
    assert len(seen) > 1 and not any(seen[:-1])


@pytest.mark.parametrize("over", SETS)
def test_a_run_is_resumed_bit_by_bit_before_and_after(over, tmp_path):
    f, S = problem(1, 0.0), SETS[over](10.0)
    whole = gh.minimize(f, S, stop=gh.Gap(1e-10) | gh.Iterations(12))
    double = []
    for cut in range(1, whole.iterations):
        path = tmp_path / f"{cut}.npz"
        gh.minimize(f, S, stop=gh.Gap(1e-10) | gh.Iterations(cut), checkpoint=path)
        with np.load(path, allow_pickle=False) as saved:
            double.append(any(IN_DOUBLE in name for name in saved.files))
        rest = gh.minimize(f, S, stop=gh.Gap(1e-10) | gh.Iterations(12), resume=path)
        np.testing.assert_array_equal(rest.point.array(), whole.point.array())
        assert rest.certificate == whole.certificate
    assert True in double and False in double


@pytest.mark.parametrize("shape", [(4, 2), (4,)])
def test_other_losses(shape):
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((30, 4)).astype(np.float32), rng.standard_normal(30)
    f = gh.multitask(X, np.c_[y, -y]) if len(shape) == 2 else gh.huber(X, y, 0.5)
    S = gh.GroupL1Ball("rows", 3.0, shape=shape) if len(shape) == 2 else gh.GroupL1Ball([0, 0, 1, 1], 3.0)
    assert gh.minimize(f, S, stop=gh.Gap(1e-10) | gh.Iterations(60)).converged


@pytest.mark.parametrize("seed", range(6))
def test_a_ball_that_is_far_too_large_takes_few_rounds(seed):
    """Two of these took more than a hundred rounds, and ended early in float32."""
    s = gh.minimize(problem(seed, 0.0, intercept=True), SETS["nuclear"](1e4), stop=gh.Gap(1e-6) | gh.Iterations(10))
    assert s.converged
