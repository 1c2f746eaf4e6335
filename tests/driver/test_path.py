"""Paths over radii: the same answers as single solves, in the order asked for."""

import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

import greedyhull as gh


@pytest.fixture
def f():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 12))
    return gh.least_squares(X, X[:, 0] * 3 - X[:, 4] + 0.1 * rng.standard_normal(40))


@pytest.mark.parametrize("S", [gh.L1Ball(12, 1.0), gh.L2Ball(12, 1.0), gh.LinfBall(12, 1.0), gh.CappedSimplex(12, 1.0),
                               gh.Simplex(12), gh.L2Ball(12, 1.0, centre=np.full(12, 0.2)),
                               gh.L1Ball(12, 1.0, weights=np.linspace(1, 2, 12))], ids=repr)
def test_each_point_is_what_a_single_solve_finds(f, S):
    radii = [2.0, 0.3, 5.0, 1.0]
    stop = gh.Relative(1e-7) | gh.Iterations(3000)
    for r, s in zip(radii, gh.path(f, S, radii, stop=stop), strict=True):
        alone = gh.minimize(f, S.rescaled(r), stop=stop)
        assert s.atom_set.radius == r and s.converged
        assert abs(s.value - alone.value) <= s.gap + alone.gap


def test_a_path_asks_for_less_work_than_single_solves(f):
    radii = np.linspace(0.5, 4.0, 20)
    solver, stop = gh.BlendedPairwise(), gh.Relative(1e-6)
    warm = sum(s.iterations for s in gh.path(f, gh.L1Ball(12, 1.0), radii, solver, stop=stop))
    cold = sum(gh.minimize(f, gh.L1Ball(12, r), solver, stop=stop).iterations for r in radii)
    assert warm < cold


@pytest.mark.parametrize("radii", [[], [0.0], [-1.0, 2.0], [np.inf]])
def test_radii_that_are_none_are_refused(f, radii):
    with pytest.raises(gh.GreedyhullError, match="radii"):
        gh.path(f, gh.L1Ball(12, 1.0), radii)


def test_a_set_without_a_radius_is_refused(f):
    with pytest.raises(gh.GreedyhullError, match="radius"):
        gh.path(f, gh.Box(np.zeros(12), np.ones(12)), [1.0, 2.0])


def test_ctrl_c_ends_the_whole_path(f, monkeypatch):
    from greedyhull.driver import path as home

    solved = []

    def interrupted(*args, **kwargs):
        solved.append(gh.minimize(*args, **kwargs))
        return solved[-1] if len(solved) < 2 else replace(solved[-1], reason="Interrupted with a gap of 1.")

    monkeypatch.setattr(home, "minimize", interrupted)
    with pytest.raises(KeyboardInterrupt):
        gh.path(f, gh.L1Ball(12, 1.0), [0.5, 1.0, 2.0, 3.0], gh.Corrective())  # a run for each radius
    assert len(solved) == 2


@pytest.mark.parametrize("S", [gh.L1Ball(11, 1.0), gh.L1Ball(13, 1.0), gh.CappedSimplex(3, 1.0),
                               gh.L1Ball(1, 1.0, weights=[2.0])], ids=repr)
def test_a_set_of_another_dimension_is_refused(f, S):
    """Points of the core were once solutions over such sets."""
    with pytest.raises(gh.GreedyhullError, match="shape"):
        gh.path(f, S, [1.0, 2.0])


@pytest.mark.parametrize("given, words", [({"seed": "a"}, "seed"), ({"seed": -1}, "seed"), ({"stop": 5}, "stop")], ids=repr)
def test_other_arguments_are_checked_whoever_solves(f, given, words):
    with pytest.raises(gh.GreedyhullError, match=words):
        gh.path(f, gh.L1Ball(12, 1.0), [1.0, 2.0], **given)


def test_swapped_arguments_get_a_sentence(f):
    with pytest.raises(gh.GreedyhullError):
        gh.path(gh.L1Ball(12, 1.0), f, [1.0, 2.0])


class Pressed(gh.Gap):
    """Ctrl-C comes in the very look that meets the stop."""

    def __call__(self, event):
        time.sleep(0.02)
        if event.iteration < 3:
            return None
        signal.raise_signal(signal.SIGINT)
        return "Enough."


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals reach the main thread only")
def test_ctrl_c_at_the_last_look_is_not_lost(f):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        s = gh.minimize(f, gh.L1Ball(12, 1.0), gh.FrankWolfe(), stop=Pressed(0.0))
        assert s.reason == "Enough. Ctrl-C was pressed meanwhile."
        with pytest.raises(KeyboardInterrupt):
            gh.path(f, gh.L1Ball(12, 1.0), [0.5, 1.0], gh.FrankWolfe(), stop=Pressed(0.0))
    finally:
        signal.signal(signal.SIGINT, before)
