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


def test_an_intercept_is_refused_in_words(table):
    X, y, _ = table
    with pytest.raises(gh.GreedyhullError, match="add a constant column"):
        gh.hinge(Pieces(X, y, CUTS), intercept=True)
