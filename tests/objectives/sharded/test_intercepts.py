"""Intercepts are found in few trips, from any prediction, and what is known of their error is true."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pieces import Pieces

import greedyhull as gh
from greedyhull.objectives.losses.smooth import Huber, Logistic, Poisson, Power, Squared, SquaredHinge
from greedyhull.remote.intercepts import InterceptModel, settled
from greedyhull.testing.expect import mixture


def asking(slope: Any, curve: Any) -> tuple[Any, list[float]]:
    """A question about a function of b alone, and where it was asked."""
    asked: list[float] = []

    def ask(b: float, off: float, beside: Any) -> dict[str, Any]:
        asked.append(b)
        with np.errstate(all="ignore"):
            more = {} if beside is None else {"beside": np.array([[slope(b + step), curve(b + step)] for step in beside])}
        return {"residual": np.array(slope(b)), "curve": np.array(curve(b)), "steady": np.array(curve(b)),
                "spread": np.array(1.0), "square": np.array(1e-4), "value": np.array(1.0), "size": np.array(1.0), **more}

    return ask, asked


@pytest.mark.parametrize("root", [-5.0, -0.3, 0.0, 1e-9, 2.0])
@pytest.mark.parametrize("first", [-3.0, 0.0, 0.5])
def test_the_best_intercept_is_found_from_anywhere(root, first):
    for slope, curve in ((np.tanh, lambda t: 1.0 - np.tanh(t) ** 2), (np.expm1, np.exp),
                         (lambda t: np.clip(t, -1.0, 1.0), lambda t: float(abs(t) < 1.0))):
        ask, asked = asking(lambda b, of=slope: float(of(b - root)), lambda b, of=curve: float(of(b - root)))
        found = settled(ask, first, 10)
        assert found.b == pytest.approx(root, abs=2e-9) and len(asked) <= 12


def test_a_close_prediction_takes_two_trips():
    ask, asked = asking(lambda b: float(np.tanh(b - 0.3)), lambda b: float(1.0 / np.cosh(b - 0.3) ** 2))
    assert settled(ask, 0.25, 10).b == pytest.approx(0.3, abs=2e-9) and len(asked) == 2


def test_a_prediction_that_is_good_enough_for_the_step_takes_one_trip():
    """A better intercept could gain 1e-6 where the step has brought 0.1; where it has brought nothing, one is searched for."""
    for value, trips in ((1.1, 1), (1.0, 2)):
        ask, asked = asking(lambda b: float(np.tanh(b - 0.3)), lambda b: float(1.0 / np.cosh(b - 0.3) ** 2))
        settled(ask, 0.301, 10, InterceptModel(0.2, value, 0.0, 0.0, 0.301, np.zeros(1)))
        assert len(asked) == trips


SLOPED = [Squared(np.array([1.0, -2.0]), 0.5), Huber(np.array([0.3, 5.0]), 0.5, 1.2), SquaredHinge(np.array([1.0, -1.0]), 0.5),
          Logistic(np.array([1.0, -1.0]), 0.5), Poisson(np.array([0.0, 3.0]), 0.5), Power(np.array([1.0, -1.0]), 0.5, 3.0),
          Power(np.array([1.0, -1.0]), 0.5, 1.5), Power(np.array([1.0, -1.0]), 0.5, 2.0)]


@pytest.mark.parametrize("loss", SLOPED, ids=repr)
def test_slopes_that_move_by_their_curvature_cost_no_more_than_said(loss):
    """φ(z') − ⟨r + tc̃, z'⟩ is nowhere below φ(z) − ⟨r + tc̃, z⟩ − sway·Σc̃, and close to that somewhere."""
    rng, wide, tight = np.random.default_rng(0), np.linspace(-12.0, 12.0, 4001), 0
    for _ in range(60):
        off = float(10.0 ** rng.uniform(-3, -0.2))
        t, z = off * rng.uniform(-1.0, 1.0), rng.normal(size=2) * 2.0
        value, r, c = loss.value_gradient_curvature(z)
        steady = loss.steady(z, c, off)
        s, most = r + t * steady, loss.sway(t, off) * float(steady.sum())
        least = 0.0
        for i in range(2):
            fine = z[i] + np.linspace(-3.0 * off, 3.0 * off, 2001)
            one = loss.on(np.array([i]))
            at = np.concatenate([wide, fine])
            terms = np.array([loss.p * one.terms(np.array([v]))[0] for v in at]) - s[i] * at
            least += float(terms.min())
        dual = value - float(s @ z) - most
        assert dual <= least + 1e-12
        tight += most > 0.0 and least - dual <= 0.5 * most
    assert tight >= 20


def test_moves_beyond_what_was_expected_have_no_bound():
    for loss in SLOPED[1:3] + SLOPED[5:7]:
        assert loss.sway(0.2, 0.1) == np.inf > loss.sway(0.1, 0.1)
    assert SLOPED[3].sway(1.0, 9.0) == SLOPED[4].sway(-1.0, 9.0) == np.inf


@pytest.mark.parametrize("make", [gh.logistic, gh.poisson, gh.huber, gh.squared_hinge], ids=lambda make: make.__name__)
@pytest.mark.parametrize("far", [0.0, 1e-3, 0.1, 2.0])
def test_a_bound_with_any_intercept_is_below_the_minimum(make, far):
    """The intercept is put off by force; value − gap must stay below the least value, and value be that at (x, b)."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((80, 4)) + 0.5
    y = X[:, 0] + rng.normal(size=80)
    y = {gh.poisson: np.round(np.exp(0.3 * y)), gh.huber: 4.0 * y}.get(make, np.where(y > 0.3, 1.0, -1.0))
    f, g, S = make(Pieces(X, y, [30, 30]), intercept=True), make(X, y, intercept=True), gh.L1Ball(4, 0.8)
    least = gh.minimize(g, S, stop=gh.Gap(1e-12) | gh.Iterations(500)).value
    for seed in range(5):
        w = mixture(S, np.random.default_rng(seed), atoms=3)
        near = InterceptModel.read(f.known(w).near)
        view = f.at(w)
        view.known, view.here, view.near = None, True, near._replace(b=near.b + far, off=2.0 * far).written()
        assert f.intercept(w) == near.b + far
        assert f.value(w) == pytest.approx(g.exact.loss.value(X @ view.x + f.intercept(w)), rel=1e-12)
        gap = f.gradient_dot(w) - min(float(S[j].dot(f.gradient(w))) for j in range(len(S))) + f.rounding(w, S)
        assert f.value(w) - gap <= least + 1e-12
        if far == 1e-3:  # second order: what is lost is no more than what the best intercept would gain, about
            exact = g.gradient_dot(w.copy()) - min(float(S[j].dot(g.gradient(w.copy()))) for j in range(len(S)))
            assert gap <= exact + 3e-4


def test_an_intercept_that_is_all_that_is_wrong_is_looked_at_again():
    """At a corner that stays the best point whatever b is, no step of x would ever bring the gap down."""
    rng = np.random.default_rng(0)
    X = np.c_[rng.standard_normal(200) + 3.0, 0.01 * rng.standard_normal(200)]
    y = np.where(rng.random(200) < 0.8, 1.0, -1.0)
    y[:80] = np.where(X[:80, 0] > 3.0, 1.0, -1.0)
    f = gh.logistic(Pieces(X, y, [70, 150]), intercept=True)
    for solver in (gh.Corrective(), gh.FrankWolfe(), gh.BlendedPairwise()):
        s = gh.minimize(f, gh.L1Ball(2, 0.2), solver, stop=gh.Gap(1e-12) | gh.Iterations(60))
        assert s.converged, s.reason


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n", "d", "radius"), [(500, 20, 1.0), (1000, 100, 3.0), (2000, 30, 50.0)])
@pytest.mark.parametrize("make", [gh.logistic, gh.poisson], ids=lambda make: make.__name__)
def test_trips_are_as_few_as_without_an_intercept(make, n, d, radius, seed, monkeypatch):
    from greedyhull.solvers.parts import working_set

    steps: list[int] = []
    newton = working_set.newton_step
    monkeypatch.setattr(working_set, "newton_step", lambda *about: steps.append(1) or newton(*about))
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + 0.3
    y = np.where(X[:, :5].sum(axis=1) + rng.logistic(size=n) > 1.0, 1.0, -1.0)
    if make is gh.poisson:
        X = X / 4.0
        y = rng.poisson(np.exp(X[:, :5].sum(axis=1) - 0.5)).astype(np.float64)
    f, S = make(Pieces(X, y, [n // 3, n // 2]), intercept=True), gh.L1Ball(d, radius)
    s = gh.minimize(f, S, gh.Corrective(), stop=gh.Relative(1e-8))
    whole = gh.minimize(make(X, y, intercept=True), S, stop=gh.Relative(1e-8))
    assert s.converged and f.trips <= 1.5 * len(steps) + 2
    assert abs(s.value - whole.value) <= s.gap + whole.gap


def test_intercepts_are_found_where_losses_overflow_or_have_no_curvature():
    """e^z is infinite at the first guess; and of targets of 1e4 with δ = 0.5 hardly a row has curvature."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 2)) * 300.0
    for make, y in ((gh.poisson, rng.poisson(2.0, 60).astype(np.float64)), (gh.huber, 1e4 * rng.standard_t(2, 60))):
        f, g, S = make(Pieces(X, y, [20]), intercept=True), make(X, y, intercept=True), gh.Simplex(2)
        x = np.array([1.0, 0.0])
        value = g.value(gh.Simplex(2).decompose(x))
        assert f.value(S.decompose(x)) == pytest.approx(value, rel=1e-9) and f.trips <= 25
        s, whole = gh.minimize(f, S, stop=gh.Relative(1e-6)), gh.minimize(g, S, stop=gh.Relative(1e-9))
        assert s.value - s.gap <= whole.value <= s.value * (1 + 1e-9) and s.value <= whole.value * (1 + 1e-5)


def test_a_line_that_overflows_at_once_is_followed_a_little():
    X = np.array([[1e5, 0.0], [-1e5, 1.0], [3.0, 2.0]])
    f = gh.poisson(Pieces(X, np.array([1.0, 2.0, 3.0]), [1]))
    w = gh.L1Ball(2, 1.0).centre()
    line = f.along(w, w.toward(gh.L1Ball(2, 1.0)[0]))
    step = line.argmin()
    assert np.isfinite(line.value(step))
