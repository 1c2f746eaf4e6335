"""A deterministic run ends by its stop, or when whole rounds change nothing at all."""

import numpy as np
import pytest

import greedyhull as gh

rng = np.random.default_rng(5)
X, y = rng.standard_normal((12, 4)), rng.standard_normal(12)


def test_a_run_that_stands_still_ends_and_says_so():
    s = gh.minimize(gh.least_squares(X, y), gh.L2Ball(4, 0.7), gh.FrankWolfe(gh.Constant(1e-30)), start=np.full(4, 0.1),
                    stop=gh.Gap(1e-9) | gh.Iterations(10**6))
    assert s.iterations < 1000 and not s.converged and "no longer change" in s.reason and "try Corrective" in s.reason


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(), gh.PairwiseJones()], ids=repr)
def test_a_run_that_has_arrived_and_cannot_prove_more_ends(solver):
    f, S = gh.quadratic(np.eye(2), np.array([10.0, 0.0])), gh.Simplex(2)
    s = gh.minimize(f, S, solver, stop=gh.Gap(0.0) | gh.Iterations(10**5))
    assert s.iterations < 10**5 and s.value == pytest.approx(-9.5) and s.gap <= 1e-12


def test_a_run_that_moves_makes_all_its_iterations():
    s = gh.minimize(gh.least_squares(X, y), gh.L1Ball(4, 0.7), gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(100_000))
    assert s.iterations == 100_000


def test_a_random_run_waits_for_its_looks():
    f = gh.finite_sum(lambda w, i: 0.0, lambda w, i: np.zeros(4), 10, 4)
    solver = gh.StochasticFrankWolfe(look=gh.FullGap(every=5000))
    s = gh.minimize(f, gh.L1Ball(4, 0.7), solver, stop=gh.Iterations(20_000))
    assert s.iterations == 20_000


@pytest.mark.parametrize("every", [1, 5000])
def test_a_random_run_does_not_end_while_its_numbers_do_not(every):
    """The value never changes, but the random numbers do: what comes next may be another."""
    f = gh.finite_sum(lambda w, i: 0.0, lambda w, i: np.zeros(4), 10, 4)
    solver = gh.StochasticFrankWolfe(look=gh.FullGap(every=every))
    assert gh.minimize(f, gh.L1Ball(4, 0.7), solver, stop=gh.Iterations(1000)).iterations == 1000


def test_a_run_whose_value_stays_and_whose_point_moves_goes_on():
    s = gh.minimize(gh.quadratic(np.zeros((3, 3))), gh.Simplex(3), gh.FrankWolfe(gh.Constant(0.01)), start=np.full(3, 1 / 3),
                    stop=gh.Iterations(1000))
    assert s.iterations == 1000


def test_corrective_is_not_told_to_try_corrective():
    Q = np.cov(np.random.default_rng(1).standard_normal((5, 8)).T)  # singular: the minimum is zero
    s = gh.minimize(gh.quadratic(Q), gh.Simplex(8), gh.Corrective(), stop=gh.Gap(0.0) | gh.Iterations(10**5))
    assert "sk for a larger gap" in s.reason and "try" not in s.reason


