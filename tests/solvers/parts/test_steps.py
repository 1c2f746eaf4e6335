"""Step rules, one by one; their common promises are in conformance."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.objectives.lines import Curve, Parabola
from greedyhull.testing import small_problems


def test_schedules_are_the_papers() -> None:
    assert [gh.OpenLoop().at(k) for k in range(3)] == [1.0, 2 / 3, 0.5]
    assert gh.OpenLoop(4).at(4) == 0.5 and gh.Constant(0.2).at(9) == 0.2
    assert gh.Power(0.5).at(3) == 0.5 and gh.Power(1.0).at(3) == 0.25
    assert gh.LogAdaptive().at(0) == 1.0 and gh.LogAdaptive().at(9) == pytest.approx((2 + np.log(10)) / (11 + np.log(10)))


def test_the_short_step_minimises_the_parabola_above() -> None:
    step = gh.Short().start()
    assert (
        step(Parabola(0, -1, 4, 1), 0) == 0.25
        and step(Parabola(0, -9, 4, 1), 0) == 1.0
        and step(Parabola(0, -1, 0, 0.7), 0) == 0.7
    )


def test_the_short_step_wants_a_finite_bend() -> None:
    with pytest.raises(gh.GreedyhullError, match=r"Exact\(\) or Backtracking\(\)"):
        gh.Short().start()(Curve(lambda s: -s, lambda s: (-1.0, 0.0), -1.0, 1.0), 0)


def test_backtracking_obeys_the_curvature_inequality_it_reports() -> None:
    for problem in small_problems():
        if "over Simplex" not in problem.name:
            continue
        s = gh.minimize(problem.f, problem.S, gh.FrankWolfe(gh.Backtracking()), stop=gh.Iterations(60))
        assert (np.diff(s.trace.value) <= 1e-12).all()
        assert s.curvature is not None and s.curvature > 0


def test_backtracking_meets_the_rate_with_its_own_curvature() -> None:
    problem = small_problems()[0]
    s = gh.minimize(problem.f, problem.S, gh.FrankWolfe(gh.Backtracking()), stop=gh.Iterations(100))
    k = s.trace.iteration[2:]
    assert s.curvature is not None
    assert (s.trace.value[2:] - problem.minimum <= 2 * s.curvature / (k + 2)).all()


def test_a_warm_start_is_not_thrown_away_by_an_open_loop_rule() -> None:
    """η_0 = 1 would leave the start for a vertex; the count begins where the schedule meets the short step."""
    problem = small_problems()[0]
    good = gh.minimize(problem.f, problem.S, gh.Corrective()).point
    value = problem.f.value(good.copy())
    for rule in (gh.OpenLoop(), gh.LogAdaptive(), gh.Power(0.5)):
        s = gh.minimize(problem.f, problem.S, gh.FrankWolfe(rule), start=good, stop=gh.Iterations(20))
        assert s.trace.value.max() <= value + 1e-3, rule


def test_rules_are_compared_and_shown_by_value() -> None:
    assert gh.OpenLoop() == gh.OpenLoop(2.0) and gh.OpenLoop() != gh.OpenLoop(3.0) and hash(gh.Short()) == hash(gh.Short())
    assert repr(gh.Constant(0.1)) == "Constant(eta=0.1)"


def test_schedules_of_tolerances() -> None:
    assert gh.zero(5) == 0.0 and gh.constant(0.3)(7) == 0.3 and gh.harmonic(2.0)(2) == 1.0 and gh.power(2.0, 3.0)(1) == 0.75
    assert gh.of_gap(0.1, first=9.0)(0, None) == 9.0 and gh.of_gap(0.1)(0, 2.0) == 0.2
    assert [repr(s) for s in (gh.constant(0.5), gh.harmonic(), gh.power(1.0), gh.of_gap(0.1))] == [
        "constant(0.5)", "harmonic(1)", "power(1, scale=1)", "of_gap(0.1, first=0)"]


@pytest.mark.parametrize("slope", [-1.0, -5e-324, 0.0, 1.0, np.nan, -np.inf])
@pytest.mark.parametrize("bend", [0.0, 5e-324, 1.0, 1e300])
@pytest.mark.parametrize("max_step", [0.0, 1e-200, 0.5, 1.0])
def test_no_rule_leaves_the_line(slope: float, bend: float, max_step: float) -> None:
    """Slopes that rise, vanish or are not numbers, curvatures of zero, lines of no length."""
    line = Parabola(1.0, slope, bend, max_step)
    for rule in (gh.Exact(), gh.Short(), gh.Backtracking(), gh.OpenLoop(), gh.LogAdaptive(), gh.Constant(0.3), gh.Power(0.5),
                 gh.Capped(gh.OpenLoop())):
        for warm in (False, True):
            working = rule.start(warm)
            assert all(0.0 <= working(line, k) <= max_step for k in range(3)), rule


@pytest.mark.parametrize("tolerance, words", [(lambda k: 0.1, "could not be evaluated"), (lambda k, gap: None, "is None"),
                                              (lambda k, gap: 0.1 if k < 1 else None, r"is None at \(1, "),
                                              (lambda k, gap: np.nan, "is nan"), (lambda k, gap: -1.0, "is -1.0"),
                                              (lambda k, gap: k / None, "could not be evaluated.*None at first"),
                                              ("a", "schedule"),
                                              (lambda k, gap: np.ones(2), "array")])
@pytest.mark.parametrize("make", [gh.FrankWolfe, gh.Jones, gh.BlendedPairwise, gh.PairwiseJones, gh.StochasticFrankWolfe,
                                  lambda **how: gh.Mixed((gh.Jones(**how), gh.FrankWolfe())),
                                  lambda **how: gh.Smoothed(gh.FrankWolfe(**how))])
def test_a_tolerance_that_is_no_schedule_is_named(make: Any, tolerance: Any, words: str) -> None:
    f = (gh.absolute if isinstance(make(tolerance=gh.constant(0.1)), gh.Smoothed) else gh.least_squares)(np.eye(3), np.ones(3))
    with pytest.raises(gh.GreedyhullError, match=rf"tolerance=.*{words}"):
        gh.minimize(f, gh.L1Ball(3, 1.0), make(tolerance=tolerance), stop=gh.Iterations(3))


class Own:
    """A rule of a user's own that answers with whatever it was given."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __repr__(self) -> str:
        return "Own()"

    def start(self, warm: bool = False) -> Any:
        return self

    def __call__(self, line: Any, k: int) -> Any:
        return self.answer

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: Any) -> None:
        pass


