"""What a solve remembers: counts, random numbers, oracles and steps, saved in the middle of an iteration."""

from typing import Any

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.atoms.base import OracleBase
from greedyhull.solvers.parts.solver_state import CountingOracle, Memory
from greedyhull.testing.expect import saved
from greedyhull.types import Answer


def again(memory: Memory) -> Memory:
    other = Memory()
    other.restore(saved(memory.state()))
    return other


def test_counting_goes_on_where_it_stood() -> None:
    memory = Memory()
    counted = memory.count(first=1)
    assert [next(counted) for _ in range(4)] == [1, 2, 3, 4]
    assert next(again(memory).count(first=1)) == 4


def test_random_numbers_of_an_iteration_are_drawn_again() -> None:
    memory = Memory(seed=3)
    drawn = []
    for k in memory.count():
        drawn.append(memory.rng.random(2))
        if k == 5:
            break
    other = again(memory)
    next(other.count())
    assert np.array_equal(other.rng.random(2), drawn[5])


def test_a_seed_decides_the_numbers() -> None:
    assert Memory(1).rng.random() == Memory(1).rng.random() != Memory(2).rng.random()


def test_values_come_back() -> None:
    memory = Memory(seed=7, warm=True)
    memory.k, memory.lower, memory.gap, memory.kind, memory.delta = 12, -3.5, 0.25, "probability", 0.1
    memory.arrays["mean"] = np.arange(3.0)
    other = again(memory)
    assert (other.k, other.lower, other.gap, other.warm) == (12, -3.5, 0.25, True)
    assert (other.kind, other.delta) == ("probability", 0.1)
    assert np.array_equal(other.arrays["mean"], np.arange(3.0))
    assert again(Memory()).gap is None and again(Memory()).lower == -np.inf


def test_the_step_rule_comes_back() -> None:
    memory = Memory()
    step: Any = memory.step(gh.Backtracking())
    step.M, step.largest = 3.0, 5.0
    other: Any = again(memory).step(gh.Backtracking())
    assert (other.M, other.largest) == (3.0, 5.0)


class Counting(OracleBase):
    """An oracle that answers with the number of its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def argmin(self, g: Any, tol: float = 0.0, enough: float = -np.inf) -> Answer:
        self.calls += 1
        return Answer(gh.Basis(self.calls % 3, 1.0), float(self.calls), "estimate")

    def state(self) -> Any:
        return {"calls": np.array(self.calls)}

    def restore(self, state: Any) -> None:
        self.calls = int(state["calls"])


class Numbered(gh.Simplex):
    def oracle(self, rng: Any) -> Any:
        return Counting()


def test_answers_of_an_iteration_are_repeated_and_not_asked_again() -> None:
    memory, S = Memory(), Numbered(3)
    oracle = memory.oracle(S)
    for k in memory.count():
        answers = [oracle.argmin(np.ones(3)) for _ in range(2)]
        if k == 2:
            break
    other = again(memory).oracle(S)
    assert [other.argmin(np.ones(3)) for _ in range(2)] == answers and other.calls == 6
    assert other.argmin(np.ones(3)).slack == 7.0 and other.calls == 7


def test_shortlists_are_repeated_too() -> None:
    memory, S = Memory(), gh.L1Ball(4, 2.0)
    g = np.array([1.0, -3.0, 2.0, 0.5])
    first = memory.oracle(S).best(g, 2)
    other = again(memory).oracle(S)
    second = other.best(np.zeros(4), 2)
    assert np.array_equal(second.atoms.dots(g), first.atoms.dots(g)) and second[1:] == first[1:]
    assert other.best(g, 1).atoms[0] == gh.Basis(1, 2.0)


def test_a_recorder_counts_and_keeps_what_it_was_asked() -> None:
    recorder = CountingOracle(gh.Simplex(3), np.random.default_rng(0))
    g = np.array([0.0, -1.0, 0.0])
    recorder.argmin(g)
    recorder.best(g, 2)
    assert recorder.calls == 2 and len(recorder.recent) == 2 and recorder.gradients[-1] is g


def test_parts_come_back_by_name() -> None:
    class Part:
        def __init__(self) -> None:
            self.x = np.zeros(2)

        def state(self) -> Any:
            return {"x": self.x}

        def restore(self, state: Any) -> None:
            self.x = state["x"]

    memory = Memory()
    memory.part("mean", Part).x = np.ones(2)
    assert np.array_equal(again(memory).part("mean", Part).x, np.ones(2))
    assert np.array_equal(again(memory).part("other", Part).x, np.zeros(2))


@pytest.mark.parametrize("rule", [0.1, "short", None])
def test_what_is_no_rule_is_refused(rule: Any) -> None:
    with pytest.raises(gh.GreedyhullError, match="a step rule such as"):
        Memory().step(rule)


def test_an_oracle_that_is_derived_from_the_exact_one_is_asked_itself():
    from greedyhull.atoms.base import ClosedOracle

    class Worse(ClosedOracle):
        def argmin(self, g, tol=0.0, enough=-np.inf):
            scores = self.S.scores(g)
            j = int(scores.argmax())
            return Answer(self.S[j], float(scores[j] - scores.min()))

    class Wrong(gh.Simplex):
        def oracle(self, rng):
            return Worse(self)

    answer = CountingOracle(Wrong(3), np.random.default_rng(0)).argmin(np.array([0.0, 2.0, 1.0]))
    assert answer.atom.index == 1 and answer.slack == 2.0