@pytest.mark.parametrize("radius", [1e5, 1e8, 1e12])
@pytest.mark.parametrize("ball", [gh.L1Ball, gh.L2Ball, gh.LinfBall])
def test_a_run_ends_where_only_rounding_is_left(ball, radius):
    """The minimum lies deep inside. Values and points go on changing by their last bits, so that nothing stands still."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        A, b = rng.standard_normal((20, 10)), rng.standard_normal(10)
        s = gh.minimize(gh.quadratic(A.T @ A / 20, b), ball(10, radius=radius), stop=gh.Gap(1e-15) | gh.Iterations(200))
        assert s.iterations < 100 and "Rounding prevents further progress" in s.reason and not s.converged
        least = -b @ np.linalg.solve(A.T @ A / 20, b) / 2
        assert s.value == pytest.approx(least, rel=1e-12)
        assert s.gap < 1e-10 * radius  # a gap of 1e5 was once returned where 1e-6 had been seen


def test_who_asks_for_rounds_gets_them_however_small_the_gap_is():
    f = gh.least_squares(np.eye(3), np.array([0.2, 0.3, 0.5]) + 1e-3)
    seen = []
    gh.minimize(f, gh.Simplex(3), gh.BlendedPairwise(), stop=gh.Iterations(40), watch=seen.append)
    assert len(seen) > 40


@pytest.mark.parametrize("cut", [1, 40, 100])
def test_a_resumed_run_that_stands_still_ends_where_the_whole_run_does(cut, tmp_path):
    f, S, stop, path = gh.least_squares(X, y), gh.Simplex(4), gh.Gap(0.0) | gh.Iterations(20_000), tmp_path / "r.npz"
    solver = gh.FrankWolfe(gh.Exact())
    whole = gh.minimize(f, S, solver, stop=stop, checkpoint=path)
    gh.minimize(f, S, solver, stop=stop | gh.Iterations(cut), checkpoint=path)
    s = gh.minimize(f, S, solver, stop=stop, resume=path)
    assert s.iterations == whole.iterations < 20_000 and s.x.tolist() == whole.x.tolist()


def test_a_run_ends_where_no_smaller_gap_can_be_proved(monkeypatch):
    """A proof by random starts is only as sharp as its steps allow: more rounds would change nothing."""
    import greedyhull as gh
    from greedyhull.atoms import singular_oracle

    monkeypatch.setattr(singular_oracle, "FACTORED", 100)
    monkeypatch.setattr(singular_oracle, "MOST", 60)
    rng = np.random.default_rng(0)
    i, j = np.nonzero(rng.random((140, 135)) < 0.1)
    f, S = gh.completion(i, j, rng.standard_normal(len(i)), (140, 135)), gh.NuclearBall((140, 135), 20.0)
    s = gh.minimize(f, S, stop=gh.Relative(1e-7) | gh.Iterations(50))
    assert not s.converged and s.iterations < 50
    assert "can be proved" in s.reason and "ask for a gap of" in s.reason
    told = float(s.reason.split("ask for a gap of ")[1].split(" ")[0])
    assert s.certificate.gap < 1.05 * told
    assert gh.minimize(f, S, stop=gh.Gap(told) | gh.Iterations(50)).converged  # what is told can be had


def test_an_oracle_that_counts_its_questions_does_not_keep_a_run_going():
    """All rows are the same, and large: the gap that is asked for is beyond rounding."""
    rng = np.random.default_rng(119)
    k = int(rng.integers(1, 11))
    A = rng.standard_normal((k, 5)) * 10.0 ** rng.choice([-6, 0, 0, 6])
    t = rng.standard_normal(k) * 10.0 ** rng.choice([-3, 0, 3])
    A[:] = A[0]
    S = gh.Product(gh.LinearProgram(A_eq=[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], b_eq=[1.0, 2.0]), gh.Simplex(2))
    s = gh.minimize(gh.least_squares(A, t), S, stop=gh.Relative(1e-7) | gh.Iterations(2000))
    assert s.iterations < 2000 and (s.converged or "no longer change" in s.reason)


def test_the_number_of_an_oracles_answers_is_no_progress():
    f = gh.completion([0, 0, 1], [0, 1, 0], [1.0, 2.0, 2.0], (2, 2))
    s = gh.minimize(f, gh.NuclearBall((2, 2), 1.0), stop=gh.Gap(0.0) | gh.Iterations(400))
    assert s.iterations < 400 and "no longer change" in s.reason


def test_runs_that_go_round_among_a_few_points_end():
    """Their values differ in the last digit."""
    T = np.random.default_rng(3).standard_normal((2, 2))
    f = gh.function(lambda W: 0.5 * ((W - T) ** 2).sum(), lambda W: W - T, (2, 2), smoothness=1.0)
    s = gh.minimize(f, gh.Spectrahedron(2), stop=gh.Gap(0.0) | gh.Iterations(400))
    assert s.iterations < 400 and "no longer change" in s.reason
