"""Objectives over shards are those over the same rows in one place: values, gradients, Hessians, certificates, points."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pieces import Pieces
from scipy.sparse import csr_array

import greedyhull as gh
from greedyhull.points.iterate import Iterate
from greedyhull.testing import check_objective
from greedyhull.testing.expect import mixture

LOSSES: list[tuple[Any, dict[str, Any]]] = [(gh.least_squares, {}), (gh.logistic, {}), (gh.squared_hinge, {}),
                                            (gh.huber, {"delta": 0.5}), (gh.poisson, {}), (gh.lp_loss, {"p": 3.0}),
                                            (gh.lp_loss, {"p": 1.5})]
NAMED = [f"{make.__name__} {given}" for make, given in LOSSES]
CUTS = [50, 50]  # the second of three shards is empty


def targets(make: Any, y: Any) -> Any:
    return np.abs(y) + (y > 0) if make is gh.poisson else y


@pytest.mark.parametrize("storage", ["dense", "sparse", "float32"])
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weights"])
@pytest.mark.parametrize(("make", "given"), LOSSES, ids=NAMED)
def test_value_gradient_and_hessian_are_those_of_all_rows(make, given, weighted, storage, table):
    X, y, s = table
    X = {"dense": X, "sparse": csr_array(X * (np.abs(X) > 0.7)), "float32": X.astype(np.float32)}[storage]
    y, s = targets(make, y), s if weighted else None
    S = gh.L1Ball(8, 0.7)
    for intercept in (False, True):
        for l2 in (0.0, 0.3):
            f = make(Pieces(X, y, CUTS, s), **given, intercept=intercept, l2=l2)
            g = make(X.astype(np.float64), y, **given, intercept=intercept, l2=l2, sample_weight=s)
            w = mixture(S, np.random.default_rng(1), atoms=4)
            at, there = w.copy(), w.copy()
            assert f.value(at) == pytest.approx(g.value(there), rel=1e-12, abs=1e-13)
            assert f.gradient(at) == pytest.approx(g.gradient(there), rel=1e-9, abs=1e-11)
            assert f.gradient_dot(at) == pytest.approx(g.gradient_dot(there), rel=1e-9, abs=1e-11)
            if f.traits.second_order:
                exact = g.restricted(w.block).hessian(there)
                assert f.restricted(w.block).hessian(at) == pytest.approx(exact, rel=1e-4, abs=1e-5)
            if intercept:
                assert f.intercept(at) == pytest.approx(g.intercept(there), rel=1e-7, abs=1e-9)
            assert f.scale == pytest.approx(g.scale, rel=1e-10)
            assert f.n == 90


@pytest.mark.parametrize(("make", "given"), LOSSES, ids=NAMED)
def test_the_kit_finds_nothing(make, given, table):
    X, y, s = table
    f = make(Pieces(X / 4.0, targets(make, y), CUTS, s), **given, l2=0.1)
    check_objective(f, gh.L1Ball(8, 0.7))


@pytest.mark.parametrize("intercept", [False, True], ids=["", "intercept"])
@pytest.mark.parametrize(("make", "given"), LOSSES, ids=NAMED)
def test_a_solve_ends_where_that_in_memory_does(make, given, intercept, table):
    X, y, s = table
    y, S = targets(make, y), gh.L1Ball(8, 0.5)
    stop = gh.Gap(1e-10 if given != {"p": 1.5} else 1e-8) | gh.Iterations(400)  # without a Hessian it takes long
    f, g = make(Pieces(X, y, CUTS, s), **given, intercept=intercept), make(X, y, **given, intercept=intercept, sample_weight=s)
    a, b = gh.minimize(f, S, stop=stop), gh.minimize(g, S, stop=stop)
    assert a.converged and b.converged
    assert a.value == pytest.approx(b.value, abs=1e-10 if given != {"p": 1.5} else 1e-8)
    assert a.intercept == pytest.approx(b.intercept, abs=1e-5)
    assert abs(a.value - b.value) <= a.gap + b.gap



def test_how_rows_are_cut_does_not_matter_beyond_rounding(table):
    X, y, _ = table
    S = gh.L1Ball(8, 2.0)
    ways: list[list[int]] = [[], [1], [45], [0, 30, 60]]
    values = [gh.minimize(gh.logistic(Pieces(X, y, cuts)), S, stop=gh.Gap(1e-11)).value for cuts in ways]
    assert np.ptp(values) <= 1e-11


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1e-8, 1.0, 1e6]), st.sampled_from([0.0, 1e4]))
def test_the_allowance_covers_the_rounding_of_value_and_bound(seed, scale, shift):
    """Against exact arithmetic: the gap is at least that of the exact value and the exact gradient."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 40)), int(rng.integers(1, 5))
    X = (rng.standard_normal((n, d)) + shift) * scale
    y = rng.standard_normal(n) * scale
    cuts = sorted(rng.integers(0, n + 1, size=int(rng.integers(0, 4))).tolist())
    f, S = gh.least_squares(Pieces(X, y, cuts)), gh.L1Ball(d, 1.5)
    w = mixture(S, rng, atoms=min(3, 2 * d))
    value, bound = _exactly(X, y, w, S)
    g = f.gradient(w)
    told = f.gradient_dot(w) - min(float(S[j].dot(g)) for j in range(len(S))) + f.rounding(w, S)
    assert Fraction(f.value(w)) - Fraction(told) <= bound
    assert abs(Fraction(f.value(w)) - value) <= Fraction(f.rounding(w, S))


