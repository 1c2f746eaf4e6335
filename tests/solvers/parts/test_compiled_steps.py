"""Frank-Wolfe iterations in the compiled core: the same iterates, rows and certificates as those of the Python loop."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import greedyhull as gh
from greedyhull.atoms.simplex import PositiveL1Ball
from greedyhull.points.iterate import Iterate
from greedyhull.solvers import frank_wolfe
from greedyhull.solvers.parts.compiled_loop import CompiledSteps
from greedyhull.solvers.parts.solver_state import Memory
from greedyhull.types import Objective

rng = np.random.default_rng(11)
n, d = 40, 60
X = rng.standard_normal((n, d))
y = X[:, :5] @ np.array([2.0, -1.0, 1.0, 0.5, -0.5]) + 0.3 * rng.standard_normal(n)
signs, counts = np.where(y > 0, 1, -1), rng.poisson(2.0, n)
shares = rng.uniform(0.1, 1.0, n)
sparse = sp.csc_array(np.where(rng.random((n, d)) < 0.3, X, 0.0))
positive = np.abs(X) + 0.1
points = rng.standard_normal((30, d))
STEP = [gh.Exact(), gh.OpenLoop(), gh.OpenLoop(4.0), gh.LogAdaptive(), gh.Power(0.7), gh.Constant(0.05)]

OBJECTIVES = {
    "squares": lambda: gh.least_squares(X, y),
    "squares by column": lambda: gh.least_squares(np.asfortranarray(X), y),
    "sparse squares": lambda: gh.least_squares(sparse, y),
    "weighted squares": lambda: gh.least_squares(X, y, sample_weight=shares),
    "squares with an intercept": lambda: gh.least_squares(X, y + 3.0, intercept=True),
    "logistic": lambda: gh.logistic(X, signs),
    "logistic by column": lambda: gh.logistic(np.asfortranarray(X), signs),
    "sparse logistic": lambda: gh.logistic(sparse, signs),
    "weighted logistic": lambda: gh.logistic(X, signs, sample_weight=shares),
    "logistic with an intercept": lambda: gh.logistic(X, signs, intercept=True),
    "huber": lambda: gh.huber(X, y, delta=0.7),
    "squared hinge": lambda: gh.squared_hinge(X, signs),
    "poisson": lambda: gh.poisson(0.3 * X, counts),
}
SETS = {
    "l1 ball": gh.L1Ball(d, 3.0),
    "weighted l1 ball": gh.L1Ball(d, 3.0, weights=np.linspace(0.5, 2.0, d)),
    "simplex": gh.Simplex(d, 2.0),
    "capped simplex": gh.CappedSimplex(d, 2.0),
    "positive l1 ball": PositiveL1Ball(d, 2.0, weights=np.linspace(0.5, 2.0, d)),
    "vertices": gh.Vertices(points),
}


@contextmanager
def in_python() -> Iterator[None]:
    """Iterations of the Python loop alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frank_wolfe, "compiled_steps", lambda *problem: None)
        yield


def solve(f: Objective, S: Any, step: Any = None, stop: Any = None, **more: Any) -> Any:
    return gh.minimize(f, S, gh.FrankWolfe(step or gh.Exact()), stop=gh.Iterations(500) if stop is None else stop, **more)


def both(f: Objective, S: Any, step: Any = None, stop: Any = None, **more: Any) -> tuple[Any, Any]:
    with in_python():
        slow = solve(f, S, step, stop, **more)
    return slow, solve(f, S, step, stop, **more)


