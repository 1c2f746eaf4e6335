"""Streams: sampled for ever, never known; every solver that needs no n runs on them, and nothing is claimed that is not so."""

import os
import signal
import time
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.driver.checkpoint import load_state, save_state
from greedyhull.driver.run import Run
from greedyhull.report.sentences import words
from greedyhull.solvers.gradients import Dual, Minibatch, Momentum, Root, Saga, Spider, Storm, Svrg

D = 4
TRUTH = np.array([0.6, 0.4, 0.0, 0.0])
S = gh.Simplex(D)


class Rows:
    """½(x·w − y)² over a batch of rows."""

    def __init__(self, X: Any, y: Any) -> None:
        self.X, self.y = X, y

    def value(self, w: Any) -> float:
        return float(((self.X @ w - self.y) ** 2).mean() / 2)

    def gradient(self, w: Any) -> Any:
        return self.X.T @ (self.X @ w - self.y) / len(self.y)


def draw(size: int, rng: np.random.Generator) -> Rows:
    X = rng.uniform(-1, 1, (size, D))
    return Rows(X, X @ TRUTH + rng.uniform(-0.3, 0.3, size))


LIPSCHITZ = 2.0 * 2.3  # ‖x‖ ≤ 2 and |x·w − y| ≤ 2.3 on the simplex


def true_error(w: Any) -> float:
    """E ½(x·w − y)² = ⅙‖w − truth‖² + a constant."""
    return float(((w - TRUTH) ** 2).sum() / 6)


STREAM, BOUNDED = gh.expectation(draw, D), gh.expectation(draw, D, lipschitz=LIPSCHITZ)
SOLVERS = {"minibatch": gh.StochasticFrankWolfe(), "momentum": gh.StochasticFrankWolfe.momentum(),
           "storm": gh.StochasticFrankWolfe.storm(), "spider": gh.StochasticFrankWolfe.spider(),
           "reset": gh.StochasticFrankWolfe(Spider(8, 5, reset=64), gh.OpenLoop()),
           "regret": gh.StochasticFrankWolfe(look=gh.Regret()),
           "sure regret": gh.StochasticFrankWolfe(look=gh.Regret(delta=0.1)),
           "sample": gh.StochasticFrankWolfe(look=gh.MinibatchGap(300, 0.1))}


@pytest.mark.parametrize("name", SOLVERS)
def test_solvers_converge_on_streams(name: str) -> None:
    s = gh.minimize(BOUNDED, S, SOLVERS[name], stop=gh.Iterations(600), seed=1)
    assert true_error(s.point.array()) < 0.01 and s.iterations == 600
    assert s.value is None and s.gap is None and s.certificate.value is None and s.certificate.lower == -np.inf
    assert s.certificate.kind == ("expectation" if name == "regret" else "probability")
    assert s.certificate.gap is not None and true_error(s.point.array()) <= s.certificate.gap


@pytest.mark.parametrize("look", [gh.MinibatchGap(100, 0.3), gh.Regret(), gh.Regret(0.3)], ids=repr)
@pytest.mark.parametrize("f", [STREAM, BOUNDED], ids=["estimate", "bounded"])
def test_bounds_hold_as_often_as_they_say(look: Any, f: Any) -> None:
    """Over repeated runs: in expectation, or in all but a fraction δ of them."""
    if f is STREAM and look == gh.Regret(0.3):
        pytest.skip("it needs a bound on the gradients")
    runs, delta = 40, 0.3
    solved = [gh.minimize(f, S, gh.StochasticFrankWolfe(look=look), stop=gh.Iterations(60), seed=seed) for seed in range(runs)]
    over = np.array([(s.certificate.gap or 0.0) - true_error(s.point.array()) for s in solved])
    if look == gh.Regret():
        assert over.mean() >= -3 * over.std(ddof=1) / np.sqrt(runs)
    else:
        assert np.mean(over < 0.0) <= delta + 3 * np.sqrt(delta * (1 - delta) / runs)