def _exactly(X: Any, y: Any, w: Iterate, S: Any) -> tuple[Fraction, Fraction]:
    """f at the exact point, and the exact lower bound min f over S ≥ f(w) + min ⟨∇f(w), d − w⟩ in fractions."""
    n, d = X.shape
    x = [Fraction(0)] * d
    total = sum(Fraction(a) for a in w.weights.tolist())
    for i, a in enumerate(w.weights.tolist()):
        x[w.block[i].index] += Fraction(a) / total * Fraction(w.block[i].scale)
    rows = [[Fraction(v) for v in row] for row in X.tolist()]
    r = [sum(a * b for a, b in zip(row, x, strict=True)) - Fraction(t) for row, t in zip(rows, y.tolist(), strict=True)]
    value = sum(v * v for v in r) / (2 * n)
    g = [sum(row[j] * v for row, v in zip(rows, r, strict=True)) / n for j in range(d)]
    best = -max(abs(v) for v in g) * Fraction(S.radius)
    return value, value - sum(a * b for a, b in zip(g, x, strict=True)) + best


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n", "d", "radius"), [(500, 20, 1.0), (1000, 100, 3.0)])
def test_trips_are_at_most_three_for_two_newton_steps_and_two(n, d, radius, seed, monkeypatch):
    from greedyhull.solvers.parts import working_set

    steps: list[int] = []
    newton = working_set.newton_step
    monkeypatch.setattr(working_set, "newton_step", lambda *about: steps.append(1) or newton(*about))
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.where(X[:, :5].sum(axis=1) + rng.logistic(size=n) > 0, 1.0, -1.0)
    f = gh.logistic(Pieces(X, y, [n // 3, n // 2]))
    s = gh.minimize(f, gh.L1Ball(d, radius), gh.Corrective(), stop=gh.Relative(1e-8))
    assert s.converged and f.trips <= 1.5 * len(steps) + 2


@pytest.mark.parametrize("S", [gh.L1Ball(30, 3.0), gh.Vertices(np.random.default_rng(0).standard_normal((40, 30)))], ids=repr)
def test_a_saved_run_goes_on_bit_by_bit_from_every_round(S, tmp_path):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 30))
    y = np.where(X[:, :8].sum(axis=1) + rng.logistic(size=300) > 0, 1.0, 0.0)
    make = lambda: gh.logistic(Pieces(X, y, [100, 250]), intercept=True, l2=0.01)
    whole = gh.minimize(make(), S, stop=gh.Relative(1e-10))
    for k in range(1, whole.iterations):
        file = tmp_path / f"{k}.npz"
        gh.minimize(make(), S, stop=gh.Iterations(k), checkpoint=file)
        rest = gh.minimize(make(), S, stop=gh.Relative(1e-10), resume=file)
        assert rest.x.tobytes() == whole.x.tobytes() and rest.gap == whole.gap and rest.iterations == whole.iterations


def many(n: int = 12_000, d: int = 6) -> Any:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, d)) + 0.2
    return X, np.where(X[:, 0] - X[:, 1] + rng.logistic(size=n) > 0.4, 1.0, -1.0)