def bursts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many iterations each call of the core made, from now on."""
    made: list[int] = []
    advance = CompiledSteps.advance

    def counted(self: CompiledSteps, w: Iterate, memory: Memory) -> bool:
        before = memory.k
        done = advance(self, w, memory)
        made.append(memory.k - before + 1 if done else 0)
        return done

    monkeypatch.setattr(CompiledSteps, "advance", counted)
    return made


def check_same(slow: Any, fast: Any, off: float = 1e-12) -> None:
    """The same rows, and the same point with the same atoms, up to rounding."""
    size = 1.0 + abs(float(slow.trace.value[0]))
    for column in ("iteration", "atoms", "oracle_calls", "slack"):
        np.testing.assert_array_equal(fast.trace[column], slow.trace[column], err_msg=column)
    for column in ("value", "step"):
        np.testing.assert_allclose(fast.trace[column], slow.trace[column], rtol=1e-9, atol=off * size, err_msg=column)
    np.testing.assert_allclose(fast.trace.gap, slow.trace.gap, rtol=1e-9, atol=20.0 * off * size)  # rounding is counted in
    refreshed = slow.iterations // 64  # so often at most: then the core looks once more
    for column in ("gradient_calls", "products"):
        more = fast.trace[column] - slow.trace[column]
        assert (more > -1e-9).all() and (more <= refreshed + 1e-9).all(), column
    np.testing.assert_allclose(fast.x, slow.x, rtol=0.0, atol=off * (1.0 + np.abs(slow.x).max()))
    assert (np.diff(fast.trace.seconds) >= 0.0).all()
    if fast.point.keeps_atoms:
        assert [fast.point.atoms[i] for i in range(len(fast.point))] == [slow.point.atoms[i] for i in range(len(slow.point))]
        np.testing.assert_allclose(fast.point.weights, slow.point.weights, rtol=0.0, atol=off)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_the_iterates_are_those_of_the_python_loop(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    f, made = OBJECTIVES[name](), bursts(monkeypatch)
    slow, fast = both(f, gh.L1Ball(d, 3.0))
    assert sum(made) == 500 and made[0] > 100
    check_same(slow, fast)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("step", STEP, ids=repr)
def test_so_they_are_over_every_set_and_with_every_rule(name: str, step: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = bursts(monkeypatch)
    slow, fast = both(gh.least_squares(X, y), SETS[name], step, gh.Iterations(200))
    assert sum(made) == 200
    check_same(slow, fast)
    slow, fast = both(gh.logistic(X, signs), SETS[name], step, gh.Iterations(100))
    check_same(slow, fast)


@pytest.mark.parametrize("name", ["simplex", "vertices"])
def test_a_loss_with_an_edge_stays_within_it(name: str) -> None:
    f, S = gh.log_likelihood(positive), gh.Simplex(d) if name == "simplex" else gh.Vertices(np.abs(points))
    check_same(*both(f, S, stop=gh.Iterations(100)), off=1e-10)


def test_short_steps_of_a_quadratic_are_exact_ones() -> None:
    check_same(*both(gh.least_squares(X, y), gh.L1Ball(d, 3.0), gh.Short()))


@pytest.mark.parametrize("order", ["C", "F"])
def test_float32_data_give_the_same_value_and_a_certificate(order: Any) -> None:
    f = gh.least_squares(X.astype(np.float32, order=order), y)
    slow, fast = both(f, gh.L1Ball(d, 3.0))
    assert fast.value == pytest.approx(slow.value, rel=1e-5)
    best = gh.minimize(gh.least_squares(X.astype(np.float32).astype(float), y), gh.L1Ball(d, 3.0), stop=gh.Gap(1e-10))
    assert fast.certificate.lower <= best.value <= fast.value


@pytest.mark.parametrize("stop", [gh.Gap(1e-2), gh.Relative(1e-2), gh.Gap(1e-3) | gh.Iterations(300)], ids=repr)
@pytest.mark.parametrize("step", [gh.Exact(), gh.OpenLoop()], ids=repr)
def test_stops_use_the_best_bound_of_all_iterations(stop: Any, step: Any) -> None:
    """Frank-Wolfe gaps go up and down: the lower bound of an iteration that nobody saw counts too."""
    f, S = gh.least_squares(X, y), gh.L1Ball(d, 3.0)
    slow, fast = both(f, S, step, stop)
    assert fast.converged == slow.converged and fast.iterations == slow.iterations
    assert fast.certificate.lower == pytest.approx(slow.certificate.lower, rel=1e-12)
    best = gh.minimize(f, S, stop=gh.Gap(1e-12)).value
    assert fast.certificate.lower <= best <= fast.value


def test_theorems_hold_along_a_burst() -> None:
    for step in (gh.Exact(), gh.OpenLoop()):
        slow, fast = both(gh.least_squares(X, y), gh.L1Ball(d, 3.0), step)
        best = gh.minimize(gh.least_squares(X, y), gh.L1Ball(d, 3.0), stop=gh.Gap(1e-12)).value
        assert [b.name for b in fast.bounds()] == [b.name for b in slow.bounds()]
        assert all(b.value >= fast.value - best for b in fast.bounds() if b.of == "error")


def test_watchers_see_every_iteration_of_the_same_run() -> None:
    seen: list[tuple[int, float, float]] = []
    f, S = gh.least_squares(X, y), gh.L1Ball(d, 3.0)
    watched = solve(f, S, watch=lambda e: seen.append((e.iteration, e.value, e.step)))
    alone = solve(f, S)
    assert [k for k, *_ in seen] == list(range(501))
    np.testing.assert_array_equal([v for _, v, _ in seen[:-1]], alone.trace.value[:-1])
    np.testing.assert_array_equal([s for *_, s in seen[1:]], alone.trace.step[:-1])
    np.testing.assert_array_equal(watched.x, alone.x)


@pytest.mark.parametrize("name", ["squares", "logistic with an intercept", "sparse logistic"])
@pytest.mark.parametrize("step", [gh.Exact(), gh.OpenLoop()], ids=repr)
def test_a_resumed_run_goes_on_bit_by_bit(name: str, step: Any, tmp_path: Path) -> None:
    f, S, path = OBJECTIVES[name](), gh.L1Ball(d, 3.0), tmp_path / "run.npz"
    whole = solve(f, S, step, gh.Iterations(300))
    solve(f, S, step, gh.Iterations(120), checkpoint=path)
    resumed = solve(f, S, step, gh.Iterations(300), resume=path)
    np.testing.assert_array_equal(resumed.x, whole.x)
    assert resumed.iterations == 300


def test_other_objectives_at_the_point_follow_it() -> None:
    f, S = gh.least_squares(X, y), gh.L1Ball(d, 3.0)
    other, values = gh.logistic(X, signs), []
    s = solve(f, S, stop=gh.Iterations(100), watch=lambda e: values.append(other.value(e.point)))
    assert values[-1] == pytest.approx(other.value(s.point), rel=1e-10) and len(values) == 101
    np.testing.assert_allclose(s.x, solve(f, S, stop=gh.Iterations(100)).x, atol=1e-12)


def test_time_ends_a_burst() -> None:
    s = solve(gh.least_squares(X, y), gh.L1Ball(d, 3.0), gh.OpenLoop(), gh.Seconds(0.05))
    assert s.seconds >= 0.05 and 1 < s.iterations < 10**6
    assert s.trace.recorded == s.iterations + 1 and (np.diff(s.trace.iteration) > 0).all()


def test_an_interrupt_ends_a_burst_with_a_certificate() -> None:
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    s = solve(gh.least_squares(X, y), gh.L1Ball(d, 3.0), gh.OpenLoop(), gh.Iterations(10**8))
    timer.join()
    assert "nterrupt" in s.reason and s.gap < np.inf and s.iterations < 10**8


def test_a_run_that_stands_still_ends() -> None:
    f, S = gh.least_squares(np.eye(3), np.zeros(3)), gh.L1Ball(3, 1.0)
    slow, fast = both(f, S, stop=gh.Gap(0.0) | gh.Iterations(10_000))
    assert fast.iterations == slow.iterations and fast.reason == slow.reason
    corner = gh.least_squares(np.eye(3), np.array([9.0, 0.0, 0.0]))
    slow, fast = both(corner, S, stop=gh.Gap(0.0) | gh.Iterations(10_000))
    assert fast.iterations < slow.iterations + 100 and ("no longer change" in fast.reason or "Rounding" in fast.reason)


def test_images_carried_far_are_refreshed_as_in_python() -> None:
    """Where rounding is most of the gap, the driver computes views afresh, whether or not it saw the iterations before."""
    f, S = gh.least_squares(X[:, :4], y), gh.Simplex(4, 1.0)
    slow, fast = both(f, S, stop=gh.Gap(1e-14) | gh.Iterations(20_000))
    assert fast.converged == slow.converged
    assert fast.value == pytest.approx(slow.value, rel=1e-13)


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e149])
def test_odd_scales(scale: float) -> None:
    slow, fast = both(gh.least_squares(X, y * scale), gh.L1Ball(d, 3.0 * scale), stop=gh.Iterations(100))
    np.testing.assert_allclose(fast.x / scale, slow.x / scale, atol=1e-12)
    assert fast.certificate.lower <= slow.value and slow.certificate.lower <= fast.value


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 5), (5, 1), (2, 3)])
@pytest.mark.parametrize("step", [gh.Exact(), gh.OpenLoop()], ids=repr)
def test_few_rows_and_columns(rows: int, columns: int, step: Any) -> None:
    f = gh.least_squares(X[:rows, :columns], y[:rows])
    for S in (gh.L1Ball(columns, 0.5), gh.Simplex(columns), gh.CappedSimplex(columns, 0.5)):
        slow, fast = both(f, S, step, gh.Gap(1e-6) | gh.Iterations(50))
        assert fast.value == pytest.approx(slow.value, rel=1e-12, abs=1e-14)
        assert fast.iterations == slow.iterations


def test_starts_keep_their_atoms() -> None:
    """A start of atoms that are not the set's own: their weights fall, and those of the set join them."""
    f, S = gh.least_squares(X, y), gh.L1Ball(d, 3.0)
    start = gh.minimize(f, gh.L1Ball(d, 1.0), gh.FrankWolfe(), stop=gh.Iterations(20)).point
    check_same(*both(f, S, start=start, stop=gh.Iterations(100)))
    opposite = S.decompose(np.where(np.arange(d) < 3, -0.5, 0.0))
    check_same(*both(f, S, start=opposite, stop=gh.Iterations(100)))
    check_same(*both(f, S, gh.OpenLoop(), start=opposite, stop=gh.Iterations(100)))


