"""Rounds in coordinates go on where the quadratic of a round cannot be solved."""

import numpy as np

import greedyhull as gh
from greedyhull.atoms.grouped_simplex import GroupedRegion


def test_a_quadratic_that_is_not_solved_leaves_a_frank_wolfe_step(monkeypatch):
    rng = np.random.default_rng(0)
    f = gh.least_squares(rng.standard_normal((30, 8)), rng.standard_normal(30))
    S = gh.GroupedSimplex([0, 1] * 4, group_upper=0.7)
    best = gh.minimize(f, S, stop=gh.Gap(1e-9)).value
    monkeypatch.setattr(GroupedRegion, "solve", lambda self, H, grad, y, tol: y)
    s = gh.minimize(f, S, gh.Corrective(), stop=gh.Iterations(200))
    assert s.value - best <= s.gap <= 0.05 * (s.trace.value[0] - best)
