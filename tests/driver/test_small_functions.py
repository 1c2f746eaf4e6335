"""Small functions of the driver: what they return for one or two arguments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.batch.problems import face_of
from greedyhull.driver.bounds.of_run import bounds_of
from greedyhull.driver.bounds.record import steps_of
from greedyhull.driver.certificate import held, sentence
from greedyhull.driver.checkpoint import is_folder
from greedyhull.driver.checks import is_builtin, is_user_defined
from greedyhull.driver.finish import higher
from greedyhull.driver.resume import digest
from greedyhull.driver.solution import Absent, duration, largest, listed
from greedyhull.driver.stop import promise
from greedyhull.driver.trace import kept_rows
from greedyhull.solvers.parts.steps import OpenLoop
from greedyhull.testing import kinked_problems
from greedyhull.types import Floor


def solved():
    return gh.minimize(gh.least_squares(np.eye(3), np.array([3.0, 0.0, -2.0])), gh.L1Ball(3, radius=3))


def line_search():
    s = gh.minimize(gh.quadratic(2 * np.eye(9)), gh.Simplex(9), gh.FrankWolfe(), stop=gh.Iterations(5))
    return repr(bounds_of(s).named("Line search"))


CASES = [
    ("promise", lambda: promise("probability", 0.05), "with probability at least 0.95"),
    ("likely", lambda: held("probability", 0.5), ("probability", 0.5)),
    ("never", lambda: held("probability", 1.5), ("estimate", 1.0)),
    ("unknown", lambda: held("probability", 0.0), ("estimate", 0.0)),
    ("always", lambda: held("always", 0.5), ("always", 0.0)),
    ("sentence", lambda: sentence("gradient is float32"), "Gradient is float32."),
    ("listed", lambda: listed([("cap", 0.25), ("sum", -0.125)]), "cap 0.25, sum -0.125"),
    ("largest", lambda: largest(solved()), "x[0] = 2, x[2] = -1"),
    ("duration", lambda: [duration(t) for t in (0.00028, 0.001, 0.12, 2.25)],
     ["0.28 milliseconds", "1 millisecond", "120 milliseconds", "2.2 seconds"]),
    ("absent", lambda: repr(Absent("least_squares(n=3, d=3)")), "least_squares(n=3, d=3)"),
    ("kept rows", lambda: kept_rows(np.arange(20), np.full(20, 1.0), np.zeros(20), most=10).tolist(), [0, 4, 8, 12, 16, 19]),
    ("folder", lambda: is_folder(Path("run/"), "run/"), True),
    ("file", lambda: is_folder(Path("run.npz"), "run.npz"), False),
    ("higher", lambda: higher(Floor(1.0, "probability", 0.25), Floor(2.0, "always")), Floor(2.0, "always", 0.25)),
    ("same set", lambda: digest(gh.Simplex(3)) == digest(gh.Simplex(3)), True),
    ("other set", lambda: digest(gh.Simplex(3)) == digest(gh.Simplex(3, total=2.0)), False),
    ("a function", lambda: digest(gh.function(sum, sum, 3)), b""),
    ("built in", lambda: [is_builtin(gh.FrankWolfe()), is_builtin(object())], [True, False]),
    ("user", lambda: [is_user_defined(gh.function(sum, sum, 3)), is_user_defined(gh.quadratic([[1.0]]))], [True, False]),
    ("steps", lambda: steps_of(OpenLoop(), 4).tolist(), [1.0, 2 / 3, 0.5, 0.4]),
    ("bounds", line_search, "Line search (rate): 2M/(k + 3) = 1, always; k = 5 (exact), M = 4 (exact)"),
    ("face", lambda: face_of(gh.Simplex(3), 1).matrix.toarray().tolist(), [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    ("kinds of losses", lambda: len({type(problem.f.loss) for problem in kinked_problems()}) >= 4, True),
]


@pytest.mark.parametrize(("value", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_small_functions(value, expected):
    assert value() == expected