def test_what_the_core_does_not_know_is_left_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    made, f, S = bursts(monkeypatch), gh.least_squares(X, y), gh.L1Ball(d, 3.0)
    stop = gh.Iterations(20)
    solve(f, S, gh.Backtracking(), stop)
    gh.minimize(f, S, gh.FrankWolfe(tolerance=gh.harmonic(0.1)), stop=stop)
    solve(gh.logistic(X, signs), S, gh.Short(), stop)
    solve(f, gh.L2Ball(d, 1.0), stop=stop)
    solve(gh.quadratic(np.eye(d)), gh.Simplex(d), stop=stop)
    assert made == []


def test_rows_of_several_bursts_join() -> None:
    """Bursts end and begin where the driver looks: the trace has each iteration once."""
    s = solve(gh.logistic(X, signs), gh.L1Ball(d, 5.0), stop=gh.Gap(1e-9) | gh.Iterations(5_000))
    k = s.trace.iteration
    assert all(b == a + 1 for a, b in pairwise(k.tolist())) and k[0] == 0
    assert np.isfinite(s.trace.step[:-1]).all() and np.isnan(s.trace.step[-1])
    assert len(s.point) == len(set(s.point.atoms.keys)) and s.point.weights.sum() == pytest.approx(1.0, abs=1e-12)


