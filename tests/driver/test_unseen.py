"""Rounds that nobody has to see: the trace has them all, limits hold to the round, and watching changes nothing."""

import copy
import pickle
import signal
import threading
from itertools import pairwise

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.run import Run
from greedyhull.solvers.parts import compiled_loop
from greedyhull.solvers.parts.compiled_loop import CompiledRounds
from greedyhull.solvers.parts.solver_state import Memory

N, D = 60, 40
RNG = np.random.default_rng(8)
X = RNG.standard_normal((N, D))
Y = X[:, :9] @ np.linspace(1.0, -2.0, 9) + RNG.standard_normal(N)
LABELS = np.where(Y > 0, 1, -1)
SLOW = gh.Corrective(batch=1, steps=1)  # takes many rounds
PROBLEMS = {
    "least_squares": (gh.least_squares(X, Y), gh.L1Ball(D, 6.0)),
    "logistic": (gh.logistic(X, LABELS), gh.L1Ball(D, 6.0)),
    "simplex": (gh.huber(X, Y, 0.3), gh.Simplex(D, 5.0)),
    "intercept": (gh.squared_hinge(X, LABELS, intercept=True, l2=0.1), gh.CappedSimplex(D, 5.0)),
    "float32": (gh.logistic(X.astype(np.float32), LABELS), gh.L1Ball(D, 6.0)),
    "asked": (gh.absolute(X, Y).smoothed(0.05), gh.L1Ball(D, 6.0)),
    "points": (gh.least_squares(X, Y), gh.Vertices(3.0 * RNG.standard_normal((90, D)))),
}


@pytest.fixture
def calls(monkeypatch):
    """How many rounds each call of the core made."""
    made, advance = [], CompiledRounds.advance

    def counted(rounds, w, memory, *seen):
        before = memory.k
        more = advance(rounds, w, memory, *seen)
        made.append(memory.k - before + more)
        return more

    monkeypatch.setattr(CompiledRounds, "advance", counted)
    return made


def columns(s, *names):
    return [s.trace[name].tolist() for name in names]


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_trace_has_a_row_for_every_round(name, calls):
    f, S = PROBLEMS[name]
    s = gh.minimize(f, S, SLOW, stop=gh.Relative(1e-7))
    best = gh.minimize(f, S, gh.Corrective(), stop=gh.Relative(1e-11) | gh.Iterations(100))
    assert max(calls) > 3, "several rounds ought to be made in one call"
    assert s.converged and s.trace.iteration.tolist() == list(range(s.iterations + 1))
    values, gaps = s.trace.value, s.trace.gap
    slack = 1e-6 if name == "float32" else 1e-14
    assert all(after <= before + slack * abs(before) for before, after in pairwise(values))
    assert (values - best.value <= gaps + 1e-14 * np.abs(values)).all(), "a gap is smaller than the error"
    assert (values - gaps <= best.value * (1 + 1e-14)).all()
    assert (np.diff(s.trace.seconds) >= 0).all() and (np.diff(s.trace.oracle_calls) >= 1).all()
    assert s.trace.atoms[-1] == len(s.point) and len(s.trace.steps) == s.iterations


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_watched_run_takes_the_same_way(name, calls):
    f, S = PROBLEMS[name]
    unseen = gh.minimize(f, S, SLOW, stop=gh.Relative(1e-7))
    assert max(calls) > 1
    calls.clear()
    seen = []
    watched = gh.minimize(f, S, SLOW, stop=gh.Relative(1e-7), watch=lambda event: seen.append((event.iteration, event.value)))
    assert set(calls) <= {0, 1}, "somebody watches: one round in a call"
    assert [k for k, _ in seen] == list(range(watched.iterations + 1))
    assert columns(watched, "iteration", "value", "atoms") == columns(unseen, "iteration", "value", "atoms")
    assert watched.point.array().tobytes() == unseen.point.array().tobytes()
    careful = gh.minimize(f, S, SLOW, stop=gh.Relative(1e-7), check=True)
    assert columns(careful, "value", "atoms") == columns(watched, "value", "atoms")


@pytest.mark.parametrize("name", PROBLEMS)
def test_iterations_end_a_run_at_exactly_k(name):
    f, S = PROBLEMS[name]
    for k in (0, 1, 2, 7):
        s = gh.minimize(f, S, SLOW, stop=gh.Iterations(k))
        assert s.iterations == k == s.trace.iteration[-1] and len(s.trace.iteration) == k + 1