def test_without_a_bound_on_gradients_it_is_an_estimate() -> None:
    s = gh.minimize(STREAM, S, SOLVERS["storm"], stop=gh.Iterations(300))
    assert s.certificate.kind == "estimate" and s.certificate.gap is not None and s.certificate.gap < 0.05
    with pytest.raises(gh.GreedyhullError, match="lipschitz="):
        gh.minimize(STREAM, S, SOLVERS["sure regret"], stop=gh.Iterations(3))


def test_a_solver_is_chosen_for_a_stream() -> None:
    s = gh.minimize(STREAM, S, stop=gh.Gap(0.05) | gh.Iterations(500))
    assert isinstance(s.solver, gh.StochasticFrankWolfe) and "sampled" in s.choice and s.converged


@pytest.mark.parametrize("look", [gh.MinibatchGap(30_000), gh.Regret(), gh.Regret(delta=0.05)], ids=repr)
def test_a_request_on_the_gap_is_met_by_the_bound_that_was_asked_for(look: Any) -> None:
    s = gh.minimize(BOUNDED, S, gh.StochasticFrankWolfe(look=look), stop=gh.Gap(0.25) | gh.Iterations(4000))
    assert s.converged and s.certificate.gap is not None and s.certificate.gap <= 0.25
    kind = "estimate" if look == gh.Regret() else "probability"  # a bound in expectation that ends a run is chosen by luck
    said = {"estimate": "in expectation, had it not ended the run", "probability": "with probability at least 0.95"}[kind]
    assert s.certificate.kind == kind and said in s.reason


def test_a_relative_request_is_never_met_where_no_value_is_known() -> None:
    s = gh.minimize(BOUNDED, S, gh.StochasticFrankWolfe(look=gh.Regret()), stop=gh.Relative(1.0) | gh.Iterations(400))
    assert not s.converged and "limit of 400 iterations" in s.reason


def test_limits_act_at_once() -> None:
    slow = gh.StochasticFrankWolfe(look=gh.MinibatchGap(200, every=10**9))
    s = gh.minimize(STREAM, S, slow, stop=gh.Iterations(37))
    assert s.iterations == 37 and "limit of 37 iterations" in s.reason
    f = gh.least_squares(np.eye(D), np.ones(D))
    assert gh.minimize(f, S, gh.StochasticFrankWolfe(every=10**9), stop=gh.Iterations(23)).iterations == 23
    s = gh.minimize(STREAM, S, slow, stop=gh.Seconds(0.05))
    assert "limit of 0.05 seconds" in s.reason and len(s.trace) <= 2  # the start, and where the time was over
    both = gh.Iterations(5) & gh.Seconds(0.0)
    assert both.limits() == (np.inf, np.inf) and (gh.Iterations(5) | gh.Seconds(2.0) | gh.Gap(1.0)).limits() == (5, 2.0)


def test_ctrl_c_returns_the_last_certified_point() -> None:
    seen: list[Any] = []

    def watch(event: Any) -> None:
        seen.append(event.point.array())
        if len(seen) == 3:
            raise KeyboardInterrupt

    for name in ("minibatch", "regret"):
        seen.clear()
        s = gh.minimize(BOUNDED, S, SOLVERS[name], stop=gh.Iterations(10**6), watch=watch)
        assert "nterrupted" in s.reason and s.value is None
        np.testing.assert_array_equal(s.point.array(), seen[-1])


def test_ctrl_c_between_looks_certifies_the_point_that_was_reached() -> None:
    calls, looks = [0], gh.MinibatchGap(50, every=10**9)

    def signalled(size: int, rng: np.random.Generator) -> Rows:
        calls[0] += 1
        if calls[0] == 100:
            time.sleep(0.02)  # a run listens once it has lasted a hundredth of a second
        if calls[0] == 120:
            os.kill(os.getpid(), signal.SIGINT)
        return draw(size, rng)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        s = gh.minimize(gh.expectation(signalled, D, lipschitz=LIPSCHITZ), S, gh.StochasticFrankWolfe(look=looks),
                        stop=gh.Iterations(10**6))
    finally:
        signal.signal(signal.SIGINT, before)
    assert "nterrupted" in s.reason and s.trace["iteration"].tolist() == [1, s.iterations] and 110 <= s.iterations <= 121