@pytest.mark.parametrize("storage", ["dense", "sparse", "unsorted"])
def test_early_hessians_come_from_a_sample_of_many_rows(storage):
    X, y = many()
    data = X if storage == "dense" else csr_array(X)
    if storage == "unsorted":
        data.indices[:2], data.data[:2] = data.indices[1::-1].copy(), data.data[1::-1].copy()
        data.has_canonical_format = data.has_sorted_indices = False
    for intercept in (False, True):
        f = gh.logistic(Pieces(data, y, [5000, 5000]), intercept=intercept, l2=0.1)
        g = gh.logistic(X, y, intercept=intercept, l2=0.1)
        w = mixture(gh.L1Ball(6, 1.0), np.random.default_rng(1), atoms=4)
        exact = g.restricted(w.block).hessian(w.copy())
        before = f.trips
        f.value(at := w.copy())
        one, two = f.restricted(w.block).hessian(at, 8), f.restricted(w.block).hessian(w.copy())
        assert f.known(at).sample == 8 and f.trips - before <= 5
        assert two == pytest.approx(exact, rel=1e-9, abs=1e-12)
        assert np.abs(one - exact).max() <= 0.15 * np.abs(exact).max() and not np.array_equal(one, exact)
        few = gh.logistic(Pieces(X[:3000], y[:3000], [500]), intercept=intercept)
        few.restricted(w.block).hessian(at := w.copy(), 8)
        assert few.known(at).sample == 1


def test_a_saved_run_of_many_rows_goes_on_bit_by_bit(tmp_path):
    X, y = many(d=12)
    make = lambda: gh.logistic(Pieces(X, y, [4000, 9000]), intercept=True)
    for S in (gh.L1Ball(12, 2.0), gh.Vertices(np.random.default_rng(2).standard_normal((30, 12)))):
        solver, stop = gh.Corrective(batch=3, steps=1), gh.Relative(1e-10)
        whole = gh.minimize(make(), S, solver, stop=stop)
        assert whole.converged and whole.iterations >= 4
        for k in range(1, whole.iterations):
            gh.minimize(make(), S, solver, stop=gh.Iterations(k), checkpoint=tmp_path / "run.npz")
            rest = gh.minimize(make(), S, solver, stop=stop, resume=tmp_path / "run.npz")
            assert rest.x.tobytes() == whole.x.tobytes() and rest.gap == whole.gap


def test_a_line_takes_three_trips_at_most_and_is_exact(table):
    X, y, _ = table
    f, g, S = gh.logistic(Pieces(X, y, CUTS)), gh.logistic(X, y), gh.L1Ball(8, 3.0)
    for seed in range(10):
        w = mixture(S, np.random.default_rng(seed), atoms=3)
        d = S.atom(f.gradient(w))
        move = w.toward(d)
        line, before = f.along(w, move), f.trips
        there = w.copy()
        exact = g.along(there, there.toward(d))
        found, best = line.argmin(), exact.argmin()
        assert f.trips - before <= 3
        assert found == pytest.approx(best, rel=1e-6, abs=1e-9)
        assert exact.value(found) - exact.value(best) <= 1e-13
        steps = np.linspace(0.0, 1.0, 8)
        before = f.trips
        assert line.probe(steps).values == pytest.approx(exact.probe(steps).values, rel=1e-12)
        assert line.probe(steps).slopes == pytest.approx(exact.probe(steps).slopes, rel=1e-9, abs=1e-12)
        assert f.trips - before == 1  # what was seen is not asked for again
        assert line.bend >= exact.bend * (1 - 1e-12)
        again = f.along(w, move)
        before = f.trips
        step = again.enough()  # type: ignore[attr-defined]
        assert f.trips - before <= 2
        slope, M = -exact.slope, exact.bend
        assert exact.value(0.0) - exact.value(step) >= 0.9 * (slope**2 / (2 * M) if slope <= M else slope - 0.5 * M) - 1e-14