def test_a_stop_that_looks_at_every_round_sees_every_round(calls):
    f, S = PROBLEMS["least_squares"]
    seen = []
    gh.minimize(f, S, SLOW, stop=gh.Callback(lambda event: seen.append(event.iteration)) | gh.Relative(1e-7))
    assert seen == list(range(len(seen))) and len(seen) > 3 and set(calls) <= {0, 1}



def long_problem(n=600, d=200):
    rng = np.random.default_rng(1)
    A = rng.standard_normal((n, d))
    return gh.logistic(A, np.sign(A[:, :40].sum(axis=1) + 3.0 * rng.standard_normal(n))), gh.L1Ball(d, 50.0)


def test_time_ends_a_call():
    f, S = long_problem()
    s = gh.minimize(f, S, SLOW, stop=gh.Seconds(0.1))
    assert s.iterations == s.trace.iteration[-1] and "econds" in s.reason
    assert s.gap > 0.0 and S.contains(s.point)


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals reach the main thread only")
def test_ctrl_c_within_a_call(calls, monkeypatch):
    """The core asks now and then whether to go on: what it has done by then is kept."""
    f, S = long_problem(3000, 600)  # rounds in the core take longer than it goes on without asking
    ask, asked = Memory.must_end, []

    def pressed(memory):
        asked.append(ask(memory))
        signal.raise_signal(signal.SIGINT)
        return ask(memory)

    monkeypatch.setattr(Memory, "must_end", pressed)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        s = gh.minimize(f, S, SLOW, stop=gh.Gap(0.0) | gh.Seconds(60.0))
    finally:
        signal.signal(signal.SIGINT, before)
        monkeypatch.setattr(Memory, "must_end", ask)
    assert asked == [False], "the core went on after it was told to end"
    assert "nterrupted" in s.reason and not s.converged
    assert calls[0] >= 1 and S.contains(s.point)
    best = gh.minimize(f, S, stop=gh.Relative(1e-6) | gh.Seconds(5.0))
    assert s.value - s.gap <= best.value and best.value - best.gap <= s.value
    assert s.trace.iteration.tolist() == list(range(s.iterations + 1))


@pytest.mark.parametrize("radius", [30.0, 300.0, 3000.0, 1e4])
@pytest.mark.parametrize("stop", [gh.Relative(1e-9), gh.Relative(1e-11), gh.Gap(1e-10)], ids=repr)
def test_an_unwatched_run_takes_no_more_rounds_though_rounding_is_large_at_its_start(radius, stop):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 300))
    y = np.where(X[:, :5].sum(axis=1) + 0.5 * rng.standard_normal(200) > 0, 1.0, -1.0)
    f, S = gh.logistic(X, y), gh.L1Ball(300, radius)
    alone, watched = gh.minimize(f, S, stop=stop), gh.minimize(f, S, stop=stop, watch=lambda event: None)
    assert alone.converged and watched.converged
    assert alone.iterations <= watched.iterations + 2


# --- the start ----------------------------------------------------------------------------------------------------------

