"""Step rules of a user's own: what they return is a step, or an error that names the rule."""

from __future__ import annotations

from numbers import Real
from typing import Any

from greedyhull.errors import check
from greedyhull.errors.given import shown
from greedyhull.objectives.black_box import number
from greedyhull.types import Line, State, Step, StepRule


class Careful:
    """A rule of a user's own at work: what it returns is a number from 0 to the maximal step, or an error that names it."""

    def __init__(self, rule: StepRule, step: Step) -> None:
        self.rule, self.step = rule, step

    def __call__(self, line: Line, k: int) -> float:
        eta = self.step(line, k)
        if type(eta) is not float:
            eta = number(eta, f"At k = {k} step={self.rule!r}")
        check(0.0 <= eta <= line.max_step, lambda: _leaves(self.rule, k, eta, line.max_step))
        return eta

    def state(self) -> State:
        return self.step.state()

    def restore(self, state: State) -> None:
        self.step.restore(state)


def careful(rule: StepRule, step: Step) -> Step:
    """``step``, the working form of ``rule``: as it is if the rule is the library's, else what it returns is looked at."""
    return step if type(rule).__module__.startswith("greedyhull.") else Careful(rule, step)


def no_rule(rule: object) -> str:
    """What is said of something that was given in place of a step rule.

    >>> no_rule(0.1).endswith("For a fixed step size use Constant(0.1).")
    True
    """
    how = ""
    if isinstance(rule, type):
        how = f" Make one: {rule.__name__}()."
    elif isinstance(rule, Real) and not isinstance(rule, bool):
        how = f" For a fixed step size use Constant({rule!r})."
    elif callable(rule):
        how = (" A rule of your own is a class with a method start(warm) that returns a function of a line and k; "
               "greedyhull.extend.check_step tests it.")
    return f"step={shown(rule)} was given to the solver; a step rule such as Exact() or Short() is wanted.{how}"


def step_at(rule: Any, k: int) -> float:
    """η_k of a rule that is known in advance, a number from 0 to 1."""
    eta = rule.at(k)
    if type(eta) is not float:
        eta = number(eta, f"at({k}) of step={rule!r}")
    check(0.0 <= eta <= 1.0, lambda: _leaves(rule, k, eta, 1.0))
    return eta


def _leaves(rule: Any, k: int, eta: float, most: float) -> str:
    return (f"step={shown(rule)} returned {eta!r} at k = {k}, where steps from 0 to {most:g} stay in the hull. "
            "greedyhull.extend.check_step shows what is wrong with it.")