class OwnSchedule(Own):
    def at(self, k: float) -> Any:
        return self.answer


OWN = [lambda answer: gh.FrankWolfe(Own(answer)), lambda answer: gh.BlendedPairwise(Own(answer)),
       lambda answer: gh.Jones(OwnSchedule(answer)), lambda answer: gh.Mixed((gh.FrankWolfe(Own(answer)),)),
       lambda answer: gh.StochasticFrankWolfe(step=OwnSchedule(answer)),
       lambda answer: gh.StochasticJones(step=OwnSchedule(answer)),
       lambda answer: gh.RegularizedStochasticFrankWolfe(step=OwnSchedule(answer))]


@pytest.mark.filterwarnings("ignore::greedyhull.GreedyhullWarning")
@pytest.mark.parametrize("make", OWN)
@pytest.mark.parametrize("answer", [None, np.nan, np.ones(2), "a", 1j, -0.1, np.inf], ids=repr)
def test_a_rule_whose_answer_is_no_step_is_named(make: Any, answer: Any) -> None:
    with pytest.raises(gh.GreedyhullError, match=r"step=Own\(\) (returned|answered)"):
        gh.minimize(gh.least_squares(np.eye(3), np.ones(3)), gh.L1Ball(3, 1.0), make(answer), stop=gh.Iterations(5))


@pytest.mark.filterwarnings("ignore::greedyhull.GreedyhullWarning")
@pytest.mark.parametrize("make", OWN)
@pytest.mark.parametrize("answer", [0.25, np.float32(0.25), np.array(0.25), np.array([0.25])], ids=repr)
def test_every_form_of_a_number_is_a_step(make: Any, answer: Any) -> None:
    f, S = gh.least_squares(np.eye(3), np.array([3.0, 2.0, 1.0])), gh.L1Ball(3, 1.0)
    found, wanted = (gh.minimize(f, S, make(step), stop=gh.Iterations(9)) for step in (answer, 0.25))
    np.testing.assert_array_equal(found.x, wanted.x)
