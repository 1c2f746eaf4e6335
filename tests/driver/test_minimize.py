"""The driver: one loop that stops, times, records, is interrupted, saved and resumed."""

import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.checkpoint import load_state
from greedyhull.driver.run import Run
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Basis
from greedyhull.solvers.parts.progress import Progress
from greedyhull.solvers.parts.solver_state import Memory
from greedyhull.testing.solvers import rows_of

rng = np.random.default_rng(6)
X, y = rng.standard_normal((25, 10)), rng.standard_normal(25)
f, S = gh.least_squares(X, y), gh.L1Ball(10, 1.5)
SOLVERS = [
    gh.FrankWolfe(),
    gh.FrankWolfe(gh.Backtracking()),
    gh.FrankWolfe(gh.OpenLoop()),
    gh.BlendedPairwise(),
    gh.Corrective(batch=2),
]
SOLVERS += [getattr(gh, name)() for name in ("Jones", "PairwiseJones", "Mixed", "Aggregated") if hasattr(gh, name)]


# --- beginning ----------------------------------------------------------------------------------------------------


def test_without_a_word_it_converges() -> None:
    s = gh.minimize(f, S)
    assert (
        s.converged and s.gap is not None and s.gap <= 1e-6 * max(abs(s.value or 0.0), s.trace.value[0] - s.certificate.lower)
    )
    assert "relative gap" in s.reason and s.solver is not None


@pytest.mark.parametrize("given", ["array", "list", "atom", "iterate", "point"])
def test_a_start_in_any_form(given: str) -> None:
    start: Any = {
        "array": np.full(10, 0.1),
        "list": [0.1] * 10,
        "atom": Basis(3, -1.5),
        "iterate": S.decompose(np.full(10, 0.1)),
        "point": gh.minimize(f, S, stop=gh.Iterations(2)).point,
    }[given]
    s = gh.minimize(f, S, gh.BlendedPairwise(), start=start, stop=gh.Iterations(3))
    w = (
        start
        if isinstance(start, Iterate)
        else gh.L1Ball(10, 1.5).decompose(np.eye(10)[3] * -1.5 if given == "atom" else np.asarray(start))
    )
    assert s.trace.value[0] == pytest.approx(f.value(w.copy()))


def test_a_warm_start_saves_iterations() -> None:
    cold = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Gap(1e-9))
    warm = gh.minimize(f, S, gh.BlendedPairwise(), start=cold.point, stop=gh.Gap(1e-9))
    assert warm.converged and warm.iterations <= 2 < cold.iterations


def test_the_start_may_be_the_optimum() -> None:
    g = gh.least_squares(np.eye(3), np.array([1.0, 0.0, 0.0]))
    for solver in SOLVERS:
        s = gh.minimize(g, gh.Simplex(3), solver, start=Basis(0, 1.0), stop=gh.Gap(1e-12) | gh.Iterations(5))
        assert s.converged and s.iterations == 0 and s.value == 0.0


def test_one_coordinate_and_one_row() -> None:
    g = gh.least_squares(np.array([[2.0]]), np.array([1.0]))
    assert gh.minimize(g, gh.Simplex(1)).point.array().tolist() == [1.0]
    assert gh.minimize(g, gh.L1Ball(1, 5.0)).point.array() == pytest.approx([0.5])


def test_a_flat_objective_is_optimal_everywhere() -> None:
    g = gh.least_squares(np.zeros((4, 3)), np.zeros(4))
    for solver in SOLVERS:
        s = gh.minimize(g, gh.Simplex(3), solver, stop=gh.Relative(1e-6) | gh.Iterations(20))
        assert s.converged and s.value == 0.0 and s.gap == 0.0


def test_integers_and_booleans_are_data() -> None:
    s = gh.minimize(gh.least_squares(np.eye(3, dtype=int), [1, 0, 0]), gh.Simplex(3))
    assert s.point.array() == pytest.approx([1.0, 0.0, 0.0], abs=1e-3)
    assert gh.minimize(gh.logistic(np.eye(4) > 0, [True, False, True, False]), gh.L1Ball(4, 1.0)).converged


# --- watching -----------------------------------------------------------------------------------------------------


def test_watchers_see_every_event_before_the_stop_is_asked() -> None:
    seen: list[int] = []
    order: list[str] = []
    gh.minimize(f, S, gh.FrankWolfe(), watch=lambda e: seen.append(e.iteration), stop=gh.Iterations(6))
    assert seen == list(range(7))
    gh.minimize(f, S, gh.FrankWolfe(), watch=[lambda e: order.append("a"), lambda e: order.append("b")],
                stop=gh.Callback(lambda e: order.append("stop") or e.iteration >= 1))  # type: ignore[func-returns-value]
    assert order == ["a", "b", "stop"] * 2