COUNTED = ("iteration", "value", "step", "atoms", "oracle_calls", "gradient_calls", "products", "slack")


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("solver", [SLOW, gh.Corrective()], ids=["slow", "default"])
def test_a_start_that_nobody_saw_is_a_row_like_that_of_a_watched_run(name, solver):
    f, S = PROBLEMS[name]
    unseen = gh.minimize(f, S, solver, stop=gh.Relative(1e-7))
    watched = gh.minimize(f, S, solver, stop=gh.Relative(1e-7), watch=lambda event: None)
    for ours, theirs in zip(columns(unseen, *COUNTED), columns(watched, *COUNTED), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert unseen.certificate.gap <= watched.certificate.gap * (1 + 1e-12) or unseen.converged
    assert (unseen.trace.gap >= 0.0).all() and (np.diff(unseen.trace.seconds) >= 0.0).all()


def test_the_driver_looks_at_the_last_point_alone(monkeypatch):
    f, S = PROBLEMS["least_squares"]
    looks, record = [], Run._record
    monkeypatch.setattr(Run, "_record", lambda run, progress: looks.append(run.memory.k) or record(run, progress))
    s = gh.minimize(f, S)
    assert looks == [s.iterations] and s.iterations > 0
    monkeypatch.setattr(compiled_loop, "SHORT", 0)  # large data: a look costs nothing beside a round
    looks.clear()
    again = gh.minimize(f, S)
    assert looks == [0, s.iterations] and again.x.tobytes() == s.x.tobytes()
    assert again.trace.value.tolist() == s.trace.value.tolist()


@pytest.mark.parametrize("stop", [gh.Seconds(0.0), gh.Iterations(0), gh.Relative(10.0), gh.Gap(1e9) & gh.Relative(10.0)],
                         ids=repr)
def test_a_run_that_may_end_at_the_start_ends_there(stop):
    f, S = PROBLEMS["least_squares"]
    s = gh.minimize(f, S, stop=stop)
    assert s.iterations == 0 and len(s.trace) == 1 and s.trace.step.shape == (1,)


def test_a_start_at_the_minimum_stays_where_it_is():
    f, S = PROBLEMS["least_squares"]
    best = gh.minimize(f, S, stop=gh.Relative(1e-9))
    again = gh.minimize(f, S, start=best, stop=gh.Relative(1e-6))
    assert again.converged and again.iterations == 0 and again.value == pytest.approx(best.value, rel=1e-12)


def test_what_is_relative_to_the_start_is_so_though_nobody_saw_it():
    f, S = PROBLEMS["least_squares"]
    s = gh.minimize(f, S, stop=gh.RelativeToStart(1e-5) | gh.Relative(1e-12))
    assert s.converged and s.trace.value[0] == pytest.approx(f.value(f.start(S, RNG)), rel=1e-12)


def test_a_trace_that_nobody_has_read_is_copied_whole():
    f, S = PROBLEMS["logistic"]
    s = gh.minimize(f, S, SLOW, stop=gh.Relative(1e-7))
    copies = [pickle.loads(pickle.dumps(s.trace)), copy.deepcopy(s.trace), copy.copy(s.trace)]
    for one in copies:
        assert len(one) == len(s.trace) == s.iterations + 1
        assert one.to_dict().keys() == s.trace.to_dict().keys()
        np.testing.assert_array_equal(one.gap, s.trace.gap)


class Denied(gh.Relative):
    """Claims that its request is met, and denies it."""

    def met(self, event):
        return False


def test_a_stop_that_is_derived_from_ours_is_not_taken_at_its_word():
    f, S = PROBLEMS["least_squares"]
    for stop in (Denied(1e-3), Denied(1e-3) | gh.Seconds(60)):
        s = gh.minimize(f, S, stop=stop)
        assert not s.converged and s.gap <= 1e-3 * max(abs(s.value), f.scale)


class Fewer(gh.Iterations):
    """A limit that changes from run to run."""

    allowed = 3

    def limits(self):
        return gh.Iterations(self.allowed).limits()

    def __call__(self, event):
        return "Enough." if event.iteration >= self.allowed else None


def test_limits_of_a_derived_stop_may_change():
    f, S = PROBLEMS["logistic"]
    stop = gh.Gap(0.0) | Fewer(100)
    assert gh.minimize(f, S, SLOW, stop=stop).iterations == 3
    Fewer.allowed = 5
    assert gh.minimize(f, S, SLOW, stop=stop).iterations == 5


@pytest.mark.parametrize("ball", [gh.L2Ball, gh.LinfBall])
@pytest.mark.parametrize("stop", [gh.Relative(1e-7), gh.Relative(1e-7) | gh.Iterations(1)], ids=repr)
def test_a_start_where_the_core_can_do_nothing_is_the_same_for_all(ball, stop):
    """An intercept of steep data is out of its reach, and Python goes on from the start."""
    rng = np.random.default_rng(0)
    steep = 1e3 * rng.standard_normal((20, 3))
    f, S = gh.logistic(steep, np.where(rng.standard_normal(20) > 0, 1.0, -1.0), intercept=True), ball(3, radius=10.0)
    unseen, seen = gh.minimize(f, S, stop=stop), gh.minimize(f, S, stop=stop, watch=lambda event: None)
    assert (unseen.value, unseen.gap, unseen.iterations) == (seen.value, seen.gap, seen.iterations)
    assert unseen.trace.value.tolist() == seen.trace.value.tolist() and unseen.x.tolist() == seen.x.tolist()
