"""Oracles that answer as badly as they may: every point stays in the hull, and no certificate is false."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.atoms.base import OracleBase
from greedyhull.atoms.wrapped import Wrapped
from greedyhull.types import Answer

RNG = np.random.default_rng(7)
X, Y = RNG.standard_normal((20, 6)), RNG.standard_normal(20)
SQUARES, KINKS, CURVES = gh.least_squares(X, Y), gh.absolute(X, Y), gh.logistic(X, np.sign(Y))
SFW, RSFW = gh.StochasticFrankWolfe, gh.RegularizedStochasticFrankWolfe


class Fickle(Wrapped):
    """Answers with an atom of its own choice, uphill as likely as down, and owns up to what that costs."""

    def oracle(self, rng: np.random.Generator) -> Any:
        inner, S = self.S.oracle(rng), self.S

        class Working(OracleBase):
            def argmin(self, g: Any, tol: float = 0.0, enough: float = -np.inf) -> Answer:
                best, other = inner.argmin(g).atom, S.argmin(rng.standard_normal(S.shape))
                slack = other.dot(g) - best.dot(g)
                return Answer(other, max(slack, 0.0) * (1 + 1e-12), "always")

            def best(self, g: Any, m: int = 1, *, tol: float = 0.0, enough: float = -np.inf) -> Any:
                return inner.best(g, m)

        return Working()

    def _around(self, S: Any) -> Any:
        return Fickle(S)

    def __repr__(self) -> str:
        return f"Fickle({self.S!r})"


SETS = [gh.Inexact(gh.CappedSimplex(6), 1.0), gh.Inexact(gh.L1Ball(6, 1.5), 0.3), gh.Inexact(gh.L2Ball(6, 1.0), 5.0),
        gh.Inexact(gh.Vertices(RNG.standard_normal((9, 6))), 100.0), gh.Inexact(gh.Simplex(6), gh.harmonic(2.0)),
        Fickle(gh.Box(-np.ones(6), np.ones(6))), Fickle(gh.Simplex(6, upper=0.4)), gh.Cached(gh.Inexact(gh.Simplex(6), 0.5))]
RULES = [gh.Exact(), gh.Short(), gh.Backtracking(), gh.OpenLoop(), gh.LogAdaptive(), gh.Constant(0.3), gh.Power(0.5),
         gh.Capped(gh.OpenLoop())]
SMOOTH = [*(gh.FrankWolfe(rule) for rule in RULES), *(gh.BlendedPairwise(rule) for rule in RULES), gh.Corrective(),
          gh.Jones(), gh.Jones(gh.OpenLoop()), gh.PairwiseJones(), gh.Mixed(), gh.Mixed(choose="better"), gh.Aggregated(),
          SFW(), SFW.momentum(), SFW.storm(), SFW.spider(), SFW.svrf(), SFW.svfw(30), SFW.saga(), SFW.dual(),
          gh.StochasticJones(), gh.StochasticJones(step=gh.Capped(gh.OpenLoop()), point="average"), gh.Storc(0.01),
          gh.VarianceReducedJones(), gh.LuFreund(4)]
SHARP = [gh.MoreauFrankWolfe(), gh.MoreauFrankWolfe(2), RSFW(), RSFW.fading(), RSFW.fixed(30), gh.Smoothed(),
         gh.Smoothed(gh.FrankWolfe()), gh.Smoothed(gh.BlendedPairwise())]


def least(f: Any, S: Any) -> float:
    while isinstance(S, Wrapped):
        S = S.S
    return float(gh.minimize(f, S, stop=gh.Relative(1e-9) | gh.Iterations(3000)).certificate.lower)


@pytest.mark.filterwarnings("ignore::greedyhull.GreedyhullWarning")
@pytest.mark.parametrize("S", SETS, ids=repr)
def test_points_stay_in_the_hull_and_gaps_are_true(S: Any) -> None:
    cases = [(SQUARES, SMOOTH), (CURVES, SMOOTH[:20:3]), (KINKS, SHARP), (SQUARES, SHARP[:3])]
    for f, solvers in cases:
        low = least(f, S)
        for solver in solvers:
            s = gh.minimize(f, S, solver, stop=gh.Iterations(25) | gh.Seconds(10))
            for point in (s.point, s.also.get("last"), s.also.get("average")):
                assert point is None or S.contains(point, 1e-12), solver
            assert s.certificate.lower <= low + 1e-9 and s.value >= low - 1e-12, solver
            if s.point.keeps_atoms:
                weights = s.point.weights
                assert (weights >= 0).all() and abs(weights.sum() - 1) <= 1e-12, solver


def test_the_moreau_envelope_takes_no_step_uphill() -> None:
    """Its prox steps divide a slope by a curvature, and an oracle that errs may answer with a slope that rises."""
    f = gh.least_squares(np.random.default_rng(0).standard_normal((20, 6)), np.ones(20))
    S = gh.Inexact(gh.CappedSimplex(6), 1.0)
    s = gh.minimize(f, S, gh.MoreauFrankWolfe(), stop=gh.Iterations(50))
    assert s.point.array().sum() <= 1 + 1e-12 and (s.point.array() >= -1e-12).all()
    assert all(bound.name != "Moreau envelope (rate)" for bound in s.bounds())  # its proof allows errors up to a tolerance


@pytest.mark.filterwarnings("ignore::greedyhull.GreedyhullWarning")
@pytest.mark.parametrize("S", [gh.L1Ball(6, 1.0), gh.L2Ball(6, 1.0)], ids=repr)
@pytest.mark.parametrize("step", [-0.1, 1.5, np.nan, np.inf])
def test_a_rule_that_leaves_the_hull_is_stopped(step: float, S: Any) -> None:
    class Rule:
        def at(self, k: float) -> float:
            return step

        def start(self, warm: bool = False) -> Any:
            return self

        def __call__(self, line: Any, k: int) -> float:
            return step

        def state(self) -> dict[str, Any]:
            return {}

    for solver in (gh.FrankWolfe(Rule()), gh.BlendedPairwise(Rule()), SFW(step=Rule()), gh.StochasticJones(step=Rule()),
                   gh.VarianceReducedJones(step=Rule())):
        with pytest.raises(gh.GreedyhullError, match="step"):
            gh.minimize(SQUARES, S, solver, stop=gh.Iterations(5))