def test_a_step_of_frank_wolfe_takes_three_trips_at_most(table):
    X, y, _ = table
    f = gh.logistic(Pieces(X, y, CUTS), intercept=True)
    f.value(gh.L1Ball(8, 3.0).centre())
    before = f.trips
    s = gh.minimize(f, gh.L1Ball(8, 3.0), gh.FrankWolfe(), stop=gh.Iterations(20))
    assert f.trips - before <= 3 * s.iterations + 3


def test_squares_with_few_columns_take_few_trips(table):
    X, y, s = table
    f = gh.least_squares(Pieces(X, y, CUTS, s), intercept=True)
    solution = gh.minimize(f, gh.L1Ball(8, 1.0), stop=gh.Relative(1e-10))
    # four, or two more where rounding leaves the first round short of the goal
    assert solution.converged and f.trips <= 6 and "XᵀX" in solution.choice
    again = gh.certify(f, gh.L1Ball(8, 1.0), solution.x)
    assert again.value == pytest.approx(solution.value, rel=1e-13) and again.gap <= solution.gap + 1e-12


def test_squares_that_cancel_are_certified_over_the_shards():
    """XᵀX knows nothing of what rounding took from it: the data are nearly collinear, far from zero."""
    rng = np.random.default_rng(3)
    X = 1e6 + rng.standard_normal((200, 3)) * 1e-3
    y = X[:, 0] - X[:, 1]
    f, S = gh.least_squares(Pieces(X, y, [70, 150])), gh.L1Ball(3, 2.0)
    s = gh.minimize(f, S)
    exact = gh.least_squares(X, y)
    assert s.value == pytest.approx(exact.value(s.point.copy()), rel=1e-6, abs=1e-12)
    assert s.value <= s.gap + 1e-18  # the minimum is zero, at (1, −1, 0)


@pytest.mark.parametrize(("radius", "intercept"), [(2.0, False), (2.0, True), (1e3, False)])
def test_squares_under_a_ridge_that_is_all_there_is_do_not_stand_still(radius, intercept):
    """The minimiser is next to the middle of the ball: weights of 1e-18 count, beside one whose last place is 1e-16."""
    rng = np.random.default_rng(0)
    X, y = 1e-6 * rng.standard_normal((300, 20)), rng.standard_normal(300)
    f = gh.least_squares(Pieces(X, y, [100]), l2=1e9, intercept=intercept)
    s = gh.minimize(f, gh.L1Ball(20, radius), stop=gh.Relative(1e-9) | gh.Iterations(30))
    g = gh.least_squares(X, y, l2=1e9, intercept=intercept)
    assert s.converged and s.value == pytest.approx(gh.minimize(g, gh.L1Ball(20, radius)).value, rel=1e-9)


# --- what is wrong is said with its shard --------------------------------------------------------------------------


def bad(change: Any) -> Any:
    rng = np.random.default_rng(0)
    X, y, s = rng.standard_normal((20, 3)), np.where(rng.random(20) < 0.5, -1.0, 1.0), np.ones(20)
    X, y, s = change(X, y, s) or (X, y, s)
    return Pieces(X, y, [8, 8], s)


def put(array: int, where: Any, value: float) -> Any:
    def change(*arrays: Any) -> None:
        arrays[array][where] = value
    return change


