"""When a run stops, what it says, and whether that is convergence."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.stop import Reason, Stop, evaluate
from greedyhull.solvers.parts.progress import Event


def event(
    iteration: int = 5,
    seconds: float = 1.0,
    value: float = 2.0,
    gap: float = 0.1,
    start: float = 3.0,
    lower: float | None = None,
    scale: float = 0.0,
) -> Event:
    return Event(iteration, seconds, value, gap, value - gap if lower is None else lower, None, start, scale=scale)


def words(stop: Stop, at: Event) -> str:
    reason = evaluate(stop, at)
    return "" if reason is None else reason.words


@pytest.mark.parametrize(
    "stop, kind, says",
    [
        (gh.Gap(0.1), "gap", "certified gap 0.1 is at most the requested 0.1"),
        (gh.Gap(0.09), None, ""),
        (gh.Iterations(5), "iterations", "limit of 5 iterations was reached with a gap of 0.1;"),
        (gh.Iterations(6), None, ""),
        (gh.Seconds(1.0), "seconds", "limit of 1 seconds"),
        (gh.Seconds(1.1), None, ""),
        (gh.Relative(0.05), "relative", "relative gap 0.05 of the value is at most the requested 0.05"),
        (gh.Relative(0.049), None, ""),
        (gh.Relative(0.025, floor=4.0), "relative", "relative gap 0.025 of max(|value|, 4) is"),
        (gh.Relative(0.024, floor=4.0), None, ""),
        (gh.RelativeToStart(0.05), "relative", "relative gap 0.05 of max(|value|, f(x₀) − lower bound) = 2 is"),
        (gh.RelativeToStart(0.049), None, ""),
        (gh.Callback(lambda e: e.value > 1), "callback", "The callback asked to stop, with a gap of 0.1."),
        (gh.Callback(lambda e: "Enough is enough."), "callback", "Enough is enough."),
        (gh.Callback(lambda e: None), None, ""),
    ],
)
def test_a_stop_says_why_or_nothing(stop: Stop, kind: str | None, says: str) -> None:
    said = evaluate(stop, event())
    assert (said.kind if said else None) == kind and says in words(stop, event())


def test_the_relative_gap_is_relative_to_the_value_or_to_the_scale() -> None:
    """gap / max(|value|, scale), the one definition; where the run began does not matter."""
    assert event(value=2.0, gap=0.1).relative == event(value=2.0, gap=0.1, start=1e9).relative == pytest.approx(0.05)
    assert event(value=2.0, gap=0.1, scale=4.0).relative == pytest.approx(0.025)
    assert event(value=-4.0, gap=0.1, scale=1.0).relative == pytest.approx(0.1 / 4.0)
    assert event(value=0.0, gap=0.0).relative == 0.0
    for at in (event(value=0.0, gap=0.1), event(gap=np.inf, scale=np.inf), event(gap=0.1, start=np.nan)):
        assert at.relative == np.inf
    assert event(value=np.nan, gap=0.1, start=np.nan).relative_to(10.0) == pytest.approx(0.01)  # a stream


def test_a_floor_takes_the_place_of_the_scale() -> None:
    at = event(value=2.0, gap=0.1, scale=1000.0)
    assert gh.Relative(1e-3).met(at) and not gh.Relative(1e-3, floor=0.0).met(at) and gh.Relative(0.05, floor=0.0).met(at)
    assert repr(gh.Relative(1e-3)) == "Relative(r=0.001)" and repr(gh.Relative(1e-3, 2.0)) == "Relative(r=0.001, floor=2.0)"
    for floor in (-1.0, np.nan, np.inf, "1"):
        with pytest.raises(gh.GreedyhullError, match="floor="):
            gh.Relative(1e-3, floor=floor)  # type: ignore[arg-type]


def test_relative_to_start_is_relative_to_what_could_be_gained() -> None:
    assert gh.RelativeToStart(0.1 / 28.1).met(event(value=2.0, gap=0.1, start=30.0))
    assert not gh.RelativeToStart(0.1 / 28.2).met(event(value=2.0, gap=0.1, start=30.0))
    assert not gh.RelativeToStart(1e9).met(event(start=np.nan)) and not gh.RelativeToStart(1e9).met(event(gap=np.inf))


def test_either_stops_at_the_first_reason() -> None:
    stop = gh.Gap(1e-9) | gh.Iterations(5) | gh.Seconds(99)
    assert "iterations" in words(stop, event()) and not stop.met(event()) and stop.asks_gap
    assert repr(stop) == "Gap(absolute=1e-09) | Iterations(k=5) | Seconds(t=99)"
    assert stop.met(event(gap=1e-10))


def test_both_wait_for_all_reasons() -> None:
    stop = gh.Gap(0.5) & gh.Iterations(6)
    assert stop(event()) is None and stop(event(iteration=6)) is not None and stop(event(iteration=6, gap=0.6)) is None
    said = stop(event(iteration=6))
    assert isinstance(said, Reason) and said.kind == "gap" and "certified gap" in said.words and "iterations" in said.words
    assert stop.met(event(gap=0.5)) and not stop.met(event(gap=0.6))
    assert repr((gh.Gap(0.5) | gh.Seconds(1.0)) & gh.Iterations(6)) == "(Gap(absolute=0.5) | Seconds(t=1.0)) & Iterations(k=6)"


def test_both_are_met_by_all_requests_on_the_gap() -> None:
    stop = gh.Gap(0.5) & gh.Relative(1e-3)
    assert not stop.met(event(gap=0.1)) and stop.met(event(gap=1e-4))
    assert not (gh.Iterations(1) & gh.Seconds(0)).met(event())


def test_stalled_counts_from_the_last_improvement() -> None:
    stop = gh.Stalled(3).begin()
    for k, (value, gap) in enumerate([(5.0, 1.0), (4.0, 1.0), (4.0, 1.0), (4.0, 0.9), (4.0, 0.9), (4.5, 1.0)]):
        assert stop(event(k, value=value, gap=gap)) is None
    assert "improved in 3 iterations" in words(stop, event(6, value=4.0, gap=0.9))


def test_stalled_begins_anew_in_every_solve() -> None:
    f, S = gh.least_squares(np.eye(3), np.array([5.0, 0.0, 0.0])), gh.Simplex(3)
    stop = gh.Stalled(4) | gh.Iterations(50)
    runs = [gh.minimize(f, S, gh.FrankWolfe(), stop=stop) for _ in range(2)]
    assert runs[0].iterations == runs[1].iterations < 20
    assert "improved" in runs[0].reason and not runs[0].converged


def test_an_infinite_gap_is_not_an_improvement_nor_an_error() -> None:
    stop = gh.Stalled(2).begin()
    said = [stop(event(k, value=1.0, gap=np.inf)) for k in range(4)]
    assert said[0] is None and said[-1] is not None


X, y = np.random.default_rng(1).standard_normal((20, 6)), np.random.default_rng(2).standard_normal(20)


def solve(stop: Any) -> gh.Solution:
    return gh.minimize(gh.least_squares(X, y), gh.L1Ball(6, 1.0), gh.BlendedPairwise(), stop=stop)


def test_converged_means_that_the_request_on_the_gap_is_met() -> None:
    assert (
        solve(gh.Gap(1e-6)).converged
        and solve(gh.Relative(1e-6)).converged
        and solve(gh.Gap(1e-6) | gh.Iterations(999)).converged
    )
    for stop in (
        gh.Iterations(5),
        gh.Seconds(0.0),
        gh.Stalled(5),
        gh.Callback(lambda e: e.iteration >= 5),
        gh.Gap(1e-30) | gh.Iterations(30),
    ):
        assert not solve(stop).converged, stop
    assert (solve(gh.Gap(1e-6) & gh.Iterations(60))).converged


def test_a_run_ends_where_it_should() -> None:
    assert solve(gh.Iterations(7)).iterations == 7 and solve(gh.Iterations(0)).iterations == 0
    assert solve(gh.Seconds(0.0)).iterations == 0
    s = solve(gh.Callback(lambda e: e.gap < 0.01 and "Good enough for me."))
    assert s.reason == "Good enough for me." and s.certificate.gap is not None and s.certificate.gap < 0.01


def test_a_gap_that_rounding_forbids_is_not_claimed() -> None:
    s = solve(gh.Gap(0.0) | gh.Iterations(300))
    assert not s.converged and s.gap is not None and 0 < s.gap < 1e-12


class AtTheFifth(Stop):
    """A stop of a user's own, which answers with words."""

    def __init__(self, answer: Any = "Five are enough.") -> None:
        self.answer = answer

    def __call__(self, event: Event) -> Any:
        return self.answer if event.iteration >= 5 else None


