"""`batch`: what it solves is what `minimize` would, each with its certificate; what fails is told in its place."""

import signal
import threading
import time

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.batch import call as together
from greedyhull.driver.batch.call import minimize as one_run

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((20, 6)), RNG.standard_normal((20, 9))
SETS = [gh.Simplex(6), gh.Simplex(6, 0.25), gh.CappedSimplex(6, 2.0), gh.L1Ball(6, 0.5), gh.L1Ball(6, 50.0),
        gh.L1Ball(6, 1.0, weights=np.arange(1.0, 7.0))]


@pytest.fixture
def runs(monkeypatch):
    """The problems that `minimize` was called for."""
    seen = []

    def counted(f, *args, **kwargs):
        seen.append(f)
        return one_run(f, *args, **kwargs)

    monkeypatch.setattr("greedyhull.driver.batch.call.minimize", counted)
    return seen


def agree(found, fs, S, stop=None):
    for s, f in zip(found, fs, strict=True):
        alone = gh.minimize(f, S, stop=stop)
        assert s.converged and alone.converged
        assert abs(s.value - alone.value) <= s.gap + alone.gap
        c = gh.certify(f, S, s.x)
        assert abs(s.value - c.value) <= 1e-12 * abs(c.value) and s.gap <= 2.0 * c.gap + 1e-14


@pytest.mark.parametrize("S", SETS, ids=repr)
@pytest.mark.parametrize("settings", [{}, {"intercept": True}, {"sample_weight": np.arange(1.0, 21.0)}], ids=str)
def test_one_design_with_many_targets(S, settings, runs):
    found = gh.batch(gh.least_squares, S, X=X, Y=Y, **settings)
    assert not runs, "they share X, and are solved together"
    assert found.x.shape == (9, 6) and found.converged.all()
    agree(found, [gh.least_squares(X, y, **settings) for y in Y.T], S)
    np.testing.assert_array_equal(found.x, [s.x for s in found])
    np.testing.assert_array_equal(found.values, [s.value for s in found])
    np.testing.assert_array_equal(found.gaps, [s.gap for s in found])
    np.testing.assert_allclose(found.intercepts, [s.intercept for s in found], atol=1e-12)


def test_objectives_that_were_made_from_one_array_share_it(runs):
    fs = [gh.least_squares(X, y) for y in Y.T]
    found = gh.batch(iter(fs), gh.Simplex(6))
    assert not runs
    agree(found, fs, gh.Simplex(6))
    assert found[2].objective is fs[2]


@pytest.mark.parametrize("fs", [
    [gh.least_squares(X.copy(), y) for y in Y.T],
    [gh.least_squares(X, y, l2=0.1) for y in Y.T],
    [gh.logistic(X, np.sign(y)) for y in Y.T],
    [gh.huber(X, y) for y in Y.T],
    [gh.quadratic(X.T @ X, X.T @ y) for y in Y.T],
    [gh.least_squares(X, Y[:, 0]), gh.logistic(X, np.sign(Y[:, 1])), gh.quadratic(X.T @ X)],
], ids=["copies", "ridge", "logistic", "huber", "quadratic", "mixed"])
def test_others_have_a_run_each(fs, runs):
    found = gh.batch(fs, gh.L1Ball(6, 1.0))
    assert len(runs) == len(fs)
    agree(found, fs, gh.L1Ball(6, 1.0))


@pytest.mark.parametrize("S", [gh.Box(np.zeros(6), np.ones(6)), gh.L2Ball(6, 1.0), gh.Vertices(np.eye(6)),
                               gh.Simplex(6, upper=0.5)], ids=repr)
def test_other_sets_have_a_run_each(S, runs):
    found = gh.batch(gh.least_squares, S, X=X, Y=Y[:, :3])
    assert len(runs) == 3
    agree(found, [gh.least_squares(X, y) for y in Y.T[:3]], S)


def test_another_loss_with_many_targets(runs):
    found = gh.batch(gh.huber, gh.Simplex(6), X=X, Y=Y, delta=0.5)
    assert len(runs) == 9
    agree(found, [gh.huber(X, y, delta=0.5) for y in Y.T], gh.Simplex(6))


