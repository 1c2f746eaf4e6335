"""Words that are made when they are read say what they would have said at once."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.stop import Reason, in_words

SOLVES = {
    "default": lambda **told: gh.minimize(gh.least_squares(np.eye(3), np.array([1.0, 0.5, 0.0])), gh.Simplex(3), **told),
    "gap": lambda **told: gh.minimize(gh.quadratic(np.eye(3)), gh.Simplex(3), stop=gh.Gap(1e-9), **told),
    "limit": lambda **told: gh.minimize(gh.quadratic(np.eye(9)), gh.Simplex(9), gh.FrankWolfe(), stop=gh.Iterations(3),
                                        **told),
}


@pytest.mark.parametrize("solve", SOLVES.values(), ids=SOLVES)
def test_a_solution_has_its_words_whoever_reads_them_and_however(solve):
    s = solve()
    later = [copy.copy(s), copy.deepcopy(s), pickle.loads(pickle.dumps(s)), replace(s)]
    for other in (s, *later):
        assert isinstance(other.reason, str) and isinstance(other.choice, str)
        assert (other.reason, other.choice) == (s.reason, s.choice)
    assert vars(s)["reason"] == s.reason  # made once


def test_words_fit_the_certificate():
    s = SOLVES["gap"]()
    assert s.reason == f"The certified gap {s.certificate.gap:.3g} is at most the requested 1e-09."
    assert s.choice == f"Corrective was chosen: {s.objective!r} has a Hessian, so many atoms can be reweighted at once."


def test_words_of_a_solution_can_be_written():
    s = SOLVES["default"]()
    s.reason = "Enough."
    assert s.reason == "Enough." and "Enough." in str(s)


def test_a_reason_takes_words_or_what_makes_them():
    made = []
    late = Reason("custom", lambda: made.append(1) or "Enough.")
    assert not made and late.words == "Enough." == Reason("custom", "Enough.").words == in_words("Enough.")
