"""Losses with kinks over shards: the same minimum, bounds that hold, the same bits whoever computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pieces import Pieces
from scipy.sparse import csr_array

import greedyhull as gh
from greedyhull.testing.expect import mixture

LOSSES: list[tuple[Any, dict[str, Any]]] = [(gh.hinge, {}), (gh.absolute, {}), (gh.quantile, {"q": 0.3}),
                                            (gh.epsilon_insensitive, {"epsilon": 0.2})]
NAMED = [make.__name__ for make, _ in LOSSES]
CUTS = [50, 50]


@pytest.mark.parametrize("storage", ["dense", "sparse", "float32"])
@pytest.mark.parametrize(("make", "given"), LOSSES, ids=NAMED)
def test_a_solve_ends_where_that_in_memory_does(make, given, storage, table):
    X, y, s = table
    X = {"dense": X, "sparse": csr_array(X * (np.abs(X) > 0.5)), "float32": X.astype(np.float32)}[storage]
    whole = X.toarray() if storage == "sparse" else X.astype(np.float64)
    for l2, radius in ((0.0, 0.5), (0.1, 3.0)):
        f, S = make(Pieces(X, y, CUTS, s), **given, l2=l2), gh.L1Ball(8, radius)
        g = make(whole, y, **given, l2=l2, sample_weight=s)
        a, b = (gh.minimize(one, S, stop=gh.Relative(1e-5) | gh.Iterations(60)) for one in (f, g))
        best = gh.minimize(g, S, stop=gh.Relative(1e-10)).value
        assert a.converged and a.certificate.kind == "always" and "Smoothed" in a.choice
        assert a.value - a.gap <= best <= a.value * (1 + 1e-12)
        assert a.value == pytest.approx(g.value(a.point.copy()), rel=1e-12)
        assert abs(a.value - b.value) <= a.gap + b.gap


@pytest.mark.parametrize(("make", "given"), LOSSES, ids=NAMED)
def test_value_and_subgradient_are_those_of_all_rows(make, given, table):
    X, y, s = table
    f, g, S = make(Pieces(X, y, CUTS, s), **given), make(X, y, **given, sample_weight=s), gh.L1Ball(8, 0.7)
    w = mixture(S, np.random.default_rng(1), atoms=4)
    assert f.value(w) == pytest.approx(g.value(w.copy()), rel=1e-12)
    assert f.gradient(w) == pytest.approx(g.gradient(w.copy()), rel=1e-9, abs=1e-11)
    assert not f.traits.smooth and f.scale == pytest.approx(g.scale, rel=1e-12)


def test_any_point_can_be_certified(table):
    X, y, _ = table
    f, g, S = gh.absolute(Pieces(X, y, CUTS)), gh.absolute(X, y), gh.L1Ball(8, 1.0)
    s = gh.minimize(g, S, stop=gh.Relative(1e-9))
    c = gh.certify(f, S, s.x)
    assert c.value == pytest.approx(s.value, rel=1e-12) and c.lower <= s.value and c.gap <= 1e-3 * s.value


def test_processes_give_the_same_point(table):
    X, y, s = table
    f, S, stop = gh.hinge(Pieces(X, y, CUTS, s)), gh.L1Ball(8, 1.5), gh.Relative(1e-4) | gh.Iterations(6)
    alone = gh.minimize(f, S, stop=stop)
    with gh.processes(2) as crew:
        other = gh.minimize(f.on(crew), S, stop=stop)
    assert other.x.tobytes() == alone.x.tobytes() and other.gap == alone.gap


def test_a_saved_run_goes_on_bit_by_bit(table, tmp_path):
    X, y, _ = table
    S, stop, file = gh.L1Ball(8, 1.0), gh.Relative(1e-6), tmp_path / "run.npz"
    make = lambda: gh.quantile(Pieces(X, y, CUTS), q=0.3)
    whole = gh.minimize(make(), S, stop=stop)
    for k in range(1, whole.iterations):
        gh.minimize(make(), S, stop=gh.Iterations(k), checkpoint=file)
        rest = gh.minimize(make(), S, stop=stop, resume=file)
        assert rest.x.tobytes() == whole.x.tobytes() and rest.gap == whole.gap and rest.iterations == whole.iterations


def test_f_is_seldom_asked_itself(table):
    """Its value comes with that of the smoothed loss: of a run, only the first point and searches along lines ask for it."""
    X, y, _ = table
    f = gh.hinge(Pieces(X, y, CUTS), l2=0.1)
    kinds: list[float] = []
    inner = f.crew.map
    assert f.n == 90
    f.crew.map = lambda task, bundles: (kinds.append(task.part.kind.mu), inner(task, bundles))[1]
    s = gh.minimize(f, gh.L1Ball(8, 1.5), stop=gh.Relative(1e-4))
    assert s.converged and kinds.count(0.0) <= 4 * s.iterations + 2 and len(kinds) > kinds.count(0.0)


# --- with an intercept ----------------------------------------------------------------------------------------------


def many(make: Any, n: int = 600, d: int = 6) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, d)) + 0.3
    z = X[:, :3].sum(axis=1)
    y = np.where(z + rng.logistic(size=n) > 1.5, 1.0, -1.0) if make is gh.hinge else z + 3.0 + rng.standard_t(3, size=n)
    return X, y, rng.random(n) * (rng.random(n) < 0.9)


@pytest.mark.parametrize("storage", ["dense", "sparse"])
@pytest.mark.parametrize(("make", "given"), LOSSES, ids=NAMED)
def test_an_intercept_is_found_as_in_memory(make, given, storage):
    X, y, s = many(make)
    data = csr_array(X) if storage == "sparse" else X
    for l2, radius in ((0.0, 1.5), (0.1, 3.0)):
        f, S = make(Pieces(data, y, [200, 200], s), **given, intercept=True, l2=l2), gh.L1Ball(6, radius)
        g = make(X, y, **given, intercept=True, l2=l2, sample_weight=s)
        a, b = gh.minimize(f, S, stop=gh.Relative(1e-4)), gh.minimize(g, S, stop=gh.Relative(1e-8))
        assert a.converged and a.certificate.kind == "always"
        assert a.value - a.gap <= b.value and b.value - b.gap <= a.value * (1 + 1e-12)
        there = g.exact.loss.value(X @ a.x + a.intercept) + 0.5 * l2 * float(a.x @ a.x)
        assert a.value == pytest.approx(there, rel=1e-11) and f.trips <= 200
        assert f.scale == pytest.approx(g.scale, rel=1e-9)


@pytest.mark.parametrize("far", [0.0, 1e-4, 0.3, 5.0])
@pytest.mark.parametrize(("make", "given"), LOSSES, ids=NAMED)
def test_a_bound_with_any_intercept_and_any_smoothing_is_below_the_minimum(make, given, far):
    X, y, _ = many(make, n=80, d=3)
    f, g, S = make(Pieces(X, y, [30, 30]), **given, intercept=True), make(X, y, **given, intercept=True), gh.L1Ball(3, 0.8)
    least = gh.minimize(g, S, stop=gh.Relative(1e-10)).value
    for seed, mu in enumerate((1e-9, 1e-3, 1.0)):
        w = mixture(S, np.random.default_rng(seed), atoms=3)
        near = f.known(w).near
        view = f.at(w)
        view.known, view.here = None, True
        view.near = np.concatenate([[mu, near[1] + far], near[2:4], [2.0 * far * mu], near[5:]])
        assert f.intercept(w) == near[1] + far
        assert f.value(w) == pytest.approx(g.exact.loss.value(X @ view.x + f.intercept(w)), rel=1e-12)
        gap = f.gradient_dot(w) - min(float(S[j].dot(f.gradient(w))) for j in range(len(S))) + f.rounding(w, S)
        assert f.value(w) - gap <= least
        soft = f.smoothed(mu)
        v = w.copy()
        bound = f.value(v) - soft.smoothing_error(v, S) - soft.gradient_dot(v) + min(
            float(S[j].dot(soft.gradient(v))) for j in range(len(S))) - f.rounding(v, S)
        assert bound <= least


def test_a_point_with_an_intercept_can_be_certified():
    X, y, _ = many(gh.absolute)
    f, g, S = (make(gh.absolute) for make in (lambda m: m(Pieces(X, y, [100]), intercept=True),
                                              lambda m: m(X, y, intercept=True), lambda m: gh.L1Ball(6, 2.0)))
    s = gh.minimize(g, S, stop=gh.Relative(1e-7))
    c = gh.certify(f, S, s.x)
    assert c.value == pytest.approx(s.value, rel=1e-9) and c.lower <= s.value and c.gap <= 1e-3 * s.value


def test_a_saved_run_with_an_intercept_goes_on_bit_by_bit_and_so_do_processes(tmp_path):
    X, y, _ = many(gh.quantile)
    S, stop, file = gh.L1Ball(6, 2.0), gh.Relative(1e-5), tmp_path / "run.npz"
    make = lambda: gh.quantile(Pieces(X, y, [100, 400]), q=0.3, intercept=True)
    whole = gh.minimize(make(), S, stop=stop)
    assert whole.converged
    for k in range(1, whole.iterations):
        gh.minimize(make(), S, stop=gh.Iterations(k), checkpoint=file)
        rest = gh.minimize(make(), S, stop=stop, resume=file)
        assert rest.x.tobytes() == whole.x.tobytes() and rest.gap == whole.gap and rest.value == whole.value
        assert rest.intercept == whole.intercept
    with gh.processes(2) as crew:
        other = gh.minimize(make().on(crew), S, stop=stop)
    assert other.x.tobytes() == whole.x.tobytes() and other.gap == whole.gap and other.intercept == whole.intercept


@pytest.mark.parametrize(("make", "y"), [(gh.absolute, [2.0]), (gh.absolute, [2.0, 2.0, 2.0]), (gh.hinge, [1.0, -1.0, 1.0]),
                                         (gh.absolute, [1e6, -1e6, 3e6])])
def test_few_rows_and_equal_ones(make, y):
    y = np.array(y)
    for X in (np.ones((len(y), 1)), np.zeros((len(y), 2)), np.arange(2.0 * len(y)).reshape(-1, 2)):
        S = gh.Simplex(X.shape[1])
        a = gh.minimize(make(Pieces(X, y, [1]), intercept=True), S, stop=gh.Relative(1e-6) | gh.Iterations(30))
        b = gh.minimize(make(X, y, intercept=True), S, stop=gh.Relative(1e-9) | gh.Iterations(100))
        assert a.value - a.gap <= b.value + 1e-9 and a.value <= b.value + b.gap + 1e-5 * b.value + 1e-9


def test_one_class_is_refused_as_in_memory(table):
    X, y, _ = table
    with pytest.raises(gh.GreedyhullError, match="one class only"):
        gh.minimize(gh.hinge(Pieces(X, np.abs(y), CUTS), intercept=True), gh.Simplex(8))


@pytest.mark.parametrize(("make", "given"), LOSSES, ids=NAMED)
def test_what_was_solved_before_changes_nothing(make, given, table):
    X, y, s = table
    data, S, stop = Pieces(X, y, CUTS, s), gh.L1Ball(8, 0.3), gh.Relative(1e-5) | gh.Iterations(40)
    f = make(data, **given, intercept=True)
    first, again = (gh.minimize(f, S, stop=stop) for _ in range(2))
    assert again.x.tobytes() == first.x.tobytes() and again.gap == first.gap and again.iterations == first.iterations
