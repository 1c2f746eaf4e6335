"""Paths over radii: the same answers as single solves, in the order asked for."""

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