@pytest.mark.parametrize("stop", [gh.Gap(1e-9), gh.Relative(1e-9), gh.Gap(1e-2) | gh.Seconds(9), gh.Iterations(3),
                                  gh.Gap(1e-9) & gh.Iterations(2), gh.Relative(1e-12, floor=1.0) | gh.Iterations(500),
                                  gh.Relative(1e-9) | gh.Stalled(50), gh.RelativeToStart(1e-6)], ids=repr)
def test_a_stop_means_what_it_means_in_minimize(stop):
    S = gh.L1Ball(6, 1.0)
    for i, s in enumerate(gh.batch(gh.least_squares, S, X=X, Y=Y, stop=stop)):
        alone = gh.minimize(gh.least_squares(X, Y[:, i]), S, stop=stop)
        assert s.converged == alone.converged
        assert abs(s.value - alone.value) <= s.gap + alone.gap
        assert (s.stop is stop and "request" in s.reason) or not s.converged


def test_what_rounding_keeps_from_its_gap_has_a_run_of_its_own(runs):
    found = gh.batch(gh.least_squares, gh.Simplex(6), X=X, Y=Y, stop=gh.Gap(1e-40) | gh.Iterations(200))
    assert len(runs) == 9 and not found.converged.any() and np.isfinite(found.gaps).all()
    assert all("request" in s.reason or "gap" in s.reason for s in found)


def test_a_solver_that_is_named_is_used():
    found = gh.batch(gh.least_squares, gh.Simplex(6), gh.BlendedPairwise(), X=X, Y=Y[:, :2])
    assert all(isinstance(s.solver, gh.BlendedPairwise) and s.converged for s in found)


@pytest.mark.parametrize("S", [gh.Simplex(9), gh.CappedSimplex(9), gh.L1Ball(9, 2.0)], ids=repr)
@pytest.mark.parametrize("loss", [gh.least_squares, gh.huber])
def test_a_coordinate_can_be_left_out_of_each_problem(S, loss):
    found = gh.batch(loss, S, X=Y, Y=Y, without=range(9), stop=gh.Relative(1e-9))
    assert found.converged.all() and not found.x.diagonal().any()
    for j, s in enumerate(found):
        rest = np.delete(np.arange(9), j)
        size = {"d": 8, "total": S.total} if not isinstance(S, gh.L1Ball) else {"d": 8, "radius": S.radius}
        alone = gh.minimize(loss(Y[:, rest], Y[:, j]), type(S)(**size), stop=gh.Relative(1e-9))
        assert abs(s.value - alone.value) <= s.gap + alone.gap
        assert s.atom_set.contains(s.x) and gh.certify(s.objective, s.atom_set, s.x).gap <= s.gap + 1e-12


def test_one_that_fails_is_told_in_its_place_and_the_others_go_on():
    wrong = Y.copy()
    wrong[3, 4] = np.nan
    found = gh.batch(gh.least_squares, gh.Simplex(6), X=X, Y=wrong)
    assert list(found.errors) == [4] and found.converged.sum() == 8
    assert "Problem 4 of 9" in found[4].reason and "NaN" in found[4].reason and not found[4].converged
    assert isinstance(found[4].error, gh.GreedyhullError) and np.isnan(found.x[4]).all() and np.isinf(found.gaps[4])
    assert "8 of 9 converged" in repr(found) and "1 failed (problem 4)" in repr(found) and "NaN" in str(found)


def test_whatever_a_function_raises_is_kept():
    def broken(w):
        raise ZeroDivisionError("no such value")

    fs = [gh.quadratic(np.eye(3)), gh.function(broken, broken, 3), 7, gh.quadratic(np.eye(4)), gh.quadratic(np.eye(3))]
    found = gh.batch(fs, gh.Simplex(3))
    assert list(found.errors) == [1, 2, 3] and found.converged.tolist() == [True, False, False, False, True]
    assert isinstance(found.errors[1].__cause__, ZeroDivisionError)
    assert "7" in found[2].reason and "objective" in found[2].reason
    assert "(4,)" in found[3].reason