@pytest.mark.parametrize(("make", "change", "words"), [
    (gh.logistic, put(0, (10, 1), np.nan), "piece 2 holds nan in row 2, column 1"),
    (gh.logistic, put(0, (3, 0), np.inf), "piece 0 holds inf in row 3"),
    (gh.logistic, put(1, 9, np.nan), "The target of piece 2 is nan in row 1"),
    (gh.logistic, put(1, 9, 3.0), "The target of piece 2 is 3 in row 1; labels must be -1 and [+]1"),
    (gh.logistic, put(1, 9, 0.0), "together -1, 0 and 1"),
    (gh.poisson, put(1, 9, -2.0), "counts must be at least 0"),
    (gh.logistic, put(2, 4, -1.0), "sample_weight of piece 0 is -1 in row 4"),
    (gh.logistic, put(2, slice(None), 0.0), "sample_weight is zero in every row"),
    (gh.least_squares, put(0, (0, 0), 1e200), "piece 0 has entries of up to 1e.200, whose squares overflow"),
    (gh.least_squares, lambda X, y, s: (X, y.astype(str), s), "The target of piece 0 must hold numbers; got dtype"),
    (gh.least_squares, lambda X, y, s: (X.astype(object), y, s), "X of piece 0 must hold numbers; got dtype object"),
    (gh.least_squares, lambda X, y, s: (X[:0], y[:0], s[:0]), "have no rows"),
])
def test_bad_data_are_refused_in_words(make, change, words):
    with pytest.raises(gh.GreedyhullError, match=words):
        gh.minimize(make(bad(change)), gh.Simplex(3))


def test_one_class_and_no_counts_have_no_best_intercept():
    one = bad(put(1, slice(None), 1.0))
    with pytest.raises(gh.GreedyhullError, match="one class only"):
        gh.minimize(gh.logistic(one, intercept=True), gh.Simplex(3))
    none = bad(put(1, slice(None), 0.0))
    with pytest.raises(gh.GreedyhullError, match="All counts are zero"):
        gh.minimize(gh.poisson(none, intercept=True), gh.Simplex(3))


def test_labels_are_the_union_of_those_of_all_shards(table):
    X, _, _ = table
    y = np.r_[np.zeros(50), np.ones(40)]  # each shard has one class
    f = gh.logistic(Pieces(X, y, CUTS), intercept=True)
    g = gh.logistic(X, y, intercept=True)
    S = gh.L1Ball(8, 1.0)
    assert gh.minimize(f, S).value == pytest.approx(gh.minimize(g, S).value, rel=1e-5)


@pytest.mark.parametrize("make", [gh.log_likelihood])
def test_objectives_that_need_all_rows_say_so(make, table):
    X, y, _ = table
    with pytest.raises(gh.GreedyhullError, match="needs all rows in one place"):
        make(Pieces(X, y, CUTS))


def test_arguments_are_checked_as_for_arrays(table):
    X, y, s = table
    data = Pieces(X, y, CUTS)
    with pytest.raises(gh.GreedyhullError, match="delta = -1"):
        gh.huber(data, delta=-1)
    with pytest.raises(gh.GreedyhullError, match="l2"):
        gh.logistic(data, l2=-1.0)
    with pytest.raises(gh.GreedyhullError, match="come with the shards"):
        gh.logistic(data, y)
    with pytest.raises(gh.GreedyhullError, match="come with the shards"):
        gh.logistic(data, sample_weight=s)
    with pytest.raises(TypeError):
        gh.logistic(X)


# --- loads, checkpoints ---------------------------------------------------------------------------------------------


def test_shards_that_fit_are_loaded_once_and_others_each_time(table):
    from greedyhull.remote.executors import Serial

    X, y, _ = table
    S, one = gh.L1Ball(8, 2.0), 50 * 8 * 8 + 50 * 8
    data = Pieces(X, y, CUTS)
    gh.minimize(gh.logistic(data), S)
    assert data.loads == 3
    data = Pieces(X.copy(), y.copy(), CUTS)
    f = gh.logistic(data).on(Serial(room=one))
    gh.minimize(f, S)
    assert data.loads == f.trips + 2  # the first and the empty one stay, the last does not fit


