"""f_μ of one solve: what smoothing costs the certificate, the intercept's part included."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.objectives.smoothing import Smoothing
from greedyhull.points.iterate import Iterate

S, LEAST = gh.L1Ball(2, 0.5), 0.625  # at (0, ½) the residuals are 0, ½ and 2½; the weighted median ½ is the intercept


def problem(base: float) -> Any:
    """Targets far from zero: the intercept is known to the last digit only, which is more than a small μ can bear."""
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), base + np.array([0.0, 1.0, 3.0])
    return gh.absolute(X, y, sample_weight=[0.45, 0.35, 0.2], intercept=True)


@pytest.mark.parametrize("base", [0.0, 1e3, -1e6, 1e6, 1e8])
@pytest.mark.parametrize("mu", [1.0, 1e-3, 1e-6, 1e-9, 1e-12])
def test_what_is_left_of_the_residuals_sum_is_part_of_the_cost(base: float, mu: float) -> None:
    f = problem(base)
    for d in (gh.Basis(0, 0.5), gh.Basis(1, 0.5), gh.Basis(1, -0.5)):
        w = Iterate.at(d, (2,))
        f.at(w)
        soft = Smoothing(f, mu)
        g = soft.gradient(w)
        lower = f.value(w) - soft.smoothing_error(w, S) - (soft.gradient_dot(w) - S.argmin(g).dot(g))
        assert lower - f.rounding(w, S) <= LEAST


@pytest.mark.parametrize("base", [0.0, 1e6, 1e8])
@pytest.mark.parametrize("mu", [None, 1e-9, 1e-12])
def test_no_lower_bound_of_a_run_lies_above_the_minimum(base: float, mu: float | None) -> None:
    f, seen = problem(base), list[Any]()
    s = gh.minimize(f, S, gh.Smoothed(mu=mu), stop=gh.Iterations(20), watch=seen.append)
    assert max(event.lower for event in seen) <= LEAST and s.certificate.lower <= LEAST
    assert gh.certify(f, S, s.point).lower <= LEAST


@pytest.mark.parametrize("mu", [1.0, 0.1, 0.01])
def test_the_cost_of_smoothing_by_its_formula(mu: float) -> None:
    """φ(z) + φ*(r) − ⟨r, z⟩ = f − f_μ − (μ/2) Σ pᵢaᵢ² for r = pa: between 0 and μ/2."""
    f, p = problem(0.0), np.array([0.45, 0.35, 0.2])
    for d in (gh.Basis(0, 0.5), gh.Basis(1, 0.5), gh.Basis(1, -0.5)):
        w = Iterate.at(d, (2,))
        f.at(w)
        soft = Smoothing(f, mu)
        blur, squares = soft.smoothing_error(w, S), float((soft.residual(w) ** 2 / p).sum())
        assert -1e-15 <= blur <= mu / 2 + 1e-15
        assert blur == pytest.approx(f.value(w) - soft.value(w) - 0.5 * mu * squares, abs=1e-15)


@pytest.mark.parametrize("seen", ["nothing", "a line", "a value ahead"])
def test_it_does_not_matter_which_of_the_two_views_moves_first(seen: str) -> None:
    """f and f_μ share z: whichever is told of a move first, both are what they are at the new point."""
    for step in (1.0, 0.3):
        points = []
        for order in (1, -1):
            f, w = problem(0.0), Iterate.at(gh.Basis(0, 0.5), (2,))
            soft = Smoothing(f, 0.1)
            soft.gradient(w), f.value(w)
            w.views = dict(list(w.views.items())[::order])
            move = w.toward(gh.Basis(1, 0.5))
            if seen == "a line":
                soft.along(w, move).argmin()
            if seen == "a value ahead":
                soft.at(w).ahead(move, step, soft.loss)
            w.move(move, step)
            fresh = w.copy()
            assert f.value(w) == pytest.approx(f.value(fresh), rel=1e-14)
            assert soft.value(w) == pytest.approx(soft.value(fresh), rel=1e-14)
            np.testing.assert_allclose(soft.gradient(w), soft.gradient(fresh), atol=1e-15)
            points.append((f.value(w), soft.value(w), *soft.gradient(w), f.moves(w)))
        assert points[0] == points[1]