def test_an_interrupt_within_a_step_returns_the_last_certified_point() -> None:
    calls, seen = [0], []

    def torn(size: int, rng: np.random.Generator) -> Rows:
        calls[0] += 1
        if calls[0] == 200:
            raise KeyboardInterrupt
        return draw(size, rng)

    s = gh.minimize(gh.expectation(torn, D), S, gh.StochasticFrankWolfe.storm(), stop=gh.Iterations(10**6),
                    watch=lambda event: seen.append((event.iteration, event.gap, event.point.array())))
    assert "nterrupted" in s.reason and (s.iterations, s.certificate.gap) == seen[-1][:2]
    np.testing.assert_array_equal(s.point.array(), seen[-1][2])


@pytest.mark.parametrize("f", [STREAM, BOUNDED], ids=["estimate", "bounded"])
@pytest.mark.parametrize("name", [name for name in SOLVERS if name != "sure regret"])
def test_resumed_runs_are_equal_bit_by_bit(name: str, f: Any, tmp_path: Any) -> None:
    seen: list[Any] = []
    run = Run(f, S, SOLVERS[name], None, gh.Iterations(150), 3)
    run.watchers = [lambda event: (save_state(tmp_path / f"{len(seen)}.npz", run.state()), seen.append(event.point.array()))]
    whole = run.solve()
    for i in {0, 1, len(seen) // 2, len(seen) - 1}:
        again = Run(f, S, SOLVERS[name], None, gh.Iterations(150), 3)
        again.restore(load_state(tmp_path / f"{i}.npz"))
        s = again.solve()
        np.testing.assert_array_equal(s.trace["value"], whole.trace["value"][i:])
        np.testing.assert_array_equal(s.trace["gap"], whole.trace["gap"][i:])
        np.testing.assert_array_equal(s.point.array(), whole.point.array())


def test_looks_do_not_change_the_way_of_a_run() -> None:
    looked = gh.StochasticFrankWolfe(Storm(), gh.Power(1.0), look=gh.MinibatchGap(50, every=1))
    rare, often = (gh.minimize(BOUNDED, S, gh.StochasticFrankWolfe.storm(), stop=gh.Iterations(60), seed=2) if every is None
                   else gh.minimize(BOUNDED, S, looked, stop=gh.Iterations(60), seed=2) for every in (None, 1))
    np.testing.assert_array_equal(rare.point.array(), often.point.array())


def test_what_a_stream_cannot_do_is_said() -> None:
    for estimator in (Svrg(), Saga(), Dual()):
        with pytest.raises(gh.GreedyhullError, match=r"without end\. Use Minibatch"):
            gh.minimize(STREAM, S, gh.StochasticFrankWolfe(estimator, gh.OpenLoop()), stop=gh.Iterations(3))
    with pytest.raises(gh.GreedyhullError, match="whole number or a schedule"):
        gh.minimize(STREAM, S, gh.StochasticFrankWolfe(Minibatch(Root(0.5))), stop=gh.Iterations(3))
    for solver in (gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective()):
        with pytest.raises(gh.GreedyhullError):
            gh.minimize(STREAM, S, solver, stop=gh.Iterations(3))
    with pytest.raises(gh.GreedyhullError, match="full gradient can be known"):
        gh.certify(STREAM, S, TRUTH)
    for wrong, said in ((3, "function draw"), (lambda size, rng: 3.0, "value.w. and gradient")):
        with pytest.raises(gh.GreedyhullError, match=said):
            gh.minimize(gh.expectation(wrong, D), S, stop=gh.Iterations(2))  # type: ignore[arg-type]
    with pytest.raises(gh.GreedyhullError, match="lipschitz"):
        gh.expectation(draw, D, lipschitz=-1.0)
    flat = gh.expectation(lambda size, rng: Rows(np.ones((size, D + 1)), np.ones(size)), D)
    with pytest.raises((gh.GreedyhullError, ValueError)):
        gh.minimize(flat, S, stop=gh.Iterations(2))


def test_what_would_need_all_terms_is_refused_by_a_sentence() -> None:
    f, w = gh.expectation(draw, D), S.centre()
    asked = (lambda: f.gradient(w), lambda: f.gradient_dot(w), lambda: f.along(w, w.toward(S[0])), lambda: f.rounding(w, S),
             lambda: f.curvature(S), lambda: f.source(np.random.default_rng(0)).whole,
             lambda: f.source(np.random.default_rng(0)).full(w.array()))
    for ask in asked:
        with pytest.raises(gh.GreedyhullError, match="is a stream"):
            ask()
    assert not f.fresh(w)


def test_a_batch_may_be_asked_at_several_points_and_counts() -> None:
    source = STREAM.source(np.random.default_rng(0))
    batch = source.draw(5)
    np.testing.assert_array_equal(batch.gradient(TRUTH), batch.gradient(TRUTH))
    source.again(batch)
    assert source.spent == 10 and source.n == np.inf
    with pytest.raises(gh.GreedyhullError, match="at least one"):
        source.draw(0)


@pytest.mark.parametrize("look", [gh.MinibatchGap(20), gh.Regret()], ids=repr)
def test_nan_is_noticed(look: Any) -> None:
    for bad in ("value", "gradient"):
        class Spoiled(Rows):
            def value(self, w: Any) -> float:
                return super().value(w) * (np.nan if bad == "value" else 1.0)  # noqa: B023

            def gradient(self, w: Any) -> Any:
                return super().gradient(w) * (np.nan if bad == "gradient" else 1.0)  # noqa: B023

        f = gh.expectation(lambda size, rng, kind=Spoiled: kind(rng.random((size, D)), np.ones(size)), D)
        with pytest.raises(gh.GreedyhullError, match="NaN"):
            gh.minimize(f, S, gh.StochasticFrankWolfe(look=look), stop=gh.Iterations(5))


def test_the_point_cannot_be_written_on() -> None:
    class Rude(Rows):
        def gradient(self, w: Any) -> Any:
            w[:] = 0.0
            return w

    with pytest.raises(ValueError, match="read-only"):
        gh.minimize(gh.expectation(lambda size, rng: Rude(np.eye(D), np.ones(D)), D), S, stop=gh.Iterations(3))


def test_reports_and_words(tmp_path: Any) -> None:
    for name in ("minibatch", "regret"):
        s = gh.minimize(BOUNDED, gh.L1Ball(D, 1.0), SOLVERS[name], stop=gh.Iterations(40))
        assert "value=unknown" in repr(s) and s.price is None and s.intercept == 0.0
        assert "stream" in words(s)[0]
        assert "<html" in s.report(tmp_path / f"{name}.html").read_text()
        assert len(s.trace.to_dict()["gap"]) == len(s.trace) > 1
        s.bounds()


def test_a_progress_line_shows_the_kind() -> None:
    from greedyhull.driver.display import ProgressLine

    events: list[Any] = []
    gh.minimize(BOUNDED, S, SOLVERS["minibatch"], stop=gh.Iterations(5), watch=events.append)
    line = ProgressLine("x", live=object()).words(events[-1])
    assert "(probability)" in line and "value ≈" in line


def test_check_passes_on_a_stream() -> None:
    assert gh.minimize(BOUNDED, S, SOLVERS["regret"], stop=gh.Iterations(20), check=True).iterations == 20


def test_momentum_on_a_stream_needs_no_n() -> None:
    s = gh.minimize(STREAM, S, gh.StochasticFrankWolfe(Momentum(4), gh.Power(1.0)), stop=gh.Iterations(50))
    assert s.trace["products"][-1] == 0.0
