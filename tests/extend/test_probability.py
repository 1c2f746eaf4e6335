"""An oracle that is right with a probability it tells: its delta is carried into the certificate, and spent there."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull import extend

RNG = np.random.default_rng(11)
ROWS = RNG.standard_normal((12, 5))
X, Y = RNG.standard_normal((40, 5)), RNG.standard_normal(40)
F = gh.quadratic(X.T @ X / len(X), X.T @ Y / len(X))  # the loss of squares has a bound that no oracle gave


class Unsure(gh.AtomSet):
    """With probability ``delta`` it answers with its second best atom and calls it the best."""

    bound = 5.0

    def __init__(self, delta: float, fails: bool = True) -> None:
        self.shape, self.delta, self.fails, self.answers = (5,), delta, fails, 0

    def __repr__(self) -> str:
        return "Unsure()"

    def argmin(self, g: Any) -> Any:
        return ROWS[int((ROWS @ g).argmin())]

    def oracle(self, rng: Any) -> Any:
        return Doubting(self, rng)


class Doubting(extend.OracleBase):
    def __init__(self, S: Unsure, rng: np.random.Generator) -> None:
        self.S, self.seed, self.calls = S, int(rng.integers(2**31)), 0

    def argmin(self, g: Any, tol: float = 0.0, enough: float = -np.inf) -> Any:
        best, second = np.argsort(ROWS @ g)[:2]
        self.calls += 1
        self.S.answers += 1
        wrong = self.S.fails and np.random.default_rng([self.seed, self.calls]).random() < self.S.delta
        return extend.Answer(gh.Dense(ROWS[second if wrong else best]), 0.0, "probability", self.S.delta)

    def state(self) -> Any:
        return {"calls": np.array(self.calls), "seed": np.array(self.seed)}

    def restore(self, state: Any) -> None:
        self.calls, self.seed = int(state["calls"]), int(state["seed"])


SOLVERS = [gh.FrankWolfe(), gh.BlendedPairwise(), gh.Corrective(), gh.Jones(), gh.PairwiseJones(), gh.Mixed(), gh.Aggregated()]


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_every_answer_that_was_compared_counts_once(solver: Any) -> None:
    S, seen = Unsure(2.0**-10, fails=False), []
    s = gh.minimize(F, S, solver, stop=gh.Iterations(9), watch=lambda event: seen.append((event.kind, event.delta, S.answers)))
    assert seen == [("probability", count * 2.0**-10, count) for _, _, count in seen]
    assert s.certificate.kind == "probability" and s.certificate.delta == S.answers * 2.0**-10
    assert f"{1 - s.certificate.delta:g}" in str(s.certificate)


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_a_resumed_run_counts_none_twice(solver: Any, tmp_path: Path) -> None:
    whole = gh.minimize(F, Unsure(2.0**-10), solver, stop=gh.Iterations(12), seed=3)
    gh.minimize(F, Unsure(2.0**-10), solver, stop=gh.Iterations(5), seed=3, checkpoint=tmp_path / "run.npz")
    seen: list[float] = []
    rest = gh.minimize(F, Unsure(2.0**-10), solver, stop=gh.Iterations(12), seed=3, resume=tmp_path / "run.npz",
                       watch=lambda event: seen.append(event.delta))
    anew = 2.0**-10  # a set that may have changed is asked for the bound again
    np.testing.assert_array_equal(rest.point.array(), whole.point.array())
    assert rest.certificate.delta == whole.certificate.delta + anew
    assert np.all(np.diff(seen) >= 0.0)


def test_from_one_on_nothing_is_promised() -> None:
    few = gh.minimize(F, Unsure(0.25), gh.FrankWolfe(), stop=gh.Iterations(1))
    many = gh.minimize(F, Unsure(0.25), gh.FrankWolfe(), stop=gh.Iterations(6))
    assert few.certificate.kind == "probability" and 0.0 < few.certificate.delta < 1.0
    assert many.certificate.kind == "estimate" and many.gap is None


@pytest.mark.parametrize("delta, kind", [(0.0, "estimate"), (1.0, "estimate"), (7, "estimate"), (0.125, "probability")])
def test_what_certify_promises(delta: float, kind: str) -> None:
    c = gh.certify(F, Unsure(delta, fails=False), ROWS[0])
    assert c.kind == kind and c.delta == (0.125 if kind == "probability" else 0.0)


def test_floors_that_may_fail_count_too() -> None:
    class Proposing(Doubting):
        def argmin(self, g: Any, tol: float = 0.0, enough: float = -np.inf) -> Any:
            return ROWS[int((ROWS @ g).argmin())], np.inf

        def floor(self, g: Any, tol: float = 0.0) -> Any:
            self.S.answers += 1
            return extend.Floor(float((ROWS @ g).min()), "probability", self.S.delta)

    class Set(Unsure):
        def oracle(self, rng: Any) -> Any:
            return Proposing(self, rng)

    S = Set(2.0**-10)
    s = gh.minimize(F, S, gh.BlendedPairwise(), stop=gh.Gap(1e-6) | gh.Iterations(2000))
    assert s.converged and s.certificate.kind == "probability" and s.certificate.delta == S.answers * 2.0**-10


@pytest.mark.parametrize("look, own", [(gh.MinibatchGap(10, delta=0.25), 0.25), (gh.Regret(delta=0.25), 0.25)], ids=repr)
def test_the_chance_of_samples_is_added(look: Any, own: float) -> None:
    """Only answers that bounds rest on count: the steps' may fail without harm."""
    logistic, looks = gh.logistic(X, np.sign(Y)), []
    s = gh.minimize(logistic, Unsure(2.0**-10), gh.StochasticFrankWolfe(look=look, every=5), stop=gh.Iterations(21),
                    watch=lambda event: looks.append(event.delta))
    assert looks == [own + (i + (0 if look.averages and i == 0 else 1) - (look.averages and i > 0)) * 2.0**-10
                     for i in range(len(looks))]
    assert s.certificate.kind == "probability" and s.certificate.delta == looks[-1]


