"""Why a run ended: programs read the kind, people the words, and the words are about the certificate that is returned."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.stop import Reason, Stop, because, closing, ended, evaluate, interrupted, together
from greedyhull.solvers.parts.progress import Event

SEEN = Event(20, 1.0, 2.0, 3e-7, 2.0 - 3e-7, None, 5.0, scale=1.0)
FINAL = replace(SEEN, gap=5e-10, lower=2.0 - 5e-10)


def said(stop: Any, at: Event = SEEN, final: Event = FINAL) -> Reason:
    reason = evaluate(stop.begin(), at)
    assert reason is not None
    return closing(stop, reason, final)


@pytest.mark.parametrize("stop", [gh.Iterations(20), gh.Seconds(1.0), gh.Callback(bool),
                                  gh.Iterations(20) & gh.Seconds(1.0)], ids=repr)
def test_the_gap_that_is_told_is_the_final_one(stop: Any) -> None:
    words = said(stop).words
    assert "a gap of 5e-10" in words and "3e-07" not in words and words.endswith(".")


def test_a_request_that_the_final_gap_meets_is_told_beside_the_limit() -> None:
    reason = said(gh.Gap(1e-9) | gh.Iterations(20))
    assert reason.kind == "iterations"
    assert reason.words == ("The limit of 20 iterations was reached. The certified gap 5e-10 is at most the requested 1e-09.")
    assert said(gh.Gap(1e-9) | gh.Callback(lambda e: "Enough.")).words.startswith("Enough. The certified gap 5e-10")
    assert closing(gh.Gap(1e-9), interrupted(SEEN), FINAL).words.startswith("Interrupted. The certified gap")


def test_a_request_that_the_final_gap_misses_is_not_claimed() -> None:
    worse = replace(SEEN, gap=1e-3)
    for stop in (gh.Gap(1e-6), gh.Relative(1e-6), gh.RelativeToStart(1e-6), gh.Gap(1e-6) & gh.Iterations(20)):
        reason = said(stop, final=worse)
        assert reason.kind == "rounding" and "Rounding holds the certified gap at 0.001" in reason.words
        assert said(stop, final=replace(worse, self_standing=True)).kind == "sampling"


@pytest.mark.parametrize("stop", [(gh.Gap(1e-3) | gh.Iterations(99)) & (gh.Seconds(1.0) | gh.Gap(1e-20)),
                                  (gh.Seconds(1.0) | gh.Gap(1e-20)) & (gh.Gap(1e-3) | gh.Iterations(99)),
                                  gh.Gap(1e-3) & (gh.Gap(1e-20) | gh.Seconds(1.0)),
                                  (gh.Gap(1e-20) & gh.Iterations(5)) | ((gh.Relative(1e-3) | gh.Iterations(99))
                                                                        & (gh.Seconds(1.0) | gh.Gap(1e-20)))], ids=repr)
def test_rounding_is_not_blamed_for_a_request_that_was_never_met(stop: Any) -> None:
    for final in (SEEN, FINAL, replace(SEEN, self_standing=True)):
        reason = said(stop, final=final)
        assert reason.kind == "seconds"
        assert reason.words == (f"The limit of 1 seconds was reached with a gap of {final.gap:.3g}; allow more, or ask for "
                                "less.")
    assert said(stop, final=replace(SEEN, gap=0.0)).words.startswith("The limit of 1 seconds was reached. The certified")


class Claiming(Stop):
    """It says that a gap was met, and has no `met` that tells of which."""

    def __call__(self, event: Event) -> Reason | None:
        return Reason("gap", "Small enough for me.")


@pytest.mark.parametrize("stop", [Claiming(), Claiming() | gh.Gap(1e-20), Claiming() & gh.Callback(lambda e: "Yes.")],
                         ids=["alone", "either", "both"])
def test_claims_of_ones_own_are_words(stop: Any) -> None:
    reason = said(stop)
    assert reason.kind == "custom" and reason.words.startswith("Small enough for me.")


def test_requests_are_told_with_the_final_numbers() -> None:
    assert said(gh.Relative(1e-6)).words == ("The certified relative gap 2.5e-10 of max(|value|, 1) is at most the requested "
                                             "1e-06.")
    both = said(gh.Gap(1e-6) & gh.Iterations(20))
    assert both.kind == "gap" and "5e-10" in both.words and both.words.endswith("The limit of 20 iterations was reached.")
    either = said(gh.Gap(1e-20) | gh.Relative(1e-6))
    assert either.kind == "relative" and "2.5e-10" in either.words


def test_a_bound_in_expectation_that_ends_a_run_was_chosen_by_luck() -> None:
    lucky = replace(SEEN, kind="expectation")
    assert "(in expectation, had it not ended the run)" in said(gh.Gap(1e-6), lucky, lucky).words
    assert "(in expectation);" in said(gh.Iterations(20), lucky, lucky).words


def test_reasons_together() -> None:
    mine, limit = Reason("callback", "Enough."), because("iterations", "The limit was reached", SEEN, "allow more")
    joined = together([limit, mine])
    assert joined.kind == "iterations" and joined.at(FINAL) == "Enough. The limit was reached with a gap of 5e-10; allow more."
    assert together([mine, mine]).at(FINAL) == "Enough. Enough."
    assert together([limit, Reason("gap", "Small.")]).kind == "gap"


def test_no_bound_is_told_as_such() -> None:
    nothing = replace(SEEN, gap=np.inf)
    for reason in (ended(nothing), interrupted(nothing), evaluate(gh.Iterations(1), nothing)):
        assert reason is not None and "no bound yet" in reason.words and "inf" not in reason.words


def test_the_reason_of_a_run_is_about_its_certificate() -> None:
    """Losses with kinks: the final certificate is searched for, and better than what was seen underway."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 6))
    f, S = gh.absolute(X, X[:, 0] + rng.laplace(size=40)), gh.L1Ball(6, 1.0)
    for k in range(1, 9):
        s = gh.minimize(f, S, stop=gh.Gap(1e-6) | gh.Iterations(k))
        assert s.gap is not None and f"{s.gap:.3g}" in s.reason and s.converged == (s.gap <= 1e-6)
        assert s.converged == ("at most the requested" in s.reason)
