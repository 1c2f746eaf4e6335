"""What the loop makes of what solvers yield."""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.run import Run
from greedyhull.extend import OracleBase
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


class Own(gh.AtomSet):
    """A user's simplex; ``unproved``, it names atoms without a proof."""

    shape = (3,)

    def __init__(self, unproved=False):
        self.unproved = unproved

    def argmin(self, g):
        return gh.Basis(int(np.argmin(g)), 1.0)

    def oracle(self, rng):
        return Names(self) if self.unproved else super().oracle(rng)


class Names(OracleBase):
    def __init__(self, S):
        self.S = S

    def argmin(self, g, tol=0.0, enough=-np.inf):
        return self.S.argmin(g), np.inf

    def floor(self, g, tol=0.0):
        return float(np.min(g))


@pytest.mark.parametrize("solver", [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(), None], ids=repr)
@pytest.mark.parametrize("S", [gh.Simplex(3), Own(), Own(unproved=True), gh.Inexact(gh.Simplex(3), gh.constant(1e-3))])
def test_what_a_solve_has_made_is_freed_with_its_solution(S, solver):
    """Nothing waits for the garbage collector: in a loop of small solves it would take longer than they do."""
    f = gh.least_squares(np.arange(12.0).reshape(4, 3) % 5, np.ones(4))
    gh.minimize(f, S, solver)  # what is loaded and kept once
    gc.collect()
    gc.disable()
    try:
        s = gh.minimize(f, S, solver)
        point, trace = weakref.ref(s.point), weakref.ref(s.trace)
        assert point() is not None and trace() is not None
        del s
        assert point() is None and trace() is None
    finally:
        gc.enable()


def calls(solve):
    """How many functions, of Python and of C, are called."""
    found = 0

    def count(frame, kind, argument):
        nonlocal found
        found += kind in ("call", "c_call")

    solve()  # what is found out once for a class, or loaded
    sys.setprofile(count)
    try:
        solve()
    finally:
        sys.setprofile(None)
    return found


def test_an_empty_solve_and_an_iteration_call_few_functions():
    """Each call takes a tenth of a microsecond or more: what does not depend on the point is not asked in every solve."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 30))
    f, S = gh.least_squares(X, X[:, :3].sum(axis=1)), gh.L1Ball(30, 2.0)

    def steps(k):
        return lambda: gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(k))

    none, some = calls(steps(0)), calls(steps(100))
    assert none <= 370
    assert (some - none) / 100 <= 110


def test_a_first_solve_loads_nothing_and_the_package_nothing_that_it_does_not_use():
    code = ("import sys, numpy as np, greedyhull as gh; before = set(sys.modules); "
            "gh.minimize(gh.least_squares(np.eye(3), np.ones(3)), gh.L1Ball(3, 1.0)); "
            "print(*sorted(set(sys.modules) - before)); print(*sorted(before))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    later, loaded = map(set, map(str.split, done.stdout.splitlines()))
    assert later == set() and "greedyhull.driver.run" in loaded
    unused = {"numpy.ma", "scipy", "greedyhull.driver.resume", "greedyhull.driver.checkpoint",
              "greedyhull.solvers.pairwise", "greedyhull.solvers.smoothed",
              "greedyhull.driver.display"}
    assert loaded & unused == set()


def test_a_users_set_is_looked_at_in_every_solve():
    """What is known of a class of the library is found out once; a user's class may change between two solves."""
    class Mine(gh.AtomSet):
        shape = (2,)

        def argmin(self, g):
            return gh.Basis(int(np.argmin(g)), 1.0)

    class Best:
        def run(self, f, S, w, memory):
            oracle = memory.oracle(S)
            for k in memory.count():
                answer = oracle.argmin(f.gradient(w))
                yield Progress.of(w, f.gradient_dot(w) - answer.atom.dot(f.gradient(w)), answer)
                w.move(w.toward(answer.atom), 2.0 / (k + 2.0))

    f, S, few = gh.quadratic(np.eye(2)), Mine(), gh.Iterations(3)
    assert gh.minimize(f, S, Best(), stop=few).choice == ""
    S.shape = [2]
    with pytest.raises(gh.GreedyhullError, match="a tuple such as"):
        gh.minimize(f, S, Best(), stop=few)
    S.shape = (2,)
    Best.cautions = lambda self, f, S: ["Mind the step."]
    with pytest.warns(gh.GreedyhullWarning, match="Mind the step"):
        gh.minimize(f, S, Best(), stop=few)
    del Best.run
    with pytest.raises(gh.GreedyhullError, match="a solver such as"):
        gh.minimize(f, S, Best(), stop=few)