def test_stops_of_ones_own_may_answer_with_words() -> None:
    for stop in (AtTheFifth(), AtTheFifth() | gh.Iterations(9), AtTheFifth() & gh.Callback(lambda e: "So are we.")):
        s = solve(stop)
        assert s.iterations == 5 and s.reason.startswith("Five are enough.")
    assert evaluate(AtTheFifth(), event()) == Reason("custom", "Five are enough.")
    with pytest.raises(gh.GreedyhullError, match="answered False"):
        solve(AtTheFifth(False))


def test_the_default_is_a_relative_gap_or_a_minute() -> None:
    for solver in (gh.BlendedPairwise(), gh.StochasticFrankWolfe.dual(), None):
        s = gh.minimize(gh.logistic(X, y > 0), gh.L1Ball(6, 1.0), solver)
        assert repr(s.stop) == "Relative(r=1e-06) | Seconds(t=60.0)"
        assert s.converged and s.gap is not None and s.gap <= 1e-6 * np.log(2.0) and "of max(|value|, 0.6931)" in s.reason


def test_a_start_far_off_does_not_make_the_default_lenient() -> None:
    """Values of 1e13 at the start say nothing about how good a value of one is."""
    s = gh.minimize(gh.lp_loss(X, y, 4.0), gh.LinfBall(6, 1e3))
    assert s.converged and s.gap is not None and s.value is not None
    assert s.gap <= 1e-6 * max(s.value, float(np.mean(y**4)) / 4)
    old = gh.minimize(gh.lp_loss(X, y, 4.0), gh.LinfBall(6, 1e3), start=np.full(6, 1e3), stop=gh.RelativeToStart(1e-6))
    assert old.converged and old.gap is not None and old.gap > 1.0