def test_an_event_tells_what_the_trace_tells() -> None:
    events: list[Any] = []
    s = gh.minimize(
        f,
        S,
        gh.FrankWolfe(),
        watch=lambda e: events.append((e.iteration, e.value, e.gap, e.step, e.start_value)),
        stop=gh.Iterations(5),
    )
    assert [e[1] for e in events[:-1]] == s.trace.value[:-1].tolist()
    assert [e[2] for e in events[:-1]] == s.trace.gap[:-1].tolist()
    assert (s.trace.value[-1], s.trace.gap[-1]) == (s.value, s.gap)  # of the last point, recomputed from its atoms
    assert events[-1][1:3] == pytest.approx((s.value, s.gap))
    assert np.isnan(events[0][3]) and [e[3] for e in events[1:]] == s.trace.step[:-1].tolist()
    assert {e[4] for e in events} == {s.trace.value[0]}


def test_an_error_of_a_watcher_is_not_swallowed() -> None:
    def watch(event: Any) -> None:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        gh.minimize(f, S, watch=watch)


# --- ending -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_the_point_returned_is_the_point_certified(solver: Any) -> None:
    s = gh.minimize(f, S, solver, stop=gh.Iterations(15))
    c = gh.certify(f, S, s.point)
    assert c.value == pytest.approx(s.value, rel=1e-14) and s.certificate.lower >= c.lower - 1e-15
    assert S.contains(s.point) and s.point.weights.sum() == pytest.approx(1, abs=1e-15)


@dataclass(frozen=True)
class Quits:
    """A solver that has enough after three points."""

    looks_back = True

    def run(self, f: Any, S: Any, w: Iterate, memory: Memory) -> Iterator[Progress]:
        for p in gh.FrankWolfe().run(f, S, w, memory):
            yield p
            if memory.k == 3:
                return


def test_a_solver_may_end_by_itself() -> None:
    s = gh.minimize(f, S, Quits(), stop=gh.Gap(1e-9))
    assert "ended by itself" in s.reason and not s.converged and s.iterations == 3
    c = gh.certify(f, S, s.point)
    assert s.value == pytest.approx(c.value, rel=1e-14)


def test_a_solver_that_never_begins_is_an_error() -> None:
    @dataclass(frozen=True)
    class Idle:
        looks_back = True

        def run(self, f: Any, S: Any, w: Iterate, memory: Memory) -> Iterator[Progress]:
            yield from ()

    with pytest.raises(gh.GreedyhullError, match="before its first point"):
        gh.minimize(f, S, Idle())


def test_float32_is_recertified_until_the_request_is_met() -> None:
    """In float32 the gap underway is provisional: the run goes on until the one in float64 is small enough."""
    g = gh.least_squares(X.astype(np.float32), y.astype(np.float32))
    s = gh.minimize(g, S, gh.BlendedPairwise(), stop=gh.Gap(1e-5) | gh.Iterations(500))
    exact = gh.least_squares(X.astype(np.float32).astype(np.float64), y.astype(np.float32).astype(np.float64))
    c = gh.certify(exact, S, s.point)
    assert s.converged and c.gap is not None and c.gap <= 1e-5 + 1e-12 and s.value == pytest.approx(c.value, rel=1e-12)


def test_what_float32_cannot_reach_is_not_claimed() -> None:
    g = gh.least_squares(X.astype(np.float32), y.astype(np.float32))
    s = gh.minimize(g, S, gh.BlendedPairwise(), stop=gh.Gap(1e-15) | gh.Iterations(300))
    assert not s.converged and s.certificate.gap is not None and s.certificate.gap > 1e-15


def test_a_small_gap_is_reached_after_many_moves() -> None:
    """Rounding gathers in views that are only updated; refreshed in time, it does not stand in the way."""
    rng = np.random.default_rng(11)
    A = rng.standard_normal((40, 30)) @ np.diag(np.logspace(0, -1.5, 30))
    g = gh.least_squares(A, rng.standard_normal(40))
    s = gh.minimize(g, gh.L1Ball(30, 40.0), gh.BlendedPairwise(), stop=gh.Gap(1e-11) | gh.Iterations(6000))
    assert s.converged and 1000 < s.iterations < 6000 and s.trace.gap[-1] <= 1e-11
    assert s.reason.startswith("The certified gap")  # seen underway, not only once the views were refreshed at the end


# --- interrupting -------------------------------------------------------------------------------------------------