def test_starts_are_taken_one_for_all_or_one_for_each(runs):
    S = gh.Simplex(6)
    first = gh.batch(gh.least_squares, S, X=X, Y=Y, stop=gh.Gap(1e-10))
    middle = gh.minimize(gh.quadratic(np.eye(6)), S)
    for start in (first, first.x, np.full(6, 1 / 6), first[0], gh.Basis(2, 1.0), middle, middle.point):
        again = gh.batch(gh.least_squares, S, X=X, Y=Y, start=start, stop=gh.Gap(1e-10))
        np.testing.assert_allclose(again.x, first.x, atol=1e-6)
    with pytest.raises(gh.GreedyhullError, match="start has shape"):
        gh.batch(gh.least_squares, S, X=X, Y=Y, start=np.ones(5))
    with pytest.raises(gh.GreedyhullError, match="start="):
        gh.batch(gh.least_squares, S, X=X, Y=Y, start="here")


def test_a_start_outside_the_set_is_an_error_of_each_problem():
    for loss in (gh.least_squares, gh.huber):
        found = gh.batch(loss, gh.Simplex(6), X=X, Y=Y[:, :2], start=np.full(6, 1.0))
        assert set(found.errors) == {0, 1} and "outside" in found[0].reason


@pytest.mark.parametrize("size", [1e-200, 1e-100, 1e-30, 1e30, 1e100, 1e140])
@pytest.mark.parametrize("S", [gh.Simplex(6), gh.L1Ball(6, 1.0)], ids=repr)
def test_sizes_of_data_do_not_matter(size, S):
    found = gh.batch(gh.least_squares, S, X=X * size, Y=Y * size, stop=gh.Relative(1e-6) | gh.Seconds(2))
    for i, s in enumerate(found):
        alone = gh.minimize(gh.least_squares(X * size, Y[:, i] * size), S, stop=gh.Relative(1e-6) | gh.Seconds(2))
        assert s.converged == alone.converged and abs(s.value - alone.value) <= s.gap + alone.gap


def test_odd_shapes():
    assert len(gh.batch([], gh.Simplex(3))) == 0
    assert repr(gh.batch(gh.least_squares, gh.Simplex(3), X=np.eye(3), Y=np.zeros((3, 0)))) == "Solutions(0 of 0 converged)"
    one = gh.batch(gh.least_squares, gh.Simplex(1), X=np.ones((1, 1)), Y=np.array([[2.0, 1.0, -0.0]]))
    np.testing.assert_array_equal(one.x, np.ones((3, 1)))
    zeros = gh.batch(gh.least_squares, gh.L1Ball(3, 1.0), X=np.zeros((4, 3)), Y=np.zeros((4, 5)))
    assert zeros.converged.all() and not zeros.values.any()
    same = gh.batch(gh.least_squares, gh.Simplex(3), X=np.ones((4, 3)), Y=np.ones((4, 5)), intercept=True)
    assert same.converged.all()
    floats = gh.batch(gh.least_squares, gh.Simplex(6), X=X.astype(np.float32), Y=Y.astype(int))
    assert floats.converged.all()
    agree(floats, [gh.least_squares(X.astype(np.float32), y.astype(int)) for y in Y.T], gh.Simplex(6))