def test_a_minimum_of_zero_without_a_scale_is_told_from_a_missing_iteration() -> None:
    c = np.full(5, 0.2)
    parts = lambda w: 0.5 * float((w - c) @ (w - c)), lambda w: w - c, 5
    stop = gh.Relative(1e-6) | gh.Iterations(500)
    s = gh.minimize(gh.function(*parts), gh.L1Ball(5, 2.0), gh.FrankWolfe(), stop=stop)
    assert not s.converged and "limit of 500" in s.reason and "Gap(...)" in s.reason and "floor=" in s.reason
    assert gh.minimize(gh.function(*parts, scale=1.0), gh.L1Ball(5, 2.0), gh.FrankWolfe(), stop=stop).converged
    flat = gh.minimize(gh.least_squares(X, np.full(20, 3.3), intercept=True), gh.L1Ball(6, 1.0), stop=stop | gh.Stalled(20))
    assert flat.converged or "floor=" in flat.reason  # targets that a constant fits: what is left of them is rounding
    early = gh.minimize(gh.function(*parts), gh.L1Ball(5, 2.0), gh.FrankWolfe(), stop=gh.Relative(1e-6) | gh.Iterations(1))
    assert "floor=" not in early.reason


def test_what_several_stops_aim_at_together() -> None:
    """The largest of absolute gaps, the one relative gap; none where two are relative, or one wants to see every round."""
    gap, relative, floored = gh.Gap(0.5), gh.Relative(0.25), gh.Relative(0.125, floor=3.0)
    assert (gap | gh.Gap(2.0) | gh.Seconds(3.0)).aim() == (2.0, 0.0, 0.0, np.inf)
    assert (gh.Seconds(3.0) | relative | gap).aim() == (0.5, 0.25, None, np.inf)
    assert (gh.Iterations(3) | floored | gh.Stalled(7) | gh.Stalled(5)).begin().aim() == (0.0, 0.125, 3.0, 5)
    assert (relative | floored).aim() is None and (relative | gh.Callback(bool)).aim() is None


def test_the_limits_of_several_stops_are_the_nearest() -> None:
    assert (gh.Iterations(7) | gh.Seconds(3.0) | gh.Iterations(5) | gh.Gap(1.0)).limits() == (5, 3.0)
    assert (gh.Gap(1.0) | gh.Relative(1.0)).limits() == (np.inf, np.inf)


def test_a_stop_that_counts_looks_before_its_patience_ends() -> None:
    stop = gh.Stalled(5).begin()

    def at(k: int, value: float) -> Reason | None:
        return evaluate(stop, Event(iteration=k, seconds=0.0, value=value, gap=1.0, lower=0.0, point=None, start_value=1.0))

    def patience() -> float:
        aim = stop.aim()
        assert aim is not None
        return aim.rounds

    assert at(0, 1.0) is None and patience() == 5
    assert at(3, 1.0) is None and patience() == 2
    assert at(4, 0.5) is None and patience() == 5
    assert at(9, 0.5) is not None


@pytest.mark.parametrize("k", [1, 2, 50])
def test_a_run_that_stalls_ends_with_its_certificate_however_many_rounds_pass_unseen(k: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 30))
    f, S = gh.logistic(X, np.sign(X[:, 0] + rng.standard_normal(60))), gh.L1Ball(30, 5.0)
    s = gh.minimize(f, S, gh.Corrective(batch=1, steps=1), stop=gh.Gap(0.0) | gh.Stalled(k) | gh.Iterations(500))
    least = gh.minimize(f, S, stop=gh.Relative(1e-9)).certificate.lower
    assert s.certificate.lower <= s.value and s.value - s.certificate.gap <= least + 1e-9
    assert s.trace.iteration.tolist() == list(range(s.iterations + 1))