@dataclass(frozen=True)
class Looking(gh.FrankWolfe):
    """A user's solver that looks at every point of the one it is made of."""

    seen: list[int] = field(default_factory=list)

    def run(self, f: Any, S: Any, w: Any, memory: Any) -> Iterator[Any]:
        for p in super().run(f, S, w, memory):
            self.seen.append(memory.k)
            yield p


def test_solvers_around_it_see_every_iteration() -> None:
    f, S, looking = gh.least_squares(X, y), gh.L1Ball(d, 3.0), Looking(gh.OpenLoop())
    gh.minimize(f, S, looking, stop=gh.Iterations(50))
    assert looking.seen == list(range(51))
    around = gh.Aggregated(gh.FrankWolfe(gh.OpenLoop()))
    with in_python():
        slow = gh.minimize(f, S, around, stop=gh.Iterations(200))
    fast = gh.minimize(f, S, around, stop=gh.Iterations(200))
    np.testing.assert_allclose(fast.trace.gap, slow.trace.gap, rtol=1e-9, atol=1e-10)


def test_float32_steps_that_python_has_to_take() -> None:
    """Where another objective has a view of the point, or numbers leave their range in the core, Python takes the step."""
    f, other = gh.logistic(X.astype(np.float32), signs, intercept=True), gh.least_squares(X, y)
    s = solve(f, gh.L1Ball(d, 3.0), stop=gh.Iterations(30), watch=lambda e: other.value(e.point))
    assert s.value == pytest.approx(solve(f, gh.L1Ball(d, 3.0), stop=gh.Iterations(30)).value, rel=1e-5)
    slow, fast = both(f, gh.L1Ball(d, 1e20), gh.Power(1.0), gh.Iterations(60))
    assert fast.certificate.lower <= slow.value and slow.certificate.lower <= fast.value


@pytest.mark.parametrize("scale", [1e20, 1e80, 1e140])
def test_an_intercept_that_the_core_cannot_find_makes_no_bound(scale: float) -> None:
    """Values at another intercept are too large: no certificate may rest on them."""
    f = gh.logistic(scale * X[:4], signs[:4], intercept=True)
    for step in (gh.Exact(), gh.LogAdaptive()):
        slow, fast = both(f, gh.Simplex(d, 1.0), step, gh.Iterations(40))
        assert fast.certificate.lower <= min(slow.value, fast.value)
        assert slow.certificate.lower <= fast.value