@pytest.mark.parametrize(("call", "words"), [
    (lambda: gh.batch(gh.least_squares(X, Y[:, 0]), gh.Simplex(6)), "one objective"),
    (lambda: gh.batch(gh.least_squares, gh.Simplex(6)), "X= and Y="),
    (lambda: gh.batch(gh.least_squares, gh.Simplex(6), X=X, Y=Y.T), r"Y has shape \(9, 20\)"),
    (lambda: gh.batch(gh.least_squares, gh.Simplex(6), X=X, Y=Y[:, 0]), "use minimize"),
    (lambda: gh.batch(gh.least_squares, gh.Simplex(6), X=X, Y=np.full((20, 2), "a")), "numbers are wanted"),
    (lambda: gh.batch([gh.least_squares(X, Y[:, 0])], gh.Simplex(6), X=X, Y=Y), "X or Y was given"),
    (lambda: gh.batch(gh.Simplex(6), gh.least_squares(X, Y[:, 0])), "wanted|first"),
    (lambda: gh.batch(X, gh.Simplex(6)), "list of objectives"),
    (lambda: gh.batch([], [[1.0]]), "Vertices"),
    (lambda: gh.batch([], gh.Simplex(6), stop=1e-6), "Relative"),
    (lambda: gh.batch([], gh.Simplex(6), "fw"), "FrankWolfe"),
    (lambda: gh.batch(gh.least_squares, gh.Simplex(6), X=X, Y=Y, without=[6] * 9), "without="),
    (lambda: gh.batch(gh.least_squares, gh.Simplex(6), X=X, Y=Y, without=[0]), "without="),
    (lambda: gh.batch(gh.least_squares, gh.Box(np.zeros(6), np.ones(6)), X=X, Y=Y, without=[0] * 9), "Simplex"),
])
def test_what_cannot_be_meant_is_told_at_once(call, words):
    with pytest.raises(gh.GreedyhullError, match=words):
        call()


def test_unknown_settings_are_told_at_once():
    with pytest.raises(TypeError, match=r"There is no tol here\. Give stop="):
        gh.batch(gh.least_squares, gh.Simplex(6), X=X, Y=Y, tol=1e-6)
    with pytest.raises(TypeError, match=r"There is no tol here\. Give stop="):
        gh.batch([gh.least_squares(X, Y[:, 0])], gh.Simplex(6), tol=1e-6)
    with pytest.raises(TypeError, match="Did you mean intercept="):
        gh.batch(gh.least_squares, gh.Simplex(6), X=X, Y=Y, intercep=True)


def test_ctrl_c_keeps_what_is_solved(monkeypatch):
    monkeypatch.setattr(together, "WORK", 12.0)  # parts of two problems
    monkeypatch.setattr(together, "FIRST", 2)
    solve, calls = together._solve_part, []

    def interrupted(*args):
        calls.append(1)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return solve(*args)

    monkeypatch.setattr(together, "_solve_part", interrupted)
    found = gh.batch(gh.least_squares, gh.Simplex(6), X=X, Y=Y)
    assert found.converged.tolist() == [True] * 4 + [False] * 5 and set(found.errors) == {4, 5, 6, 7, 8}
    assert "Ctrl-C" in found[8].reason


def test_ctrl_c_between_runs_keeps_what_is_solved():
    def value(w):
        if len(asked) == 0:
            asked.append(1)
            signal.raise_signal(signal.SIGINT)
        return float(w @ w)

    asked: list[int] = []
    fs = [gh.quadratic(np.eye(3)), gh.function(value, lambda w: 2 * w, 3), gh.quadratic(np.eye(3))]
    found = gh.batch(fs, gh.Simplex(3))
    assert found.converged[0] and 2 in found.errors and "Ctrl-C" in found[2].reason


class Pressed(gh.Gap):
    """Ctrl-C comes in the very look that meets the stop."""

    def __call__(self, event):
        time.sleep(0.02)  # by then a run listens
        if event.iteration < 3:
            return None
        signal.raise_signal(signal.SIGINT)
        return "Enough."


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals reach the main thread only")
def test_ctrl_c_at_the_last_look_of_a_run_ends_the_batch_after_it():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        fs = [gh.quadratic(np.diag([1.0, 2.0, 3.0]), np.full(3, b)) for b in (0.0, 1.0, 2.0)]
        found = gh.batch(fs, gh.Simplex(3), gh.FrankWolfe(), stop=Pressed(0.0))
    finally:
        signal.signal(signal.SIGINT, before)
    assert found[0].reason == "Enough. Ctrl-C was pressed meanwhile." and set(found.errors) == {1, 2}
    assert all("Ctrl-C" in found[i].reason for i in (1, 2))