class Interrupting:
    """A design whose adjoint is interrupted at the n-th product of a run; an objective asks for two when it is made."""

    def __init__(self, A: Any, n: int) -> None:
        self._inner, self._left = A, n + 2

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def adjoint(self, r: Any) -> Any:
        self._left -= 1
        if self._left == 0:
            raise KeyboardInterrupt
        return self._inner.adjoint(r)

    def precise(self) -> Any:
        return self


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
@pytest.mark.parametrize("n", [6, 9])  # the first few are those of the first point, and of a look at a foreign design
def test_an_interrupt_within_an_iteration_returns_a_certified_point(solver: Any, n: int) -> None:
    from greedyhull.objectives.designs import design

    s = gh.minimize(gh.least_squares(Interrupting(design(X), n), y), S, solver, stop=gh.Iterations(100))
    assert "nterrupted" in s.reason and not s.converged
    best = gh.minimize(f, S, stop=gh.Gap(1e-10)).value or 0.0
    assert s.value == pytest.approx(f.value(s.point.copy()), rel=1e-12) and S.contains(s.point)
    assert s.certificate.gap is not None and s.value is not None and s.value - best <= s.certificate.gap + 1e-9


def test_ctrl_c_ends_at_the_next_certified_point_and_the_old_handler_comes_back() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        s = gh.minimize(
            f,
            S,
            gh.FrankWolfe(),
            watch=lambda e: os.kill(os.getpid(), signal.SIGINT) if e.iteration == 4 else None,
            stop=gh.Gap(0.0),
        )
        assert s.iterations == 4 and s.reason.startswith("Interrupted with a gap of") and "start=" in s.reason
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        more = gh.minimize(f, S, gh.FrankWolfe(), start=s.point, stop=gh.Iterations(3))
        assert more.trace.value[0] == pytest.approx(s.value)
    finally:
        signal.signal(signal.SIGINT, before)


def test_somebody_elses_handler_stays_in_charge() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        s = gh.minimize(
            f,
            S,
            gh.FrankWolfe(),
            watch=lambda e: os.kill(os.getpid(), signal.SIGINT) if e.iteration == 4 else None,
            stop=gh.Iterations(6),
        )
        assert heard == [signal.SIGINT] and s.iterations == 6
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_before_the_first_point_is_raised() -> None:
    from greedyhull.objectives.designs import design

    with pytest.raises(KeyboardInterrupt):
        gh.minimize(gh.least_squares(Interrupting(design(X), 1), y), S, gh.FrankWolfe())


def test_a_solve_in_another_thread() -> None:
    got: list[gh.Solution] = []
    thread = threading.Thread(target=lambda: got.append(gh.minimize(f, S)))
    thread.start()
    thread.join()
    assert got[0].converged


def test_a_solve_within_a_watcher_of_a_solve() -> None:
    inner: list[float] = []
    s = gh.minimize(
        f,
        S,
        gh.FrankWolfe(),
        watch=lambda e: inner.append(gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(3)).value or 0.0),
        stop=gh.Iterations(3),
    )
    assert len(set(inner)) == 1 and inner[0] == s.value


# --- saving and resuming ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_a_checkpoint_resumes_bit_by_bit(solver: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    whole: list[Any] = []
    s = gh.minimize(f, S, solver, stop=gh.Iterations(12), watch=lambda e: whole.append(e.point.array()))
    gh.minimize(f, S, solver, stop=gh.Iterations(5), checkpoint=path)
    rest: list[Any] = []
    r = gh.minimize(f, S, solver, stop=gh.Iterations(12), resume=path, watch=lambda e: rest.append(e.point.array()))
    assert all(np.array_equal(a, b) for a, b in zip(rest, whole[5:], strict=True))
    assert np.array_equal(rows_of(r.trace), rows_of(s.trace))
    assert r.value == s.value and r.certificate == s.certificate and r.iterations == 12
    assert r.seconds > 0 and not (tmp_path / "run.npz.part").exists()


def test_a_checkpoint_may_be_a_string_and_is_written_at_the_end(tmp_path: Path) -> None:
    path = str(tmp_path / "run.npz")
    gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(3), checkpoint=path)
    assert Path(path).exists()
    s = gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(3), resume=path, checkpoint=path)
    assert s.iterations == 3 and s.trace.iteration.tolist() == [0, 1, 2, 3]


def test_resuming_keeps_the_start_value_and_the_lower_bound(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    first = gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(9), checkpoint=path)
    run = Run(f, S, gh.FrankWolfe(), None, gh.Iterations(10), 0)
    run.restore(load_state(path))
    assert run.start_value == first.trace.value[0] and run.memory.lower == pytest.approx(first.certificate.lower)