@pytest.mark.parametrize("delta", [0.01, 0.04])
def test_certificates_fail_no_more_often_than_they_say(delta: float) -> None:
    """For a linear f one wrong answer of a run is enough: 500 runs, and three standard deviations of leeway."""
    slope = np.array([10.0, -1.0, 0.0, 4.0, 7.0])
    linear, least = gh.quadratic(np.zeros((5, 5)), -slope), float((ROWS @ slope).min())
    start = ROWS[int((ROWS @ slope).argmax())]
    false = promised = 0.0
    for seed in range(500):
        s = gh.minimize(linear, Unsure(delta), gh.FrankWolfe(gh.Constant(0.1)), start=gh.Dense(start), stop=gh.Iterations(4),
                        seed=seed)
        false += s.certificate.lower > least + 1e-9
        promised += s.certificate.delta
        assert s.certificate.kind == "probability"
    assert promised - 5.0 * promised**0.5 <= false <= promised + 3.0 * promised**0.5  # and the promise is not idle


@pytest.mark.parametrize("answer, words", [(extend.Answer(gh.Basis(0, 1.0), 0.0, "probability", -0.1), "delta=-0.1"),
                                           (extend.Answer(gh.Basis(0, 1.0), 0.0, "probability", np.nan), "delta=nan"),
                                           (extend.Answer(gh.Basis(0, 1.0), 0.0, "surely"), "kind 'surely'"),  # type: ignore
                                           (extend.Answer(gh.Basis(0, 1.0), "much"), "slack of 'much'")])  # type: ignore
def test_what_is_no_promise_is_refused(answer: Any, words: str) -> None:
    with pytest.raises(gh.GreedyhullError, match=words):
        gh.minimize(F, gh.oracle(lambda g: answer, 5, bound=1.0), gh.FrankWolfe(), stop=gh.Iterations(2))


def test_an_answer_that_may_fail_is_no_always() -> None:
    S = gh.oracle(lambda g: extend.Answer(gh.Dense(ROWS[int((ROWS @ g).argmin())]), 0.0, "always", 0.01), 5, bound=5.0)
    assert gh.certify(F, S, ROWS[0]).kind == "probability"