def test_the_same_call_gives_the_same_answers():
    S = gh.Simplex(6)
    for solver in (None, gh.StochasticFrankWolfe()):
        runs = [gh.batch(gh.least_squares, S, solver, X=X, Y=Y[:, :2], seed=3, stop=gh.Gap(1e-2) | gh.Iterations(200))
                for _ in range(2)]
        np.testing.assert_array_equal(runs[0].x, runs[1].x)


def test_data_are_left_as_they_are():
    A, B = X.copy(), Y.copy()
    gh.batch(gh.least_squares, gh.L1Ball(6, 1.0), X=A, Y=B, intercept=True)
    np.testing.assert_array_equal(A, X)
    np.testing.assert_array_equal(B, Y)


def test_float32_data_with_a_large_mean_share_their_design(runs):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        high = (3000.0 + rng.standard_normal((10, 2))).astype(np.float32)
        targets = (3000.0 + rng.standard_normal((10, 3))).astype(np.float32)
        found = gh.batch(gh.least_squares, gh.Simplex(2), X=high, Y=targets)
        assert not runs and found.converged.all() and not found.errors


def test_a_function_that_fails_for_the_first_problem_fails_for_that_one_alone():
    def picky(X, y, **settings):
        if y[0] == Y[0, 0]:
            raise ValueError("not this one")
        return gh.least_squares(X, y)

    found = gh.batch(picky, gh.Simplex(6), X=X, Y=Y)
    assert set(found.errors) == {0} and "not this one" in found[0].reason and found.converged[1:].all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_one_target_out_of_range_is_refused_and_leaves_the_others_together(dtype, runs):
    targets = Y.copy()
    targets[3, 1] = -1.797e308
    found = gh.batch(gh.least_squares, gh.Simplex(6), X=X.astype(dtype), Y=targets)
    assert len(runs) <= 1 and set(found.errors) == {1}
    assert np.isnan(found.x[1]).all() and np.isnan(found.values[1]) and found.gaps[1] == np.inf and not found.converged[1]
    assert all(found[i].converged for i in range(9) if i != 1)


def test_a_problem_that_fails_in_its_own_run_keeps_nothing_of_what_was_tried(monkeypatch):
    def fails(*args, **kwargs):
        raise RuntimeError("no more")

    monkeypatch.setattr("greedyhull.driver.batch.call.minimize", fails)
    found = gh.batch(gh.least_squares, gh.Simplex(6), X=X, Y=Y, stop=gh.Gap(1e-300) | gh.Iterations(1000))
    assert len(found.errors) == 9 and np.isnan(found.x).all() and np.isnan(found.values).all() and (found.gaps == np.inf).all()


@pytest.mark.parametrize("stop", [gh.Iterations(3) | gh.Gap(1e-300), gh.Seconds(0.5) | gh.Gap(1e-300)], ids=repr)
def test_limits_that_the_loop_would_not_keep_are_kept_by_runs(stop, runs):
    found = gh.batch(gh.least_squares, gh.Simplex(6), X=X, Y=Y[:, :2], stop=stop)
    assert len(runs) == 2 and (not isinstance(stop.stops[0], gh.Iterations) or found.iterations.max() <= 3)


def test_parts_grow_smaller_where_problems_take_many_rounds(monkeypatch):
    sizes, solve = [], together._solve_part

    def counted(shared, part, *rest):
        sizes.append(len(part))
        return solve(shared, part, *rest)

    monkeypatch.setattr(together, "_solve_part", counted)
    monkeypatch.setattr(together, "FIRST", 2)
    monkeypatch.setattr(together, "STEADY", 1.0)
    assert gh.batch(gh.least_squares, gh.Simplex(6), X=X, Y=Y).converged.all()
    assert sizes == [2, *[1] * 7]


@pytest.mark.parametrize("seed", ["a", -1, 1.5, None, True])
def test_seeds_are_checked_though_nobody_draws(seed):
    with pytest.raises(gh.GreedyhullError, match="seed="):
        gh.batch(gh.least_squares, gh.Simplex(6), X=X, Y=Y, seed=seed)