@dataclass(frozen=True)
class Tells:
    """A solver that goes to and fro on a flat f, and tells bounds as they come: (gap, kind, delta)."""

    bounds: tuple[tuple[float, Any, float], ...]
    looks_back = True

    def run(self, f: Any, S: Any, w: Iterate, memory: Memory) -> Iterator[Progress]:
        for k in memory.count():
            gap, kind, delta = self.bounds[min(k, len(self.bounds) - 1)]
            yield Progress(w, gap, kind, delta=delta)
            w.move(w.toward(Basis(k % 2, 1.0)), 0.25)


ALWAYS, LIKELY, GUESS = ("always", 0.0), ("probability", 0.1), ("estimate", 0.0)


@pytest.mark.parametrize("told, kept", [
    ([(1.0, *ALWAYS), (1.0, *GUESS)], [(-1.0, *ALWAYS), (-1.0, *ALWAYS)]),  # no better, and weaker
    ([(1.0, *GUESS), (2.0, *ALWAYS)], [(-1.0, *GUESS), (-1.0, *GUESS)]),
    ([(2.0, *ALWAYS), (1.0, *LIKELY), (1.5, *ALWAYS)], [(-2.0, *ALWAYS), (-1.0, *LIKELY), (-1.0, *LIKELY)]),
    ([(2.0, *LIKELY), (1.0, *ALWAYS), (1.0, *LIKELY)], [(-2.0, *LIKELY), (-1.0, *ALWAYS), (-1.0, *ALWAYS)])])
def test_the_best_bound_is_kept_with_what_it_promises(told: Any, kept: Any, tmp_path: Path) -> None:
    """Also by those who resume: a state was saved at every iteration."""
    flat, pair = gh.quadratic(np.zeros((2, 2))), gh.Simplex(2)  # of a loss it would be known that it is nowhere below zero

    def seen(**how: Any) -> list[Any]:
        events: list[Any] = []
        gh.minimize(flat, pair, Tells(tuple(told)), watch=lambda e: events.append((e.lower, e.kind, e.delta)), **how)
        return events

    assert seen(stop=gh.Iterations(len(told) - 1)) == kept
    for k in range(len(told)):
        seen(stop=gh.Iterations(k), checkpoint=tmp_path / "run.npz")
        assert seen(stop=gh.Iterations(len(told) - 1), resume=tmp_path / "run.npz") == kept[k:]


def test_a_state_saved_before_the_first_move_resumes() -> None:
    run = Run(f, S, gh.BlendedPairwise(), None, gh.Iterations(5), 0)
    state = run.state()
    other = Run(f, S, gh.BlendedPairwise(), None, gh.Iterations(5), 0)
    other.restore(state)
    assert np.array_equal(other.solve().point.array(), run.solve().point.array())


# --- solutions ----------------------------------------------------------------------------------------------------


def test_a_solution_reads_well() -> None:
    s = gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(3))
    assert "not converged" in repr(s) and "3 iterations" in repr(s) and "FrankWolfe" in repr(s)


def test_the_price_of_radius_is_the_slope_of_the_optimum() -> None:
    """−∂f*/∂radius, by differences."""
    h = 1e-4
    values = [gh.minimize(f, gh.L1Ball(10, 1.0 + e), stop=gh.Gap(1e-12) | gh.Iterations(2000)).value or 0.0 for e in (-h, h)]
    s = gh.minimize(f, gh.L1Ball(10, 1.0), stop=gh.Gap(1e-12) | gh.Iterations(2000))
    assert s.price == pytest.approx(-(values[1] - values[0]) / (2 * h), rel=1e-3)


def test_the_intercept_belongs_to_the_point() -> None:
    g = gh.least_squares(X, y + 5.0, intercept=True)
    s = gh.minimize(g, S)
    assert s.intercept == pytest.approx(float((y + 5.0 - X @ s.point.array()).mean()))
    assert gh.minimize(f, S).intercept == 0.0


def test_sample_weights_are_repeated_rows() -> None:
    weights = np.arange(25) % 4
    again = np.repeat(np.arange(25), weights)
    a = gh.minimize(gh.least_squares(X, y, sample_weight=weights), S, stop=gh.Gap(1e-10))
    b = gh.minimize(gh.least_squares(X[again], y[again]), S, stop=gh.Gap(1e-10))
    assert a.value == pytest.approx(b.value, abs=1e-9) and np.allclose(a.point.array(), b.point.array(), atol=1e-3)


def test_what_a_solution_is_made_of_stays_usable() -> None:
    s = gh.minimize(f, S, gh.BlendedPairwise(), stop=gh.Gap(1e-8))
    rebuilt = np.zeros(10)
    for i, weight in enumerate(s.point.weights):
        s.point.atoms[i].add_to(rebuilt, weight)
    assert np.allclose(rebuilt, s.point.array())
