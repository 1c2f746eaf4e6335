"""What the loop makes of what solvers yield."""

import numpy as np

import greedyhull as gh
from greedyhull.driver.run import Run
from greedyhull.solvers.parts.progress import Progress

N = 1000


class Twice:
    """Certifies its first point well, then goes to another and says nothing of its gap."""

    looks_back = True

    def run(self, f, S, w, memory):
        for k in memory.count():
            yield Progress(w, 0.0 if k == 0 else 1e3)
            w.move(w.toward(S[1]), 0.5)


def test_a_bound_of_another_point_leaves_room_for_the_rounding_of_this_value():
    """value − lower is known up to the rounding of this value: the sum of a thousand numbers."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 2))
    f = gh.least_squares(X, 1e3 * X[:, 0])
    events = []
    gh.minimize(f, gh.Simplex(2), Twice(), start=np.array([1.0, 0.0]), watch=events.append, stop=gh.Iterations(1))
    first, second = events
    assert second.value > first.value and second.gap > second.value - first.lower


def test_a_bound_that_promises_less_is_not_passed_off_as_one_that_always_holds():
    """The bound of an estimate may be above the minimum; beside a gap that always holds it has no place."""
    run = Run(gh.quadratic(np.eye(2)), gh.Simplex(2), gh.FrankWolfe(), None, gh.Iterations(3), 0)
    value = run.f.value(run.w)
    run.memory.lower, run.memory.kind = value + 1.0, "estimate"
    event = run._record(Progress(run.w, 0.0, "always"))
    assert event.kind == "always" and event.lower <= value