def test_a_saved_run_goes_on_bit_by_bit_and_says_when_a_shard_has_changed(table, tmp_path):
    X, y, _ = table
    S, stop, file = gh.L1Ball(8, 2.0), gh.Relative(1e-9), tmp_path / "run.npz"
    whole = gh.minimize(gh.logistic(Pieces(X, y, CUTS), intercept=True), S, stop=stop)
    gh.minimize(gh.logistic(Pieces(X, y, CUTS), intercept=True), S, stop=gh.Iterations(2), checkpoint=file)
    rest = gh.minimize(gh.logistic(Pieces(X, y, CUTS), intercept=True), S, stop=stop, resume=file)
    assert rest.x.tobytes() == whole.x.tobytes() and rest.value == whole.value and rest.iterations == whole.iterations
    with pytest.warns(gh.GreedyhullWarning, match="piece 2"):
        other = gh.minimize(gh.logistic(Pieces(X[:80], y[:80], CUTS), intercept=True), S, stop=stop, resume=file)
    assert other.converged


# --- by samples -----------------------------------------------------------------------------------------------------


def test_a_batch_is_fetched_in_one_trip_and_its_mean_is_f(table):
    X, y, s = table
    for data in (X, csr_array(X)):
        f, g = gh.logistic(Pieces(data, y, CUTS, s)), gh.logistic(X, y, sample_weight=s)
        x, before = np.linspace(-0.3, 0.4, 8), f.trips
        index = np.array([80, 3, 3, 49, 50])
        assert f.n == 90
        before = f.trips
        batch = f.batch(index)
        assert batch.gradient(x) == pytest.approx(g.batch(index).gradient(x), rel=1e-12)
        assert f.trips == before + 1
        mean = np.mean([f.batch(np.array([i])).gradient(x) for i in range(90)], axis=0)
        assert mean == pytest.approx(f.everything().gradient(x), rel=1e-10)


def test_rows_are_drawn_from_all_shards_alike(table):
    X, y, _ = table
    f = gh.least_squares(Pieces(X, y, [80, 80]))
    from greedyhull.objectives.minibatches import source_of

    source = source_of(f, np.random.default_rng(0))
    drawn = np.concatenate([source.draw(8).index for _ in range(200)])
    share = float((drawn >= 80).mean())
    assert abs(share - 10 / 90) <= 4 * np.sqrt(share * (1 - share) / 1600)  # not eight rows of one shard at a time


@pytest.mark.parametrize(("n", "d"), [(32, 50), (100, 200)])
def test_a_start_at_zero_does_not_hide_the_hessian_of_its_coordinate(n, d):
    """The middle of an l1 ball is kept as 0·e_j; where e_j joins, its Hessian is no multiple of that atom's."""
    X = np.random.default_rng(0).standard_normal((n, d))
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    s = gh.minimize(gh.logistic(Pieces(X, y, [8, 16, 24])), gh.L1Ball(d, 10.0), stop=gh.Relative(1e-6))
    assert s.converged and s.iterations <= 10


def test_atoms_that_are_zero_tell_nothing_and_cost_nothing():
    from greedyhull.objectives.expansion import among
    from greedyhull.points.shapes import BasisBlock
    from greedyhull.points.views import Expansion

    H = np.array([[4.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 9.0]])
    known = Expansion(0.0, np.zeros(3), 0.0, {}, H, BasisBlock(3, [0, 0, 2], [2.0, 0.0, 3.0]))
    assert np.array_equal(among(known, BasisBlock(3, [2, 0, 1], [1.0, 1.0, 0.0])),
                          [[1.0, 1.0 / 6.0, 0.0], [1.0 / 6.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    assert among(known._replace(block=BasisBlock(3, [0, 1, 2], [0.0, 0.0, 0.0])), BasisBlock(3, [0], [1.0])) is None
