"""Large matrices stay factors or entries from the first step to the certificate: the fixture `factors_only` refuses arrays."""

import numpy as np
import pytest

import greedyhull as gh

rng = np.random.default_rng(0)
M, N = 130, 129
ROWS, COLS = np.divmod(np.sort(rng.choice(M * N, 1200, replace=False)), N)
LOW = rng.standard_normal((M, 2)) @ rng.standard_normal((2, N))
VALUES = LOW[ROWS, COLS] + 0.1 * rng.standard_normal(1200)
SETS = {"nuclear": gh.NuclearBall((M, N), 200.0), "entries": gh.L1Ball((M, N), 300.0)}


def test_the_fixture_bites():
    W = np.zeros((M, N))
    with pytest.raises(AssertionError, match="written out"):
        gh.GroupL1Ball("rows", 1.0, shape=(M, N)).contains_quickly(SETS["nuclear"].centre())
    with pytest.raises(AssertionError, match="decomposed"):
        SETS["nuclear"].decompose(W)
    assert gh.NuclearBall((128, 200), 1.0).contains(np.zeros((128, 200)))


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("solver", [gh.Corrective(), gh.FrankWolfe(), gh.BlendedPairwise()], ids=lambda s: type(s).__name__)
def test_solves_save_and_resume_without_the_matrix(name, solver, tmp_path):
    f, S = gh.completion(ROWS, COLS, VALUES, (M, N)), SETS[name]
    s = gh.minimize(f, S, solver, stop=gh.Relative(0.1) | gh.Iterations(4), checkpoint=tmp_path / "run")
    again = gh.minimize(f, S, solver, stop=gh.Relative(0.05) | gh.Iterations(6), resume=tmp_path / "run")
    assert S.contains(s.point) and s.certificate.lower <= again.value and again.gap <= s.gap
    np.testing.assert_allclose(s.point.entries(ROWS[:5], COLS[:5]), s.x[ROWS[:5], COLS[:5]], atol=1e-12)
    assert s.summary()


def test_entries_of_rows_and_of_a_matrix_that_is_too_large():
    w = gh.GroupL1Ball("rows", 20.0, shape=(3, 2)).decompose(np.arange(6.0).reshape(3, 2))
    np.testing.assert_allclose(w.entries([2, 0, 1, 2], [1, 0, 1, 1]), [5.0, 0.0, 3.0, 5.0])
    w = gh.L1Ball((30_000, 30_000), 1.0).centre()
    assert w.entries([0, 29_999], [0, 5]).tolist() == [0.0, 0.0]
    with pytest.raises(gh.GreedyhullError, match="GiB"):
        w.array()


def test_the_solver_steers_by_an_estimate_where_nothing_is_proved_yet():
    f, S = gh.completion(ROWS, COLS, VALUES, (M, N)), SETS["nuclear"]
    t = gh.minimize(f, S, stop=gh.Relative(1e-2) | gh.Iterations(6)).trace
    assert t.gap[0] == pytest.approx(t.value[0])  # only that the loss is nowhere negative
    assert np.isfinite(t.estimate).all() and t.estimate[0] > 2.0 * t.gap[0] and t.estimate[-1] <= t.gap[-1]
    t = gh.minimize(f, SETS["entries"], gh.FrankWolfe(), stop=gh.Iterations(12)).trace
    assert (t.gap <= t.estimate * (1 + 1e-9)).all()  # a bound that is known keeps the gap below
