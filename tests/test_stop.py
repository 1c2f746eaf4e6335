"""When a run stops, what it says, and whether that is convergence."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.progress import Event
from greedyhull.stop import Stop


def event(
    iteration: int = 5,
    seconds: float = 1.0,
    value: float = 2.0,
    gap: float = 0.1,
    start: float = 3.0,
    lower: float | None = None,
) -> Event:
    return Event(iteration, seconds, value, gap, value - gap if lower is None else lower, None, start)


@pytest.mark.parametrize(
    "stop, says",
    [
        (gh.Gap(0.1), "certified gap 0.1 is at most the requested 0.1"),
        (gh.Gap(0.09), None),
        (gh.Iterations(5), "limit of 5 iterations"),
        (gh.Iterations(6), None),
        (gh.Seconds(1.0), "limit of 1 seconds"),
        (gh.Seconds(1.1), None),
        (gh.Relative(0.05), "relative gap 0.05"),
        (gh.Relative(0.049), None),
        (gh.Callback(lambda e: e.value > 1), "callback"),
        (gh.Callback(lambda e: "Enough is enough."), "Enough is enough."),
        (gh.Callback(lambda e: None), None),
    ],
)
def test_a_stop_says_why_or_nothing(stop: Stop, says: str | None) -> None:
    said = stop(event())
    assert (said is None) == (says is None) and (says is None or says in (said or ""))


def test_the_relative_gap_is_relative_to_the_value_or_to_what_was_gained() -> None:
    """gap / max(|value|, f(x₀) − lower bound), the one definition."""
    assert event(value=2.0, gap=0.1, start=3.0).relative == pytest.approx(0.1 / 2.0)
    assert event(value=2.0, gap=0.1, start=30.0).relative == pytest.approx(0.1 / (30 - 1.9))
    assert event(value=-4.0, gap=0.1, start=-3.0).relative == pytest.approx(0.1 / 4.0)
    assert event(value=0.0, gap=0.1, start=0.0).relative == 1.0
    assert event(value=0.0, gap=0.0, start=0.0).relative == 0.0


def test_either_stops_at_the_first_reason() -> None:
    stop = gh.Gap(1e-9) | gh.Iterations(5) | gh.Seconds(99)
    assert "iterations" in (stop(event()) or "") and not stop.met(event()) and stop.asks_gap
    assert repr(stop) == "Gap(absolute=1e-09) | Iterations(k=5) | Seconds(t=99)"
    assert stop.met(event(gap=1e-10))


def test_both_wait_for_all_reasons() -> None:
    stop = gh.Gap(0.5) & gh.Iterations(6)
    assert stop(event()) is None and stop(event(iteration=6)) is not None and stop(event(iteration=6, gap=0.6)) is None
    assert "certified gap" in (stop(event(iteration=6)) or "") and "iterations" in (stop(event(iteration=6)) or "")
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
    assert "improved in 3 iterations" in (stop(event(6, value=4.0, gap=0.9)) or "")


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
